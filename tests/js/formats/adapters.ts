/** Readers of the formats that providers and SDKs have, by name. */

import { aiSdk } from "../../../js/formats/ai-sdk/read.ts";
import { anthropic } from "../../../js/formats/anthropic/read.ts";
import { gemini } from "../../../js/formats/gemini/read.ts";
import { openaiChat } from "../../../js/formats/openai/read-chat.ts";
import { openaiResponses } from "../../../js/formats/openai/read-responses.ts";
import { vscode } from "../../../js/formats/vscode/read.ts";

export const ADAPTERS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  vscode,
  "ai-sdk": aiSdk,
};
