// Memory of a long conversation relative to its text: the host's messages, the log beside them, the engine's half;
// before and after a compaction. node --expose-gc benches/conversation/memory.mjs [tokens=500000]
let memory;
const seen = (instance) => ((memory = instance.exports.memory ?? memory), instance);
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct: (Instance, given) => seen(new Instance(...given)),
});
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  seen(made.instance ?? made);
  return made;
};
const { openConversation } = await import("../../pkg/dist/index-node.js");
const { ConversationLog } = await import("../../pkg/dist/log-node.js");
const { memoryStorage } = await import("../../pkg/dist/storage-node.js");

const most = Number(process.argv[2] ?? 500_000);
let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const vocabulary = [
  "parser",
  "token",
  "error",
  "path/to/file.rs",
  "=> {",
  "return",
  "the",
  "of",
  "1024",
  "lexer",
  "const",
  "function",
  "await",
];
const words = (count) =>
  Array.from(
    { length: count },
    () => `${vocabulary[Math.floor(random() * vocabulary.length)]}${random() < 0.1 ? Math.floor(random() * 1000) : ""}`,
  ).join(" ");
const round = (number) => [
  {
    role: "assistant",
    content: words(30),
    tool_calls: [
      {
        id: `c${number}`,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command: words(8) }) },
      },
    ],
  },
  // Through bytes, like external text: one flat string, not a rope.
  {
    role: "tool",
    tool_call_id: `c${number}`,
    content: Buffer.from(words(200 + Math.floor(random() * 600))).toString(),
  },
];
const textOf = ({ content, tool_calls: calls }) => (content ?? "") + (calls?.[0].function.arguments ?? "");
const settle = async () => {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise((done) => setTimeout(done, 20));
    globalThis.gc?.();
  }
};
const MB = 2 ** 20;
async function now() {
  await settle();
  return { heap: process.memoryUsage().heapUsed, engine: memory.buffer.byteLength };
}

const warm = await openConversation({
  format: "openai-chat",
  model: { name: "gpt-4o", maxPromptTokens: 10_000_000 },
  messages: round(0),
  storage: memoryStorage(),
});
await warm.prepare();
await warm.dispose();
const start = await now();
const messages = [{ role: "user", content: "Fix it." }];
let bytes = 0;
for (let number = 0; bytes < most * 4; number++) {
  const next = round(number);
  bytes += next.reduce((sum, message) => sum + Buffer.byteLength(textOf(message)), 0);
  messages.push(...next);
}
const held = await now();
const conversation = await openConversation({
  format: "openai-chat",
  model: { name: "gpt-4o", maxPromptTokens: 10_000_000 },
  entropy: 1,
});
for (const message of messages) conversation.append(message);
await conversation.prepare();
const rows = [["the host's own messages", held]];
rows.push([`open, ${conversation.usage().used} tokens`, await now()]);
await conversation.compact();
await conversation.prepare();
rows.push(["compacted", await now()]);
conversation.undo();
await conversation.prepare();
rows.push(["undone", await now()]);
const lines = conversation.log.export();
const { log } = ConversationLog.import(lines, { messages, format: "openai-chat" });
log.view();
rows.push([`read again beside it, ${(lines.length / MB).toFixed(1)} MB of lines`, await now()]);
log.close();
await conversation.dispose();

console.log(
  `Node ${process.version}; engine with its vocabulary ${(start.engine / MB).toFixed(1)} MB; text ${(bytes / MB).toFixed(2)} MB, ${messages.length} messages; MB above an empty conversation, and times the text`,
);
for (const [name, { heap, engine }] of rows) {
  const own = (heap - held.heap) / MB;
  const core = (engine - start.engine) / MB;
  const all = (heap - start.heap) / MB + core;
  console.log(
    `${name.padEnd(44)} heap ${own.toFixed(2).padStart(7)}, engine ${core.toFixed(2).padStart(7)}, with the messages ${all.toFixed(2).padStart(7)} = ${(all / (bytes / MB)).toFixed(2)}x, without ${((own + core) / (bytes / MB)).toFixed(2)}x`,
  );
}
