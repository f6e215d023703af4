/** Runs of pruning and compaction over the open conversation, and questions about them. */

import { readConversation } from "../../js/formats/index.ts";
import type { Reading } from "../../js/formats/adapter.ts";
import { Pruner } from "../../js/calls/pruner.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import type { CompactReport, Edit } from "../../js/types/compact-report.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import type { PruneReport } from "../../js/types/prune.ts";
import type { Mode } from "../app/address.ts";
import type { Lines } from "../run/types.ts";
import { moving } from "../talk.ts";
import { baseOf, held, pinsOf } from "./held.ts";
import type { Held } from "./held.ts";
import { Remembered, spanOf } from "./remembered.ts";
import type { Span } from "./remembered.ts";
import { rowsOf } from "./rows.ts";
import type { Next, Ran, Rows } from "./questions.ts";

/** A run with everything that can be asked about it. */
export interface FullRun {
  version: number;
  mode: Mode;
  budget: number;
  rows: Rows;
  report: PruneReport | CompactReport;
  /** The messages as sent, by id. */
  sent: Map<string, NeutralMessage>;
  /** Only for `compact`: what applying records, and the length of the log before. */
  edits: Edit[];
  lines?: Lines;
  profile?: string;
  since: number | undefined;
}

/** What is kept of a pruning run for later budgets. */
interface Kept extends Span {
  bytes: number;
  answer: Omit<Ran, "run" | "budget" | "isRemembered" | "low" | "high">;
}

/** Max bytes of remembered rows. */
const MAX_BYTES = 64 << 20;
/** Runs of which everything is at hand. */
const MAX_FULL = 8;
/** Milliseconds of runs ahead after each question of the reader. */
const AHEAD_MS = 6_000;

const remembered = new Remembered<Kept>(MAX_BYTES);
const pruner = new Pruner();
/** By number of the run. */
const full = new Map<number, FullRun>();
/** Mode and budget of runs that were answered from memory, until somebody asks about them. */
const answered = new Map<number, { mode: Mode; budget: number; version: number }>();
let last = 0;
let base: { reading: Reading; version: number; of: Held; largest: number } | undefined;
let focus: { budget: number; left: number } | undefined;

/** Forgets all runs: the conversation or its edits have changed. */
export function forgetRuns(): void {
  remembered.clear();
  full.clear();
  answered.clear();
  base = focus = undefined;
}

/** Returns what the runs start from, and the size of the largest message with results. */
function baseReading(of: Held): NonNullable<typeof base> {
  if (base?.of === of && base.version === of.version) return base;
  // The neutral form is a format of its own, so that inserted messages can be shown directly.
  const reading = readConversation(baseOf(of), { format: "espalier", tools: of.reading.tools });
  base = { reading, version: of.version, of, largest: 0 };
  return base;
}

export async function run(mode: Mode, budget: number, anew = false, profile = "espalier"): Promise<Ran> {
  const of = held();
  const known = mode === "prune" && !anew ? remembered.at(budget) : undefined;
  const number = ++last;
  let answer: Kept["answer"];
  let span: Span;
  if (known) {
    answered.set(number, { mode, budget, version: of.version });
    answer = known.answer;
    span = known;
  } else {
    const ran = await fresh(mode, budget, profile);
    keepFull(number, ran);
    answer = answerOf(ran);
    span = mode === "prune" ? remember(ran) : { low: budget, high: budget };
  }
  if (mode === "prune") focus = { budget, left: AHEAD_MS };
  const { index, roles, fates, before, after } = answer.rows;
  const rows: Rows = {
    index: index.slice(),
    roles: roles.slice(),
    fates: fates.slice(),
    before: before.slice(),
    after: after.slice(),
  };
  const { low, high } = span;
  const ran: Ran = { ...answer, rows, run: number, budget, low, high, isRemembered: known !== undefined };
  return moving(
    ran,
    Object.values(rows).map(({ buffer }) => buffer as ArrayBuffer),
  );
}

/** Runs now, whatever is remembered. */
export async function fresh(mode: Mode, budget: number, profile: string): Promise<FullRun> {
  return mode === "prune" ? prunes(held(), budget) : compacts(held(), budget, profile);
}

function answerOf({ mode, rows, report, lines, profile }: FullRun): Kept["answer"] {
  const { before, after, encoding, origin } = report;
  const base = { mode, rows, before, after, encoding, origin };
  if (mode === "prune") return base;
  const { status, steps, summary, aim, ledger, quality } = report as CompactReport;
  return {
    ...base,
    plan: { status, steps, summary, aim, ledger, quality, lines, profile } as NonNullable<Ran["plan"]>,
  };
}

function remember(ran: FullRun): Kept {
  const { low, high } = spanOf(ran.report as PruneReport, baseReading(held()).largest);
  const bytes = Object.values(ran.rows).reduce((sum, { byteLength }) => sum + byteLength, 500);
  const kept = { low, high, bytes, answer: answerOf(ran) };
  remembered.add(kept, focus?.budget ?? ran.budget);
  return kept;
}

