/**
 * On a page no call can wait for a file but an asynchronous one: each of these loads the engine and the vocabulary that
 * it needs, without `init`. Each runs in a thread of its own, in which nothing is loaded yet.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

const dist = new URL("../../../pkg/dist/", import.meta.url);

/** Entries that load an engine, and their web variants. */
const ENTRIES = [
  ...["index", "prompt", "tokens", "documents", "results", "cache", "bill", "storage", "log", "profiles"],
  ...["prompt-tsx", "langchain", "count", "search", "inline-context"],
];

const chat = `[{ role: "user", content: "Fix it." }, { role: "assistant", content: "Done." }, { role: "user", content: "Thanks." }]`;
const code = `"export function one() { return 1; }\\n"`;
const diff = `"--- a/a.ts\\n+++ b/a.ts\\n@@ -1,1 +1,1 @@\\n-export function two() { return 1; }\\n+export function one() { return 1; }\\n"`;
const vocabulary = `entry.loadEncoding("o200k_base", new URL("vocab/o200k_base.vocab", dist))`;
/** A renderer of an empty prompt, whose host counts. */
const renderer = `new entry.PromptRenderer({ modelMaxPromptTokens: 99 }, class extends entry.PromptElement {
  render() { return undefined; }
}, {}, { mode: entry.OutputMode.Raw, tokenLength: () => 1, countMessageTokens: () => 1 })`;
const prompt = {
  renderElementJSON: `${renderer}.renderElementJSON()`,
  render: `${renderer}.render()`,
  promises: `new entry.BuiltinTokenizer({ mode: entry.OutputMode.Raw }).promises.tokenLength("Hello")`,
};

/** A call of each asynchronous function; `entry` is the module, `messages` a conversation. */
const CALLS: Record<string, Record<string, string>> = {
  index: {
    compact: `entry.compact(messages, { budget: 4_000, model: "gpt-4" })`,
    init: `entry.init()`,
    initFrom: `entry.initFrom(new URL("espalier.wasm", dist))`,
    mend: `entry.mend(messages, { provider: "anthropic" })`,
    openConversation: `entry.openConversation({ messages }).then((conversation) => conversation.prepare())`,
    render: `entry.render("Hello.", { budget: 1_000 }).catch((error) => error.code)`,
    renderRequest: `entry.renderRequest("Hello.", { budget: 1_000 }).catch((error) => error.code)`,
    request: `entry.request(messages, { budget: 4_000 }, async () => "sent")`,
    summarize: `entry.summarize(messages, { purpose: "handoff", llm: async () => ({ text: "A record." }) })`,
    toolContent: `entry.toolContent("word ".repeat(5_000), { maxTokens: 100 })`,
  },
  prompt: {
    ...prompt,
    searchMessages: `entry.searchMessages({ query: "x", hits: [{ path: "a.ts", firstLine: 0, lastLine: 0, header: "", text: "one" }] },
      { format: "openai-chat", budget: 500 })`,
  },
  tokens: { loadEncoding: vocabulary },
  documents: {
    documentStructure: `entry.documentStructure(${code}, { path: "a.ts" })`,
    loadGrammar: `entry.loadGrammar("typescript")`,
    outline: `entry.outline(${code}, { path: "a.ts" })`,
    reduceChanges: `entry.reduceChanges({ files: [{ path: "a.ts", text: ${code}, diff: ${diff} }], budget: 100 })`,
    reduceCompatible: `entry.reduceCompatible({ files: [{ path: "a.ts", text: ${code}, diff: ${diff} }], budget: 900, unit: "characters" })`,
    repositoryMap: `entry.repositoryMap([{ path: "a.ts", text: ${code} }], { budget: 100 })`,
    summarizeDocument: `entry.summarizeDocument(${code}, { path: "a.ts", budget: 50 })`,
    summarizeDocuments: `entry.summarizeDocuments([{ path: "a.ts", text: ${code} }], { budget: 50 })`,
  },
  results: {
    budgetResults: `entry.budgetResults(messages, { budget: 100 })`,
    clearResults: `entry.clearResults(messages, { budget: 100 })`,
    offload: `entry.offload("word ".repeat(9_000), { store: async () => "place" })`,
  },
  bill: { replayCost: `entry.replayCost(messages, { model: "gpt-4o" })` },
  "prompt-tsx": {
    ...prompt,
    renderPrompt: `entry.renderPrompt(class extends entry.PromptElement { render() { return undefined; } }, {},
      { modelMaxPromptTokens: 99 }, { mode: entry.OutputMode.Raw, tokenLength: () => 1, countMessageTokens: () => 1 })`,
  },
  count: { loadEncoding: vocabulary },
  search: {
    loadEncoding: vocabulary,
    openIndex: `entry.openIndex({ source: entry.memoryFiles({ "a.ts": ${code} }) })`,
    openMessageIndex: `entry.openMessageIndex()`,
  },
  "inline-context": { loadEncoding: vocabulary },
};

