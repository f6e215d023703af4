/** Prices of requests with a cache, and usage. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { refused } from "../refused.ts";

const { addUsage, cacheCost, clearingPays, usageCost } = espalier;

test("whether clearing pays, by hand", () => {
  // 20,000 tokens at 1.25 instead of 0.1 once; 30,000 tokens at 0.1 with each request.
  assert.deepEqual(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 10 }), {
    pays: true,
    saved: 7_000,
    once: 23_000,
    perRequest: 3_000,
    breakEven: 8,
  });
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 7 }).pays, false);
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 1, hitRate: 0 }).pays, true);
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, lifetime: "1h" }).breakEven, 13);
  assert.equal(clearingPays({ cleared: 10, suffix: 20, replacement: 10 }).breakEven, undefined);
  const bad = (options: unknown, path: string) => refused(() => clearingPays(options as never), "bad_option", path);
  bad({ suffix: 1 }, "options.cleared");
  bad({ cleared: 1.5, suffix: 1 }, "options.cleared");
  bad({ cleared: 1, suffix: 1, hitRate: 2 }, "options.hitRate");
  bad({ cleared: 1, suffix: 1, requests: Number.NaN }, "options.requests");
  bad({ cleared: 1, suffix: 1, extra: -1 }, "options.extra");
  bad({ cleared: 1, suffix: 1, prices: { cacheRead: "0.1" } }, "options.prices.cacheRead");
  bad({ cleared: 1, suffix: 1, lifetime: "1d" }, "options.lifetime");
  bad(undefined, "options");
});

test("what a request costs", () => {
  assert.deepEqual(cacheCost({ total: 10_000, shared: 8_000 }), {
    cost: 3_300,
    cacheRead: 8_000,
    cacheWrite: 2_000,
    input: 0,
    withoutCache: 10_000,
  });
  assert.equal(cacheCost({ total: 10_000, marked: 0 }).cost, 10_000);
  assert.equal(
    cacheCost({ total: 10_000, shared: 8_000, prices: { cacheWrite: 1, cacheRead: 0.5 }, output: 10 }).cost,
    4_000 + 2_000 + 50,
  );
  refused(() => cacheCost({ total: -1 }), "bad_option", "options.total");
});

test("usage adds up", () => {
  const one = {
    input: 100,
    cacheRead: 900,
    cacheWrite: 50,
    output: 30,
    reasoning: 10,
    promptTotal: 1_050,
    raw: { any: "thing" },
  };
  const sum = addUsage(one, undefined, one, { output: 1, input: Number.NaN });
  assert.deepEqual(sum, {
    input: 200,
    cacheRead: 1_800,
    cacheWrite: 100,
    output: 61,
    reasoning: 20,
    promptTotal: 2_100,
  });
  assert.deepEqual(addUsage(), { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, promptTotal: 0 });
  const cost = usageCost(one);
  assert.deepEqual([cost.cost, cost.saved, cost.output], [100 + 90 + 62.5 + 150, 1_050 - 252.5, 150]);
  assert.ok(Math.abs(cost.hitRate - 900 / 1_050) < 1e-12);
  assert.equal(usageCost(one, {}, { lifetime: "1h" }).cacheWrite, 100);
  assert.deepEqual([usageCost({}).cost, usageCost({}).hitRate], [0, 0]);
  refused(() => usageCost(one, { output: -1 }), "bad_option", "options.prices.output");
});
