/**
 * `npm run bench retention`: what a view within a budget still shows, beside what a user would pick instead. Writes
 * `board.md` and `board.json`. It uses no clock and no random number, and the network only to fetch the probes once:
 * two runs write the same files.
 *
 *   --transcripts DIR   other conversations than the public ones; prints, and writes nothing
 *   --only NAME,NAME    some contenders
 *   --part NAME         needed, facts, memory, labels or kit alone
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as espalier from "../../pkg/dist/node.js";
import { facts, viewOf } from "./facts.mjs";
import { probes } from "./fetch.mjs";
import { conformance } from "./kit.mjs";
import { labelled, rate } from "./labels.mjs";
import { answered, memoryTalks } from "./memory.mjs";
import { cuts, needs, shown } from "./needed.mjs";
import { requestTokens } from "./tokens.mjs";
import { transcripts } from "./transcripts.mjs";
import { contenders } from "./views.mjs";

const { values: flags } = parseArgs({
  options: { transcripts: { type: "string" }, only: { type: "string" }, part: { type: "string" } },
});
const BUDGETS = [8_000, 16_000, 32_000];
const SHARES = [0.1, 0.25, 0.4];

const wants = (part) => flags.part === undefined || flags.part === part;
const all = contenders(espalier, await peers());
const chosen = Object.entries(all).filter(
  ([name]) => flags.only === undefined || flags.only.split(",").includes(name),
);
const found = transcripts(flags.transcripts && [flags.transcripts]);
const board = { needed: {}, facts: {}, labels: {}, memory: {}, kit: {} };

for (const [name, view] of chosen) {
  if (wants("needed")) board.needed[name] = await neededNext(view);
  if (wants("facts")) board.facts[name] = await factsInView(view);
  if (wants("labels") && !flags.transcripts)
    board.labels[name] = rounded(await labelled((messages, budget) => attempt(view, messages, budget)));
}
const { kit, memory } = wants("kit") || wants("memory") ? probes() : {};
for (const [name, view] of chosen) {
  if (memory && wants("memory")) board.memory[name] = await memoryAnswers(view, memory);
  if (kit && wants("kit")) board.kit[name] = rates(await conformance({ name, view, folder: kit }));
}
if (kit && wants("kit") && !flags.only)
  for (const entry of group(await conformance({ name: "own", folder: kit })))
    board.kit[`kit: ${entry[0]}`] = rates(entry[1]);

const text = markdown(board);
process.stdout.write(text);
if (!flags.transcripts && !flags.only && !flags.part) {
  writeFileSync(new URL("./board.json", import.meta.url), `${JSON.stringify(board, null, 1)}\n`);
  writeFileSync(new URL("./board.md", import.meta.url), text);
}

async function peers() {
  const [{ trimMessages }, { pruneMessages }] = await Promise.all([
    import("@langchain/core/messages"),
    import("ai-sdk"),
  ]);
  return { trimMessages, pruneMessages };
}

/** A view, or nothing where the contender refuses the budget. */
async function attempt(view, messages, budget) {
  try {
    return await view(messages, budget);
  } catch (error) {
    if (error.code === "budget_exceeded") return undefined;
    throw error;
  }
}

/** By budget: shares of lines and names in view, files read again, and the share of the budget that is used. */
async function neededNext(view) {
  const sums = Object.fromEntries(
    BUDGETS.map((budget) => [budget, { cuts: 0, lines: [0, 0], names: [0, 0], again: [0, 0], fill: 0, over: 0 }]),
  );
  for (const { messages } of found) {
    for (const { history, next } of cuts(messages)) {
      const total = requestTokens(history);
      const open = BUDGETS.filter((budget) => budget < total * 0.9);
      if (open.length === 0) continue;
      const needed = needs(history, next);
      for (const budget of open) {
        const made = (await attempt(view, history, budget)) ?? [];
        const has = shown(needed, made);
        const sum = sums[budget];
        const size = made.length > 0 ? requestTokens(made) : 0;
        sum.cuts++;
        sum.fill += size / budget;
        sum.over += size > budget ? 1 : 0;
        for (const kind of ["lines", "names"])
          sum[kind] = [sum[kind][0] + has[kind], sum[kind][1] + needed[kind].length];
        sum.again = [sum.again[0] + has.again, sum.again[1] + needed.reads.length];
      }
    }
  }
  return Object.fromEntries(
    BUDGETS.map((budget) => {
      const { cuts: count, lines, names, again, fill, over } = sums[budget];
      return [
        budget,
        {
          cuts: count,
          lines: share(lines),
          names: share(names),
          readAgain: share(again),
          fill: share([fill, count]),
          over,
        },
      ];
    }),
  );
}

/** By budget and kind: the share of facts in view, over whole transcripts. */
async function factsInView(view) {
  const sums = Object.fromEntries(BUDGETS.map((budget) => [budget, {}]));
  for (const { messages } of found) {
    const known = facts(messages);
    for (const budget of BUDGETS.filter((budget) => budget < requestTokens(messages) * 0.9)) {
      const seen = viewOf((await attempt(view, messages, budget)) ?? []);
      for (const [kind, predicates] of Object.entries(known)) {
        const [held, all] = sums[budget][kind] ?? [0, 0];
        sums[budget][kind] = [held + predicates.filter((isShown) => isShown(seen)).length, all + predicates.length];
      }
    }
  }
  return Object.fromEntries(
    BUDGETS.map((budget) => [
      budget,
      Object.fromEntries(Object.entries(sums[budget]).map(([kind, sum]) => [kind, share(sum)])),
    ]),
  );
}

