/** Usage: every provider's record as one, and what is odd about it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { usageFrom } from "../../../js/providers/index.ts";
import type { UsageFormat } from "../../../js/providers/index.ts";
import { raw } from "../../server/model.mjs";
import { asks, make, scripted } from "./support.ts";

type Numbers = [
  input: number,
  cacheRead: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
  promptTotal: number,
];

function check(format: UsageFormat, raw: unknown, wanted: Numbers, warnings = 0): void {
  const reported = usageFrom(format, raw);
  assert.ok(reported, "nothing was read");
  const { input, cacheRead, cacheWrite, output, reasoning, promptTotal, raw: kept } = reported.usage;
  assert.deepEqual([input, cacheRead, cacheWrite, output, reasoning, promptTotal], wanted);
  assert.equal(kept, raw);
  assert.deepEqual(
    reported.warnings.map(({ code }) => code),
    Array.from({ length: warnings }, () => "usage_mismatch"),
  );
}

test("OpenAI: the prompt's total has its cached part in it", () => {
  const chat = {
    prompt_tokens: 2006,
    completion_tokens: 300,
    total_tokens: 2306,
    prompt_tokens_details: { cached_tokens: 1920 },
    completion_tokens_details: { reasoning_tokens: 200 },
  };
  check("openai-chat", chat, [86, 1920, 0, 300, 200, 2006]);
  check(
    "openai-responses",
    {
      input_tokens: 75,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1186,
      output_tokens_details: { reasoning_tokens: 1024 },
      total_tokens: 1261,
    },
    [75, 0, 0, 1186, 1024, 75],
  );
  check("openai-chat", { prompt_tokens: 5, completion_tokens: 0 }, [5, 0, 0, 0, 0, 5]);
  check(
    "openai-chat",
    { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 },
    [40, 60, 0, 1, 0, 100],
  );
  check(
    "openai-chat",
    { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 20 } },
    [30, 50, 20, 1, 0, 100],
  );
  check("openai-chat", { message: {}, prompt_eval_count: 40, eval_count: 3 }, [40, 0, 0, 3, 0, 40]);
});

test("servers with OpenAI's interface report caches and thoughts in fields of their own", () => {
  const plain = { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 };
  // Kimi, from its reference.
  check("openai-chat", { ...plain, cached_tokens: 60 }, [40, 60, 0, 9, 0, 100]);
  // LiteLLM before Claude.
  check(
    "openai-chat",
    { ...plain, cache_creation_input_tokens: 30, cache_read_input_tokens: 60 },
    [10, 60, 30, 9, 0, 100],
  );
  // xAI, from its reference: 32 + 9 + 94 = 135.
  const thoughts = { reasoning_tokens: 94 };
  check(
    "openai-chat",
    { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, completion_tokens_details: thoughts },
    [32, 0, 0, 103, 94, 32],
  );
  check(
    "openai-responses",
    { input_tokens: 32, output_tokens: 9, total_tokens: 135, output_tokens_details: thoughts },
    [32, 0, 0, 103, 94, 32],
  );
});

test("streams report usage in the choice (Kimi) or in a field of the server (Groq)", async () => {
  const server = await scripted();
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const last = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" };
  for (const chunk of [
    { choices: [{ ...last, usage }] },
    { choices: [last], x_groq: { id: "r", usage } },
    { choices: [last], usage: null, x_groq: { usage } },
  ]) {
    server.clear();
    server.script(
      raw(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { status: 200, type: "text/event-stream" }),
    );
    const provider = make("openai-chat", server, {});
    const answer = await provider.send(asks(provider), { stream: true });
    assert.deepEqual([answer.text, answer.usage?.promptTotal, answer.usage?.output], ["Hi", 7, 2]);
  }
});

test("Anthropic: the parts of the prompt are apart", () => {
  check(
    "anthropic",
    { input_tokens: 21, cache_creation_input_tokens: 188086, cache_read_input_tokens: 1000, output_tokens: 393 },
    [21, 1000, 188086, 393, 0, 189107],
  );
  check(
    "anthropic",
    { input_tokens: 21, output_tokens: 3, cache_creation_input_tokens: null, cache_read_input_tokens: null },
    [21, 0, 0, 3, 0, 21],
  );
  check("anthropic", { input_tokens: -50, cache_read_input_tokens: 100, output_tokens: 3 }, [0, 100, 0, 3, 0, 100], 1);
});

test("Anthropic: passes that only compacted are recognized", () => {
  const raw = {
    input_tokens: 23_000,
    output_tokens: 1_000,
    iterations: [
      { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
      { type: "message", input_tokens: 23_000, output_tokens: 1_000 },
    ],
  };
  check("anthropic", raw, [23_000, 0, 0, 1_000, 0, 23_000]);
  assert.deepEqual(
    usageFrom("anthropic", raw)?.passes?.map(({ promptTotal, output }) => [promptTotal, output]),
    [
      [180_000, 3_500],
      [23_000, 1_000],
    ],
  );
  assert.equal(usageFrom("anthropic", { ...raw, iterations: [7, null] })?.passes, undefined);
});

test("Gemini: candidates and thoughts are apart, the cached content is within", () => {
  check(
    "gemini",
    {
      promptTokenCount: 1000,
      cachedContentTokenCount: 900,
      candidatesTokenCount: 50,
      thoughtsTokenCount: 70,
      totalTokenCount: 1120,
    },
    [100, 900, 0, 120, 70, 1000],
  );
  check(
    "gemini",
    { promptTokenCount: 1000, toolUsePromptTokenCount: 30, candidatesTokenCount: 50, totalTokenCount: 1080 },
    [1030, 0, 0, 50, 0, 1030],
  );
  check("gemini", { promptTokenCount: 8, totalTokenCount: 8 }, [8, 0, 0, 0, 0, 8]);
});

test("sums that disagree are reported", () => {
  // Some servers leave thoughts out of the answer but not of the total.
  check("openai-chat", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 99 }, [10, 0, 0, 5, 0, 10], 1);
  check("openai-chat", { prompt_tokens: -0, completion_tokens: -0 }, [0, 0, 0, 0, 0, 0]);
  check(
    "openai-chat",
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 20 } },
    [0, 10, 0, 5, 0, 10],
    1,
  );
  check(
    "openai-chat",
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 9 } },
    [10, 0, 0, 5, 5, 10],
    1,
  );
});

test("what is no record is none", () => {
  for (const format of ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk"] as const) {
    for (const raw of [
      undefined,
      null,
      7,
      "text",
      [],
      {},
      { prompt_tokens: "10" },
      { input_tokens: NaN, output_tokens: -1 },
    ])
      assert.equal(usageFrom(format, raw), undefined);
  }
});

test("property: parts sum to the whole, whatever is reported", () => {
  const number = fc.oneof(fc.nat(), fc.constant(0), fc.double(), fc.constantFrom<unknown>(null, undefined, "5", -1));
  const names = [
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
    "cachedContentTokenCount",
    "inputTokens",
    "outputTokens",
    "cachedInputTokens",
    "reasoningTokens",
  ];
  const details = fc.record({ cached_tokens: number, reasoning_tokens: number, cache_write_tokens: number });
  const raw = fc
    .tuple(fc.dictionary(fc.constantFrom(...names), number), details, details)
    .map(([own, prompt_tokens_details, completion_tokens_details]) => ({
      ...own,
      prompt_tokens_details,
      completion_tokens_details,
    }));
  fc.assert(
    fc.property(raw, (raw) => {
      for (const format of ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk"] as const) {
        const reported = usageFrom(format, raw);
        if (!reported) continue;
        const { input, cacheRead, cacheWrite, output, reasoning, promptTotal } = reported.usage;
        assert.equal(input + cacheRead + cacheWrite, promptTotal);
        for (const part of [input, cacheRead, cacheWrite, output, reasoning])
          assert.ok(Number.isInteger(part) && part >= 0, String(part));
        assert.ok(reasoning <= output);
      }
    }),
  );
});
