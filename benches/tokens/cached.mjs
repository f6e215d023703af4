// Repeated counts: 5,000 texts that were counted before, and one more message in a conversation of 400,000 tokens. node
// benches/tokens/cached.mjs
import { cpus } from "node:os";
import { count } from "../../pkg/dist/index-node.js";
import { ConversationLog } from "../../pkg/dist/log-node.js";
import { clearCache, countBatch } from "../../pkg/dist/tokens-node.js";

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
const text = (at, length) =>
  Array.from(
    { length },
    (_, word) =>
      `${words[(at * 7919 + word * word * 31 + word) % words.length]}${word % 9 === 0 ? (at * word) % 977 : ""}`,
  ).join(" ");
const best = (run, times = 30) => {
  let least = Infinity;
  for (let time = 0; time < times; time++) {
    const before = performance.now();
    run();
    least = Math.min(least, performance.now() - before);
  }
  return least.toFixed(2);
};

console.log(`${cpus()[0]?.model}, Node ${process.version}; best of 30, milliseconds`);
const texts = Array.from({ length: 5_000 }, (_, at) => `${at} ${text(at, 40)}`);
count("");
clearCache();
const before = performance.now();
countBatch(texts);
console.log(
  `5,000 texts of ${texts[7].length} characters: ${(performance.now() - before).toFixed(1)} at first, ${best(() => countBatch(texts))} again in one call, ${best(() => texts.forEach((text) => count(text)))} one by one`,
);

const message = (at) => ({ role: at % 2 ? "assistant" : "user", content: text(at, 620) });
const log = new ConversationLog({ format: "openai-chat" });
log.append(Array.from({ length: 400 }, (_, at) => message(at)));
const { total } = log.totals();
let at = 400;
const one = best(() => log.append(message(at++)));
console.log(
  `a message of ${Math.round((log.totals().total - total) / 30)} tokens behind ${total}: ${one}; the same count by itself: ${best(() => (clearCache(), count(message(at++).content)))}`,
);
