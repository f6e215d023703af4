// Measures one tokenizer on one task in a cold process of its own: `measure.mjs PEER TASK`. Prints JSON. Times are CPU
// milliseconds of the process, which other processes do not affect.
import { corpora, pathological } from "./corpora.mjs";
import { peers } from "./peers.mjs";

const [peer, task, size] = process.argv.slice(2);

function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function timed(run) {
  forget?.();
  const start = cpu();
  const value = run();
  return [cpu() - start, value];
}

let forget;
const text = corpora[task]?.();
const texts = task === "pathological" ? pathological(Number(size)) : undefined;
globalThis.gc?.();
const before = process.memoryUsage().rss;
const start = cpu();
const wallStart = performance.now();
const tokenizer = await peers[peer]();
const { count, memory } = tokenizer;
forget = tokenizer.forget;
count("Hello, world!");
const load = cpu() - start;
const result = { load, wall: performance.now() - wallStart, rss: process.memoryUsage().rss - before };

if (text !== undefined) {
  const bytes = Buffer.byteLength(text);
  const [first, tokens] = timed(() => count(text));
  let best = first;
  // Until a second has passed, at least twice.
  for (let spent = 0, round = 0; round < 2 || (spent < 1000 && round < 40); round++) {
    const [took] = timed(() => count(text));
    best = Math.min(best, took);
    spent += took;
  }
  Object.assign(result, { tokens, first: bytes / first / 1000, warm: bytes / best / 1000 });
} else if (texts !== undefined) {
  result.worst = {};
  for (const [name, text] of Object.entries(texts)) {
    const [took] = timed(() => count(text));
    result.worst[name] = took;
    // Quadratic peers stop here.
    if (took > 60_000) break;
  }
} else if (task === "short") {
  const whole = corpora.code();
  const strings = Array.from({ length: 4000 }, (_, at) => whole.slice(at * 150, at * 150 + 150));
  let best = Infinity;
  for (let round = 0; round < 8; round++) best = Math.min(best, timed(() => strings.forEach(count))[0]);
  result.microseconds = (best / strings.length) * 1000;
}
if (memory) result.memory = memory();
console.log(JSON.stringify(result));
