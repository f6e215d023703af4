/** Prepares requests: applies finished summaries, starts due ones, fits the rest. */

import { isExceeded } from "../errors/exceeded.ts";
import type { Compactor } from "./compactor.ts";
import type { Context } from "./context.ts";
import { areSame, definitionsOf, FittingTools } from "./fitting-tools.ts";
import type { Fitted } from "./fit.ts";
import type { Look, RequestFields, RequestStep } from "./machine.ts";
import { countSystem, largestTools } from "./meter.ts";
import type { Models } from "./models.ts";
import { refuseOpenCalls } from "./pending.ts";
import { Prefix } from "./prefix.ts";
import { Sending } from "./sending.ts";
import type { Sent } from "./sending.ts";
import { aborted, waitAtMost } from "./turns.ts";
import type { Compacted, ConversationOptions, PrepareOptions, PrepareReport, Prepared } from "./types.ts";
import { append } from "../formats/append.ts";
import type { FittedTools } from "../tools/fit-tools.ts";
import type { ToolList } from "../types/messages.ts";
import { LIFETIMES } from "../cache/lifetimes.ts";
import { shownExceeded } from "../calls/request-limits.ts";

/** Max share of the limit for the system prompt and tools; above it a warning is emitted. */
const FRAME = 0.8;
/** Share of the tokens for messages above which a compacted request has little room left. */
const RELIEF = 0.6;

/** The components that make a request. */
export interface Parts<T> {
  compactor: Compactor<T>;
  models: Models<T>;
}

/** A request before it is sent. */
export interface MadeRequest<T> {
  look: Look<T>;
  sent: Sent<T>;
  compactions: Compacted[];
  /** True if a job was running beside the conversation when the request began. */
  wasRunning: boolean;
  /** True if shorter results made it fit, so that a compaction that was due is not needed yet. */
  isPutOff?: boolean;
}

export class Requests<T> {
  private readonly c: Context<T>;
  private readonly parts: Parts<T>;
  private readonly options: ConversationOptions<T>;
  private readonly sending: Sending<T>;
  private readonly prefix = new Prefix<T>();
  private readonly fitting: FittingTools<T>;
  /** The host's tool definitions, and those that are counted. */
  private tools: ToolList | undefined;
  private known: readonly unknown[] | undefined;
  private toolsText = "";
  private warnedOf = "";
  /** Compactions of the current request. */
  private compacted: Compacted[] = [];
  /** The time at which the previous request was prepared. */
  private sentAt: number | undefined;
  /** Tokens of the separate system prompt, if no prompt tree surrounds the conversation. */
  private system: number;

  constructor(context: Context<T>, parts: Parts<T>, options: ConversationOptions<T>) {
    this.c = context;
    this.parts = parts;
    this.options = options;
    this.system = context.apart;
    this.sending = new Sending(context, options);
    this.fitting = new FittingTools(context, options);
    this.tools = options.tools;
    this.known = options.tools && definitionsOf(options.tools);
  }

  free(): void {
    this.sending.free();
  }

  /** Records and emits the removals of one request. */
  tell(fitted: Fitted<T>, look: Look<T>): void {
    this.sending.tell(fitted, look);
  }

  async prepare(options: PrepareOptions, signal: AbortSignal | undefined): Promise<Prepared<T>> {
    const { model, system } = options;
    this.refuseOpenCalls(options);
    await this.begin({ model });
    const fitted = this.fitTools(options);
    this.alone(system);
    const made = await this.made(signal).catch((error: unknown) => {
      if (isExceeded(error)) this.insufficient(false);
      throw error;
    });
    this.startIfDue(made);
    return withTools(this.finished(made.look, made.sent, made.compactions), fitted);
  }

  /** @throws EspalierError `pending_calls` */
  private refuseOpenCalls({ pending }: PrepareOptions): void {
    if (pending === "refuse") refuseOpenCalls(this.c.log, this.options.provider);
  }

