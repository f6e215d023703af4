/**
 * A conversation that stays within its model's window: a host appends messages and asks for the next request. What is laid over the
 * history, and when, is decided here from the log; the rules are the core's.
 */

import { countMessages, dataText, modelOf, tokens as needTokens } from "./api.ts";
import { toStored } from "./adapters/index.ts";
import { Compactor } from "./conversation/compactor.ts";
import type { Made } from "./conversation/compactor.ts";
import type { Context, Look, ReadProfile } from "./conversation/context.ts";
import { Events } from "./conversation/events.ts";
import type { AnyEvent, EventOf } from "./conversation/events.ts";
import { importSummaries } from "./conversation/imported.ts";
import type { StoredSummary } from "./conversation/imported.ts";
import { Limits } from "./conversation/limits.ts";
import type { Own } from "./conversation/limits.ts";
import { Prefix } from "./conversation/prefix.ts";
import { LOG, MESSAGES, reopen } from "./conversation/reopen.ts";
import type { Header } from "./conversation/reopen.ts";
import { Saving } from "./conversation/saving.ts";
import { Sending } from "./conversation/sending.ts";
import { checkedStorage } from "./conversation/storage.ts";
import type {
  Compacted, ConversationOptions, ConversationUsage, ModelSwitch, Opened, Plan, PrepareOptions, PrepareReport, Prepared, Trigger,
} from "./conversation/types.ts";
import { defined, given, needFunction, needNames, needSignal, needText } from "./checks.ts";
import { call, ready, wasm } from "./engine.ts";
import { badOption as bad, EspalierError } from "./errors.ts";
import type { LogComparison, LogEditRow, LogPin, LogPinRow, LogView, Recalled } from "./log-types.ts";
import type { ConversationLog } from "./log.ts";
import { CLOCK } from "./providers/clock.ts";
import { usageOf } from "./providers/usage.ts";
import { classify } from "./providers/refusals.ts";
import { Recovery } from "./recovery.ts";
import type { NextStep, RefusalKind } from "./recovery.ts";
import { refusalOf, reportedBy } from "./request.ts";
import { needProvider, providerOf } from "./sendable.ts";
import type { Prediction } from "./tokens.ts";
import type { EncodingName, Format, ModelLimits, Profile, Totals, Usage } from "./types.ts";
import { addUsage } from "./usage.ts";
import { loadNeeded } from "./vocabulary.ts";

/** Most that system text and tools should take of the limit. */
const FRAME = 0.8;
/** Share of what messages may have above which a compacted request has little room left. */
const RELIEF = 0.6;
/** Fewest messages for a compaction because of memory. */
const FEW = 4;
/** Milliseconds that one operation of the storage may take. */
const STORAGE = 5_000;
const CHECKPOINTS = 20;

/**
 * Opens a conversation: a new one, one that had no log, or one that was stored.
 *
 * ```js
 * const conversation = await openConversation({ format: "openai-chat", model: "gpt-4o", storage: nodeStorage("sessions/7"), llm });
 * conversation.append({ role: "user", content: "Fix the parser." });
 * for (;;) {
 *   const { messages } = await conversation.prepare({ tools, signal });
 *   const reply = await client.chat.completions.create({ model: "gpt-4o", messages, tools }, { signal });
 *   conversation.reportUsage(reply.usage);
 *   conversation.append(reply.choices[0].message);
 *   …
 * }
 * ```
 *
 * @throws EspalierError `bad_option` naming the field, `bad_threshold`, `unknown_format`, `bad_message`; `log_version` if the log is of a newer
 * version; `bad_log` if messages of a stored log cannot be made again in their format
 */
