/** How a search decides, as its caller sees it: strategies, times, aborts, hostile answers. Tests set the time. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import fc from "fast-check";
import type * as Search from "../../../js/entries/search.ts";
import type { IndexOptions, SearchAnswer, SearchOptions, WorkspaceIndex } from "../../../js/search/types.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/search-node.js";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const { isEspalierError, memoryFiles, openIndex, renderHits } = bundle as typeof Search;

const FILES = [
  { path: "src/oak.ts", text: "export const oak = 'a tree with acorns';\n" },
  { path: "src/whale.ts", text: "export const whale = 'an animal';\n" },
  { path: "docs/tea.md", text: "# Tea\n\nBoil the water for the tea.\n" },
  { path: "docs/tree.md", text: "# Tree\n\nA tree has a stem. An oak is one.\n" },
];
/** No whole workspaces: these are small. */
const RANKED: SearchOptions = { fullWorkspace: false };
const TREE = "where is the oak tree";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<never>(() => {});
const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => void setTimeout(resolve, ms, value));
const fails = (ms: number, error: unknown) => new Promise<never>((_, reject) => void setTimeout(reject, ms, error));

/** Runs time until the work ends. */
async function timed<T>(work: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    let isOver = false;
    const result = work().finally(() => (isOver = true));
    result.catch(() => {});
    for (let round = 0; !isOver && round < 5_000; round += 1) {
      for (let turns = 0; turns < 4 && !isOver; turns += 1) await turn();
      if (!isOver) mock.timers.tick(50);
    }
    assert.ok(isOver, "it does not end");
    return await result;
  } finally {
    mock.timers.reset();
  }
}

async function indexOf(files = FILES, options: IndexOptions = {}): Promise<WorkspaceIndex> {
  const index = await openIndex(options);
  await index.put(files);
  return index;
}

async function search(
  options: SearchOptions,
  query = TREE,
  made: Promise<WorkspaceIndex> = indexOf(),
): Promise<SearchAnswer> {
  const index = await made;
  try {
    return await timed(() => index.search(query, { ...RANKED, ...options }));
  } finally {
    await index.dispose();
  }
}

const paths = ({ hits }: SearchAnswer) => hits.map(({ path }) => path);
/** `remote timedOut, lexical won`: what began. */
const endings = ({ tried }: SearchAnswer) =>
  tried
    .filter(({ outcome, strategy }) => outcome !== "skipped" && strategy !== "read")
    .map(({ strategy, outcome }) => `${strategy} ${outcome}`)
    .join(", ");
const why = ({ tried }: SearchAnswer, strategy: string) => tried.find((one) => one.strategy === strategy)?.why;

