// Small prompts, both modules in one process in alternation, and cold starts in processes of their own: `node
// prompt/small.mjs` in benches/. Options: --shapes=25,67 (parts of names) --rounds=12 --renders=100 --cold=5
import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { modules } from "./modules.mjs";
import { smallShapes } from "./small-shapes.mjs";
import { tokenizers } from "./tokenizers.mjs";

const UNPRUNED = Number.MAX_SAFE_INTEGER;
/** Renders of each module before the measurement. */
const WARM_RENDERS = 2_000;

const milliseconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Returns the CPU microseconds of one render, per module the minimum of all rounds. The modules alternate, so that
 * other load affects both.
 */
export async function measureSmall(shape, tokenizer, { share = 1, rounds = 12, renders = 100 } = {}) {
  const sides = [];
  for (const [name, load] of Object.entries(modules)) {
    const module = await load();
    const Prompt = smallShapes[shape](module);
    const render = (budget) =>
      new module.PromptRenderer({ modelMaxPromptTokens: budget }, Prompt, {}, tokenizers[tokenizer]()).render();
    const { tokenCount } = await render(UNPRUNED);
    const budget = share === 1 ? UNPRUNED : Math.floor(tokenCount * share);
    sides.push({ name, best: Infinity, run: () => render(budget) });
  }
  for (const { run } of sides) for (let count = 0; count < WARM_RENDERS; count++) await run();
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      globalThis.gc?.();
      const before = milliseconds();
      for (let count = 0; count < renders; count++) await side.run();
      side.best = Math.min(side.best, ((milliseconds() - before) / renders) * 1000);
    }
  }
  return Object.fromEntries(sides.map(({ name, best }) => [name, best]));
}

/**
 * Returns the CPU milliseconds from the import to the end of the first render of the chat request, per module the
 * minimum.
 */
function measureCold(rounds) {
  const best = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(modules)) {
      const spent = Number(
        execFileSync(process.execPath, [fileURLToPath(import.meta.url), `--first=${name}`], { encoding: "utf8" }),
      );
      best[name] = Math.min(best[name] ?? Infinity, spent);
    }
  }
  return best;
}

async function first(name) {
  const before = milliseconds();
  const module = await modules[name]();
  const Prompt = smallShapes["67: chat request"](module);
  await new module.PromptRenderer({ modelMaxPromptTokens: UNPRUNED }, Prompt, {}, tokenizers.quarters()).render();
  console.log(milliseconds() - before);
}

/** Prints the tables; `arguments_` are those of the command line. */
export async function runSmall(arguments_) {
  const option = (name) =>
    arguments_
      .find((argument) => argument.startsWith(`--${name}=`))
      ?.split("=")[1]
      .split(",");
  const rounds = Number(option("rounds")?.[0] ?? 12);
  const renders = Number(option("renders")?.[0] ?? 100);
  const wanted = option("shapes") ?? [""];
  const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
  const cell = ({ "prompt-tsx": peer, espalier }) =>
    `${espalier.toFixed(0)} / ${peer.toFixed(0)} (${(espalier / peer).toFixed(2)})`;
  console.log(
    "Small prompts: CPU microseconds of a render, espalier / prompt-tsx (ratio; below 1 is less than the peer's).\n",
  );
  const columns = [
    ["quarters", 1],
    ["quarters", 0.6],
    ["quartersLater", 1],
    ["quartersLater", 0.6],
  ];
  row(["prompt", "all fits", "cut to 60 %", "asynchronous tokenizer, all fits", "cut to 60 %"]);
  row(["---", "---", "---", "---", "---"]);
  for (const shape of Object.keys(smallShapes).filter((name) => wanted.some((part) => name.includes(part)))) {
    const cells = [];
    for (const [tokenizer, share] of columns)
      cells.push(cell(await measureSmall(shape, tokenizer, { share, rounds, renders })));
    row([shape, ...cells]);
  }
  const starts = Number(option("cold")?.[0] ?? 5);
  if (starts > 0) {
    const { "prompt-tsx": peer, espalier } = measureCold(starts);
    console.log(
      `\nCold, import and first render of the chat request: ${espalier.toFixed(0)} / ${peer.toFixed(0)} ms of CPU (${(espalier / peer).toFixed(2)}).`,
    );
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const cold = process.argv.find((argument) => argument.startsWith("--first="));
  await (cold ? first(cold.split("=")[1]) : runSmall(process.argv.slice(2)));
}
