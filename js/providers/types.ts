/** The contract of the providers: requests, answers, events. */

import type { Format, ToolList } from "../types/messages.ts";
import type { Llm } from "../types/llm.ts";
import type { Usage } from "../types/cache.ts";
import type { RefusalRule } from "./refusal-rules.ts";

export type { Usage } from "../types/cache.ts";

/**
 * A call of the model. `arguments` is the JSON text as the model wrote it; `input` is its value, absent if the text is
 * not JSON.
 */
export interface AnswerToolCall {
  id: string;
  name: string;
  arguments: string;
  input?: unknown;
}

/**
 * Why the model stopped: it was done; it ran out of tokens; it calls tools; the provider's filter stopped it; it
 * refused in words; it waits to be asked again (long turns of server tools, a compaction by the server); any other
 * reason.
 */
export type Finish = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "other";

/** An anomaly in an answer that is still usable. */
export interface Warning {
  /** `usage_mismatch`, `usage_missing`, `bad_arguments`. */
  code: string;
  message: string;
}

/** The answer; the same whether it was streamed or not. */
export interface Answer {
  text: string;
  toolCalls: AnswerToolCall[];
  /** The model's visible thoughts, if the provider shows them. */
  reasoning?: string;
  finish: Finish;
  /** Absent if the provider reported nothing. */
  usage?: Usage;
  /**
   * The usage of each pass, if a server that manages the context made several (Anthropic's compaction). `usage` leaves
   * out passes that only compacted: it is the size of the request, while these are charged.
   */
  passes?: Usage[];
  /**
   * The provider's own answer. The answer of a stream is assembled from its events, in the shape of an answer without a
   * stream.
   */
  raw: unknown;
  /** The provider's id of this request, for the provider's support and for calibration points. */
  requestId?: string;
  /**
   * The answer as messages of the provider's format, to append to the conversation. They contain signatures, compaction
   * items and everything else that must be sent back unchanged.
   */
  messages: unknown[];
  warnings: Warning[];
}

/** A piece of a streamed answer. The last one is `done`. */
export type StreamPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "toolCall"; call: AnswerToolCall }
  | { type: "done"; answer: Answer };

/** Events that hosts may want to log. They contain no secrets. */
export type ProviderEvent =
  /** The request is sent again after `delayMs`. `attempt` counts from 1. */
  | { type: "retry"; attempt: number; delayMs: number; code: string; status?: number }
  /** This provider's format cannot express something. `path` is its path in the host's messages. */
  | { type: "lost"; what: string; path: string; why: string }
  | { type: "warning"; code: string; message: string };

/** A request as the provider takes it, to be sent as JSON. Fields that a host adds are sent unchanged. */
export type ProviderRequest = Record<string, unknown>;

/** How to convert a conversation to a request. */
export interface ToRequestOptions {
  /** Tool definitions, in any format. Default: those of the request that was passed. */
  tools?: ToolList;
  /** Comes before every other system prompt. */
  system?: string;
  /** Max tokens of the answer. Default: the provider's options, else the model's own limit; 4,096 for Anthropic. */
  maxTokens?: number;
  /** From 0 to the provider's maximum. Default: the provider's. */
  temperature?: number;
  /** The format of the messages. Default: detected. */
  format?: Format;
  /** The host's settings for server-managed context (context editing, compaction), sent unchanged. */
  contextManagement?: unknown;
  /** Further fields of the request, with the provider's names; they win over everything else. */
  extra?: ProviderRequest;
}

/** How to send one request. */
export interface SendOptions {
  /** Aborting it ends the request, which then throws `aborted`. Default: none. */
  signal?: AbortSignal;
  /** Asks for a stream. Default: true if there is an `onText` or `onPart`. */
  stream?: boolean;
  /** Called with each piece of the answer's text. Default: none. */
  onText?: (text: string) => void;
  /** Called with each part of the answer: text, thoughts, calls, the end. Default: none. */
  onPart?: (part: StreamPart) => void;
  /** Max milliseconds of each attempt, from the request to the end of the answer. Default 600,000; 0 for no limit. */
  timeoutMs?: number;
  /** Max milliseconds of silence within a stream. Default 60,000; 0 for no limit. */
  idleTimeoutMs?: number;
  /** Max retries of a request that was rate limited, reached an overloaded server or had no connection. Default 2. */
  retries?: number;
  /** Called with every attempt, retry and warning. Default: the provider's. */
  onEvent?: (event: ProviderEvent) => void;
}