async function refused(run: Promise<unknown>, code: string, message: RegExp, path?: string): Promise<void> {
  await assert.rejects(run, (error: unknown) => {
    assert.ok(isEspalierError(error), String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    assert.match(error.message, message);
    return true;
  });
}

test("words alone", async () => {
  const answer = await search({});
  assert.deepEqual([answer.strategy, answer.words, endings(answer)], ["lexical", TREE, "lexical won"]);
  assert.deepEqual(paths(answer).slice(0, 2).sort(), ["docs/tree.md", "src/oak.ts"]);
  const skipped = answer.tried
    .filter(({ outcome }) => outcome === "skipped")
    .map(({ strategy, why }) => `${strategy}: ${why}`);
  assert.deepEqual(skipped, [
    "fullWorkspace: it is turned off",
    "remote: no remote callback was given",
    "embeddings: the index has no embed callback",
    "keywords: no keywords callback was given",
    "rerank: no rerank callback was given",
  ]);
  assert.deepEqual(
    answer.hits.map(({ rank }) => rank),
    answer.hits.map((_, at) => at),
  );
  assert.equal(answer.hits[0]!.isCut, false);
  assert.equal(renderHits(answer.hits).endsWith(answer.hits[0]!.rendered), true);
});

test("a small workspace is returned whole", async () => {
  const whole = { fullWorkspace: { files: 10, tokens: 1_000 } };
  const answer = await search({ ...whole, remote: never });
  assert.deepEqual([answer.strategy, endings(answer)], ["fullWorkspace", "fullWorkspace won"]);
  // Those with words of the query first.
  assert.deepEqual(paths(answer), ["docs/tree.md", "src/oak.ts", "docs/tea.md", "src/whale.ts"]);
  assert.equal(
    answer.hits[2]!.rendered,
    "`docs/tea.md`, lines 1-3\n```md\n# Tea\n\nBoil the water for the tea.\n```\n",
  );
  assert.deepEqual(paths(await search({ ...whole, filter: (path) => path.startsWith("src/") })), [
    "src/oak.ts",
    "src/whale.ts",
  ]);
  for (const other of [
    { fullWorkspace: { files: 4, tokens: 1_000 } },
    { fullWorkspace: { files: 10, tokens: 20 } },
    { ...whole, budget: 50 },
  ]) {
    assert.equal((await search(other)).strategy, "lexical", JSON.stringify(other));
  }
  assert.equal((await search({ fullWorkspace: undefined })).strategy, "fullWorkspace");
});

test("a remote search", async () => {
  const hit = { path: "src/whale.ts", start: 0, end: 12, score: 0.5 };
  const inTime = await search({
    remote: (query, { maxResults }) => after(12_000, query === TREE && maxResults === 128 ? [hit] : []),
  });
  assert.deepEqual([inTime.strategy, endings(inTime), inTime.hits[0]!.text], ["remote", "remote won", "export const"]);
  const late = await search({ remote: () => after(13_000, [hit]) });
  assert.deepEqual([late.strategy, endings(late)], ["lexical", "remote timedOut, lexical won"]);
  assert.equal(why(late, "remote"), "no answer within 12500 ms");
  const beside = await search({ remote: () => after(13_000, [hit]), keywords: never });
  assert.deepEqual([beside.strategy, endings(beside)], ["remote", "remote won, keywords cancelled"]);
  assert.equal(why(beside, "keywords"), "remote was first");
  const soon = await search({ remote: never, remoteTimeoutMs: 100 });
  assert.equal(soon.tried.find(({ strategy }) => strategy === "lexical")!.startMs, 100);
  for (const [remote, reason] of [
    [() => fails(10, new Error("401")), "401"],
    [() => fails(10, undefined), "undefined"],
    [() => fails(10, Object.create(null)), "it threw something that cannot be shown"],
    [
      () => {
        throw new TypeError("no token");
      },
      "no token",
    ],
    [async () => [], "it found nothing"],
  ] as const) {
    const answer = await search({ remote });
    assert.deepEqual([answer.strategy, why(answer, "remote")], ["lexical", reason]);
  }
});

test("hostile answers of a remote search", async () => {
  const good = { path: "docs/tea.md", start: 7, end: 34 };
  const of = async (hits: unknown) => search({ remote: () => hits as never });
  for (const [given, reason] of [
    [undefined, "remote must return a list of hits"],
    [{ length: 1 }, "remote must return a list of hits"],
    [
      [null, 1, "x", {}, { ...good, start: -1 }, { ...good, end: 2 }, { ...good, start: "1" }, { ...good, end: NaN }],
      "remote must return hits with path, start and end",
    ],
    [[{ ...good, path: "../../etc/passwd" }], "no hit of remote is in a file of the index"],
  ] as const) {
    const answer = await of(given);
    assert.deepEqual([answer.strategy, why(answer, "remote")], ["lexical", reason]);
  }
  const mixed = await of([
    { ...good, path: "gone.md" },
    null,
    { ...good, score: NaN },
    good,
    { ...good, start: 30, end: 1e15, score: 2 },
    { ...good, start: 900, end: 1e15 },
  ]);
  assert.deepEqual(
    [mixed.strategy, paths(mixed), mixed.hits[0]!.text],
    ["remote", ["docs/tea.md"], "Boil the water for the tea."],
  );
  assert.ok(mixed.hits.every(({ score }) => Number.isFinite(score)));
  assert.deepEqual(
    mixed.leftOut.map(({ path, why }) => `${path} ${why}`),
    ["gone.md unknown", "docs/tea.md range"],
  );
  assert.ok(mixed.leftOut.every(({ firstLine, lastLine }) => firstLine <= lastLine));
  const filtered = await search({ remote: () => [good], filter: (path) => path.startsWith("src/") });
  assert.deepEqual([filtered.strategy, paths(filtered)], ["lexical", ["src/oak.ts"]]);
  const many = await search({
    remote: () => Array.from({ length: 5_000 }, (_, at) => ({ ...good, start: at % 20 })),
    maxResults: 3,
  });
  assert.equal(many.hits.length, 1);
});

/** Vectors that say which of three words a text has. */
const embed = async (texts: readonly string[]) =>
  texts.map((text) => ["tree", "whale", "tea"].map((word) => (text.includes(word) ? 1 : 0.01)));
const embedded = (query: (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>) =>
  indexOf(FILES, {
    embeddings: {
      model: "test",
      embed: (texts, { kind, signal }) => (kind === "chunks" ? embed(texts) : query(texts, signal)),
    },
  });

test("embeddings", async () => {
  const near = await search({}, "whale", embedded(embed));
  assert.deepEqual([near.strategy, endings(near), paths(near)], ["embeddings", "embeddings won", ["src/whale.ts"]]);
  assert.ok(near.leftOut.length > 0 && near.leftOut.every(({ why }) => why === "spread"));
  const all = await search({ minSimilarityShare: 0 }, "whale", embedded(embed));
  assert.equal(all.hits.length, 4);
  for (const [query, ending, reason] of [
    [never, "embeddings timedOut", "no answer within 8000 ms"],
    [() => fails(10, new Error("429")), "embeddings failed", "429"],
    [async () => [[NaN, 1, 1]], "embeddings failed", /not a finite number/],
    [async () => [[1, 1]], "embeddings failed", /2 dimensions among those of 3/],
    [async () => [], "embeddings failed", /0 vectors for 1 texts/],
  ] as const) {
    const answer = await search({}, "whale", embedded(query as never));
    assert.deepEqual([answer.strategy, endings(answer)], ["lexical", `${ending}, lexical won`]);
    if (typeof reason === "string") assert.equal(why(answer, "embeddings"), reason);
    else assert.match(why(answer, "embeddings")!, reason);
  }
  const fused = await search({ combine: "fuse" }, "whale animal tea", embedded(embed));
  assert.deepEqual([fused.strategy, endings(fused)], ["fused", "embeddings won, lexical won"]);
  assert.equal(fused.hits.length >= 2, true);
  // The vector is asked for while the remote search runs.
  const started: number[] = [];
  const both = await search(
    { remote: () => after(500, []) },
    "whale",
    embedded((texts) => (started.push(Date.now()), embed(texts))),
  );
  assert.deepEqual([both.strategy, started.length], ["embeddings", 1]);
});

test("keywords", async () => {
  const of = (keywords: unknown) => search({ keywords: (() => keywords) as never });
  const given = await of([{ keyword: "whale", variations: ["whales", "\ud800"] }, "sea"]);
  assert.deepEqual([given.words, paths(given)], ["whale, whales, \ufffd, sea", ["src/whale.ts"]]);
  for (const wrong of [
    undefined,
    "oak",
    [1],
    [null],
    [{}],
    [{ keyword: 1 }],
    [{ keyword: "a", variations: "b" }],
    [{ keyword: "a", variations: [1] }],
    [],
    [" "],
  ]) {
    const answer = await of(wrong);
    assert.deepEqual([answer.words, endings(answer)], [TREE, "keywords failed, lexical won"], JSON.stringify(wrong));
  }
  const late = await search({ keywords: never, keywordsTimeoutMs: 300 });
  assert.deepEqual([late.words, endings(late)], [TREE, "keywords timedOut, lexical won"]);
});

test("a reranker", async () => {
  const old = paths(await search({}));
  const of = (order: unknown) => search({ rerank: (() => order) as never });
  const seen: unknown[] = [];
  const swapped = await search({ rerank: async (query, chunks) => (seen.push(query, chunks), [1]) });
  assert.deepEqual(paths(swapped), [old[1], old[0], ...old.slice(2)]);
  assert.deepEqual([seen[0], (seen[1] as { path: string }[]).map(({ path }) => path)], [TREE, old]);
  assert.ok((seen[1] as { text: string }[]).every(({ text }) => text.length > 10));
  for (const [order, ending] of [
    [[], "done"],
    [[0, 0, 1], "done"],
    [[NaN, 0.5, -1, 99, 0], "done"],
    [[99], "failed"],
    [[NaN], "failed"],
    [["1"], "failed"],
    [undefined, "failed"],
    [{ 0: 1 }, "failed"],
  ] as const) {
    const answer = await of(order);
    assert.deepEqual([paths(answer), endings(answer)], [old, `lexical won, rerank ${ending}`], JSON.stringify(order));
  }
  const late = await search({ rerank: never, rerankTimeoutMs: 1_000 });
  assert.deepEqual([paths(late), endings(late)], [old, "lexical won, rerank timedOut"]);
});

test("callbacks that answer twice, or after the end", async () => {
  const hit = { path: "src/whale.ts", start: 0, end: 12 };
  const twice = {
    then: (resolve: (hits: unknown) => void) => void (resolve([hit]), resolve([]), resolve([hit, hit])),
  };
  const answer = await search({ remote: () => twice as never });
  assert.deepEqual(paths(answer), ["src/whale.ts"]);
  let signal: AbortSignal | undefined;
  const index = await indexOf();
  await timed(async () => {
    const late = index.search(TREE, {
      ...RANKED,
      remoteTimeoutMs: 10,
      remote: (_, options) => ((signal = options.signal), after(2_000, [hit])),
    });
    assert.equal((await late).strategy, "lexical");
    assert.equal((signal!.reason as { code: string }).code, "cancelled");
    await after(3_000, undefined);
    assert.equal((await index.search(TREE, RANKED)).strategy, "lexical");
  });
  await index.dispose();
});

test("an abort cancels everything", async () => {
  const index = await embedded((_, signal) => (signals.push(signal), never()));
  let signals: AbortSignal[] = [];
  const hang = (_: unknown, other: unknown, last?: unknown) => (
    signals.push(((last ?? other) as { signal: AbortSignal }).signal), never()
  );
  const reason = new Error("the user typed on");
  const hanging: Record<string, SearchOptions> = {
    remote: { remote: hang as never },
    embeddings: {},
    keywords: { keywords: hang as never, embeddingsTimeoutMs: 0 },
    rerank: { rerank: hang as never, embeddingsTimeoutMs: 0 },
    both: { remote: hang as never, remoteTimeoutMs: 0 },
    summarize: {
      summarize: ((_: unknown, { signal }: { signal: AbortSignal }) => (signals.push(signal), never())) as never,
      embeddingsTimeoutMs: 0,
      budget: 12,
    },
  };
  for (const [name, options] of Object.entries(hanging)) {
    signals = [];
    const controller = new AbortController();
    const run = timed(async () => {
      const answer = index.search(`${TREE} ${name}`, { ...RANKED, ...options, signal: controller.signal });
      setTimeout(() => controller.abort(reason), 200);
      return answer;
    });
    await assert.rejects(run, reason, name);
    assert.ok(signals.length > 0 && signals.every((signal) => signal.aborted), name);
  }
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(index.search(TREE, { signal: aborted }), reason);
  assert.equal((await timed(() => index.search(TREE, { ...RANKED, embeddingsTimeoutMs: 0 }))).strategy, "lexical");
  await index.dispose();
});

test("nothing to search, and nothing found", async () => {
  const empty = await search({ remote: never }, TREE, indexOf([]));
  assert.deepEqual([empty.strategy, empty.hits, why(empty, "remote")], ["none", [], "there is no file to search"]);
  const blank = await search({ remote: never }, " \n");
  assert.deepEqual([blank.strategy, blank.hits, why(blank, "lexical")], ["none", [], "the query is empty"]);
  const none = await search({}, "xylophone");
  assert.deepEqual([none.strategy, none.hits, why(none, "lexical")], ["none", [], "it found nothing"]);
  const huge = await search({}, `${"word ".repeat(200_000)} oak`);
  assert.equal(huge.hits[0]!.path, "src/oak.ts");
  assert.equal((await search({}, "oak \ud800")).strategy, "lexical");
  const broken = {
    filter: () => {
      throw new Error("no such folder");
    },
    remote: () => fails(5, new Error("401")),
  };
  for (const fullWorkspace of [false, undefined] as const) {
    await refused(
      search({ ...broken, fullWorkspace }),
      "search_failed",
      /^Nothing could be searched\. remote: 401; lexical: no such folder$/,
    );
  }
});

test("options that make no sense", async () => {
  const index = await indexOf();
  for (const [options, path] of [
    [{ budget: -1 }, "options.budget"],
    [{ budget: 1.5 }, "options.budget"],
    [{ maxResults: 0 }, "options.maxResults"],
    [{ maxSpread: 2 }, "options.maxSpread"],
    [{ remote: 1 }, "options.remote"],
    [{ remoteTimeoutMs: -1 }, "options.remoteTimeoutMs"],
    [{ rerankTimeoutMs: Infinity }, "options.rerankTimeoutMs"],
    [{ combine: "both" }, "options.combine"],
    [{ fullWorkspace: true }, "options.fullWorkspace"],
    [{ fullWorkspace: { files: 1, token: 1 } }, "options.fullWorkspace.token"],
    [{ signal: {} }, "options.signal"],
    [{ hitShare: NaN }, "options.hitShare"],
    [{ rrfK: -1 }, "options.rrfK"],
    [{ contributions: 1 }, "options.contributions"],
    [{ budgett: 1 }, "options.budgett"],
  ] as const) {
    await refused(index.search(TREE, options as never), "bad_option", /options/, path);
  }
  await refused(index.search(1 as never), "bad_input", /query/, "query");
  assert.throws(() => renderHits([{}] as never), /hits must be the hits of a search/);
  await index.dispose();
});

test("the budget is filled exactly", async () => {
  const lines = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, at) => `  tree.grow(${from + at}, "oak ${at}"); // élan ${"`".repeat(at % 5)}\n`,
    ).join("");
  const files = Array.from({ length: 12 }, (_, at) => ({
    path: `src/${at}.ts`,
    text: `function grow${at}() {\n${lines(at, 5 + 15 * at)}}\n`,
  }));
  const index = await indexOf(files);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 9_000 }),
      fc.integer({ min: 1, max: 60 }),
      async (budget, maxResults) => {
        const answer = await index.search("oak tree grow", { ...RANKED, budget, maxResults });
        const text = renderHits(answer.hits);
        assert.equal(espalier.count(text), answer.tokens);
        assert.equal(espalier.count(answer.hits.map(({ rendered }) => rendered).join("")), answer.tokens);
        assert.ok(answer.tokens <= budget);
        for (const hit of answer.hits) {
          const source = files.find(({ path }) => path === hit.path)!.text;
          assert.equal(source.slice(hit.start, hit.end), hit.text);
          assert.equal(source.slice(0, hit.start).split("\n").length - 1, hit.firstLine);
          assert.ok(hit.rendered.includes(hit.text));
        }
        // What is left is less than the heading of one more hit.
        if (answer.leftOut.some(({ why }) => why === "budget") && budget > 100)
          assert.ok(budget - answer.tokens < 60, `${answer.tokens} of ${budget}`);
      },
    ),
    { numRuns: runs(60), seed: 1 },
  );
  await index.dispose();
});

