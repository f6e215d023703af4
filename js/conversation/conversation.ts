/**
 * A conversation that stays within its model's window: a host appends messages and asks for the next request. What is
 * laid over the history, and when, is decided here from the log; the rules are the core's.
 */

import { anchor } from "./anchors.ts";
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
import { Turns, waited } from "./turns.ts";
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
import type { NeutralMessage } from "../types/messages.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { model as modelOption } from "../options/schemas/counting.ts";
import { BY_HAND, MEMORY, PREPARE, PREVIEW } from "../options/schemas/conversation.ts";

/** Fewest messages for a compaction because of memory. */
const FEW = 4;

/** See {@link openConversation}. */
export class Conversation<T = unknown> {
  /** The log beneath: every message, edit and record. Edits of yours are edits like any others. */
  readonly log: ConversationLog<T>;
  /** What came of opening it. */
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
    if (opened.isNew && options.session) anchor(this.c, options.session, this.log.totals());
    if (opened.isNew) this.c.saving.check();
    else this.c.saving.save();
  }

  // ------------------------------------------------------------ what happens

  /**
   * Adds a message or several at the end, all or none. Returns their ids. They are not copied: a message that is
   * changed later is sent as it is then, and neither counted nor checked again.
   *
   * @throws EspalierError `bad_message`, `duplicate_id`, `disposed`
   */
  append(messages: T | readonly T[]): string[] {
    this.alive();
    const ids = this.log.append(messages);
    this.c.saving.save();
    return ids;
  }

  /**
   * Takes what the provider reported of the newest request: its `usage` as it came, or the number of prompt tokens.
   * Counts get more exact by it, and answers to requests that were cut in silence are noticed.
   */
  reportUsage(usage: unknown): void {
    this.alive();
    this.answers.usage(usage);
  }

  /**
   * Takes the error with which the provider refused the newest request. If the request was too large the limit is
   * learned, from the text of the error where it names one, and `retry` says to {@link prepare} and send again; after
   * three retries it does not.
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
   * The next request: what to send, and why it is what it is. It is never larger than the model takes by the exact
   * count, and valid. Calls are served one after the other; one from within a callback of this conversation (the model,
   * a hook, a file) is answered at once, without a compaction. Summaries are put to use or begun here; a job that is
   * running goes on when `signal` aborts.
   *
   * @throws EspalierError `budget_exceeded` if what must stay is too large even when shortened; `aborted`; `disposed`;
   *   `bad_option`
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared<T>> {
    const { signal } = check(options, PREPARE);
    if (this.c.inside.isInside) {
      this.alive();
      return this.requests.prepareInside(options);
    }
    return this.turns.take(signal, (own) => this.requests.prepare(options, own));
  }

  /** What a prompt tree asks for its requests. @internal */
  inTree(): InTree<T> {
    this.alive();
    return this.tree;
  }

  // ------------------------------------------------------------ compactions

  /**
   * Compacts now, whether it is needed or not, also where automatic compaction is off. A job that is running is given
   * up for it. What fails leaves everything as it was and says so in the status.
   *
   * @throws EspalierError `disposed`, `bad_option`
   */
  async compact(options: { focus?: string; signal?: AbortSignal } = {}): Promise<Compacted> {
    const wanted = check(options, BY_HAND);
    this.alive();
    return this.byHand.compact("manual", wanted);
  }

  /**
   * Compacts the messages `from`..`to` of the view; without one of them from the beginning or to the end. The bounds
   * grow to whole rounds, and around summaries that they meet; the newest request and pins stay.
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
   * The agent asked for it (a tool `compact_context`, say): a summary is begun beside the conversation. The number of
   * the job, if there is one. Nothing is begun where automatic compaction is off: that is the user's to say, by
   * {@link compact}.
   */
  agentRequest(focus?: string): number | undefined {
    this.alive();
    need(focus, kinds.text, "focus");
    if (this.compactor.jobs.phase === "running") return this.compactor.jobs.running;
    if (this.options.automatic === false) return undefined;
    return this.compactor.startJob("agent_request", { focus, model: true });
  }

  /**
   * Memory is short: if there are at least four messages a summary is begun beside the conversation, by rules unless
   * `model` is true. A finished one that waits is put to use at once. Nothing is begun where automatic compaction is
   * off.
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
   * What a compaction would do: nothing is recorded. With `summary` that text stands for what is covered; with `model`
   * the host's model is asked. Without either it is made by rules.
   *
   * @throws EspalierError `bad_option`; `already_running` with `model` from within a callback of this conversation;
   *   `disposed`
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
   * @throws EspalierError `stale_plan` if something happened since to what it is about, `bad_edit`
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
   * What changing to another model would mean. Nothing changes; the change is made by `prepare({ model })`, which
   * compacts first if it must. If the view does not fit and no compaction helps, `fits` is false and `reason` says why
   * there is no plan.
   *
   * @throws EspalierError `bad_option`, `bad_threshold`
   */
  modelSwitch(model: string | ModelLimits): Promise<ModelSwitch<T>> {
    return this.turn(undefined, async () => {
      need(model, modelOption, "options.model");
      const { current, request, budget } = await this.models.weigh(model);
      const is = { current, newLimit: request, fits: current <= request };
      return is.fits ? is : { ...is, ...(await this.byHand.planSwitch(budget)) };
    });
  }

  /**
   * Gives up the job that runs beside the conversation, or its result, and a compaction by hand. False if there was
   * nothing.
   */
  cancel(): boolean {
    this.alive();
    const isStopped = this.byHand.cancel();
    return this.compactor.cancelJob() || isStopped;
  }

  // ------------------------------------------------------------ edits

  /**
   * Takes back a compaction (the newest, or the one of the named edit or plan `c<n>`) with all of its edits, or a
   * rewind; the view is byte for byte what it was. Says whether it still fits; the next `prepare` compacts again if it
   * does not. Nothing if there is nothing to undo.
   *
   * @throws EspalierError `unknown_id`, `bad_edit`
   */
  undo(id?: string): { undone: string[]; usage: ConversationUsage; fits: boolean } | undefined {
    this.alive();
    return this.takenBack(undo(this.log, id));
  }

  /**
   * Brings back what an undo took, as long as no edit or rewind was made since. Nothing if there is nothing.
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
   * @throws EspalierError `unknown_id`, `bad_input`; `pin_budget_exceeded` naming the pins (`details.pins`) if they
   *   leave no room for a request
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

  /** All pins in force. */
  pins(): LogPinRow[] {
    return this.log.pins();
  }

  /**
   * Summaries that another system stored beside these messages, newest last, become edits: the view is what that system
   * would have sent, and an undo brings back what they stand for. Summaries up to messages that are not there are
   * passed over, and given back.
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
   * Leaves all messages behind `to` out of the view (without it, all). Edits that reach past it are taken back. @throws
   * EspalierError `unknown_id`
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

  /** The untouched originals of what was hidden: by id, range, edit, or words. See {@link ConversationLog.recall}. */
  recall(what: string | { query: string; limit?: number }): Recalled<T>[] {
    return this.log.recall(what);
  }

  /**
   * Finds messages by words, those that the model does not see any more included. See {@link ConversationLog.search}.
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

  /** All edits, in log order, also those that were taken back. */
  edits(): LogEditRow[] {
    return this.log.edits();
  }

  /** What would be sent if everything fitted. */
  view(): LogView<T> {
    return this.log.view();
  }

  // ------------------------------------------------------------ settings

  /**
   * The user's own threshold: a share up to 1, tokens from 100 on, or none.
   *
   * @throws EspalierError `bad_threshold`; nothing has changed then
   */
  setThreshold(threshold: number | undefined): void {
    this.alive();
    need(threshold, kinds.number, "options.threshold");
    this.c.machine.set({ threshold });
  }

  /** The context size that the user picked, in tokens, or none. */
  setContextSize(contextSize: number | undefined): void {
    this.alive();
    need(contextSize, kinds.number, "options.contextSize");
    this.c.machine.set({ contextSize });
  }

  // ------------------------------------------------------------ what there is

  /**
   * Lists the summaries of the conversation, oldest first: number, title, time, the path of the file if the storage
   * keeps one, what each replaced, and whether a rewind left it behind. Its length is the number of summaries.
   */
  checkpoints(): LogCheckpoint[] {
    this.alive();
    return this.log.checkpoints();
  }

  /** How full the next request is, as it stands. */
  usage(): ConversationUsage {
    const { usage } = this.c.look();
    return { ...usage, requests: this.c.requests, reported: this.answers.reported, job: this.compactor.jobs.phase };
  }

  /**
   * Listens to events of a type, or to all (`*`). The function it gives takes the listener off. A listener that throws
   * harms nobody.
   */
  on<K extends AnyEvent["type"] | "*">(type: K, listener: (event: EventOf<K>) => void): () => void {
    need(listener, kinds.required(kinds.callback), "options.listener");
    return this.c.events.on(type, listener);
  }

  /**
   * Waits until everything is stored that can be. What fails is tried once more; the report says what is still not
   * stored.
   */
  flush(): Promise<Flushed> {
    return this.c.saving.flush();
  }

  /**
   * Ends the conversation here: jobs are given up, and requests that are being prepared (they fail with `disposed`);
   * what is not stored yet is stored, and the engine reuses the memory. Nobody is asked and nothing is written when it
   * has settled. The report says what is not stored; a second call has nothing to report.
   */
  async dispose(): Promise<Flushed> {
    if (this.isDisposed) return { isStored: true, missing: [] };
    this.cancel();
    this.compactor.end();
    this.models.keep();
    this.isDisposed = true;
    const { clock, saving, timeouts } = this.c;
    await waited(this.turns.close(disposed()), clock, timeouts.wait, undefined);
    saving.check();
    const flushed = await saving.flush();
    saving.close();
    this.c.events.clear();
    this.requests.free();
    this.c.machine.free();
    this.log.close();
    return flushed;
  }

  /** In turn; at once for who is called by what has the turn. */
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

/** The beginning of what the user said first. */
function firstRequest(messages: readonly NeutralMessage[]): string | undefined {
  const texts = messages.flatMap(({ role, parts }) =>
    role === "user" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  // No half of a character at the cut.
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
