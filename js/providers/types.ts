/** The contract of the providers: what is sent, what comes back, what is told on the way. */

import type { Format, ToolList } from "../types/messages.ts";
import type { Llm } from "../types/llm.ts";
import type { Usage } from "../types/cache.ts";
import type { RefusalRule } from "./refusals.ts";

export type { Usage } from "../types/cache.ts";

/**
 * A call the model made. `arguments` is the JSON text as the model wrote it; `input` is its value, or absent if it is
 * no JSON.
 */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
  input?: unknown;
}

/**
 * Why the model stopped: it was done; out of tokens; it calls tools; a filter of the provider cut in; it refused in
 * words; it waits to be asked again (long turns of server tools, a compaction made by the server); anything else.
 */
export type Finish = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "other";

/** Something odd about an answer that is usable all the same. */
export interface Warning {
  /** `usage_mismatch`, `usage_missing`, `bad_arguments`. */
  code: string;
  message: string;
}

/** What came back; the same whether it was streamed or not. */
export interface Answer {
  text: string;
  toolCalls: ToolCall[];
  /** What the model thought aloud, where the provider shows it. */
  reasoning?: string;
  finish: Finish;
  /** Absent if the provider reported nothing. */
  usage?: Usage;
  /**
   * What each pass took, where a server that manages the context made several (Anthropic's compaction). `usage` leaves
   * passes that only compacted out: it says how large the request was, these say what is charged.
   */
  passes?: Usage[];
  /**
   * The provider's own answer. That of a stream is put together from its events, in the shape of an answer that was not
   * streamed.
   */
  raw: unknown;
  /** The provider's id of this request: what its support asks for, and what belongs to a calibration point. */
  requestId?: string;
  /**
   * The answer as messages of the provider's format, to be appended to the conversation: signatures, compaction items
   * and whatever else must be sent back unchanged are in them.
   */
  messages: unknown[];
  warnings: Warning[];
}

/** A piece of a streamed answer. The last one is `done`. */
export type StreamPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "toolCall"; call: ToolCall }
  | { type: "done"; answer: Answer };

/** What hosts may want to log. Nothing in it is secret. */
export type ProviderEvent =
  /** The request is sent again after `delay` ms. `attempt` counts from 1. */
  | { type: "retry"; attempt: number; delay: number; code: string; status?: number }
  /** Something could not be said in this provider's format. `path` names it in the host's messages. */
  | { type: "lost"; what: string; path: string; why: string }
  | { type: "warning"; code: string; message: string };

/** A request as the provider takes it: what is sent as JSON. Fields that a host adds are sent as they are. */
export type ProviderRequest = Record<string, unknown>;

/** How a conversation is turned into a request. */
export interface RequestOptions {
  /** Tool definitions, in any format. Without it those of the request that was passed. */
  tools?: ToolList;
  /** Comes before every other system prompt. */
  system?: string;
  /**
   * Tokens the answer may have. Default: as the provider's options say, else the model's own limit; 4,096 for
   * Anthropic.
   */
  maxTokens?: number;
  /** From 0 to what the provider takes. Default: the provider's. */
  temperature?: number;
  /** The format of the messages; found out when absent. */
  format?: Format;
  /**
   * The host's settings for context that the server manages (context editing, compaction), sent through as they are.
   */
  contextManagement?: unknown;
  /** Further fields of the request, in the provider's words; they win over everything else. */
  extra?: ProviderRequest;
}

/** How one request is sent. */
export interface SendOptions {
  /** Aborting it ends the request, which then throws `aborted`. Default: nothing ends it. */
  signal?: AbortSignal;
  /** Asks for a stream. Default: true if there is an `onText` or `onPart`. */
  stream?: boolean;
  /** Called with each piece of the answer's text. Default: nobody listens. */
  onText?: (text: string) => void;
  /** Called with each part of the answer: text, thoughts, calls, the end. Default: nobody listens. */
  onPart?: (part: StreamPart) => void;
  /** Milliseconds for each attempt, from the request to the end of the answer. Default 600,000; 0 for no limit. */
  timeout?: number;
  /** Milliseconds of silence within a stream. Default 60,000; 0 for no limit. */
  idleTimeout?: number;
  /**
   * How often a request is sent again that was rate limited, met an overloaded server or did not get through. Default
   * 2.
   */
  retries?: number;
  /** Called with every attempt, retry and warning. Default: that of the provider. */
  onEvent?: (event: ProviderEvent) => void;
}

