// Tokenizers side by side, o200k_base: `npm run tokens` in benches/. Options: --peers a,b --tasks prose,code
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cpus } from "node:os";
import { buildTiktokenRs } from "./build-peer.mjs";
import { corpora } from "./corpora.mjs";
import { peers } from "./peers.mjs";

const option = (name) =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.split("=")[1]
    .split(",");
let names = option("peers") ?? Object.keys(peers);
if (names.includes("tiktoken-rs") && !buildTiktokenRs()) names = names.filter((name) => name !== "tiktoken-rs");
const tasks = option("tasks") ?? [...Object.keys(corpora), "short", "pathological"];
const script = fileURLToPath(new URL("measure.mjs", import.meta.url));

function measure(peer, ...task) {
  const output = execFileSync(process.execPath, ["--expose-gc", script, peer, ...task], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return JSON.parse(output);
}

const round = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
const head = (cells) => (row(cells), row(cells.map(() => "---")));

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, node ${process.version}, ${new Date().toISOString().slice(0, 10)}. MB/s, first pass / warm; × is against gpt-tokenizer.\n`,
);
const texts = tasks.filter((task) => task in corpora);
if (texts.length > 0) {
  // One column at a time, with all peers close together, because the machine's speed varies.
  const table = new Map(names.map((name) => [name, []]));
  const loads = new Map(names.map((name) => [name, [Infinity, Infinity]]));
  const sizes = new Map();
  for (const task of texts) {
    const results = new Map(names.map((name) => [name, measure(name, task)]));
    const base = results.get("gpt-tokenizer");
    const tokens = new Set([...results.values()].map((result) => result.tokens));
    if (tokens.size > 1)
      console.log(
        `counts of ${task} differ: ${[...results].map(([name, result]) => `${name} ${result.tokens}`).join(", ")}\n`,
      );
    for (const [name, result] of results) {
      const ratio = base ? ` (${round(result.first / base.first)}× / ${round(result.warm / base.warm)}×)` : "";
      table.get(name).push(`${round(result.first)} / ${round(result.warm)}${ratio}`);
      loads.set(name, [Math.min(loads.get(name)[0], result.load), Math.min(loads.get(name)[1], result.wall)]);
      sizes.set(name, result);
    }
  }
  head(["", ...texts, "load, ms of CPU / of time", "RSS after load, MB", "wasm memory, MB"]);
  for (const name of names) {
    const { rss, memory } = sizes.get(name);
    row([
      name,
      ...table.get(name),
      loads.get(name).map(round).join(" / "),
      round(rss / 1e6),
      memory ? round(memory / 1e6) : "",
    ]);
  }
  console.log();
}
if (tasks.includes("short")) {
  head(["", "150-character strings, µs a call"]);
  for (const name of names) row([name, round(measure(name, "short").microseconds)]);
  console.log();
}
if (tasks.includes("pathological")) {
  // 4 KiB for all, 128 KiB for ours: most others are quadratic and would take minutes.
  const results = names.map((name) => [`${name}, 4 KiB`, measure(name, "pathological", "4096").worst]);
  if (names.includes("espalier"))
    results.unshift(["espalier, 128 KiB", measure("espalier", "pathological", "131072").worst]);
  const cases = Object.keys(results[0][1]);
  head(["CPU ms", ...cases]);
  for (const [name, worst] of results)
    row([name, ...cases.map((name) => (worst[name] === undefined ? "" : round(worst[name])))]);
}
