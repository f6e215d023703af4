/** Making compactions, in the foreground and beside the conversation, and laying them over the log. */

import { named, within } from "../drive.ts";
import { EspalierError } from "../errors.ts";
import { lasts } from "../log.ts";
import type { CompactHooks, CompactOptions, CompactReport, CountOptions, Edit, NeutralMessage, Totals } from "../types.ts";
import { checkpointPath, storeCheckpoint, titleOf } from "./checkpoints.ts";
import type { Context } from "./context.ts";
import { draw, hash32 } from "./draw.ts";
import { Jobs } from "./jobs.ts";
import type { Outcome } from "./jobs.ts";
import { Patience } from "./patience.ts";
import type { Now, Verdict } from "./patience.ts";
import type { Compacted, CompactionComplete, Trigger } from "./types.ts";

/** What is kept of a compaction's report with a job that is not applied yet. */
type Slim = Pick<CompactReport, "status" | "steps" | "summary" | "covered" | "model" | "quality" | "before" | "after">;

/** A compaction that was made and not applied. */
export interface Made {
  status: Compacted["status"];
  trigger: Trigger;
  focus?: string;
  /** Position in the log of the view that it was made from. */
  since: number;
  edits: Edit[];
  before: Totals;
  /** By the host's clock. */
  began: number;
  report?: CompactReport;
  error?: string;
  job?: number;
}

export interface Wanted {
  focus?: string | undefined;
  /** Ask the host's model, if there is one. */
  model: boolean;
  /** Nothing is summarised, results are cut. */
  cutOnly?: boolean;
  signal?: AbortSignal | undefined;
  job?: number | undefined;
  range?: { from: string | undefined; to: string | undefined };
  /** Tokens that the view may have; default: what a request may have. */
  budget?: number;
  /** The text of the summary; nobody is asked then. */
  summary?: string;
}

/** Statuses after which the same may go well another time. */
const RETRYABLE: readonly Compacted["status"][] = ["model_failed", "timeout", "cancelled", "empty_summary", "no_summary_tag", "tool_call_instead", "already_running", "stale_plan", "engine_failed"];
/** Statuses of compactions that had nothing to do. */
const NOTHING: readonly Compacted["status"][] = ["nothing_to_compact", "unchanged"];
/** A compaction by hand may be tried over and over; by itself it is this many messages that make it worth while. */
const AUTOMATIC: readonly Trigger[] = ["threshold", "overflow", "provider_error", "model_switch", "memory_pressure", "agent_request"];

export class Compactor<T> {
  readonly jobs: Jobs<Made>;
  readonly patience: Patience;
  /** Compactions begun so far: what jitter is drawn for, and what names plans. */
  begun = 0;
  /** What the log was when a compaction had been applied: without anything new there is nothing to compact. */
  private compacted = "";
  private readonly c: Context<T>;

  constructor(context: Context<T>) {
    this.c = context;
    this.patience = new Patience(context.profile.text);
    this.jobs = new Jobs(context.profile.text);
  }

  // ------------------------------------------------------------ whether

  /** Where a background compaction starts now: the same for the same log. */
  get draw(): number {
    return draw(this.c.seed, String(this.begun));
  }

  verdict(): Verdict {
    return this.patience.mayTry(this.now());
  }

  private now(): Now {
    const { log, limits, profile, requests } = this.c;
    const { before, after } = log.view();
    const { limit } = limits.of(after.tools);
    // What is laid over the history, and who is asked: messages that are added to it do not make a plan another one.
    const newest = log.edits().findLast(({ kind, revokedBy }) => kind === "replace_range" && revokedBy === undefined)?.id ?? "";
    return {
      requests,
      tokens: before.total,
      available: Math.max(0, limit - after.frame - after.tools),
      fingerprint: hash32(`${newest}/${profile.name}/${limits.name}`),
    };
  }

  // ------------------------------------------------------------ making