test("large hits are summarised or cut", async () => {
  const text = Array.from({ length: 400 }, (_, at) => `line ${at} of the oak\n`).join("");
  const big = [{ path: "big.md", text }, ...FILES];
  const remote = () => [
    { path: "big.md", start: 0, end: text.length },
    { path: "docs/tea.md", start: 0, end: 34 },
  ];
  const cut = await search({ remote, budget: 1_200 }, TREE, indexOf(big));
  assert.deepEqual(
    cut.hits.map(({ path, isCut }) => `${path} ${isCut}`),
    ["big.md true", "docs/tea.md false"],
  );
  assert.ok(cut.tokens <= 1_200 && cut.tokens > 1_180, String(cut.tokens));
  assert.match(cut.hits[0]!.text, /^line 0 of the oak\n[^]*line \d+ of the oak$/);
  const asked: unknown[] = [];
  const summarize: SearchOptions["summarize"] = async (hit) => (
    asked.push({ ...hit, text: hit.text.length }), "line 0 … line 399"
  );
  const short = await search({ remote, budget: 1_200, summarize }, TREE, indexOf(big));
  const { budget, ...hit } = asked[0] as { budget: number };
  assert.deepEqual(hit, { path: "big.md", text: text.length, start: 0, end: text.length });
  assert.ok(budget > 550 && budget < 600);
  assert.deepEqual(
    [short.hits[0]!.text, short.hits[0]!.isCut, endings(short)],
    ["line 0 … line 399", true, "remote won, summarize done"],
  );
  for (const [bad, outcome] of [
    [
      () => {
        throw new Error("no grammar");
      },
      "failed",
    ],
    [() => 1, "failed"],
    [() => "", "failed"],
    [never, "timedOut"],
    [() => "far too long ".repeat(900), "done"],
  ] as const) {
    const answer = await search({ remote, budget: 1_200, summarize: bad as never }, TREE, indexOf(big));
    assert.deepEqual([endings(answer), answer.hits[0]!.text], [`remote won, summarize ${outcome}`, cut.hits[0]!.text]);
  }
});

