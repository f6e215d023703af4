/**
 * Outputs of tools, reduced when they are made, beside tokenjuice: `npm run outputs`. On the peer's own fixtures, on
 * the results of the public transcripts, and on a long log for the speed. Errors are looked for by a list of its own.
 * With `--headroom=FOLDER`, into which `pip install --target FOLDER headroom-ai` has put it, beside headroom as well.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { count } from "../../pkg/dist/index-node.js";
import { reduceOutput } from "../../pkg/dist/results-node.js";
import { parsed, textOf, transcripts as read } from "../retention/transcripts.mjs";
import { kinds } from "./kinds.mjs";

const peer = await import("tokenjuice");
const peerRoot = dirname(dirname(createRequire(import.meta.url).resolve("tokenjuice")));

/** Lines that report that something is wrong. */
const WRONG = /\b(error|errno|failed|failure|fatal|panicked|traceback|exception)\b/i;
const HARMLESS = /(\bok|PASSED.*|✓.*)$|\b0 (errors|failed)|no error/i;
const wrongLines = (text) => text.split("\n").filter((line) => WRONG.test(line) && !HARMLESS.test(line.trim()));
const flat = (text) => text.replace(/\s+/g, "");
const unnumbered = (line) => line.replace(/^\d+[:|→]?/, "");
const percent = (share) => `-${Math.round(100 - 100 * share)} %`;

const headroom = process.argv.find((argument) => argument.startsWith("--headroom="))?.slice("--headroom=".length);

await fixtures();
transcripts();
if (headroom) besideHeadroom();
speed();

/** The peer's fixtures, and the facts of each that its text has. */
function* cases() {
  const folder = join(peerRoot, "dist/rules/fixtures");
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json"))) {
    const { input, expect } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const text = input.combinedText;
    const facts = (expect.contains ?? []).filter((fact) => text.includes(fact));
    yield { file, input, text, command: input.command ?? (input.argv ?? []).join(" "), facts };
  }
}

/** The results in a transcript, each with its call. */
function* resultsOf(messages) {
  const calls = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function])));
  for (const message of messages.filter(({ role }) => role === "tool")) {
    const call = calls.get(message.tool_call_id);
    yield { text: textOf(message), call, command: commandOf(call) };
  }
}

/** The peer's fixtures: what it keeps of the text must stay, and in no more tokens. */
async function fixtures() {
  const sum = { cases: 0, kept: 0, peerKept: 0, notLarger: 0, before: 0, ours: 0, peer: 0 };
  for (const { file, input, text, command, facts } of cases()) {
    const ours = reduceOutput(text, { command });
    const { inlineText } = await peer.reduceExecution(input, {});
    const lost = facts.filter((fact) => !ours.text.includes(fact));
    if (lost.length > 0) console.log(`  lost of ${file}: ${JSON.stringify(lost)}`);
    sum.cases += 1;
    sum.kept += lost.length === 0 ? 1 : 0;
    sum.peerKept += facts.every((fact) => inlineText.includes(fact)) ? 1 : 0;
    sum.notLarger += ours.tokens <= count(inlineText) ? 1 : 0;
    sum.before += ours.before;
    sum.ours += ours.tokens;
    sum.peer += count(inlineText);
  }
  console.log(`tokenjuice's fixtures: ${sum.cases}`);
  console.log(`- facts kept in ${sum.kept} (peer ${sum.peerKept})`);
  console.log(`- in no more tokens than the peer in ${sum.notLarger}`);
  console.log(`- ${sum.before} tokens -> ${sum.ours} (peer ${sum.peer}, which writes counts of its own)`);
}

/**
 * All tool results of the public transcripts, with the command if there is one; alone, and beside the earlier results
 * of the conversation, where a line about an error is in the request if an earlier result shows it.
 */
