/**
 * The bill of recorded conversations. Its oracle: counts of another call, and the arithmetic of each provider by hand.
 */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import type { WayCost } from "../../../js/bill/types.ts";
import { espalier } from "../built.ts";

const { countMessages, replayCost } = espalier;

const words = (count: number) => "word ".repeat(count).trim();
const TALK = [
  { role: "system", content: words(1_500) },
  { role: "user", content: words(300) },
  { role: "assistant", content: words(40) },
  { role: "user", content: words(200) },
  { role: "assistant", content: words(60) },
  { role: "user", content: words(100) },
];
const totals = [2, 4, 6].map((end) => countMessages(TALK.slice(0, end)).total) as [number, number, number];
const answers = TALK.filter(({ role }) => role === "assistant").map((message) => {
  // A list of one message costs three tokens more than the message.
  return countMessages([message]).total - 3;
}) as [number, number];

/** Checks a sum of dollars up to rounding. */
function costs(actual: number, dollars: number): void {
  assert.ok(Math.abs(actual - dollars) < 1e-9, `${actual} instead of ${dollars}`);
}

test("Anthropic: writes at 1.25 and reads at 0.1 of the input, by the prices of the model", async () => {
  const { ways, unit, prices } = await replayCost(TALK, { model: "claude-sonnet-4-5" });
  const [a, b, c] = totals;
  assert.deepEqual(prices, { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 });
  assert.equal(unit, "dollars");
  for (const { rows, cost, promptCost, failed, removals } of ways) {
    assert.deepEqual(
      rows.map(({ input, cacheRead, cacheWrite, output }) => [input, cacheRead, cacheWrite, output]),
      [
        [0, 0, a, answers[0]],
        [0, a, b - a, answers[1]],
        [0, b, c - b, 0],
      ],
    );
    costs(promptCost, (3.75 * c + 0.3 * (a + b)) / 1e6);
    costs(cost, (3.75 * c + 0.3 * (a + b) + 15 * (answers[0] + answers[1])) / 1e6);
    assert.deepEqual([failed, removals], [[], []]);
  }
});

test("a pause of more than five minutes empties the cache; an hour's lifetime keeps it, at twice the input", async () => {
  const [a, b, c] = totals;
  const cold = (await replayCost(TALK, { model: "claude-sonnet-4-5", paceMs: 301_000 })).ways[0]!;
  costs(cold.promptCost, (3.75 * (a + b + c)) / 1e6);
  assert.equal(cold.cold, 2);
  const hour = await replayCost(TALK, { model: "claude-sonnet-4-5", paceMs: 301_000, lifetime: "1h" });
  costs(hour.ways[0]!.promptCost, (6 * c + 0.3 * (a + b)) / 1e6);
  // The times of messages precede the pace: the second request came ten minutes after the first.
  const times = [0, 0, 1_000, 600_000, 601_000, 602_000];
  const timed = (await replayCost(TALK, { model: "claude-sonnet-4-5", times })).ways[0]!;
  costs(timed.promptCost, (3.75 * (a + c) + 0.3 * b) / 1e6);
});

test("OpenAI: whole steps of 128 tokens at the cached price, all else as input", async () => {
  const { ways } = await replayCost(TALK, { model: "gpt-4.1" });
  const [a, b, c] = totals;
  const step = (tokens: number) => tokens - (tokens % 128);
  const read = step(a) + step(b);
  costs(ways[0]!.promptCost, (2 * (a + b + c - read) + 0.5 * read) / 1e6);
});

test("Gemini: nothing is cached below 2,048 tokens, and any prefix above", async () => {
  const { ways, prices } = await replayCost(TALK, { model: "gemini-2.5-pro" });
  const [a, b, c] = totals;
  assert.ok(a < 2_048 && b > 2_048);
  assert.deepEqual([prices.input, prices.cacheRead], [1.25, 0.125]);
  costs(ways[0]!.promptCost, (1.25 * (a + c) + 0.125 * b) / 1e6);
});

