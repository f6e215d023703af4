/** What providers read from their caches and write to them. The figures are worked out by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderCache } from "../../../js/bill/provider-cache.ts";
import type { Line } from "../../../js/bill/provider-cache.ts";
import { recordedRequests, requestEnds } from "../../../js/bill/requests.ts";
import { CACHE_RULES, cacheRule } from "../../../js/bill/rules.ts";

const MINUTE = 60_000;

function line(key: number, tokens: number, kind: Line["kind"] = "other", blocks = 1): Line {
  return { key, tokens, blocks, kind };
}

const system = line(0, 2_000, "system");
const user = line(1, 300, "user");
const call = line(2, 50);
const result = line(3, 700);

const row = (input: number, cacheRead: number, cacheWrite: number) => ({ input, cacheRead, cacheWrite });
const anthropic = (minTokens = 1_024, lifetimeMs = 5 * MINUTE) =>
  new ProviderCache(cacheRule("anthropic", "claude-sonnet-4-5"), minTokens, lifetimeMs);
const openai = () => new ProviderCache(cacheRule("openai", "gpt-4.1"), 1_024, 5 * MINUTE);

test("Anthropic: a growing conversation reads what it wrote, and writes what is new", () => {
  const cache = anthropic();
  const first = [system, user];
  const second = [...first, call, result];
  assert.deepEqual(cache.send({ lines: first, base: 100 }, 0), row(0, 0, 2_400));
  assert.deepEqual(cache.send({ lines: second, base: 100 }, 1 * MINUTE), row(0, 2_400, 750));
  // Five minutes after its last use it is there, a moment later it is not.
  assert.deepEqual(cache.send({ lines: second, base: 100 }, 6 * MINUTE), row(0, 3_150, 0));
  assert.deepEqual(cache.send({ lines: second, base: 100 }, 11 * MINUTE + 1), row(0, 0, 3_150));
});

test("Anthropic: a change of the first message leaves the system prompt in the cache", () => {
  const cache = anthropic();
  cache.send({ lines: [system, user, call, result], base: 0 }, 0);
  const cut = [system, line(9, 40, "summary"), result];
  assert.deepEqual(cache.send({ lines: cut, base: 0 }, 1), row(0, 2_000, 740));
  // The place of the summary has a mark, so that the next cut finds it.
  const later = [system, line(9, 40, "summary"), line(10, 500)];
  assert.deepEqual(cache.send({ lines: later, base: 0 }, 2), row(0, 2_040, 500));
});

test("Anthropic: prefixes below the minimum are plain input", () => {
  const cache = anthropic(4_096);
  const lines = [system, user];
  assert.deepEqual(cache.send({ lines, base: 0 }, 0), row(2_300, 0, 0));
  assert.deepEqual(cache.send({ lines, base: 0 }, 1), row(2_300, 0, 0));
});

test("Anthropic: a mark finds an earlier prefix within 20 blocks; the previous newest mark finds it farther back", () => {
  const far = line(4, 100, "other", 25);
  const cache = anthropic();
  cache.send({ lines: [system, user], base: 0 }, 0);
  assert.deepEqual(cache.send({ lines: [system, user, far], base: 0 }, 1), row(0, 2_300, 100));
  // Another request came between, and the newest mark of that one is not in this.
  const other = anthropic();
  other.send({ lines: [system, line(8, 300), call], base: 0 }, 0);
  other.send({ lines: [line(7, 3_000)], base: 0 }, 1);
  const many = [system, line(8, 300), call, far];
  assert.deepEqual(other.send({ lines: many, base: 0 }, 2), row(0, 2_000, 450));
});

test("OpenAI before gpt-5.6: any prefix of 1,024 tokens and more, in steps of 128", () => {
  const cache = openai();
  assert.deepEqual(cache.send({ lines: [line(0, 1_000)], base: 0 }, 0), row(1_000, 0, 0));
  assert.deepEqual(cache.send({ lines: [line(0, 1_000), line(1, 500)], base: 0 }, 1), row(0, 0, 1_500));
  // 1,500 tokens are shared: 11 steps are 1,408.
  const third = [line(0, 1_000), line(1, 500), line(2, 200)];
  assert.deepEqual(cache.send({ lines: third, base: 0 }, 2), row(0, 1_408, 292));
  // A prefix in the middle of an earlier request is read as well: 1,500 of 1,700.
  const cut = [line(0, 1_000), line(1, 500), line(3, 600)];
  assert.deepEqual(cache.send({ lines: cut, base: 0 }, 3), row(0, 1_408, 692));
  assert.deepEqual(cache.send({ lines: cut, base: 0 }, 3 + 5 * MINUTE + 1), row(0, 0, 2_100));
});

test("the rules are those of provider and model, each with its source", () => {
  assert.equal(cacheRule("openai", "gpt-5.5").kind, "automatic");
  assert.equal(cacheRule("openai", "gpt-5.6-sol").kind, "marks");
  assert.equal(cacheRule("openai", "GPT-6").kind, "marks");
  assert.equal(cacheRule("google", "gemini-2.5-pro").minTokens, 2_048);
  assert.equal(cacheRule("google", "gemini-3-pro").minTokens, 4_096);
  assert.equal(cacheRule("mistral", "mistral-large").isAssumed, true);
  for (const { source } of CACHE_RULES) assert.match(source, /^https:/);
});

test("requests have the time of their newest message, else of the answer, else they follow at a pace", () => {
  const list = (...roles: string[]) => roles.map((role) => ({ role })) as Parameters<typeof requestEnds>[0];
  const messages = list("system", "user", "assistant", "tool", "assistant", "assistant", "user");
  assert.deepEqual(requestEnds(messages), [2, 4, 7]);
  const tokens = [9, 9, 10, 9, 20, 30, 9];
  const times = [undefined, 1_000, undefined, undefined, 9_000, undefined, undefined];
  assert.deepEqual(recordedRequests(messages, tokens, times, 500), [
    { end: 2, time: 1_000, output: 10 },
    { end: 4, time: 9_000, output: 50 },
    { end: 7, time: 9_500, output: 0 },
  ]);
  // Clocks of files may go back.
  const back = recordedRequests(messages, tokens, [0, 9_000, 0, 5_000, 0, 0, 6_000], 500);
  assert.deepEqual(
    back.map(({ time }) => time),
    [9_000, 9_000, 9_000],
  );
});
