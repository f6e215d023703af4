/** What one provider's wire format has to know; `http.ts` does the rest. */

import type { Format } from "../types/messages.ts";
import { errorIn, Failure } from "./failure.ts";
import type { ErrorBody } from "./failure.ts";
import type { ServerEvent } from "./sse.ts";
import type { Finish, ProviderRequest, StreamPart, ToolCall, Warning } from "./types.ts";
import type { UsageFormat } from "./usage.ts";

export type Fields = Record<string, unknown>;

/** An answer as read from the provider's own. */
export interface Read {
  text: string;
  toolCalls: ToolCall[];
  reasoning?: string;
  finish: Finish;
  /** The provider's record of usage, unread. */
  usage?: unknown;
  /** The provider's id of the answer: stands in for the request id where no header has one. */
  id?: string;
  messages: unknown[];
  warnings?: Warning[];
}

/** Text and thoughts as they come. Calls are told when they are whole. */
export type Delta = Extract<StreamPart, { type: "text" | "reasoning" }>;

/** How far a stream is: the answer has begun, could end here, has ended. */
export type Progress = "begun" | "enough" | "over";

/** Puts the events of one stream together. */
export interface Fold {
  /** @throws Failure for an event that is an error, or makes no sense */
  push(event: ServerEvent): Delta[];
  readonly state: Progress;
  /** The provider's answer, as it would have been without a stream. */
  body(): unknown;
}

/** Makes the failure of an error that came within a stream. */
export type Refuse = (error: ErrorBody) => Failure;

/** A provider behind HTTP: where requests go, what is in them, what comes back. */
export interface Wire {
  name: string;
  format: Format;
  usage: UsageFormat;
  baseUrl: string;
  /** Below the base URL. */
  path(model: string, stream: boolean): string;
  headers(key: string | undefined, request: ProviderRequest): Readonly<Record<string, string | undefined>>;
  /** What is sent: the request, and what asks for a stream. */
  body(request: ProviderRequest, stream: boolean): ProviderRequest;
  /** @throws Failure `bad_response` if it is no answer of this provider */
  read(body: unknown): Read;
  fold(refuse: Refuse): Fold;
  /** Fields of a request with tools none of which may be called. */
  noTools?: ProviderRequest;
  /** Learns from a refusal what this server does not take, and says so: the same request is now sent in another way. */
  learn?(sentence: string, sent: ProviderRequest): string | undefined;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const string = (value: unknown): string => (typeof value === "string" ? value : "");
/** The objects in a list, whatever else is in it or if it is none. */
export const objects = (value: unknown): Fields[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isFields) : [];

/** Longest quotation of an answer that cannot be read, in UTF-16 units. */
const QUOTED = 200;

/** The failure that an answer is which cannot be read; `text` of it is shown behind the reason. */
export function badAnswer(why: string, text?: string): Failure {
  return new Failure("bad_response", why, {}, { ...(text !== undefined && { quote: { text, max: QUOTED } }) });
}

/** A call, its arguments read if that can be done. */
export function toolCall(id: string, name: string, args: string, warnings: Warning[]): ToolCall {
  // A call without arguments has none of them.
  if (args.trim() === "") return { id, name, arguments: args, input: {} };
  try {
    return { id, name, arguments: args, input: JSON.parse(args) as unknown };
  } catch {
    warnings.push({ code: "bad_arguments", message: `the arguments of the call ${id} (${name}) are not JSON` });
    return { id, name, arguments: args };
  }
}

/**
 * An index in a stream says where a piece belongs. Some servers leave it out, and a hostile one could name any number.
 */
export function place(index: unknown, length: number, most = 4_096): number {
  if (typeof index !== "number") return length;
  if (!Number.isInteger(index) || index < 0 || index > most) throw badAnswer(`the stream names the part ${index}`);
  return index;
}

/** The object that an event is. An error in it is thrown. */
export function eventFields({ data }: ServerEvent, refuse: Refuse): Fields {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw badAnswer(`an event of the stream is not JSON: `, data);
  }
  const error = isFields(value) && !value["error"] ? undefined : errorIn(value);
  if (error) throw refuse(error);
  if (!isFields(value)) throw badAnswer(`an event of the stream is no object: `, data);
  return value;
}