  /** Makes a compaction. Nothing of the conversation changes. Only bad options of the host's throw. */
  async make(trigger: Trigger, wanted: Wanted): Promise<Made> {
    const { profile, timeouts, compaction: { hooks = this.c.hooks, hookTimeout = timeouts.hook } } = this.c;
    let isTold = false;
    const preCompact = hooks?.preCompact;
    const telling: CompactHooks | undefined = preCompact ? { ...hooks, preCompact: (event, context) => ((isTold = true), preCompact(event, context)) } : hooks;
    const made = await this.made(trigger, wanted, telling);
    if (!preCompact || isTold || !profile.hook.onNoop || !NOTHING.includes(made.status)) return made;
    // Some are told also where nothing comes of it; what they wish has nothing to go into.
    const { focus, signal } = wanted;
    const event = { trigger: named(trigger, profile.hook.twoTriggers), ...(focus !== undefined && { focus }), covered: [], coveredTokens: 0, before: made.before, budget: this.room(made.before) };
    await within(hookTimeout, "the hook did not end", signal, async (stop) => preCompact(event, { signal: stop }));
    return made;
  }

  /** Tokens of ours that a request may have beside what is kept apart. */
  private room({ tools }: Totals): number {
    const { limits, apart } = this.c;
    return Math.max(0, limits.ours(limits.of(tools).request) - apart);
  }

  private async made(trigger: Trigger, { focus, model, cutOnly = false, signal, job, range, budget, summary }: Wanted, hooks: CompactHooks | undefined): Promise<Made> {
    const { log, profile, llm, timeouts, compaction, clock, events } = this.c;
    const made: Made = {
      status: "nothing_to_compact", trigger, since: log.length, edits: [], before: log.view().after, began: clock.now(),
      ...(focus !== undefined && { focus }), ...(job !== undefined && { job }),
    };
    const ladder = compaction.ladder ?? profile.ladder;
    const asks = model && llm !== undefined;
    if (log.originals === 0) return { ...made, status: "not_ready", error: "there are no messages yet" };
    if (!range && budget === undefined && summary === undefined && this.compacted === this.standing()) return made;
    const least = AUTOMATIC.includes(trigger) ? profile.minMessages.automatic : profile.minMessages.manual;
    if (log.spoken() < least) return made;
    const room = budget ?? this.room(made.before);
    const present = new Set(log.view().plan.map((item) => (item.type === "insert" ? item.message.id : item.id)));
    const pinned = log.pins().flatMap(({ message, rewound }) => (message !== undefined && !rewound && present.has(message) ? [message] : []));
    const stage = (name: "asking" | "answered") => events.emit({ type: "compaction_progress", stage: name, trigger, ...(job !== undefined && { job }) });
    // For hooks, for the shape of the request, for the host's model. A range is what it is: nothing outside of it may change.
    const told = {
      trigger, profile: JSON.parse(profile.text) as NonNullable<CompactOptions["profile"]>, cacheWarm: log.isWarm(), ...(job !== undefined && { jobId: String(job) }),
      hookTimeout: timeouts.hook,
      ...(range && { ladder: ["summary", "offline"] as const, cover: { ...(range.from !== undefined && { from: range.from }), ...(range.to !== undefined && { to: range.to }) } }),
    };
    const options: Omit<CompactOptions, keyof CountOptions> = {
      ...told,
      ...compaction,
      ...(hooks && { hooks }),
      ...(cutOnly && { ladder: ladder.filter((rung) => rung !== "summary" && rung !== "offline") }),
      budget: range ? Number.MAX_SAFE_INTEGER : room,
      llmBudget: compaction.llmBudget ?? room,
      force: true,
      keep: [...new Set([...(compaction.keep ?? []).filter((id) => present.has(String(id))), ...pinned])],
      timeout: timeouts.model,
      onProgress: ({ type }: { type: string }) => {
        if (type === "model") stage("asking");
        if (type === "answered") stage("answered");
      },
      ...(focus !== undefined && { focus }),
      ...(asks && { llm }),
      ...(summary !== undefined && { llm: async () => `<summary>${summary.replaceAll("</summary>", "<\\/summary>")}</summary>` }),
      ...(signal && { signal }),
    };
    try {
      const { status, edits, report } = await log.compactView(options);
      const lasting = edits.filter(lasts);
      // What only makes one request fit is no compaction of the conversation.
      const isNobody = !asks && summary === undefined && !cutOnly && !range && !ladder.includes("offline");
      const is = lasting.length > 0 ? status : isNobody ? "not_ready" : status === "applied" ? "nothing_to_compact" : status;
      const why = is === "not_ready" ? "there is no model, and the ladder has no offline summary" : report.model?.error;
      return { ...made, status: is, edits: is === "applied" ? lasting.map((edit) => this.withFacts(edit)) : [], report, ...(why !== undefined && { error: why }) };
    } catch (error) {
      if (!(error instanceof EspalierError)) throw error;
      if (error.code === "budget_exceeded") return { ...made, status: "budget_exceeded", error: error.message };
      if (error.code !== "engine_crashed") throw error;
      events.emit({ type: "warning", code: "engine", message: error.message });
      return { ...made, status: "engine_failed", error: error.message };
    }
  }

