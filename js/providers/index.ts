/**
 * `espalier/providers`: sends the messages of `prune` and `compact` to models, without an SDK.
 *
 * In: options of a provider; a conversation or a request. Out: a `Provider`, its answers and errors.
 * Start: `provider.ts`, then `http.ts`; each provider's own file has its wire format.
 */

export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { openai } from "./openai-chat.ts";
export { openaiResponses } from "./openai-responses.ts";
export { anthropic } from "./anthropic.ts";
export { gemini } from "./gemini.ts";
export { vscode } from "./vscode.ts";
export type { VscodeApi, VscodeModel, VscodeOptions } from "./vscode.ts";
export { aiSdk, generator } from "./ai-sdk.ts";
export type { AiSdkModel, AiSdkOptions, GenerateRequest, GeneratorOptions } from "./ai-sdk.ts";
export { classify, REFUSALS } from "./refusals.ts";
export type { Refusal, RefusalRule, Refused } from "./refusals.ts";
export { usageFrom } from "./usage.ts";
export type { Reported, UsageFormat } from "./usage.ts";
export { EventStream } from "./sse.ts";
export type { ServerEvent } from "./sse.ts";
export type {
  Answer,
  Clock,
  Finish,
  HttpOptions,
  Provider,
  ProviderErrorCode,
  ProviderErrorDetails,
  ProviderEvent,
  ProviderRequest,
  ToRequestOptions,
  SendOptions,
  StreamPart,
  AnswerToolCall,
  Usage,
  Warning,
} from "./types.ts";
