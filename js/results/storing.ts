/** Stores whole results through the host. */
import { onAbort } from "../errors/abortable.ts";
import { badOption } from "../errors/errors.ts";
import { contentVersion } from "../files/hash.ts";

/** Maximum length of a place, as of a path on Linux: it becomes part of the text for the model. */
const LONGEST = 4_096;

/** A result for the host to store. */
export interface StoredResult {
  /** Suggested name, the same for the same content: `read_file-1f3a….json`. */
  name: string;
  content: string;
  /** `json`, `jsonl` or `txt`. */
  kind: "json" | "jsonl" | "txt";
  /** The schema for a file beside it, if the content is JSON. */
  schema?: string;
  tool?: string;
  signal: AbortSignal;
}

/**
 * Stores a result and returns its place: a path or handle, and the place of the schema if it was stored too. Storing
 * the same name twice may do nothing.
 */
export type StoreResult = (
  result: StoredResult,
) => Promise<string | { path: string; schemaPath?: string }> | string | { path: string; schemaPath?: string };

/**
 * Returns the places of a host's answer.
 *
 * @throws EspalierError `bad_option`
 */
export function storedAt(answer: Awaited<ReturnType<StoreResult>>): { path: string; schemaPath?: string } {
  const stored = typeof answer === "string" ? { path: answer } : answer;
  const isPlace = (path: unknown) => typeof path === "string" && path !== "" && path.length <= LONGEST;
  if (isPlace(stored?.path) && isPlace(stored.schemaPath ?? stored.path)) return stored;
  throw badOption("store", `a function that returns a path of 1 to ${LONGEST} characters`, answer);
}

/** Returns the content to store: the unchanged bytes, but indented JSON for Copilot Chat. */
export function readable(text: string, indent: boolean): { kind: StoredResult["kind"]; content: string } {
  const value = parsed(text);
  if (value !== undefined) return { kind: "json", content: indent ? JSON.stringify(value.json, undefined, 2) : text };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // Checks the first line before parsing all of them.
  if (!indent && lines.length > 1 && /^\s*[[{]/.test(lines[0]!) && lines.every(parsed))
    return { kind: "jsonl", content: text };
  return { kind: "txt", content: text };
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Returns a name for storing a result, the same for the same content. */
export async function contentName(
  tool: string | undefined,
  content: string,
  kind: StoredResult["kind"],
): Promise<string> {
  return `${(tool ?? "result").replace(/[^\w.-]/g, "_").slice(0, 60)}-${await digest(content)}.${kind}`;
}

/**
 * Returns a name for a content: the first half of its SHA-256; in browsers that withhold it from the page, a weaker
 * hash with the content's length.
 */
async function digest(content: string): Promise<string> {
  const subtle = globalThis.crypto?.subtle;
  if (subtle) {
    const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(content)));
    return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return `${contentVersion(content)}-${content.length}`;
}

/** Thrown when a store did not answer in time. */
export class Late extends Error {}

/** Runs `work` with a timeout that aborts its signal. */
export async function withTimeout<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unheard = onAbort(signal, () => stop.abort(signal!.reason));
  try {
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => stop.abort(new Late(`the store did not answer within ${milliseconds} ms`)),
        milliseconds,
      );
      stop.signal.addEventListener("abort", () => reject(stop.signal.reason as Error), { once: true });
    });
    return await Promise.race([Promise.resolve(work(stop.signal)), ended]);
  } finally {
    clearTimeout(timer);
    unheard();
  }
}
