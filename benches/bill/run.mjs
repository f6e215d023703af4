// What the public transcripts cost without us, pruned and compacted, at a quarter of the window: node bill/run.mjs
// [--models=claude-sonnet-4-5,gpt-4.1] [--share=0.25]. The window just fits the whole conversation, so that nothing is
// refused without us; requests may have the system prompt and a share of the rest. Dollars, and the change in per cent.
// With --grows[=../../pkg]: how long the replay of the first 400, 800, 1,600 messages of the longest one takes instead.
import { option } from "../requests/shared.mjs";
import { transcripts } from "../retention/transcripts.mjs";

const grows = process.argv.find((argument) => argument.startsWith("--grows"));
const dist = new URL(`${grows?.split("=")[1] ?? "../../pkg"}/dist/`, import.meta.url);
const { replayCost } = await import(new URL("bill-node.js", dist));
const { countMessages } = await import(new URL("index-node.js", dist));

if (grows) {
  const { messages } = transcripts().reduce((a, b) => (a.messages.length > b.messages.length ? a : b));
  for (const count of [400, 400, 800, 1_600]) {
    const before = process.cpuUsage();
    const { tokens, requests } = await replayCost(messages.slice(0, count), { budget: 30_000, window: 1_000_000 });
    const { user, system } = process.cpuUsage(before);
    console.log(
      `${count} messages, ${requests} requests, ${tokens} tokens: ${Math.round((user + system) / 1000)} ms of CPU`,
    );
  }
  process.exit();
}

const [share] = option("share", "0.25");
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
const COLUMNS = ["transcript", "requests", "tokens", "budget", "without", "prune", "conversation", "removals"];
const percent = (part) => `${part > 0 ? "+" : ""}${(100 * part).toFixed(1)} %`;

for (const model of process.argv
  .join(" ")
  .match(/--models=(\S+)/)?.[1]
  .split(",") ?? ["claude-sonnet-4-5", "gpt-4.1"]) {
  console.log(`\n${model}`);
  row(COLUMNS);
  row(COLUMNS.map(() => "---"));
  const saved = { prune: [], conversation: [] };
  for (const { name, messages } of transcripts()) {
    const { total, frame } = countMessages(messages);
    const budget = Math.round(frame + (total - frame) * share);
    // Repairs of lost calls make some requests larger than the recording.
    const { ways, requests, tokens } = await replayCost(messages, { model, window: total + 1_000, budget });
    const [whole, ...others] = ways;
    for (const { way, saved: part } of others) if (part !== undefined) saved[way].push(part);
    row([
      name,
      requests,
      tokens,
      budget,
      whole.cost.toFixed(3),
      ...others.map((way) => (way.saved === undefined ? `${way.failed.length} fail` : percent(-way.saved))),
      others.map((way) => way.removals.length).join(", "),
    ]);
  }
  for (const [way, parts] of Object.entries(saved)) {
    const sorted = parts.toSorted((a, b) => a - b);
    const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
    console.log(`${way}: median ${percent(-middle)}, max ${percent(-sorted[0])}, ${sorted.length} transcripts`);
  }
}
