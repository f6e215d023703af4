/**
 * What a log holds: the engine's half, the lines from which that can be rebuilt, the host's objects, and results that
 * are valid until the next change. Everything that adds a line or changes the view goes through here.
 */

import { counting } from "../calls/reading.ts";
import type { Counting } from "../calls/reading.ts";
import type { Repair } from "../calls/wire-repair.ts";
import { call, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { badValue } from "../errors/errors.ts";
import { growing, readConversation } from "../formats/index.ts";
import type { Growing } from "../formats/index.ts";
import { defined } from "../options/data.ts";
import { encodingOf } from "../tokens/count.ts";
import type { Totals } from "../types/count.ts";
import type { Added, RecalledText, Runs, View } from "../types/generated/log.ts";
import type { Format, NeutralMessage, PlanItem, ToolList } from "../types/messages.ts";
import type { ProviderName } from "../types/validity.ts";
import { failedOption } from "../tokens/host-failure.ts";
import { receiverOfKept } from "../validity/validity.ts";
import type { Unattached } from "./attach.ts";
import { HeldEdits } from "./edits.ts";
import { Lines, messageOf, recordOf } from "./lines.ts";
import type { LogEditRow, LogOptions, LogPinRow, LogReport, LogView } from "./types.ts";

type Core = InstanceType<Wasm["EventLog"]>;
type Fields = ReturnType<typeof counting> & { written?: Format };

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

export class LogState<T> implements Unattached {
  readonly hosts: Growing;
  lines = new Lines();
  /** Increases with every change that may affect the view; `shown.at` is its value for the last view. */
  version = 0;
  /** The same, without added messages and tools. */
  edited = 0;
  readonly held = new HeldEdits(() => this.run((core) => core.edits() as LogEditRow[]));
  readonly format: Format;
  /** The host's tool definitions. */
  tools: ToolList;
  private readonly provider: ProviderName | undefined;
  /** The host's options for counting. */
  private how: Counting;
  /** The same in the core's form, with the tools. */
  private fields: Fields;
  private readonly now: () => number;
  private shown: { at: number; view: LogView<T> } | undefined;
  private pinned: { at: number; rows: LogPinRow[] } | undefined;
  private core: Core | undefined;
  private owner: Wasm | undefined;

  constructor(
    { format, provider }: Pick<LogOptions, "format" | "provider">,
    how: Counting,
    tools: ToolList | undefined,
    now: () => number,
  ) {
    this.hosts = growing(format);
    this.format = format;
    this.tools = tools ?? [];
    this.provider = provider;
    this.now = now;
    this.how = how;
    this.fields = this.counting(how, tools);
    this.live();
  }

  // ------------------------------------------------------------ the engine's half

  /** Runs an operation on the engine's half. */
  run<R>(operation: (core: Core, time: number) => R): R {
    const time = this.now();
    if (!Number.isSafeInteger(time)) throw badValue("options.now", "a function that returns whole milliseconds", time);
    const core = this.live();
    try {
      return call(() => operation(core, time));
    } catch (error) {
      // The operation went on with a wrong count: the engine's half is read again from the lines.
      if (failedOption(error)) this.close();
      throw error;
    }
  }

  /** Returns the core's half; rebuilds it from the lines if a crashed engine lost it. */
  live(): Core {
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

  /** Frees the engine's half. */
  close(): void {
    const core = this.core;
    this.core = undefined;
    if (core && this.owner === wasm()) core.free();
  }

  /** Replaces the log by the log of these lines. */
  read(text: string, salvage: boolean, attach: (state: Unattached) => void): LogReport {
    this.close();
    const engine = wasm();
    const core = call(() => engine.EventLog.read(text, this.fields, salvage));
    this.own(core, engine);
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
    attach(this);
    return report;
  }

  /** Returns true if the core has exactly this message. */
  has(message: NeutralMessage): boolean {
    return this.run((core) => core.has(message));
  }

  // ------------------------------------------------------------ changes

  /** Appends messages, all or none. Returns their ids. */
  append(list: readonly unknown[]): string[] {
    const read = this.hosts.push(list);
    try {
      this.keep(this.run((core, time) => core.append(read.messages, time) as Added[]));
      this.version += 1;
    } catch (error) {
      this.hosts.forget();
      throw error;
    }
    read.keep();
    return read.messages.map(({ id }) => id);
  }

  /** Adds an entry that may change the view. Returns its id. */
  change(operation: (core: Core, time: number) => Added): string {
    const id = this.addEntry(operation);
    this.viewChanged();
    return id;
  }

  /** Adds an entry that has no effect on the view. Returns its id. */
  addEntry(operation: (core: Core, time: number) => Added): string {
    const added = this.run(operation);
    this.keep([added]);
    return added.id;
  }

  /** Revokes or restores an entry. Returns the id of that entry, nothing if there is none. */
  takeBack(operation: (core: Core, time: number) => unknown): string | undefined {
    const undone = this.run(operation) as (Added & { target: string }) | undefined;
    if (undone) {
      this.keep([undone]);
      this.viewChanged();
    }
    return undone?.target;
  }

  /** Adds the edits of a compaction. Returns their ids. */
  adopt(operation: (core: Core, time: number) => Added[]): string[] {
    const added = this.run(operation);
    this.keep(added);
    this.altered();
    return added.map(({ id }) => id);
  }

  /** Runs an operation that may add entries and return the view. */
  advance<A extends Advanced>(operation: (core: Core, time: number) => A): A {
    const answer = this.run(operation);
    const { view, finished, lines } = answer;
    for (const line of lines) this.lines.push(line);
    if (finished && finished.ids.length > 0) this.altered();
    if (view) this.shown = { at: this.version, view: this.rebuiltRuns(view) };
    return answer;
  }

  private altered(): void {
    this.edited += 1;
    this.viewChanged();
  }

  private viewChanged(): void {
    this.version += 1;
    this.held.changed();
  }

  private keep(added: readonly Added[]): void {
    for (const { line } of added) this.lines.push(line);
  }

  // ------------------------------------------------------------ counting

  /** Counts everything again, for another model. Nothing has changed if it throws. */
  recount(model: Pick<Counting, "encoding" | "model" | "costModel">): void {
    const [how, fields] = [this.how, this.fields];
    const next = { ...how, ...model };
    const found = { ...this.counting(next), tools: fields.tools };
    this.close();
    [this.how, this.fields] = [next, found];
    this.version += 1;
    try {
      this.live();
    } catch (error) {
      [this.how, this.fields] = [how, fields];
      throw error;
    }
  }

  setTools(tools: ToolList): void {
    const neutral = readConversation([], { format: this.format, tools }).tools;
    const fields = { ...this.fields, tools: neutral };
    this.run((core) => core.setTools(fields));
    this.fields = fields;
    this.tools = tools;
    this.version += 1;
  }

  /** Adds the log's way of counting to options for a compaction of its neutral messages. */
  counted<O extends object>(options: O) {
    return { ...options, ...defined(this.how), tools: this.fields.tools, format: "espalier" as const };
  }

  /** Returns checked options in the core's form. An empty conversation of the format reads the tool definitions. */
  private counting(how: Counting, tools: ToolList = []): Fields {
    const fields = counting(readConversation([], { format: this.format, tools }), how);
    return { ...fields, ...(this.provider && { format: this.provider, written: this.format }) };
  }

  // ------------------------------------------------------------ what there is

  /** Returns the view; the same object until it changes. */
  view(): LogView<T> {
    if (this.shown?.at !== this.version)
      this.shown = { at: this.version, view: this.rebuiltRuns(this.run((core) => core.viewInRuns() as Runs)) };
    return this.shown.view;
  }

  /** Returns totals and origin of the view, if it was made since the log changed. */
  get shownTotals(): Pick<LogView<T>, "after" | "origin"> | undefined {
    if (this.shown?.at !== this.version) return undefined;
    const { after, origin } = this.shown.view;
    return { after, origin };
  }

  /** Returns the view as a provider takes it; without repairs it has no plan and no messages of its own. */
  mended(provider: ProviderName, model: string): MendedView<T> {
    const receiver = receiverOfKept(this.format, provider, model);
    const { plan, ...mended } = this.run((core) => core.mended(receiver) as CoreMended);
    return plan === undefined ? mended : { ...mended, plan, messages: this.hosts.rebuild(plan) as T[] };
  }

  /** Returns copies of the view's messages in the neutral form. */
  neutral(): NeutralMessage[] {
    return this.run((core) => core.messages() as NeutralMessage[]);
  }

  rebuilt(view: View): LogView<T> {
    return { ...view, messages: this.hosts.rebuild(view.plan) as T[] };
  }

  rebuiltRuns({ runs, items, ...view }: Runs): LogView<T> {
    const { plan, messages } = this.hosts.rebuildRuns(runs, items);
    return { ...view, plan, messages: messages as T[] };
  }

  /** Returns all active pins; the same objects until the log changes. */
  pins(): readonly LogPinRow[] {
    if (this.lines.newest("pin") === undefined) return [];
    if (this.pinned?.at !== this.version)
      this.pinned = { at: this.version, rows: this.run((core) => core.pins() as LogPinRow[]) };
    return this.pinned.rows;
  }

  /** Returns the user's last request, at most this number of characters. */
  newestRequest(characters: number): string {
    return this.run((core) => core.newestRequest(characters));
  }

  /** Returns the originals of an id, in the neutral form. */
  recall(id: string): RecalledText[] {
    return this.run((core) => core.recall(id) as RecalledText[]);
  }

  /** Returns the ids of the first and the last message; nothing if there are none. */
  ends(): [first: string, last: string] | undefined {
    const all = this.lines.of("message");
    const id = (at: number) => messageOf<NeutralMessage>(all.at(at)!).id;
    return all.length === 0 ? undefined : [id(0), id(-1)];
  }

  /** Returns the records of a kind whose lines pass a test, so that long ones need not be parsed. */
  records(
    kind: "usage" | "plan" | "job" | "trim" | "note",
    passes: (lines: readonly string[]) => readonly string[] = (lines) => lines,
  ): { id: string; data: unknown }[] {
    return passes(this.lines.of(kind)).map(recordOf);
  }
}
