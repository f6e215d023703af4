/** `espalier/count` gives what the root gives: counts, ids, positions, estimates and errors. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../../built.ts";
import { entry } from "./built.ts";
import type { Count } from "./built.ts";

const small = await entry("count-node.js");
const encodings = ["o200k_base", "cl100k_base"] as const;
const fixtures = new URL("../../../fixtures/", import.meta.url);

/** A small generator of random numbers below `limit` (mulberry32): the same texts on every run. */
function random(seed: number): (limit: number) => number {
  return (limit) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const PIECES = [
  "the",
  "Word",
  "it's",
  "IT'LL",
  "ſ",
  "<|endoftext|>",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "\u0085",
  "\u00a0",
  "\ufeff",
  "123",
  "3.14",
  "==",
  "/*",
  "日本語",
  "ไทย",
  "한국어",
  "été",
  "e\u0301",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  "\ude00",
  "\u0000",
  "\u{10ffff}",
  "ǅ",
  "ʰ",
  "a".repeat(40),
  "-".repeat(20),
];

function randomText(next: (limit: number) => number): string {
  return Array.from({ length: next(12) }, () => {
    const at = next(PIECES.length + 6);
    // Any code unit at all, lone surrogates included.
    return PIECES[at] ?? String.fromCharCode(next(0x10000));
  }).join("");
}

/** All that can be asked about a text. */
function answers(
  api: Pick<Count, "count" | "encode" | "decode" | "tokenOffsets" | "prefixWithin" | "suffixWithin" | "estimate">,
  text: string,
  encoding: "o200k_base" | "cl100k_base",
) {
  const ids = api.encode(text, { encoding });
  return {
    count: api.count(text, { encoding }),
    ids,
    text: api.decode(ids, { encoding }),
    offsets: api.tokenOffsets(text, { encoding }),
    prefix: [0, 1, 5, 1_000].map((most) => api.prefixWithin(text, most, { encoding })),
    suffix: [0, 1, 5, 1_000].map((most) => api.suffixWithin(text, most, { encoding })),
    estimates: (["sample", "quarter", "three-quarters", "gemini"] as const).map((rule) =>
      api.estimate(text, { encoding, rule }),
    ),
  };
}

test("10,000 random texts: the same counts and ids in both encodings, lone surrogates included", () => {
  const next = random(1);
  const texts = Array.from({ length: 10_000 }, () => randomText(next));
  for (const encoding of encodings) {
    const counts = small.countBatch(texts, { encoding });
    assert.deepEqual(counts, espalier.countBatch(texts, { encoding }));
    for (const [at, text] of texts.entries()) {
      const ids = small.encode(text, { encoding });
      assert.deepEqual(ids, espalier.encode(text, { encoding }), `${encoding} ${JSON.stringify(text)}`);
      assert.equal(ids.length, counts[at]);
    }
  }
});

test("random texts: the same positions, cuts and estimates", () => {
  const next = random(2);
  for (let n = 0; n < 500; n++) {
    const text = randomText(next);
    for (const encoding of encodings)
      assert.deepEqual(answers(small, text, encoding), answers(espalier, text, encoding), JSON.stringify(text));
  }
});

test("all corpora: the same answers", () => {
  const files = ["sources", "transcripts"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, fixtures)).map((name) => `${folder}/${name}`),
  );
  assert.ok(files.length > 12);
  for (const file of files) {
    const text = readFileSync(new URL(file, fixtures), "utf8").slice(0, 300_000);
    for (const encoding of encodings)
      assert.deepEqual(answers(small, text, encoding), answers(espalier, text, encoding), file);
  }
});

test("bad input: the same code, path and message", () => {
  const wrong: [name: keyof Count & keyof typeof espalier, ...values: unknown[]][] = [
    ["count", 5],
    ["count", "x", null],
    ["count", "x", { encoding: "p50k_base" }],
    ["count", "x", { encoding: 3 }],
    ["count", "x", { model: 4 }],
    ["countBatch", "abc"],
    ["countBatch", ["a", 5]],
    ["encode", null],
    ["encode", "x", { encoding: "p50k_base" }],
    ["decode", [1, 999_999]],
    ["decode", [1, -1]],
    ["decode", "1"],
    ["tokenOffsets", {}],
    ["prefixWithin", "x", -1],
    ["prefixWithin", "x", 0.5],
    ["suffixWithin", "x", "3"],
    ["estimate", "x", { rule: "half" }],
    ["loadEncodingSync", "o200k_base", "bytes"],
    ["loadEncodingSync", "o200k_base", new Uint8Array(7)],
    ["loadEncodingSync", "p50k_base", new Uint8Array(7)],
    ["encodingForModel", 4],
    ["encodingForModel"],
  ];
  const refusal = (api: object, name: string, values: unknown[]) => {
    try {
      (api as Record<string, (...values: unknown[]) => unknown>)[name]?.(...values);
    } catch (error) {
      const { name: kind, code, path, message } = error as Error & { code: string; path?: string };
      return { kind, code, path, message };
    }
    return assert.fail(`${name} accepted ${JSON.stringify(values)}`);
  };
  for (const [name, ...values] of wrong) {
    const refused = refusal(small, name, values);
    assert.equal(refused.kind, "EspalierError");
    assert.deepEqual(refused, refusal(espalier, name, values));
  }
});

test("models name the same encodings", () => {
  for (const model of ["gpt-4", "gpt-4o", "openai/gpt-3.5-turbo", "claude-sonnet-4", "ft:gpt-4:x", ""]) {
    assert.equal(
      small.count("antidisestablishmentarianism 日本語", { model }),
      espalier.count("antidisestablishmentarianism 日本語", { model }),
      model,
    );
  }
});

test("a model whose vocabulary is not public has a substitute, and the answer says so", () => {
  for (const api of [small, espalier]) {
    const check = (model: string, encoding: string, origin: string) =>
      assert.deepEqual(api.encodingForModel(model), { encoding, origin }, model);
    check("gpt-4o-mini", "o200k_base", "exact");
    check("openai/gpt-4", "cl100k_base", "exact");
    check("claude-sonnet-4-5", "o200k_base", "prior");
    check("gemini-2.5-pro", "o200k_base", "prior");
    check("", "o200k_base", "prior");
  }
});

test("every name of the entry is a name of the root", () => {
  for (const name of Object.keys(small)) assert.ok(name in espalier, name);
});
