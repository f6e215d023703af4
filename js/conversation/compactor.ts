/** Applies compactions to the log: in the foreground, and beside the conversation. */

import { modelOf } from "../calls/limits.ts";
import { madeFields } from "../log/fields.ts";
import type { CompactReport, Edit } from "../types/compact-report.ts";
import type { NeutralMessage } from "../types/messages.ts";
import { checkpointPath, storeCheckpoint, titleOf } from "./checkpoints.ts";
import type { Context } from "./context.ts";
import { Jobs } from "./jobs.ts";
import type { Outcome } from "./jobs.ts";
import type { Ended, Look, RequestStep } from "./machine.ts";
import { Maker } from "./maker.ts";
import type { Made, Wanted } from "./maker.ts";
import { cancelled } from "./turns.ts";
import type { Trigger } from "../types/compact.ts";
import type { Compacted, CompactionComplete } from "./types.ts";

/** The fields of a compaction's report that are kept with an unapplied job. */
type Slim = Pick<CompactReport, "status" | "steps" | "summary" | "covered" | "model" | "quality" | "before" | "after">;

/** Statuses after which another attempt may succeed. */
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
  private isOver = false;
  /** Aborts the model's part of a compaction in the foreground. */
  private asking: AbortController | undefined;
  /** Number of compactions in a row for which no summary of the model was used. */
  private failures = 0;
  private readonly c: Context<T>;

  constructor(context: Context<T>) {
    this.c = context;
    this.maker = new Maker(context);
    this.jobs = new Jobs(context.machine);
  }

  // ------------------------------------------------------------ applying

  /** Emits the start of a compaction, with the current request. */
  start(trigger: Trigger, { usage }: Look<T>, job?: number): void {
    const { limit, used, frame, conversation, tools, ratio } = usage;
    const { name } = this.c.machine;
    this.c.begun += 1;
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

  /**
   * Applies a compaction to the log, if it still fits, and reports it. `ended`: its effect on the back-off of later
   * ones.
   */
  finish(made: Made, ended?: Ended): { compacted: Compacted; look: Look<T> } {
    const { log, machine, events, clock, saving } = this.c;
    const { trigger, focus, report, job } = made;
    const planId = `c${this.c.begun}`;
    // The summary is in the edit.
    const { summary: _, ...about } = slim(report) ?? {};
    const data = { ...about, covered: report?.covered.length ?? 0 };
    const isMade = made.status === "applied";
    const [edits, from] = madeFields(isMade ? made.edits : [], { since: made.since, trigger, planId, data });
    const stored = isMade ? this.checkpoint(made) : undefined;
    const finished = machine.finish(this.c.around, {
      status: made.status,
      edits,
      made: from,
      ...(stored && { checkpoint: stored }),
      trigger,
      planId,
      job,
      begun: this.c.begun,
      requests: this.c.requests,
      // Newer messages may have been appended since a job began.
      isWhole: (made.originals ?? log.originals) === log.originals,
      ended,
    });
    const { status, ids, before, after, look } = finished;
    const { error = made.error } = finished;
    const isApplied = status === "applied";
    // An aborted compaction leaves the log unchanged, and its number to the next one.
    if (status === "cancelled") this.c.begun -= 1;
    const checkpoint = isApplied ? stored : undefined;
    if (checkpoint?.path !== undefined && report) {
      const text = textOf(made.edits.find(isRange)!.message!);
      const file = { ...checkpoint, path: checkpoint.path, edits: ids, report, text };
      storeCheckpoint(saving, file, this.c.checkpoints);
    }
    if (isApplied) saving.check();
    else saving.save();
    const { usage } = look;
    const event: CompactionComplete = {
      type: "compaction_complete",
      success: isApplied,
      status,
      trigger,
      ...(error !== undefined && !isApplied && { error }),
      ...(focus !== undefined && { focus }),
      tokensBefore: before.total,
      tokensAfter: after.total,
      tokensRemoved: before.total - after.total,
      messagesBefore: before.messages,
      messagesAfter: after.messages,
      messagesRemoved: before.messages - after.messages,
      ...(isApplied && report?.summary !== undefined && { summary: report.summary }),
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
    this.warn(status, report?.model);
    const stage = isApplied ? "applied" : status === "cancelled" ? "cancelled" : "failed";
    events.emit({ type: "compaction_progress", stage, trigger, ...(job !== undefined && { job }) });
    const compacted: Compacted = {
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
    return { compacted, look };
  }

  /** Warns when no summary of the model was used twice in a row: summaries by rules say nothing of it. */
  private warn(status: Compacted["status"], model: CompactReport["model"]): void {
    if (!model || status === "cancelled") return;
    this.failures = model.error === undefined ? 0 : this.failures + 1;
    if (this.failures !== 2) return;
    const message = `twice in a row no summary of the model could be used, so that rules write them: ${model.error}`;
    this.c.events.emit({ type: "warning", code: "model_failed", message, details: { error: model.error } });
  }

  private asked(): { llmModel?: string } {
    const { name } = modelOf(this.c.compaction.llmModel ?? this.c.machine.name);
    return name === undefined || name === "" ? {} : { llmModel: name };
  }

  /**
   * Returns the stored summary of a compaction, if it made one. Without a storage the summary counts, but has no file.
   */
  private checkpoint({ edits, report, focus }: Made): CompactionComplete["checkpoint"] {
    const { log, checkpoints: keep } = this.c;
    if (!report || !edits.some((edit) => isRange(edit) && edit.message)) return undefined;
    const title = titleOf(report.summary ?? "", () => focus ?? log.state.newestRequest(200));
    const number = log.nextCheckpoint();
    return { number, title, ...(keep > 0 && { path: checkpointPath(number, title) }) };
  }

  // ------------------------------------------------------------ in the foreground

  /** Makes and applies a compaction that is due: with the model if that may be tried, then by rules. */
  async foreground(
    { trigger, verdict }: NonNullable<RequestStep<T>["due"]>,
    look: Look<T>,
    signal: AbortSignal | undefined,
    byRules: boolean,
  ): Promise<{ compactions: Compacted[]; look: Look<T> }> {
    const compactions: Compacted[] = [];
    // If the profile remembers failures by a flag, nothing replaces the model's summary.
    const { flag } = this.c.profile.failure;
    const asks = this.c.llm !== undefined && verdict === "try" && !byRules;
    // Without the step `offline` there is no fallback after a model, nor while the model is resting. An event reports
    // that nothing will summarise.
    const ways = [...(asks ? [true] : []), ...(this.hasRules || !this.c.llm || verdict === "cutOnly" ? [false] : [])];
    if (this.c.llm && !byRules && !asks) this.c.events.emit({ type: "compaction_progress", stage: "skipped", trigger });
    for (const model of ways) {
      this.start(trigger, look);
      const cutOnly = verdict === "cutOnly" || (flag && !model && compactions.at(-1)?.status === "inflated");
      const asking = new AbortController();
      const signals = [signal ?? [], asking.signal].flat();
      if (model) this.asking = asking;
      const made = await this.maker
        .make(trigger, { model, cutOnly, signal: AbortSignal.any(signals) }, look)
        .finally(() => (this.asking = undefined));
      const finished = this.finish(
        made,
        this.ended(made, { isNeeded: trigger !== "threshold", isBeforeRequest: true }),
      );
      compactions.push(finished.compacted);
      look = finished.look;
      // A second compaction of the same request would summarise a summary.
      if (signal?.aborted || finished.compacted.status === "applied") break;
    }
    return { compactions, look };
  }

  // ------------------------------------------------------------ beside the conversation

  /** True if the steps include a summary by rules. */
  private get hasRules(): boolean {
    const { compaction, profile } = this.c;
    return (compaction.ladder ?? profile.ladder).includes("offline");
  }

  /** Starts a job, unless something forbids it. Returns its number. */
  startJob(trigger: Trigger, { focus, model }: Pick<Wanted, "focus" | "model">): number | undefined {
    if (this.isOver) return undefined;
    const { log, machine, events, saving, hooks } = this.c;
    const { parked } = this.jobs;
    const started = machine.startJob({
      requests: this.c.requests,
      asksModel: model,
      hasRules: this.hasRules || !this.c.llm,
      isStale: parked !== undefined && this.isStale(parked),
      hasHook: hooks?.preCompact !== undefined,
    });
    if (!started) return undefined;
    const { job, verdict } = started;
    this.jobs.run(
      job,
      async (signal) => {
        const made = await this.maker.make(trigger, {
          focus,
          model: model && verdict === "try",
          cutOnly: verdict === "cutOnly",
          signal,
          job,
        });
        return made.status === "applied" ? { value: made } : { error: made.error ?? made.status, failed: made };
      },
      (outcome) => this.settled(job, trigger, outcome),
    );
    this.start(trigger, this.c.look(), job);
    log.record("job", {
      job,
      event: "started",
      trigger,
      since: log.length,
      begun: this.c.begun,
      requests: this.c.requests,
    });
    saving.save();
    events.emit({ type: "compaction_progress", stage: "started", trigger, job });
    return job;
  }

  /** True if a waiting result can no longer be applied, because its messages have changed. */
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
    // The machine learns of an applied result when it is applied: until then the pressure is on.
    if (status !== "applied") this.c.machine.ended({ ...this.ended(made), status });
    const kept = made && status === "applied" ? { made: { ...made, report: slim(made.report) } } : {};
    const error = made ? made.error : (outcome as { error: string }).error;
    const { backoff } = this.c.machine.learned;
    log.record("job", {
      job,
      event: "settled",
      status,
      ...(error !== undefined && { error }),
      ...kept,
      ...(backoff !== undefined && { patience: backoff }),
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

  /** Describes the end of an automatic compaction. */
  private ended(made: Made | undefined, about: Partial<Ended> = {}): Ended {
    return {
      requests: this.c.requests,
      ...(made && { made: made.status }),
      author: made?.edits.find(isRange)?.author,
      hasFailed: made?.report?.model?.error !== undefined,
      ...about,
    };
  }

  /** Applies the result of a job. */
  applyJob(job: number, made: Made): Compacted {
    const { compacted } = this.finish(made, this.ended(made));
    this.c.log.record("job", { job, event: compacted.status === "applied" ? "applied" : "stale" });
    this.c.saving.save();
    return compacted;
  }

  /** Ends the wait for the model in the foreground. Returns false if there is none. */
  cancelAsking(): boolean {
    this.asking?.abort(cancelled());
    return this.asking !== undefined;
  }

  /** Cancels the job, or drops its result. */
  cancelJob(): boolean {
    const job = this.jobs.cancel(cancelled());
    if (job === undefined) return false;
    this.c.log.record("job", { job, event: "cancelled" });
    this.c.events.emit({ type: "compaction_progress", stage: "cancelled", job });
    this.c.saving.save();
    return true;
  }

  /** Prevents further jobs. */
  end(): void {
    this.isOver = true;
  }

  /** Continues an earlier session. Returns the number of a job that was running then. */
  reopen(): number | undefined {
    type JobRecord = {
      job: number;
      event: string;
      status?: string;
      made?: Made;
      begun?: number;
      requests?: number;
      patience?: unknown;
    };
    const records = [...this.c.log.state.records("job", withNewestResult), ...this.c.log.records("plan")]
      .map(({ data, id }) => ({ at: Number(id.slice(1)), ...(data as JobRecord) }))
      .toSorted((a, b) => a.at - b.at);
    const numbers = (name: "begun" | "requests" | "job") =>
      records
        .map((record) => record[name])
        .filter((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
    this.c.begun = numbers("begun").reduce((most, value) => Math.max(most, value), 0);
    const requests = this.c.log
      .records("usage")
      .map(({ data }) => (data as { request?: unknown }).request)
      .filter((value): value is number => Number.isSafeInteger(value));
    // One by one: spreading a long list would overflow the stack.
    this.c.requests = [...numbers("requests"), ...requests].reduce(
      (most, value) => Math.max(most, value),
      this.c.requests,
    );
    if (records.length === 0) return undefined;
    const backoff = records.findLast((record) => record.patience !== undefined)?.patience;
    const last = numbers("job").reduce((most, value) => Math.max(most, value), 0);
    const newest = records.findLast((record) => record.job === last && record.event !== undefined);
    const isReady = newest?.event === "settled" && newest.status === "applied" && newest.made;
    if (!isReady) {
      this.jobs.reopen(backoff, last);
      if (newest?.event !== "started") return undefined;
      this.c.log.record("job", { job: last, event: "interrupted" });
      return last;
    }
    // A finished result was paid for: it is used when needed, if it fits then.
    const report = newest.made!.report && ({ ...newest.made!.report, messages: [], removed: [] } as CompactReport);
    this.jobs.reopen(backoff, last, { ...newest.made!, ...(report && { report }) } as Made);
    return undefined;
  }
}

/** Returns the lines of jobs, with only the newest result: older ones are whole summaries without a use. */
function withNewestResult(lines: readonly string[]): readonly string[] {
  const isResult = (line: string) => line.slice(0, 200).includes('\\"event\\":\\"settled\\"');
  const newest = lines.findLastIndex(isResult);
  return lines.filter((line, at) => at === newest || !isResult(line));
}

function isRange({ kind }: Edit): boolean {
  return kind === "replace_range";
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
