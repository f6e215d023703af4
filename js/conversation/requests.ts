/** One request after the other: what stands ready is put to use, what is due is begun, what is left is sent. */

import { call, wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Answers } from "./answers.ts";
import type { Compactor } from "./compactor.ts";
import type { Context, Look } from "./context.ts";
import type { Meter } from "./meter.ts";
import type { Models } from "./models.ts";
import type { Fitted } from "./fit.ts";
import { Prefix } from "./prefix.ts";
import { Sending } from "./sending.ts";
import type { Sent } from "./sending.ts";
import { aborted, waited } from "./turns.ts";
import type { Trigger } from "../types/compact.ts";
import type { Compacted, ConversationOptions, PrepareOptions, PrepareReport, Prepared } from "./types.ts";
import { append } from "../formats/append.ts";

/** Most that system text and tools should take of the limit. */
const FRAME = 0.8;
/** Share of what messages may have above which a compacted request has little room left. */
const RELIEF = 0.6;

/** What a request is made with. */
export interface Parts<T> {
  compactor: Compactor<T>;
  meter: Meter<T>;
  models: Models<T>;
  answers: Answers<T>;
}

/** A request before it is sent. */
export interface MadeRequest<T> {
  look: Look<T>;
  sent: Sent<T>;
  compactions: Compacted[];
  /** A job was running beside the conversation when the request began. */
  wasRunning: boolean;
}

export class Requests<T> {
  private readonly c: Context<T>;
  private readonly parts: Parts<T>;
  private readonly options: ConversationOptions<T>;
  private readonly sending: Sending<T>;
  private readonly prefix = new Prefix<T>();
  private toolsKey: unknown;
  private toolsText = "";
  private warnedOf = "";
  /** What was compacted for the request that is being made. */
  private compacted: Compacted[] = [];
  /** Tokens of the system prompt that is kept apart, where no prompt is around the conversation. */
  private system: number;

  constructor(context: Context<T>, parts: Parts<T>, options: ConversationOptions<T>) {
    this.c = context;
    this.parts = parts;
    this.options = options;
    this.system = context.apart;
    this.sending = new Sending(context, options);
  }

  free(): void {
    this.sending.free();
  }

  /** Writes down and tells what went for one request. */
  tell(fitted: Fitted<T>, look: Look<T>): void {
    this.sending.tell(fitted, look);
  }

  async prepare({ tools, model, system }: PrepareOptions, signal: AbortSignal | undefined): Promise<Prepared<T>> {
    await this.begin({ tools, model });
    this.alone(system);
    const made = await this.made(signal).catch((error: unknown) => {
      if (error instanceof EspalierError && error.code === "budget_exceeded") this.insufficient(false);
      throw error;
    });
    this.startIfDue(made);
    return this.finished(made.look, made.sent, made.compactions);
  }

  /** Takes over what goes along with the next request. */
  async begin({ tools, model }: Pick<PrepareOptions, "tools" | "model">): Promise<void> {
    const { compactor, models } = this.parts;
    if (tools !== undefined && tools !== this.toolsKey) this.setTools(tools);
    if (model !== undefined && models.isOther(model)) {
      if (this.c.profile.cancelsOnSwitch) compactor.cancelJob();
      await models.change(model);
    }
  }

  /** The next request is the conversation's own, without a prompt around it. */
  private alone(system: string | undefined): void {
    const { meter, models } = this.parts;
    if (system !== undefined) this.system = meter.weighed(system);
    models.setBudget(undefined);
    Object.assign(this.c, { apart: this.system, cut: 0, beside: "the system prompt apart" });
  }

  /**
   * The messages of the next request, compacted if need be. `mustFit`: nothing may go that no summary covers, so a
   * compaction is tried even if the count alone would not ask for one.
   *
   * @throws EspalierError `budget_exceeded`, `aborted`
   */
  async made(signal: AbortSignal | undefined, mustFit = false): Promise<MadeRequest<T>> {
    const { compactor, meter, models, answers } = this.parts;
    this.c.requests += 1;
    const automatic = this.isAutomatic;
    const wasRunning = compactor.jobs.phase === "running";
    const compactions: Compacted[] = [];
    this.compacted = compactions;
    const isForced = answers.isRefused;
    const isLeft = this.options.serverManaged === true && !isForced;
    const waited = await this.putToUse(compactions, signal);
    let look = meter.look();
    // A job's summary may be too old to make enough room: what came since is summarised as well where nothing may go
    // without a summary.
    const isDone = compactions.some(({ status }) => status === "applied") && !(mustFit && look.overflows);
    if ((look.overflows || mustFit || this.isDue(look)) && automatic && !isDone) {
      const trigger: Trigger = isForced
        ? "provider_error"
        : models.isSwitched
          ? "model_switch"
          : look.overflows || mustFit
            ? "overflow"
            : "threshold";
      append(compactions, await compactor.foreground(trigger, signal, waited === "timeout"));
      if (compactions.at(-1)?.status === "cancelled") throw aborted(signal);
      look = meter.look();
    }
    answers.isRefused = false;
    models.isSwitched = false;
    const sent = await this.sending.made(look, isLeft);
    return { look, sent, compactions, wasRunning };
  }

  /** Compactions of the newest request, also of one that could not be made. */
  get compactions(): readonly Compacted[] {
    return this.compacted;
  }

  /** Reports a summary that was put to use for the newest request without making it fit. */
  insufficient(isSent: boolean): void {
    const applied = this.compacted.findLast(({ status }) => status === "applied");
    if (!applied) return;
    const { trigger, job } = applied;
    const { events, requests: request } = this.c;
    const { request: limit } = this.parts.meter.look();
    events.emit({
      type: "compaction_insufficient",
      trigger,
      ...(job !== undefined && { job }),
      request,
      limit,
      isSent,
    });
  }

