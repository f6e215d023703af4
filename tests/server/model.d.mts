/** Types of the scripted model, for tests in TypeScript. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";

type Fields = Record<string, unknown>;

export interface Exchange {
  wire: Wire;
  request: IncomingMessage;
  response: ServerResponse;
  body: Fields;
  isStream: boolean;
}
export type Behaviour = (exchange: Exchange) => unknown;

export interface What {
  text?: string;
  refusal?: string;
  reasoning?: string;
  calls?: { id?: string; name: string; input: unknown }[];
  finish?: string;
  usage?: { input: number; cacheRead?: number; cacheWrite?: number; output: number; reasoning?: number } | undefined;
  compaction?: string;
  blocked?: string;
  /** The number in the ids of the answer and its items, by which clients tell answers. Default 1. */
  number?: number;
}
export interface How {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  chunks?: number[];
  delay?: number;
  cutAfter?: number;
  hangAfter?: number;
  end?: "quiet";
}
export interface RefusalError {
  status?: number;
  message: string;
  type?: string;
  code?: string | null;
  param?: string | null;
  details?: unknown;
  headers?: Record<string, string>;
}

export interface Wire {
  name: string;
  body(what: Required<Pick<What, "text" | "calls">> & What): Fields;
  events(what: Required<Pick<What, "text" | "calls">> & What, request: Fields): string[];
  error(error: RefusalError): Fields;
  check(body: Fields, headers: IncomingHttpHeaders): (RefusalError & { status: number }) | undefined;
}

export declare const WIRES: Record<"openai-chat" | "openai-responses" | "anthropic" | "gemini", Wire>;
export declare const SUMMARY: string;
export declare const BEHAVIOURS: Record<string, Behaviour>;
export declare function answer(what?: What, how?: How): Behaviour;
export declare function raw(texts: string | string[], how?: How): Behaviour;
export declare function refuse(error: RefusalError): Behaviour;
export declare function failWithin(error: RefusalError, what?: What): Behaviour;
export declare function hang(): Behaviour;
export declare function reset(): Behaviour;

export interface Seen {
  at: number;
  url: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Fields;
  text: string;
  /** The answer is over: it was whole, or its connection is closed. */
  closed: boolean;
  refused?: string;
}
export interface ModelServer {
  url: string;
  seen: Seen[];
  readonly sockets: number;
  script(next: string | Behaviour): void;
  queue(...next: (string | Behaviour)[]): void;
  clear(): void;
  close(): Promise<void>;
}
export declare function modelServer(options?: { strict?: boolean; key?: string; cors?: boolean }): Promise<ModelServer>;