/** A model that answers requests. */
export interface Provider {
  /** The name in error details and events. */
  readonly name: string;
  /** The format of its messages. */
  readonly format: Format;
  readonly model: string;
  /**
   * Converts a conversation in any format to a request. Messages in this provider's own format stay the caller's
   * objects; others are converted, and content that this format cannot express is reported as a `lost` event.
   *
   * @throws EspalierError as reading a conversation does: `unknown_format`, `bad_message`, `bad_option`
   */
  toRequest(messages: unknown, options?: ToRequestOptions): ProviderRequest;
  /**
   * Sends a request and returns the answer.
   *
   * @throws EspalierError with one of the codes in {@link ProviderErrorCode} and {@link ProviderErrorDetails}
   */
  send(request: ProviderRequest, options?: SendOptions): Promise<Answer>;
  /** Sends a request and yields the answer piece by piece. Leaving the loop early closes the connection. */
  stream(request: ProviderRequest, options?: SendOptions): AsyncGenerator<StreamPart, void, void>;
  /** For `compact(messages, { llm: provider.llm })`. */
  readonly llm: Llm;
}

/**
 * Why a request failed. Invalid options and requests throw `bad_option` and `bad_input` instead, with the path of the
 * field.
 */
export type ProviderErrorCode =
  /**
   * The request is larger than the model's window. `details.used` and `details.limit` are set if the provider reports
   * them.
   */
  | "context_length"
  /** Input and the tokens reserved for the answer together exceed the window; the input alone would fit. */
  | "output_reserve"
  /** Too many bytes: remove media first. */
  | "body_size"
  /** `details.retryAfterMs` is present if the provider reports it. Never a reason to shrink a request. */
  | "rate_limited"
  | "auth"
  | "overloaded"
  /** The provider's filter rejected the request. */
  | "content_filter"
  /** The provider does not understand the request; sending it again would not help. */
  | "bad_request"
  /** An invalid answer: not JSON, or not of this provider. */
  | "bad_response"
  | "timeout"
  | "network"
  | "aborted";

/** `details` of a provider's errors. */
export interface ProviderErrorDetails {
  provider: string;
  model: string;
  /**
   * Finer than the code: `tokens`, `reserve`, `bytes`, `requests`, `quota`, `billing`, `idle`, `cut`, … Rules of the
   * host may name others.
   */
  kind?: string;
  /** HTTP status, if there was an answer. */
  status?: number;
  /** The provider's own code and type. */
  providerCode?: string;
  providerType?: string;
  requestId?: string;
  /** Tokens (bytes for `body_size`) of the request, by the provider's count. */
  used?: number;
  limit?: number;
  /** Tokens reserved for the answer. */
  output?: number;
  /** Input and output, if the provider named only their sum. `limit` is then for both. */
  total?: number;
  /** Milliseconds. */
  retryAfterMs?: number;
  /** How often the request was sent. */
  attempts: number;
  /** The received part of a streamed answer. */
  partialText?: string;
}

/** Clock and random numbers, replaceable in tests. Milliseconds. */
export interface Clock {
  now(): number;
  /** Runs `done` after `ms`; the returned function cancels that. */
  after(ms: number, done: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

/** Options of all providers over HTTP. */
export interface HttpOptions {
  /** The provider's name of the model. */
  model: string;
  /** The key, or a function that returns it for every request. It never appears in an error, an event or a property. */
  apiKey?: string | (() => string | Promise<string>);
  /** The base address, version included: `http://localhost:11434/v1`. Default: the provider's own. */
  baseUrl?: string;
  /** Further headers; they win over the provider's. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Max tokens of an answer if the request sets no limit. */
  maxTokens?: number;
  /** Rules for refusals that this package does not know; they are tried first. */
  refusals?: readonly RefusalRule[];
  /** Max milliseconds of each attempt, from the request to the end of the answer. Default 600,000; 0 for no limit. */
  timeoutMs?: number;
  /** Max milliseconds of silence within a stream. Default 60,000; 0 for no limit. */
  idleTimeoutMs?: number;
  /** Max retries of a request that was rate limited, reached an overloaded server or had no connection. Default 2. */
  retries?: number;
  /**
   * Max wait before a retry that a provider may ask for, in ms; for a longer one the error is thrown at once. Default
   * 60,000.
   */
  maxRetryAfterMs?: number;
  /** Called with every attempt, retry and warning. Default: none. */
  onEvent?: (event: ProviderEvent) => void;
  /** Clock and random numbers, for tests. Default: the system's. */
  clock?: Partial<Clock>;
}
