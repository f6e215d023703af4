/** Messages that a host should not have: whatever they are, a request is one that its provider takes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { LlmRequest } from "../../../js/types/llm.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { messagesOf } from "../formats/common.ts";
import { hosts } from "../validity/hosts.ts";
import { SUMMARY, refused, rest } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, validate } = espalier;
const LIMIT = 2_500;
/** Pictures that leave room for words. */
const IMAGES = "gemini" as const;
const RUNS: [Format, ProviderName][] = [
  ["openai-chat", "openai-chat"],
  ["openai-responses", "openai-responses"],
  ["anthropic", "anthropic"],
  ["gemini", "gemini"],
  ["vscode", "vscode"],
  ["espalier", "openai-chat"],
  ["espalier", "anthropic"],
  ["espalier", "gemini"],
  ["ai-sdk", "anthropic"],
  ["ai-sdk", "openai-responses"],
];
/** The user's own words, in a format. */
const says = (format: Format, text: string, number: number): Fields =>
  (
    ({
      gemini: { role: "user", parts: [{ text }] },
      vscode: { role: 1, content: [{ value: text }] },
      espalier: { id: `u${number}`, role: "user", parts: [{ type: "text", text }] },
    }) as Partial<Record<Format, Fields>>
  )[format] ?? { role: "user", content: text };
const damaged = (format: Format) =>
  fc
    .array(hosts[format], { minLength: 1, maxLength: 3 })
    .map((inputs) =>
      inputs.flatMap((input, piece) => [
        ...(messagesOf(input) as Fields[]).map((message) =>
          format === "espalier" ? { ...message, id: `${piece}${String(message["id"])}` } : message,
        ),
        ...[0, 1].map((more) => says(format, `And part ${piece}${more}? `.repeat(110), 10 * piece + more)),
      ]),
    );
/** True of what went wrong because what must stay was too much. */
const isTooMuch = (error: unknown) => error instanceof espalier.EspalierError && error.code === "budget_exceeded";

for (const [format, provider] of RUNS) {
  test(`${format} for ${provider}: every request is valid, on budget and the same again; the log has what was appended`, async () => {
    let [compacted, sentAtAll] = [0, 0];
    await fc.assert(
      fc.asyncProperty(damaged(format), async (messages) => {
        const conversation = await openConversation<Fields>({
          format,
          provider,
          model: { maxPromptTokens: LIMIT },
          entropy: 3,
          llm: async () => SUMMARY,
          images: IMAGES,
        });
        for (let from = 0; from < messages.length; from += 5) {
          conversation.append(messages.slice(from, from + 5));
          try {
            const { messages: sent, report } = await conversation.prepare();
            assert.deepEqual(validate(sent, provider, { format, pending: "keep" }), [], JSON.stringify(sent));
            const { total } = espalier.countMessages(sent, { format, images: IMAGES });
            assert.ok(total <= LIMIT && report.usage.used <= LIMIT, `${total} and ${report.usage.used}`);
            sentAtAll += 1;
            await rest();
          } catch (error) {
            if (!isTooMuch(error)) throw error;
          }
        }
        const once = await conversation.prepare().catch(() => undefined);
        await rest();
        if (conversation.usage().job === "idle" && once)
          assert.deepEqual((await conversation.prepare()).messages, once.messages);
        compacted += conversation.edits().length;
        assert.deepEqual(conversation.log.originalsFrom(0), messages);
        await conversation.dispose();
      }),
      { numRuns: runs(40), seed: 11 },
    );
    assert.ok(sentAtAll > runs(50), `${sentAtAll}`);
    assert.ok(compacted > 0);
  });

  test(`${format} for ${provider}: what is compacted once is valid and on budget`, async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(damaged(format), async (messages) => {
        const how = { format, images: IMAGES };
        const budget = Math.floor(espalier.countMessages(messages, how).total * 0.6);
        let done;
        try {
          done = await espalier.compact(messages, { ...how, provider, budget, force: true });
        } catch (error) {
          if (!isTooMuch(error)) throw error;
          return;
        }
        if (done.status !== "applied") return;
        applied += 1;
        assert.deepEqual(validate(done.messages, provider, { format, pending: "keep" }), []);
        const { total } = espalier.countMessages(done.messages, how);
        assert.ok(total <= budget && done.report.after.total <= budget, `${total} of ${budget}`);
      }),
      { numRuns: runs(40), seed: 12 },
    );
    assert.ok(applied > runs(10), `${applied}`);
  });
}

test("a recording's call ids are the provider's in requests, in summaries' requests, and in no other place", async () => {
  const id = `chatcmpl-${"x".repeat(40)}`;
  const asked: LlmRequest[] = [];
  const rounds = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `${id}-${from + n}`, type: "function", function: { name: "bash", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `${id}-${from + n}`, content: `part ${from + n}\n`.repeat(40) },
    ]).flat();
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { maxPromptTokens: LIMIT },
    entropy: 1,
    background: false,
    compact: { ladder: ["summary", "fit"], maxLlmTokens: 50_000, verify: "never" },
    llm: async (request) => (asked.push(request), SUMMARY),
  });
  conversation.append([{ role: "user", content: "Go." }, ...rounds(0, 30)]);
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(validate(messages, "openai-chat"), []);
  assert.ok(
    report.repaired.some(({ rule, ids }) => rule === "call-id" && ids.length === 1),
    JSON.stringify(report.repaired),
  );
  assert.ok(asked.length > 0);
  for (const { messages: list, format } of asked)
    assert.deepEqual(validate(list, "openai-chat", { format, pending: "keep" }), []);
  // A request more begins with the same bytes: names that were made are made again.
  conversation.append(rounds(30, 31));
  const again = await conversation.prepare();
  assert.deepEqual(again.messages.slice(0, messages.length), messages);
  assert.ok(JSON.stringify(conversation.view().messages).includes(id), "the view is the host's own");
  await conversation.dispose();
});

test("a provider that is none is named", async () => {
  await refused(
    () => openConversation<Fields>({ format: "ai-sdk", provider: "openai" as never }),
    "bad_option",
    "options.provider",
  );
  await refused(
    () => espalier.compact([{ role: "user", content: "q" }], { budget: 100, provider: "openai" as never }),
    "bad_option",
    "options.provider",
  );
});