export async function openConversation<T = unknown>(options: ConversationOptions<T>): Promise<Conversation<T>> {
  if (typeof options !== "object" || options === null) throw bad("", "an object", options);
  const { storage, profile = "espalier", model, llm, eventNames = "espalier", onEvent, clock = {}, encoding, costModel, entropy, tools = [], system } = options;
  needFunction(llm, "llm");
  needFunction(onEvent, "onEvent");
  needText(system, "system");
  needProvider(options.provider);
  needNames({ encoding, costModel });
  for (const name of ["now", "after"] as const) needFunction(given(clock, "options.clock")[name], `clock.${name}`);
  if (!Array.isArray(tools)) throw bad("tools", "a list of tool definitions", tools);
  if (!["espalier", "copilot-cli", "both"].includes(eventNames)) throw bad("eventNames", '"espalier", "copilot-cli" or "both"', eventNames);
  if (entropy !== undefined && typeof entropy !== "string" && !Number.isFinite(entropy)) throw bad("entropy", "a text or a number", entropy);
  if (options.messages !== undefined && !Array.isArray(options.messages)) throw bad("messages", "a list", options.messages);
  if (options.log !== undefined && typeof options.log !== "string") throw bad("log", "the lines of a log", options.log);
  for (const name of ["automatic", "background", "serverManaged", "preferLongContext"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean") throw bad(name, "true or false", options[name]);
  }
  for (const name of ["threshold", "contextSize"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "number") throw bad(name, "a number", options[name]);
  }
  needTokens(options, "checkpoints", false);
  const { timeouts = {} } = options;
  if (typeof timeouts !== "object" || timeouts === null) throw bad("timeouts", "an object", timeouts);
  for (const name of ["wait", "model", "hook", "storage"] as const) needTokens(timeouts, name, false, "options.timeouts");
  const place = storage === undefined ? undefined : checkedStorage(storage);
  const time = { now: clock.now ?? CLOCK.now, after: clock.after ?? CLOCK.after };

  await ready();
  const name = modelOf(model).name;
  await loadNeeded((encoding ?? (name === undefined ? "o200k_base" : call(() => wasm().encodingForModel(name)))) as EncodingName);
  const text = dataText(profile, "options.profile");
  const known: ReadProfile = { ...(JSON.parse(call(() => wasm().readProfile(text, "options.profile"))) as Profile), text };
  const limits = new Limits(model, known, ownOf(options), new Recovery());

  const events = new Events(eventNames);
  if (onEvent) events.on("*", onEvent);
  const all = { ...known.timeouts, storage: STORAGE, ...defined(timeouts) };
  const saving = new Saving(place, time, all.storage, drawn(), ({ what, name: file, message, cause }) =>
    events.emit({ type: "warning", code: "storage", message: `${what} ${file}: ${message}`, details: { what, name: file, cause } }));
  // A clock that is broken must not stop the conversation: the time of entries means nothing to it.
  const now = () => {
    const value = time.now();
    return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), -8.64e15), 8.64e15) : 0;
  };
  const counting = { ...(encoding && { encoding }), ...(name !== undefined && { model: name }), ...(costModel && { costModel }), now };
  const kept = await reopen<T>(saving, place, { text: options.log, messages: options.messages, format: options.format }, counting, (warning) => events.emit({ type: "warning", ...warning })).catch(async (error: unknown) => {
    await saving.release();
    throw error;
  });
  const { log } = kept;
  const isNew = kept.report === undefined;
  const seed = entropy ?? kept.header?.entropy ?? drawn();
  const stored = log.length;
  if (isNew) {
    const header: Header = { format: log.format, entropy: seed };
    log.record("note", header);
    if (options.messages) log.append(options.messages);
  }
  if (tools.length > 0) log.setTools(tools);
  if (place && !kept.isUnreadable) {
    saving.keep(LOG, (from) => log.export(from), () => log.length, isNew ? 0 : stored, !isNew && !kept.isStored);
    if (log.format !== "espalier") {
      saving.keep(MESSAGES, (from) => log.originalsFrom(from).map((message) => `${line(message, log.format)}\n`).join(""), () => log.originals, kept.messagesStored ?? 0, kept.messagesStored === undefined);
    }
  }
  const context: Omit<Context<T>, "look"> = {
    log, events, saving, clock: { ...time, now }, profile: known, llm, timeouts: all, compaction: { ...defined({ provider: providerOf(log.format, options.provider) }), ...options.compact }, hooks: options.hooks, seed, limits, requests: 0,
    checkpoints: place && !kept.isUnreadable ? options.checkpoints ?? CHECKPOINTS : 0, apart: 0,
  };
  return new Conversation<T>(context, options, { isNew, ...(kept.report && { log: kept.report }) }, system);
}

/** What a conversation was opened with that may change later on. */
type Settings<T> = ConversationOptions<T>;

/** See {@link openConversation}. */
export class Conversation<T = unknown> {
  /** The log beneath: every message, edit and record. Edits of yours are edits like any others. */
  readonly log: ConversationLog<T>;
  /** What came of opening it. */
  readonly opened: Opened;
  private readonly c: Context<T>;
  private readonly compactor: Compactor<T>;
  private readonly sending: Sending<T>;
  private readonly prefix = new Prefix<T>();
  private readonly options: Settings<T>;
  private readonly recovery: Recovery;
  private model: string | ModelLimits | undefined;
  private own: Own;
  private toolsKey: unknown;
  private toolsText = "";
  private queue: Promise<unknown> = Promise.resolve();
  private manual: AbortController | undefined;
  /** What was learned of how providers count, by model. */
  private calibrations: Record<string, unknown>;
  private keptLearned = "";
  private isDisposed = false;
  private refused = false;
  private switched = false;
  private reported: Usage = addUsage();
  private warnedOf = "";
  /** Where the server manages the context: what it counted of the newest request, and what we did. */
  private managed: { reported: number; ours: number } | undefined;
  private sentTokens = 0;

  /** @internal Use {@link openConversation}. */
  constructor(context: Omit<Context<T>, "look">, options: Settings<T>, opened: Opened, system: string | undefined) {
    this.log = context.log;
    this.options = options;
    this.model = options.model;
    this.own = ownOf(options);
    this.c = Object.assign(context as Context<T>, { look: () => this.look() });
    const { recovery, calibrations = {} } = learnedOf(this.log as ConversationLog);
    this.recovery = new Recovery(recovery);
    this.calibrations = calibrations;
    this.c.limits = new Limits(this.model, this.c.profile, this.own, this.recovery, calibrations[modelOf(this.model).name ?? ""]);
    this.c.apart = this.weighed(system);
    this.compactor = new Compactor(this.c);
    this.sending = new Sending(this.c, options);
    const interrupted = this.compactor.reload();
    this.opened = { ...opened, ...(interrupted !== undefined && { interrupted }) };
    if (opened.isNew) this.c.saving.check();
    else this.c.saving.save();
  }

