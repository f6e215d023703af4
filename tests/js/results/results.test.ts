/** Long results: cut, fitted together, stored. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { count, fitResults, jsonSchema, offload, truncate } = espalier;
const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/vectors/copilot-chat/${name}.json`, import.meta.url), "utf8"));

const LOG = Array.from({ length: 3_000 }, (_, at) =>
  at % 100 === 50 ? `src/a${at}.ts(3,7): error TS2322: no good` : `   step ${at} of the build went as it should`,
).join("\n");

test("within the limit it is the very same text, else it is on the limit", () => {
  const whole = count(LOG);
  assert.deepEqual(truncate(LOG, { maxTokens: whole }).text, LOG);
  for (const limit of [0, 1, 5, 40, 200, 5_000]) {
    const short = truncate(LOG, { maxTokens: limit });
    assert.equal(short.tokens, count(short.text));
    assert.ok(short.tokens <= limit && short.before === whole);
  }
  assert.ok(truncate(LOG, { maxTokens: 1_000, snap: "characters" }).tokens >= 950);
});

test("the marker tells what is missing, in our words or the host's", () => {
  assert.match(
    truncate(LOG, { maxTokens: 300, recall: "r12" }).text,
    /\n\[cut: 2,\d{3} lines, \d\d,\d{3} tokens; recall r12\]\n/,
  );
  assert.match(truncate(LOG, { maxTokens: 300, marker: "<<gone>>" }).text, /\n<<gone>>\n/);
});

test("errors of a build survive a tenfold cut", () => {
  const short = truncate(LOG, { maxTokens: Math.floor(count(LOG) / 10), keep: "errors" });
  const errors = LOG.split("\n").filter((line) => line.includes("error"));
  assert.ok(errors.filter((line) => short.text.includes(line)).length >= 0.8 * errors.length);
  assert.ok(short.errors > 0);
});

test("JSON stays JSON, unless that is not wanted", () => {
  const text = JSON.stringify(
    { items: Array.from({ length: 400 }, (_, id) => ({ id, name: `item ${id}` })), total: 400 },
    undefined,
    2,
  );
  const short = truncate(text, { maxTokens: 500 });
  const value = JSON.parse(short.text);
  assert.deepEqual([short.json, value.total, value.items[0].id, value.items.at(-1).id], [true, 400, 0, 399]);
  assert.equal(truncate(text, { maxTokens: 500, json: false }).json, false);
});

test("Copilot Chat's rule", () => {
  const text = "line\n".repeat(4_000);
  const { text: short } = truncate(text, { maxTokens: 100, profile: "copilot-chat" });
  assert.ok(short.includes("\n[Tool response was too long and was truncated.]\n"));
  // 0 is no limit there; with our own rule nothing fits.
  const { text: whole, cut } = truncate(text, { maxTokens: 0, profile: "copilot-chat" });
  assert.deepEqual([whole === text, cut], [true, 0]);
  assert.equal(truncate(text, { maxTokens: 0 }).text, "");
});

test("lone surrogates, NUL and what is no text", () => {
  const odd = "a\ud800\0b ".repeat(2_000);
  assert.equal(truncate(odd, { maxTokens: 1e6 }).text, odd);
  assert.ok(truncate(odd, { maxTokens: 50 }).tokens <= 50);
  for (const text of [undefined, null, 5, {}, ["x"]])
    assert.throws(() => truncate(text as never, { maxTokens: 5 }), { code: "bad_input", path: "text" });
  for (const [options, path] of [
    [undefined, "options"],
    [{ maxTokens: -1 }, "options.maxTokens"],
    [{ maxTokens: 1.5 }, "options.maxTokens"],
    [{ maxTokens: NaN }, "options.maxTokens"],
    [{ maxTokens: "5" }, "options.maxTokens"],
    [{ maxTokens: 5, headShare: 2 }, "options.headShare"],
    [{ maxTokens: 5, keep: "all" }, "options.keep"],
    [{ maxTokens: 5, snap: 1 }, "options.snap"],
    [{ maxTokens: 5, json: "yes" }, "options.json"],
    [{ maxTokens: 5, recall: 7 }, "options.recall"],
  ] as const)
    assert.throws(() => truncate("x", options as never), { code: "bad_option", path });
});

test("one water level for all results", () => {
  assert.deepEqual(
    fitResults(
      [
        { tokens: 900, age: 1 },
        { tokens: 50, age: 1 },
        { tokens: 900, age: 0 },
      ],
      { budget: 650 },
    ),
    { caps: [200, 50, 400], level: 100 },
  );
  assert.deepEqual(fitResults([{ tokens: 10, age: 0 }], { budget: 10 }), { caps: [10] });
  const fallen = fitResults(
    [
      { tokens: 900, age: 0 },
      { tokens: 900, age: 0 },
    ],
    { budget: 790, level: 100 },
  );
  assert.equal(fallen.level, 80);
  assert.throws(() => fitResults([{ tokens: 1.5, age: 0 }], { budget: 1 }), {
    code: "bad_option",
    path: "results[0].tokens",
  });
});

test("schemas", () => {
  assert.deepEqual(jsonSchema("[1,2]"), { type: "array", items: { type: "integer" }, "x-count": 2 });
  assert.deepEqual(jsonSchema('{"a":1}\n{"a":2}'), {
    type: "object",
    properties: { a: { type: "integer" } },
    required: ["a"],
  });
  assert.equal(jsonSchema("plain"), undefined);
  for (const { input, schema, quirk } of vectors("json-schema").cases) {
    // There the first list alone says what items are.
    if (quirk !== undefined) continue;
    assert.deepEqual(jsonSchema(JSON.stringify(input), { profile: "copilot-chat" }), schema, JSON.stringify(input));
  }
});

/** A result as the vectors describe it. */
function content(recipe: any, bigJson: string): string {
  if (recipe.literal !== undefined) return recipe.literal;
  if (recipe.repeat) return recipe.repeat[0].repeat(recipe.repeat[1]);
  if (recipe.json) return bigJson;
  return recipe.concat.map((part: any) => content(part, bigJson)).join("");
}

