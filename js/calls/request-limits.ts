/** Keeps finished messages within the limits of their provider that are not tokens. */

import { EspalierError } from "../errors/errors.ts";
import { isExceeded } from "../errors/exceeded.ts";
import type { Reading } from "../formats/adapter.ts";
import { readConversation } from "../formats/index.ts";
import type { LimitFinding, RequestLimits } from "../types/limits.ts";
import type { Totals } from "../types/count.ts";
import type { PlanItem } from "../types/messages.ts";
import type { PruneOptions, PruneReport, Removal } from "../types/prune.ts";
import type { ProviderName } from "../types/validity.ts";
import { bodyBytes, mediaOf, written } from "../validity/media.ts";
import { exceeded, limitsOf, measure, withinLimits } from "../validity/request-limits.ts";
import { countMessages } from "./count.ts";
import { knownWindow } from "./limits.ts";
import { idAt, keptIds } from "./reading.ts";
import { howOf, mendings, wireRepaired } from "./wire-repair.ts";
import type { Finished, HowCounted, Repair } from "./wire-repair.ts";

/** The options on which the limits depend. */
export type LimitedBy = HowCounted & Pick<PruneOptions, "keep" | "limits">;

/** The share of a limit by which the oldest medium that stays moves at a time, so that the cache seldom breaks. */
const STEP = 0.1;
/** Limits that fewer messages keep. */
const BY_CUTTING: readonly (keyof RequestLimits)[] = ["maxBytes", "maxMessages"];
/** A smaller budget aims at this share of the limit, because bytes do not follow tokens exactly. */
const AIM = 0.97;
/** Max cuts to keep a limit that is not tokens. */
const CUTS = 8;

/** How the messages of a request are named, if not by their place in it. */
export interface Named {
  /** Returns the id of a message by its place in the list. */
  idAt(at: number): string | undefined;
  /** Ids of messages that stay unchanged. */
  kept: readonly string[];
}

/**
 * Replaces the oldest pictures and documents of finished messages by notes until the request is within the limits of
 * its provider. `exceeded` lists the limits that it still exceeds. The messages are read again only if they have media,
 * or if a limit was stated that only reading shows.
 */
export function withinRequestLimits(
  finished: Finished,
  reading: Reading,
  provider: ProviderName | undefined,
  { limits: stated = {}, keep, ...counted }: LimitedBy,
  given?: Named,
): Finished & { exceeded: LimitFinding[] } {
  // No default of the parameter: Angular's builds let esbuild lower `...counted`, which then sets `keep` too late.
  const named = given ?? { idAt: (at: number) => idAt(reading, at), kept: keptIds(reading, keep) };
  const applied = appliedLimits(reading, finished.after.messages, provider, { limits: stated, ...counted });
  if (!applied) return { exceeded: [], ...finished };
  const { limits, hasBytes } = applied;
  const { format, source, tools } = reading;
  const again = (messages: unknown) => (messages === source.input ? reading : readConversation(messages, { format }));
  const read = again(finished.messages);
  const offset = read.messages.length - read.source.list.length;
  const ids = new Map(source.list.map((message, at) => [message, named.idAt(at)]));
  const idOf = (index: number) => ids.get(read.source.list[index - offset]);
  const kept = new Set(named.kept);
  const newest = read.messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some(({ type }) => type !== "toolResult"),
  );
  const { messages, changes } = withinLimits(read, limits, {
    step: STEP,
    stays: ({ index, item }) => kept.has(idOf(index) ?? "") || (index === newest && item === undefined),
    recall: idOf,
  });
  const light = messages === read.source.input ? read : again(messages);
  const over = exceeded(limits, { ...measure(light, hasBytes), maxTools: tools.length });
  if (light === read) return { exceeded: over, ...finished };
  const { total, frame, conversation, messages: count } = countMessages(messages, { ...howOf(counted), format });
  return {
    messages,
    repaired: [...finished.repaired, ...mendings(changes, (at) => [idOf(at + offset)].flatMap((id) => id ?? []))],
    after: { ...finished.after, total, frame, conversation, messages: count },
    exceeded: over,
  };
}

/**
 * Carries out a plan of the engine. What only the provider's own checks see is repaired as well, and pictures and
 * documents beyond its limits become notes.
 */
export function carriedOut(
  {
    plan,
    repair,
    after,
    budget,
  }: Pick<PruneReport, "after" | "budget"> & { plan: PlanItem[]; repair?: Repair | undefined },
  reading: Reading,
  provider: ProviderName | undefined,
  options: LimitedBy,
): Finished & { exceeded: LimitFinding[] } {
  const made = { messages: reading.rebuild(plan), after, repaired: [] };
  const valid = repair && provider ? wireRepaired(made, repair, reading, provider, budget, options) : made;
  return withinRequestLimits(valid, reading, provider, options);
}

