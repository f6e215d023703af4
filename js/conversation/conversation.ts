/**
 * A conversation that stays within its model's window: a host appends messages and asks for the next request. This file
 * decides from the log which compactions to apply, and when; the rules are the core's.
 */

import { reportRecordedUsage } from "./anchors.ts";
import { Answers } from "./answers.ts";
import { ByHand } from "./by-hand.ts";
import { Compactor } from "./compactor.ts";
import { contextOf } from "./context.ts";
import type { Context, ContextFields } from "./context.ts";
import type { AnyEvent, EventOf } from "./events.ts";
import { InTree } from "./in-tree.ts";
import { importSummaries } from "./imported.ts";
import type { StoredSummary } from "./imported.ts";
import { countSystem } from "./meter.ts";
import { learnedOf, Models } from "./models.ts";
import { pin as pinOn } from "./pinning.ts";
import { Requests } from "./requests.ts";
import type { Flushed } from "./saving.ts";
import { Turns, waitAtMost } from "./turns.ts";
import type {
  Compacted,
  ConversationOptions,
  ConversationUsage,
  ModelSwitch,
  Opened,
  Plan,
  PrepareOptions,
  Prepared,
} from "./types.ts";
import { redo, undo } from "./undoing.ts";
import { EspalierError } from "../errors/errors.ts";
import type { LogCheckpoint, LogComparison, LogEditRow, LogPin, LogPinRow, LogView, Recalled } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import type { FindOptions, FoundMessage } from "../log/search.ts";
import type { NextStep } from "../calls/recovery.ts";
import type { ModelLimits } from "../types/prune.ts";
import type { NeutralMessage, ToolList } from "../types/messages.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { model as modelOption } from "../options/schemas/counting.ts";
import { BY_HAND, MEMORY, PREPARE, PREVIEW, SWITCH } from "../options/schemas/conversation.ts";

/** Min messages for a compaction because of memory pressure. */
const FEW = 4;

/** See {@link openConversation}. */
export class Conversation<T = unknown> {
  /** The log: every message, edit and record. The host may add edits of its own. */
  readonly log: ConversationLog<T>;
  /** The outcome of opening the conversation. */
  readonly opened: Opened;
  private readonly c: Context<T>;
  private readonly options: ConversationOptions<T>;
  private readonly models: Models<T>;
  private readonly answers: Answers<T>;
  private readonly compactor: Compactor<T>;
  private readonly requests: Requests<T>;
  private readonly byHand: ByHand<T>;
  private readonly turns = new Turns();
  private readonly tree: InTree<T>;
  private isDisposed = false;

  /** @internal Use {@link openConversation}. */
  constructor(fields: ContextFields<T>, options: ConversationOptions<T>, opened: Opened, system: string | undefined) {
    this.log = fields.log;
    this.options = options;
    this.c = contextOf(fields);
    this.c.machine.attach(this.log, learnedOf(this.log));
    this.models = new Models(this.c, options);
    this.c.apart = countSystem(this.log, system);
    this.answers = new Answers(this.c, this.models, options.serverManaged === true);
    this.compactor = new Compactor(this.c);
    this.requests = new Requests(this.c, { compactor: this.compactor, models: this.models }, options);
    this.byHand = new ByHand(this.c, this.compactor, this.turns);
    this.tree = new InTree(this.c, this.turns, this.requests, options);
    const interrupted = this.compactor.reopen();
    this.opened = { ...opened, ...(interrupted !== undefined && { interrupted }) };
    if (opened.isNew && options.session) reportRecordedUsage(this.c, options.session, this.log.totals());
    if (opened.isNew) this.c.saving.check();
    else this.c.saving.save();
  }

  // ------------------------------------------------------------ what happens

  /**
   * Appends one message or a list of them, all or none. Returns their ids. Messages are not copied: a message that is
   * changed later is sent as changed, but is neither counted nor checked again.
   *
   * @throws EspalierError `bad_message`, `duplicate_id`, `bad_input`, `disposed`
   */
  append(messages: T | readonly T[], ...others: never[]): string[] {
    this.alive();
    const ids = this.log.append(messages, ...others);
    this.c.saving.save();
    return ids;
  }

