/**
 * The event log of a conversation, as hosts see it: checks what they pass. The core holds the neutral messages and the
 * edits; `state.ts` holds that half, the host's objects by id, and the lines.
 */

import { refuseUnfit } from "../calls/compact.ts";
import { readConversation } from "../formats/index.ts";
import { plain } from "../options/data.ts";
import { badValue, EspalierError } from "../errors/errors.ts";
import type {
  AdoptOptions,
  LogCheckpoint,
  LogCompactOptions,
  LogCompactResult,
  LogComparison,
  LogEdit,
  LogEditRow,
  LogImportOptions,
  LogOptions,
  LogPin,
  LogPinRow,
  LogPreview,
  LogReport,
  LogView,
  Recalled,
} from "./types.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactResult, Edit } from "../types/compact-report.ts";
import type { CountOptions, Origin, Totals } from "../types/count.ts";
import type { Added, RecalledText, Runs, View } from "../types/generated/log.ts";
import type { Format, NeutralMessage, PlanItem, ToolList } from "../types/messages.ts";
import type { Clock } from "../providers/types.ts";
import { attach } from "./attach.ts";
import { compactState } from "./compaction.ts";
import { composed } from "./compose.ts";
import {
  editFields,
  findFields,
  jsonText,
  isLasting,
  madeFields,
  needCount,
  needId,
  pinFields,
  queryFields,
} from "./fields.ts";
import { MessageSearch } from "./search.ts";
import type { FindOptions, FoundMessage } from "./search.ts";
import { LogState } from "./state.ts";
import { recallToolOf } from "../recall/registered.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { LOG_COMPACT } from "../options/schemas/compaction.ts";
import { LOG, LOG_COUNTING, LOG_IMPORT } from "../options/schemas/conversation.ts";

/**
 * A conversation as an append-only log: messages, edits over them, pins, rewinds, records. Nothing in it is ever
 * rewritten; the model sees a view, and every edit can be previewed, undone and recalled.
 *
 * ```ts
 * import { ConversationLog } from "espalier/log";
 *
 * const log = new ConversationLog({ format: "openai-chat" });
 * log.append([
 *   { role: "user", content: "Fix the parser." },
 *   { role: "assistant", content: "The tokenizer dropped the last character. I fixed it." },
 *   { role: "user", content: "Run the tests." },
 * ]);
 * const range = { from: "m0", to: "m1", summary: "The parser was fixed." };
 * const id = log.edit({ kind: "replace_range", rule: "summary", range });
 * log.view().messages.length; // => 2
 * log.undo(id);
 * log.view().messages.length; // => 3
 * const lines = log.export(); // to be stored
 * ```
 *
 * In every format but `espalier` messages have the ids `m0`, `m1`, … in the order in which they were added, including
 * rewound ones.
 */
export class ConversationLog<T = unknown> {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "ConversationLog";
  readonly format: Format;
  /** The engine's half, the lines, the host's objects. @internal */
  readonly state: LogState<T>;
  private readonly finder: MessageSearch;

  /**
   * Makes an empty log.
   *
   * @throws EspalierError `bad_option`, `unknown_encoding`, `encoding_not_loaded`
   */
  constructor(options: LogOptions) {
    const { format, provider, tools, now = Date.now, search, ...how } = check(options, LOG);
    this.format = format;
    this.state = new LogState({ format, provider }, how, tools, now);
    this.finder = new MessageSearch(this.state, search);
  }

  /**
   * Makes a log of a conversation that had none. The format is detected from the messages if absent.
   *
   * @throws EspalierError as the constructor and {@link append}, `unknown_format`
   */
  static from<T>(
    messages: readonly T[],
    options: Omit<LogOptions, "format"> & { format?: Format } = {},
  ): ConversationLog<T> {
    const format = check(options, LOG).format ?? readConversation(messages).format;
    const log = newLog<T>({ ...options, format });
    log.append(messages);
    return log;
  }