test("without a model the unit is a token of input; prices of the host replace those of the model", async () => {
  const [a, b, c] = totals;
  const relative = await replayCost(TALK);
  assert.deepEqual(
    [relative.unit, relative.priceSource, relative.windowSource],
    ["inputTokens", "relative", "assumedLimit"],
  );
  costs(relative.ways[0]!.promptCost, 1.25 * c + 0.1 * (a + b));
  const own = await replayCost(TALK, { model: "claude-sonnet-4-5", prices: { cacheWrite: 3 } });
  costs(own.ways[0]!.promptCost, (3 * c + 0.3 * (a + b)) / 1e6);
});

/** A run with one request of the user and many rounds. */
function run(rounds: number) {
  const of = (at: number) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${at}`, type: "function", function: { name: "sh", arguments: `{"cmd":"ls ${at}"}` } }],
    },
    { role: "tool", tool_call_id: `c${at}`, content: `${at} ${words(200)}` },
  ];
  return [
    { role: "system", content: words(1_200) },
    { role: "user", content: `Mend it. ${words(100)}` },
    ...Array.from({ length: rounds }, (_, at) => of(at)).flat(),
  ];
}

test("at the window's end the refused request is named, and the host's own cut is paid for", async () => {
  const messages = run(20);
  const { ways, window } = await replayCost(messages, { model: "claude-sonnet-4-5", window: 4_000 });
  const whole = ways[0]!;
  const first = whole.rows.find((_, at) => countMessages(messages.slice(0, 2 + 2 * at)).total > window)!;
  assert.equal(whole.refused?.request, first.request);
  assert.ok(whole.refused.tokens > 4_000);
  for (const { input, cacheRead, cacheWrite } of whole.rows) assert.ok(input + cacheRead + cacheWrite <= 4_000);
  // Each of its cuts moves the beginning, so that only the system prompt is read.
  const system = countMessages(messages.slice(0, 1)).total;
  const last = whole.rows.at(-1)!;
  assert.equal(last.cacheRead, system);
});

test("a removal says what it costs once, what it saves, and when it has paid", async () => {
  const messages = run(30);
  const { ways } = await replayCost(messages, { model: "claude-sonnet-4-5", window: 20_000, budget: 4_000 });
  const { removals, rows } = ways[1]!;
  assert.ok(removals.length > 0);
  for (const { request, removed, rewritten, isCold, once, perRequest, breakEven, requestsLeft } of removals) {
    assert.equal(isCold, false);
    costs(once, (rewritten * (3.75 - 0.3)) / 1e6);
    costs(perRequest, (removed * 0.3) / 1e6);
    assert.equal(breakEven, Math.max(1, Math.ceil(once / perRequest - 1e-9)));
    assert.equal(requestsLeft, rows.length - request + 1);
  }
  const slow = await replayCost(messages, {
    model: "claude-sonnet-4-5",
    window: 20_000,
    budget: 4_000,
    paceMs: 400_000,
  });
  for (const { isCold, once, breakEven } of slow.ways[1]!.removals)
    assert.deepEqual([isCold, Math.abs(once) < 1e-12, breakEven], [true, true, 1]);
});

test("summaries of a model are paid for; a way whose requests cannot be made has no share", async () => {
  const options = { model: "gpt-4.1", window: 20_000, budget: 4_000 };
  const rules = (await replayCost(run(40), options)).ways[2]!;
  const model = (await replayCost(run(40), { ...options, summaryTokens: 300 })).ways[2]!;
  assert.equal(rules.summaries.calls, 0);
  assert.ok(model.summaries.calls > 0 && model.summaries.usage.output > 200 * model.summaries.calls);
  costs(model.cost, sum(model) + model.summaries.cost);
  const tight = (await replayCost(run(4), { ...options, budget: 1_250 })).ways[1]!;
  assert.equal(tight.saved, undefined);
  assert.match(tight.failed[0]!.message, /1250/);
});

const sum = ({ rows }: WayCost) => rows.reduce((all, { cost }) => all + cost, 0);

test("requests of every format cost the same", async () => {
  const anthropic = {
    system: TALK[0]!.content,
    messages: TALK.slice(1),
  };
  const times = [0, 1_000, 600_000, 601_000, 602_000];
  const { ways } = await replayCost(anthropic, { model: "claude-sonnet-4-5", times });
  const [a, b, c] = totals;
  costs(ways[0]!.promptCost, (3.75 * (a + c) + 0.3 * b) / 1e6);
});

test("wrong options are refused with their path", async () => {
  const refused = (options: object, path: string, input: unknown = TALK) =>
    assert.rejects(replayCost(input, options), (error: { code: string; path?: string }) => {
      assert.deepEqual([error.code, error.path], [path === "messages" ? "no_conversation" : "bad_option", path]);
      return true;
    });
  await refused({ budgett: 5 }, "options.budgett");
  await refused({ window: 0 }, "options.window");
  await refused({ window: 1_000, budget: 2_000 }, "options.budget");
  await refused({ lifetime: "2h" }, "options.lifetime");
  await refused({ times: Array(7).fill(1) }, "options.times");
  await refused({ times: ["now"] }, "options.times[0]");
  await refused({ paceMs: -1 }, "options.paceMs");
  await refused({ prices: { input: -1 } }, "options.prices.input");
  await refused({ summaryTokens: 100, llm: async () => "" }, "options.summaryTokens");
  await refused({}, "messages", [{ role: "system", content: "s" }]);
});

/** The public transcripts: those of the tests, and those that the benchmarks have. */
const ALL = ["fixtures/transcripts/", "../benches/retention/transcripts/"].flatMap((folder) => {
  const path = new URL(`../../${folder}`, import.meta.url);
  return readdirSync(path).flatMap((file) => (file.endsWith(".json") ? [new URL(file, path)] : []));
});
/** Requests of this one are larger than a quarter of it, and pruning never cuts a request of the user. */
const TOO_TIGHT = "cline-sidebar";

/**
 * A window that the whole conversation just fits, of which requests may use the system prompt and a quarter of the
 * rest.
 */
for (const [model, largest] of [
  ["claude-sonnet-4-5", Number.POSITIVE_INFINITY],
  ["gpt-4.1", 100_000],
] as const) {
  test(`${model}: at a quarter of the window no transcript costs more than without us, and the median 30 % less`, async () => {
    const saved: Record<string, number[]> = { prune: [], conversation: [] };
    for (const file of ALL) {
      const messages = messagesOf(file);
      const { total, frame } = countMessages(messages);
      if (messages.length === 0 || total > largest) continue;
      const budget = Math.round(frame + (total - frame) / 4);
      // Repairs of lost calls make some requests larger than the recording.
      const { ways } = await replayCost(messages, { model, window: total + 1_000, budget });
      for (const { way, saved: share, failed } of ways.slice(1)) {
        assert.equal(failed.length > 0, file.pathname.includes(TOO_TIGHT) && way === "prune", `${file}, ${way}`);
        if (share === undefined) continue;
        saved[way]!.push(share);
        assert.ok(share > 0, `${file}, ${way}: ${share}`);
      }
    }
    const median = (list: readonly number[]) => {
      const sorted = list.toSorted((a, b) => a - b);
      return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
    };
    const isReached = (way: string) => Math.round(median(saved[way]!) * 100) >= 30;
    for (const way of ["prune", "conversation"]) assert.ok(isReached(way), `${way}: ${saved[way]}`);
  });
}

test("progress names each request of each way", async () => {
  const seen: string[] = [];
  const { requests } = await replayCost(
    messagesOf(ALL.find(({ pathname }) => pathname.includes("sweagent-marshmallow"))!),
    {
      onProgress: ({ way, request, requests: all }) => seen.push(`${way} ${request}/${all}`),
    },
  );
  assert.equal(seen.length, 3 * requests);
  assert.deepEqual([seen[0], seen.at(-1)], [`whole 1/${requests}`, `conversation ${requests}/${requests}`]);
});

function messagesOf(file: URL): Record<string, unknown>[] {
  const { messages = [] } = JSON.parse(readFileSync(file, "utf8")) as { messages?: Record<string, unknown>[] };
  return messages.map(({ content = null, ...message }) => ({
    ...Object.fromEntries(Object.entries(message).filter(([name]) => !name.startsWith("x_"))),
    content,
  }));
}