test("storing as Copilot Chat does it", async () => {
  const { cases, exemptTools } = vectors("large-tool-result");
  assert.deepEqual(exemptTools, ["search_subagent", "explore_subagent", "execution_subagent", "memory"]);
  const bigJson = JSON.stringify({
    items: Array.from({ length: 300 }, (_, id) => ({ id, name: `item ${id}`, tags: id % 2 ? ["a"] : [] })),
    total: 300,
  });
  const same = (text: string, wanted: any) =>
    typeof wanted === "string"
      ? assert.equal(text, wanted)
      : assert.deepEqual(
          [text.length, createHash("sha256").update(text).digest("hex")],
          [wanted.length, wanted.sha256],
        );
  for (const { name, content: recipe, disk, out, written } of cases) {
    // Without a session or the setting the host does not ask at all; the cut by length / 4 is that of another
    // tokenizer.
    if (!disk.enabled || !disk.sessionId || !disk.toolCallId || disk.fail) continue;
    const files: Record<string, string> = {};
    const { text } = await offload(content(recipe, bigJson), {
      profile: "copilot-chat",
      maxInlineTokens: disk.threshold,
      tool: disk.toolName,
      store({ content, kind, schema }) {
        files[`content.${kind}`] = content;
        if (schema !== undefined) files["schema.json"] = schema;
        return {
          path: `/res/dir/content.${kind}`,
          ...(schema !== undefined && { schemaPath: "/res/dir/schema.json" }),
        };
      },
    });
    same(text, out);
    const wanted = written[0]?.files ?? {};
    assert.deepEqual(Object.keys(files).sort(), Object.keys(wanted).sort(), name);
    for (const [file, expected] of Object.entries(wanted)) {
      // Of several lists in one place the first alone counts there, and the first is empty; ours merges them.
      const merged =
        typeof expected === "string"
          ? expected.replace('"tags":{"type":"array"}', '"tags":{"type":"array","items":{"type":"string"}}')
          : expected;
      same(files[file]!, merged);
    }
  }
});