  /**
   * Reads the lines of a log. Keeps everything up to the first line that is truncated, changed or missing; `report`
   * lists what was dropped.
   *
   * @throws EspalierError `log_version` if a line is of a newer version (nothing is read then), `bad_message` if
   *   `messages` are not those of the log, and as the constructor
   */
  static import<T = NeutralMessage>(
    text: string,
    options: LogImportOptions<T> = {},
  ): { log: ConversationLog<T>; report: LogReport } {
    if (typeof text !== "string") throw badValue("text", "the lines of a log", text, "bad_input");
    const { messages, salvage = false, exact, ...others } = check(options, LOG_IMPORT);
    const { format = Array.isArray(messages) ? readConversation(messages).format : "espalier", ...rest } = others;
    if (messages === undefined && format !== "espalier")
      throw badValue("options.messages", `the messages of the log, because its format is ${format}`, messages);
    const log = newLog<T>({ ...rest, format });
    const report = log.state.read(text, Boolean(salvage), (state) =>
      attach(state, messages, exact ?? typeof messages !== "function"),
    );
    return { log, report };
  }

  /** Number of all messages, including rewound ones. */
  get originals(): number {
    return this.state.hosts.length;
  }

  /** Number of entries: the position of the next one. */
  get length(): number {
    return this.state.lines.length;
  }

  // ------------------------------------------------------------ entries

  /**
   * Appends one message or a list of them, all or none, in time proportional to them. Returns their ids.
   *
   * @throws EspalierError `bad_message`, `duplicate_id`, `bad_input`
   */
  append(messages: T | readonly T[], ...others: never[]): string[] {
    // As `list.push(call, result)`: results that are dropped without a word make requests with calls that have none.
    const [other] = others as unknown[];
    if (typeof other === "object" && other !== null)
      throw new EspalierError({
        code: "bad_input",
        message: "append takes one message or a list of them: append([first, second])",
        path: "messages",
      });
    const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
    return this.state.append(list);
  }

  /**
   * Records data that does not change the view: a provider's report, a plan, the outcome of a job, removals from one
   * request, a note. Returns the id of the entry. `data` must be JSON; the log stores it unchanged.
   *
   * @throws EspalierError `bad_input`
   */
  record(kind: "usage" | "plan" | "job" | "trim" | "note", data: unknown): string {
    if (!["usage", "plan", "job", "trim", "note"].includes(kind))
      throw badValue("kind", "usage, plan, job, trim or note", kind, "bad_input");
    const text = jsonText(data, "data", "bad_input");
    return this.state.addEntry((core, time) => core.record(kind, text, time) as Added);
  }

  /**
   * Adds an edit over the history. Returns its id.
   *
   * @throws EspalierError `bad_edit` with the path of the invalid field, `stale_plan`; the log is unchanged then
   */
  edit(edit: LogEdit): string {
    const fields = editFields(edit);
    return this.state.change((core, time) => core.edit(fields, time) as Added);
  }

  /**
   * Returns the effect of an edit. Nothing is recorded.
   *
   * @throws EspalierError as {@link ConversationLog.edit}
   */
  preview(edit: LogEdit): LogPreview<T> {
    type Raw = Omit<LogPreview<T>, "view" | "tokensBefore" | "tokensAfter"> & { view: View; edit: LogEditRow };
    const fields = editFields(edit);
    const {
      grown,
      view,
      total,
      edit: { tokensBefore, tokensAfter },
    } = this.state.run((core) => core.preview(fields) as Raw);
    return { grown, tokensBefore, tokensAfter, total, view: this.state.rebuilt(view) };
  }

  /**
   * Revokes an edit or a rewind: the given one, or the newest possible. Returns the id of the revoked entry, nothing if
   * there is none.
   *
   * @throws EspalierError `unknown_id`, `bad_edit` for a rewind after which messages were added
   */
  undo(id?: string): string | undefined {
    needId(id, "id", true);
    return this.state.takeBack((core, time) => core.undo(id, time));
  }

  /**
   * Restores a revoked edit, the given or the newest one, unless an edit or rewind was made since. Returns its id,
   * nothing if there is none.
   *
   * @throws EspalierError `unknown_id`, `bad_edit` if a range would overlap another
   */
  redo(id?: string): string | undefined {
    needId(id, "id", true);
    return this.state.takeBack((core, time) => core.redo(id, time));
  }

