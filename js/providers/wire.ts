/** The description of one provider's wire format; `http.ts` does the rest. */

import { errorIn, Failure } from "./failure.ts";
import type { ErrorBody } from "./failure.ts";
import type { ServerEvent } from "./sse.ts";
import type { Answer, Finish, ProviderRequest, StreamPart, AnswerToolCall, Warning } from "./types.ts";
import type { UsageFormat } from "./usage.ts";
import type { Conversation } from "../formats/request.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";

/** An answer, parsed from the provider's own. */
export interface Read {
  text: string;
  toolCalls: AnswerToolCall[];
  reasoning?: string;
  finish: Finish;
  /** The provider's record of usage, unparsed. */
  usage?: unknown;
  /** The provider's id of the answer, used as the request id if no header has one. */
  id?: string;
  messages: unknown[];
  warnings?: Warning[];
}

/** Text and thoughts as they arrive. Calls are reported when they are whole. */
export type Delta = Extract<StreamPart, { type: "text" | "reasoning" }>;

/** How far a stream is: the answer has begun, may end here, or has ended. */
export type Progress = "begun" | "enough" | "over";

/** Assembles the events of one stream. */
export interface Fold {
  /** @throws Failure for an event that is an error or invalid */
  push(event: ServerEvent): Delta[];
  readonly state: Progress;
  /** Returns the provider's answer, in the shape of an answer without a stream. */
  body(): unknown;
}

/** Makes the failure for an error within a stream. */
export type Refuse = (error: ErrorBody) => Failure;

/** A provider over HTTP: addresses, requests, answers. */
export interface Wire {
  name: string;
  format: UsageFormat;
  baseUrl: string;
  /** The path below the base URL. */
  path(model: string, stream: boolean): string;
  headers(key: string | undefined, request: ProviderRequest): Readonly<Record<string, string | undefined>>;
  /** Names of headers that are lists: those of the host are added to ours. */
  listHeaders?: readonly string[];
  write(conversation: Conversation): ProviderRequest;
  /** Returns the body: the request, and the fields that ask for a stream. */
  body(request: ProviderRequest, stream: boolean): ProviderRequest;
  /** @throws Failure `bad_response` if `body` is not an answer of this provider */
  read(body: unknown): Read;
  fold(refuse: Refuse): Fold;
  /** Fields of a request whose tools must not be called. */
  noTools?: ProviderRequest;
  /**
   * Learns from a refusal which field this server does not accept; returns a sentence if the request will now be sent
   * differently.
   */
  learn?(sentence: string, sent: ProviderRequest): string | undefined;
}

export const string = (value: unknown): string => (typeof value === "string" ? value : "");
/** Returns the objects in a list; ignores other items and other values. */
export const objects = (value: unknown): Fields[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isFields) : [];

/** Max length of a quotation from an unreadable answer, in UTF-16 units. */
const QUOTED = 200;

/** Makes the failure for an unreadable answer; quotes `text` after the reason. */
export function badAnswer(why: string, text?: string): Failure {
  return new Failure("bad_response", why, {}, { ...(text !== undefined && { quote: { text, max: QUOTED } }) });
}

/** The last parts of a request's answer: its texts if no stream had them, its calls, and the answer itself. */
export function* endOf(answer: Answer, streamed: boolean): Generator<StreamPart> {
  if (!streamed) {
    if (answer.reasoning) yield { type: "reasoning", text: answer.reasoning };
    if (answer.text) yield { type: "text", text: answer.text };
  }
  for (const call of answer.toolCalls) yield { type: "toolCall", call };
  yield { type: "done", answer };
}

/** Makes a call, with its arguments parsed if possible. */
export function toolCall(id: string, name: string, args: string, warnings: Warning[]): AnswerToolCall {
  // Empty arguments mean an empty object.
  if (args.trim() === "") return { id, name, arguments: args, input: {} };
  try {
    return { id, name, arguments: args, input: JSON.parse(args) as unknown };
  } catch {
    warnings.push({ code: "bad_arguments", message: `the arguments of the call ${id} (${name}) are not JSON` });
    return { id, name, arguments: args };
  }
}

/** Returns the place of a stream's piece. Some servers leave the index out, and a hostile one could name any number. */
export function place(index: unknown, length: number, most = 4_096): number {
  if (typeof index !== "number") return length;
  if (!Number.isInteger(index) || index < 0 || index > most) throw badAnswer(`the stream names the part ${index}`);
  return index;
}

/** Parses an event to an object. Throws an error that it contains. */
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
