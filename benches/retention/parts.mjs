/** The parts of the board: each scores one view over all its cases. A part whose probe is missing is undefined. */

import { facts, viewOf } from "./facts.mjs";
import { conformance } from "./kit.mjs";
import { labelled, rate } from "./labels.mjs";
import { checkScorers } from "./labels/check.mjs";
import { answered, memoryTalks } from "./memory.mjs";
import { cuts, needs, shown } from "./needed.mjs";
import { requestTokens } from "./tokens.mjs";
import { textOf, transcripts } from "./transcripts.mjs";

export const BUDGETS = [8_000, 16_000, 32_000];
/** A real summary has about as many tokens as the first. */
export const FACT_BUDGETS = [3_000, ...BUDGETS];
/** A view with less than this share of its budget has room left. */
const MOSTLY = 0.97;
/** Steps and budget of a chain. */
const CHAIN = { steps: 20, budget: 16_000, minTokens: 60_000 };
export const SHARES = [0.1, 0.25, 0.4];

let checked;

/**
 * `{ name: (view, name) => scores }`.
 *
 * @param folders other transcripts than the public ones
 * @param probes folders of the two probes from PyPI
 * @param only names of transcripts
 * @param every takes each n-th cut of a transcript
 * @param talks names of BFCL's talks
 */
export function parts({ folders, probes = {}, only, every = 1, talks }) {
  const found = transcripts(folders).filter(({ name }) => only === undefined || only.includes(name));
  return {
    needed: neededNext(found, every),
    facts: factsInView(found),
    chain: afterChain(found),
    ...(folders === undefined && {
      labels: async (view) => {
        await (checked ??= checkScorers(labelled));
        return rounded(await labelled((messages, budget) => attempt(view, messages, budget)));
      },
    }),
    ...(probes.memory && { memory: memoryAnswers(probes.memory, talks) }),
    ...(probes.kit && { kit: async (view, name) => rates(await conformance({ name, view, folder: probes.kit })) }),
  };
}

/** Returns the kit's own compactors, by name. */
export async function kitsOwn(folder) {
  const groups = {};
  const entries = await conformance({ name: "own", folder });
  for (const entry of entries) (groups[`kit: ${entry.compactor}`] ??= []).push(entry);
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, rates(group)]));
}

/** Returns a view, or nothing if the contender refuses the budget. */
async function attempt(view, messages, budget) {
  try {
    return await view(messages, budget);
  } catch (error) {
    if (error.code === "budget_exceeded") return undefined;
    throw error;
  }
}

/** By budget: shares of lines and names in view, files read again, and the used share of the budget. */
function neededNext(found, every) {
  let points;
  return async (view) => {
    points ??= found.flatMap(({ messages }) => cutsOf(messages, every));
    const sums = Object.fromEntries(
      BUDGETS.map((budget) => [
        budget,
        { cuts: 0, lines: [0, 0], names: [0, 0], again: [0, 0], fill: 0, over: 0, leftOut: 0 },
      ]),
    );
    for (const { history, needed, open } of points) {
      for (const budget of open) {
        const made = (await attempt(view, history, budget)) ?? [];
        const has = shown(needed, made);
        const sum = sums[budget];
        const size = made.length > 0 ? requestTokens(made) : 0;
        sum.cuts++;
        sum.fill += size / budget;
        sum.over += size > budget ? 1 : 0;
        sum.leftOut += size < MOSTLY * budget && leavesOut(made) ? 1 : 0;
        for (const kind of ["lines", "names"])
          sum[kind] = [sum[kind][0] + has[kind], sum[kind][1] + needed[kind].length];
        sum.again = [sum.again[0] + has.again, sum.again[1] + needed.reads.length];
      }
    }
    return Object.fromEntries(
      BUDGETS.map((budget) => {
        const { cuts: count, lines, names, again, fill, over, leftOut } = sums[budget];
        const shares = { lines: rate(lines), names: rate(names), readAgain: rate(again), fill: rate([fill, count]) };
        return [budget, { cuts: count, ...shares, over, leftOut }];
      }),
    );
  };
}

