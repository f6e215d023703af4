// Documents, Espalier beside web-tree-sitter: `node benches/documents/run.mjs` after `npm run build`.
// CPU milliseconds, medians of interleaved runs, so that what else the machine does hits both.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Language, Parser } from "web-tree-sitter";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = new URL("../../pkg/dist/", import.meta.url);
const { count: countTokens, documentStructure, documentStructureSync, summarizeDocumentSync, summarizeDocuments } = await import(new URL("node.js", dist).href);
const { summarizeCompatible } = await import(new URL("core.js", dist).href);
const ROUNDS = Number(process.argv.find((argument) => argument.startsWith("--rounds="))?.split("=")[1] ?? 25);

/** Our own sources, up to about 5,000 lines. */
function sources() {
  const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((item) => (item.isDirectory() ? files(join(folder, item.name)) : [join(folder, item.name)]));
  let text = "";
  for (const file of files(join(root, "js")).filter((file) => file.endsWith(".ts")).sort()) {
    const more = readFileSync(file, "utf8");
    if (text.length + more.length > 228_000) break;
    text += more;
  }
  return text;
}

const functions = (count) => Array.from({ length: count }, (_, i) => `function f${i}(a) {\n  return a + ${i};\n}\n`).join("");
const nested = (depth) => `${"if (a) {\n".repeat(depth)}x();\n${"}\n".repeat(depth)}`;

/** Runs everything in turn, round after round; the first fifth warms up. */
async function medians(runs) {
  const times = new Map(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS * 1.25; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const start = process.cpuUsage();
      await run(round);
      const { user, system } = process.cpuUsage(start);
      if (round >= ROUNDS * 0.25) times.get(name).push((user + system) / 1_000);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1].toFixed(1)]));
}

await Parser.init();
const require = createRequire(import.meta.url);
const parser = new Parser();
parser.setLanguage(await Language.load(require.resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm")));

const limits = { bytes: 1 << 26, work: 1 << 26 };
console.log(`${cpus()[0].model}, ${cpus().length} cores, node ${process.version}. CPU milliseconds, medians of ${ROUNDS} rounds.\n`);
for (const [name, text] of Object.entries({ "our sources": sources(), "6,000 functions": functions(6_000), "12,000 functions": functions(12_000), "2,000 levels": nested(2_000) })) {
  const language = "typescript";
  const count = (node) => node.children.reduce((sum, child) => sum + count(child), 1);
  const { root: structure } = await documentStructure(text, { language, mode: "compatible", limits });
  const summary = (share, more = {}, settings = {}) => summarizeCompatible([{ text, language, limits, ...more }], { limit: text.length * share, ...settings });
  // A blank more or less makes it another text.
  const other = (round) => text + " ".repeat(round + 1);
  console.log(`${name}: ${text.length} characters, ${text.split("\n").length} lines, ${name === "2,000 levels" ? "" : `${count(structure)} nodes`}`);
  console.table(await medians({
    "web-tree-sitter: parse": (round) => parser.parse(other(round)).delete(),
    "parse + structure": (round) => documentStructureSync(other(round), { language, limits }),
    "parse + structure, compatible": (round) => documentStructureSync(other(round), { language, mode: "compatible", limits }),
    "the same text again": () => documentStructureSync(text, { language, limits }),
    // Another text once more, or its structure would be known.
    "parse + structure + summary to 25 %": (round) => summarizeCompatible([{ text: `${other(round)}\n`, language, limits }], { limit: text.length / 4 }),
    "summary to 25 %, known text": () => summary(0.25),
    "summary to 75 %, known text": () => summary(0.75),
    "around a cursor, 25 %": () => summary(0.25, { selection: [text.length >> 1, text.length >> 1] }),
    "all lines numbered, 25 %": () => summary(0.25, {}, { lineNumberStyle: "full" }),
  }));
  // Exact summaries: tokens of o200k_base, a marker for everything that is missing.
  const whole = countTokens(text);
  const exact = (share, more = {}) => summarizeDocumentSync(text, { language, limits, budget: Math.floor(whole * share), ...more });
  const quarter = text.slice(0, text.indexOf("\n", text.length >> 2) + 1);
  const parts = Array.from({ length: 4 }, () => ({ text: quarter, language, limits }));
  exact(0.25);
  console.table(await medians({
    "exact: parse + structure + summary to 25 %": (round) => summarizeDocumentSync(`${other(round)}\n\n`, { language, limits, budget: Math.floor(whole / 4) }),
    "exact: 25 %, known text": () => exact(0.25),
    "exact: 75 %, known text": () => exact(0.75),
    "exact: 25 %, cursor moved": (round) => exact(0.25, { selection: Math.floor((text.length * (round + 1)) / (ROUNDS * 1.25 + 1)) }),
    "exact: 25 %, numbered lines": () => exact(0.25, { lineNumbers: true }),
    "exact: 25 %, four documents of a quarter": () => summarizeDocuments(parts, { budget: Math.floor(whole / 4) }),
    "exact: 25 %, in characters": () => summarizeDocumentSync(text, { language, limits, unit: "characters", budget: text.length >> 2 }),
    "counting the text alone": (round) => countTokens(other(round)),
  }));
}
