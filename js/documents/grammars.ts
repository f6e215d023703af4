/**
 * Grammars: one file per language, loaded for the first document of the language and shared by all importers of the
 * package.
 *
 * The compiled modules are kept. An instance that crashes loses its grammars, and they are linked into the new one when
 * they are needed.
 */

import { isBuffer, isModule, isResponse } from "../files/bytes.ts";
import { forgive } from "./crashes.ts";
import { isCpp } from "./headers.ts";
import { wasmBlocked, call, canStart, isCrash, onFreshInstance, ready, wasm } from "../engine/engine.ts";
import type { WasmBytes, WasmModule } from "../engine/engine.ts";
import { abortable } from "../errors/abortable.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import { Question } from "./tape.ts";
import { check } from "../options/check.ts";
import { GRAMMAR, LOAD_GRAMMAR } from "../options/schemas/documents.ts";

/** Sources of a grammar. */
export type GrammarSource = WasmModule | WasmBytes | Response | URL | string;

/** A grammar of the host. */
export interface GrammarRegistration {
  /** Name of the language, as passed to `documentStructure`. A built-in grammar of that name is replaced. */
  language: string;
  /**
   * A file made by `tree-sitter build --wasm`. It runs within the engine, so pass only files that you trust. A function
   * is called when the grammar is first needed.
   */
  wasm: GrammarSource | (() => GrammarSource | Promise<GrammarSource>);
  /**
   * The nodes that make up the structure of a document. Without a query, documents are folded by indentation. See the
   * docs for the syntax.
   */
  query?: string;
  /** File extensions without the dot. */
  extensions?: readonly string[];
}

interface BuiltIn {
  name: string;
  aliases: string[];
  extensions: string[];
  grammar: string;
}

/** One grammar file: a built-in one by its name, one of the host by its language. */
interface Entry {
  key: string;
  registration?: GrammarRegistration;
  module?: WebAssembly.Module;
  pending?: { promise: Promise<WebAssembly.Module>; controller: AbortController; waiting: number };
  linked: boolean;
  /** Why it is not available. Documents are then folded without another attempt; an explicit request tries again. */
  failure?: EspalierError;
}

const entries = new Map<string, Entry>();
const registered = new Map<string, Entry>();
let builtIn: BuiltIn[] | undefined;
/** Size and SHA-256 (in hexadecimal digits) of the package's files by name. The build fills them in. */
declare const ESPALIER_GRAMMARS: Record<string, readonly [size: number, sum: string]>;

/** Returns the SHA-256 in hexadecimal digits, where that is synchronous (Node). */
type Digest = (bytes: Uint8Array) => string;

let reader: ((grammar: string) => Uint8Array) | undefined;
let digest: Digest | undefined;
let locator: ((grammar: string) => URL) | undefined;
let readUrl: ((url: URL) => Uint8Array) | undefined;
/** Locations of grammars from `espalier/grammars/…` by name: a URL, or the compiled module on Cloudflare. */
const files = new Map<string, () => URL | WasmModule | undefined>();

onFreshInstance(() => {
  for (const entry of [...entries.values(), ...registered.values()]) entry.linked = false;
});

/** Sets how an entry reads grammars on first use (Node). */
export function setGrammarReader(read: (grammar: string) => Uint8Array, sha256?: Digest): void {
  reader = read;
  digest = sha256;
  forgetFailures();
}

/** Sets where an entry has its grammars (browsers). */
export function setGrammarLocator(locate: (grammar: string) => URL): void {
  locator = locate;
  forgetFailures();
}

/** Sets the location of a grammar from `espalier/grammars/…`. */
export function setGrammarFile(grammar: string, locate: () => URL | WasmModule | undefined): void {
  files.set(grammar, locate);
  forgetFailures();
}

/** Sets how an entry reads files by URL (Node). */
export function setFileReader(read: (url: URL) => Uint8Array): void {
  readUrl = read;
}

function forgetFailures(): void {
  for (const entry of entries.values()) delete entry.failure;
}

function builtIns(): BuiltIn[] {
  if (builtIn) return builtIn;
  const answer = new Question().ask("languages");
  const words = () => answer.text().split(/\s+/).filter(Boolean);
  return (builtIn = answer.list(() => ({
    name: answer.text(),
    grammar: answer.text(),
    aliases: words(),
    extensions: words(),
  })));
}

/** Returns the name of a known language, or the name itself. */
export function nameOf(language: string): string {
  if (typeof language !== "string") throw badOption("", "the name of a language", language, "language");
  if (registered.has(language)) return language;
  const name = language.toLowerCase();
  return builtIns().find((item) => item.name === name || item.aliases.includes(name))?.name ?? language;
}

