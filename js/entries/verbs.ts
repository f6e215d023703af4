/** The verbs of the root beside `render` and `renderRequest`, and the types of their options and results. */

export { countMessages } from "../calls/count.ts";
export { compact } from "../calls/compact.ts";
export { count } from "../tokens/count.ts";
export { prune } from "../calls/prune.ts";
export { summarize } from "../calls/summarize.ts";
export { signalFrom } from "../engine/cancellation.ts";
export type { CancellationTokenLike } from "../engine/cancellation.ts";
export { truncate } from "../results/truncate.ts";
export type { TruncateOptions, Truncated } from "../results/truncate.ts";
export { toolContent } from "../results/tool-content.ts";
export type { EarlierResult } from "../results/reduce.ts";
export type { ToolContent, ToolContentEvent, ToolContentOptions } from "../results/tool-content.ts";
export type { StoredResult, StoreResult } from "../results/storing.ts";
export { quality } from "../calls/quality.ts";
export { convert } from "../formats/convert.ts";
export type { ConversionLoss, Converted, ConvertOptions } from "../formats/convert.ts";
export { diagnose } from "../doctor/diagnose.ts";
export type { DiagnoseOptions, Diagnosis } from "../doctor/diagnose.ts";
export { mend } from "../doctor/mend.ts";
export type { Mended } from "../doctor/mend.ts";
export type { Repeat } from "../doctor/repeats.ts";
export { repair, validate } from "../validity/validity.ts";
export type { Conversation } from "../conversation/conversation.ts";
export { openConversation } from "../conversation/open.ts";
export type { AnyEvent, EventOf } from "../conversation/events.ts";
export type {
  AnthropicChatMessage,
  FormatMessages,
  GeminiTurn,
  MessageOf,
  OpenAIChatMessage,
} from "../formats/messages.ts";
export type * from "../conversation/types.ts";
export type { StoredSummary } from "../conversation/imported.ts";
export type { Flushed } from "../conversation/saving.ts";
export { EspalierError, isEspalierError } from "../errors/errors.ts";
export type {
  Contributor,
  ErrorCode,
  ErrorDetails,
  ErrorFields,
  ExceededDetails,
  FailedDetails,
  PinDetails,
  RefusedDetails,
} from "../errors/errors.ts";
export { initFrom, initSync, isReady, resetEngine } from "../engine/engine.ts";
export type { WasmBytes, WasmModule, WasmSource } from "../engine/engine.ts";
export { decode, encode } from "../tokens/texts.ts";
export type { TextOptions } from "../tokens/texts.ts";
export { Pruner } from "../calls/pruner.ts";
export { recallTool } from "../recall/tool.ts";
export type { RecallTool, RecallToolOptions } from "../recall/tool.ts";
export type { RecallDefinitions, RecallParameters } from "../recall/definitions.ts";
export { Recovery } from "../calls/recovery.ts";
export type {
  AnsweredRequest,
  NextStep,
  RefusedRequest,
  RefusalKind,
  SilentOverflow,
  Tries,
} from "../calls/recovery.ts";
export { request } from "../calls/request.ts";
export type { Attempt, RequestEvent, RequestOptions, RequestResult, Send, SendContext } from "../calls/request.ts";
export type * from "../types/index.ts";
export type { HostTokenizer } from "../tokens/host-tokenizer.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";