/** A model that can be asked. */
export interface Provider {
  /** As error details and events name it. */
  readonly name: string;
  /** The format of its messages. */
  readonly format: Format;
  readonly model: string;
  /**
   * Makes a request of a conversation in any format. Messages that are in this provider's format already are the
   * caller's own objects; others are converted, and what cannot be said in this format is told as a `lost` event.
   *
   * @throws EspalierError as reading a conversation does: `unknown_format`, `bad_message`, `bad_option`
   */
  toRequest(messages: unknown, options?: RequestOptions): ProviderRequest;
  /**
   * Sends a request and gives the answer.
   *
   * @throws EspalierError with one of the codes in {@link ProviderErrorCode} and {@link ProviderErrorDetails}
   */
  send(request: ProviderRequest, options?: SendOptions): Promise<Answer>;
  /** The answer piece by piece. Whoever stops reading closes the connection. */
  stream(request: ProviderRequest, options?: SendOptions): AsyncGenerator<StreamPart, void, void>;
  /** For `compact(messages, { llm: provider.llm })`. */
  readonly llm: Llm;
}

/**
 * What ends a request. Options and requests that make no sense are `bad_option` and `bad_input`, with the path of the
 * field.
 */
export type ProviderErrorCode =
  /** The request is larger than the model's window: `details.used`, `details.limit` where the provider says them. */
  | "context_length"
  /** Input and the tokens kept for the answer together are larger than the window; the input alone would fit. */
  | "output_reserve"
  /** Too many bytes: media should go first. */
  | "body_size"
  /** `details.retryAfter` in ms where the provider says it. Never a reason to shrink a request. */
  | "rate_limited"
  | "auth"
  | "overloaded"
  /** The provider's filter does not let the request pass. */
  | "content_filter"
  /** The provider does not understand the request; sending it again would not help. */
  | "bad_request"
  /** An answer that makes no sense: not JSON, not of this provider. */
  | "bad_response"
  | "timeout"
  | "network"
  | "aborted";

/** `details` of the errors of a provider. */
export interface ProviderErrorDetails {
  provider: string;
  model: string;
  /**
   * Finer than the code: `tokens`, `reserve`, `bytes`, `requests`, `quota`, `billing`, `idle`, `cut`, … Rules of the
   * host may name others.
   */
  kind?: string;
  /** HTTP status, where there was an answer. */
  status?: number;
  /** The provider's own code and type. */
  providerCode?: string;
  providerType?: string;
  requestId?: string;
  /** Tokens (bytes for `body_size`) of the request, by the provider's count. */
  used?: number;
  limit?: number;
  /** Tokens kept for the answer. */
  output?: number;
  /** Milliseconds. */
  retryAfter?: number;
  /** How often it was sent. */
  attempts: number;
  /** What had come of a streamed answer. */
  partialText?: string;
}

/** Time and chance, so that tests can hold both. Milliseconds. */
export interface Clock {
  now(): number;
  /** Runs `done` after `ms`; the function it gives calls that off. */
  after(ms: number, done: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

/** What all providers behind HTTP take. */
export interface HttpOptions {
  /** The model's name, as the provider calls it. */
  model: string;
  /** The key, or a function that gives it anew for every request. Never in an error, an event or a property. */
  apiKey?: string | (() => string | Promise<string>);
  /** Where the interface begins, version included: `http://localhost:11434/v1`. Default: the provider's own. */
  baseUrl?: string;
  /** Further headers; they win. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Tokens an answer may have if a request does not say. */
  maxTokens?: number;
  /** Rules for refusals this package does not know; they come first. */
  refusals?: readonly RefusalRule[];
  /** Milliseconds for each attempt, from the request to the end of the answer. Default 600,000; 0 for no limit. */
  timeout?: number;
  /** Milliseconds of silence within a stream. Default 60,000; 0 for no limit. */
  idleTimeout?: number;
  /**
   * How often a request is sent again that was rate limited, met an overloaded server or did not get through. Default
   * 2.
   */
  retries?: number;
  /**
   * Longest wait before a retry that a provider may ask for, in ms; beyond it the error is given at once. Default
   * 60,000.
   */
  maxRetryAfter?: number;
  /** Called with every attempt, retry and warning. Default: nobody listens. */
  onEvent?: (event: ProviderEvent) => void;
  /** Time and chance, for tests. Default: the system's. */
  clock?: Partial<Clock>;
}