/**
 * Returns the language of a file by its extension, or `undefined`. Extensions registered by the host come first. A `.h`
 * is C, or C++ if its text is passed and has code that only C++ has.
 *
 * ```ts
 * import { languageOf } from "espalier/documents";
 *
 * languageOf("src/main.rs"); // => "rust"
 * languageOf("queue.h", "class Queue;"); // => "cpp"
 * languageOf("notes.txt"); // => undefined
 * ```
 */
export function languageOf(path: string, text?: string): string | undefined {
  if (typeof path !== "string") throw badOption("", "the path of a file", path, "path");
  if (text !== undefined && typeof text !== "string") throw badOption("", "the text of the file", text, "text");
  const name = path.toLowerCase();
  for (const [language, { registration }] of registered) {
    if (registration?.extensions?.some((ending) => name.endsWith(`.${ending.replace(/^\./, "").toLowerCase()}`)))
      return language;
  }
  const ending = /\.([^./\\]*)$/.exec(path)?.[1];
  if (ending === undefined) return undefined;
  // By an old custom, `.C` and `.H` are C++.
  const isOther = ending === "C" || ending === "H" || (ending === "h" && text !== undefined && isCpp(text));
  const known = isOther ? "cpp" : ending.toLowerCase();
  return builtIns().find(({ extensions }) => extensions.includes(known))?.name;
}

/** Returns the languages with a built-in grammar. */
export function languages(): string[] {
  return builtIns().map(({ name }) => name);
}

function entryOf(language: string): Entry | undefined {
  const name = nameOf(language);
  const own = registered.get(name);
  if (own) return own;
  const file = builtIns().find((item) => item.name === name)?.grammar;
  if (file === undefined) return undefined;
  let entry = entries.get(file);
  if (!entry) entries.set(file, (entry = { key: file, linked: false }));
  return entry;
}

/**
 * Registers a grammar of the host under the name of a language. Nothing is loaded yet.
 *
 * ```ts
 * import { languageOf, registerGrammar } from "espalier/documents";
 *
 * registerGrammar({
 *   language: "lua",
 *   wasm: new URL("./tree-sitter-lua.wasm", import.meta.url), // loaded when the first file of the language comes
 *   extensions: ["lua"],
 *   query: "(function_declaration) @function (comment) @comment",
 * });
 * languageOf("init.lua"); // => "lua"
 * ```
 *
 * @throws EspalierError `bad_option` naming the field
 */
export function registerGrammar(registration: GrammarRegistration): void {
  const { language, wasm: source } = check(registration, GRAMMAR, "registration");
  if (typeof source !== "function" && !isSource(source)) {
    const wanted = "bytes, a URL, a Response, a compiled module, or a function that returns one of them";
    throw badOption("wasm", wanted, source, "registration");
  }
  forgive(language);
  registered.set(language, { key: language, registration: { ...registration }, linked: false });
}

function isSource(source: unknown): source is GrammarSource {
  return (
    typeof source === "string" ||
    source instanceof URL ||
    isBuffer(source) ||
    ArrayBuffer.isView(source) ||
    isResponse(source) ||
    isModule(source)
  );
}

/** Returns whether documents of this language can be parsed without loading anything. */
export function hasGrammar(language: string): boolean {
  return entryOf(language)?.module !== undefined;
}