/** Returns true if a record states the number of omitted entries. */
function leavesOut(view) {
  return view.some((message) => /^\(\d+ (?:more|older) .*left out/m.test(textOf(message)));
}

/** Returns cuts with their needs and the budgets that are smaller than their history. */
function cutsOf(messages, every) {
  const taken = cuts(messages).filter((_, at) => at % every === 0);
  return taken.flatMap(({ history, next }) => {
    const total = requestTokens(history);
    const open = BUDGETS.filter((budget) => budget < total * 0.9);
    return open.length === 0 ? [] : [{ history, open, needed: needs(history, next) }];
  });
}

/** By budget and kind: the share of facts in view, over whole transcripts. */
function factsInView(found) {
  return async (view) => {
    const sums = Object.fromEntries(FACT_BUDGETS.map((budget) => [budget, {}]));
    for (const { messages } of found) {
      const known = facts(messages);
      for (const budget of FACT_BUDGETS.filter((budget) => budget < requestTokens(messages) * 0.9))
        addFacts(sums[budget], known, (await attempt(view, messages, budget)) ?? []);
    }
    return rounded(sums);
  };
}

function addFacts(sums, known, view) {
  const seen = viewOf(view);
  for (const [kind, predicates] of Object.entries(known)) {
    const [held, all] = sums[kind] ?? [0, 0];
    sums[kind] = [held + predicates.filter((isShown) => isShown(seen)).length, all + predicates.length];
  }
}

/**
 * Facts of long transcripts after each view became the history of the next (`chain`), and in one view of the whole
 * (`once`), at the same budget.
 */
function afterChain(found) {
  return async (view) => {
    const sums = { chain: {}, once: {} };
    for (const { messages } of found.filter(({ messages }) => requestTokens(messages) >= CHAIN.minTokens)) {
      const known = facts(messages);
      const step = Math.ceil(messages.length / CHAIN.steps);
      let history = [];
      for (let from = 0; from < messages.length; from = ends(messages, from + step)) {
        history = [...history, ...messages.slice(from, ends(messages, from + step))];
        history = (await attempt(view, history, CHAIN.budget)) ?? history;
      }
      addFacts(sums.chain, known, history);
      addFacts(sums.once, known, (await attempt(view, messages, CHAIN.budget)) ?? []);
    }
    return rounded(sums);
  };
}

/** Returns the first index from `at` on that is not between a call and its results. */
function ends(messages, at) {
  let end = Math.min(at, messages.length);
  while (end < messages.length && messages[end].role === "tool") end++;
  return end;
}

function memoryAnswers(folder, talks) {
  return async (view) => {
    const sums = Object.fromEntries(SHARES.map((size) => [size, [0, 0]]));
    for (const { name, messages, answers } of memoryTalks(folder)) {
      if (talks !== undefined && !talks.includes(name)) continue;
      for (const size of SHARES) {
        const made = (await attempt(view, messages, Math.floor(requestTokens(messages) * size))) ?? [];
        sums[size] = [sums[size][0] + answered(answers, made), sums[size][1] + answers.length];
      }
    }
    return rounded(sums);
  };
}

function rates(entries) {
  return Object.fromEntries(
    entries.map(({ budget_fraction: size, randomized, semantic, mean_final_output_ratio: output }) => [
      size,
      {
        survival: randomized.overall_final_survival,
        resolved: semantic.resolved_rate,
        stale: semantic.conflicts.stale + randomized.supersession.stale,
        pairs: semantic.distinct_pair_rate,
        output,
      },
    ]),
  );
}

/** Converts figures `[part, whole]` to shares, at any depth. */
function rounded(scores) {
  return Array.isArray(scores)
    ? rate(scores)
    : Object.fromEntries(Object.entries(scores).map(([key, value]) => [key, rounded(value)]));
}
