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