test("files that changed or went since they were indexed", async () => {
  const files = new Map(FILES.map(({ path, text }) => [path, text]));
  const source = {
    list: () => [...files].map(([path, text]) => ({ path, version: String(text.length) })),
    read: async (path: string) => {
      const text = files.get(path);
      if (path === hangs) return never();
      return text === undefined ? { path, reason: "gone" as const } : { text, version: String(text.length) };
    },
  };
  let hangs = "";
  const index = await openIndex({ source });
  await index.sync();
  files.set("src/oak.ts", `// A new first line.\n${files.get("src/oak.ts")}`);
  files.delete("docs/tree.md");
  const answer = await index.search("oak tree", RANKED);
  assert.deepEqual(paths(answer), ["src/oak.ts"]);
  assert.match(answer.hits[0]!.text, /acorns/);
  assert.deepEqual(
    answer.leftOut.map(({ path, why }) => `${path} ${why}`),
    ["docs/tree.md gone"],
  );
  hangs = "src/oak.ts";
  const slow = await timed(() => index.search("tea acorns", { ...RANKED, readTimeoutMs: 500 }));
  assert.deepEqual(
    [paths(slow), slow.leftOut.map(({ path, why }) => `${path} ${why}`)],
    [["docs/tea.md"], ["src/oak.ts gone"]],
  );
  assert.equal(slow.tried.find(({ strategy }) => strategy === "read")!.outcome, "timedOut");
  await index.dispose();
});

test("many files with one signal cause no warning of Node about listeners", async () => {
  const warnings: string[] = [];
  const listen = ({ message }: Error) => void warnings.push(message);
  process.on("warning", listen);
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`oak${at}.md`, `An oak is tree number ${at}.`]),
  );
  const index = await openIndex({ source: memoryFiles(files) });
  try {
    const { signal } = new AbortController();
    await index.sync({ signal });
    const { hits } = await index.search(TREE, { ...RANKED, signal, rerank: async () => [1, 0] });
    assert.equal(hits.length, 60);
    await after(20, undefined);
    assert.deepEqual(warnings, []);
  } finally {
    process.off("warning", listen);
    await index.dispose();
  }
});