export interface LoadGrammarOptions {
  /** Where the grammar is. Default: the package's own file, if the entry can find it. */
  wasm?: GrammarSource;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/**
 * Loads the grammar of a language. It can be called any number of times, also concurrently. After a failure, documents
 * are folded by indentation until this function or `registerGrammar` is called again, since a missing file is not
 * requested twice. Bytes, a module, a Response or a URL can also be passed directly, as to {@link loadGrammarSync}.
 *
 * @throws EspalierError `unknown_language`, `grammar_not_found`, `bad_grammar` with the reason, `bad_query`; the
 *   signal's reason if it is aborted
 */
export async function loadGrammar(
  language: string,
  options: LoadGrammarOptions | Exclude<GrammarSource, string> = {},
): Promise<void> {
  const { wasm: source, signal }: LoadGrammarOptions =
    typeof options === "object" && isSource(options) ? { wasm: options } : check(options, LOAD_GRAMMAR);
  if (!canStart()) await ready();
  const entry = entryOf(language);
  if (!entry) throw unknown(language);
  if (signal?.aborted) throw signal.reason;
  delete entry.failure;
  try {
    if (!entry.module) {
      entry.pending ??= begin(entry, source);
      entry.module ??= await joined(entry, entry.pending, signal);
    }
    link(entry);
  } catch (error) {
    throw held(entry, error);
  }
}

/** Loads a grammar for a document. A failed grammar is not tried again. */
export async function needGrammar(language: string, signal?: AbortSignal): Promise<void> {
  const failure = entryOf(language)?.failure;
  if (failure) throw failure;
  await loadGrammar(language, signal ? { signal } : {});
}

/** Remembers a failure of a grammar, but no other error. */
function held(entry: Entry, error: unknown): unknown {
  if (isFailure(error)) entry.failure = error;
  return error;
}

/** Returns whether the file or its query is missing or unusable. */
export function isFailure(error: unknown): error is EspalierError {
  return error instanceof EspalierError && ["grammar_not_found", "bad_grammar", "bad_query"].includes(error.code);
}

/**
 * Loads a grammar synchronously, from bytes or a compiled module, directly or as `{ wasm }`; in Node also from the
 * package's own files.
 *
 * @throws EspalierError as {@link loadGrammar}
 */
export function loadGrammarSync(
  language: string,
  given?: WasmBytes | WasmModule | { wasm?: WasmBytes | WasmModule },
): void {
  const isBare = typeof given !== "object" || given === null || isSource(given);
  const source = isBare
    ? (given as WasmBytes | WasmModule | undefined)
    : check(given as { wasm?: WasmBytes | WasmModule }, LOAD_GRAMMAR).wasm;
  const entry = entryOf(language);
  if (!entry) throw unknown(language);
  delete entry.failure;
  try {
    if (!entry.module) {
      const from = source ?? ownBytes(entry);
      if (from === undefined) throw grammarNotFound(entry.key, "this entry of the package cannot read files");
      checkSync(entry, from, source === undefined);
      entry.module = isModule(from) ? from : compile(entry.key, () => new WebAssembly.Module(from as BufferSource));
    }
    link(entry);
  } catch (error) {
    throw held(entry, error);
  }
}

/** Links a grammar if that is possible without waiting. Returns whether it is linked. */
export function linkIfPossible(language: string): boolean {
  const entry = entryOf(language);
  if (!entry) return false;
  if (entry.failure) throw entry.failure;
  try {
    if (!entry.module) {
      const bytes = ownBytes(entry);
      if (bytes === undefined) return false;
      checkSync(entry, bytes, true);
      entry.module = compile(entry.key, () => new WebAssembly.Module(bytes as BufferSource));
    }
    link(entry);
  } catch (error) {
    throw held(entry, error);
  }
  return true;
}

/** Returns whether {@link loadGrammar} can find a grammar of the language by itself. */
export function canLoad(language: string): boolean {
  const entry = entryOf(language);
  return (
    entry !== undefined &&
    (entry.module !== undefined ||
      entry.registration !== undefined ||
      files.has(entry.key) ||
      reader !== undefined ||
      locator !== undefined)
  );
}

/** Returns the query that a host registered with a language. */
export function registeredQuery(language: string): string | undefined {
  return registered.get(language)?.registration?.query;
}

function ownBytes(entry: Entry): WasmBytes | WasmModule | undefined {
  if (!entry.registration) return brought(entry.key) ?? reader?.(entry.key);
  const { wasm: source } = entry.registration;
  return isBuffer(source) || ArrayBuffer.isView(source) || isModule(source) ? source : undefined;
}

/** Returns a grammar from `espalier/grammars/…`, if it can be read without waiting. */
function brought(key: string): WasmBytes | WasmModule | undefined {
  const file = files.get(key)?.();
  if (!(file instanceof URL)) return file;
  if (!readUrl || file.protocol !== "file:") return undefined;
  try {
    return readUrl(file);
  } catch (cause) {
    try {
      // A bundle can have the folder of the package beside it.
      if (reader) return reader(key);
    } catch {
      // The place that the host's import names is the one to report.
    }
    throw grammarNotFound(key, `${file} cannot be read`, cause);
  }
}

/**
 * Links a grammar into the live instance, unless it is linked already. A refused file is forgotten, so that another one
 * can be tried.
 */
function link(entry: Entry): void {
  // A crashed instance is replaced here and loses its linked grammars.
  const live = call(() => wasm());
  if (entry.linked || !entry.module) return;
  try {
    const { module, registration } = entry;
    if (registration) call(() => live.registerGrammar(registration.language, module, registration.query));
    else call(() => live.linkGrammar(entry.key, module));
    entry.linked = true;
  } catch (error) {
    if (!isCrash(error)) delete entry.module;
    throw error;
  }
}

function begin(entry: Entry, source?: GrammarSource): NonNullable<Entry["pending"]> {
  const controller = new AbortController();
  const promise = fetchModule(entry, source, controller.signal).finally(() => delete entry.pending);
  // Callers that wait see the failure. By now there may be none.
  promise.catch(() => undefined);
  return { promise, controller, waiting: 0 };
}

/** Waits for a load that can have several waiters. It ends when the last of them gives up. */
async function joined(
  entry: Entry,
  pending: NonNullable<Entry["pending"]>,
  signal?: AbortSignal,
): Promise<WebAssembly.Module> {
  pending.waiting += 1;
  try {
    return await abortable(pending.promise, signal);
  } finally {
    pending.waiting -= 1;
    if (pending.waiting === 0 && entry.pending === pending && signal?.aborted) {
      delete entry.pending;
      pending.controller.abort();
    }
  }
}

async function fetchModule(
  entry: Entry,
  source: GrammarSource | undefined,
  signal: AbortSignal,
): Promise<WebAssembly.Module> {
  const registration = entry.registration?.wasm;
  let from: unknown =
    source ??
    (typeof registration === "function" ? await registration() : registration) ??
    brought(entry.key) ??
    files.get(entry.key)?.() ??
    reader?.(entry.key) ??
    locator?.(entry.key);
  if (from === undefined) throw grammarNotFound(entry.key, "nobody said where it is");
  if (typeof from === "string" || from instanceof URL) {
    try {
      from = await fetch(from, { signal });
    } catch (cause) {
      throw grammarNotFound(entry.key, `${String(from)} could not be fetched`, cause);
    }
  }
  if (isResponse(from)) {
    if (!from.ok) throw grammarNotFound(entry.key, `${from.url || "it"} answered ${from.status}`);
    try {
      from = await from.arrayBuffer();
    } catch (cause) {
      throw grammarNotFound(entry.key, "the download was cut", cause);
    }
  }
  if (isModule(from)) return from;
  if (!isBuffer(from) && !ArrayBuffer.isView(from)) {
    throw new EspalierError({
      code: "bad_option",
      message: "A grammar comes as bytes, a compiled module, a Response or a URL.",
      path: "wasm",
    });
  }
  const bytes = bytesOf(from);
  const wanted = sumOf(entry, bytes, source === undefined);
  if (wanted !== undefined) {
    if (digest) confirm(entry.key, digest(bytes), wanted);
    // Only pages from a secure connection have it.
    else if (globalThis.crypto?.subtle)
      confirm(entry.key, hexadecimal(await crypto.subtle.digest("SHA-256", bytes as BufferSource)), wanted);
  }
  try {
    return await WebAssembly.compile(from as BufferSource);
  } catch (cause) {
    throw wasmBlocked(cause) ?? noWasm(entry.key, cause);
  }
}

/**
 * Returns the checksum of one of the package's files. It applies to files that the package found, and to files of a
 * host with the same length, since these are copies. Any other file is another build, and the host is responsible for
 * it.
 */
function sumOf({ key, registration }: Entry, bytes: Uint8Array, own: boolean): string | undefined {
  if (registration) return undefined;
  const [size, sum] = ESPALIER_GRAMMARS[key] ?? [];
  return own || bytes.length === size ? sum : undefined;
}

function checkSync(entry: Entry, from: WasmBytes | WasmModule, own: boolean): void {
  if (!digest || isModule(from)) return;
  const bytes = bytesOf(from as WasmBytes);
  const wanted = sumOf(entry, bytes, own);
  if (wanted !== undefined) confirm(entry.key, digest(bytes), wanted);
}

function confirm(key: string, sum: string, wanted: string): void {
  if (sum === wanted) return;
  const message = `The grammar of ${key} is damaged: tree-sitter-${key}.wasm is not the file that belongs to this version of espalier.`;
  throw new EspalierError({ code: "bad_grammar", message });
}

function bytesOf(source: WasmBytes): Uint8Array {
  return isBuffer(source)
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}

function hexadecimal(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function compile(key: string, make: () => WebAssembly.Module): WebAssembly.Module {
  try {
    return make();
  } catch (cause) {
    throw wasmBlocked(cause) ?? noWasm(key, cause);
  }
}

function noWasm(key: string, cause: unknown): EspalierError {
  return new EspalierError({
    code: "bad_grammar",
    message: `The grammar of ${key} is cut off, damaged, or no WebAssembly at all.`,
    cause,
  });
}

function unknown(language: string): EspalierError {
  const message = `There is no grammar for ${JSON.stringify(language)}: use one of ${languages().join(", ")}, or call registerGrammar first.`;
  return new EspalierError({ code: "unknown_language", message, path: "language" });
}

/** Returns the error for a missing grammar. `way` replaces the instructions for users of a bundler. */
export function grammarNotFound(key: string, what: string, cause?: unknown, way?: string): EspalierError {
  const usual =
    `Add import "espalier/grammars/${key}" to your code, copy espalier/grammars/tree-sitter-${key}.wasm beside your bundle, or ` +
    `pass its bytes or URL: loadGrammar("${key}", { wasm }).`;
  return new EspalierError({
    code: "grammar_not_found",
    message: `The grammar of ${key} was not found: ${what}. ${way ?? usual}`,
    cause,
  });
}
