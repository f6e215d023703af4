/**
 * The engine: one wasm instance for all importers of the package, loaded once, replaced when it crashes.
 *
 * The compiled module is kept. A panic or a stack overflow leaves an instance in an unknown state, so the instance is
 * discarded: the failing call throws `engine_crashed` (or `out_of_memory`), and the next call gets a fresh instance
 * with the same vocabularies.
 */

import { createGlue, INLINE_ENTRY } from "#glue";
import { bodyOf, fetched } from "./fetched.ts";
import { isBuffer, isModule, isResponse } from "../files/bytes.ts";
import { throwHostFailure } from "../tokens/host-failure.ts";
import { coded, EspalierError } from "../errors/errors.ts";

/** The raw exports of one instance. */
export type Wasm = ReturnType<typeof createGlue>;
type ModuleOf<Global> = Global extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;
/**
 * A compiled `WebAssembly.Module`; derived this way because the declarations of a Node project may not know that name.
 */
export type WasmModule = ModuleOf<typeof globalThis>;
/** Bytes in any kind of view. */
export type WasmBytes = ArrayBuffer | ArrayBufferView;
/** The sources from which the wasm can be loaded. */
export type WasmSource = WasmModule | WasmBytes | Response | URL | string;

let module: WebAssembly.Module | undefined;
let instance: Wasm | undefined;
let pending: Promise<void> | undefined;
let loader: (() => WasmBytes | WasmModule) | undefined;
let loaderHasBytes = false;
let asyncLoader: (() => Promise<void>) | undefined;
const fresh: ((wasm: Wasm) => void)[] = [];

/** Returns true if the engine can be used without loading more of its code. */
export function isReady(): boolean {
  return instance !== undefined;
}

/** Loads the engine from bytes or a compiled module, synchronously. Later calls do nothing. */
export function initSync(source: WasmBytes | WasmModule): void {
  if (instance) return;
  start(isModule(source) ? source : compile(source));
}

/**
 * Loads the engine. May be called any number of times, also concurrently; after a failure it can be retried.
 *
 * @throws EspalierError `wasm_not_found` if it cannot be fetched, `wasm_blocked` if the platform does not allow
 *   compiling it, `bad_wasm` if it cannot be compiled or has another version
 */
export function initFrom(source: WasmSource | Promise<WasmSource>): Promise<void> {
  if (instance) return Promise.resolve();
  pending ??= load(source).finally(() => (pending = undefined));
  return pending;
}

async function load(source: WasmSource | Promise<WasmSource>): Promise<void> {
  const compiled = await moduleFrom(source);
  // `initSync` may have started an instance in the meantime.
  if (!instance) start(compiled);
}

/**
 * Compiles the module from any source.
 *
 * @throws EspalierError as {@link initFrom}
 */
async function moduleFrom(source: WasmSource | Promise<WasmSource>): Promise<WasmModule> {
  let from = await source;
  let address = "";
  if (typeof from === "string" || from instanceof URL) {
    address = String(from);
    from = await found(from);
  }
  if (isResponse(from)) {
    address ||= from.url;
    from = await bodyOf(from, wasmNotFound);
  }
  return isModule(from) ? from : compiling(from, address);
}

async function found(url: string | URL): Promise<Response | Uint8Array> {
  try {
    return await fetched(url);
  } catch (cause) {
    throw wasmNotFound(`${url} could not be fetched`, cause);
  }
}

async function compiling(bytes: WasmBytes, address: string): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes as BufferSource);
  } catch (cause) {
    throw wasmBlocked(cause) ?? badWasm(cause, bytes, address);
  }
}

function compile(bytes: WasmBytes): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes as BufferSource);
  } catch (cause) {
    throw wasmBlocked(cause) ?? badWasm(cause, bytes);
  }
}

/** Returns the name of the package's entry that contains this engine and the vocabulary of `encoding`. */
export function containing(encoding: string): string {
  return INLINE_ENTRY.replace(/[^/]*$/, encoding);
}

/** Returns the error for a missing engine. `way` replaces the advice for users of a bundler. */
export function wasmNotFound(what: string, cause?: unknown, way?: string): EspalierError {
  const usual = `Import "${INLINE_ENTRY}", which contains it, or pass the wasm to init() as bytes, a Response or a URL.`;
  return new EspalierError({ code: "wasm_not_found", message: `${what}. ${way ?? usual}`, cause });
}

/**
 * Returns the error for a platform that does not compile wasm at run time, or undefined for any other cause, for which
 * the bytes are to blame.
 *
 * Chromium, Safari and Firefox name the policy; Cloudflare says "disallowed by embedder".
 */