  /**
   * Takes the provider's report of the newest request: its `usage` unchanged, or the number of prompt tokens. Reports
   * make counts more exact, and reveal answers to silently truncated requests. A request counts once: another report of
   * it, as streams make, replaces its tokens in `usage().reported`.
   */
  reportUsage(usage: unknown): void {
    this.alive();
    this.answers.usage(usage);
  }

  /**
   * Takes the error with which the provider refused the newest request. If the request was too large, the conversation
   * learns the limit, from the error's text if it contains one, and `retry` tells the host to call {@link prepare} and
   * send again; after three retries it is false.
   *
   * ```ts
   * import { readFile } from "node:fs/promises";
   * import { openConversation } from "espalier";
   *
   * const messages = JSON.parse(await readFile("session.json", "utf8"));
   * const conversation = await openConversation({ format: "openai-chat", model: "gpt-4o", messages });
   * await conversation.prepare(); // sent, and refused:
   * const error = { status: 400, message: "This model's maximum context length is 32000 tokens." };
   * conversation.contextRefused(error).action; // => "retry"
   * const { report } = await conversation.prepare(); // to be sent again
   * report.usage.used <= 32_000; // => true
   * ```
   */
  contextRefused(error: unknown): NextStep {
    this.alive();
    return this.answers.refusal(error);
  }

  /**
   * Returns the next request and a report on it. The request is valid, and by the exact count never larger than the
   * model's limit. Calls run one after the other; a call from within a callback of this conversation (the model, a
   * hook, a file) is answered at once, without a compaction. This call applies or begins summaries; a running job
   * continues when `signal` aborts.
   *
   * @throws EspalierError `budget_exceeded` if the messages that must stay are too large even when shortened;
   *   `pending_calls` if calls have no result and `pending` is `refuse`; `aborted`; `disposed`; `bad_option`
   */
  async prepare<Tools extends ToolList = ToolList>(options: PrepareOptions<Tools> = {}): Promise<Prepared<T, Tools>> {
    const { signal } = check(options, PREPARE);
    if (this.c.inside.isInside) {
      this.alive();
      return (await this.requests.prepareInside(options)) as Prepared<T, Tools>;
    }
    return (await this.turns.take(signal, (own) => this.requests.prepare(options, own))) as Prepared<T, Tools>;
  }

  /** Returns the interface for requests of a prompt tree. @internal */
  inTree(): InTree<T> {
    this.alive();
    return this.tree;
  }

  // ------------------------------------------------------------ compactions

  /**
   * Compacts now, needed or not, even if automatic compaction is off. Cancels a running job. If it fails, everything
   * stays unchanged and the status says why; after an abort of `signal`, also before it begins, it is `cancelled`.
   *
   * @throws EspalierError `disposed`, `bad_option`
   */
  async compact(options: { focus?: string; signal?: AbortSignal } = {}): Promise<Compacted> {
    const wanted = check(options, BY_HAND);
    this.alive();
    return this.byHand.compact("manual", wanted);
  }

  /**
   * Compacts the messages `from`..`to` of the view; without `from` from the beginning, without `to` to the end. The
   * bounds extend to whole rounds and around summaries that they touch; the newest request and pins stay.
   *
   * @throws EspalierError `unknown_id`, `bad_input`, `disposed`
   */
  async compactRange(
    from?: string,
    to?: string,
    options: { focus?: string; signal?: AbortSignal } = {},
  ): Promise<Compacted> {
    const wanted = check(options, BY_HAND);
    this.alive();
    return this.byHand.compact("range", wanted, { from, to });
  }

  /**
   * Begins a summary beside the conversation because the agent asked for it, for example by a tool `compact_context`.
   * Returns the number of the job, if there is one. Begins nothing if automatic compaction is off: then only the user
   * may ask for one, through {@link compact}.
   */
  agentRequest(focus?: string): number | undefined {
    this.alive();
    need(focus, kinds.text, "focus");
    if (this.compactor.jobs.phase === "running") return this.compactor.jobs.running;
    if (this.options.automatic === false) return undefined;
    return this.compactor.startJob("agent_request", { focus, model: true });
  }