  /** Begins a summary beside the conversation where the profile says so, unless this request had one or was cut. */
  startIfDue({ look, sent, compactions }: MadeRequest<T>): void {
    if (!sent.fitted && this.isAutomatic && !compactions.some(({ status }) => status === "applied"))
      this.maybeStart(look);
  }

  private setTools(tools: NonNullable<PrepareOptions["tools"]>): void {
    const { log } = this.c;
    log.setTools(tools);
    this.toolsKey = tools;
    this.toolsText = JSON.stringify(log.counted({}).tools);
  }

  /** The request is made: it is told of and noted. */
  finished(look: Look<T>, { messages, fitted, mended, totals }: Sent<T>, compactions: Compacted[]): Prepared<T> {
    const { meter, compactor } = this.parts;
    if (fitted) this.sending.tell(fitted, look);
    const usage = totals ? meter.usageOf(totals, look) : look.usage;
    const room = usage.limit - usage.frame - usage.tools;
    const job = compactor.jobs.running;
    const report: PrepareReport = {
      request: this.c.requests,
      usage,
      compactions,
      trimmed: fitted?.removed ?? [],
      repaired: [...look.view.repaired, ...mended],
      lowHeadroom: (compactions.length > 0 || look.overflows) && usage.used > usage.frame + usage.tools + RELIEF * room,
      ...(job !== undefined && { job }),
    };
    this.sent(usage, { ...look, messages });
    return { messages, report };
  }

  /** The next request without a compaction: for who is called by what has the turn. */
  async prepareInside({ tools, model, system }: PrepareOptions): Promise<Prepared<T>> {
    await this.beginInside({ tools, model });
    this.alone(system);
    const { look, sent } = await this.madeInside();
    return this.finished(look, sent, []);
  }

  async beginInside({ tools, model }: Pick<PrepareOptions, "tools" | "model">): Promise<void> {
    const { models } = this.parts;
    if (tools !== undefined && tools !== this.toolsKey) this.setTools(tools);
    if (model !== undefined && models.isOther(model)) await models.change(model);
  }

  async madeInside(): Promise<MadeRequest<T>> {
    this.compacted = [];
    this.c.requests += 1;
    const look = this.parts.meter.look();
    return {
      look,
      sent: await this.sending.made(look, this.options.serverManaged === true),
      compactions: [],
      wasRunning: false,
    };
  }

  /** What a job has made, or will have made in a moment, is used if it is needed. */
  private async putToUse(compactions: Compacted[], signal: AbortSignal | undefined): Promise<"timeout" | undefined> {
    const { log, events, clock, timeouts } = this.c;
    const { compactor, meter } = this.parts;
    const { jobs } = compactor;
    for (let again = false; ; again = true) {
      const { usage, overflows } = meter.look();
      const before = jobs.phase;
      const next = jobs.atRequest(usage.ratio, overflows);
      if (next.next === "goOn") {
        if (jobs.phase === "parked" && before !== "parked")
          events.emit({ type: "compaction_progress", stage: "parked" });
        return undefined;
      }
      const { job } = next;
      if (next.next === "wait") {
        events.emit({ type: "compaction_progress", stage: "waiting", job });
        const ended = await waited(jobs.settled(), clock, timeouts.wait, signal);
        if (ended === "aborted") throw aborted(signal);
        if (ended === "timeout") return "timeout";
        continue;
      }
      const made = jobs.take(job);
      if (!made) continue;
      if (next.next === "dropped") {
        log.record("job", { job, event: "dropped" });
        events.emit({ type: "compaction_progress", stage: "dropped", job });
        return undefined;
      }
      const finished = compactor.applyJob(job, made);
      compactions.push(finished);
      // Somebody edited or pinned what it was made from: once more, by itself; when it is needed at once that is done
      // in the foreground.
      if (finished.status === "stale_plan" && !again && this.isAutomatic && !overflows)
        compactor.startJob(made.trigger, { focus: made.focus, model: true });
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
    return !this.c.profile.background && this.startsAt(ratio);
  }

  private maybeStart({ usage: { ratio } }: Look<T>): void {
    const { compactor } = this.parts;
    if (!(this.options.background ?? this.c.profile.background)) return;
    const { phase } = compactor.jobs;
    if (phase === "running" || phase === "ready" || phase === "parked") return;
    if (this.startsAt(ratio)) compactor.startJob("threshold", { focus: undefined, model: true });
  }

  private startsAt(ratio: number): boolean {
    const { profile, log } = this.c;
    return call(() => wasm().startsBackground(profile.text, ratio, log.isWarm(), this.parts.compactor.draw));
  }

  private sent(usage: PrepareReport["usage"], { view, messages }: Look<T> & { messages: readonly T[] }): void {
    const { requests, limits, events, saving, log } = this.c;
    const { meter, answers } = this.parts;
    const total = usage.frame + usage.conversation + usage.tools;
    meter.sent = total;
    limits.send(`r${requests}`, total, `${usage.frame}/${usage.tools}`);
    answers.isRefused = false;
    events.emit({
      type: "context_usage",
      isInitial: requests === 1,
      request: requests,
      ...usage,
      split: view.split,
      ...this.prefix.next(messages, view, log, this.toolsText, limits.name),
    });
    const share = usage.frame + usage.tools;
    const key = `${usage.limit}/${share}`;
    if (share > FRAME * usage.limit && key !== this.warnedOf) {
      this.warnedOf = key;
      events.emit({
        type: "warning",
        code: "frame_too_large",
        message: `system text and tools take ${share} of ${usage.limit} tokens`,
        details: { frame: usage.frame, tools: usage.tools, limit: usage.limit, largest: meter.largestTools() },
      });
    }
    saving.save();
  }
}
