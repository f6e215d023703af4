/**
 * The messages between page and search worker. Both sides call each other: the page calls methods of the index
 * (`call`), the worker asks for the host's callbacks (`ask`). Every call and every question has an id and gets one
 * answer; other answers are ignored.
 */

import type { EspalierError } from "../errors/errors.ts";
import type { IndexOptions, IndexProgress, IndexWarning } from "./types.ts";

/** Options that cross unchanged. */
export interface Crossing extends Pick<IndexOptions, "profile" | "encoding" | "maxChunkTokens" | "sliceMs"> {
  hasDefinitions: boolean;
  hasStorage: boolean;
  embeddings:
    | {
        model: string;
        batchSize?: number | undefined;
        concurrency?: number | undefined;
        timeoutMs?: number | undefined;
      }
    | undefined;
  vocabulary: Uint8Array | string;
}

/** An error as it crosses. `ask` is the question whose answer it was: the page has the original. */
export interface CrossedError {
  name: string;
  message: string;
  code?: string | undefined;
  path?: string | undefined;
  details?: unknown;
  ask?: number | undefined;
}

export type Method = "sync" | "put" | "refresh" | "remove" | "search" | "state" | "save" | "dispose";

export type ToSearchWorker =
  | { type: "open"; id: number; options: Crossing }
  /** `callbacks` are names of options that are functions. */
  | {
      type: "call";
      id: number;
      method: Method;
      args: unknown[];
      options: Record<string, unknown>;
      callbacks: string[];
    }
  | { type: "abort"; id: number }
  | { type: "answer"; id: number; value: unknown }
  | { type: "refuse"; id: number; error: CrossedError };

export type FromSearchWorker =
  | { type: "done"; id: number; value: unknown }
  | { type: "failed"; id: number; error: CrossedError }
  | { type: "progress"; id: number; progress: IndexProgress }
  | { type: "warning"; warning: IndexWarning }
  /** `call` is the call whose option is asked, 0 for those of the index. */
  | { type: "ask"; id: number; call: number; name: string; args: unknown[] }
  /** The answer is no longer awaited. */
  | { type: "drop"; id: number };

/** Max listed files of one answer. */
export const LISTED = 1_000;
/** Max files of one answer to `files`, and max characters of their texts, unless one file has more. */
export const PUT = 256;
export const PUT_LENGTH = 1 << 20;

export function crossed(error: unknown): CrossedError {
  const { name, message, code, path, details } = (
    typeof error === "object" && error !== null ? error : {}
  ) as Partial<EspalierError>;
  const plain: CrossedError = { name: String(name ?? "Error"), message: String(message ?? error) };
  if (typeof code === "string") plain.code = code;
  if (typeof path === "string") plain.path = path;
  try {
    if (details !== undefined) plain.details = JSON.parse(JSON.stringify(details));
  } catch {
    // Details of a host's error that are not plain data stay on its side.
  }
  return plain;
}
