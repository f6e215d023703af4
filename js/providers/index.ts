/**
 * `espalier/providers`: sends the messages of `prune` and `compact` to models, without an SDK.
 *
 * In: options of a provider; a conversation or a request. Out: a `Provider`, its answers and errors.
 * Start: `provider.ts`, then `http.ts`; `models.ts` lists the providers, whose wire formats are in `js/formats`.
 */

export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { anthropic, gemini, openai, openaiResponses } from "./models.ts";
export { vscode } from "./vscode.ts";
export type { VscodeApi, VscodeModel, VscodeOptions } from "./vscode.ts";
export { aiSdk, generator } from "./ai-sdk.ts";
export type { AiSdkModel, AiSdkOptions, GenerateRequest, GeneratorOptions } from "./ai-sdk.ts";
export { serverWindow } from "./server-window.ts";
export type { ServerWindow, ServerWindowOptions } from "./server-window.ts";
export { REFUSALS } from "./refusal-rules.ts";
export type { RefusalRule } from "./refusal-rules.ts";
export { classify } from "./refusals.ts";
export type { Refusal, Refused } from "./refusals.ts";
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
