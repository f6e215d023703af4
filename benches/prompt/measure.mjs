// One measurement, in a process of its own: node measure.mjs '{"module":…,"shape":…,…}'. Prints JSON.
import { modules } from "./modules.mjs";
import { breakingOf, promptOf } from "./shapes.mjs";
import { tallied, tokenizers } from "./tokenizers.mjs";

const { module: name, shape, chunks, tokenizer, budget = Number.MAX_SAFE_INTEGER, reps } = JSON.parse(process.argv[2]);
const module = await modules[name]();
const espalier = tokenizer === "builtin" ? await modules.espalier() : undefined;
const { Prompt, characters } = shape === "break" ? breakingOf(module, chunks) : promptOf(module, shape, chunks);
const render = (counter) => new module.PromptRenderer({ modelMaxPromptTokens: budget }, Prompt, {}, counter).render();

/** Milliseconds of warming up: an extension host that runs for a day passed them long ago. */
const WARM = 1_500;

/** Warms up at least once, then repeats, but for at most half a minute. */
async function cpu() {
  const times = [];
  const started = Date.now();
  let tokens;
  let warm = 0;
  for (let rep = 0; rep < warm + reps && (rep === 0 || Date.now() - started < 30_000); rep++) {
    if (rep === 0 || Date.now() - started < WARM) warm = rep + 1;
    const counter = tokenizers[tokenizer](espalier);
    // A forced collection before each run would shrink the nursery, and time V8 growing it again.
    if (rep === warm) globalThis.gc?.();
    const before = process.cpuUsage();
    ({ tokenCount: tokens } = await render(counter));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const counted = times.length > warm ? times.slice(warm) : times.slice(-1);
  return { tokens, ms: counted.sort((a, b) => a - b)[counted.length >> 1], reps: counted.length };
}

/**
 * Separate from the times, since the tally costs time. With the engine's own counting there are no questions to tally.
 */
async function asked() {
  if (tokenizer === "builtin" && name === "espalier") return {};
  const counter = tallied(tokenizers[tokenizer](espalier));
  await render(counter);
  return { ...counter.tally, ratio: counter.tally.characters / characters };
}

const measured = await cpu();
console.log(JSON.stringify({ ...measured, ...(measured.ms < 15_000 ? await asked() : {}) }));
