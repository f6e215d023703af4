/** Laying compactions over the log: in the foreground, and beside the conversation. */

import { modelOf } from "../calls/limits.ts";
import { EspalierError } from "../errors/errors.ts";
import type { CompactReport } from "../types/compact-report.ts";
import type { NeutralMessage } from "../types/messages.ts";
import { checkpointPath, storeCheckpoint, titleOf } from "./checkpoints.ts";
import type { Context } from "./context.ts";
import { hash32 } from "../files/hash.ts";
import { draw } from "./draw.ts";
import { Jobs } from "./jobs.ts";
import type { Outcome } from "./jobs.ts";
import { Maker } from "./maker.ts";
import type { Made, Wanted } from "./maker.ts";
import { Patience } from "./patience.ts";
import type { Author, Now, Verdict } from "./patience.ts";
import type { Trigger } from "../types/compact.ts";
import type { Compacted, CompactionComplete } from "./types.ts";

/** What is kept of a compaction's report with a job that is not applied yet. */
type Slim = Pick<CompactReport, "status" | "steps" | "summary" | "covered" | "model" | "quality" | "before" | "after">;

/** Statuses after which the same may go well another time. */
const RETRYABLE: readonly Compacted["status"][] = [
  "model_failed",
  "timeout",
  "cancelled",
  "empty_summary",
  "no_summary_tag",
  "tool_call_instead",
  "already_running",
  "stale_plan",
  "engine_failed",
  "count_failed",
];

export class Compactor<T> {
  readonly maker: Maker<T>;
  readonly jobs: Jobs<Made>;
  readonly patience: Patience;
  /** Compactions begun so far: what jitter is drawn for, and what names plans. */
  begun = 0;
  private isOver = false;
  private readonly c: Context<T>;

  constructor(context: Context<T>) {
    this.c = context;
    this.maker = new Maker(context);
    this.patience = new Patience(context.profile.text);
    this.jobs = new Jobs(context.profile.text);
  }

  // ------------------------------------------------------------ whether

  /** Where a background compaction starts now: the same for the same log. */
  get draw(): number {
    return draw(this.c.seed, String(this.begun));
  }

  /** Whether one may be tried; `isNeeded`: something would be lost without it. */
  verdict(isNeeded = false): Verdict {
    const verdict = this.patience.mayTry(this.now(isNeeded));
    if (isNeeded || verdict === "blocked") return verdict;
    // What gains nothing where it is needed gains nothing before.
    return this.patience.mayTry(this.now(true)) === "blocked" ? "blocked" : verdict;
  }

  private now(isNeeded = false): Now {
    const { log, limits, profile, requests } = this.c;
    const { before, after } = log.view();
    const { limit } = limits.of(after.tools);
    // What is laid over the history, and who is asked: messages that are added to it do not make a plan another one.
    const newest = log.newestSummary() ?? "";
    return {
      requests,
      tokens: before.total,
      available: Math.max(0, limit - after.frame - after.tools),
      // A plan that need not gain much covers what another one leaves.
      fingerprint: hash32(`${newest}/${profile.name}/${limits.name}${isNeeded ? "/needed" : ""}`),
    };
  }

  // ------------------------------------------------------------ applying