/** Lists the limits that a request exceeds. */
export function exceededBy(
  reading: Reading,
  provider: ProviderName | undefined,
  options: Pick<LimitedBy, "limits" | "model">,
): LimitFinding[] {
  const applied = appliedLimits(reading, reading.source.list.length, provider, options);
  return applied ? exceeded(applied.limits, measure(reading, applied.hasBytes)) : [];
}

/**
 * Returns the limits that a request of this number of messages could exceed; nothing if it has no media, and is below
 * all others. `hasBytes`: bytes are to be measured, which means to write the request. Words that fit a window are far
 * below half of a documented limit.
 */
function appliedLimits(
  reading: Reading,
  messages: number,
  provider: ProviderName | undefined,
  { limits: stated = {}, model }: Pick<LimitedBy, "limits" | "model">,
): { limits: RequestLimits; hasBytes: boolean } | undefined {
  const media = mediaOf(reading);
  const { maxMessages = Infinity, maxTools = Infinity } = limitsOf(provider, stated);
  const isSmall = messages <= maxMessages && reading.tools.length <= maxTools;
  if (media.length === 0 && stated.maxBytes === undefined && isSmall) return undefined;
  const { maxBytes, ...others } = limitsOf(provider, stated, () => knownWindow(model));
  const isHeavy = maxBytes !== undefined && media.reduce((sum, one) => sum + written(one), 0) > maxBytes / 2;
  const hasBytes = stated.maxBytes !== undefined || isHeavy;
  return { limits: { ...others, ...(hasBytes && maxBytes !== undefined && { maxBytes }) }, hasBytes };
}

/** Returns whether a request with fewer messages would keep limits that this one exceeds. */
export function isMendedByCutting(exceeded: readonly LimitFinding[]): boolean {
  return exceeded.some(({ limit }) => BY_CUTTING.includes(limit));
}

/** A cut, and the limits that it exceeds. */
interface Cut {
  report: { after: Totals; budget: number; limitSource?: unknown };
  exceeded: LimitFinding[];
  repaired: Removal[];
}

/**
 * Cuts to smaller budgets until the request is within limits that fewer messages keep. `cut` without a budget makes the
 * first cut.
 *
 * @throws EspalierError `budget_exceeded` if the messages that must stay exceed a stated limit
 */
export function cutToLimits<C extends Cut>(cut: (budget?: number) => C, stated: RequestLimits = {}): C {
  const first = cut();
  let done = first;
  for (let round = 0; round < CUTS; round += 1) {
    const budget = smallerBudget(done.exceeded, done.report.after.total);
    if (budget === undefined) break;
    try {
      done = cut(budget);
    } catch (error) {
      if (!isExceeded(error)) throw error;
      break;
    }
  }
  refuseExceeded(done.exceeded, stated);
  if (done === first) return done;
  const { budget, limitSource } = first.report;
  return { ...done, report: { ...done.report, budget, ...(limitSource !== undefined && { limitSource }) } };
}

/** Returns the tokens for a smaller request that keeps more limits; nothing if fewer messages keep none of them. */
export function smallerBudget(exceeded: readonly LimitFinding[], tokens: number): number | undefined {
  const cuttable = exceeded.filter(({ limit }) => BY_CUTTING.includes(limit));
  const shares = cuttable.map(({ allowed, found }) => allowed / found);
  return shares.length === 0 ? undefined : Math.floor(tokens * Math.min(...shares) * AIM);
}

/**
 * Returns the budget of a compaction, which is made once: lower than the host's if the messages exceed a stated limit
 * of bytes, or a limit of messages.
 */
export function budgetWithin(
  reading: Reading,
  provider: ProviderName | undefined,
  { limits: stated = {}, ...counted }: LimitedBy & { budget: number },
): number {
  const { maxMessages = Infinity } = limitsOf(provider, stated);
  const { maxBytes = Infinity } = stated;
  const { list, input } = reading.source;
  // Media go first, and cost no messages.
  const bytes = maxBytes === Infinity ? 0 : bodyBytes(withinLimits(reading, { maxBytes }).messages, reading.format);
  const share = Math.min(maxBytes / bytes, maxMessages / list.length);
  if (share >= 1) return counted.budget;
  const { total } = countMessages(input, { ...howOf(counted), format: reading.format });
  return Math.min(counted.budget, Math.floor(total * share * AIM));
}

/** Throws if a limit that the host stated is exceeded. Documented limits change; the report lists those. */
export function refuseExceeded(found: readonly LimitFinding[], stated: RequestLimits = {}): void {
  // Nothing here changes tools.
  const unmet = found.find(({ limit }) => limit !== "maxTools" && stated[limit] !== undefined);
  if (!unmet) return;
  const { limit, allowed: budget, found: needed, message } = unmet;
  throw new EspalierError({
    code: "budget_exceeded",
    message: `The messages that must stay exceed a limit: ${message}`,
    path: `options.limits.${limit}`,
    details: { budget, needed, limit },
  });
}

/** Returns the limits of a report, which has them only if there are any. */
export const shownExceeded = (exceeded: readonly LimitFinding[]) => (exceeded.length > 0 ? { exceeded } : {});