test("ours tells what is in the file", async () => {
  const text = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: `item ${id}` })));
  const stored = await offload(text, { tool: "query/db", store: ({ name }) => `/tmp/${name}` });
  assert.equal(stored.outcome, "stored");
  assert.match(stored.path!, /^\/tmp\/query_db-[0-9a-f]{32}\.json$/);
  assert.match(
    stored.text,
    /^\[Result of query\/db: [\d,]+ tokens, \d+ KB, stored in .*\. Read what you need of it with read_file\.\]\nSchema:\n\{"type":"array"/,
  );
  assert.ok(stored.text.includes('"id":0') && stored.text.includes('"name":"item 1999"') && stored.tokens < 900);
  const again = await offload(text, { tool: "query/db", store: ({ name }) => `/tmp/${name}` });
  assert.equal(again.path, stored.path);
  const lines = Array.from({ length: 3_000 }, (_, id) => JSON.stringify({ id })).join("\n");
  assert.match(
    (await offload(lines, { store: ({ kind }) => `x.${kind}` })).text,
    /stored in x\.jsonl[\s\S]*Schema of each line:/,
  );
  assert.equal((await offload(text, { tool: "memory", store: () => assert.fail() })).outcome, "kept");
  assert.equal((await offload("short", { store: () => assert.fail() })).text, "short");
});

test("a store that fails, hangs, is full or lies costs nothing", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const hangs = () => {
    setImmediate(() => mock.timers.tick(20));
    return new Promise(() => undefined);
  };
  const cases: [any, string][] = [
    [
      () => {
        throw new Error("no disk");
      },
      "store_failed",
    ],
    [() => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })), "store_failed"],
    [hangs, "store_timeout"],
    [() => undefined, "store_failed"],
    [() => ({ path: "" }), "store_failed"],
    [() => "x".repeat(5_000_000), "store_failed"],
    [() => ({ path: "a", schemaPath: "x".repeat(5_000_000) }), "store_failed"],
    [() => ({ path: "a", schemaPath: 5 }), "store_failed"],
  ];
  for (const [store, code] of cases) {
    const events: any[] = [];
    const result = await offload(LOG, { store, timeoutMs: 20, onEvent: (event) => events.push(event) });
    assert.deepEqual([result.outcome, events.map((event) => event.code)], ["truncated", [code]]);
    assert.equal(result.storeError, events[0].error);
    assert.ok(result.tokens <= 4_000 && result.tokens === count(result.text));
  }
});

test("a result that was stored or kept has no error of a store", async () => {
  assert.equal("storeError" in (await offload(LOG, { store: () => "a.txt" })), false);
  assert.equal("storeError" in (await offload("short", { store: () => assert.fail() })), false);
});

test("a store's answer that is no place is named in the warning", async () => {
  const errors: any[] = [];
  const store = () => "x".repeat(4_097);
  await offload(LOG, { store, onEvent: (event) => errors.push((event as any).error) });
  assert.deepEqual(
    errors.map(({ code, path }) => [code, path]),
    [["bad_option", "options.store"]],
  );
  const { outcome } = await offload(LOG, { store: () => "x".repeat(4_096) });
  assert.equal(outcome, "stored");
});

test("an abort is an abort, and the store hears of it", async () => {
  const stop = new AbortController();
  let heard = false;
  const store = ({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => (heard = true));
    setImmediate(() => stop.abort(new Error("enough")));
    return new Promise<string>(() => undefined);
  };
  await assert.rejects(offload(LOG, { store, signal: stop.signal }), /enough/);
  assert.ok(heard);
  await assert.rejects(offload(LOG, { store: 5 as never }), { code: "bad_option", path: "options.store" });
});
