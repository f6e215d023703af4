// The event log: the cost of a message when there are many already, the cost of the view, an edit and the lines, and
// the memory. node --expose-gc benches/log/run.mjs [messages=20000]
import { cpus } from "node:os";
import { countMessages } from "../../pkg/dist/index-node.js";
import { ConversationLog } from "../../pkg/dist/log-node.js";

const most = Number(process.argv[2] ?? 20_000);
const words = [
  "parser",
  "token",
  "Fehler",
  "path/to/file.rs",
  "=> {",
  "return",
  "the",
  "of",
  "1024",
  "lexer",
  "\n",
  "const",
];
/** Returns about a thousand tokens, different for each number. */
function message(at) {
  let content = "";
  for (let word = 0; word < 800; word++)
    content += `${words[(at * 7919 + word * word * 31 + word) % words.length]}${word % 9 === 0 ? (at * word) % 977 : ""} `;
  return { role: at % 2 ? "assistant" : "user", content };
}
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const cpu = (run) => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

console.log(`${cpus()[0]?.model}, Node ${process.version}; milliseconds of CPU`);
countMessages([message(1)]);
const heap = () => (globalThis.gc?.(), process.memoryUsage());
const start = heap();
const log = new ConversationLog({ format: "openai-chat" });
let bytes = 0;
let window = [];
for (let at = 0; at < most; at++) {
  const next = message(at);
  bytes += Buffer.byteLength(next.content);
  window.push(cpu(() => log.append(next)));
  if ([1_000, 2_000, 5_000, 10_000, 20_000, 50_000].includes(at + 1)) {
    const view = Array.from({ length: 5 }, () => cpu(() => log.view()));
    console.log(
      `appending around message ${at + 1}: median ${median(window.slice(-500)).toFixed(3)}, view of ${at + 1}: ${median(view).toFixed(1)}`,
    );
    window = [];
  }
}
const end = heap();
console.log(
  `tokens ${log.totals().total}, text ${(bytes / 2 ** 20).toFixed(1)} MB; process grew by ${((end.rss - start.rss) / 2 ** 20).toFixed(1)} MB, of which the host's own messages are one text`,
);
const summary = {
  kind: "replace_range",
  rule: "summary",
  range: { from: "m0", to: `m${most - 20}`, summary: "All of it." },
};
console.log(`preview of a range over ${most - 20}: ${cpu(() => log.preview(summary)).toFixed(1)}`);
console.log(
  `the edit: ${cpu(() => log.edit(summary)).toFixed(1)}, undo ${cpu(() => log.undo()).toFixed(1)}, redo ${cpu(() => log.redo()).toFixed(1)}, view ${cpu(() => log.view()).toFixed(2)}`,
);
let text = "";
console.log(`export: ${cpu(() => (text = log.export())).toFixed(1)} for ${(text.length / 2 ** 20).toFixed(1)} MB`);
console.log(`import: ${cpu(() => ConversationLog.import(text)).toFixed(1)}, counting included`);
