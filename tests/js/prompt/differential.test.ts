/**
 * Random prompts through both modules at budgets from nothing to more than they need, each with a tracer and without.
 * `PROMPT_TREES` sets how many, `PROMPT_SEED` runs one. Ours must do what the model says with all its rules, the
 * reference what it says with none, and each difference between the two must be that of a rule.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import type { Description } from "./description.ts";
import { show, siblings } from "./description.ts";
import { applying, complaint, modelOfOurs, modelOfReference, same, succeeded, visible } from "./exceptions.ts";
import { makeSplices, run } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import type { Case } from "./random-tree.ts";
import { Random, randomCase } from "./random-tree.ts";
import { ours, reference, rehearsal } from "./subject.ts";
import { runs } from "../runs.ts";

const TREES = Number(process.env.PROMPT_TREES ?? runs(300));
const FIRST = Number(process.env.PROMPT_SEED ?? 1);
const SEEDS = process.env.PROMPT_SEED === undefined ? TREES : 1;

/** Characters that each module had tokenized, and how often each rule was the reason for a difference. */
const totals = {
  cases: 0,
  equal: 0,
  failures: 0,
  theirs: 0,
  own: 0,
  laterFits: 0,
  reasons: {} as Record<string, number>,
};

/** What is wrong with a case, or nothing. */
async function wrong(sample: Case, budget: number): Promise<string | undefined> {
  const theirs = await run(reference, sample, { budget });
  const mimicked = await modelOfReference(sample, budget);
  if (!same(theirs, mimicked)) return `The model is not the reference:\n${compare(theirs, mimicked)}`;
  const expected = await modelOfOurs(sample, budget);
  // In rehearsal there is nothing of ours to look at: the model replaces it.
  const own = rehearsal ? expected : await run(ours, sample, { budget });
  const unwatched = rehearsal ? own : await run(ours, sample, { budget, isTraced: false });
  if (!same(unobserved(own), unobserved(unwatched)))
    return `Without a tracer something else happens:\n${compare(unobserved(own), unobserved(unwatched))}`;
  totals.cases += 1;
  if (!succeeded(own)) totals.failures += 1;
  if (same(theirs, own)) {
    totals.equal += 1;
    totals.theirs += theirs.characters;
    totals.own += own.characters;
  }
  let fits = same(own, expected);
  for (let fit = 1; !fits && fit <= 3; fit++) {
    fits = same(own, await modelOfOurs(sample, budget, fit));
    if (fits) totals.laterFits += 1;
  }
  if (!fits) return `Ours is not as the rules say:\n${compare(expected, own)}`;
  if (same(theirs, own)) return complaint(theirs, own, budget, []);
  const exceptions = await applying(sample, budget);
  for (const { rule } of exceptions) totals.reasons[rule] = (totals.reasons[rule] ?? 0) + 1;
  if (exceptions.length === 0) return `No rule explains the difference:\n${compare(theirs, own)}`;
  return complaint(theirs, own, budget, exceptions);
}

/** Without what only a tracer sees. */
function unobserved(outcome: Outcome): Outcome {
  return {
    ...outcome,
    epochs: [],
    result: "error" in outcome.result ? outcome.result : { ...outcome.result, removed: undefined },
  };
}

/** The budgets at which a prompt is tried. */
async function budgets(sample: Case): Promise<number[]> {
  const whole = await run(reference, sample, { budget: 1e6 });
  const full = succeeded(whole) ? Math.round(whole.result.tokenCount) : 150;
  const random = new Random(sample.seed);
  const some = random.many(3, 5, () => Math.floor(full * random.next() * 1.1));
  return [...new Set([0, full - 1, full, Math.ceil(full * 1.1), random.chance(0.05) ? -1 : full * 2, ...some])].filter(
    (budget) => budget >= -1,
  );
}

