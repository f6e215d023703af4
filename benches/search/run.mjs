// Builds, queries, updates, saves and loads an index beside MiniSearch and Orama, on the files of `corpus.mjs`: `node
// search/run.mjs [--sizes=5000,25000] [--modules=espalier,minisearch,orama]`. Each module is a process of its own.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { corpus, megabytes } from "./corpus.mjs";
import { modules } from "./modules.mjs";

const QUERIES = [
  "parse arguments of the command line",
  "retry a failed request with exponential back-off",
  "resolve module path from package.json exports",
  "insert or modify an entry of a hash map",
  "convert UTF-8 to UTF-16 offsets",
  "serialize struct as JSON string",
  "token stream lexer error position",
  "thread pool shutdown join handle",
];

const option = (name, usual) =>
  (process.argv.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual).split(",");

/** Returns the CPU milliseconds of all threads of this process. */
async function cpu(work) {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, result];
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

/** Returns the megabytes of objects, buffers and WebAssembly. */
function memoryUsed() {
  global.gc();
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

async function measure(name, size) {
  const files = corpus(size);
  const module = await modules[name]();
  await module.warm();
  const before = memoryUsed();
  const [build, index] = await cpu(() => module.build(files));
  const memory = memoryUsed() - before;
  const queries = async (on) => {
    const times = [];
    for (const query of QUERIES) times.push((await cpu(() => module.search(on, query)))[0]);
    return times;
  };
  const first = await queries(index);
  const repeated = [];
  for (let round = 0; round < 5; round++) repeated.push(...(await queries(index)));
  const edited = (at) => ({
    ...files[(at * 17) % size],
    text: `${files[(at * 17) % size].text}\nconst changedNumber${at} = true;\n`,
  });
  const updates = [];
  for (let at = 0; at < 30; at++) updates.push((await cpu(() => module.update(index, [edited(at)])))[0]);
  const [hundred] = await cpu(() =>
    module.update(
      index,
      Array.from({ length: 100 }, (_, at) => edited(at + 30)),
    ),
  );
  const saved = await module.save(index);
  const [load, loaded] = await cpu(() => module.load(saved, files));
  const [afterLoad] = await cpu(() => module.search(loaded, QUERIES[0]));
  return {
    "build, s": build / 1000,
    "memory, MB": memory,
    "query, first": median(first),
    "query, repeated": median(repeated),
    "slowest repeated": Math.max(...repeated),
    "update of a file": median(updates),
    "update of 100": hundred,
    "stored, MB": module.size(saved) / 1e6,
    load: load,
    "load, % of build": (100 * load) / build,
    "query after load": afterLoad,
  };
}

const number = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const [child] = option("child", "");
if (child !== "") {
  console.log(JSON.stringify(await measure(child, Number(option("sizes", "5000")[0]))));
} else {
  for (const size of option("sizes", "5000,25000")) {
    const files = corpus(Number(size));
    console.log(
      `\n${files.length} files, ${megabytes(files).toFixed(1)} MB; CPU milliseconds where no unit is named, in brackets against espalier\n`,
    );
    const results = {};
    for (const name of option("modules", "espalier,minisearch,orama")) {
      const args = [
        "--expose-gc",
        "--max-old-space-size=12000",
        fileURLToPath(import.meta.url),
        `--child=${name}`,
        `--sizes=${size}`,
      ];
      try {
        results[name] = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e8 }));
      } catch (error) {
        console.log(`${name} failed: ${String(error.stderr ?? error.message).slice(0, 300)}`);
      }
    }
    const names = Object.keys(results);
    if (names.length === 0) continue;
    console.log(`| | ${names.join(" | ")} |\n| --- |${names.map(() => " --- |").join("")}`);
    for (const row of Object.keys(results[names[0]])) {
      const base = results.espalier?.[row];
      const cells = names.map(
        (name) =>
          number(results[name][row]) + (name === "espalier" || !base ? "" : ` (${number(results[name][row] / base)}×)`),
      );
      console.log(`| ${row} | ${cells.join(" | ")} |`);
    }
  }
}