  /**
   * Begins a summary beside the conversation because memory is short, if there are at least four messages; by rules
   * unless `model` is true. Applies a finished result at once. Begins nothing if automatic compaction is off.
   */
  memoryPressure(options: { model?: boolean } = {}): number | undefined {
    this.alive();
    const { model = false } = check(options, MEMORY);
    const waiting = this.compactor.jobs.takeReady();
    if (waiting) {
      this.compactor.applyJob(waiting.job, waiting.value);
      return undefined;
    }
    if (this.options.automatic === false || this.log.view().after.messages < FEW) return undefined;
    return this.compactor.startJob("memory_pressure", { focus: undefined, model });
  }

  /**
   * Returns the plan of a compaction; nothing is recorded. `summary` replaces the covered messages; with `model` the
   * host's model writes the summary; without either, rules do.
   *
   * @throws EspalierError `bad_option`; `nothing_to_compact` or `not_ready` if there is no plan; `stale_plan` if the
   *   covered messages change while it is made; `already_running` with `model` from within a callback of this
   *   conversation; `aborted`; `disposed`
   */
  async preview(
    options: {
      focus?: string;
      summary?: string;
      model?: boolean;
      signal?: AbortSignal;
      from?: string;
      to?: string;
    } = {},
  ): Promise<Plan<T>> {
    const { focus, signal, summary, model = false, from, to } = check(options, PREVIEW);
    const range = from === undefined && to === undefined ? undefined : { from, to };
    if (model && this.c.inside.isInside) throw alreadyRunning();
    return this.turn(signal, (own) =>
      this.byHand.plan(range ? "range" : "manual", { focus, model, signal: own, ...(range && { range }) }, summary),
    );
  }

  /**
   * Applies a plan, whose texts may have been edited. Returns the ids of its edits.
   *
   * @throws EspalierError `stale_plan` if its messages have changed since, `bad_edit`
   */
  apply(plan: Pick<Plan<T>, "edits" | "since" | "trigger">): string[] {
    this.alive();
    need(plan, kinds.required(kinds.object), "plan");
    const { edits, since, trigger } = plan;
    this.c.begun += 1;
    const ids = this.log.adopt(edits, { since, trigger, planId: `c${this.c.begun}` });
    this.c.saving.save();
    return ids;
  }

  /**
   * Reports the effect of a change to another model. Nothing changes; `prepare({ model })` makes the change, and
   * compacts first if it must. If the view does not fit and no compaction helps, `fits` is false and `reason` says why
   * there is no plan.
   *
   * @throws EspalierError `bad_option`, `bad_threshold`; `stale_plan` if the covered messages change while a hook runs;
   *   `aborted`
   */
  async modelSwitch(model: string | ModelLimits, options: { signal?: AbortSignal } = {}): Promise<ModelSwitch<T>> {
    const { signal } = check(options, SWITCH);
    return this.turn(signal, async (own) => {
      need(model, modelOption, "options.model");
      const { current, request, budget } = await this.models.weigh(model);
      const is = { current, newLimit: request, fits: current <= request };
      return is.fits ? is : { ...is, ...(await this.byHand.planSwitch(budget, own)) };
    });
  }

  /**
   * Cancels the job beside the conversation, or drops its result, and cancels a compaction by hand. A `prepare` that
   * waits for the model goes on at once with rules; without rules it throws `aborted`. Returns false if there was none.
   */
  cancel(): boolean {
    this.alive();
    const isStopped = this.byHand.cancel();
    const isAlone = this.compactor.cancelAsking();
    return this.compactor.cancelJob() || isStopped || isAlone;
  }

  // ------------------------------------------------------------ edits

  /**
   * Undoes a compaction with all of its edits (the newest, or that of the given edit or plan `c<n>`), or a rewind; the
   * view is byte for byte what it was. Reports whether it still fits; if not, the next `prepare` compacts again.
   * Returns nothing if there is nothing to undo.
   *
   * @throws EspalierError `unknown_id`, `bad_edit`
   */
  undo(id?: string): { undone: string[]; usage: ConversationUsage; fits: boolean } | undefined {
    this.alive();
    return this.takenBack(undo(this.log, id));
  }

