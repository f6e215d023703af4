/** The messages between page and worker. Every request has an id, and every id gets exactly one answer. */

import type { EncodingName } from "../types/count.ts";
import type { EncodingChoice } from "./count.ts";

export type ToWorker =
  /** The first message: the vocabularies in their stored form. */
  | { type: "start"; vocabularies: [EncodingName, Uint8Array | string][] }
  | { type: "count"; id: number; texts: readonly string[]; choice: EncodingChoice }
  | { type: "cancel"; id: number };

export type FromWorker =
  | { type: "ready" }
  | { type: "counts"; id: number; counts: number[] }
  | { type: "failed"; id: number | undefined; code: string; message: string; path?: string | undefined };

/** Number of texts that the worker counts before it checks for a cancellation. */
export const TURN = 64;

/** The worker's side of the channel, in one shape for browsers and Node. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}