export function wasmBlocked(cause: unknown): EspalierError | undefined {
  if (typeof WebAssembly === "undefined") {
    const message =
      "This platform has no WebAssembly, which Espalier needs. Node's --jitless and the Lockdown Mode of Apple's devices " +
      "turn it off.";
    return new EspalierError({ code: "wasm_blocked", message, cause });
  }
  const said = cause instanceof Error ? cause.message : "";
  if (/disallowed by embedder/i.test(said)) {
    const message =
      'This platform does not compile WebAssembly at run time. On Cloudflare build with the condition "workerd", so that ' +
      '"espalier" imports the compiled module; elsewhere pass a WebAssembly.Module to init({ wasm }).';
    return new EspalierError({ code: "wasm_blocked", message, cause });
  }
  // Chromium gives content scripts no reason: "WebAssembly.Module(): ".
  const isContentScript = /^WebAssembly\.\w+\(\): *$/.test(said);
  if (!isContentScript && !/content.security.policy|unsafe-eval|blocked by CSP/i.test(said)) return undefined;
  const way = isContentScript
    ? "It also holds for content scripts of extensions: call Espalier in the extension's service worker, " +
      "and send it messages."
    : "Add 'wasm-unsafe-eval' to its script-src (it allows WebAssembly and no eval).";
  const message = `The Content-Security-Policy of this page forbids WebAssembly. ${way}`;
  return new EspalierError({ code: "wasm_blocked", message, cause });
}

/** Returns the error for an engine that does not compile, with the beginning of a file that is no wasm. */
function badWasm(cause: unknown, source: unknown, address = ""): EspalierError {
  const beginning = beginningOf(source);
  let what = `is not wasm: it begins with ${JSON.stringify(beginning)}`;
  if (beginning === undefined) what = "is not bytes";
  else if (beginning === "") what = "is empty";
  else if (beginning.startsWith("\0asm")) what = "is truncated or damaged";
  // Servers of single-page applications answer with their page if a file is missing.
  const way = address && ` Copy the package's file there, or import "${INLINE_ENTRY}", which contains it.`;
  const message = `${address || "The engine's wasm"} ${what}.${way}`;
  return new EspalierError({ code: "bad_wasm", message, cause });
}

/** Returns the first bytes as a text, or undefined if these are no bytes. */
function beginningOf(source: unknown): string | undefined {
  if (!isBuffer(source) && !ArrayBuffer.isView(source)) return undefined;
  const { buffer, byteOffset, byteLength } = isBuffer(source) ? new Uint8Array(source) : source;
  return String.fromCharCode(...new Uint8Array(buffer, byteOffset, Math.min(byteLength, 16)));
}

/** Makes an instance and publishes it once it has everything that the previous one had. */
function start(compiled: WebAssembly.Module): void {
  const glue = createGlue();
  try {
    glue.initSync({ module: compiled });
  } catch (cause) {
    const message = `The engine could not be started (${String(cause)}). Its wasm and this JavaScript must be of one version of espalier.`;
    throw new EspalierError({ code: "bad_wasm", message, cause });
  }
  for (const hook of fresh) hook(glue);
  instance = glue;
  module = compiled;
}

/**
 * Lets an entry load the engine on first use (Node, inline). A loader that already has the bytes takes precedence,
 * whichever was registered first.
 */
export function setLoader(load: () => WasmBytes | WasmModule, hasBytes = false): void {
  if (loaderHasBytes && !hasBytes) return;
  loader = load;
  loaderHasBytes = hasBytes;
}

/** Lets an entry load the engine when an asynchronous call first needs it (browsers). */
export function setAsyncLoader(load: () => Promise<void>): void {
  asyncLoader = load;
}

/** Returns true if an instance exists or can be made without waiting. */
export function canStart(): boolean {
  return instance !== undefined || module !== undefined || loader !== undefined;
}

/** Waits for the engine if the entry has registered where to load it from. */
export async function ready(): Promise<void> {
  if (!canStart() && asyncLoader) await asyncLoader();
}

/** Registers a hook that runs for each new instance, including replacements of crashed ones, before its first use. */
export function onFreshInstance(hook: (wasm: Wasm) => void): void {
  fresh.push(hook);
}

/**
 * Returns the exports of the live instance.
 *
 * @throws EspalierError `not_initialized`
 */
