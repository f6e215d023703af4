// Structures and summaries, beside web-tree-sitter. CPU milliseconds, medians of interleaved runs, so that other load
// affects all of them. Then ratios that must hold on every machine.
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { Language, Parser } from "web-tree-sitter";
import { functions, nested, sources } from "./texts.mjs";

const dist = new URL("../../pkg/dist/", import.meta.url);
const { count: countTokens } = await import(new URL("index-node.js", dist).href);
const { documentStructureSync, summarizeDocumentSync, summarizeDocuments } = await import(
  new URL("documents-node.js", dist).href
);
const { summarizeCompatible, wasm } = await import(new URL("core.js", dist).href);
const ROUNDS = Number(process.argv.find((argument) => argument.startsWith("--rounds="))?.split("=")[1] ?? 25);
/** Copilot Chat's own figures for 5,406 lines: the total, and the parse within it. */
const [THEIRS, THEIR_PARSE] = [147, 63];

/** Runs everything in turn, round after round; the first fifth warms up. `first` of a run is not measured. */
async function medians(runs) {
  const times = new Map(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS * 1.25; round++) {
    for (const [name, { first, run }] of Object.entries(runs)) {
      await first?.(round);
      const start = process.cpuUsage();
      await run(round);
      const { user, system } = process.cpuUsage(start);
      if (round >= ROUNDS * 0.25) times.get(name).push((user + system) / 1_000);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1]]));
}

const shown = (times) => Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time.toFixed(1)]));

await Parser.init();
const require = createRequire(import.meta.url);
const parser = new Parser();
parser.setLanguage(await Language.load(require.resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm")));

const limits = { maxBytes: 1 << 26, maxWork: 1 << 26 };
const language = "typescript";
const forget = () => wasm().documents("forget", [], new Float64Array());
const parsed = (text) => () => (forget(), documentStructureSync(text, { language, limits }));

async function measure(name, text) {
  const whole = countTokens(text);
  const budget = (share) => Math.floor(whole * share);
  const exact = (share, more = {}, of = text) =>
    summarizeDocumentSync(of, { language, limits, budget: budget(share), ...more });
  const compatible = (share, more = {}, settings = {}) =>
    summarizeCompatible([{ text, language, limits, ...more }], { limit: text.length * share, ...settings });
  const quarter = text.slice(0, text.indexOf("\n", text.length >> 2) + 1);
  const parts = Array.from({ length: 4 }, () => ({ text: quarter, language, limits }));
  const edited = text.replace("return", "return  ");
  const known = { first: () => exact(0.25) };
  const cursor = (round) => Math.floor((text.length * (round + 1)) / (ROUNDS * 1.25 + 1));
  console.log(`${name}: ${text.length} characters, ${text.split("\n").length} lines, ${whole} tokens`);
  const times = await medians({
    "web-tree-sitter: parse": { run: () => parser.parse(text).delete() },
    "parse + structure": { first: forget, run: () => documentStructureSync(text, { language, limits }) },
    "structure, tree known": {
      first: parsed(text),
      run: () => documentStructureSync(text, { language, limits, tabSize: 8 }),
    },
    "structure + summary to 25 %, tree known": { first: parsed(text), run: () => exact(0.25, { tabSize: 8 }) },
    "parse + structure + summary to 25 %": { first: forget, run: () => exact(0.25) },
    "the same after an edit of one line": { first: () => (forget(), exact(0.25)), run: () => exact(0.25, {}, edited) },
    "25 %, text known": { ...known, run: () => exact(0.25) },
    "75 %, text known": { ...known, run: () => exact(0.75) },
    "25 %, the cursor moved": { ...known, run: (round) => exact(0.25, { selection: cursor(round) }) },
    "25 %, lines numbered": {
      first: () => exact(0.25, { lineNumbers: true }),
      run: () => exact(0.25, { lineNumbers: true }),
    },
    "25 %, four documents of a quarter": {
      first: () => summarizeDocuments(parts, { budget: budget(0.25) }),
      run: () => summarizeDocuments(parts, { budget: budget(0.25) }),
    },
    "25 %, in characters": {
      first: () => exact(0.25, { unit: "characters", budget: text.length >> 2 }),
      run: () => exact(0.25, { unit: "characters", budget: text.length >> 2 }),
    },
    "25 %, counted anew": {
      first: () => exact(0.25, { marker: "{lines}" }),
      run: (round) => exact(0.25, { marker: `${round} {lines}` }),
    },
    "compatible, 25 %, text known": { first: () => compatible(0.25), run: () => compatible(0.25) },
    "compatible, 75 %, text known": { run: () => compatible(0.75) },
    "compatible, 25 %, around a cursor": {
      run: () => compatible(0.25, { selection: [text.length >> 1, text.length >> 1] }),
    },
    "compatible, 25 %, lines numbered": { run: () => compatible(0.25, {}, { lineNumberStyle: "full" }) },
    "counting the text alone": { run: (round) => countTokens(text + " ".repeat(round + 1)) },
  });
  console.table(shown(times));
  return times;
}

/** Prints the required ratios as a table. */
const goals = [];
const goal = (what, is, most) => goals.push({ what, is: is.toFixed(2), "at most": most.toFixed(2), holds: is <= most });

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, node ${process.version}. CPU milliseconds, medians of ${ROUNDS} rounds.\n`,
);
const real = await measure("our sources", sources(5_400));
const parse = real["parse + structure"] - real["structure, tree known"];
goal("parse alone, of web-tree-sitter's", parse / real["web-tree-sitter: parse"], 1);
goal(
  `structure + summary, of Copilot Chat's ${THEIRS - THEIR_PARSE} ms`,
  real["structure + summary to 25 %, tree known"] / (THEIRS - THEIR_PARSE),
  0.2,
);
goal("the cursor moved, ms", real["25 %, the cursor moved"], 5);
const ratios = (name, times) => {
  const plain = times["25 %, text known"];
  goal(`${name}: around a cursor, of plain`, times["25 %, the cursor moved"] / plain, 1.5);
  goal(`${name}: lines numbered, of plain`, times["25 %, lines numbered"] / plain, 1.5);
  goal(`${name}: four documents, of plain`, times["25 %, four documents of a quarter"] / plain, 1.5);
  goal(`${name}: 75 %, of 25 %`, times["75 %, text known"] / plain, 5);
  goal(
    `${name}: compatible, 75 %, of 25 %`,
    times["compatible, 75 %, text known"] / times["compatible, 25 %, text known"],
    5,
  );
};
ratios("our sources", real);
const [small, large] = [
  await measure("6,000 functions, 12,001 nodes", functions(6_000)),
  await measure("12,000 functions, 24,001 nodes", functions(12_000)),
];
ratios("6,000 functions", small);
for (const name of ["25 %, text known", "75 %, text known", "25 %, counted anew", "compatible, 25 %, text known"])
  goal(`twice the nodes: ${name}`, large[name] / small[name], 2.3);
await measure("2,000 levels", nested(2_000));
console.table(goals);