  // ------------------------------------------------------------ what happens

  /**
   * Adds a message or several at the end, all or none. Returns their ids.
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
   * Takes what the provider reported of the newest request: its `usage` as it came, or the number of prompt tokens. Counts get more exact
   * by it, and answers to requests that were cut in silence are noticed.
   */
  reportUsage(usage: unknown): void {
    this.alive();
    // A bare number says nothing of caches.
    const record = typeof usage === "number" ? { input: usage, promptTotal: usage } : usageOf(usage) ?? reportedBy(usage);
    const reported = record?.promptTotal;
    if (reported === undefined || !Number.isFinite(reported) || reported < 0) return;
    this.reported = addUsage(this.reported, record);
    const tokens = Math.round(reported);
    // A server that manages the context reads less than was sent, and may.
    const { serverManaged = false } = this.options;
    if (serverManaged) this.managed = { reported: tokens, ours: this.sentTokens };
    const silent = serverManaged ? undefined : this.c.limits.answered(tokens, new Date(this.c.clock.now()).toISOString());
    this.log.record("usage", { request: this.c.requests, promptTotal: tokens });
    this.c.saving.save();
    if (!silent) return;
    this.c.events.emit({ type: "warning", code: "silent_overflow", message: `the provider counted ${silent.reported} tokens where ${silent.expected} were expected`, details: silent });
  }

  /**
   * Takes the error with which the provider refused the newest request. If the request was too large the limit is learned, from the text
   * of the error where it names one, and `retry` says to {@link prepare} and send again; after three retries it does not.
   *
   * ```js
   * catch (error) {
   *   if (conversation.contextRefused(error).action !== "retry") throw error;
   * }
   * ```
   */
  contextRefused(error: unknown): NextStep {
    this.alive();
    const next = this.c.limits.refused({ ...refusal(error), date: new Date(this.c.clock.now()).toISOString() });
    this.refused ||= next.action === "retry";
    this.managed = undefined;
    this.keepLearned();
    return next;
  }

  /**
   * The next request: what to send, and why it is what it is. It is never larger than the model takes by the exact count, and valid. Calls are
   * served one after the other. Summaries are put to use or begun here; a job that is running goes on when `signal` aborts.
   *
   * @throws EspalierError `budget_exceeded` if what must stay is too large even when shortened; `aborted`; `disposed`; `bad_option`
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared<T>> {
    const { signal } = asked(options);
    needText(options.system, "system");
    return this.turn(signal, () => this.prepared(options, signal));
  }

  // ------------------------------------------------------------ compactions

  /**
   * Compacts now, whether it is needed or not, also where automatic compaction is off. A job that is running is given up for it. What
   * fails leaves everything as it was and says so in the status.
   *
   * @throws EspalierError `disposed`, `bad_option`
   */
  async compact(options: { focus?: string; signal?: AbortSignal } = {}): Promise<Compacted> {
    return this.byHand("manual", asked(options));
  }

  /**
   * Compacts the messages `from`..`to` of the view; without one of them from the beginning or to the end. The bounds grow to whole rounds,
   * and around summaries that they meet; the newest request and pins stay.
   *
   * @throws EspalierError `unknown_id`, `bad_input`, `disposed`
   */
  async compactRange(from?: string, to?: string, options: { focus?: string; signal?: AbortSignal } = {}): Promise<Compacted> {
    const range = { from: needId(from, "from"), to: needId(to, "to") };
    return this.byHand("range", { ...asked(options), range });
  }

  /**
   * The agent asked for it (a tool `compact_context`, say): a summary is begun beside the conversation. The number of the job, if there is
   * one. Nothing is begun where automatic compaction is off: that is the user's to say, by {@link compact}.
   */
  agentRequest(focus?: string): number | undefined {
    this.alive();
    needText(focus, "", "a text", "focus");
    if (this.compactor.jobs.phase === "running") return this.compactor.jobs.running;
    if (this.options.automatic === false) return undefined;
    return this.compactor.startJob("agent_request", { focus, model: true });
  }

  /**
   * Memory is short: if there are at least four messages a summary is begun beside the conversation, by rules unless `model` is true. A
   * finished one that waits is put to use at once. Nothing is begun where automatic compaction is off.
   */
  memoryPressure(options: { model?: boolean } = {}): number | undefined {
    this.alive();
    const { model = false } = given(options);
    if (typeof model !== "boolean") throw bad("model", "true or false", model);
    const waiting = this.compactor.jobs.takeReady();
    if (waiting) {
      this.compactor.applyJob(waiting.job, waiting.value);
      return undefined;
    }
    if (this.options.automatic === false || this.log.view().after.messages < FEW) return undefined;
    return this.compactor.startJob("memory_pressure", { focus: undefined, model });
  }