  /**
   * Restores what an undo removed, unless an edit or rewind was made since. Returns nothing if there is nothing to
   * restore.
   *
   * @throws EspalierError `unknown_id`, `bad_edit`
   */
  redo(id?: string): { undone: string[]; usage: ConversationUsage; fits: boolean } | undefined {
    this.alive();
    return this.takenBack(redo(this.log, id));
  }

  /**
   * Pins a message, a part of it, a stretch of text, or a fact in words, so that it survives all compactions. Returns
   * the pin's id.
   *
   * @throws EspalierError `unknown_id`, `bad_input`; `pin_budget_exceeded` with the pins (`details.pins`) if they leave
   *   no room for a request
   */
  pin(pin: LogPin): string {
    this.alive();
    const id = pinOn(this.c, pin);
    this.c.saving.save();
    return id;
  }

  /** @throws EspalierError `unknown_id` */
  unpin(id: string): void {
    this.alive();
    this.log.unpin(id);
    this.c.saving.save();
  }

  /** Returns all active pins. */
  pins(): LogPinRow[] {
    return this.log.pins();
  }

  /**
   * Converts summaries that another system stored beside these messages, newest last, to edits: the view becomes the
   * messages that this system would have sent, and an undo restores the replaced ones. Summaries up to messages that do
   * not exist are skipped and returned.
   *
   * ```ts
   * import { openConversation } from "espalier";
   *
   * const messages = [
   *   { role: "user", content: "Fix the parser." },
   *   { role: "assistant", content: "The tokenizer dropped the last character. I fixed it." },
   *   { role: "user", content: "Run the tests." },
   * ];
   * const conversation = await openConversation({ format: "openai-chat", messages });
   * const { edits, ignored } = conversation.importSummaries([{ upTo: "m1", text: "The parser was fixed." }]);
   * edits.length; // => 1
   * ignored; // => []
   * conversation.view().messages.length; // => 2
   * ```
   *
   * @throws EspalierError `bad_option`; `bad_edit` if nothing before the message may be replaced
   */
  importSummaries(summaries: readonly StoredSummary[]): { edits: string[]; ignored: StoredSummary[] } {
    this.alive();
    const made = importSummaries(this.log, summaries);
    this.c.saving.save();
    return made;
  }

  /**
   * Removes all messages after `to` from the view (without `to`, all messages). Revokes edits that reach past it.
   * @throws EspalierError `unknown_id`
   */
  rewind(to?: string): string {
    this.alive();
    const before = this.log.totals().messages;
    const initialMessage = to === undefined ? firstRequest(this.log.neutral()) : undefined;
    const id = this.log.rewind(to);
    this.c.saving.save();
    if (to === undefined)
      this.c.events.emit({
        type: "context_cleared",
        messages: before,
        ...(initialMessage !== undefined && { initialMessage }),
      });
    return id;
  }

  /**
   * Returns the unchanged originals of hidden messages: by id, range, edit, or words. See {@link
   * ConversationLog.recall}.
   */
  recall(what: string | { query: string; limit?: number }): Recalled<T>[] {
    return this.log.recall(what);
  }

  /**
   * Finds messages by words, including those that the model no longer sees. See {@link ConversationLog.search}.
   *
   * ```ts
   * import { openConversation } from "espalier";
   *
   * const messages = [
   *   { role: "user", content: "Fix the parser." },
   *   { role: "assistant", content: "The tokenizer dropped the last character. I fixed it." },
   *   { role: "user", content: "Run the tests." },
   * ];
   * const conversation = await openConversation({ format: "openai-chat", messages });
   * conversation.importSummaries([{ upTo: "m1", text: "The parser was fixed." }]);
   * const [found] = await conversation.search("Which characters were dropped?");
   * [found?.id, found?.isVisible]; // => ["m1", false]
   * conversation.recall(found!.id)[0]?.message === messages[1]; // => true
   * ```
   *
   * @throws EspalierError `search_not_loaded`, `bad_option`, `disposed`
   */
  async search(query: string, options: FindOptions = {}): Promise<FoundMessage[]> {
    this.alive();
    const found = await this.log.search(query, options);
    this.alive();
    return found;
  }

  /** Compares the views at two positions of the log. */
  compare(a: number, b: number): LogComparison {
    return this.log.compare(a, b);
  }

