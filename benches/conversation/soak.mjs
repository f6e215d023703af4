// A long run of an agent in a small window: time of a round, calls of the model, memory, the size of the log, and
// reopening it. node --expose-gc benches/conversation/soak.mjs [rounds=10000] [window=16000] [rules=10: a rule in every
// n-th request; 0 for none]
import { cpus } from "node:os";
import { openConversation } from "../../pkg/dist/index-node.js";
import { memoryStorage } from "../../pkg/dist/storage-node.js";
import { SECTIONS } from "../../tests/server/behaviours.mjs";

const rounds = Number(process.argv[2] ?? 10_000);
const window = Number(process.argv[3] ?? 16_000);
const rules = Number(process.argv[4] ?? 10);
const EVERY = 1_000;
let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const words = (count) => Array.from({ length: count }, () => `word${Math.floor(random() * 5000)}`).join(" ");
const SUMMARY = `<summary>\n${SECTIONS.map((name) => `## ${name}\nThe work goes on as before.\n`).join("")}</summary>`;
const tools = ["bash", "read_file", "edit_file"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `Runs ${name}.`,
    parameters: { type: "object", properties: { path: { type: "string" }, command: { type: "string" } } },
  },
}));
/** Returns a request, a call and its result, and the agent's answer: about 500 tokens. */
function messagesOf(number) {
  const [name, args] = [
    ["bash", { command: `make part${number % 700}` }],
    ["read_file", { path: `src/part${number % 400}.ts` }],
    ["edit_file", { path: `src/part${number % 150}.ts`, content: words(10) }],
  ][number % 3];
  const rule = rules > 0 && number % rules === 0 ? ` You must never change ${words(3)} in part ${number}.` : "";
  return [
    { role: "user", content: `Now do step ${number}: ${words(8)}.${rule}` },
    {
      role: "assistant",
      content: words(10),
      tool_calls: [{ id: `c${number}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    {
      role: "tool",
      tool_call_id: `c${number}`,
      content: `${words(120)}${number % 7 === 0 ? `\nerror: part${number % 90} failed with exit code 2` : ""}`,
    },
    { role: "assistant", content: words(15) },
  ];
}
const since = () => {
  const [cpu, time] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { cpu: (user + system) / 1000, time: performance.now() - time };
  };
};
const rest = () => new Promise((done) => setImmediate(done));

const texts = new Map();
const storage = memoryStorage(texts);
let calls = 0;
const options = {
  format: "openai-chat",
  model: { name: "gpt-4o", maxPromptTokens: window },
  entropy: 1,
  storage,
  tools,
  clock: { now: () => 0 },
  llm: async () => ((calls += 1), SUMMARY),
};
const conversation = await openConversation(options);
let compactions = 0;
conversation.on("compaction_complete", ({ success }) => void (compactions += success ? 1 : 0));
console.log(
  `${cpus()[0]?.model}, Node ${process.version}; ${rounds} rounds, a window of ${window}, ${rules > 0 ? `a rule in every ${rules}th request` : "no rules"}`,
);
console.log("rounds   CPU ms/round   worst prepare ms   model calls   compactions   heap MB   log MB   messages MB");
let [cpu, worst, before] = [since(), 0, [0, 0]];
for (let number = 0; number < rounds; number++) {
  const messages = messagesOf(number);
  conversation.append(messages);
  const begun = performance.now();
  const { messages: sent, report } = await conversation.prepare({ tools });
  worst = Math.max(worst, performance.now() - begun);
  if (sent.length === 0 || report.usage.used > window)
    throw new Error(`round ${number}: ${sent.length} messages, ${report.usage.used} tokens`);
  conversation.reportUsage(report.usage.used - report.usage.bound);
  await rest();
  if ((number + 1) % EVERY !== 0) continue;
  await conversation.flush();
  const spent = cpu().cpu;
  globalThis.gc?.();
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(1);
  console.log(
    [
      String(number + 1).padStart(6),
      (spent / EVERY).toFixed(1).padStart(14),
      worst.toFixed(0).padStart(18),
      String(calls - before[0]).padStart(13),
      String(compactions - before[1]).padStart(13),
      mb(process.memoryUsage().heapUsed).padStart(9),
      mb(texts.get("log.jsonl").length).padStart(8),
      mb(texts.get("messages.jsonl").length).padStart(13),
    ].join(" "),
  );
  [cpu, worst, before] = [since(), 0, [calls, compactions]];
}
await conversation.dispose();
const opening = since();
const again = await openConversation(options);
const { cpu: opened } = opening();
console.log(
  `reopened in ${opened.toFixed(0)} ms of CPU; ${again.view().messages.length} messages in view, ${again.log.originals} in all`,
);
await again.dispose();