  /** Applies the settings of the next request. */
  async begin({ tools, model }: Pick<PrepareOptions, "tools" | "model">): Promise<void> {
    const { compactor, models } = this.parts;
    this.takeTools(tools);
    if (model !== undefined && this.c.machine.isOther(model)) {
      if (this.c.profile.cancelsOnSwitch) compactor.cancelJob();
      await models.change(model);
    }
  }

  /** Prepares for a request of the conversation alone, without a prompt tree. */
  private alone(system: string | undefined): void {
    if (system !== undefined) this.system = countSystem(this.c.log, system);
    this.c.machine.setBudget(undefined);
    Object.assign(this.c, { apart: this.system, cut: 0, beside: "the system prompt apart", limits: undefined });
  }

  /**
   * Returns the messages of the next request, compacted if needed. `mustFit`: no message may be dropped without a
   * summary, so a compaction is tried even if the count alone does not require one.
   *
   * @throws EspalierError `budget_exceeded`, `aborted`
   */
  async made(signal: AbortSignal | undefined, mustFit = false): Promise<MadeRequest<T>> {
    const { compactor } = this.parts;
    this.c.requests += 1;
    const wasRunning = compactor.jobs.phase === "running";
    const compactions: Compacted[] = [];
    this.compacted = compactions;
    const { step, isForced, isLate } = await this.useJob(compactions, mustFit, signal);
    let { look } = step;
    const isLeft = this.options.serverManaged === true && !isForced;
    const spare = isLeft ? undefined : step.due?.spare;
    const shortened = spare === undefined ? undefined : this.sending.shortened(this.c.current(look), spare);
    if (shortened) return { look, sent: shortened, compactions, wasRunning, isPutOff: true };
    const due = step.due ?? this.freeOfCharge(look, compactions);
    if (due) {
      const made = await compactor.foreground(due, look, signal, isLate || !step.due);
      append(compactions, made.compactions);
      if (compactions.at(-1)?.status === "cancelled") throw aborted(signal);
      look = made.look;
    }
    return { ...(await this.send(this.c.current(look), isLeft)), compactions, wasRunning };
  }

  /** Makes the messages; once more if a limit that was only inferred has no room for what must stay. */
  private async send(look: Look<T>, isLeft: boolean): Promise<Pick<MadeRequest<T>, "look" | "sent">> {
    try {
      return { look, sent: await this.sending.made(look, isLeft) };
    } catch (error) {
      if (!isExceeded(error) || !this.c.machine.unfit()) throw error;
      const again = this.c.look();
      return { look: again, sent: await this.sending.made(again, isLeft) };
    }
  }

  /** Returns a compaction by rules that costs nothing, since a pause has emptied the provider's cache. */
  private freeOfCharge({ usage, isCompacted }: Look<T>, compactions: readonly Compacted[]): RequestStep<T>["due"] {
    const { machine, profile, llm, requests } = this.c;
    if (!this.isCold || !this.isAutomatic || isCompacted || isApplied(compactions) || usage.ratio < profile.applyMin)
      return undefined;
    const verdict = machine.verdict(requests);
    if (verdict === "blocked" || verdict === "notYet") return undefined;
    // Rules leave the story to the host's model.
    return { trigger: "threshold", verdict: llm ? "cutOnly" : verdict };
  }

  private get isCold(): boolean {
    const { cacheLifetime } = this.options;
    if (cacheLifetime === undefined || this.sentAt === undefined) return false;
    return this.c.clock.now() - this.sentAt > LIFETIMES[cacheLifetime];
  }

  /** Compactions of the newest request, including one that failed. */
  get compactions(): readonly Compacted[] {
    return this.compacted;
  }

  /** Reports a summary that was applied for the newest request without making it fit. */
  insufficient(isSent: boolean): void {
    const applied = this.compacted.findLast(({ status }) => status === "applied");
    if (!applied) return;
    const { trigger, job } = applied;
    const { events, requests: request } = this.c;
    const { request: limit } = this.c.look();
    events.emit({
      type: "compaction_insufficient",
      trigger,
      ...(job !== undefined && { job }),
      request,
      limit,
      isSent,
    });
  }

