/** The options of public calls: prompt trees. The compiler holds each list equal to its type. */

import type { BuiltinTokenizerOptions } from "../../prompt/builtin-tokenizer.ts";
import type { RenderOptions } from "../../prompt/render.ts";
import type { AgentPromptProps } from "../../prompt/request/agent-prompt.ts";
import type { RenderRequestOptions } from "../../prompt/request/render-request.ts";
import type { IndexedMessage } from "../../search/message-index.ts";
import type { SearchMessagesOptions } from "../../search/messages.ts";
import type { Names } from "../known.ts";

export const SEARCH_MESSAGES: Names<SearchMessagesOptions> = {
  format: 1,
  budget: 1,
  call: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
};

export const INDEXED_MESSAGE: Names<IndexedMessage> = { id: 1, number: 1, round: 1, role: 1, about: 1, text: 1 };

export const SEARCH_MESSAGE_INDEX: Names<{ limit: 1 }> = { limit: 1 };

export const SEARCH_CALL: Names<{ id: 1; name: 1 }> = { id: 1, name: 1 };

export const RENDER: Names<RenderOptions> = {
  budget: 1,
  format: 1,
  encoding: 1,
  model: 1,
  images: 1,
  costModel: 1,
  tools: 1,
  backfill: 1,
  signal: 1,
  token: 1,
  tracer: 1,
};

export const RENDER_REQUEST: Names<RenderRequestOptions> = {
  conversation: 1,
  budget: 1,
  format: 1,
  encoding: 1,
  model: 1,
  images: 1,
  costModel: 1,
  tools: 1,
  backfill: 1,
  signal: 1,
  token: 1,
  tracer: 1,
  llm: 1,
  drop: 1,
};

/** Props of an agent's prompt and of the history in it. */
export const AGENT_PROMPT: Names<Omit<AgentPromptProps, "children"> & { children: 1 }> = {
  system: 1,
  context: 1,
  conversation: 1,
  messages: 1,
  format: 1,
  resultShare: 1,
  cacheBreakpoint: 1,
  priority: 1,
  passPriority: 1,
  flexBasis: 1,
  flexGrow: 1,
  flexReserve: 1,
  children: 1,
};

export const TOKENIZER: Names<BuiltinTokenizerOptions<never>> = { mode: 1, encoding: 1, model: 1, costModel: 1 };