export function wasm(): Wasm {
  // An earlier instance crashed and could not be replaced at that time.
  if (!instance && module) start(module);
  if (!instance && loader) initSync(loader());
  if (!instance) {
    throw new EspalierError({
      code: "not_initialized",
      message:
        "The engine is not loaded yet. Call `await init()` first, or `initSync(bytes)` where nothing can be awaited.",
    });
  }
  return instance;
}

/**
 * Runs one call into the engine. Its errors arrive as {@link EspalierError}s; a crash replaces the instance first.
 *
 * @throws EspalierError `engine_crashed` (a bug of ours) or `out_of_memory`, after which the engine is usable again;
 *   else the engine's own error, or the error that the host's tokenizer or `imageSize` threw
 */
export function call<T>(run: () => T): T {
  let result: T;
  try {
    result = run();
  } catch (error) {
    // A stack overflow inside wasm leaves the instance as damaged as a panic does. Firefox throws another error for it.
    const isExhausted = error instanceof RangeError || (error as Error | null)?.name === "InternalError";
    if (isExhausted || error instanceof WebAssembly.RuntimeError) {
      const damaged = instance;
      // Before any call, which may throw on an exhausted stack: nothing uses the damaged instance again.
      instance = undefined;
      throw recover(error as Error, damaged, isExhausted);
    }
    throw toEspalierError(error);
  }
  throwHostFailure();
  return result;
}

/**
 * Drops the engine's instance and all of its memory. The memory of a wasm instance grows with the largest conversations
 * and never shrinks, so closing logs only frees it for reuse. The next call starts a fresh instance; logs, pruners and
 * conversations rebuild their engine state on their next use. A running operation keeps the old instance until it ends.
 * Cached counts stay (see {@link clearCache}).
 *
 * ```ts
 * import { count, resetEngine } from "espalier";
 *
 * count("The quick brown fox"); // => 4
 * resetEngine();
 * count("jumps over the lazy dog"); // => 6
 * ```
 */
export function resetEngine(): void {
  instance?.retire();
  instance = undefined;
}

/** Returns true for the error of a call that crashed its instance: the handles of that instance must not be freed. */
export function isCrash(error: unknown): boolean {
  return error instanceof EspalierError && (error.code === "engine_crashed" || error.code === "out_of_memory");
}

/** JavaScript's messages for failed allocations, among those of an exhausted stack. */
const NO_MEMORY = /memory|allocat|string length|array length/i;

function recover(cause: Error, damaged: Wasm | undefined, isExhausted: boolean): EspalierError {
  // Even if the replacement fails, the garbage collector frees nothing in the damaged instance.
  damaged?.retire();
  // The engine that only counts does not report it.
  const { isFull: saysSo } = (damaged ?? {}) as { isFull?: () => boolean };
  const isFull = saysSo?.() === true || (isExhausted && NO_MEMORY.test(cause.message));
  let outcome = "was replaced; nothing of yours was changed, and the next call works";
  try {
    wasm();
  } catch (error) {
    outcome = `could not be replaced (${String(error)}); nothing of yours was changed, and the next call tries again`;
  }
  if (isFull) {
    const message =
      `The engine ran out of memory (an instance has at most 4 GiB) and ${outcome}. Pass less at once, or close logs and ` +
      "conversations that are not used.";
    return new EspalierError({ code: "out_of_memory", message, cause });
  }
  return new EspalierError({
    code: "engine_crashed",
    message: `The engine crashed and ${outcome}. Please report this.`,
    cause,
  });
}

/**
 * Errors of the core carry `code`, `path` and `details`, but the glue throws them; the glue itself rejects values that
 * are not text.
 */
function toEspalierError(error: unknown): unknown {
  if (error instanceof TypeError && error.message.startsWith("the engine was given"))
    return new EspalierError({ code: "bad_input", message: error.message });
  if (!(error instanceof Error) || error instanceof EspalierError || error.name !== "EspalierError") return error;
  const { code, path, details } = error as Error & { code: string; path?: string; details?: unknown };
  const message = code === "encoding_not_loaded" ? withWays(error.message) : error.message;
  return coded({ code, message, path, details });
}

/** The engine does not know its entries, and some of them do not export `loadEncoding`. */
function withWays(message: string): string {
  return message.replace(
    /\b(\w+) vocabulary is not loaded yet.*/s,
    (_, name: string) =>
      `${name} vocabulary is not loaded yet. Call \`await init()\` where the package's files are found, import ` +
      `"${containing(name)}", which contains it, or pass its bytes or URL to loadEncoding("${name}", …) of that entry.`,
  );
}