test("the generator makes the same prompt from the same seed", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [one, other] = [randomCase(seed), randomCase(seed)];
    assert.deepEqual(one.tree, other.tree);
    await Promise.all([makeSplices(one.tree), makeSplices(other.tree)]);
    const [first, second] = [await run(reference, one, { budget: 80 }), await run(reference, other, { budget: 80 })];
    assert.deepEqual(visible(first), visible(second));
  }
});

test("random prompts", { timeout: 3_600_000 }, async (context) => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const sample = randomCase(seed);
    await makeSplices(sample.tree);
    for (const budget of await budgets(sample)) {
      const problem = await wrong(sample, budget);
      if (problem === undefined) continue;
      const least = await shrink(sample, budget, problem);
      const { name, mode, base, later, alone } = sample.tokenizer;
      const counts = inspect({ name, mode, base, later, alone }, { breakLength: 200 });
      assert.fail(
        `PROMPT_SEED=${seed}, budget ${budget}, ${least.budget} for the least that fails, tokenizer ${counts}\n${sample.tree.map((each) => show(each)).join("\n")}\n${least.problem}`,
      );
    }
  }
  context.diagnostic(inspect(totals, { breakLength: 200 }));
  // A prompt may need a count more: layout is given the counts of all texts of a group at once, and the reference may
  // remove some of them before it counts them. Over the default seeds ours tokenizes 3 % less, over ten times as many
  // 0.6 % more.
  if (!rehearsal && SEEDS >= 300)
    assert.ok(totals.own <= totals.theirs * 1.01, `${totals.own} characters tokenized, the reference ${totals.theirs}`);
});

/**
 * Takes away what the failure does not need. What is left may need another budget: as much less as was taken away, or
 * the same.
 */
async function shrink(sample: Case, budget: number, problem: string): Promise<{ budget: number; problem: string }> {
  const started = Date.now();
  const kind = gist(problem);
  const needed = async (): Promise<number> => {
    const whole = await run(reference, sample, { budget: 1e6 });
    return succeeded(whole) ? whole.result.tokenCount : 0;
  };
  let full = await needed();
  const stillWrong = async (): Promise<boolean> => {
    const left = await needed();
    for (const less of [budget, Math.round(budget - full + left), Math.round((budget * left) / Math.max(full, 1))]) {
      const still = await wrong(sample, less).catch(String);
      if (still === undefined || gist(still) !== kind) continue;
      [budget, full, problem] = [less, left, still];
      return true;
    }
    return false;
  };
  for (let again = true; again && Date.now() - started < 20_000; ) {
    again = false;
    for (const list of [...siblings(sample.tree)]) {
      for (let at = list.length - 1; at >= 0; at--) {
        const [taken] = list.splice(at, 1) as [Description];
        if (await stillWrong()) {
          again = true;
          continue;
        }
        // Perhaps it is only a wrapper.
        const inner = "children" in taken ? taken.children : [];
        list.splice(at, 0, ...inner);
        if (inner.length > 0 && (await stillWrong())) again = true;
        else list.splice(at, inner.length, taken);
      }
    }
  }
  return { budget, problem };
}

/** What is wrong, and where it is seen first, without numbers. */
function gist(problem: string): string {
  return (/^[^\n]*(\n[^:]*)?/.exec(problem)?.[0] ?? "").replaceAll(/\d+/g, "");
}

/** Only what differs. */
function compare(expected: Outcome, actual: Outcome): string {
  const lines: string[] = [];
  const visit = (path: string, one: any, other: any): void => {
    if (inspect(one, { depth: 20 }) === inspect(other, { depth: 20 })) return;
    const deeper = one && other && typeof one === "object" && typeof other === "object";
    if (deeper)
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        visit(`${path}.${key}`, one[key], other[key]);
    else lines.push(`${path}: expected ${inspect(one, { depth: 9 })}, got ${inspect(other, { depth: 9 })}`);
  };
  visit("", visible(expected), visible(actual));
  return lines.slice(0, 12).join("\n");
}
