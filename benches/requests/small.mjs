// Calls of a few messages: node requests/small.mjs [FOLDER...]. CPU microseconds of a call, best and median of rounds
// in which the packages (default: `pkg`) take turns, and the ratio of the medians to those of the first package.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROUNDS = 15;
const CALLS = 1_500;
const given = process.argv.slice(2);
const folders = given.length > 0 ? given : [fileURLToPath(new URL("../../pkg", import.meta.url))];
const packages = [];
for (const folder of folders) packages.push(await import(join(folder, "dist", "index-node.js")));

const output = `export const part = ${"1 + ".repeat(30)}1;`;
const call = { id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"src/a.ts"}' } };
const talk = ["Why does the build fail?", "It lacks a header."].map((content, at) => ({
  role: at ? "assistant" : "user",
  content,
}));
const run = [
  { role: "system", content: "You are a coding agent." },
  talk[0],
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c1", content: output },
  talk[1],
  { role: "user", content: "Mend it." },
];

const CASES = {
  "count, a line": ({ count }) => count(output),
  "countMessages, 2": ({ countMessages }) => countMessages(talk),
  "countMessages, 6": ({ countMessages }) => countMessages(run),
  "validate, 6": ({ validate }) => validate(run, "openai-chat"),
  "repair, 6": ({ repair }) => repair(run, { provider: "openai-chat" }),
  "prune, 2": ({ prune }) => prune(talk, { budget: 1_000 }),
  "prune, 6": ({ prune }) => prune(run, { budget: 1_000 }),
  "prune, 6, cut": ({ prune }) => prune(run, { budget: 110 }),
  "prune, 6, by model": ({ prune }) => prune(run, { model: "gpt-4o" }),
  "truncate, fits": ({ truncate }) => truncate(output, { maxTokens: 1_000 }),
  "truncate, cut": ({ truncate }) => truncate(output, { maxTokens: 20 }),
};

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["call", ...folders, "ratio"]);
row(["---", ...folders.map(() => "---"), "---"]);
for (const [name, work] of Object.entries(CASES)) {
  for (const espalier of packages) for (let at = 0; at < 2 * CALLS; at++) work(espalier);
  const times = packages.map(() => []);
  for (let round = 0; round < ROUNDS * packages.length; round++) {
    const which = round % packages.length;
    const start = process.cpuUsage();
    for (let at = 0; at < CALLS; at++) work(packages[which]);
    const { user, system } = process.cpuUsage(start);
    times[which].push((user + system) / CALLS);
  }
  for (const list of times) list.sort((a, b) => a - b);
  const middle = (list) => list[list.length >> 1];
  const shown = times.map((list) => `${list[0].toFixed(1)} / ${middle(list).toFixed(1)}`);
  row([name, ...shown, times.map((list) => (middle(list) / middle(times[0])).toFixed(2)).join(" ")]);
}
