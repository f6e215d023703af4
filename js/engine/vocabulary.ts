/**
 * Vocabularies: one file for each encoding, loaded when first needed and shared by all importers of the package.
 *
 * The bytes are kept in their compressed form (deflated, 0.7 MB for o200k_base), because a crashing instance loses its
 * tables.
 */

import { isBuffer, isBytes, isResponse } from "../files/bytes.ts";
import { bodyOf, fetched } from "./fetched.ts";
import { call, canStart, containing, onFreshInstance, ready, wasm } from "./engine.ts";
import type { Wasm } from "./engine.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import type { EncodingName } from "../types/count.ts";

/** Encodings that have a file in the package. */
const FILES: ReadonlySet<string> = new Set(["o200k_base", "cl100k_base"]);
const kept = new Map<EncodingName, Uint8Array>();
type Downloads = Map<string, Promise<Uint8Array | ArrayBuffer>>;
/** Downloads that run or whose bytes are not loaded yet, by encoding and address. */
const downloads: Downloads = new Map();
/** Where the entries of one page, which have an engine each and share no module, find each other's downloads. */
const DOWNLOADS = Symbol.for("espalier.downloads");
const pageDownloads = (): Downloads => ((globalThis as { [DOWNLOADS]?: Downloads })[DOWNLOADS] ??= new Map());
let locator: ((name: EncodingName) => URL) | undefined;
let reader: ((name: EncodingName) => Uint8Array) | undefined;
/** Vocabularies that an entry contains. */
const inside = new Map<EncodingName, () => Uint8Array>();

onFreshInstance((instance: Wasm) => {
  for (const [name, bytes] of kept) instance.loadEncoding(name, bytes);
});

/** Lets an entry read vocabularies on first use (Node). */
export function setVocabularyReader(read: (name: EncodingName) => Uint8Array): void {
  reader = read;
}

/** Lets an entry that contains a vocabulary load it on first use. */
export function provideVocabulary(name: EncodingName, bytes: () => Uint8Array): void {
  inside.set(name, bytes);
}

/** Returns true if texts can be counted in this encoding without loading anything. */
export function hasEncoding(name: EncodingName): boolean {
  return kept.has(name);
}

/**
 * Loads an encoding from the bytes of its file (`espalier/vocab/o200k_base.vocab`).
 *
 * @throws EspalierError `bad_vocabulary` if the file is truncated, corrupt or of another encoding; a vocabulary that
 *   was loaded before stays
 */
export function loadEncodingSync(name: EncodingName, bytes: Uint8Array): void {
  needName(name);
  if (!isBytes(bytes)) throw badOption("", "the bytes of a vocabulary", bytes, "bytes");
  call(() => wasm().loadEncoding(name, bytes));
  kept.set(name, bytes);
}

/**
 * Loads an encoding from bytes, a URL or a response. After a failure it can be retried; nothing half-loaded stays.
 *
 * @throws EspalierError `vocab_not_found`, `bad_vocabulary`, `unknown_encoding`
 */
export async function loadEncoding(
  name: EncodingName,
  source: Uint8Array | ArrayBuffer | Response | URL | string,
): Promise<void> {
  if (!canStart()) await ready();
  needName(name);
  if (kept.has(name)) return;
  let from: unknown = source;
  if (typeof from === "string" || from instanceof URL) {
    const address = from;
    from = await shared(name, address).finally(() => forget(`${name} ${address}`));
  }
  if (isResponse(from)) from = await bytesOf(name, from);
  // Another call may have loaded it in the meantime.
  if (kept.has(name)) return;
  if (isBuffer(from)) from = new Uint8Array(from);
  if (!isBytes(from)) {
    const message =
      from === undefined
        ? `loadEncoding("${name}", source) needs the bytes, a Response or the URL of the vocabulary. ` +
          `Import "${containing(name)}" instead, which contains it.`
        : "A vocabulary must be bytes, a Response or a URL.";
    throw new EspalierError({ code: "bad_option", message, path: "source" });
  }
  loadEncodingSync(name, from);
}

