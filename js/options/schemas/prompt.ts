/** The options of public calls: prompt trees. */

import type { BuiltinTokenizerOptions } from "../../prompt/builtin-tokenizer.ts";
import type { RenderOptions } from "../../prompt/render.ts";
import type { AgentPromptProps } from "../../prompt/request/agent-prompt.ts";
import type { RenderRequestOptions } from "../../prompt/request/render-request.ts";
import type { IndexedMessage } from "../../search/message-index.ts";
import type { SearchMessagesOptions } from "../../search/messages.ts";
import type { Kind, Schema } from "../check.ts";
import {
  callback,
  checkedLater,
  encoding,
  flag,
  isWhole,
  limit,
  name,
  number,
  positiveShare,
  required,
  signal,
  text,
} from "../kinds.ts";
import { COUNTING, model } from "./counting.ts";
import { LIMITS } from "./limits.ts";

const { costModel } = COUNTING;

export const SEARCH_MESSAGES: Schema<SearchMessagesOptions> = {
  format: required(checkedLater),
  budget: limit,
  call: { id: required(text), name: text },
  encoding,
  model: text,
  costModel,
};

/** Numbers cross as 32 bits. */
const LAST = 2 ** 32 - 1;

const row: Kind<number> = (value) => (isWhole(value) && value <= LAST ? undefined : `a whole number from 0 to ${LAST}`);

export const INDEXED_MESSAGE: Schema<IndexedMessage> = {
  id: required(name),
  number: required(row),
  round: row,
  role: required(["system", "developer", "user", "assistant", "tool"]),
  about: text,
  text: required(text),
};

export const SEARCH_MESSAGE_INDEX: Schema<{ maxResults?: number }> = { maxResults: row };

const RENDERED: Schema<Omit<RenderOptions, "budget" | "model">> = {
  format: checkedLater,
  encoding,
  images: checkedLater,
  costModel,
  tools: checkedLater,
  backfill: flag,
  signal,
  token: checkedLater,
  tracer: checkedLater,
};

export const RENDER: Schema<RenderOptions> = { ...RENDERED, budget: required(number), model: text };

export const RENDER_REQUEST: Schema<RenderRequestOptions> = {
  ...RENDERED,
  conversation: checkedLater,
  budget: limit,
  model,
  llm: callback,
  drop: ["never", "lastResort", "freely"],
  limits: LIMITS,
};

/** Props of an agent's prompt and of the history in it. */
export const AGENT_PROMPT: Schema<AgentPromptProps & { children?: unknown }> = {
  system: checkedLater,
  context: checkedLater,
  conversation: checkedLater,
  messages: checkedLater,
  format: checkedLater,
  resultShare: positiveShare,
  cacheBreakpoint: flag,
  priority: checkedLater,
  passPriority: checkedLater,
  flexBasis: checkedLater,
  flexGrow: checkedLater,
  flexReserve: checkedLater,
  children: checkedLater,
};

export const TOKENIZER: Schema<BuiltinTokenizerOptions<any>> = {
  mode: required(checkedLater),
  encoding,
  model: text,
  costModel,
};
