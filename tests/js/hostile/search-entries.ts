/** `espalier/search`. */

import type * as Search from "../../../js/entries/search.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as searchBundle from "../../../pkg/dist/search-node.js";
import { methods, using } from "./entry.ts";
import type { Entry } from "./entry.ts";

const s = searchBundle as typeof Search;

const onIndex = methods("search.index", (name, args) =>
  indexed({ source: s.memoryFiles(files()) }, async (index) => {
    await index.sync();
    return (index as any)[name](...args);
  }),
);

export const SEARCH: readonly Entry[] = [
  {
    name: "search.openMessageIndex",
    args: () => [[{ id: "m0", number: 0, round: 0, role: "user", about: "", text: "Fix it." }], "fix", {}],
    options: "maxResults",
    run: (messages, query, options) =>
      withMessageIndex((index) => {
        index.put(messages);
        return index.search(query, options);
      }),
  },
  {
    name: "search.messageIndex.remove",
    args: () => [["m0"]],
    run: (ids) =>
      withMessageIndex((index) => {
        index.remove(ids);
        return index.isUsable;
      }),
  },
  {
    name: "search.memoryFiles",
    args: () => [{ "a.ts": "export const a = 1;", "b.png": new Uint8Array(2) }, {}],
    run: (files, options) => sourced(s.memoryFiles(files, options)),
    options: "rules ignoreFiles",
  },
  {
    name: "search.memoryFiles (rules)",
    args: () => [{ binary: ["png"], larger: "cut" }],
    run: (rules) => sourced(s.memoryFiles({ "a.ts": "x" }, { rules })),
    options: "generated folders names maxBytes binaryBytes minifiable maxLineLength maxAverageLineLength ignore",
  },
  {
    name: "search.nodeFiles",
    args: () => ["tests/js/hostile/no-such-folder", { delayMs: 5 }],
    run: (roots, options) => typeof s.nodeFiles(roots, options).list,
    options: "rules ignoreFiles",
  },
  {
    name: "search.vscodeFiles",
    args: () => [vscode(), {}],
    run: (api, options) => sourced(s.vscodeFiles(api, options)),
    options: "rules ignoreFiles settings unsaved delayMs",
  },
  {
    name: "search.browserFiles",
    args: () => [[new File(["export const a = 1;"], "a.ts", { lastModified: 1 })], {}],
    run: (input, options) => sourced(s.browserFiles(input, options)),
    options: "rules ignoreFiles pollMs",
  },
  {
    name: "search.openIndex",
    args: () => [
      {
        profile: "espalier",
        encoding: "o200k_base",
        maxChunkTokens: 100,
        sliceMs: 8,
        source: s.memoryFiles(files()),
        storage: s.memoryStorage(),
      },
    ],
    run: (options) => indexed(options, (index) => index.sync()),
    options: "definitions embeddings onWarning vocabulary worker",
  },
  {
    name: "search.openIndex (embeddings)",
    args: () => [
      {
        embed: async (texts: string[]) => texts.map((text) => [text.length, 1]),
        model: "m",
        batchSize: 2,
        concurrency: 1,
        timeoutMs: 50,
      },
    ],
    run: (embeddings) => indexed({ source: s.memoryFiles(files()), embeddings }, (index) => index.sync()),
  },
  onIndex(
    "put",
    () => [[{ path: "c.ts", text: "const c = 3;", version: "1", definitions: [] }], {}],
    "signal onProgress",
  ),
  onIndex("sync", () => [{}], "signal onProgress"),
  onIndex("refresh", () => [["a.ts"], {}], "signal onProgress"),
  onIndex("remove", () => [["a.ts"]]),
  onIndex("save", () => [{}], "signal onProgress"),
  onIndex(
    "search",
    () => ["const a", { budget: 100 }],
    "maxResults maxSpread contributions filter remote remoteTimeoutMs embeddingsTimeoutMs minSimilarityShare rerank rerankTimeoutMs keywords keywordsTimeoutMs fullWorkspace combine rrfK readTimeoutMs hitShare summarize summarizeTimeoutMs signal",
  ),
  { name: "search.renderHits", args: () => [[{ rendered: "`a.ts`, line 1\n```ts\nx\n```\n" }]], run: s.renderHits },
];

function files(): Record<string, string> {
  return { "a.ts": "export const a = 1;", "b.ts": "export const b = 2;" };
}

/** Returns the result of an operation on an index, and the index's answers afterwards, without times. */
async function indexed(options: object, work: (index: Search.WorkspaceIndex) => Promise<object>): Promise<unknown> {
  const opened = await s.openIndex(options as Search.IndexOptions);
  return using(opened, async (index) => {
    const result = await work(index);
    const { hits } = await index.search("export const");
    return { ...result, ms: 0, tried: [], found: hits.map(({ path }) => path) };
  });
}

async function withMessageIndex(work: (index: Awaited<ReturnType<typeof s.openMessageIndex>>) => unknown) {
  return using(await s.openMessageIndex(), work);
}

/** Returns an editor with an empty workspace. */
function vscode() {
  const fs = {
    readDirectory: async () => [],
    stat: async () => ({ type: 2, size: 0, mtime: 0 }),
    readFile: async () => new Uint8Array(),
  };
  return { workspace: { workspaceFolders: [], fs, textDocuments: [] } };
}

/** Returns everything that a source reports. */
async function sourced(source: Search.FileSource): Promise<unknown> {
  const said: unknown[] = [];
  for await (const file of source.list({ note: (note) => said.push(note) }))
    said.push(file, await source.read(file.path));
  return said;
}
