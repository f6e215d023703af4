// Pruning one request after another: node requests/prune.mjs [--messages=1000,10000] [--reps=30]. Milliseconds of time, best and median.
// `core` is the engine's work with counts held, its report as text included; `Pruner` adds reading the host's messages, comparing them with
// those that are held, parsing the report and rebuilding; `prune` holds nothing: everything crosses and is counted again.
import { cpus } from "node:os";
import { Pruner, call, init, prune, readConversation, wasm } from "../../pkg/dist/core.js";
import "../../pkg/dist/node.js";

const option = (name, otherwise) => (process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise).split(",").map(Number);
const [reps] = option("reps", "30");

/** An agent at work: a request of the user every forty messages, calls and results of some hundred tokens between them. */
function conversation(length) {
  const messages = [{ role: "system", content: "You are a careful engineer." }];
  for (let at = 1; at < length; at += 2) {
    if (at % 40 === 1) messages.push({ role: "user", content: `Request ${at}: fix the parser, never touch the lexer.` });
    messages.push({ role: "assistant", content: null, tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: `make part${at}` }) } }] });
    messages.push({ role: "tool", tool_call_id: `c${at}`, content: `building part ${at}\n`.repeat(5 + ((at * 7) % 90)) });
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

await init?.();
console.log(`${cpus()[0].model}, ${cpus().length} cores, node ${process.version}, ${new Date().toISOString().slice(0, 10)}. ms, best / median.\n`);
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["messages", "tokens", "budget", "core, held", "core, held, same cut", "Pruner", "prune"]);
row(Array(7).fill("---"));
for (const length of option("messages", "1000,10000")) {
  const messages = conversation(length);
  const options = { budget: Number.MAX_SAFE_INTEGER };
  const { before } = prune(messages, options).report;
  const { messages: neutral } = readConversation(messages, {});
  const held = call(() => new (wasm().HeldConversation)({ tools: [] }));
  call(() => held.splice(0, neutral));
  for (const share of [1.1, 0.5, 0.1]) {
    const budget = Math.floor(before.total * share);
    const fields = { budget, tools: [], headroom: 0, keep: [], backfill: false, priorities: [], note: false, cacheStep: 0.1, dropMedia: "none" };
    const { cut } = JSON.parse(held.prune(fields));
    const pruner = new Pruner();
    row([
      length, before.total, `${Math.round(share * 100)} %`,
      measure(() => held.prune(fields)),
      measure(() => held.prune({ ...fields, previous: JSON.stringify(cut) })),
      measure(() => pruner.prune(messages, { budget, cacheStep: 0.1 })),
      measure(() => prune(messages, { budget })),
    ]);
    pruner.free();
  }
  held.free();
}
