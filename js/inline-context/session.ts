/** An editor's session: files, recent edits, cursor places, caches and providers, kept from one request to the next. */

import { call } from "../engine/engine.ts";
import { onAbort } from "../errors/abortable.ts";
import { badInput, badOption as bad } from "../errors/errors.ts";
import { isSecret } from "../files/secrets.ts";
import { check } from "../options/check.ts";
import {
  INLINE_CHANGE,
  INLINE_CONTEXT,
  INLINE_CONTEXT_FOR,
  INLINE_MOVE,
  INLINE_NOW,
  INLINE_SESSION,
} from "../options/schemas/inline-context.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import { workspace } from "../engine/workspace.ts";
import { Asking } from "./asking.ts";
import type { Ask, Moment } from "./asking.ts";
import { Held } from "./held.ts";
import type { OpenFile } from "./held.ts";
import { countOf, limitsOf } from "./options.ts";
import type { Settings } from "./options.ts";
import type {
  InlineAsyncRequest,
  InlineContextAnswer,
  InlineContextResult,
  InlineFile,
  InlineMove,
  InlineProvider,
  InlineProviderRequest,
  InlineSessionOptions,
  InlineSessionRequest,
  InlineState,
} from "./types.ts";
import { cursorOf, documentOf, fileOf, itemsOf, offsetOf, resultOf, suffixOf, timeOf } from "./wire.ts";

const MOVED_BY = ["keyboard", "mouse", "command"];
/** Only the editor's lines around the cursor matter for typing ahead. */
const EDIT_DEBOUNCE_MS = 500;

/**
 * Keeps the common data of requests for completions: open files, of which only changed ones cross into the engine;
 * recent edits from the editor's change events; places of the cursor; words of files; the last suffix and prefix, so
 * that consecutive prompts share the longest beginning; completions for typing ahead; items of providers. Times come
 * from `clock` or as arguments; only `contextFor` and `moveCursor` start timers.
 *
 * ```ts
 * import { InlineContext } from "espalier/inline-context";
 *
 * const session = new InlineContext({ budget: 2_000 });
 * session.open({ path: "stock.ts", language: "typescript", text: "export function total(stock: number[]) {\n  return stock.length;\n}\n" });
 * session.open({ path: "main.ts", language: "typescript", text: "import { total } from \"./stock\";\n" });
 * session.change("main.ts", "import { total } from \"./stock\";\nconsole.log(total(");
 * const { context, prefix } = session.context({ file: "main.ts", cursor: Infinity });
 * prefix; // => "import { total } from \"./stock\";\nconsole.log(total("
 * context.includes("Compare this snippet from stock.ts:"); // => true
 *
 * session.remember("main.ts", Infinity, "[1, 2]))");
 * session.change("main.ts", "import { total } from \"./stock\";\nconsole.log(total([1,");
 * session.completion("main.ts", Infinity); // => " 2]))"
 * session.free();
 * ```
 */
export class InlineContext {
  readonly #limits: Settings;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #providers: readonly InlineProvider[];
  readonly #held: Held;
  readonly #asking: Asking;
  /** The suffix of the last request that did not reuse one. */
  #suffix = "";
  /** The last requested document that was not open. */
  #last: (Required<InlineFile> & { version: number }) | undefined;

