// Compactions without a model in wasm: node compaction/run.mjs FOLDER [BUDGET...] Prints times (median of five after a
// warm-up, with and without counting) and retention of every transcript of a folder. The native twin with more columns
// is `retention.rs` beside this file.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { compact, countMessages } from "../../pkg/dist/index-node.js";

const [folder = new URL("../../tests/fixtures/transcripts", import.meta.url).pathname, ...rest] = process.argv.slice(2);
const budgets = rest.length ? rest.map(Number) : [16_000, 32_000, 64_000, 128_000];
const RUNS = 5;

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
async function timed(run) {
  await run();
  const times = [];
  for (let at = 0; at < RUNS; at++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Fields of other systems that no provider accepts. */
const plain = (message) => Object.fromEntries(Object.entries(message).filter(([key]) => !key.startsWith("x_")));

const rows = [];
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const { messages: recorded } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  if (!Array.isArray(recorded)) continue;
  const messages = recorded.map(plain);
  const counting = await timed(() => countMessages(messages));
  for (const budget of budgets) {
    const { report } = await compact(messages, { budget });
    if (!report.quality) continue;
    const all = await timed(() => compact(messages, { budget }));
    const share = (kind) => {
      const { all, ownLine } = report.quality.retention.find((entry) => entry.kind === kind);
      return all ? `${Math.round((100 * ownLine) / all)} %` : "-";
    };
    rows.push({
      transcript: file.replace(".json", ""),
      budget,
      before: report.before.total,
      after: report.after.total,
      modified: share("modifiedFiles"),
      users: share("requests"),
      errors: share("errors"),
      commands: share("commands"),
      "counting ms": Math.round(counting),
      "compaction ms": Math.round(all - counting),
      "ms per 100k": Math.round(((all - counting) / report.before.total) * 100_000),
    });
  }
}
console.table(rows);
