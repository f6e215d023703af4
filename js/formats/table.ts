/** The table of formats: a new one gets a folder, and a line here. */

import type { Format } from "../types/messages.ts";
import type { Adapter, Rules } from "./adapter.ts";
import { aiSdk } from "./ai-sdk/index.ts";
import { anthropic } from "./anthropic/index.ts";
import { gemini } from "./gemini/index.ts";
import { langchain } from "./langchain/index.ts";
import { neutral } from "./neutral/index.ts";
import { openaiChat, openaiResponses } from "./openai/index.ts";
import { openaiAgents } from "./openai-agents/index.ts";
import { raw } from "./raw/index.ts";
import { vscode } from "./vscode/index.ts";

/** Every format except the neutral one, which needs no adapter. */
export const ADAPTERS: Record<Exclude<Format, "espalier">, Adapter<never>> = {
  "openai-chat": openaiChat as Adapter<never>,
  "openai-responses": openaiResponses as Adapter<never>,
  anthropic: anthropic as Adapter<never>,
  gemini: gemini as Adapter<never>,
  vscode: vscode as Adapter<never>,
  "ai-sdk": aiSdk as Adapter<never>,
  raw: raw as Adapter<never>,
  langchain: langchain as Adapter<never>,
  "openai-agents": openaiAgents as Adapter<never>,
};

/** The rules of every format. */
export const RULES: Record<Format, Rules<never>> = { ...ADAPTERS, espalier: neutral as Rules<never> };

/** Names of the formats, in the order of documentation and errors. */
export const FORMATS: readonly string[] = Object.keys(RULES);