  /** @throws EspalierError `bad_option`, `encoding_not_loaded`, `not_initialized` */
  constructor(options: InlineSessionOptions = {}) {
    const { clock, providers = [], maxCachedDocuments, ...limits } = check(options, INLINE_SESSION);
    this.#limits = limitsOf(limits);
    this.#clock = { ...CLOCK, ...clock };
    this.#providers = providersOf(providers, "options.providers");
    const debounceMs = countOf(options.editLimits?.debounceMs, EDIT_DEBOUNCE_MS);
    const maxDocuments = countOf(maxCachedDocuments, 20);
    this.#held = new Held(this.#limits, debounceMs);
    this.#asking = new Asking(this.#held, this.#clock, this.#limits.buildingMs, maxDocuments, (ask) =>
      this.#providerRequest(ask),
    );
    // Options that the engine refuses are an error now, not at the first keystroke.
    this.#held.handle();
  }

  /**
   * Adds a file that the editor has open, or replaces it. It is a neighbour of the others, and its changes become
   * recent edits.
   *
   * @throws EspalierError `bad_input`
   */
  open(file: InlineFile): void {
    this.#put(fileOf(file, "file"), true);
  }

  /**
   * Adds a neighbour whose changes are not followed: a file that a language service reports as related.
   *
   * @throws EspalierError `bad_input`
   */
  addNeighbour(file: InlineFile): void {
    this.#put(fileOf(file, "file"), false);
  }

  #put(file: Required<InlineFile>, isFollowed: boolean): void {
    const old = this.#held.files.get(file.path);
    if (
      old &&
      old.text === file.text &&
      old.language === file.language &&
      old.scheme === file.scheme &&
      old.isFollowed === isFollowed
    ) {
      if (!Number.isNaN(file.focusedMs)) this.#focus(old, file.focusedMs);
      return;
    }
    const focusedMs = Number.isNaN(file.focusedMs) ? (old?.focusedMs ?? NaN) : file.focusedMs;
    this.#held.files.set(file.path, {
      ...file,
      focusedMs,
      version: (old?.version ?? 0) + 1,
      isFollowed,
      isSecret: old?.isSecret ?? isSecret(file.path),
      isSent: false,
    });
    const handle = this.#held.handle();
    if (isFollowed) call(() => handle.openEdits(file.path, file.text));
  }

  /**
   * Records a file's text after a change.
   *
   * @param options `now`: the time of the change; default: now. `version`: the editor's number of the text; default:
   *   one more.
   * @throws EspalierError `bad_input` if the file is not open
   */
  change(path: string, text: string, options: { now?: number; version?: number } = {}): void {
    if (typeof text !== "string") throw badInput("text", "a text", text);
    const file = this.#file(path, "path");
    const { version: given, now: at } = check(options, INLINE_CHANGE);
    const now = this.#now(at);
    const version = given === undefined ? file.version + 1 : timeOf(given, "options.version");
    if (file.text !== text) this.#held.change(file, text, now);
    file.version = version;
    this.#asking.change(path, version, now);
  }

  /**
   * Removes a closed file.
   *
   * @throws EspalierError `bad_input`
   */
  close(path: string): void {
    needPath(path);
    this.#held.files.delete(path);
    this.#asking.forget(path);
    const handle = this.#held.handle();
    call(() => (handle.removeFile(path), handle.closeEdits(path), handle.closeDocument(path)));
  }

  /**
   * Records that a file's editor got the focus: files focused last are compared first.
   *
   * @throws EspalierError `bad_input` if the file is not open
   */
  focus(path: string, options: { now?: number } = {}): void {
    this.#focus(this.#file(path, "path"), this.#now(check(options, INLINE_NOW).now));
    const handle = this.#held.handle();
    call(() => handle.activate(path));
  }

  #focus(file: OpenFile, now: number): void {
    if (file.focusedMs === now) return;
    file.focusedMs = now;
    const handle = this.#held.handle();
    if (file.isSent) call(() => handle.focusFile(file.path, now));
  }

  /**
   * Records that a file's tab was closed or hidden; the file may still be open.
   *
   * @throws EspalierError `bad_input`
   */
  hide(path: string): void {
    needPath(path);
    const handle = this.#held.handle();
    call(() => handle.closeTab(path));
  }

  /**
   * Records a move of the cursor. On a blank line or at a line's end, and not right after a change, it asks the
   * providers: at once after a move by mouse or command, after `moveDebounceMs` by keyboard.
   *
   * @throws EspalierError `bad_input`
   */
  moveCursor(move: InlineMove, options: { now?: number } = {}): void {
    const {
      path,
      cursor,
      by = "keyboard",
      isActiveEditor = true,
      isOneCursor = true,
    } = check(move, INLINE_MOVE, "move", badInput);
    const file = this.#file(path, "move.path");
    const at = cursorOf(file.text, offsetOf(cursor, "move.cursor"));
    const now = this.#now(check(options, INLINE_NOW).now);
    const start = file.text.lastIndexOf("\n", at - 1) + 1;
    const feed = file.text.indexOf("\n", at);
    const end = feed < 0 ? file.text.length : feed;
    const isLineEnd = file.text.slice(at, end).replace(/\r$/, "") === "";
    const isBlank = file.text.slice(start, end).trim() === "";
    this.#held.visit(path, lineOf(file.text, start), now);
    const flags = Number(isActiveEditor) + 2 * Number(isOneCursor) + 4 * Number(isBlank) + 8 * Number(isLineEnd);
    this.#asking.move({ path, version: file.version, cursor: at }, MOVED_BY.indexOf(by), flags, now, this.#providers);
  }

  /**
   * Finds the context of one completion at once, with the available items.
   *
   * @throws EspalierError `bad_input`; an error of the host's tokenizer
   */
  context(request: InlineSessionRequest): InlineContextResult {
    return this.#context(check(request, INLINE_CONTEXT, "request"), this.#document(request.file));
  }

  #context(request: Omit<InlineSessionRequest, "file">, file: Required<InlineFile>): InlineContextResult {
    const cursor = offsetOf(request.cursor, "request.cursor");
    const elapsed = timeOf(request.elapsedMs ?? 0, "request.elapsedMs");
    const fresh = timeOf(request.maxFreshChars ?? Infinity, "request.maxFreshChars");
    const [texts, numbers] = itemsOf(request.items ?? [], "request.items");
    const secret = [...this.#held.files.values()].filter((open) => open.isSecret).map(({ path }) => path);
    const others = [...secret, ...(request.items ?? []).flatMap((item) => item.path ?? [])];
    const document = documentOf(file, request.excluded, "request.excluded", others, this.#limits.secrets);
    const now = this.#clock.now();
    this.#held.settle(now);
    this.#held.send(file.path);
    const handle = this.#held.handle();
    let json: string;
    try {
      json = call(() =>
        handle.context(document, Float64Array.of(cursor, elapsed, fresh, now), file.text, texts, numbers),
      );
    } catch (error) {
      // The handle remembers counts that a failing tokenizer did not make.
      if (this.#limits.tokenizer) this.#held.free();
      throw error;
    }
    const result = resultOf(json, file.text, cursor, this.#suffix);
    if (!result.isTooShort && !result.isExcluded && !result.isSuffixReused)
      this.#suffix = suffixOf(file.text, cursorOf(file.text, cursor));
    // The engine has an older text of the document itself.
    result.items = result.items.filter(({ dropped }) => dropped !== "currentFile");
    return result;
  }

  /**
   * Asks the providers and finds the context with their items: waits until all have answered, at most `providerMs`. If
   * a request of another place in the document is already running, it waits 20 ms for that, and uses the cached items.
   * Later answers are kept for the next request.
   *
   * ```ts
   * import { InlineContext } from "espalier/inline-context";
   *
   * const types = { name: "types", provide: async () => [{ id: "Stock", path: "stock.ts", text: "interface Stock { rate: number }" }] };
   * const session = new InlineContext({ providers: [types] });
   * session.open({ path: "main.ts", text: "const rate = (stock: Stock) => stock." });
   * const { context, providers } = await session.contextFor({ file: "main.ts", cursor: Infinity });
   * context.includes("interface Stock"); // => true
   * providers; // => [{ name: "types", status: "answered", items: 1, isCached: false }]
   * session.free();
   * ```
   *
   * @throws EspalierError `bad_input`; the signal's reason once it is aborted
   */
  async contextFor(request: InlineAsyncRequest): Promise<InlineContextAnswer> {
    const { providers: given, timeoutMs, onPartial, signal, ...rest } = check(request, INLINE_CONTEXT_FOR, "request");
    // Checks before asking any provider.
    itemsOf(rest.items ?? [], "request.items");
    signal?.throwIfAborted();
    const began = this.#clock.now();
    const providers = given === undefined ? this.#providers : providersOf(given, "request.providers");
    // A copy: an open file may change while providers work.
    const file = { ...this.#document(request.file) };
    const version = this.#held.files.get(file.path)?.version ?? this.#visitor(file);
    const ask = { path: file.path, version, cursor: cursorOf(file.text, offsetOf(request.cursor, "request.cursor")) };
    const { providerMs, buildingMs } = this.#limits;
    const budgetMs = Math.min(
      timeoutMs === undefined ? buildingMs : timeOf(timeoutMs, "request.timeoutMs"),
      buildingMs,
    );
    // Taken before the request, which would make cached items wait.
    const done = this.#asking.ask(ask, providers);
    const answer = (moment: Moment, elapsedMs: number) => {
      const [found, report] = this.#asking.items(ask, providers, moment);
      // Available items arrived in time: the wait ends with them.
      const items = [...(rest.items ?? []), ...found.map((item) => ({ ...item, arrivedMs: 0 }))];
      return { ...this.#context({ ...rest, items, elapsedMs }, file), report };
    };
    let moment: Moment = "timedOut";
    if (done) {
      if (onPartial) {
        const { report: _, ...partial } = answer("start", 0);
        onPartial({ ...partial, isPartial: true });
      }
      const waitMs = this.#asking.waitMs(ask, providerMs, budgetMs);
      if (waitMs > 0 && (await this.#race(done, waitMs, signal))) moment = "raced";
    }
    const ms = this.#clock.now() - began;
    const { report, ...result } = answer(moment, Math.max(0, ms));
    const isLate = report.some(({ status }) => status === "late");
    return { ...result, isPartial: result.isPartial || isLate, providers: report, ms };
  }

  /** Waits for `done`, at most `ms`; returns true if it resolved in time. */
  async #race(done: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        stop();
        unheard();
        settle();
      };
      const stop = this.#clock.after(
        ms,
        end(() => resolve(false)),
      );
      const unheard = onAbort(
        signal,
        end(() => reject(signal!.reason as Error)),
      );
      void done.then(end(() => resolve(true)));
    });
  }

  /**
   * Remembers a completion for the text around a cursor, for {@link InlineContext.completion}.
   *
   * @throws EspalierError `bad_input`
   */
  remember(file: string | InlineFile, cursor: number, completion: string): void {
    if (typeof completion !== "string") throw badInput("completion", "a text", completion);
    const { path, text } = this.#document(file);
    const at = cursorOf(text, offsetOf(cursor, "cursor"));
    const handle = this.#held.handle();
    call(() => handle.putCompletion(path, text.slice(0, at), text.slice(at), completion));
  }

  /**
   * Returns the rest of a remembered completion if the user has typed its beginning since, or nothing yet.
   *
   * @throws EspalierError `bad_input`
   */
  completion(file: string | InlineFile, cursor: number): string | undefined {
    const { path, text } = this.#document(file);
    const at = cursorOf(text, offsetOf(cursor, "cursor"));
    const handle = this.#held.handle();
    return call(() => handle.getCompletion(path, text.slice(0, at), text.slice(at)));
  }

  /** Returns the paths of recently used files except `path`: visible ones first, newest first. */
  recentFiles(path = ""): string[] {
    needPath(path);
    const handle = this.#held.handle();
    return call(() => handle.recentFiles(path));
  }

  /** Returns an open file. */
  file(path: string): (InlineFile & { version: number }) | undefined {
    const file = this.#held.files.get(path);
    if (!file) return undefined;
    const { text, language, scheme, focusedMs, version } = file;
    return { path, text, language, scheme, version, ...(!Number.isNaN(focusedMs) && { focusedMs }) };
  }

  /** Returns statistics of the session. */
  state(): InlineState {
    const handle = this.#held.handle();
    return {
      files: this.#held.files.size,
      completions: call(() => handle.completionCount()),
      cachedDocuments: this.#asking.cachedDocuments,
      cacheBytes: call(() => handle.cacheMemory()),
      isAsking: this.#asking.isAsking,
    };
  }

  /** Cancels pending requests and frees the engine's memory. The session must not be used any more. */
  free(): void {
    this.#asking.free();
    this.#held.free();
  }

  #now(given: number | undefined): number {
    return given === undefined ? this.#clock.now() : timeOf(given, "options.now");
  }

  #file(path: string, name: string): OpenFile {
    const file = this.#held.files.get(path);
    if (!file) throw badInput(name, "the path of an open file", path);
    return file;
  }

  #document(file: string | InlineFile): Required<InlineFile> {
    return typeof file === "string" ? this.#file(file, "request.file") : fileOf(file, "request.file");
  }

  /** Returns the version of a document that is not open; it changes with the text. */
  #visitor(file: Required<InlineFile>): number {
    const isSame = this.#last?.path === file.path && this.#last.text === file.text;
    if (!isSame) this.#last = { ...file, version: (this.#last?.version ?? 0) + 1 };
    return this.#last!.version;
  }

  #providerRequest({ path, version, cursor }: Ask): Omit<InlineProviderRequest, "signal"> | undefined {
    const file = this.#held.files.get(path) ?? (this.#last?.path === path ? this.#last : undefined);
    if (!file) return undefined;
    const { text, language, scheme } = file;
    const [available = 0, primaryChars = 0, secondaryChars = 0] = call(() => workspace().inlineBudgets(text.length));
    const budget = { available, primaryChars, secondaryChars };
    return { file: { path, text, language, scheme }, version, cursor, neighbours: this.recentFiles(path), budget };
  }
}

function needPath(path: unknown): void {
  if (typeof path !== "string") throw badInput("path", "a path", path);
}

function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

function providersOf(providers: unknown, path: string): readonly InlineProvider[] {
  if (!Array.isArray(providers)) throw bad("", "a list of providers", providers, path);
  const names = new Set<string>();
  // A copy has no holes, which `forEach` skips.
  const all = Array.from(providers as readonly (Partial<InlineProvider> | null | undefined)[]);
  all.forEach((provider, index) => {
    const at = `${path}[${index}]`;
    if (typeof provider !== "object" || provider === null) throw bad("", "a provider: { name, provide }", provider, at);
    if (typeof provider.name !== "string" || names.has(provider.name))
      throw bad("name", "a unique name among the providers", provider.name, at);
    if (typeof provider.provide !== "function") throw bad("provide", "a function", provider.provide, at);
    names.add(provider.name);
  });
  return all as InlineProvider[];
}
