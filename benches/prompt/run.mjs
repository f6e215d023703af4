// Prompt trees, Espalier beside @vscode/prompt-tsx: `npm run prompt` in benches/.
// Options: --shape=flat,tied --chunks=1000,10000 --reps=5 --modules=espalier --tokenizers=quarters --break=500,4000
// --all. `--small` measures small prompts only, `--large` large ones only; small.mjs lists the options of the former.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { built, modules } from "./modules.mjs";
import { shapes } from "./shapes.mjs";
import { runSmall } from "./small.mjs";

const option = (name) =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.split("=")[1]
    .split(",");
const names = (option("modules") ?? Object.keys(modules)).filter((name) => built || name !== "espalier");
const kinds = (option("tokenizers") ?? ["quarters", "builtin"]).filter((kind) => built || kind !== "builtin");
const sizes = (option("chunks") ?? ["1000", "10000", "50000"]).map(Number);
const reps = Number(option("reps")?.[0] ?? 5);
const everything = process.argv.includes("--all");

if (!process.argv.includes("--large")) await runSmall(process.argv.slice(2));
if (process.argv.includes("--small")) process.exit();

/** Cases in which the reference takes minutes or more: `--all` includes them. */
const tooSlow = (name, shape, chunks) =>
  !everything &&
  name === "prompt-tsx" &&
  ((["flat", "emptied"].includes(shape) && chunks > 10_000) ||
    (["tied", "pass", "tools"].includes(shape) && chunks > 20_000));

const script = fileURLToPath(new URL("measure.mjs", import.meta.url));
const measure = (task) =>
  JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", script, JSON.stringify({ reps, ...task })], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    }),
  );
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
const head = (cells) => (row(cells), row(cells.map(() => "---")));
const round = (value) =>
  value === undefined ? "" : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, node ${process.version}, ${new Date().toISOString().slice(0, 10)}. CPU milliseconds of a render, median.\n`,
);
head([
  "shape",
  "chunks",
  "tokenizer",
  "module",
  "unpruned ms",
  "pruned ms",
  "× faster, unpruned / pruned",
  "tokenLength / countMessageTokens, pruned",
  "characters tokenized ÷ source, unpruned → pruned",
  "fill",
]);

/** Times of pruning by shape, tokenizer, module and size, for growth. */
const pruned = new Map();
for (const shape of option("shape") ?? Object.keys(shapes)) {
  for (const chunks of sizes) {
    for (const tokenizer of kinds) {
      let base;
      for (const module of names) {
        if (tooSlow(module, shape, chunks)) continue;
        const whole = measure({ module, shape, chunks, tokenizer });
        const budget = Math.floor(whole.tokens / 2);
        const half = measure({ module, shape, chunks, tokenizer, budget });
        if (module === "prompt-tsx") base = { whole, half };
        const faster =
          module !== "prompt-tsx" && base
            ? `${round(base.whole.ms / whole.ms)} / ${round(base.half.ms / half.ms)}`
            : "";
        const calls = half.tokenLength === undefined ? "" : `${half.tokenLength} / ${half.countMessageTokens}`;
        const characters =
          whole.ratio === undefined
            ? ""
            : `${round(whole.ratio)} → ${half.ratio === undefined ? "?" : round(half.ratio)}`;
        row([
          shape,
          chunks,
          tokenizer,
          module,
          round(whole.ms),
          round(half.ms),
          faster,
          calls,
          characters,
          (half.tokens / budget).toFixed(4),
        ]);
        const key = `${shape} | ${tokenizer} | ${module}`;
        if (!pruned.has(key)) pruned.set(key, new Map());
        pruned.get(key).set(chunks, half.ms);
      }
    }
  }
}

const [last, before] = [sizes.at(-1), sizes.at(-2)];
const grown = [...pruned].filter(([, times]) => times.has(last) && times.has(before));
if (before !== undefined && grown.length > 0) {
  console.log(`\nGrowth of the pruned time from ${before} to ${last} chunks (×${round(last / before)}):\n`);
  head(["shape", "tokenizer", "module", "×"]);
  for (const [key, times] of grown) row([key, round(times.get(last) / times.get(before))]);
}

const lengths = (option("break") ?? ["500", "1000", "2000", "4000"]).map(Number).filter((words) => words > 0);
if (lengths.length > 0) {
  console.log("\nOne text cut at whitespace to half its length:\n");
  head(["words", "module", "ms", "tokenLength calls", "characters tokenized ÷ source"]);
  for (const words of lengths) {
    for (const module of names) {
      const whole = measure({ module, shape: "break", chunks: words, tokenizer: "quarters", reps: 1 });
      const half = measure({
        module,
        shape: "break",
        chunks: words,
        tokenizer: "quarters",
        budget: Math.floor(whole.tokens / 2),
      });
      row([words, module, round(half.ms), half.tokenLength, round(half.ratio)]);
    }
  }
}