function prunes(of: Held, budget: number): FullRun {
  const from = baseReading(of);
  const options = { budget, encoding: of.encoding, format: "espalier" as const, keep: pinsOf(of), previous: undefined };
  const { messages, report } = pruner.pruneRead(from.reading, options as never);
  if (from.largest === 0) from.largest = largestResult(from.reading, report);
  return made(of, "prune", budget, messages as NeutralMessage[], report);
}

function largestResult({ messages }: Reading, { messages: fates }: PruneReport): number {
  const holders = new Set(
    messages.filter(({ parts }) => parts.some(({ type }) => type === "toolResult")).map(({ id }) => id),
  );
  return fates.reduce((most, { id, before }) => (holders.has(id) ? Math.max(most, before) : most), 0);
}

async function compacts(of: Held, budget: number, profile: string): Promise<FullRun> {
  const { compactAt } = await import("./later.ts");
  const { messages, report, edits, lines } = await compactAt(
    of,
    baseReading(of).reading.messages,
    budget,
    profile,
    pruner,
  );
  return { ...made(of, "compact", budget, messages, report), edits, lines, profile, since: of.log?.length };
}

function made(
  of: Held,
  mode: Mode,
  budget: number,
  messages: readonly NeutralMessage[],
  report: PruneReport | CompactReport,
): FullRun {
  const rows = rowsOf(of, report.messages);
  const sent = new Map(messages.map((message) => [message.id, message]));
  return { version: of.version, mode, budget, rows, report, sent, edits: [], since: undefined };
}

function keepFull(number: number, ran: FullRun): void {
  full.set(number, ran);
  if (full.size > MAX_FULL) full.delete(full.keys().next().value!);
}

/** Returns a run with its report; one that was answered from memory runs now. */
export async function fullRun(number: number): Promise<FullRun> {
  const found = full.get(number);
  if (found) return found;
  const asked = answered.get(number);
  const of = held();
  if (!asked || asked.version !== of.version)
    throw new EspalierError({ code: "stale_plan", message: "This result is no longer shown." });
  const ran = prunes(of, asked.budget);
  keepFull(number, ran);
  return ran;
}

/** Returns the budgets of the same result, and that result. */
function known(of: Held, budget: number): Kept {
  return remembered.at(budget) ?? remember(prunes(of, budget));
}

/** Returns what goes first when the budget falls below the shown result. */
export function nextOf(number: number): Next {
  const of = held();
  const asked = full.get(number) ?? answered.get(number);
  if (!asked || asked.version !== of.version || asked.mode !== "prune") return { count: 0, tokens: 0, budget: 0 };
  const shown = known(of, asked.budget);
  // Below what is sent something must change; between that and the budget only lengths may.
  const budget = shown.answer.after.total - 1;
  try {
    const { fates, after } = known(of, budget).answer.rows;
    const before = shown.answer.rows;
    const rows: number[] = [];
    let tokens = 0;
    for (let at = 0; at < fates.length; at++) {
      if (fates[at] === before.fates[at] || after[at]! >= before.after[at]!) continue;
      rows.push(at);
      tokens += before.after[at]! - after[at]!;
    }
    const last = rows.at(-1);
    return { ...(last !== undefined && { row: rows[0]!, last }), count: rows.length, tokens, budget };
  } catch (error) {
    const { details } = error as { details?: { needed?: number } };
    return { count: 0, tokens: 0, budget: details?.needed ?? shown.low, isLeast: true };
  }
}

/** Returns the nearest budget with another result of pruning. */
export function stepFrom(budget: number, up: boolean): number {
  const of = held();
  const here = known(of, budget);
  if (!up) return Math.max(0, Math.min(here.low, here.answer.after.total) - 1);
  const most = of.total;
  for (let distance = Math.ceil(most / 100); ; distance *= 2) {
    let found = known(of, Math.min(most, here.high + distance));
    while (found.low > here.high + 1) found = known(of, found.low - 1);
    if (found.answer.after.total !== here.answer.after.total) return Math.max(found.low, here.high + 1);
    if (here.high + distance >= most) return most;
  }
}

/** Runs once ahead of the reader, next to what is known around the shown budget. Returns false if nothing is left. */
export function runAhead(): boolean {
  if (!focus || focus.left <= 0) return false;
  const of = held();
  const { largest } = baseReading(of);
  const { below, above } = remembered.gaps(focus.budget, Math.max(1, Math.ceil(of.total / 100)));
  // Below four times the largest result every budget has a result of its own.
  const next = [below, above].filter((budget) => budget !== undefined && budget > 4 * (largest + 1)) as number[];
  const [nearest] = next.sort((a, b) => Math.abs(a - focus!.budget) - Math.abs(b - focus!.budget));
  if (nearest === undefined) return false;
  const start = performance.now();
  try {
    remember(prunes(of, nearest));
  } catch {
    focus.left = 0;
    return false;
  }
  focus.left -= performance.now() - start;
  return true;
}

/** Number of remembered results; for tests. */
export const rememberedCount = () => remembered.size;