  /**
   * Removes all messages after `to` from the view (without `to`, all messages). Edits that reach past it are revoked,
   * which restores their messages. Returns the id of the entry.
   *
   * @throws EspalierError `unknown_id`
   */
  rewind(to?: string): string {
    needId(to, "to", true);
    return this.state.change((core, time) => core.rewind(to, time) as Added);
  }

  /**
   * Adds a pin, so that no edit removes its content; content that an edit has already removed returns while it is
   * pinned. Returns the pin's id.
   *
   * @throws EspalierError `unknown_id`, `bad_input`
   */
  pin(pin: LogPin): string {
    const own = pinFields(pin);
    return this.state.change((core, time) => core.pin(own, time) as Added);
  }

  /** @throws EspalierError `unknown_id` */
  unpin(id: string): void {
    needId(id, "id");
    this.state.change((core, time) => core.unpin(id, time) as Added);
  }

  /** Records a stored summary under the next number, and returns the number; numbers are never reused. */
  checkpoint(checkpoint: { title: string; path?: string | ((number: number) => string); edits?: string[] }): number {
    need(checkpoint, kinds.required(kinds.object), "checkpoint");
    const { title, path, edits } = checkpoint;
    const number = this.nextCheckpoint();
    const at = typeof path === "function" ? path(number) : path;
    const fields = plain({ number, title, path: at, edits: edits ?? [] }, "checkpoint", "bad_input");
    this.state.addEntry((core, time) => core.checkpoint(fields, time) as Added);
    return number;
  }

  /** Returns the number of the next stored summary. @internal */
  nextCheckpoint(): number {
    const newest = this.state.lines.newest("checkpoint");
    return newest === undefined ? 1 : (JSON.parse(newest) as { checkpoint: { number: number } }).checkpoint.number + 1;
  }

  /**
   * Records the edits of a compaction of {@link neutral} (or of the messages of {@link view} in the format `espalier`),
   * all or none; the view becomes the compaction's result. Returns their ids. Edits that make one request fit (dropped
   * rounds, a shortened newest request) belong to that request; a log refuses those that shorten the newest request.
   *
   * @throws EspalierError `bad_edit` with the number of the edit; `stale_plan` if their messages have changed since
   *   `options.since`
   */
  adopt(edits: readonly Edit[], options: AdoptOptions = {}): string[] {
    const [own, made] = madeFields(edits, options);
    return this.state.adopt((core, time) => core.adopt(own, made, time) as Added[]);
  }

  /**
   * Returns the view after these edits. Nothing is recorded.
   *
   * @throws EspalierError as {@link adopt}
   */
  previewAdopted(edits: readonly Edit[], options: AdoptOptions = {}): LogView<T> {
    const [own, made] = madeFields(edits, options);
    return this.state.rebuiltRuns(this.state.run((core) => core.previewAdopted(own, made) as Runs));
  }

  /**
   * Compacts the view and records the lasting edits. Edits that only make the next request fit (dropped rounds, a
   * shortened newest request) are not recorded; `after` of the report shows whether they are needed.
   *
   * ```ts
   * import { readFile } from "node:fs/promises";
   * import { ConversationLog } from "espalier/log";
   *
   * const log = ConversationLog.from(JSON.parse(await readFile("session.json", "utf8")));
   * const { status, ids } = await log.compact({ budget: 8_000 });
   * status; // => "applied"
   * log.view().messages.length < 52; // => true
   * for (const id of ids.toReversed()) log.undo(id);
   * log.view().messages.length; // => 52
   * ```
   *
   * @throws EspalierError as {@link compact}; `stale_plan` if the compacted messages changed while the model worked
   */
  async compact(asked: LogCompactOptions): Promise<LogCompactResult> {
    const { messages: _, ...result } = await this.compacted(asked, false);
    return result;
  }

  /**
   * The same for one request, whose newest request may be shortened. Returns its messages, with the edits that only
   * make it fit; nothing if they cannot be made from the plan.
   *
   * @throws EspalierError as {@link compact}; `compaction_failed` if the model fails and the request does not fit
   * @internal
   */
  compactRequest(asked: LogCompactOptions): Promise<LogCompactResult & { messages: T[] | undefined }> {
    return this.compacted(asked, true);
  }

