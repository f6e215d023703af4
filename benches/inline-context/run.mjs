/**
 * A whole prompt from 20 neighbour files of 200,000 characters, 8 edits and 50 items: the first request and the next
 * keystrokes, in wasm, beside a literal implementation of the rules of similar snippets. `npm run inline-context`,
 * after `npm run build`.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InlineContext, inlineContext } from "../../pkg/dist/inline-context-node.js";
import { similarAsStated } from "./stated.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const KEYS = "let total = stock.iter().sum();";
const ROUNDS = 21;

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".rs"))
  .sort()
  .map((name) => ({ path: `src/${name}`, language: "rust", text: readFileSync(join(root, "src", name), "utf8") }))
  .filter(({ text }) => text.length > 7_000 && text.length < 12_000);
const [small, ...rest] = sources;
const neighbours = rest.slice(0, 20);
const chars = neighbours.reduce((sum, { text }) => sum + text.length, 0);
const items = neighbours
  .flatMap(({ text }) => text.split("\n\n"))
  .slice(0, 50)
  .map((text, at) => ({ id: `${at}`, path: "src/server.rs", text, priority: 0.8 }));
const edits = neighbours.slice(0, 8).map(({ path, text }, at) => ({
  path,
  before: text,
  after: text.replace("fn ", "pub(super) fn "),
  atMs: at * 1_000,
}));
const large = { ...small, text: small.text.repeat(Math.ceil(1_000_000 / small.text.length)) };

console.log(
  `${process.version}; ${neighbours.length} neighbours of ${chars} characters, ${edits.length} edits, ${items.length} items; minimum, median and p95 in ms`,
);
for (const document of [small, large]) {
  const middle = document.text.lastIndexOf("\n", document.text.length / 2) + 1;
  const [first, next, plain, stated] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = new InlineContext({ clock: { now: () => 1e6 } });
    for (const file of neighbours) session.open(file);
    for (const { path, before, after, atMs } of edits) {
      session.open({ path, text: before, language: "rust" });
      session.change(path, after, { now: atMs });
    }
    session.open(document);
    for (let at = 1; at <= KEYS.length; at += 1) {
      const text = document.text.slice(0, middle) + KEYS.slice(0, at) + document.text.slice(middle);
      const start = performance.now();
      session.change(document.path, text);
      const { tokens } = session.context({ file: document.path, cursor: middle + at, items });
      (at === 1 ? first : next).push(performance.now() - start);
      if (tokens.context + tokens.prefix + tokens.restOfLine + tokens.suffix + tokens.free !== tokens.budget)
        throw new Error("the report does not add up");
    }
    session.free();
    let start = performance.now();
    inlineContext({ file: document, cursor: middle, neighbours, items, edits });
    plain.push(performance.now() - start);
    if (round % 7 > 0) continue;
    start = performance.now();
    const expected = similarAsStated(document.text.slice(0, middle), neighbours);
    stated.push(performance.now() - start);
    const limits = { maxChars: Infinity, words: "ascii" };
    const { items: found } = inlineContext({
      file: document,
      cursor: middle,
      neighbours,
      similarLimits: limits,
      budget: 60_000,
    });
    const same = (list) =>
      JSON.stringify(
        list.map(({ path, id, start, firstLine, score }) => [path ?? id, start ?? firstLine, score.toFixed(9)]),
      );
    if (same(found.filter(({ kind }) => kind === "similarSnippet")) !== same(expected))
      throw new Error("the engine finds other windows");
  }
  console.log(`document of ${document.text.length} characters:`);
  const row = (name, times) =>
    console.log(`  ${name.padEnd(42)} ${at(times, 0)}  ${at(times, 0.5)}  ${at(times, 0.95)}`);
  row("first request of a session", first);
  row("next keystroke of a session", next);
  row("inlineContext, all passed each time", plain);
  row("similar snippets as stated (JavaScript)", stated);
  const ratios = [first, next].map((times) => (Number(at(stated, 0)) / Number(at(times, 0))).toFixed(0));
  console.log(`  as stated ÷ whole first request: ${ratios[0]}; ÷ next keystroke: ${ratios[1]} (minima)`);
}

function at(times, share) {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2).padStart(8);
}
