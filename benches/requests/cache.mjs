// Cache marks and shared prefixes: node requests/cache.mjs [--messages=1000,10000] [--reps=30]. Milliseconds of time, best and median.
// `marks` reads, decides and sets marks on copies; `prefix` compares a request with the next one of the same conversation and counts what
// they share; with `counts held` nothing is counted; `breaks early` is a request that differs in its second message.
import { cpus } from "node:os";
import { countMessages, placeMarks, stablePrefix } from "../../pkg/dist/node.js";

const option = (name, otherwise) => (process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise).split(",").map(Number);
const [reps] = option("reps", "30");

/** Anthropic messages of an agent at work: calls and results of some hundred tokens. */
function conversation(length) {
  const messages = [{ role: "user", content: "Fix the parser, never touch the lexer." }];
  for (let at = 1; messages.length < length; at++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `c${at}`, name: "bash", input: { command: `make part${at}` } }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: `building part ${at}\n`.repeat(5 + ((at * 7) % 90)) }] });
  }
  return messages.slice(0, length);
}

function measure(run) {
  const times = [];
  for (let rep = 0; rep < reps + 3; rep++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  // The first ones compile.
  const counted = times.slice(3).sort((a, b) => a - b);
  return [counted[0], counted[counted.length >> 1]].map((ms) => ms.toFixed(1)).join(" / ");
}

console.log(`${cpus()[0].model}, ${cpus().length} cores, node ${process.version}, ${new Date().toISOString().slice(0, 10)}. ms, best / median.\n`);
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["messages", "tokens", "marks", "prefix", "prefix, counts held", "prefix, breaks early"]);
row(Array(6).fill("---"));
for (const length of option("messages", "1000,10000")) {
  const messages = conversation(length);
  const request = { model: "claude-sonnet-4-5", system: "You are a careful engineer.", tools: [{ name: "bash", input_schema: {} }], messages };
  const before = { ...request, messages: messages.slice(0, -2) };
  const changed = { ...request, messages: messages.map((message, at) => (at === 1 ? { ...message, content: "no" } : message)) };
  const { total, perMessage } = countMessages(request);
  const counts = perMessage.map(({ tokens }) => tokens);
  const { newest: previousNewest } = placeMarks(before);
  row([
    length, total,
    measure(() => placeMarks(request, { previousNewest })),
    measure(() => stablePrefix(before, request)),
    measure(() => stablePrefix(before, request, { counts })),
    measure(() => stablePrefix(before, changed)),
  ]);
}