  private standing(): string {
    const { log, limits, profile } = this.c;
    const edits = log.edits().filter(({ revokedBy }) => revokedBy === undefined);
    return `${log.originals}/${edits.map(({ id }) => id).join()}/${limits.of(0).limit}/${profile.name}`;
  }

  /** Facts that are pinned in words and found no place in the record stand behind it, since they are nowhere else. */
  private withFacts(edit: Edit): Edit {
    const { message } = edit;
    if (!message) return edit;
    const facts = this.c.log.pins().flatMap(({ fact = "" }) => {
      const line = fact.replace(/\s+/g, " ").trim();
      return line === "" || message.parts.some((part) => part.type === "text" && part.text.includes(line)) ? [] : [`- ${line}`];
    });
    if (facts.length === 0) return edit;
    const block = `\n<pinned-facts>\n${facts.join("\n").replaceAll("</pinned-facts>", "")}\n</pinned-facts>`;
    const at = message.parts.findLastIndex(({ type }) => type === "text");
    const parts = message.parts.map((part, number) => (number === at && part.type === "text" ? { ...part, text: part.text + block } : part));
    return { ...edit, message: { ...message, parts } };
  }

  // ------------------------------------------------------------ applying

  /** Tells that a compaction begins. */
  start(trigger: Trigger, job?: number): void {
    const { usage } = this.c.look();
    const { limit, used, frame, conversation, tools, ratio } = usage;
    const { name } = this.c.limits;
    this.begun += 1;
    this.c.events.emit({ type: "compaction_start", trigger, ...(name !== "" && { model: name }), limit, used, frame, conversation, tools, ratio, ...(job !== undefined && { job }) });
  }

  /** Lays what was made over the log, if it still fits, and tells. */
  finish(made: Made): Compacted {
    const { log, events, clock, saving } = this.c;
    let { status, error } = made;
    let ids: string[] = [];
    const planId = `c${this.begun}`;
    // Messages may have come since it was made: what it freed is told of the view that it is laid over.
    const before = log.view().after;
    if (status === "applied") {
      try {
        const data = { ...slim(made.report), covered: made.report?.covered.length ?? 0 };
        ids = log.adopt(made.edits, { since: made.since, trigger: made.trigger, planId, data });
      } catch (thrown) {
        if (!(thrown instanceof EspalierError) || !["stale_plan", "bad_edit"].includes(thrown.code)) throw thrown;
        status = thrown.code === "stale_plan" ? "stale_plan" : "nothing_to_compact";
        error = thrown.message;
      }
    }
    if (status === "applied") this.compacted = this.standing();
    const checkpoint = status === "applied" ? this.checkpoint(made, ids) : undefined;
    const { usage, view: { after } } = this.c.look();
    const { trigger, focus, report, job } = made;
    // An abort leaves the log as it is, and the number to the next one.
    if (status === "cancelled") this.begun -= 1;
    else log.record("plan", { id: planId, trigger, status, before: before.total, after: after.total, ...(job !== undefined && { job }), begun: this.begun, requests: this.c.requests, ...(this.patience.state !== undefined && { patience: JSON.parse(this.patience.state) as unknown }) });
    if (status === "applied") saving.check();
    else saving.save();
    const event: CompactionComplete = {
      type: "compaction_complete", success: status === "applied", status, trigger,
      ...(error !== undefined && status !== "applied" && { error }), ...(focus !== undefined && { focus }),
      tokensBefore: before.total, tokensAfter: after.total, tokensRemoved: before.total - after.total,
      messagesBefore: before.messages, messagesAfter: after.messages, messagesRemoved: before.messages - after.messages,
      ...(status === "applied" && report?.summary !== undefined && { summary: report.summary }),
      edits: ids, ...(checkpoint && { checkpoint }),
      ...(report?.model && { model: report.model, ...(report.model.requestIds.length > 0 && { requestId: report.model.requestIds.at(-1)! }) }), duration: clock.now() - made.began, ...(report?.quality && { quality: report.quality }),
      limit: usage.limit, frame: usage.frame, conversation: usage.conversation, tools: usage.tools, ...(job !== undefined && { job }),
    };
    events.emit(event);
    const stage = status === "applied" ? "applied" : status === "cancelled" ? "cancelled" : "failed";
    events.emit({ type: "compaction_progress", stage, trigger, ...(job !== undefined && { job }) });
    return {
      status, trigger, retryable: RETRYABLE.includes(status), edits: ids, before, after,
      ...(checkpoint && { checkpoint: checkpoint.number }), ...(report && { report }), ...(error !== undefined && { error }), ...(job !== undefined && { job }),
    };
  }