/** Downloads a vocabulary; concurrent calls for one address share the download, also those of another engine. */
function shared(name: EncodingName, address: string | URL): Promise<Uint8Array | ArrayBuffer> {
  const key = `${name} ${address}`;
  const known = downloads.get(key);
  if (known) return known;
  const page = pageDownloads();
  const download = page.get(key) ?? downloaded(name, address);
  downloads.set(key, download);
  page.set(key, download);
  download.catch(() => forget(key));
  return download;
}

function forget(key: string): void {
  downloads.delete(key);
  pageDownloads().delete(key);
}

async function downloaded(name: EncodingName, address: string | URL): Promise<Uint8Array | ArrayBuffer> {
  let from: Response | Uint8Array;
  try {
    from = await fetched(address);
  } catch (cause) {
    throw vocabularyNotFound(name, `${address} could not be fetched`, cause);
  }
  return isResponse(from) ? bytesOf(name, from) : from;
}

async function bytesOf(name: EncodingName, response: Response): Promise<ArrayBuffer> {
  const bytes = await bodyOf(response, (what, cause) => vocabularyNotFound(name, what, cause));
  // Servers of single-page applications answer with their page if a file is missing.
  if (new Uint8Array(bytes)[0] === 0x3c) throw vocabularyNotFound(name, `${response.url || "the answer"} is a page`);
  return bytes;
}

function needName(name: unknown): void {
  if (typeof name !== "string") throw badOption("", "the name of an encoding", name, "name");
  if (!FILES.has(name)) needKnownName(name, "name");
}

/** Loads an encoding if the entry contains it or can read files. Otherwise the core reports what is missing. */
export function ensureEncoding(name: string): void {
  if (typeof name !== "string") throw badOption("encoding", "the name of an encoding", name);
  if (!FILES.has(name)) needKnownName(name, "options.encoding");
  const known = name as EncodingName;
  if (kept.has(known) || !FILES.has(name)) return;
  const contained = inside.get(known);
  if (!contained && !reader) return;
  // Checks the engine first: if both are missing, the user must fix that first.
  wasm();
  const bytes = contained ? contained() : reader?.(known);
  if (bytes) loadEncodingSync(known, bytes);
}

/** Lets the engine reject an unknown name, and adds the path, which the engine does not know. */
function needKnownName(name: string, path: string): void {
  try {
    call(() => wasm().hasEncoding(name));
  } catch (error) {
    if (!(error instanceof EspalierError) || error.code !== "unknown_encoding") throw error;
    throw new EspalierError({ code: error.code, message: error.message, path });
  }
}

/** Returns the bytes or the location of a vocabulary without an engine, for a worker that has its own. */
export function vocabularyOf(name: EncodingName): Uint8Array | URL | undefined {
  return (
    kept.get(name) ?? (inside.get(name)?.() || (FILES.has(name) ? (reader?.(name) ?? locator?.(name)) : undefined))
  );
}

/** Lets an entry register where vocabularies are, for asynchronous calls that need one (browsers). */
export function setVocabularyLocator(locate: (name: EncodingName) => URL): void {
  locator = locate;
}

/** Starts the download of a vocabulary if the entry fetches it, for a call that waits for the engine first. */
export function startDownload(name: EncodingName): void {
  if (locator && FILES.has(name) && !kept.has(name) && !inside.has(name)) void shared(name, locator(name));
}

/** Returns true if the entry fetches vocabularies, for which only asynchronous calls can wait. */
export function mayFetch(): boolean {
  return locator !== undefined;
}

/** Loads an encoding if the entry can read or fetch files. */
export async function loadNeeded(name: EncodingName): Promise<void> {
  ensureEncoding(name);
  if (kept.has(name) || !locator || !FILES.has(name)) return;
  await loadEncoding(name, locator(name));
}

/** Returns the error for a missing vocabulary. `way` replaces the advice for users of a bundler. */
export function vocabularyNotFound(name: string, what: string, cause?: unknown, way?: string): EspalierError {
  const usual =
    `Import "${containing(name)}", which contains it, copy espalier/vocab/${name}.vocab beside your bundle, or pass its bytes ` +
    `or URL to loadEncoding("${name}", …).`;
  return new EspalierError({
    code: "vocab_not_found",
    message: `The vocabulary of ${name} was not found: ${what}. ${way ?? usual}`,
    cause,
  });
}