  /**
   * What a compaction would do: nothing is recorded. With `summary` that text stands for what is covered; with `model` the host's model is
   * asked. Without either it is made by rules.
   */
  async preview(options: { focus?: string; summary?: string; model?: boolean; signal?: AbortSignal; from?: string; to?: string } = {}): Promise<Plan<T>> {
    const { focus, signal } = asked(options);
    const { summary, model = false, from, to } = options;
    for (const [name, value] of Object.entries({ summary, from, to })) needText(value, name);
    if (typeof model !== "boolean") throw bad("model", "true or false", model);
    return this.turn(signal, () => this.planned(from !== undefined || to !== undefined ? "range" : "manual", {
      focus, model, signal, ...((from !== undefined || to !== undefined) && { range: { from, to } }),
    }, summary));
  }

  /**
   * Applies a plan, whose texts may have been edited. Returns the ids of its edits.
   *
   * @throws EspalierError `stale_plan` if something happened since to what it is about, `bad_edit`
   */
  apply(plan: Pick<Plan<T>, "edits" | "since" | "trigger">): string[] {
    this.alive();
    const { edits, since, trigger } = given(plan, "plan");
    this.compactor.begun += 1;
    const ids = this.log.adopt(edits, { since, trigger, planId: `c${this.compactor.begun}` });
    this.c.saving.save();
    return ids;
  }

  /**
   * What changing to another model would mean. Nothing changes; the change is made by `prepare({ model })`, which compacts first if it must.
   *
   * @throws EspalierError `bad_option`, `bad_threshold`
   */
  modelSwitch(model: string | ModelLimits): Promise<ModelSwitch<T>> {
    return this.turn(undefined, async () => {
      const { name } = modelOf(model);
      const limits = new Limits(model, this.c.profile, this.own, this.recovery, this.calibrations[name ?? ""]);
      const encoding = (this.options.encoding ?? (name === undefined ? "o200k_base" : call(() => wasm().encodingForModel(name)))) as EncodingName;
      await loadNeeded(encoding);
      const { costModel } = this.options;
      const { tools, ...count } = this.log.counted({});
      const ours = countMessages(this.log.neutral(), { ...count, tools, encoding, ...(costModel && { costModel }) }).total + this.c.apart;
      const predicted = limits.predict(ours);
      const current = predicted.tokens + predicted.bound;
      const { request } = limits.of(this.log.totals().tools);
      if (current <= request) return { current, newLimit: request, fits: true };
      const budget = Math.max(0, limits.ours(request) - this.c.apart);
      return { current, newLimit: request, fits: false, plan: await this.planned("model_switch", { model: false, budget }, undefined) };
    });
  }

  /** Gives up the job that runs beside the conversation, or its result, and a compaction by hand. False if there was nothing. */
  cancel(): boolean {
    this.alive();
    const { manual } = this;
    manual?.abort(new EspalierError({ code: "aborted", message: "the compaction was cancelled" }));
    return this.compactor.cancelJob() || manual !== undefined;
  }

  // ------------------------------------------------------------ edits

  /**
   * Takes back a compaction (the newest, or the one of the named edit or plan `c<n>`) with all of its edits, or a rewind; the view is byte
   * for byte what it was. Says whether it still fits; the next `prepare` compacts again if it does not. Nothing if there is nothing to undo.
   *
   * @throws EspalierError `unknown_id`, `bad_edit`
   */
  undo(id?: string): { undone: string[]; usage: ConversationUsage; fits: boolean } | undefined {
    this.alive();
    const rows = this.log.edits();
    const inForce = rows.filter(({ revokedBy }) => revokedBy === undefined);
    const ofPlan = id === undefined ? undefined : inForce.filter(({ planId }) => planId === id);
    const first = ofPlan && ofPlan.length > 0 ? this.log.undo(ofPlan.at(-1)!.id) : this.log.undo(id);
    if (first === undefined) return undefined;
    const plan = rows.find((row) => row.id === first)?.planId;
    // A single edit that was named goes alone.
    const others = plan === undefined || (id !== undefined && id !== plan) ? [] : inForce.filter((row) => row.planId === plan && row.id !== first).toReversed();
    return this.undone([first, ...others.map((row) => this.log.undo(row.id)!)]);
  }

  /**
   * Brings back what an undo took, as long as no edit or rewind was made since. Nothing if there is nothing.
   *
   * @throws EspalierError `unknown_id`, `bad_edit`
   */
  redo(id?: string): { undone: string[]; usage: ConversationUsage; fits: boolean } | undefined {
    this.alive();
    const gone = (planId: string) => this.log.edits().filter((row) => row.planId === planId && row.revokedBy !== undefined);
    const ofPlan = id === undefined ? [] : gone(id);
    const first = this.log.redo(ofPlan[0]?.id ?? id);
    if (first === undefined) return undefined;
    const plan = this.log.edits().find((row) => row.id === first)?.planId;
    const others = plan === undefined || (id !== undefined && id !== plan) ? [] : gone(plan);
    return this.undone([first, ...others.map((row) => this.log.redo(row.id)!)]);
  }

