/** Windows and prices of models by name, as data with a date. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { modelFacts, usageCost } = espalier;

test("names of providers, routers and platforms", () => {
  for (const name of [
    "claude-haiku-4-5",
    "anthropic/claude-haiku-4.5",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
  ]) {
    const { provider, contextWindow, prices, encoding, origin, source } = modelFacts(name)!;
    assert.deepEqual([provider, contextWindow, encoding, origin], ["anthropic", 200_000, "o200k_base", "prior"], name);
    assert.deepEqual(prices, { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }, name);
    assert.match(source, /^@pydantic\/genai-prices [\d.]+, 20\d\d-\d\d-\d\d$/);
  }
  assert.equal(modelFacts("gpt-5")!.maxPromptTokens, 272_000);
  assert.equal(modelFacts("gpt-4")!.encoding, "cl100k_base");
});

test("a model without a price for the cache pays the price of input", () => {
  const { prices } = modelFacts("gpt-4")!;
  assert.equal(usageCost({ cacheRead: 10, cacheWrite: 10 }, prices).saved, 0);
});

test("an unknown name has no facts, and a wrong one is refused", () => {
  assert.equal(modelFacts("my-own-model"), undefined);
  assert.equal(modelFacts(""), undefined);
  assert.throws(() => modelFacts(1 as never), { code: "bad_option", path: "model" });
});

test("the longest answer of a model is known by name, with its source", () => {
  for (const [name, tokens] of [
    ["claude-sonnet-4-5-20250929", 64_000],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", 64_000],
    ["anthropic/claude-opus-4.1", 32_000],
    ["claude-opus-4@20250514", 32_000],
    ["claude-3-5-sonnet-latest", 8_192],
    ["claude-3-haiku-20240307", 4_096],
    ["claude-sonnet-4-6", 128_000],
    ["gpt-4o", 16_384],
    ["gpt-4o-2024-05-13", 4_096],
    ["openai/gpt-4.1-mini", 32_768],
    ["o4-mini", 100_000],
    ["gpt-5", 128_000],
    ["gpt-5-chat-latest", 16_384],
    ["gpt-35-turbo", 4_096],
    ["models/gemini-2.5-pro", 65_536],
    ["gemini-2.0-flash", 8_192],
    ["deepseek-v4-pro", 384_000],
  ] as const) {
    const { maxOutputTokens, outputSource } = modelFacts(name)!;
    assert.equal(maxOutputTokens, tokens, name);
    assert.match(outputSource!, /^[a-z].*, 20\d\d-\d\d-\d\d$/, name);
  }
});

test("a name that is not in the data, or whose sources disagree, has no longest answer, although it has a window", () => {
  for (const name of [
    "gemini-2.0-flash-lite",
    "claude-opus-4-9",
    "claude-of-tomorrow",
    "gpt-4o:extended",
    "gemini-9-pro",
    "mistral-large",
  ]) {
    const facts = modelFacts(name);
    assert.ok(facts, name);
    assert.equal(facts.maxOutputTokens, undefined, name);
    assert.equal(facts.outputSource, undefined, name);
  }
});
