// The cost of planning without the model, with cached counts, in a long run of an agent.
//   node benches/conversation/plan.mjs [TRANSCRIPT] [tokens=500000]
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { openConversation } from "../../pkg/dist/index-node.js";
import { ConversationLog } from "../../pkg/dist/log-node.js";

const file =
  process.argv[2] ?? new URL("../../tests/fixtures/transcripts/pi-refactor-long.json", import.meta.url).pathname;
const wanted = Number(process.argv[3] ?? 500_000);
const recorded = JSON.parse(readFileSync(file, "utf8")).messages;
/** Removes fields of other systems that no provider accepts; makes ids of calls unique in all repetitions. */
const plain = (turn) => (message) => {
  const {
    tool_calls: calls,
    tool_call_id: answered,
    ...rest
  } = Object.fromEntries(Object.entries(message).filter(([key]) => !key.startsWith("x_")));
  return {
    ...rest,
    ...(calls && { tool_calls: calls.map((call) => ({ ...call, id: `${turn}-${call.id}` })) }),
    ...(answered && { tool_call_id: `${turn}-${answered}` }),
  };
};
/** Returns CPU and time since the call. */
const clock = () => {
  const [before, start] = [process.cpuUsage(), performance.now()];
  return () => {
    const time = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    return [(user + system) / 1000, time];
  };
};
/** Measures until the end of `run`, or until `run` reports its own end. */
const measured = async (run) => {
  const since = clock();
  const until = await run();
  return Array.isArray(until) ? until : since();
};
async function row(name, times, run, between = () => {}) {
  const all = [];
  for (let at = 0; at < times; at++) {
    await between();
    all.push(await measured(run));
  }
  all.sort((a, b) => a[0] - b[0]);
  const show = ([cpu, time]) => `${cpu.toFixed(1)} (${time.toFixed(1)})`;
  console.log(`${name.padEnd(48)} first or best ${show(all[0])}, median ${show(all[times >> 1])}`);
}

const conversation = await openConversation({
  format: "openai-chat",
  model: { name: "gpt-4o", maxPromptTokens: wanted * 2 },
  entropy: 1,
  automatic: false,
});
console.log(`${cpus()[0]?.model}, Node ${process.version}; milliseconds of CPU (of time)`);
let turn = 0;
await row("read and counted", 1, () => {
  while (conversation.log.totals().total < wanted) {
    const all = recorded.map(plain(turn)).filter(({ role }) => turn === 0 || role !== "system");
    turn += 1;
    for (let at = 0; at < all.length && conversation.log.totals().total < wanted; at += 20)
      conversation.append(all.slice(at, at + 20));
  }
});
const { total, messages } = conversation.log.totals();
console.log(`${messages} messages, ${total} tokens`);
// The hook receives the plan after it is made: the cheap steps are chosen, and so is the range of a summary. The hook
// puts it off, which it may while the conversation still fits.
let told = 0;
let since = clock();
let planned;
const hooks = { preCompact: ({ covered }) => ((planned = since()), (told = covered.length), { skip: true }) };
const options = { budget: wanted * 2, force: true, trigger: "threshold", hooks, llm: async () => "" };
const plan = async (log = conversation.log) => {
  since = clock();
  const { status } = await log.compactView(options);
  if (status !== "skipped" || told === 0) throw new Error(`no plan was put off: ${status}`);
  return planned;
};
const oneMore = () => conversation.append({ role: "user", content: `And now step ${turn++}.` });
await row("planned, counts held, first time", 1, () => plan());
await row("planned, counts held", 9, () => plan());
await row("planned after one more message", 25, () => plan(), oneMore);
await row("the same, to the report that it was put off", 25, async () => void (await plan()), oneMore);
// Only the counts of the log's messages are known, and the engine is warm.
const lines = conversation.log.export();
const hosts = conversation.log.originalsFrom(0);
let fresh;
await row(
  "planned, counts held, nothing else known",
  5,
  () => plan(fresh),
  () => {
    fresh?.close();
    fresh = ConversationLog.import(lines, { messages: hosts, format: "openai-chat", model: "gpt-4o" }).log;
  },
);
fresh.close();
await row("one more message, and its request", 9, () => conversation.prepare(), oneMore);
await row("previewed by rules, first time", 1, () => conversation.preview());
await row("previewed by rules", 9, () => conversation.preview());
