/** What page and worker say to each other. Every request has an id, every id gets exactly one answer. */

import type { EncodingName } from "../types/count.ts";

export type ToWorker =
  /** The first message: the vocabularies as they are kept. */
  | { type: "start"; vocabularies: [EncodingName, Uint8Array | string][] }
  | { type: "load"; id: number; name: EncodingName; bytes: Uint8Array }
  | { type: "count"; id: number; texts: readonly string[]; encoding: EncodingName }
  | { type: "cancel"; id: number };

export type FromWorker =
  | { type: "ready" }
  | { type: "counts"; id: number; counts: number[] }
  | { type: "failed"; id: number | undefined; code: string; message: string; path?: string | undefined };

/** Texts that are counted before the worker looks for a cancellation. */
export const TURN = 64;

/** The side of a worker that both browsers and Node have, in one shape. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}