interface Answer {
  /** Names of the entry's asynchronous functions. */
  names: string[];
  error?: string;
  /** Files that were fetched. */
  fetched: string[];
}

/** Imports an entry in a thread of its own and makes calls, all at once. `arrival` may delay the answer for `url`. */
function onPage(entry: string, calls: readonly string[], arrival = ""): Promise<Answer> {
  const script = `
    import { readFileSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    const dist = new URL(${JSON.stringify(dist.href)});
    // As in a browser.
    process.getBuiltinModule = undefined;
    const fetched = [];
    globalThis.fetch = async (url) => {
      fetched.push(String(url).split("/").pop());
      ${arrival}
      return new Response(readFileSync(new URL(url)));
    };
    const entry = await import(new URL("${entry}-web.js", dist));
    const messages = ${chat};
    const isAsync = (value) => typeof value === "function" && value.constructor.name === "AsyncFunction";
    const names = Object.keys(entry).filter((name) => isAsync(entry[name]));
    let error;
    try { await Promise.all([${calls.join(", ")}]); } catch (caught) { error = caught.code ?? caught.message; }
    parentPort.postMessage({ names, error, fetched });`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

for (const entry of ENTRIES) {
  test(`${entry}: every asynchronous function loads what it needs`, async () => {
    const calls = CALLS[entry] ?? {};
    const { names } = await onPage(entry, []);
    const untested = names.filter((name) => calls[name] === undefined && CALLS["index"]![name] === undefined);
    assert.deepEqual(untested, [], "a call for each");
    const errors: Record<string, string> = {};
    for (const [name, call] of Object.entries(calls)) {
      const { error } = await onPage(entry, [call]);
      if (error !== undefined) errors[name] = error;
    }
    assert.deepEqual(errors, {});
  });
}

test("calls at the same time share one download of each file", async () => {
  const { compact, mend, openConversation, summarize } = CALLS["index"]!;
  const { error, fetched } = await onPage("index", [compact!, mend!, openConversation!, summarize!, compact!]);
  assert.equal(error, undefined);
  assert.deepEqual(fetched.toSorted(), ["cl100k_base.vocab", "espalier.wasm", "o200k_base.vocab"]);
});

test("init asks for engine and vocabularies at once, and for each once", async () => {
  const late = `if (String(url).endsWith(".wasm"))
    for (let wait = 0; fetched.length < 3; wait += 1)
      if (wait > 100) throw new Error("no vocabulary was asked for"); else await new Promise((resolve) => setTimeout(resolve, 20));`;
  const init = `entry.init({ encodings: ["o200k_base", "cl100k_base"] }).then(() => entry.count("one"))`;
  const { error, fetched } = await onPage("index", [init, init], late);
  assert.equal(error, undefined);
  assert.deepEqual(fetched.toSorted(), ["cl100k_base.vocab", "espalier.wasm", "o200k_base.vocab"]);
});

test("entries with engines of their own share the download of a vocabulary", async () => {
  const others = ["count", "search"].map(
    (name) => `import(new URL("${name}-web.js", dist)).then((other) => other.init().then(() => other.count?.("one")))`,
  );
  // All have started before the first download ends.
  const late = `for (let wait = 0; fetched.length < 4 && wait < 500; wait += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));`;
  const { error, fetched } = await onPage("index", ["entry.init()", ...others], late);
  assert.equal(error, undefined);
  assert.deepEqual(fetched.toSorted(), ["count.wasm", "espalier.wasm", "o200k_base.vocab", "workspace.wasm"]);
});

test("init can be called again after a vocabulary was not found", async () => {
  const once = `if (String(url).endsWith(".vocab") && !globalThis.failed) { globalThis.failed = true; throw new TypeError("offline"); }`;
  const init = `entry.init().catch((error) => entry.init()).then(() => entry.count("one"))`;
  const { error } = await onPage("index", [init], once);
  assert.equal(error, undefined);
});

test("synchronous functions demand init", async () => {
  for (const call of ["count(`x`)", "prune(messages)", "countMessages(messages)"])
    assert.match((await onPage("index", [`(async () => entry.${call})()`])).error ?? "", /not_initialized/, call);
});
