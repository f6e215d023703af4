/** The host's model: what it is asked, and what it answers. */

import type { Format } from "./messages.ts";

/**
 * How the history is put to the model: `fork`, the running request as it is and one more message (a warm cache pays for
 * most of it); `full`, the covered messages as messages between instructions; `simple`, the history as text in one
 * message.
 */
export type LlmShape = "fork" | "full" | "simple";

/** What the host's model is asked. Whatever it answers, no tool may run. */
export interface LlmRequest {
  /** What the request is for, as services that sort requests by purpose name it. */
  tag: "conversation-compaction";
  /** Counts up within one compaction. */
  id: number;
  /**
   * `verify`: the first summary has gaps, which the last message names, and a better one is wanted. `handoff`: see
   * {@link summarize}.
   */
  purpose: "summary" | "verify" | "handoff";
  shape: LlmShape;
  /**
   * The format of `messages`: that of the conversation, where messages that did not change are the host's own objects;
   * of a `simple` request `openai-chat`.
   */
  format: Format;
  /** What is sent, in order, instructions included. */
  messages: any[];
  /** Of a fork, where the host passed a request: that request with `messages` in it. */
  request?: Record<string, unknown>;
  /**
   * The definitions of the host, where the messages have calls in them. They explain the calls; `params.toolChoice`
   * forbids new ones.
   */
  tools?: readonly unknown[];
  /** Settings of the request; what is absent is as in the running request. */
  params: { maxTokens?: number; temperature?: number; toolChoice?: "none" };
  /** The instructions by themselves; empty for a fork. */
  system: string;
  /** The last message by itself. Of a `simple` request, all there is beside the instructions. */
  prompt: string;
  /** Tokens the answer may have; absent for a fork. */
  maxTokens?: number;
  temperature?: number;
  /** Tokens of the whole request, counted. */
  promptTokens: number;
  signal: AbortSignal;
  /** What the host called this compaction. */
  jobId?: string;
}

export interface LlmReply {
  /** `null`, as SDKs have it for an answer without text, is an empty answer. */
  text: string | null;
  /** As the provider reported it. */
  usage?: object | null | undefined;
  finishReason?: string | null | undefined;
  /** What the provider calls the request, for its support, and what a service in front of it does. */
  requestId?: string;
  serviceRequestId?: string;
}

/** Supplied by the host: sends the request to a model and gives back its text. */
export type Llm = (request: LlmRequest, context: { signal: AbortSignal }) => Promise<LlmReply | string>;

/** What of the covered messages a model was not shown, pictures and thoughts aside. */
export interface Reduced {
  tokens: number;
  /** Results that were shortened, and results that were only named. */
  shortened: number;
  leftOut: number;
  /** Calls whose arguments were shortened. */
  arguments: number;
  /** Messages that were not even named. */
  messages: number;
}
