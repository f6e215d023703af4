/** Hand-overs and chosen ranges, as hosts ask for them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LlmRequest } from "../../../js/types/llm.ts";
import { SUMMARY } from "../../server/model.mjs";
import { espalier } from "../built.ts";

type Message = { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string };
const round = (n: number): Message[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: `c${n}`,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command: `make part${n}` }) },
      },
    ],
  },
  { role: "tool", tool_call_id: `c${n}`, content: `building part${n}\n`.repeat(100) },
];
const messages: Message[] = [
  { role: "system", content: "You are an agent." },
  { role: "user", content: "Fix the parser. Never touch the lexer." },
  ...Array.from({ length: 12 }, (_, n) => round(n)).flat(),
];
const frozen = JSON.stringify(messages);
const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }];

test("a hand-over is a record of everything, and nothing changes", async () => {
  const seen: LlmRequest[] = [];
  const { status, summary, record, before, model, error } = await espalier.summarize(messages, {
    purpose: "handoff",
    tools,
    llm: async (request) => (seen.push(request), { text: SUMMARY, usage: { output: 7 } }),
  });
  assert.equal(JSON.stringify(messages), frozen);
  assert.deepEqual([status, error, model?.calls, model?.usage], ["applied", undefined, 1, [{ output: 7 }]]);
  assert.equal(before.total, espalier.countMessages(messages, { tools }).total);
  const [request] = seen as [LlmRequest];
  assert.deepEqual([request.purpose, request.shape, request.format], ["handoff", "full", "openai-chat"]);
  assert.equal(request.messages[1], messages[1], "your own objects");
  assert.ok(record!.includes(summary!.slice(0, 40)) && record!.includes("Never touch the lexer."));
});

test("a hand-over that fails is a status; what cannot be meant is refused", async () => {
  const failed = await espalier.summarize(messages, {
    purpose: "handoff",
    tools,
    llm: async () => {
      throw new Error("down");
    },
  });
  assert.deepEqual(
    [failed.status, failed.summary, failed.record, failed.error],
    ["model_failed", undefined, undefined, "down"],
  );
  const empty = await espalier.summarize([], { purpose: "handoff", format: "openai-chat", llm: async () => SUMMARY });
  assert.deepEqual([empty.status, empty.summary], ["nothing_to_compact", undefined]);
  const controller = new AbortController();
  controller.abort();
  assert.equal(
    (
      await espalier.summarize(messages, {
        purpose: "handoff",
        tools,
        llm: async () => SUMMARY,
        signal: controller.signal,
      })
    ).status,
    "cancelled",
  );
  for (const [options, path] of [
    [{}, "options.purpose"],
    [{ purpose: "handoff" }, "options.llm"],
    [{ purpose: "handoff", llm: async () => SUMMARY, maxLlmTokens: -1 }, "options.maxLlmTokens"],
  ] as const) {
    await assert.rejects(
      espalier.summarize(messages, options as never),
      (error) =>
        (error instanceof espalier.EspalierError && error.code === "bad_option" && error.path === path) ||
        assert.fail(String(error)),
    );
  }
});

test("a range by ids or indices grows to whole rounds, and the rest are your own objects", async () => {
  const {
    status,
    messages: out,
    report,
  } = await espalier.compact(messages, { budget: 1_000_000, cover: { from: 5, to: "m10" } });
  assert.equal(status, "applied");
  assert.deepEqual(
    [report.covered, report.grown],
    [
      ["m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11"],
      ["m4", "m11"],
    ],
  );
  assert.deepEqual([out.length, out[3] === messages[3], out[5] === messages[12]], [messages.length - 7, true, true]);
  for (const [cover, path] of [
    [7, "options.cover"],
    [{ from: "m99" }, "options.cover.from"],
    [{ to: 99 }, "options.cover.to"],
    [{ from: 9, to: 4 }, "options.cover.from"],
  ] as const) {
    await assert.rejects(
      espalier.compact(messages, { budget: 1_000_000, cover: cover as never }),
      (error) =>
        (error instanceof espalier.EspalierError && error.code === "bad_option" && error.path === path) ||
        assert.fail(String(error)),
    );
  }
});

test("the price of the broken cache is in every report, in the host's prices", async () => {
  const prices = { cacheRead: 2, cacheWrite: 6 };
  const { report } = await espalier.compact(messages, { budget: 2_500, prices });
  const { before, after, quality } = report;
  const { shared, rewritten, saved, once, perRequest, breakEven } = quality!.cache!;
  assert.deepEqual([shared + rewritten, saved], [after.total, before.total - after.total]);
  assert.deepEqual(
    [once, perRequest, breakEven],
    [rewritten * 4, saved * 2, Math.max(1, Math.ceil((rewritten * 4) / (saved * 2)))],
  );
  await assert.rejects(espalier.compact(messages, { budget: 2_500, prices: { cacheRead: -1 } }), {
    code: "bad_option",
    path: "options.prices.cacheRead",
  });
});
