/**
 * Time to validate a conversation of 10,000 messages, and to repair one in which every hundredth round is broken: `node
 * benches/requests/validate.mjs` after `npm run build`. Best and middle of the runs, in milliseconds.
 */

import { repair, validate } from "../../pkg/dist/index-node.js";

const ROUNDS = 2_500;
const RUNS = 25;
const text = "Some words of a message, as long as those of a chat usually are. ".repeat(5).trim();
const range = (make) => Array.from({ length: ROUNDS }, (_, at) => make(at)).flat();

/** Four messages a round: a request, a call, its result, an answer. */
const CONVERSATIONS = {
  "openai-chat": (id, of) => [
    { role: "user", content: text },
    {
      role: "assistant",
      content: text,
      tool_calls: [{ id, type: "function", function: { name: "run", arguments: '{"command":"ls -la"}' } }],
    },
    { role: "tool", tool_call_id: of, content: text },
    { role: "assistant", content: text },
  ],
  "openai-responses": (id, of) => [
    { role: "user", content: text },
    { type: "function_call", call_id: id, name: "run", arguments: '{"command":"ls -la"}' },
    { type: "function_call_output", call_id: of, output: text },
    { role: "assistant", content: [{ type: "output_text", text }] },
  ],
  anthropic: (id, of) => [
    { role: "user", content: text },
    {
      role: "assistant",
      content: [
        { type: "text", text },
        { type: "tool_use", id, name: "run", input: { command: "ls -la" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: of, content: [{ type: "text", text }] }] },
    { role: "assistant", content: text },
  ],
  gemini: (id, of) => [
    { role: "user", parts: [{ text }] },
    { role: "model", parts: [{ text }, { functionCall: { id, name: "run", args: { command: "ls -la" } } }] },
    { role: "user", parts: [{ functionResponse: { id: of, name: "run", response: { output: text } } }] },
    { role: "model", parts: [{ text }] },
  ],
  vscode: (id, of) => [
    { role: 1, content: [{ value: text }] },
    { role: 2, content: [{ value: text }, { callId: id, name: "run", input: { command: "ls -la" } }] },
    { role: 1, content: [{ callId: of, content: [{ value: text }] }] },
    { role: 2, content: [{ value: text }] },
  ],
};

function measure(run) {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return `${times[0].toFixed(1).padStart(7)} ${times[RUNS >> 1].toFixed(1).padStart(7)}`;
}

process.stdout.write(`${"".padEnd(18)}  validate (best, middle)  repair of a valid one   repair of a broken one\n`);
for (const [provider, round] of Object.entries(CONVERSATIONS)) {
  const valid = range((at) => round(`c${at}`, `c${at}`)).slice(0, -1);
  const broken = range((at) => round(`c${at}`, at % 100 === 50 ? "nobody" : `c${at}`)).slice(0, -1);
  const found = validate(valid, provider);
  if (found.length > 0) throw new Error(JSON.stringify(found[0]));
  if (validate(repair(broken, { provider }).messages, provider).length > 0) throw new Error(`${provider}: not mended`);
  const columns = [
    () => validate(valid, provider),
    () => repair(valid, { provider }),
    () => repair(broken, { provider }),
  ].map(measure);
  process.stdout.write(`${provider.padEnd(18)} ${columns.join("         ")}\n`);
}