  /** Tells that a compaction begins. */
  start(trigger: Trigger, job?: number): void {
    const { usage } = this.c.look();
    const { limit, used, frame, conversation, tools, ratio } = usage;
    const { name } = this.c.limits;
    this.begun += 1;
    this.c.events.emit({
      type: "compaction_start",
      trigger,
      ...(name !== "" && { model: name }),
      limit,
      used,
      frame,
      conversation,
      tools,
      ratio,
      ...(job !== undefined && { job }),
    });
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
        // The summary is in the edit.
        const { summary: _, ...about } = slim(made.report) ?? {};
        const data = { ...about, covered: made.report?.covered.length ?? 0 };
        ids = log.adopt(made.edits, { since: made.since, trigger: made.trigger, planId, data });
      } catch (thrown) {
        if (!(thrown instanceof EspalierError) || !["stale_plan", "bad_edit"].includes(thrown.code)) throw thrown;
        status = thrown.code === "stale_plan" ? "stale_plan" : "nothing_to_compact";
        error = thrown.message;
      }
    }
    // Behind a job's summary there may be messages that came since it was begun.
    if (status === "applied" && (made.originals ?? log.originals) === log.originals) this.maker.applied();
    const checkpoint = status === "applied" ? this.checkpoint(made, ids) : undefined;
    const {
      usage,
      view: { after },
    } = this.c.look();
    const { trigger, focus, report, job } = made;
    // An abort leaves the log as it is, and the number to the next one.
    if (status === "cancelled") this.begun -= 1;
    else
      log.record("plan", {
        id: planId,
        trigger,
        status,
        before: before.total,
        after: after.total,
        ...(job !== undefined && { job }),
        begun: this.begun,
        requests: this.c.requests,
        ...(this.patience.state !== undefined && { patience: JSON.parse(this.patience.state) as unknown }),
      });
    if (status === "applied") saving.check();
    else saving.save();
    const event: CompactionComplete = {
      type: "compaction_complete",
      success: status === "applied",
      status,
      trigger,
      ...(error !== undefined && status !== "applied" && { error }),
      ...(focus !== undefined && { focus }),
      tokensBefore: before.total,
      tokensAfter: after.total,
      tokensRemoved: before.total - after.total,
      messagesBefore: before.messages,
      messagesAfter: after.messages,
      messagesRemoved: before.messages - after.messages,
      ...(status === "applied" && report?.summary !== undefined && { summary: report.summary }),
      edits: ids,
      ...(checkpoint && { checkpoint }),
      ...(report?.model && {
        model: report.model,
        ...this.asked(),
        ...(report.model.requestIds.length > 0 && { requestId: report.model.requestIds.at(-1)! }),
      }),
      duration: Math.max(0, clock.now() - made.began),
      ...(report?.quality && { quality: report.quality }),
      limit: usage.limit,
      frame: usage.frame,
      conversation: usage.conversation,
      tools: usage.tools,
      ...(job !== undefined && { job }),
    };
    events.emit(event);
    const stage = status === "applied" ? "applied" : status === "cancelled" ? "cancelled" : "failed";
    events.emit({ type: "compaction_progress", stage, trigger, ...(job !== undefined && { job }) });
    return {
      status,
      trigger,
      retryable: RETRYABLE.includes(status),
      edits: ids,
      before,
      after,
      ...(checkpoint && { checkpoint: checkpoint.number }),
      ...(report && { report }),
      ...(error !== undefined && { error }),
      ...(job !== undefined && { job }),
    };
  }

  private asked(): { llmModel?: string } {
    const { name } = modelOf(this.c.compaction.llmModel ?? this.c.limits.name);
    return name === undefined || name === "" ? {} : { llmModel: name };
  }

  private checkpoint(made: Made, edits: string[]): CompactionComplete["checkpoint"] {
    const { log, saving, checkpoints: keep } = this.c;
    const message = made.edits.find((edit) => edit.kind === "replace_range")?.message;
    if (!message || !made.report) return undefined;
    const text = textOf(message);
    const goal = made.focus ?? log.newestRequest(200);
    const title = titleOf(made.report.summary ?? "", goal);
    // Without a storage the summary counts, and has no file.
    if (keep === 0) return { number: log.checkpoint({ title, edits }), title };
    let path = "";
    const number = log.checkpoint({ title, edits, path: (next) => (path = checkpointPath(next, title)) });
    storeCheckpoint(saving, { number, title, path, edits, report: made.report, text }, keep);
    return { number, title, path };
  }

  // ------------------------------------------------------------ in the foreground

  /** Makes and applies, automatically: by the model if that may be tried, then by rules. */
  async foreground(trigger: Trigger, signal: AbortSignal | undefined, byRules: boolean): Promise<Compacted[]> {
    const isNeeded = trigger !== "threshold";
    const verdict = this.verdict(isNeeded);
    // The same plan gained nothing a moment ago, or there is none: what is left is to make the request fit.
    if (verdict === "blocked" || this.maker.isIdle()) return [];
    const done: Compacted[] = [];
    // Where a failure is remembered by a flag nothing stands in for the model's summary.
    const { flag } = this.c.profile.failure;
    const asks = this.c.llm !== undefined && verdict === "try" && !byRules;
    // Without the rung there is nothing to try behind a model, nor while that is given a rest. That nobody summarises
    // at all is said.
    const ways = [...(asks ? [true] : []), ...(this.hasRules || !this.c.llm || verdict === "cutOnly" ? [false] : [])];
    if (this.c.llm && !byRules && !asks) this.c.events.emit({ type: "compaction_progress", stage: "skipped", trigger });
    for (const model of ways) {
      this.start(trigger);
      const made = await this.maker.make(trigger, {
        model,
        cutOnly: verdict === "cutOnly" || (flag && !model && done.at(-1)?.status === "inflated"),
        signal,
      });
      const now = this.now(isNeeded);
      const finished = this.finish(made);
      done.push(finished);
      if (finished.status === "cancelled") return done;
      this.noted(made, finished.status, now);
      // A second one of the same request would summarise a summary.
      if (finished.status === "applied") return done;
    }
    return done;
  }

  // ------------------------------------------------------------ beside the conversation

  /** Whether the ladder has a summary by rules. */
  private get hasRules(): boolean {
    const { compaction, profile } = this.c;
    return (compaction.ladder ?? profile.ladder).includes("offline");
  }

  /** Starts a job, if nothing forbids it; its number. */
  startJob(trigger: Trigger, { focus, model }: Pick<Wanted, "focus" | "model">): number | undefined {
    const parked = this.jobs.parked;
    if (this.isOver) return undefined;
    if (this.jobs.phase === "running" || this.jobs.phase === "ready" || (parked && !this.isStale(parked)))
      return undefined;
    const verdict = model ? this.verdict() : "offline";
    if (verdict === "offline" && !this.hasRules && this.c.llm) return undefined;
    if (verdict === "notYet" || verdict === "blocked" || this.maker.isIdle()) return undefined;
    const { log, events, saving } = this.c;
    const job = this.jobs.start(
      async (job, signal) => {
        const made = await this.maker.make(trigger, {
          focus,
          model: model && verdict === "try",
          cutOnly: verdict === "cutOnly",
          signal,
          job,
        });
        return made.status === "applied" ? { value: made } : { error: made.error ?? made.status, failed: made };
      },
      (job, outcome) => this.settled(job, trigger, outcome),
    );
    if (job === undefined) return undefined;
    this.start(trigger, job);
    log.record("job", {
      job,
      event: "started",
      trigger,
      since: log.length,
      begun: this.begun,
      requests: this.c.requests,
    });
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
    // What was applied is noted when it is applied: until then the pressure is on.
    if (status !== "applied") this.noted(made, status, this.now());
    const kept = made && status === "applied" ? { made: { ...made, report: slim(made.report) } } : {};
    const error = made ? made.error : (outcome as { error: string }).error;
    log.record("job", {
      job,
      event: "settled",
      status,
      ...(error !== undefined && { error }),
      ...kept,
      ...(this.patience.state !== undefined && { patience: JSON.parse(this.patience.state) as unknown }),
    });
    if (status !== "applied") {
      const totals = log.view().after;
      this.finish(
        made ?? {
          status: "model_failed",
          trigger,
          since: log.length,
          edits: [],
          before: totals,
          began: this.c.clock.now(),
          job,
          ...(error !== undefined && { error }),
        },
      );
    }
    saving.save();
  }

  /** How one ended that nobody asked for by hand. */
  private noted(made: Made | undefined, status: Compacted["status"], now: Now): void {
    if (made) this.maker.noted(made);
    // Without a model that is as it is for good, and what must stay stays: more has to be said before another try is
    // worth it.
    const isStuck = (status === "not_ready" || status === "budget_exceeded") && !this.c.profile.failure.flag;
    this.waited(
      isStuck ? "no_gain" : status === "engine_failed" || status === "count_failed" ? "model_failed" : status,
      made,
      now,
    );
  }

  /** Lets the model rest if it failed, whatever rules made in its place. */
  private waited(status: string, made: Made | undefined, now: Now): void {
    const author = made && authorOf(made);
    if (status === "applied" && author !== "model" && made?.report?.model?.error !== undefined)
      this.patience.note("model_failed", undefined, now);
    this.patience.note(status, author, now);
  }

  /** Applies the result of a job. */
  applyJob(job: number, made: Made): Compacted {
    const now = this.now();
    const finished = this.finish(made);
    this.c.log.record("job", { job, event: finished.status === "applied" ? "applied" : "stale" });
    this.waited(finished.status, made, now);
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

  /** Begins no job any more. */
  end(): void {
    this.isOver = true;
  }

  /** Goes on where an earlier session was left. The number of a job that was running then. */
  reload(): number | undefined {
    type JobRecord = {
      job: number;
      event: string;
      status?: string;
      made?: Made;
      begun?: number;
      requests?: number;
      patience?: unknown;
    };
    const records = [...this.c.log.recordsOf("job", withNewestResult), ...this.c.log.records("plan")]
      .map(({ data, id }) => ({ at: Number(id.slice(1)), ...(data as JobRecord) }))
      .toSorted((a, b) => a.at - b.at);
    if (records.length === 0) return undefined;
    const numbers = (name: "begun" | "requests" | "job") =>
      records
        .map((record) => record[name])
        .filter((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
    this.begun = numbers("begun").reduce((most, value) => Math.max(most, value), 0);
    const requests = this.c.log
      .records("usage")
      .map(({ data }) => (data as { request?: unknown }).request)
      .filter((value): value is number => Number.isSafeInteger(value));
    // One by one: a spread of a long list does not fit the stack.
    this.c.requests = [...numbers("requests"), ...requests].reduce(
      (most, value) => Math.max(most, value),
      this.c.requests,
    );
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

/** Lines of jobs without the results of all but the newest: whole summaries that nobody needs any more. */
function withNewestResult(lines: readonly string[]): readonly string[] {
  const isResult = (line: string) => line.slice(0, 200).includes('\\"event\\":\\"settled\\"');
  const newest = lines.findLastIndex(isResult);
  return lines.filter((line, at) => at === newest || !isResult(line));
}

/** Who wrote the summary, if there is one. */
function authorOf({ edits }: Made): Author | undefined {
  return edits.find(({ kind }) => kind === "replace_range")?.author;
}

function slim(report: CompactReport | undefined): Slim | undefined {
  if (!report) return undefined;
  const { status, steps, summary, covered, model, quality, before, after } = report;
  return {
    status,
    steps,
    covered,
    before,
    after,
    ...(summary !== undefined && { summary }),
    ...(model && { model }),
    ...(quality && { quality }),
  };
}

function textOf({ parts }: NeutralMessage): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
