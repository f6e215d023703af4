/** The host's model: what it is asked, and what it answers. */

import type { LlmShape } from "./generated/compact.ts";
import type { Format } from "./messages.ts";

export type { LlmShape, Reduced } from "./generated/compact.ts";

/** A request for the host's model. Whatever the answer, no tool may run. */
export interface LlmRequest {
  /** The purpose of the request, for services that sort requests by purpose. */
  tag: "conversation-compaction";
  /** Number of the request within one compaction, ascending. */
  id: number;
  /**
   * `verify`: the first summary has gaps, which the last message names, and the model should write a better one.
   * `handoff`: see {@link summarize}.
   */
  purpose: "summary" | "verify" | "handoff";
  shape: LlmShape;
  /**
   * The format of `messages`: that of the conversation, whose unchanged messages are the host's own objects. For
   * neutral messages, which no model takes, a `simple` request has `openai-chat`.
   */
  format: Format;
  /** The messages to send, in order, instructions included. */
  messages: any[];
  /** For a fork, if the host passed a request: that request with these `messages`. */
  request?: Record<string, unknown>;
  /**
   * The host's definitions, if the messages contain calls. They explain the calls; `params.toolChoice` forbids new
   * ones.
   */
  tools?: readonly unknown[];
  /** Settings of the request; an absent one is that of the running request. */
  params: { maxTokens?: number; temperature?: number; toolChoice?: "none" };
  /** The instructions alone; empty for a fork. */
  system: string;
  /** The last message alone. For a `simple` request, everything except the instructions. */
  prompt: string;
  /** Max tokens of the answer; absent for a fork. */
  maxTokens?: number;
  temperature?: number;
  /** Tokens of the whole request, counted. */
  promptTokens: number;
  signal: AbortSignal;
  /** The host's name for this compaction. */
  jobId?: string;
}

export interface LlmReply {
  /** `null` is an empty answer, as SDKs return it for an answer without text. */
  text: string | null;
  /** Usage as the provider reported it. */
  usage?: object | null | undefined;
  finishReason?: string | null | undefined;
  /** The provider's id of the request, for its support. `serviceRequestId` is that of a service before it. */
  requestId?: string;
  serviceRequestId?: string;
}

/** Sends the request to a model and returns the text of its answer. The host supplies it. */
export type Llm = (request: LlmRequest, context: { signal: AbortSignal }) => Promise<LlmReply | string>;