  /** Begins a summary beside the conversation if the profile says so, unless this request had one or was cut. */
  startIfDue({ look, sent, compactions, isPutOff = false }: MadeRequest<T>): void {
    const { options, c, parts } = this;
    // Rules need no time, so that nothing has to begin before the request is full.
    const isBackground = options.background ?? (c.profile.background && c.llm !== undefined);
    if (!isBackground || !this.isAutomatic || !look.starts || isApplied(compactions)) return;
    if (sent.fitted && !isPutOff) return;
    const { phase } = parts.compactor.jobs;
    if (phase === "idle" || phase === "failed")
      parts.compactor.startJob("threshold", { focus: undefined, model: true });
  }

  /** Takes the host's tool definitions for the next requests. */
  private takeTools(tools: ToolList | undefined): void {
    if (tools === undefined) return;
    this.tools = tools;
    this.countTools(tools);
  }

  /** Counts tool definitions for the next requests, unless they are those of the previous one. */
  private countTools(tools: ToolList): void {
    const { log } = this.c;
    const all = definitionsOf(tools);
    if (this.known && areSame(all, this.known)) return;
    log.setTools(tools);
    this.known = all;
    this.toolsText = JSON.stringify(log.counted({}).tools);
  }

  /** Takes the tool definitions of a request: the host's, or as much of them as fits their share. */
  private fitTools({ tools = this.tools, toolsShare, fitTools }: PrepareOptions): FittedTools<ToolList> | undefined {
    if (tools === undefined || toolsShare === undefined) {
      this.takeTools(tools);
      return undefined;
    }
    const fitted = this.fitting.fit(tools, toolsShare, fitTools);
    this.tools = tools;
    this.countTools(fitted.tools);
    return fitted;
  }

  /** Records the request and returns it with its report. */
  finished(
    look: Look<T>,
    { messages, fitted, mended, totals, exceeded }: Sent<T>,
    compactions: Compacted[],
  ): Prepared<T> {
    const { compactor } = this.parts;
    if (fitted) this.sending.tell(fitted, look);
    const { usage } = totals ? this.c.look(totals) : look;
    const room = usage.limit - usage.frame - usage.tools;
    const job = compactor.jobs.running;
    const report: PrepareReport = {
      request: this.c.requests,
      usage,
      compactions,
      trimmed: fitted?.removed ?? [],
      repaired: [...look.view.repaired, ...mended],
      ...shownExceeded(exceeded),
      lowHeadroom: (compactions.length > 0 || look.overflows) && usage.used > usage.frame + usage.tools + RELIEF * room,
      ...(job !== undefined && { job }),
    };
    this.sent(usage, { ...look, messages });
    return { messages, report };
  }

  /** Prepares a request without a compaction: for a call from within the callback that holds the turn. */
  async prepareInside(options: PrepareOptions): Promise<Prepared<T>> {
    this.refuseOpenCalls(options);
    await this.beginInside({ model: options.model });
    const fitted = this.fitTools(options);
    this.alone(options.system);
    const { look, sent } = await this.madeInside();
    return withTools(this.finished(look, sent, []), fitted);
  }

  async beginInside({ tools, model }: Pick<PrepareOptions, "tools" | "model">): Promise<void> {
    this.takeTools(tools);
    if (model !== undefined && this.c.machine.isOther(model)) await this.parts.models.change(model);
  }

  async madeInside(): Promise<MadeRequest<T>> {
    this.compacted = [];
    this.c.requests += 1;
    const made = await this.send(this.c.look(), this.options.serverManaged === true);
    return { ...made, compactions: [], wasRunning: false };
  }

