/** Provider feedback: reported usage or a refusal. */

import { isUsage, usageOf } from "../providers/usage.ts";
import type { NextStep } from "../calls/recovery.ts";
import { refusalBy } from "../calls/refusal.ts";
import { reportedBy } from "../calls/request.ts";
import type { Usage } from "../types/cache.ts";
import { addUsage } from "../tokens/usage.ts";
import type { Context } from "./context.ts";
import type { OddUsage } from "../types/generated/conversation.ts";
import type { Models } from "./models.ts";
import { canLoseMedia } from "../validity/media.ts";
import { isFields } from "../formats/values.ts";

const WHY: Record<OddUsage["why"], string> = {
  overflow: "",
  low: "; the limit stays as it is. Report the whole prompt, cached tokens included",
  overhead: "; a request without any message would not fit by that, so counts are not brought in line with it",
  unsteady: "; reports vary too much to predict the next one",
};

/** An anomaly that the engine does not see. */
const UNREAD = "unread";

/** What the log keeps of a report. */
type UsageRecord = Partial<Usage> & { request: number };

/** Returns the fields that say something, so that lines of the log stay short. */
function partsOf(usage: Partial<Usage>): Partial<Usage> {
  const all = Object.entries(addUsage(usage)).filter(([name, tokens]) => tokens !== 0 || name === "promptTotal");
  return Object.fromEntries(all);
}

/** Sums what a log keeps. Of several reports of one request, which follow each other, the last counts. */
function storedUsage(records: readonly UsageRecord[]): Usage {
  const last = records.filter(({ request }, at) => !(request > 0) || records[at + 1]?.request !== request);
  // One by one: spreading a long list would overflow the stack.
  return last.reduce<Usage>((sum, one) => addUsage(sum, one), addUsage());
}

export class Answers<T> {
  /** Tokens of all requests together, those of earlier processes included. */
  reported: Usage;
  /** The newest request whose usage was reported, and the tokens of all requests before it. */
  private counted: { number: number; before: Usage } | undefined;
  /** The last anomaly that was warned of; a row of the same anomaly is one warning. */
  private warned: string | undefined;
  private readonly c: Context<T>;
  private readonly models: Models<T>;
  private readonly isManaged: boolean;

  /** `isManaged`: true if the server manages the context. */
  constructor(context: Context<T>, models: Models<T>, isManaged: boolean) {
    this.c = context;
    this.models = models;
    this.isManaged = isManaged;
    this.reported = storedUsage(context.log.records("usage").map(({ data }) => data as UsageRecord));
  }

  usage(usage: unknown): void {
    const { machine, saving, events, requests: number } = this.c;
    // A bare number says nothing about caches.
    const record =
      typeof usage === "number" ? { input: usage, promptTotal: usage } : (usageOf(usage) ?? reportedBy(usage));
    if (!record) return this.unread(usage);
    const reported = record.promptTotal;
    if (reported === undefined || !(reported >= 0 && reported <= Number.MAX_SAFE_INTEGER)) return;
    // A stream reports its usage several times, and a host may report what an entry of an SDK has reported: the newest
    // report of a request counts, and two reports of one request do not confirm each other.
    const isAgain = number > 0 && number === this.counted?.number;
    const before = isAgain ? this.counted!.before : this.reported;
    this.reported = addUsage(before, record);
    if (reported > 0) this.counted = { number, before };
    const tokens = Math.round(reported);
    // The names are those of stored logs, which have the first two alone.
    const kept: UsageRecord = { request: number, ...partsOf({ ...record, promptTotal: tokens }) };
    if (isAgain) return this.recordAgain(kept);
    const about = { date: this.date(), isManaged: this.isManaged, record: JSON.stringify(kept) };
    const { odd, isOtherLimit } = machine.answered(tokens, about);
    this.models.reported(isOtherLimit);
    saving.save();
    const known = this.warned;
    // Some servers report zero if they do not count.
    if (tokens > 0) this.warned = odd?.why;
    if (!odd || (odd.why === known && odd.why !== "overflow")) return;
    const { why, ...details } = odd;
    const code = why === "overflow" ? "silent_overflow" : "odd_usage";
    events.emit({
      type: "warning",
      code,
      message: `the provider counted ${odd.reported} tokens, but ${odd.expected} were expected${WHY[why]}`,
      details,
    });
  }

  /** Keeps a later report of the newest request, which replaces the tokens of the earlier one. */
  private recordAgain(kept: UsageRecord): void {
    this.c.log.record("usage", kept);
    this.c.saving.save();
  }

  /**
   * Warns of a report without a field that is known. Some SDKs report fields without values if a server reports none.
   */
  private unread(usage: unknown): void {
    if (!isFields(usage) || isUsage(usage) || !isCounts(usage) || this.warned === UNREAD) return;
    const fields = Object.keys(usage).filter((name) => usage[name] !== undefined && usage[name] !== null);
    if (fields.length === 0) return;
    this.warned = UNREAD;
    this.c.events.emit({
      type: "warning",
      code: "odd_usage",
      message: `a usage report has no field that is known (${fields.slice(0, 8).join(", ")}); pass the provider's own usage or a number of tokens`,
      details: { fields },
    });
  }

  refusal(error: unknown): NextStep {
    const { log } = this.c;
    const hasMedia = log.state.lines.hasMedia && canLoseMedia({ messages: log.neutral() });
    const next = this.c.machine.refused({ ...refusalBy(error), hasMedia, date: this.date() });
    this.models.keep();
    return next;
  }

  private date(): string {
    return new Date(this.c.clock.now()).toISOString();
  }
}

/** True for numbers, and records of them. A whole reply, or a piece of a stream, may be passed as well: it has more. */
function isCounts(value: unknown, depth = 2): boolean {
  if (value === undefined || value === null || typeof value === "number") return true;
  return depth > 0 && isFields(value) && Object.values(value).every((inner) => isCounts(inner, depth - 1));
}
