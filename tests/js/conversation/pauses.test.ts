/** Pauses after which the provider's cache is empty, so that removals cost nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CacheLifetime } from "../../../js/types/cache.ts";
import type { Llm } from "../../../js/types/llm.ts";
import { espalier } from "../built.ts";
import { begin, heard, round, SUMMARY } from "./support.ts";
import type { Fields } from "./support.ts";

const MINUTE = 60_000;

/** Prepares a request at 0.7 of the limit, and one more after a pause. */
async function afterPause(pause: number, cacheLifetime: CacheLifetime | undefined, llm?: Llm) {
  let now = 1_700_000_000_000;
  const conversation = await espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { maxPromptTokens: 6_000 },
    entropy: 7,
    clock: { now: () => now },
    ...(cacheLifetime && { cacheLifetime }),
    ...(llm && { llm }),
  });
  conversation.append(begin());
  for (let number = 0; conversation.usage().ratio < 0.7; number += 1) conversation.append(round(number, 10));
  await conversation.prepare();
  const events = heard(conversation);
  now += pause;
  const { report } = await conversation.prepare();
  return { conversation, report, events };
}

test("after a pause longer than the lifetime rules compact a request that still fits, once", async () => {
  const { conversation, report, events } = await afterPause(5 * MINUTE + 1, "5m");
  assert.deepEqual(
    report.compactions.map(({ status, trigger }) => [status, trigger]),
    [["applied", "threshold"]],
  );
  assert.ok(report.usage.ratio < 0.65);
  assert.equal(events.filter(({ type }) => type === "compaction_start").length, 1);
  // It can be undone like any other.
  assert.ok(conversation.undo());
});

test("within the lifetime, or without one, a pause decides nothing", async () => {
  for (const [pause, lifetime] of [
    [5 * MINUTE, "5m"],
    [5 * MINUTE + 1, "1h"],
    [24 * 60 * MINUTE, undefined],
    [-MINUTE, "5m"],
  ] as const) {
    const { report } = await afterPause(pause, lifetime);
    assert.deepEqual(report.compactions, [], `${pause}, ${lifetime}`);
  }
});

test("with a model rules only shorten results, and the model is not asked", async () => {
  let asked = 0;
  const { conversation } = await afterPause(61 * MINUTE, "1h", async () => {
    asked += 1;
    return SUMMARY;
  });
  assert.equal(asked, 0);
  const rules = conversation.edits().map(({ rule }) => rule);
  assert.ok(rules.length > 0 && !rules.includes("summary"), String(rules));
});