  private checkpoint(made: Made, edits: string[]): { number: number; path: string } | undefined {
    const { log, saving, checkpoints: keep } = this.c;
    const message = made.edits.find((edit) => edit.kind === "replace_range")?.message;
    if (keep === 0 || !message || !made.report) return undefined;
    const text = textOf(message);
    const goal = made.focus ?? log.newestRequest(200);
    const title = titleOf(made.report.summary ?? "", goal);
    let path = "";
    const number = log.checkpoint({ title, edits, path: (next) => (path = checkpointPath(next, title)) });
    storeCheckpoint(saving, { number, title, path, edits, report: made.report, text }, keep);
    return { number, path };
  }

  // ------------------------------------------------------------ in the foreground

  /** Makes and applies, automatically: by the model if that may be tried, then by rules. */
  async foreground(trigger: Trigger, signal: AbortSignal | undefined, byRules: boolean): Promise<Compacted[]> {
    const verdict = this.verdict();
    // The same plan gained nothing a moment ago: what is left is to make the request fit.
    if (verdict === "blocked") return [];
    const done: Compacted[] = [];
    // Where a failure is remembered by a flag nothing stands in for the model's summary.
    const { flag } = this.c.profile.failure;
    const ways = this.c.llm && verdict === "try" && !byRules ? [true, false] : [false];
    for (const model of ways) {
      this.start(trigger);
      const made = await this.make(trigger, { model, cutOnly: verdict === "cutOnly" || (flag && !model && done.at(-1)?.status === "inflated"), signal });
      const now = this.now();
      const finished = this.finish(made);
      done.push(finished);
      if (finished.status === "cancelled") return done;
      this.patience.note(finished.status === "engine_failed" ? "model_failed" : finished.status, isSummary(made), now);
      // A second one of the same request would summarise a summary.
      if (finished.status === "applied") return done;
    }
    return done;
  }

  // ------------------------------------------------------------ beside the conversation

  /** Starts a job, if nothing forbids it; its number. */
  startJob(trigger: Trigger, { focus, model }: Pick<Wanted, "focus" | "model">): number | undefined {
    const parked = this.jobs.parked;
    if (this.jobs.phase === "running" || this.jobs.phase === "ready" || (parked && !this.isStale(parked))) return undefined;
    const verdict = model ? this.verdict() : "offline";
    if (verdict === "notYet" || verdict === "blocked") return undefined;
    const { log, events, saving } = this.c;
    const job = this.jobs.start(
      async (job, signal) => {
        const made = await this.make(trigger, { focus, model: model && verdict === "try", cutOnly: verdict === "cutOnly", signal, job });
        return made.status === "applied" ? { value: made } : { error: made.error ?? made.status, failed: made };
      },
      (job, outcome) => this.settled(job, trigger, outcome),
    );
    if (job === undefined) return undefined;
    this.start(trigger, job);
    log.record("job", { job, event: "started", trigger, since: log.length, begun: this.begun, requests: this.c.requests });
    saving.save();
    events.emit({ type: "compaction_progress", stage: "started", trigger, job });
    return job;
  }

  /** Whether what waits would be refused: something happened to what it is about. */
  private isStale({ edits, since }: Made): boolean {
    try {
      this.c.log.previewAdopted(edits, { since });
      return false;
    } catch {
      return true;
    }
  }

