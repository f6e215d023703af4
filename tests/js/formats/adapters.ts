/** Readers of the formats of providers and SDKs, by name. */

import { aiSdk } from "../../../js/formats/ai-sdk/index.ts";
import { anthropic } from "../../../js/formats/anthropic/index.ts";
import { gemini } from "../../../js/formats/gemini/index.ts";
import { langchain } from "../../../js/formats/langchain/index.ts";
import { openaiAgents } from "../../../js/formats/openai-agents/index.ts";
import { openaiChat, openaiResponses } from "../../../js/formats/openai/index.ts";
import { vscode } from "../../../js/formats/vscode/index.ts";

export const ADAPTERS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  vscode,
  "ai-sdk": aiSdk,
  langchain,
  "openai-agents": openaiAgents,
};
