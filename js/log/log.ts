/**
 * The event log of a conversation. The core holds the neutral messages and the edits; the host's objects stay here, by
 * id, and so do the lines, from which the core's half can be rebuilt.
 */

import { compactHeld } from "../calls/compact.ts";
import { counting } from "../calls/reading.ts";
import type { Counting } from "../calls/reading.ts";
import type { Repair } from "../calls/wire-repair.ts";
import { growing, readConversation } from "../formats/index.ts";
import type { Growing } from "../formats/index.ts";
import { call, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { defined, plain } from "../options/data.ts";
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
import { encodingOf } from "../tokens/count.ts";
import { HeldEdits } from "./edits.ts";
import { attach, attachStored } from "./attach.ts";
import type { StoredMessages, Unattached } from "./attach.ts";
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
import { Lines, messageOf, recordOf } from "./lines.ts";
import { MessageSearch } from "./search.ts";
import type { FindOptions, FoundMessage } from "./search.ts";
import { recallToolOf } from "../recall/registered.ts";
import { check, need } from "../options/check.ts";
import type { ProviderName } from "../types/validity.ts";
import { receiverOfKept } from "../validity/validity.ts";
import { mediaOf } from "../validity/media.ts";
import * as kinds from "../options/kinds.ts";
import { LOG_COMPACT } from "../options/schemas/compaction.ts";
import { LOG, LOG_COUNTING, LOG_IMPORT } from "../options/schemas/conversation.ts";

type Core = InstanceType<Wasm["EventLog"]>;
type Fields = ReturnType<typeof counting>;
/** The view as a provider takes it. */
interface CoreMended {
  plan?: PlanItem[];
  after: Totals;
  repair: Repair;
}

type MendedView<T> = Omit<CoreMended, "plan"> & { plan?: PlanItem[]; messages?: T[] };

/** The result of an operation on a log: added lines, ids of edits among them, and the view. */
export interface Advanced {
  view?: Runs;
  lines: string[];
  finished?: { ids: string[] };
}
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
  private readonly hosts: Growing;
  /** The host's options for counting. */
  private how: Counting;
  /** The same in the core's form, with the tools. */
  private fields: Fields;
  private readonly now: () => number;
  private lines = new Lines();
  /** Increases with every change that may affect the view; `shown.at` is its value for the last view. */
  private changes = 0;
  /** The same, without added messages and tools. */
  private edited = 0;
  private shown: { at: number; view: LogView<T> } | undefined;
  private pinned: { at: number; rows: LogPinRow[] } | undefined;
  private readonly held = new HeldEdits(() => this.run((core) => core.edits() as LogEditRow[]));
  private readonly finder: MessageSearch;
  private core: Core | undefined;
  private owner: Wasm | undefined;

  /**
   * Makes an empty log.
   *
   * @throws EspalierError `bad_option`, `unknown_encoding`, `encoding_not_loaded`
   */
  constructor(options: LogOptions) {
    const { format, tools, now = Date.now, search, ...how } = check(options, LOG);
    this.hosts = growing(format);
    this.format = format;
    this.now = now;
    this.finder = new MessageSearch(
      {
        lines: () => this.lines,
        where: (id) => this.run((core) => core.recall(id) as Pick<Recalled<T>, "place" | "by">[])[0]!,
        summaries: () => this.view().plan.flatMap((item) => (item.type === "insert" ? [item.message] : [])),
        pins: () => this.pins(),
      },
      search,
    );
    this.how = how;
    this.fields = this.counting(how, tools);
    this.live();
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
    const format = check(options, LOG).format ?? readConversation(messages, {}).format;
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
    const { format = Array.isArray(messages) ? readConversation(messages, {}).format : "espalier", ...rest } = others;
    if (messages === undefined && format !== "espalier")
      throw badValue("options.messages", `the messages of the log, because its format is ${format}`, messages);
    return newLog<T>({ ...rest, format }).read(text, Boolean(salvage), (log) =>
      attach(log, messages, exact ?? typeof messages !== "function"),
    );
  }

  /** Reads the lines of a log whose messages are stored beside it. @internal */
  static reopen<T>(
    text: string,
    options: LogOptions,
    salvage: boolean,
    stored: StoredMessages<T>,
  ): { log: ConversationLog<T>; report: LogReport } {
    return newLog<T>(options).read(text, salvage, (log) => attachStored(log, stored));
  }

  /** Replaces this log by the log of these lines. */
  private read(
    text: string,
    salvage: boolean,
    attach: (log: Unattached) => void,
  ): { log: ConversationLog<T>; report: LogReport } {
    this.close();
    const engine = wasm();
    const core = call(() => engine.EventLog.read(text, this.fields, salvage));
    this.own(core, engine);
    this.mayHaveMedia = /"type":\s*"(?:image|document)"/.test(text);
    const { verbatim, ...report } = call(() => core.report() as LogReport & { verbatim: boolean });
    const lines = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    // Lines that equal their canonical form need not be written again.
    this.lines = new Lines(
      verbatim && report.problems.length === 0
        ? lines
        : call(() => core.lines(0))
            .split("\n")
            .slice(0, -1),
    );
    attach(this.unattached());
    return { log: this, report };
  }

  /** Number of all messages, including rewound ones. */
  get originals(): number {
    return this.hosts.length;
  }

  /** True if there are pictures or documents: models count them differently, even with the same encoding. @internal */
  get hasMedia(): boolean {
    return this.lines.hasMedia;
  }

  /** False if no message has a picture or a document. @internal */
  mayHaveMedia = false;

  /** Number of entries: the position of the next one. */
  get length(): number {
    return this.lines.length;
  }

  // ------------------------------------------------------------ entries

  /**
   * Appends one message or several, all or none, in time proportional to them. Returns their ids.
   *
   * @throws EspalierError `bad_message`, `duplicate_id`
   */
  append(messages: T | readonly T[]): string[] {
    const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
    const read = this.hosts.push(list);
    try {
      this.keep(this.run((core, time) => core.append(read.messages, time) as Added[]));
      this.changes += 1;
    } catch (error) {
      this.hosts.forget();
      throw error;
    }
    read.keep();
    this.mayHaveMedia ||= mediaOf(read).length > 0;
    return read.messages.map(({ id }) => id);
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
    return this.addEntry((core, time) => core.record(kind, text, time) as Added);
  }

  /**
   * Adds an edit over the history. Returns its id.
   *
   * @throws EspalierError `bad_edit` with the path of the invalid field, `stale_plan`; the log is unchanged then
   */
  edit(edit: LogEdit): string {
    const fields = editFields(edit);
    return this.change((core, time) => core.edit(fields, time) as Added);
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
    } = this.run((core) => core.preview(fields) as Raw);
    return { grown, tokensBefore, tokensAfter, total, view: this.rebuilt(view) };
  }

  /**
   * Revokes an edit or a rewind: the given one, or the newest possible. Returns the id of the revoked entry, nothing if
   * there is none.
   *
   * @throws EspalierError `unknown_id`, `bad_edit` for a rewind after which messages were added
   */
  undo(id?: string): string | undefined {
    needId(id, "id", true);
    return this.takeBack((core, time) => core.undo(id, time));
  }

  /**
   * Restores a revoked edit, the given or the newest one, unless an edit or rewind was made since. Returns its id,
   * nothing if there is none.
   *
   * @throws EspalierError `unknown_id`, `bad_edit` if a range would overlap another
   */
  redo(id?: string): string | undefined {
    needId(id, "id", true);
    return this.takeBack((core, time) => core.redo(id, time));
  }

  /**
   * Removes all messages after `to` from the view (without `to`, all messages). Edits that reach past it are revoked,
   * which restores their messages. Returns the id of the entry.
   *
   * @throws EspalierError `unknown_id`
   */
  rewind(to?: string): string {
    needId(to, "to", true);
    return this.change((core, time) => core.rewind(to, time) as Added);
  }

  /**
   * Adds a pin, so that no edit removes its content; content that an edit has already removed returns while it is
   * pinned. Returns the pin's id.
   *
   * @throws EspalierError `unknown_id`, `bad_input`
   */
  pin(pin: LogPin): string {
    const own = pinFields(pin);
    return this.change((core, time) => core.pin(own, time) as Added);
  }

  /** @throws EspalierError `unknown_id` */
  unpin(id: string): void {
    needId(id, "id");
    this.change((core, time) => core.unpin(id, time) as Added);
  }

  /** Records a stored summary under the next number, and returns the number; numbers are never reused. */
  checkpoint(checkpoint: { title: string; path?: string | ((number: number) => string); edits?: string[] }): number {
    need(checkpoint, kinds.required(kinds.object), "checkpoint");
    const { title, path, edits } = checkpoint;
    const number = this.nextCheckpoint();
    const at = typeof path === "function" ? path(number) : path;
    const fields = plain({ number, title, path: at, edits: edits ?? [] }, "checkpoint", "bad_input");
    this.addEntry((core, time) => core.checkpoint(fields, time) as Added);
    return number;
  }

  /** Returns the number of the next stored summary. @internal */
  nextCheckpoint(): number {
    const newest = this.lines.of("checkpoint").at(-1);
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
    const added = this.run((core, time) => core.adopt(own, made, time) as Added[]);
    this.keep(added);
    this.altered();
    return added.map(({ id }) => id);
  }

  /**
   * Returns the view after these edits. Nothing is recorded.
   *
   * @throws EspalierError as {@link adopt}
   */
  previewAdopted(edits: readonly Edit[], options: AdoptOptions = {}): LogView<T> {
    const [own, made] = madeFields(edits, options);
    return this.rebuiltRuns(this.run((core) => core.previewAdopted(own, made) as Runs));
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
    const { trigger, planId, ...options } = check(asked, LOG_COMPACT);
    const since = this.length;
    const { status, edits, report } = await this.compactView(options);
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
    return { status, ids, edits: lasting, report };
  }

  /**
   * Compacts the view without recording anything. Counts are kept, so that no message is counted or read again; facts
   * that are pinned in words are part of the record. `after` is the timer of its timeouts.
   *
   * @internal
   */
  compactView(
    options: Omit<CompactOptions, keyof CountOptions>,
    after?: Clock["after"],
  ): Promise<Omit<CompactResult<unknown>, "messages">> {
    const pinned = this.pins().flatMap(({ fact }) => (fact === undefined ? [] : [fact]));
    const ledger =
      pinned.length === 0
        ? options.ledger
        : { ...options.ledger, facts: [...(options.ledger?.facts ?? []), ...pinned] };
    const recallTool = options.recallTool ?? recallToolOf(this);
    const all = this.counted({
      ...options,
      ...(ledger && { ledger }),
      ...(recallTool !== undefined && { recallTool }),
    }) as CompactOptions;
    const { edited } = this;
    const messages = () => {
      // Messages that were added while a hook ran follow the compacted ones; any other change makes it another view.
      if (this.edited !== edited)
        throw new EspalierError({
          code: "stale_plan",
          message: "the conversation was changed while its compaction was prepared",
        });
      return this.neutral();
    };
    return compactHeld(
      messages,
      all,
      (fields) => this.live().beginCompaction({ ...fields, thinking: this.hosts.unled() }),
      after,
    );
  }

  /** Adds the log's way of counting to options for a compaction of {@link neutral}. */
  counted<O extends object>(options: O) {
    return { ...options, ...defined(this.how), tools: this.fields.tools, format: "espalier" as const };
  }

  /** Returns checked options in the core's form. An empty conversation of the format reads the tool definitions. */
  private counting(how: Counting, tools: ToolList = []): Fields {
    return counting(readConversation([], { format: this.format, tools }), how);
  }

  /**
   * Counts everything again, for another model. The host's tokenizer and its formula for pictures stay. Takes time
   * proportional to the log.
   *
   * @throws EspalierError `bad_option`, `unknown_encoding`, `encoding_not_loaded`; nothing has changed then
   */
  setCounting(counting: Pick<LogOptions, "encoding" | "model" | "costModel">): void {
    const { encoding, model, costModel } = check(counting, LOG_COUNTING, "counting");
    const [how, fields] = [this.how, this.fields];
    const next = { ...how, encoding, model, costModel };
    const found = { ...this.counting(next), tools: fields.tools };
    this.close();
    [this.how, this.fields] = [next, found];
    this.changes += 1;
    try {
      this.live();
    } catch (error) {
      [this.how, this.fields] = [how, fields];
      throw error;
    }
  }

  /**
   * Replaces the tool definitions for later requests, in the format of the messages. Only they are counted again.
   *
   * @throws EspalierError `bad_option`
   */
  setTools(tools: ToolList): void {
    const neutral = readConversation([], { format: this.format, tools }).tools;
    const fields = { ...this.fields, tools: neutral };
    this.run((core) => core.setTools(fields));
    this.fields = fields;
    this.changes += 1;
  }

  // ------------------------------------------------------------ what there is

  /** Returns the messages to send: the history with the active edits, repaired so that no provider refuses it. */
  view(): LogView<T> {
    if (this.shown?.at !== this.changes) {
      this.shown = { at: this.changes, view: this.rebuiltRuns(this.run((core) => core.viewInRuns() as Runs)) };
    }
    const { view } = this.shown;
    return { ...view, messages: [...view.messages], plan: [...view.plan], position: this.length };
  }

  /** Returns the view as a provider takes it; without repairs it has no plan and no messages of its own. @internal */
  mended(provider: ProviderName, model: string): MendedView<T> {
    const receiver = receiverOfKept(this.format, provider, model);
    const { plan, ...mended } = this.run((core) => core.mended(receiver) as CoreMended);
    return plan === undefined ? mended : { ...mended, plan, messages: this.hosts.rebuild(plan) as T[] };
  }

  /** Returns copies of the view's messages in the neutral form. */
  neutral(): NeutralMessage[] {
    return this.run((core) => core.messages() as NeutralMessage[]);
  }

  /** Returns the tokens of the view before repair. They are cached, so this takes no time. */
  totals(): Totals {
    return this.run((core) => core.totals() as Totals);
  }

  /** Returns the user's last request, at most this number of characters. @internal */
  newestRequest(characters: number): string {
    return this.run((core) => core.newestRequest(characters));
  }

  /** Returns the tokens of a message without edits, and of each of its parts. @throws EspalierError `unknown_id` */
  counts(id: string): { tokens: number; origin: Origin; parts: number[] } {
    needId(id, "id");
    return this.run((core) => core.counts(id) as { tokens: number; origin: Origin; parts: number[] });
  }

  /** Returns all edits, in log order, including revoked ones. */
  edits(): LogEditRow[] {
    return this.held.rows.map((row) => ({ ...row, targets: [...row.targets] }));
  }

  /** Returns the ids of the active edits as one text: the same text for the same edits. @internal */
  standing(): string {
    return this.held.standing;
  }

  /** Returns the newest active summary. @internal */
  newestSummary(): string | undefined {
    return this.held.rows.findLast(({ kind, revokedBy }) => kind === "replace_range" && revokedBy === undefined)?.id;
  }

  /** Returns all active pins. */
  pins(): LogPinRow[] {
    if (this.lines.of("pin").length === 0) return [];
    if (this.pinned?.at !== this.changes)
      this.pinned = { at: this.changes, rows: this.run((core) => core.pins() as LogPinRow[]) };
    return this.pinned.rows.map((row) => ({ ...row }));
  }

  /** Returns all stored summaries, in the order of their numbers. */
  checkpoints(): LogCheckpoint[] {
    return this.run((core) => core.checkpoints() as LogCheckpoint[]);
  }

  /** Returns the tokens of these messages as the view shows them; messages outside of the view count 0. */
  tokensOf(ids: readonly string[]): number {
    return this.run((core) => core.tokensOf([...ids]));
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
      ? this.run((core) => core.search(asked.query, asked.maxResults) as RecalledText[])
      : this.recallText(what as string);
    return found.map(({ message, hits = [], ...rest }) => {
      const { id, role } = message;
      return { id, role, ...rest, hits, message: this.hosts.original(id) as T };
    });
  }

  /** Returns the originals of an id, in the neutral form. @internal */
  recallText(id: string): RecalledText[] {
    return this.run((core) => core.recall(id) as RecalledText[]);
  }

  /** Returns the ids of the first and the last message; nothing if there are none. @internal */
  ends(): [first: string, last: string] | undefined {
    const all = this.lines.of("message");
    const id = (at: number) => messageOf<NeutralMessage>(all.at(at)!).id;
    return all.length === 0 ? undefined : [id(0), id(-1)];
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
    return this.lines.of(kind).map(recordOf);
  }

  /** Returns the records whose lines pass a test, so that long ones need not be parsed. @internal */
  recordsOf(
    kind: "usage" | "plan" | "job" | "trim" | "note",
    passes: (lines: readonly string[]) => readonly string[],
  ): { id: string; data: unknown }[] {
    return passes(this.lines.of(kind)).map(recordOf);
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
    return this.run((core) => core.compare(within(a), within(b)) as LogComparison);
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
    return this.run((core) => core.fingerprint(ids));
  }

  /** Returns the host's own messages from a number on ({@link originals}), including hidden ones. */
  originalsFrom(number: number): T[] {
    needCount(number, "number");
    return this.hosts.from(number) as T[];
  }

  /** Returns the host's own message of this id, even if it is hidden. */
  original(id: string): T | undefined {
    return this.hosts.original(id) as T | undefined;
  }

  /** Returns the log as JSON lines, from a position on: append them to a file with the earlier lines. */
  export(from = 0): string {
    needCount(from, "from");
    return this.lines.from(from);
  }

  /** Returns the hash of the newest line: two logs with the same hash are the same. */
  hash(): string {
    return this.run((core) => core.hash());
  }

  /**
   * Frees the engine's half for reuse. The log can still be used; its half is then rebuilt. Only {@link resetEngine}
   * returns memory to the process, since that of a wasm instance never shrinks.
   */
  close(): void {
    this.finder.free();
    const core = this.core;
    this.core = undefined;
    if (core && this.owner === wasm()) core.free();
  }

  // ------------------------------------------------------------ the engine's half

  /** Increases with every change that may affect the view. @internal */
  get version(): number {
    return this.changes;
  }

  /** Returns totals and origin of the view, if it was made since the log changed. @internal */
  get shownTotals(): Pick<LogView<T>, "after" | "origin"> | undefined {
    if (this.shown?.at !== this.changes) return undefined;
    const { after, origin } = this.shown.view;
    return { after, origin };
  }

  /** Runs an operation on the engine's half that may add entries and return the view. @internal */
  advance<A extends Advanced>(operation: (core: Core, time: number) => A): A {
    const answer = this.run(operation);
    const { view, finished, lines } = answer;
    for (const line of lines) this.lines.push(line);
    if (finished && finished.ids.length > 0) this.altered();
    if (view) this.shown = { at: this.changes, view: this.rebuiltRuns(view) };
    return answer;
  }

  /** Returns the core's half; rebuilds it from the lines if a crashed engine lost it. */
  private live(): Core {
    const engine = wasm();
    if (this.core && this.owner === engine) return this.core;
    if (!this.fields.tokenizer) encodingOf(this.fields);
    const lines = this.lines;
    const core =
      lines.length === 0
        ? call(() => new engine.EventLog(this.fields))
        : call(() => engine.EventLog.read(lines.text(), this.fields, false));
    return this.own(core, engine);
  }

  private own(core: Core, engine: Wasm): Core {
    this.core = core;
    this.owner = engine;
    return core;
  }

  private run<R>(operation: (core: Core, time: number) => R): R {
    const time = this.now();
    if (!Number.isSafeInteger(time)) throw badValue("options.now", "a function that returns whole milliseconds", time);
    const core = this.live();
    return call(() => operation(core, time));
  }

  /** Adds an entry that may change the view. */
  private change(operation: (core: Core, time: number) => Added): string {
    const id = this.addEntry(operation);
    this.changes += 1;
    this.held.changed();
    return id;
  }

  /** Adds an entry that has no effect on the view. */
  private addEntry(operation: (core: Core, time: number) => Added): string {
    const added = this.run(operation);
    this.keep([added]);
    return added.id;
  }

  private takeBack(operation: (core: Core, time: number) => unknown): string | undefined {
    const undone = this.run(operation) as (Added & { target: string }) | undefined;
    if (undone) {
      this.keep([undone]);
      this.changes += 1;
      this.held.changed();
    }
    return undone?.target;
  }

  private altered(): void {
    this.changes += 1;
    this.edited += 1;
    this.held.changed();
  }

  private keep(added: readonly Added[]): void {
    for (const { line } of added) this.lines.push(line);
  }

  private unattached(): Unattached {
    const { hosts, lines } = this;
    return {
      hosts,
      lines,
      has: (message) => this.run((core) => core.has(message)),
      shapes: () => this.run((core) => core.shapes()),
    };
  }

  private rebuilt(view: View): LogView<T> {
    return { ...view, messages: this.hosts.rebuild(view.plan) as T[] };
  }

  private rebuiltRuns({ runs, items, ...view }: Runs): LogView<T> {
    const { plan, messages } = this.hosts.rebuildRuns(runs, items);
    return { ...view, plan, messages: messages as T[] };
  }
}

// Outside of the class: bundlers rename a class that refers to itself by name.
function newLog<T>(options: LogOptions): ConversationLog<T> {
  return new ConversationLog<T>(options);
}
