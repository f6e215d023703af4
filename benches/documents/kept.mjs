// How much of real files summaries keep, in both modes, for the same tokens: `node benches/documents/kept.mjs [--all]`.
// The profile copilot-chat gets four characters for each token, as Copilot Chat's callers pass, and so can exceed the
// token budget (column "over": by what factor). Beside it stands what it keeps with the largest limit that stays within
// the tokens. It writes no markers; ours writes all. Figures are non-blank characters, percent of all.
import { readFileSync, statSync } from "node:fs";
import { files } from "./texts.mjs";

const dist = new URL("../../pkg/dist/", import.meta.url);
const { count } = await import(new URL("index-node.js", dist).href);
const { languageOf, summarizeDocument } = await import(new URL("documents-node.js", dist).href);
const said = (text) => text.replace(/\s/g, "").length;
const kept = (text, edits) => edits.reduce((left, { start, end }) => left - said(text.slice(start, end)), said(text));
const [LEAST, MOST, EVERY] = [1_500, 60_000, process.argv.includes("--all") ? 1 : 4];

async function compatible(text, path, budget) {
  const made = async (limit) => {
    const { text: summary, edits } = await summarizeDocument(text, {
      path,
      budget: limit,
      unit: "characters",
      profile: "copilot-chat",
    });
    return { kept: kept(text, edits), tokens: count(summary) };
  };
  const asked = await made(budget * 4);
  if (asked.tokens <= budget) return { asked, within: asked };
  let [least, most, within] = [0, budget * 4, { kept: 0 }];
  while (most - least > 8) {
    const middle = (least + most) >> 1;
    const found = await made(middle);
    if (found.tokens > budget) most = middle;
    else [least, within] = [middle, found.kept > within.kept ? found : within];
  }
  return { asked, within };
}

const table = new Map();
const real = files("js", "src", "tests", "benches", "scripts", "www").filter(
  (path) => languageOf(path) && statSync(path).size >= LEAST && statSync(path).size <= MOST,
);
for (const [at, path] of real.entries()) {
  if (at % EVERY !== 0 && !path.includes("fixtures")) continue;
  const text = readFileSync(path, "utf8");
  for (const share of [0.25, 0.5, 0.75]) {
    const budget = Math.floor(count(text) * share);
    const ours = await summarizeDocument(text, { path, budget });
    const { asked, within } = await compatible(text, path, budget);
    for (const key of [`${languageOf(path)} ${share * 100} %`, `all ${share * 100} %`]) {
      const row = table.get(key) ?? [0, 0, 0, 0, 0, 0, 0, 0];
      const add = [
        1,
        said(text),
        kept(text, ours.edits),
        within.kept,
        asked.kept,
        asked.tokens,
        budget,
        ours.elisions.length,
      ];
      table.set(
        key,
        row.map((sum, column) => sum + add[column]),
      );
    }
  }
}
console.table(
  Object.fromEntries(
    [...table].sort().map(([key, [number, whole, ours, within, asked, tokens, budget, markers]]) => {
      const percent = (part) => ((part / whole) * 100).toFixed(1);
      return [
        key,
        {
          files: number,
          ours: percent(ours),
          "compatible, within": percent(within),
          "× 4": percent(asked),
          over: (tokens / budget).toFixed(2),
          "ours / within": (ours / within).toFixed(3),
          "markers, each": (markers / number).toFixed(1),
        },
      ];
    }),
  ),
);
