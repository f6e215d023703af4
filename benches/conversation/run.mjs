// A running conversation: the cost of a round and its request when there are many already, and the cost of reading the
// log again. Then the same of a growing one: what a step costs at 200, 800 and 3,200 messages.
// node benches/conversation/run.mjs [rounds=2500] [package=../../pkg]
import { cpus } from "node:os";

const most = Number(process.argv[2] ?? 2_500);
const dist = new URL(`${process.argv[3] ?? "../../pkg"}/dist/`, import.meta.url);
const { Pruner, openConversation } = await import(new URL("index-node.js", dist));
const { ConversationLog } = await import(new URL("log-node.js", dist));
const { memoryStorage } = await import(new URL("storage-node.js", dist));
let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const words = (count) => Array.from({ length: count }, () => `word${Math.floor(random() * 5000)}`).join(" ");
/** About 290 tokens. */
const round = (number) => [
  {
    role: "assistant",
    content: words(20),
    tool_calls: [
      {
        id: `c${number}`,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command: words(5) }) },
      },
    ],
  },
  { role: "tool", tool_call_id: `c${number}`, content: words(70) },
];
const cpu = async (run) => {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
async function row(name, times, run) {
  const all = [];
  for (let at = 0; at < times; at++) all.push(await cpu(run));
  all.sort((a, b) => a - b);
  console.log(`${name.padEnd(44)} best ${all[0].toFixed(2)}, median ${all[times >> 1].toFixed(2)}`);
}

console.log(`${cpus()[0]?.model}, Node ${process.version}; milliseconds of CPU`);
const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Fix it." },
];
for (let number = 0; number < most; number++) messages.push(...round(number));
let next = most;
const log = new ConversationLog({ format: "openai-chat" });
await row(`all ${messages.length} messages at once`, 1, () => log.append(messages));
console.log(`${log.totals().total} tokens`);
await row("one round more", 50, () => log.append(round(next++)));
await row("one round more, and the view", 50, () => (log.append(round(next++)), log.view()));
await row("the view again", 50, () => log.view());
const lines = log.export();
await row("the lines read, with the host's messages", 1, () =>
  ConversationLog.import(lines, { messages: log.originalsFrom(0), format: "openai-chat" }),
);
await row("the lines read, neutral", 1, () => ConversationLog.import(lines));
const open = (options) =>
  openConversation({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 10_000_000 },
    messages,
    entropy: 1,
    storage: memoryStorage(),
    ...options,
  });
const conversation = await open({});
await row(
  "one round more, and its request",
  50,
  async () => (conversation.append(round(next++)), conversation.prepare()),
);
await row("compacted by rules", 1, () => conversation.compact());
await row(
  "one round more, and its request, behind it",
  50,
  async () => (conversation.append(round(next++)), conversation.prepare()),
);
const pruned = await open({ automatic: false, model: { maxPromptTokens: 100_000 } });
await row("one round more, and its request, pruned", 10, async () => (pruned.append(round(next++)), pruned.prepare()));

/** Messages around which steps are measured, and how many messages on both sides. */
const SIZES = [200, 800, 3_200];
const NEAR = 100;
/** Prints what a step costs on average while the messages grow. `step` takes a round. */
async function growing(name, step) {
  let count = 2;
  const next = () => step(round((count += 2)));
  const costs = [];
  for (const size of SIZES) {
    while (count < size - NEAR) await next();
    const before = count;
    const spent = await cpu(async () => {
      while (count < size + NEAR) await next();
    });
    costs.push(`${size}: ${((2 * spent) / (count - before)).toFixed(2)}`);
  }
  console.log(`${name.padEnd(44)} ${costs.join(", ")}`);
}
const start = messages.slice(0, 2);
const limited = (maxPromptTokens, options) =>
  open({ messages: start, model: { name: "gpt-4o", maxPromptTokens }, storage: undefined, ...options });
for (const [name, conversation] of [
  ["a growing conversation, whole", await limited(10_000_000)],
  ["the same, compacted at 50,000 tokens", await limited(50_000)],
  ["the same, pruned to 100,000 tokens", await limited(100_000, { automatic: false })],
])
  await growing(name, (added) => (conversation.append(added), conversation.prepare()));
for (const budget of [10_000_000, 50_000]) {
  const [pruner, list] = [new Pruner(), [...start]];
  await growing(`a Pruner with ${budget} tokens`, (added) => {
    list.push(...added);
    pruner.prune(list, { format: "openai-chat", encoding: "o200k_base", budget });
  });
}