  private async compacted(
    asked: LogCompactOptions,
    isRequest: boolean,
  ): Promise<LogCompactResult & { messages: T[] | undefined }> {
    const { trigger, planId, ...options } = check(asked, LOG_COMPACT);
    const since = this.length;
    const before = isRequest ? this.view().plan : [];
    const { status, plan, edits, report } = await this.compactView(options, undefined, isRequest);
    if (isRequest) refuseUnfit(report, options.budget);
    const lasting = edits.filter(isLasting);
    const { covered, summary, model, quality } = report;
    const data = {
      status,
      covered: covered.length,
      ...(summary !== undefined && { author: model ? "model" : "rule" }),
      ...(model && { model }),
      ...(quality && { misses: quality.misses }),
    };
    const ids = this.adopt(lasting, {
      since,
      data,
      ...(trigger !== undefined && { trigger }),
      ...(planId !== undefined && { planId }),
    });
    // The view adds pinned parts to whatever a plan leaves.
    const isWhole = this.pins().every(({ part }) => part === undefined);
    const whole = isRequest && isWhole ? composed(before, plan) : undefined;
    const messages = whole && (this.state.hosts.rebuild(whole) as T[]);
    return { status, ids, edits: lasting, report, messages };
  }

  /**
   * Compacts the view without recording anything. Counts are kept, so that no message is counted or read again; facts
   * that are pinned in words are part of the record. `after` is the timer of its timeouts. Only the result of
   * `isRequest`, which is one request, has a plan.
   *
   * @internal
   */
  compactView(
    options: Omit<CompactOptions, keyof CountOptions>,
    after?: Clock["after"],
    isRequest = false,
  ): Promise<Omit<CompactResult<unknown>, "messages"> & { plan: PlanItem[] }> {
    const recallTool = options.recallTool ?? recallToolOf(this);
    return compactState(this.state, { ...options, ...(recallTool !== undefined && { recallTool }) }, after, isRequest);
  }

  /** Adds the log's way of counting to options for a compaction of {@link neutral}. */
  counted<O extends object>(options: O) {
    return this.state.counted(options);
  }

  /**
   * Counts everything again, for another model. The host's tokenizer and its formula for pictures stay. Takes time
   * proportional to the log.
   *
   * @throws EspalierError `bad_option`, `unknown_encoding`, `encoding_not_loaded`; nothing has changed then
   */
  setCounting(counting: Pick<LogOptions, "encoding" | "model" | "costModel">): void {
    const { encoding, model, costModel } = check(counting, LOG_COUNTING, "counting");
    this.state.recount({ encoding, model, costModel });
    this.finder.free();
  }

  /**
   * Replaces the tool definitions for later requests, in the format of the messages. Only they are counted again.
   *
   * @throws EspalierError `bad_option`
   */
  setTools(tools: ToolList): void {
    this.state.setTools(tools);
  }

  // ------------------------------------------------------------ what there is

  /** Returns the messages to send: the history with the active edits, repaired so that no provider refuses it. */
  view(): LogView<T> {
    const view = this.state.view();
    return { ...view, messages: [...view.messages], plan: [...view.plan], position: this.length };
  }

  /** Returns copies of the view's messages in the neutral form. */
  neutral(): NeutralMessage[] {
    return this.state.neutral();
  }

  /** Returns the tokens of the view before repair. They are cached, so this takes no time. */
  totals(): Totals {
    return this.state.run((core) => core.totals() as Totals);
  }

  /** Returns the tokens of a message without edits, and of each of its parts. @throws EspalierError `unknown_id` */
  counts(id: string): { tokens: number; origin: Origin; parts: number[] } {
    needId(id, "id");
    return this.state.run((core) => core.counts(id) as { tokens: number; origin: Origin; parts: number[] });
  }

  /** Returns all edits, in log order, including revoked ones. */
  edits(): LogEditRow[] {
    return this.state.held.rows.map((row) => ({ ...row, targets: [...row.targets] }));
  }