  /** Returns all edits, in log order, including revoked ones. */
  edits(): LogEditRow[] {
    return this.log.edits();
  }

  /** Returns the messages to send if all of them fit. */
  view(): LogView<T> {
    return this.log.view();
  }

  // ------------------------------------------------------------ settings

  /**
   * Sets the user's own threshold: a share up to 1, tokens from 100 on, or none.
   *
   * @throws EspalierError `bad_threshold`; nothing has changed then
   */
  setThreshold(threshold: number | undefined): void {
    this.alive();
    need(threshold, kinds.number, "options.threshold");
    this.c.machine.set({ threshold });
  }

  /** Sets the context size that the user picked, in tokens, or none. */
  setMaxContextTokens(maxContextTokens: number | undefined): void {
    this.alive();
    need(maxContextTokens, kinds.number, "options.maxContextTokens");
    this.c.machine.set({ maxContextTokens });
  }

  // ------------------------------------------------------------ what there is

  /**
   * Lists the summaries of the conversation, oldest first: number, title, time, the path of the file if the storage
   * keeps one, the replaced messages, and whether a rewind left it behind. Its length is the number of summaries.
   */
  checkpoints(): LogCheckpoint[] {
    this.alive();
    return this.log.checkpoints();
  }

  /** Returns how full the next request currently is. */
  usage(): ConversationUsage {
    const { usage } = this.c.look();
    return { ...usage, requests: this.c.requests, reported: this.answers.reported, job: this.compactor.jobs.phase };
  }

  /**
   * Adds a listener for events of a type, or for all (`*`). The returned function removes it. A listener that throws
   * has no effect on the conversation or on others.
   */
  on<K extends AnyEvent["type"] | "*">(type: K, listener: (event: EventOf<K>) => void): () => void {
    need(listener, kinds.required(kinds.callback), "options.listener");
    return this.c.events.on(type, listener);
  }

  /**
   * Waits until everything possible is stored. Retries a failed write once; the report lists what is still not stored.
   */
  flush(): Promise<Flushed> {
    return this.c.saving.flush();
  }

  /**
   * Ends the conversation: cancels jobs and pending requests (these fail with `disposed`), stores the rest, and lets
   * the engine reuse the memory. Once it has settled, no callback is called and nothing is written. The report lists
   * what is not stored; a second call has nothing to report.
   */
  async dispose(): Promise<Flushed> {
    if (this.isDisposed) return { isStored: true, missing: [], isTaken: false };
    this.cancel();
    this.compactor.end();
    this.models.keep();
    this.isDisposed = true;
    const { clock, saving, timeoutsMs } = this.c;
    await waitAtMost(this.turns.close(disposed()), clock, timeoutsMs.wait, undefined);
    saving.check();
    const flushed = await saving.flush();
    saving.close();
    this.c.events.clear();
    this.requests.free();
    this.c.machine.free();
    this.log.close();
    return flushed;
  }

  /** Runs `work` in turn; at once for a call from within the callback that holds the turn. */
  private turn<R>(signal: AbortSignal | undefined, work: (signal: AbortSignal | undefined) => Promise<R>): Promise<R> {
    return this.c.inside.isInside ? work(signal) : this.turns.take(signal, work);
  }

  private takenBack(undone: string[] | undefined) {
    if (!undone) return undefined;
    this.c.saving.save();
    return { undone, usage: this.usage(), fits: !this.c.look().overflows };
  }

  private alive(): void {
    if (this.isDisposed) throw disposed();
  }
}

/** Returns the beginning of the user's first text. */
function firstRequest(messages: readonly NeutralMessage[]): string | undefined {
  const texts = messages.flatMap(({ role, parts }) =>
    role === "user" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  // Does not split a surrogate pair at the cut.
  return texts
    .find((text) => !text.startsWith("<conversation-summary"))
    ?.slice(0, 200)
    .replace(/[\ud800-\udbff]$/, "");
}

function alreadyRunning(): EspalierError {
  return new EspalierError({
    code: "already_running",
    message: "the model is being asked already, and this call comes from within; preview without model",
  });
}

function disposed(): EspalierError {
  return new EspalierError({ code: "disposed", message: "the conversation was disposed of" });
}