  private settled(job: number, trigger: Trigger, outcome: Outcome<Made>): void {
    const { log, saving } = this.c;
    const made = "value" in outcome ? outcome.value : outcome.failed;
    const status = made?.status ?? "model_failed";
    const is = status === "engine_failed" ? "model_failed" : status;
    // What was applied is noted when it is applied: until then the pressure is on.
    if (status !== "applied") this.patience.note(is, false, this.now());
    const kept = made && status === "applied" ? { made: { ...made, report: slim(made.report) } } : {};
    const error = made ? made.error : (outcome as { error: string }).error;
    log.record("job", { job, event: "settled", status, ...(error !== undefined && { error }), ...kept, ...(this.patience.state !== undefined && { patience: JSON.parse(this.patience.state) as unknown }) });
    if (status !== "applied") {
      const totals = log.view().after;
      this.finish(made ?? { status: "model_failed", trigger, since: log.length, edits: [], before: totals, began: this.c.clock.now(), job, ...(error !== undefined && { error }) });
    }
    saving.save();
  }

  /** Applies the result of a job. */
  applyJob(job: number, made: Made): Compacted {
    const now = this.now();
    const finished = this.finish(made);
    this.c.log.record("job", { job, event: finished.status === "applied" ? "applied" : "stale" });
    this.patience.note(finished.status, isSummary(made), now);
    this.c.saving.save();
    return finished;
  }

  /** Gives up the job, or its result. */
  cancelJob(): boolean {
    const job = this.jobs.cancel(new EspalierError({ code: "aborted", message: "the compaction was cancelled" }));
    if (job === undefined) return false;
    this.c.log.record("job", { job, event: "cancelled" });
    this.c.events.emit({ type: "compaction_progress", stage: "cancelled", job });
    this.c.saving.save();
    return true;
  }

  /** Goes on where an earlier session was left. The number of a job that was running then. */
  reload(): number | undefined {
    type JobRecord = { job: number; event: string; status?: string; made?: Made; begun?: number; requests?: number; patience?: unknown };
    const records = [...this.c.log.records("job"), ...this.c.log.records("plan")].map(({ data, id }) => ({ at: Number(id.slice(1)), ...(data as JobRecord) })).toSorted((a, b) => a.at - b.at);
    if (records.length === 0) return undefined;
    const numbers = (name: "begun" | "requests" | "job") => records.map((record) => record[name]).filter((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
    this.begun = numbers("begun").reduce((most, value) => Math.max(most, value), 0);
    const requests = this.c.log.records("usage").map(({ data }) => (data as { request?: unknown }).request).filter((value): value is number => Number.isSafeInteger(value));
    // One by one: a spread of a long list does not fit the stack.
    this.c.requests = [...numbers("requests"), ...requests].reduce((most, value) => Math.max(most, value), this.c.requests);
    const patience = records.findLast((record) => record.patience !== undefined)?.patience;
    if (patience !== undefined) this.patience.reload(patience);
    const last = numbers("job").reduce((most, value) => Math.max(most, value), 0);
    const newest = records.findLast((record) => record.job === last && record.event !== undefined);
    const isReady = newest?.event === "settled" && newest.status === "applied" && newest.made;
    if (!isReady) {
      this.jobs.reload(last);
      if (newest?.event !== "started") return undefined;
      this.c.log.record("job", { job: last, event: "interrupted" });
      return last;
    }
    // It was paid for: it is used when it is needed, if it fits then.
    const report = newest.made!.report && ({ ...newest.made!.report, messages: [], removed: [] } as CompactReport);
    this.jobs.reload(last, { ...newest.made!, ...(report && { report }) } as Made);
    return undefined;
  }
}

function isSummary({ edits }: Made): boolean {
  return edits.some(({ kind }) => kind === "replace_range");
}

function slim(report: CompactReport | undefined): Slim | undefined {
  if (!report) return undefined;
  const { status, steps, summary, covered, model, quality, before, after } = report;
  return { status, steps, covered, before, after, ...(summary !== undefined && { summary }), ...(model && { model }), ...(quality && { quality }) };
}

function textOf({ parts }: NeutralMessage): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