  /** Returns all active pins. */
  pins(): LogPinRow[] {
    return this.state.pins().map((row) => ({ ...row }));
  }

  /** Returns all stored summaries, in the order of their numbers. */
  checkpoints(): LogCheckpoint[] {
    return this.state.run((core) => core.checkpoints() as LogCheckpoint[]);
  }

  /** Returns the tokens of these messages as the view shows them; messages outside of the view count 0. */
  tokensOf(ids: readonly string[]): number {
    return this.state.run((core) => core.tokensOf([...ids]));
  }

  /**
   * Returns the unchanged originals of an id, and the edits that hid them: of a message, a range (`m3..m9`), an edit,
   * or a summary (`e7:summary`). With `query` instead: the messages with the most of its words, newest first, at most
   * `maxResults` (20).
   *
   * @throws EspalierError `unknown_id`
   */
  recall(what: string | { query: string; maxResults?: number }): Recalled<T>[] {
    const asked = typeof what === "string" ? undefined : queryFields(what);
    const found = asked
      ? this.state.run((core) => core.search(asked.query, asked.maxResults) as RecalledText[])
      : this.state.recall(what as string);
    return found.map(({ message, hits = [], ...rest }) => {
      const { id, role } = message;
      return { id, role, ...rest, hits, message: this.state.hosts.original(id) as T };
    });
  }

  /**
   * Finds messages by words, including hidden ones: by BM25 over their texts and over the lines of summaries. A call
   * and its results are one result; rewound messages are not found. Loads the engine of "espalier/search" at the first
   * call (see {@link LogOptions.search}).
   *
   * @throws EspalierError `search_not_loaded`, `bad_option`
   */
  async search(query: string, options: FindOptions = {}): Promise<FoundMessage[]> {
    return this.finder.find(query, findFields(query, options));
  }

  /** Returns the records of a kind ({@link record}), in order. */
  records(kind: "usage" | "plan" | "job" | "trim" | "note"): { id: string; data: unknown }[] {
    return this.state.records(kind);
  }

  /**
   * Compares the views at two positions ({@link length} at the time).
   *
   * @throws EspalierError `bad_input`
   */
  compare(a: number, b: number): LogComparison {
    needCount(a, "a");
    needCount(b, "b");
    const within = (position: number) => Math.min(position, 4_294_967_295);
    return this.state.run((core) => core.compare(within(a), within(b)) as LogComparison);
  }

  /**
   * Returns a hash over these messages in their current form, to pass with an edit that is made from them ({@link
   * LogEdit.consumed}).
   *
   * @throws EspalierError `unknown_id`
   */
  fingerprint(ids: readonly string[]): string {
    if (!Array.isArray(ids)) throw badValue("ids", "a list of ids", ids, "bad_input");
    ids.forEach((id, at) => needId(id, `ids[${at}]`));
    return this.state.run((core) => core.fingerprint(ids));
  }

  /** Returns the host's own messages from a number on ({@link originals}), including hidden ones. */
  originalsFrom(number: number): T[] {
    needCount(number, "number");
    return this.state.hosts.from(number) as T[];
  }

  /** Returns the host's own message of this id, even if it is hidden. */
  original(id: string): T | undefined {
    return this.state.hosts.original(id) as T | undefined;
  }

  /** Returns the log as JSON lines, from a position on: append them to a file with the earlier lines. */
  export(from = 0): string {
    needCount(from, "from");
    return this.state.lines.from(from);
  }

  /** Returns the hash of the newest line: two logs with the same hash are the same. */
  hash(): string {
    return this.state.run((core) => core.hash());
  }

  /**
   * Frees the engine's half for reuse. The log can still be used; its half is then rebuilt. Only {@link resetEngine}
   * returns memory to the process, since that of a wasm instance never shrinks.
   */
  close(): void {
    this.finder.free();
    this.state.close();
  }
}

// Outside of the class: bundlers rename a class that refers to itself by name.
function newLog<T>(options: LogOptions): ConversationLog<T> {
  return new ConversationLog<T>(options);
}
