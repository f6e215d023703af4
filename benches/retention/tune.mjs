/**
 * `node benches/retention/tune.mjs`: fits the shares of the default profile on one half of the public conversations and
 * evaluates them on the other. Coordinate descent: one share at a time, a few factors around its value, until no share
 * gains. With `--write` the constants in src/compact/profile/known.rs are replaced if the evaluated half gains.
 *
 *   --fields a,b   shares to search, by their names in Rust; all but those of an ongoing conversation
 *   --rounds N     rounds over all shares (2)
 *   --every N      takes each Nth cut of a transcript (3)
 *   --root DIR     another working tree: its package and its constants
 *
 * It uses no clock, no random number and no network (the talks of BFCL are included if `npm run bench retention` has
 * fetched them). It uses the existing build of the package: the shares are options of `compact`.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { parts } from "./parts.mjs";

/** Conversations of one source stay in one half. */
const HALVES = {
  tune: {
    transcripts: ["pi-refactor-long", "swesmith-pandas-53652", "aider-chat-a"],
    talks: ["customer", "finance"],
  },
  judge: {
    transcripts: ["openhands-ponyc-4593", "openhands-ponyc-4595", "cline-sidebar", "tau-airline-composite-60"],
    talks: ["healthcare", "notetaker", "student"],
  },
};
const FACTORS = [0.5, 0.75, 1.33, 2];
const [MIN, MAX] = [0.01, 0.98];
/** Min gain of the mean for a change. */
const GAIN = 0.001;
/** Max loss of one conversation for a change. */
const LOSS = 0.01;
/**
 * Shares that decide when a conversation's compaction starts and how far it goes; the measures only see single calls.
 */
const ONGOING = new Set(["relief", "ongoing"]);

const { values: flags } = parseArgs({
  options: {
    fields: { type: "string" },
    rounds: { type: "string", default: "2" },
    every: { type: "string", default: "3" },
    root: { type: "string", default: new URL("../../", import.meta.url).pathname },
    write: { type: "boolean" },
  },
});
const espalier = await import(resolve(flags.root, "pkg/dist/index-node.js"));
const source = resolve(flags.root, "src/compact/profile/known.rs");
const rust = readFileSync(source, "utf8");
const talks = new URL("../../build/retention/bfcl/bfcl_eval/data", import.meta.url).pathname;
const FIELD = /^( {4}(\w+): (?:\w+\(|Share \{ of: )?)(0?\.\d+)/gm;
const [block] = rust.match(/const SHARES: Shares = Shares \{[^]*?\n\};/);
const written = Object.fromEntries([...block.matchAll(FIELD)].map(([, , name, value]) => [name, Number(value)]));
const fields = flags.fields?.split(",") ?? Object.keys(written).filter((name) => !ONGOING.has(name));
for (const name of fields) if (!(name in written)) throw new Error(`${name} is no share of SHARES in known.rs`);

const scorers = Object.fromEntries(Object.entries(HALVES).map(([half, names]) => [half, scorersOf(names)]));
const known = new Map();
let best = { shares: written, ...(await scored(written, "tune")) };
process.stdout.write(`now: ${points(best.score)}\n`);
for (let round = 0; round < Number(flags.rounds); round++) {
  const started = best.score;
  for (const name of fields) {
    const now = best.shares[name];
    for (const factor of FACTORS) {
      const value = Math.round(1000 * Math.min(MAX, Math.max(MIN, now * factor))) / 1000;
      const shares = { ...best.shares, [name]: value };
      const { score, each } = await scored(shares, "tune");
      process.stdout.write(`${name} ${value}: ${points(score)}\n`);
      const isFair = Object.keys(each).every((one) => each[one] >= best.each[one] - LOSS);
      if (isFair && score > best.score + GAIN) best = { shares, score, each };
    }
  }
  if (best.score <= started + GAIN) break;
}

const judged = [await scored(written, "judge"), await scored(best.shares, "judge")];
for (const name of Object.keys(written))
  if (best.shares[name] !== written[name]) process.stdout.write(`${name}: ${written[name]} -> ${best.shares[name]}\n`);
for (const [name, value] of Object.entries(judged[1].each))
  process.stdout.write(`judge, ${name}: ${points(judged[0].each[name])} -> ${points(value)}\n`);
process.stdout.write(`judge: ${points(judged[0].score)} -> ${points(judged[1].score)}\n`);
if (flags.write && judged[1].score > judged[0].score) {
  const replaced = block.replace(FIELD, (whole, before, name, value) =>
    best.shares[name] === Number(value) ? whole : `${before}${best.shares[name]}`,
  );
  writeFileSync(source, rust.replace(block, replaced));
  process.stdout.write("written to src/compact/profile/known.rs\n");
}

function scorersOf({ transcripts, talks: names }) {
  const each = transcripts.map((name) => [name, parts({ only: [name], every: Number(flags.every) })]);
  const memory = existsSync(talks) ? parts({ only: [], probes: { memory: talks }, talks: names }).memory : undefined;
  return { each, memory };
}

/** Returns the mean over conversations, each of what its next calls need (twice) and of its facts; a share of 1. */
async function scored(shares, half) {
  const key = JSON.stringify([half, shares]);
  if (known.has(key)) return known.get(key);
  const given = Object.fromEntries(
    Object.entries(shares).map(([name, of]) => [camel(name), isPlain(name) ? of : { of }]),
  );
  const view = async (messages, budget) =>
    (await espalier.compact(messages, { budget, profile: { shares: given } })).messages;
  const each = {};
  for (const [name, { needed, facts }] of scorers[half].each) {
    const next = Object.values(await needed(view)).flatMap(({ lines, names }) => [lines, names]);
    const held = Object.values(await facts(view)).flatMap((kinds) => Object.values(kinds));
    each[name] = mean([mean(next), mean(next), mean(held)]);
  }
  if (scorers[half].memory) each.talks = mean(Object.values(await scorers[half].memory(view)));
  const result = { score: mean(Object.values(each)), each };
  known.set(key, result);
  return result;
}

/** Figures without cases do not count. */
function mean(values) {
  const counted = values.filter((value) => typeof value === "number" && !Number.isNaN(value));
  return counted.length === 0 ? Number.NaN : counted.reduce((sum, value) => sum + value, 0) / counted.length;
}

function points(share) {
  return (100 * share).toFixed(2);
}

function camel(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

function isPlain(name) {
  return new RegExp(`^ {4}${name}: 0?\\.`, "m").test(block);
}
