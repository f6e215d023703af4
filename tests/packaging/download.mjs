/** What a page downloads that imports the package's files as they are: JavaScript and engine, by brotli. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { sizes } from "../../scripts/lib.mjs";

/**
 * Entries, engines, and the maximum of bytes: a little above what it is. What adds more says why here. 2026-11,
 * before JavaScript was minified: 48, 993 and 1,367 kB; since then 47, 979 and 1,340 kB. With the state of
 * conversations in the engine: 47, 993 and 1,353 kB; with the rules of providers in pruning and compaction 47, 1,001
 * and 1,361 kB, then 47, 999 and 1,358 kB; with reducers of outputs, the table of models (23 kB) and the formats of
 * LangChain and of the OpenAI Agents SDK (3 kB) 47, 1,025 and 1,385 kB; with limits that are not tokens, budgets of
 * tool definitions, windows of local servers and the bill of a session 47, 1,030 and 1,398 kB; with the longest answers
 * of models (1 kB), tools within a share of a conversation's limit and limits of prompt trees 47, 1,033 and 1,401 kB;
 * with lines of 500 characters (2 kB) and the mended faults of November 2026 47, 1,037 and 1,407 kB, with those of
 * documents, outputs and records 48, 1,041 and 1,411 kB; 72 bytes of counting are files by path in Node. With lines of
 * earlier results and places of errors in the engine (10 kB) 48, 1,053 and 1,425 kB. With letters of JSON, lines of
 * cells and runs that count on 49, 1,090 and 1,461 kB; without the standard sorts of nine lists, and with documents by
 * their bytes and pages, 49, 1,083 and 1,455 kB. Errors that say which file is no engine and why a content script may
 * not compile it, files beside classic scripts, downloads that run side by side: 0.4 kB. Copies from the storages of
 * SDKs, pictures of Ollama and answers in JSON 0.9 kB; sessions of Mistral Vibe and Hermes 1.1 kB. Languages of
 * constraints and errors in the engine 6 kB; sessions of Kiro, Inspect AI, Crush and OpenTelemetry 3 kB. Messages that
 * are read once for a compaction 6 kB. Wordings of refusals, and compactions of held messages: 1.4 kB.
 */
const DOWNLOADS = {
  "count alone": { entries: ["count"], engines: ["count"], max: 49_900 },
  prune: { entries: ["index"], engines: ["espalier"], max: 1_114_000 },
  everything: {
    entries: ["slim", "index", "prompt-tsx", "providers", "sessions", "search", "inline-context"],
    engines: ["espalier", "workspace"],
    max: 1_501_000,
  },
};

/** The files that a page loads for some entries: all static imports, each once. */
async function loadedFiles(dist, entries) {
  const { metafile } = await build({
    stdin: { contents: entries.map((entry) => `import "./${entry}";`).join("\n"), resolveDir: dist },
    absWorkingDir: dist,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    ignoreAnnotations: true,
    logLevel: "silent",
  });
  const files = new Set(["<stdin>"]);
  for (const file of files) {
    const { imports } = metafile.inputs[file];
    const now = imports.filter(
      ({ kind, external, path }) => kind === "import-statement" && !external && path[0] !== "<",
    );
    now.forEach(({ path }) => files.add(path));
  }
  files.delete("<stdin>");
  return [...files];
}

/** The file of an entry as a page loads it. */
const OF_PAGES = { slim: "slim.js", providers: "providers.js", sessions: "sessions.js" };

async function bytes(dist, { entries, engines }) {
  const files = await loadedFiles(
    dist,
    entries.map((entry) => OF_PAGES[entry] ?? `${entry}-web.js`),
  );
  const all = [...files, ...engines.map((name) => `${name}.wasm`)];
  return all.reduce((sum, file) => sum + sizes(join(dist, file)).brotli, 0);
}

export const downloadCases = ({ consumer, run }) => {
  const dist = join(consumer, "node_modules", "espalier", "dist");
  return {
    ...Object.fromEntries(
      Object.entries(DOWNLOADS).map(([what, download]) => [
        `a page that uses ${what} downloads no more than it should`,
        async () => {
          const size = await bytes(dist, download);
          assert.ok(size <= download.max, `${size} bytes`);
        },
      ]),
    ),

    async "stacks name the sources, by source maps"() {
      const code = 'import { prune } from "espalier"; prune([], { budget: -1 });';
      const args = ["--enable-source-maps", "--input-type=module", "--eval", code];
      const { stderr } = await run(process.execPath, args);
      assert.match(stderr, /js\/calls\/prune\.ts:\d+/);
    },

    async "source maps hold sources and no engine"() {
      const maps = readdirSync(dist).filter((file) => file.endsWith(".map"));
      assert.ok(maps.length > 50, `${maps.length} source maps`);
      for (const file of maps) {
        const { sources, sourcesContent } = JSON.parse(readFileSync(join(dist, file), "utf8"));
        sources.forEach((name, index) => {
          const text = sourcesContent[index];
          assert.ok(name.startsWith("bytes:") ? text === "" : text.length < 200_000, `${file}: ${name}`);
        });
      }
    },
  };
};