function transcripts() {
  console.log("\n| transcript | results | tokens | alone | beside earlier ones | lines about errors lost |");
  console.log("| --- | --: | --: | --: | --: | --: |");
  const shares = { alone: [], beside: [] };
  const total = { before: 0, alone: 0, beside: 0 };
  for (const { name, messages } of read()) {
    const sum = { results: 0, before: 0, alone: 0, beside: 0, lost: 0 };
    const earlier = [];
    const shown = new Set();
    for (const { text, call, command } of resultsOf(messages)) {
      const options = { command, recall: "m4" };
      const alone = reduceOutput(text, options);
      const beside = reduceOutput(text, { ...options, earlier });
      const [flatAlone, flatBeside] = [flat(alone.text), flat(beside.text)];
      sum.results += 1;
      sum.before += alone.before;
      sum.alone += alone.tokens;
      sum.beside += beside.tokens;
      const isLost = (line) =>
        !flatAlone.includes(line) || !(flatBeside.includes(line) || shown.has(line) || shown.has(unnumbered(line)));
      const isListing = alone.text.includes("left out: permissions");
      sum.lost += isListing ? 0 : wrongLines(text).map(flat).filter(isLost).length;
      earlier.push({ name: nameOf(call), text: beside.text });
      for (const line of beside.text.split("\n").map(flat)) shown.add(line).add(unnumbered(line));
    }
    if (sum.before === 0) continue;
    for (const way of Object.keys(shares)) shares[way].push(sum[way] / sum.before);
    for (const figure of Object.keys(total)) total[figure] += sum[figure];
    const saved = (tokens) => `${tokens.toLocaleString("en")} (${percent(tokens / sum.before)})`;
    const cells = [name, sum.results, sum.before.toLocaleString("en"), saved(sum.alone), saved(sum.beside), sum.lost];
    console.log(`| ${cells.join(" | ")} |`);
  }
  for (const [way, parts] of Object.entries(shares)) {
    parts.sort((one, other) => one - other);
    const median = percent(parts[Math.floor(parts.length / 2)]);
    console.log(`${way}: median ${median}, all together ${percent(total[way] / total.before)}`);
  }
}

function nameOf(call) {
  const given = parsed(call?.arguments ?? "{}") ?? {};
  return commandOf(call) || [call?.name ?? "tool", given.path ?? given.file_path ?? ""].join(" ").trim();
}

function commandOf(call) {
  const command = parsed(call?.arguments ?? "{}")?.command;
  return typeof command === "string" && /bash|shell|run/.test(call.name) ? command : "";
}

/** headroom on the fixtures, on the kinds of its own golden files, and on the results of the transcripts alone. */
function besideHeadroom() {
  const groups = {
    "tokenjuice's fixtures": [...cases()],
    "kinds of its golden files": kinds,
    "results of the transcripts": read().flatMap(({ messages }) => [...resultsOf(messages)]),
  };
  const script = new URL("./peer_headroom.py", import.meta.url).pathname;
  const options = { env: { ...process.env, PYTHONPATH: headroom }, maxBuffer: 1 << 28, encoding: "utf8" };
  for (const [name, group] of Object.entries(groups)) {
    const input = JSON.stringify(group.map(({ text, command, kind }) => ({ text, command, kind })));
    const theirs = JSON.parse(execFileSync("python3", [script], { ...options, input }));
    const sum = { before: 0, ours: 0, peer: 0, lost: [0, 0], fewer: 0 };
    for (const [at, { text, command, facts = wrongLines(text) }] of group.entries()) {
      const ours = reduceOutput(text, { command });
      const tokens = count(theirs[at]);
      const isListing = ours.text.includes("left out: permissions");
      const lost = [ours.text, theirs[at]].map((shown, which) =>
        which === 0 && isListing ? 0 : facts.map(flat).filter((one) => !flat(shown).includes(one)).length,
      );
      sum.before += ours.before;
      sum.ours += ours.tokens;
      sum.peer += tokens;
      sum.lost = sum.lost.map((all, which) => all + lost[which]);
      if (lost[1] === 0 && tokens < ours.tokens) sum.fewer += 1;
    }
    console.log(`\nbeside headroom, ${name}: ${group.length}`);
    console.log(`- ${sum.before} tokens -> ${sum.ours} (headroom ${sum.peer})`);
    console.log(`- lost facts: ${sum.lost[0]} (headroom ${sum.lost[1]}); its text has fewer tokens in ${sum.fewer}`);
  }
}

/** 8 MB of a test run, counted and reduced; the share of counting is measured apart. */
function speed() {
  const lines = Array.from({ length: 120_000 }, (_, at) =>
    at % 1_000 === 7 ? `error: case ${at} failed with a message` : `test module_${at % 40}::unit::case_${at} ... ok`,
  );
  const log = lines.join("\n");
  const megabytes = Buffer.byteLength(log) / 1e6;
  const time = (run) => {
    run();
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      run();
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const [whole, counting] = [time(() => reduceOutput(log, { command: "cargo test" })), time(() => count(log))];
  const rate = (ms) => `${Math.round((megabytes / ms) * 1e3)} MB/s`;
  console.log(`\n${megabytes.toFixed(1)} MB of a test run: ${rate(whole)} with counting before and after`);
  console.log(`- without counting ${rate(Math.max(1, whole - counting))}, counting alone ${rate(counting)}`);
}