  /**
   * Pins a message, a part of it, a stretch of text, or a fact in words, so that it survives all compactions. Returns the pin's id.
   *
   * @throws EspalierError `unknown_id`, `bad_input`; `pin_budget_exceeded` naming the pins (`details.pins`) if they leave no room for a request
   */
  pin(pin: LogPin): string {
    this.alive();
    const id = this.log.pin(pin);
    const { usage, request } = this.look();
    const pins = this.log.pins().filter(({ rewound }) => !rewound);
    const pinned = pins.reduce((sum, { tokens }) => sum + tokens, 0);
    const ours = this.c.limits.ours(request);
    if (usage.frame + usage.tools + pinned > ours) {
      this.log.unpin(id);
      throw new EspalierError({
        code: "pin_budget_exceeded", path: "pin", details: { budget: ours, pinned, pins: pins.map((row) => ({ id: row.id, tokens: row.tokens, reason: row.reason })) },
        message: `pins would take ${pinned} tokens beside ${usage.frame + usage.tools} of system text and tools, and a request may have ${ours}`,
      });
    }
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
   * Summaries that another system stored beside these messages, newest last, become edits: the view is what that system would have sent, and
   * an undo brings back what they stand for. Summaries up to messages that are not there are passed over, and given back.
   *
   * ```js
   * // Copilot Chat stores a text by the round that it ends with.
   * conversation.importSummaries(stored.map(({ toolCallRoundId, text }) => ({ upTo: newestMessageOf(toolCallRoundId), text })));
   * ```
   *
   * @throws EspalierError `bad_option`; `bad_edit` if nothing before the message may be replaced
   */
  importSummaries(summaries: readonly StoredSummary[]): { edits: string[]; ignored: StoredSummary[] } {
    this.alive();
    if (!Array.isArray(summaries)) throw bad("summaries", "a list of { upTo, text }", summaries, "importSummaries");
    summaries.forEach((summary: unknown, at) => {
      const { upTo, text } = (summary ?? {}) as Partial<StoredSummary>;
      if (typeof upTo !== "string" || typeof text !== "string") throw bad(`summaries[${at}]`, "{ upTo, text }", summary, "importSummaries");
    });
    const made = importSummaries(this.log, summaries);
    this.c.saving.save();
    return made;
  }

  /** Leaves all messages behind `to` out of the view (without it, all). Edits that reach past it are taken back. @throws EspalierError `unknown_id` */
  rewind(to?: string): string {
    this.alive();
    const id = this.log.rewind(to);
    this.c.saving.save();
    return id;
  }

  /** The untouched originals of what was hidden: by id, range, edit, or words. See {@link ConversationLog.recall}. */
  recall(what: string | { query: string; limit?: number }): Recalled<T>[] {
    return this.log.recall(what);
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
    if (threshold !== undefined && typeof threshold !== "number") throw bad("threshold", "a number", threshold);
    this.settle({ ...this.own, threshold });
  }

  /** The context size that the user picked, in tokens, or none. */
  setContextSize(contextSize: number | undefined): void {
    this.alive();
    if (contextSize !== undefined && typeof contextSize !== "number") throw bad("contextSize", "a number", contextSize);
    this.settle({ ...this.own, contextSize });
  }

  // ------------------------------------------------------------ what there is

  /** How full the next request is, as it stands. */
  usage(): ConversationUsage {
    const { usage } = this.look();
    return { ...usage, requests: this.c.requests, reported: this.reported, job: this.compactor.jobs.phase };
  }

  /** Listens to events of a type, or to all (`*`). The function it gives takes the listener off. A listener that throws harms nobody. */
  on<K extends AnyEvent["type"] | "*">(type: K, listener: (event: EventOf<K>) => void): () => void {
    if (typeof listener !== "function") throw bad("listener", "a function", listener);
    return this.c.events.on(type, listener);
  }

  /** Waits until everything is stored that can be. */
  flush(): Promise<void> {
    return this.c.saving.flush();
  }

  /** Ends the conversation here: jobs are given up, what is not stored yet is stored, the engine's memory is given back. */
  async dispose(): Promise<void> {
    if (this.isDisposed) return;
    this.cancel();
    this.keepLearned();
    this.isDisposed = true;
    this.c.saving.check();
    await this.c.saving.flush();
    this.c.events.clear();
    this.sending.free();
    this.log.close();
  }

  // ------------------------------------------------------------ one request

  private async prepared({ tools, model, system }: PrepareOptions, signal: AbortSignal | undefined): Promise<Prepared<T>> {
    if (tools !== undefined && tools !== this.toolsKey) {
      this.log.setTools(tools);
      this.toolsKey = tools;
      this.toolsText = JSON.stringify(this.log.counted({}).tools);
    }
    if (system !== undefined) this.c.apart = this.weighed(system);
    if (model !== undefined) await this.change(model);
    this.c.requests += 1;
    const automatic = this.isAutomatic;
    const compactions: Compacted[] = [];
    const isForced = this.refused;
    const isLeft = this.options.serverManaged === true && !isForced;
    const waited = await this.putToUse(compactions, signal);
    let look = this.look();
    if ((look.overflows || this.isDue(look)) && automatic && !compactions.some(({ status }) => status === "applied")) {
      const trigger: Trigger = isForced ? "provider_error" : this.switched ? "model_switch" : look.overflows ? "overflow" : "threshold";
      compactions.push(...(await this.compactor.foreground(trigger, signal, waited === "timeout")));
      if (compactions.at(-1)?.status === "cancelled") throw aborted(signal);
      look = this.look();
    }
    this.refused = false;
    this.switched = false;
    const { view } = look;
    const base = { request: this.c.requests, compactions, repaired: view.repaired };
    let report: PrepareReport = { ...base, usage: look.usage, trimmed: [], lowHeadroom: false };
    const { messages, fitted, mended, totals } = await this.sending.made(look, isLeft);
    if (fitted) {
      this.sending.tell(fitted, look);
      report = { ...report, trimmed: fitted.removed };
    } else if (automatic && !compactions.some(({ status }) => status === "applied")) {
      this.maybeStart(look);
    }
    if (totals) report = { ...report, usage: this.usageOf(totals, look) };
    report.repaired = [...report.repaired, ...mended];
    const { usage } = report;
    const room = usage.limit - usage.frame - usage.tools;
    report.lowHeadroom = (compactions.length > 0 || look.overflows) && usage.used > usage.frame + usage.tools + RELIEF * room;
    const job = this.compactor.jobs.running;
    if (job !== undefined) report.job = job;
    this.sent(usage, { ...look, messages });
    return { messages, report };
  }

  /** What a job has made, or will have made in a moment, is used if it is needed. */
  private async putToUse(compactions: Compacted[], signal: AbortSignal | undefined): Promise<"timeout" | undefined> {
    const { jobs } = this.compactor;
    const automatic = this.isAutomatic;
    for (let again = false; ; again = true) {
      const { usage, overflows } = this.look();
      const before = jobs.phase;
      const next = jobs.atRequest(usage.ratio, overflows);
      if (next.next === "goOn") {
        if (jobs.phase === "parked" && before !== "parked") this.c.events.emit({ type: "compaction_progress", stage: "parked" });
        return undefined;
      }
      const { job } = next;
      if (next.next === "wait") {
        this.c.events.emit({ type: "compaction_progress", stage: "waiting", job });
        const ended = await this.waited(jobs.settled(), signal);
        if (ended === "aborted") throw aborted(signal);
        if (ended === "timeout") return "timeout";
        continue;
      }
      const made = jobs.take(job);
      if (!made) continue;
      if (next.next === "dropped") {
        this.log.record("job", { job, event: "dropped" });
        this.c.events.emit({ type: "compaction_progress", stage: "dropped", job });
        return undefined;
      }
      const finished = this.compactor.applyJob(job, made);
      compactions.push(finished);
      // Somebody edited or pinned what it was made from: once more, by itself; when it is needed at once that is done in the foreground.
      if (finished.status === "stale_plan" && !again && automatic && !overflows) this.compactor.startJob(made.trigger, { focus: made.focus, model: true });
      return undefined;
    }
  }

  /** Whether compactions begin without being asked for. */
  private get isAutomatic(): boolean {
    const { automatic = true, serverManaged = false } = this.options;
    return automatic && !serverManaged;
  }

  /** Profiles that do nothing beside the conversation compact at their line, before the request. */
  private isDue({ usage: { ratio } }: Look<T>): boolean {
    const { profile } = this.c;
    return !profile.background && call(() => wasm().startsBackground(profile.text, ratio, this.log.isWarm(), this.compactor.draw));
  }

  private maybeStart({ usage: { ratio } }: Look<T>): void {
    const { profile } = this.c;
    if (!(this.options.background ?? profile.background)) return;
    const { jobs } = this.compactor;
    if (jobs.phase === "running" || jobs.phase === "ready" || jobs.phase === "parked") return;
    const starts = call(() => wasm().startsBackground(profile.text, ratio, this.log.isWarm(), this.compactor.draw));
    if (starts) this.compactor.startJob("threshold", { focus: undefined, model: true });
  }

  private sent(usage: PrepareReport["usage"], { view, messages }: Look<T> & { messages: readonly T[] }): void {
    const { requests, limits, events, saving } = this.c;
    const total = usage.frame + usage.conversation + usage.tools;
    this.sentTokens = total;
    limits.send(`r${requests}`, total, `${usage.frame}/${usage.tools}`);
    this.refused = false;
    events.emit({ type: "context_usage", isInitial: requests === 1, request: requests, ...usage, split: view.split, ...this.prefix.next(messages, view, this.log, this.toolsText) });
    const share = usage.frame + usage.tools;
    const key = `${usage.limit}/${share}`;
    if (share > FRAME * usage.limit && key !== this.warnedOf) {
      this.warnedOf = key;
      events.emit({
        type: "warning", code: "frame_too_large", message: `system text and tools take ${share} of ${usage.limit} tokens`,
        details: { frame: usage.frame, tools: usage.tools, limit: usage.limit, largest: this.largestTools() },
      });
    }
    saving.save();
  }

  // ------------------------------------------------------------ helpers

  private largestTools(): { name: string; tokens: number }[] {
    const { tools, ...how } = this.log.counted({});
    return countMessages([], { ...how, tools }).perTool.toSorted((a, b) => b.tokens - a.tokens).slice(0, 5);
  }

  private look(): Look<T> {
    const view = this.log.view();
    return { view, ...this.measured(view.after, view.origin) };
  }

  private measured(after: Totals, counted: LogView<T>["origin"]): Omit<Look<T>, "view"> {
    const { limits, apart } = this.c;
    const ours = after.total + apart;
    const { tokens, bound, origin } = this.managed ? managedBy(this.managed, ours) : limits.predict(ours);
    const { limit, request, source } = limits.of(after.tools);
    const used = tokens + bound;
    // What must not be exceeded is held with the bound; when to begin something goes by what is expected.
    const ratio = limit === 0 ? 0 : limits.measured(tokens, ours) / limit;
    const usage = {
      limit, limitSource: source, used, bound, origin: counted === "estimate" ? counted : origin, ratio,
      messages: after.messages, frame: after.frame + apart, conversation: after.conversation, tools: after.tools,
    };
    return { usage, request, overflows: used > request };
  }

  private usageOf(after: Totals, { view }: Look<T>) {
    return this.measured(after, view.origin).usage;
  }

  private async change(model: string | ModelLimits): Promise<void> {
    if (JSON.stringify(modelOf(model)) === JSON.stringify(modelOf(this.model))) return;
    if (this.c.profile.cancelsOnSwitch) this.compactor.cancelJob();
    this.keepLearned();
    const { name } = modelOf(model);
    const limits = new Limits(model, this.c.profile, this.own, this.recovery, this.calibrations[name ?? ""]);
    const { encoding, costModel } = this.options;
    if (name !== modelOf(this.model).name) {
      await loadNeeded((encoding ?? (name === undefined ? "o200k_base" : call(() => wasm().encodingForModel(name)))) as EncodingName);
      this.log.setCounting({ ...(encoding && { encoding }), ...(name !== undefined && { model: name }), ...(costModel && { costModel }) });
    }
    this.model = model;
    this.c.limits = limits;
    this.switched = true;
    this.log.record("note", { model: modelOf(model) });
  }

  private settle(own: Own): void {
    const limits = new Limits(this.model, this.c.profile, own, this.recovery, this.c.limits.learned);
    this.own = own;
    this.c.limits = limits;
  }

  /** What was learned of models outlives the session. */
  private keepLearned(): void {
    const { name, learned } = this.c.limits;
    if (learned !== undefined) this.calibrations = { ...this.calibrations, [name]: learned };
    const all = { recovery: this.recovery.state, calibrations: this.calibrations };
    const text = JSON.stringify(all);
    if (text === this.keptLearned || (all.recovery === undefined && Object.keys(this.calibrations).length === 0)) return;
    this.keptLearned = text;
    this.log.record("note", { learned: all });
    this.c.saving.save();
  }

  private weighed(system: string | undefined): number {
    if (system === undefined) return 0;
    if (typeof system !== "string") throw bad("system", "a text", system);
    const { tools: _, ...how } = this.log.counted({});
    const count = (messages: unknown[]) => countMessages(messages, how).total;
    return count([{ id: "system", role: "system", parts: [{ type: "text", text: system }] }]) - count([]);
  }

  private undone(undone: string[]) {
    this.c.saving.save();
    return { undone, usage: this.usage(), fits: !this.look().overflows };
  }

  private async planned(trigger: Trigger, wanted: { focus?: string | undefined; model: boolean; signal?: AbortSignal | undefined; range?: { from: string | undefined; to: string | undefined }; budget?: number }, summary: string | undefined): Promise<Plan<T>> {
    const made = await this.compactor.make(trigger, { ...wanted, ...(summary !== undefined && { summary }) });
    if (!made.report) throw new EspalierError({ code: made.status, message: made.error ?? "there is nothing to compact" });
    const { edits, since, report } = made;
    return { status: report.status, trigger, edits, view: this.log.previewAdopted(edits, { since }), report, since };
  }

  private async byHand(trigger: "manual" | "range", { focus, signal, range }: { focus?: string | undefined; signal?: AbortSignal | undefined; range?: { from: string | undefined; to: string | undefined } }): Promise<Compacted> {
    this.alive();
    if (this.manual) {
      const totals = this.log.totals();
      return { status: "already_running", trigger, retryable: true, edits: [], before: totals, after: totals };
    }
    const within = range && { from: this.shownAt(range.from), to: this.shownAt(range.to) };
    // Bounds that cannot be meant are said before anything begins.
    if (within) this.inOrder(within.from, within.to);
    const manual = new AbortController();
    this.manual = manual;
    const stop = () => manual.abort(signal?.reason);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    return this.turn(undefined, async () => {
      const verdict = this.compactor.verdict();
      this.compactor.cancelJob();
      this.compactor.start(trigger);
      const made: Made = await this.compactor.make(trigger, { focus, model: true, signal: manual.signal, ...(within && { range: within }) });
      const finished = this.compactor.finish(manual.signal.aborted ? { ...made, status: "cancelled", edits: [] } : made);
      return { ...finished, ...(verdict !== "try" && { bypassed: verdict }) };
    }).finally(() => {
      signal?.removeEventListener("abort", stop);
      this.manual = undefined;
    });
  }

  /** Where a message of the log is in the view: itself, or the summary that stands for it. */
  private shownAt(id: string | undefined): string | undefined {
    if (id === undefined || id.endsWith(":summary") || id.endsWith(":reply")) return id;
    const by = this.log.recall(id).find((found) => found.id === id && found.place === "covered")?.by.at(-1);
    return by === undefined ? id : `${by}:summary`;
  }

  private inOrder(from: string | undefined, to: string | undefined): void {
    const ids = this.log.view().plan.map((item) => (item.type === "insert" ? item.message.id : item.id));
    for (const [path, id] of Object.entries({ from, to })) {
      if (id !== undefined && !ids.includes(id)) throw new EspalierError({ code: "unknown_id", message: `there is no message ${JSON.stringify(id)} in the view`, path });
    }
    if (from !== undefined && to !== undefined && ids.indexOf(from) > ids.indexOf(to)) throw new EspalierError({ code: "bad_input", message: `${from} comes after ${to}`, path: "from" });
  }

  /** One after the other. Whoever aborts while waiting waits no longer. */
  private async turn<R>(signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
    this.alive();
    const before = this.queue;
    let isGiven = false;
    const run = before.then(async () => {
      if (isGiven || signal?.aborted) throw aborted(signal);
      this.alive();
      return work();
    });
    this.queue = run.then(() => undefined, () => undefined);
    if (!signal) return run;
    const isIdle = await Promise.race([before.then(() => true), new Promise<false>((resolve) => {
      if (signal.aborted) resolve(false);
      signal.addEventListener("abort", () => resolve(false), { once: true });
    })]);
    if (!isIdle) {
      isGiven = true;
      run.catch(() => undefined);
      throw aborted(signal);
    }
    return run;
  }

  private async waited(settled: Promise<void>, signal: AbortSignal | undefined): Promise<"settled" | "timeout" | "aborted"> {
    if (signal?.aborted) return "aborted";
    let stop: () => void = () => {};
    let listener: () => void = () => {};
    const late = new Promise<"timeout">((resolve) => {
      stop = this.c.clock.after(this.c.timeouts.wait, () => resolve("timeout"));
    });
    const gone = new Promise<"aborted">((resolve) => {
      listener = () => resolve("aborted");
      signal?.addEventListener("abort", listener, { once: true });
    });
    try {
      return await Promise.race([settled.then(() => "settled" as const), late, gone]);
    } finally {
      stop();
      signal?.removeEventListener("abort", listener);
    }
  }

  private alive(): void {
    if (this.isDisposed) throw new EspalierError({ code: "disposed", message: "the conversation was disposed of" });
  }
}

/** What the user set of limits. */
function ownOf({ threshold, contextSize, preferLongContext: preferLong = false }: Pick<ConversationOptions<unknown>, "threshold" | "contextSize" | "preferLongContext">): Own {
  return { threshold, contextSize, preferLong };
}

/** What a server that manages the context will count: what it counted last, and what has come since. */
function managedBy({ reported, ours }: { reported: number; ours: number }, now: number): Prediction {
  return { tokens: Math.max(0, reported + now - ours), bound: 0, origin: "calibrated" };
}

/** What most calls may be asked, checked. */
function asked<O extends { focus?: string; signal?: AbortSignal }>(options: O): Pick<O, "focus" | "signal"> {
  const { focus, signal } = given(options);
  needText(focus, "focus");
  needSignal(signal);
  return { focus, signal };
}

function needId(id: string | undefined, path: string): string | undefined {
  if (id !== undefined && typeof id !== "string") throw new EspalierError({ code: "bad_input", message: `${path} must be the id of a message`, path });
  return id;
}

/** What an earlier session learned. */
function learnedOf(log: ConversationLog): { recovery?: unknown; calibrations?: Record<string, unknown> } {
  const notes = log.records("note").flatMap(({ data }) => {
    const learned = typeof data === "object" && data !== null ? (data as { learned?: object }).learned : undefined;
    return learned ? [learned] : [];
  });
  return notes.at(-1) ?? {};
}

/** What kind of refusal an error is: as it says of itself, else by its text. */
function refusal(error: unknown): { kind: RefusalKind; used?: number; limit?: number } {
  const said = refusalOf(error);
  if (said.kind !== "other") return said;
  const { message, status } = (typeof error === "object" && error !== null ? error : { message: String(error) }) as { message?: unknown; status?: unknown };
  const found = classify({ text: typeof message === "string" ? message : "", ...(typeof status === "number" && { status }) });
  const kind = refusalOf({ code: found.code, details: { kind: found.kind } }).kind;
  return { kind, ...(found.used !== undefined && { used: found.used }), ...(found.limit !== undefined && { limit: found.limit }) };
}

function aborted(signal: AbortSignal | undefined): EspalierError {
  return new EspalierError({ code: "aborted", message: "The request was aborted.", cause: signal?.reason });
}

/** JSON of a host's message; what has none is left to the log's neutral form. */
function line(message: unknown, format: Format): string {
  try {
    return JSON.stringify(format === "vscode" ? toStored(message) : message) ?? "null";
  } catch {
    return "null";
  }
}

/** A seed for hosts that give none; it is kept in the log. */
function drawn(): string {
  return Math.floor(CLOCK.random() * 2 ** 48).toString(16);
}