async function memoryAnswers(view, folder) {
  const sums = Object.fromEntries(SHARES.map((size) => [size, [0, 0]]));
  for (const { messages, answers } of memoryTalks(folder)) {
    for (const size of SHARES) {
      const made = (await attempt(view, messages, Math.floor(requestTokens(messages) * size))) ?? [];
      sums[size] = [sums[size][0] + answered(answers, made), sums[size][1] + answers.length];
    }
  }
  return Object.fromEntries(SHARES.map((size) => [size, share(sums[size])]));
}

/** Figures as shares, whatever their depth. */
function rounded(scores) {
  return Array.isArray(scores)
    ? rate(scores)
    : Object.fromEntries(Object.entries(scores).map(([key, value]) => [key, rounded(value)]));
}

function group(entries) {
  return Object.entries(
    Object.groupBy?.(entries, ({ compactor }) => compactor) ??
      entries.reduce(
        (groups, entry) => ({ ...groups, [entry.compactor]: [...(groups[entry.compactor] ?? []), entry] }),
        {},
      ),
  );
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

function share([part, whole]) {
  return whole === 0 ? null : Math.round((1000 * part) / whole) / 1000;
}

function markdown({ needed, facts: held, labels, memory, kit }) {
  const percent = (value) => (value === null || value === undefined ? "-" : (100 * value).toFixed(1));
  const table = (head, rows) =>
    `| ${head.join(" | ")} |\n| ${head.map((_, at) => (at === 0 ? "---" : "---:")).join(" | ")} |\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n\n`;
  const parts = [
    "# What a view still shows\n\nWritten by `npm run bench retention`; see `run.mjs`. Figures are percent.\n\n",
  ];
  if (Object.keys(needed).length > 0) {
    const rows = BUDGETS.flatMap((budget) =>
      Object.entries(needed).map(([name, by]) => [
        name,
        budget,
        by[budget].cuts,
        percent(by[budget].lines),
        percent(by[budget].names),
        percent(by[budget].readAgain),
        percent(by[budget].fill),
        by[budget].over,
      ]),
    );
    parts.push(
      "## Needed next\n\nLines and names of the next 20 calls' arguments that stood in the history, in view; files that must be read again.\n\n",
      table(["view", "budget", "cuts", "lines", "names", "read again", "budget used", "over"], rows),
    );
  }
  if (Object.keys(held).length > 0) {
    const kinds = Object.keys(Object.values(held)[0][BUDGETS[0]]);
    parts.push(
      "## Facts in view\n\n",
      table(
        ["view", "budget", ...kinds],
        BUDGETS.flatMap((budget) =>
          Object.entries(held).map(([name, by]) => [name, budget, ...kinds.map((kind) => percent(by[budget][kind]))]),
        ),
      ),
    );
  }
  if (Object.keys(labels).length > 0) parts.push(...labelTables(labels, { percent, table }));
  if (Object.keys(memory).length > 0) {
    parts.push(
      "## Answers of long talks (BFCL memory)\n\n",
      table(
        ["view", ...SHARES.map((size) => `${size * 100} % of the tokens`)],
        Object.entries(memory).map(([name, by]) => [name, ...SHARES.map((size) => percent(by[size]))]),
      ),
    );
  }
  if (Object.keys(kit).length > 0) {
    const rows = Object.entries(kit).flatMap(([name, by]) =>
      Object.entries(by).map(([size, row]) => [
        name,
        `${size * 100}`,
        percent(row.survival),
        percent(row.resolved),
        row.stale,
        percent(row.pairs),
        percent(row.output),
      ]),
    );
    parts.push(
      "## compaction-conformance-kit, after five rounds\n\n",
      table(["view", "budget", "survival", "updates resolved", "stale values", "distinct pairs", "output"], rows),
    );
  }
  return parts.join("");
}

/** Who has no lists scores nothing there; what the whole view shows is comparable. */
function labelTables(labels, { percent, table }) {
  const names = Object.keys(labels);
  const halves = ["tune", "judge"];
  const rows = (cells) =>
    names.flatMap((name) => halves.map((half) => [name, half, ...cells(labels[name][half]).map(percent)]));
  const languages = Object.keys(labels[names[0]].judge.languages);
  return [
    "## Labelled cases\n\nLabelled by hand (labels/README.md); rules may be tuned on the half `tune` only.\n\n",
    table(
      [
        ...["view", "half", "request listed", "has an outcome", "outcome right", "outcome in view"],
        ...["error shown", "state right", "action in view", "its result right", "reads listed"],
      ],
      rows(({ outcomes, states, actions }) => [
        outcomes.listed,
        outcomes.any,
        outcomes.right,
        outcomes.inView,
        states.shown,
        states.right,
        actions.inView,
        actions.result,
        actions.reads,
      ]),
    ),
    "Constraints: precision / recall of the list.\n\n",
    table(
      ["view", "half", ...languages, "transcripts", "superseded but listed"],
      names
        .filter((name) => languages.some((language) => labels[name].judge.languages[language].precision !== null))
        .flatMap((name) =>
          halves.map((half) => {
            const { languages: by, transcripts: real } = labels[name][half];
            const pair = ({ precision, recall }) => `${percent(precision)} / ${percent(recall)}`;
            const stale = languages.map((language) => by[language].stale).filter((value) => value !== null);
            return [
              name,
              half,
              ...languages.map((language) => pair(by[language])),
              pair(real),
              percent(stale.reduce((sum, value) => sum + value, 0) / stale.length),
            ];
          }),
        ),
    ),
    "Constraints in view, in the words of the user.\n\n",
    table(
      ["view", "half", ...languages, "transcripts"],
      rows(({ languages: by, transcripts: real }) => [
        ...languages.map((language) => by[language].inView),
        real.inView,
      ]),
    ),
  ];
}