  /** Applies the result of a job, or waits for it, if the request needs it; returns what else is due. */
  private async useJob(
    compactions: Compacted[],
    mustFit: boolean,
    signal: AbortSignal | undefined,
  ): Promise<{ step: RequestStep<T>; isForced: boolean; isLate: boolean }> {
    const { log, events, clock, timeoutsMs } = this.c;
    const { compactor } = this.parts;
    const { jobs } = compactor;
    let before = jobs.phase;
    let step = this.ask({ mustFit });
    const { isForced } = step;
    let isLate = false;
    for (let again = false; step.job.next !== "goOn"; again = true) {
      const { next, job } = step.job;
      const made = next === "wait" ? undefined : jobs.take(job);
      let asksJob = made === undefined;
      if (next === "wait") {
        events.emit({ type: "compaction_progress", stage: "waiting", job });
        const ended = await waitAtMost(jobs.settled(), clock, timeoutsMs.wait, signal);
        if (ended === "aborted") throw aborted(signal);
        isLate = ended === "timeout";
        asksJob = !isLate;
      } else if (made && next === "dropped") {
        log.record("job", { job, event: "dropped" });
        events.emit({ type: "compaction_progress", stage: "dropped", job });
      } else if (made) {
        const finished = compactor.applyJob(job, made);
        compactions.push(finished);
        // Its messages were edited or pinned meanwhile: the summary is made again beside the conversation, or in the
        // foreground if it is needed at once.
        if (finished.status === "stale_plan" && !again && this.isAutomatic && !step.look.overflows)
          compactor.startJob(made.trigger, { focus: made.focus, model: true });
      }
      before = jobs.phase;
      step = this.ask({ mustFit, asksJob, isDone: isApplied(compactions) });
    }
    if (jobs.phase === "parked" && before !== "parked") {
      events.emit({ type: "compaction_progress", stage: "parked" });
    }
    return { step, isForced, isLate };
  }

  private ask(fields: Partial<RequestFields>): RequestStep<T> {
    const { machine, requests, hooks, around } = this.c;
    return machine.request(around, {
      requests,
      isAutomatic: this.isAutomatic,
      mustFit: false,
      isDone: false,
      asksJob: true,
      hasHook: hooks?.preCompact !== undefined,
      ...fields,
    });
  }

  /** True if compactions begin without being asked for. */
  private get isAutomatic(): boolean {
    const { automatic = true, serverManaged = false } = this.options;
    return automatic && !serverManaged;
  }

  private sent(usage: PrepareReport["usage"], { view, messages }: Look<T> & { messages: readonly T[] }): void {
    this.sentAt = this.c.clock.now();
    const { requests, machine, events, saving, log } = this.c;
    const total = usage.frame + usage.conversation + usage.tools;
    const shared = this.prefix.next(messages, view, log, this.toolsText, machine.name);
    const added = machine.sent(`r${requests}`, total, `${usage.frame}/${usage.tools}`, shared?.ids);
    const known = shared && { messages: shared.messages, tokens: shared.tokens + added };
    if (known) this.prefix.counted(known);
    events.emit({
      type: "context_usage",
      isInitial: requests === 1,
      request: requests,
      ...usage,
      split: view.split,
      ...(known && { shared: known }),
    });
    const share = usage.frame + usage.tools;
    const key = `${usage.limit}/${share}`;
    if (share > FRAME * usage.limit && key !== this.warnedOf) {
      this.warnedOf = key;
      events.emit({
        type: "warning",
        code: "frame_too_large",
        message: `system text and tools take ${share} of ${usage.limit} tokens`,
        details: { frame: usage.frame, tools: usage.tools, limit: usage.limit, largest: largestTools(log) },
      });
    }
    saving.save();
  }
}

/** Adds the tool definitions to send to a request. */
function withTools<T>(prepared: Prepared<T>, fitted: FittedTools<ToolList> | undefined): Prepared<T> {
  if (!fitted) return prepared;
  const { tools, report, loader } = fitted;
  return { ...prepared, tools, ...(loader && { loader }), report: { ...prepared.report, tools: report } };
}

function isApplied(compactions: readonly Compacted[]): boolean {
  return compactions.some(({ status }) => status === "applied");
}
