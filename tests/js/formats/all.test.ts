/** What holds for every format: detection, identity of odd values, the whole way through the shipped package. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format, NeutralMessage, Part, PlanItem } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { written } from "../../../js/formats/turns.ts";
import { espalier } from "../built.ts";
import { messagesOf, refused } from "./common.ts";
import { ADAPTERS } from "./adapters.ts";
import { receiverOf } from "./rules.ts";
import { runs } from "../runs.ts";

test("what is no conversation is refused", () => {
  for (const input of [
    null,
    undefined,
    7,
    "text",
    true,
    {},
    { messages: "x" },
    { a: [] },
    [[]],
    [7],
    ["text"],
    [{ a: 1 }],
    () => 1,
  ]) {
    refused(input, "unknown_format", "messages");
  }
  refused([], "bad_option", "options.format", "morse" as Format);
  refused(
    [
      { id: "a", role: "user", parts: [] },
      { id: "a", role: "user", parts: [] },
    ],
    "duplicate_id",
    "messages[1].id",
    "espalier",
  );
  refused([{ role: "user", parts: [] }], "bad_message", "messages[0].id", "espalier");
  refused([{ id: "a", role: "user", parts: 7 }], "bad_message", "messages[0].parts", "espalier");
});

test("every transcript is read without loss", () => {
  const folder = new URL("../../fixtures/transcripts/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const transcript = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
      messages: { content: string | null; tool_calls?: unknown[] }[];
    };
    const { messages, format } = readConversation(transcript, {});
    assert.equal(format, "openai-chat");
    assert.equal(messages.length, transcript.messages.length);
    const units = (parts: readonly Part[]): number =>
      parts.reduce(
        (sum, part) =>
          sum + (part.type === "text" ? part.text.length : part.type === "toolResult" ? units(part.content) : 0),
        0,
      );
    messages.forEach(({ parts }, at) => {
      const original = transcript.messages[at]!;
      assert.equal(units(parts), original.content?.length ?? 0);
      assert.equal(parts.filter(({ type }) => type === "toolCall").length, original.tool_calls?.length ?? 0);
    });
  }
});

test("whatever hangs on untouched messages comes back", () => {
  const odd: Record<PropertyKey, unknown> = {
    date: new Date(1),
    bytes: new Uint8Array([1]),
    map: new Map([[1, 2]]),
    big: 3n,
    nothing: undefined,
    run: () => 1,
    [Symbol.for("s")]: 1,
  };
  odd["self"] = odd;
  const messages = Array.from({ length: 20 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} a\ud800b `.repeat(50),
    odd,
  }));
  const { messages: kept } = espalier.prune(messages, { budget: 1_200 });
  assert.ok(kept.length > 0 && kept.length < 20);
  for (const message of kept)
    assert.ok(messages.includes(message) && message.odd === odd && message.content.includes("\ud800"));
  // A part that nobody knows, with everything in it that JSON cannot say.
  const {
    messages: [read],
  } = readConversation([{ role: "user", content: [{ type: "odd", ...odd }] }], { format: "openai-chat" });
  assert.match((read!.parts[0] as { json: string }).json, /"big":"3"/);
});

const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== "");
const id = fc.integer({ min: 0, max: 99 }).map((n) => `c${n}`);
const result = (callId: string, content: string): Part => ({
  type: "toolResult",
  callId,
  name: "run",
  content: [{ type: "text", text: content }],
});
/** Conversations that every format can say: texts, calls and their results. */
const conversation: fc.Arbitrary<NeutralMessage[]> = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constant("user" as const), word),
      fc.tuple(fc.constant("assistant" as const), word),
      fc.tuple(fc.constant("round" as const), fc.tuple(fc.uniqueArray(id, { minLength: 1, maxLength: 3 }), word)),
    ),
    { maxLength: 12 },
  )
  .map((items) =>
    items
      .flatMap((item): Omit<NeutralMessage, "id">[] => {
        if (item[0] !== "round") return [{ role: item[0], parts: [{ type: "text", text: item[1] as string }] }];
        const [ids, content] = item[1] as [string[], string];
        return [
          {
            role: "assistant",
            parts: ids.map((callId): Part => ({ type: "toolCall", callId, name: "run", arguments: '{"a":1}' })),
          },
          ...ids.map((callId) => ({ role: "tool" as const, parts: [result(callId, content)] })),
        ];
      })
      .map((message, at) => ({ id: `n${at}`, ...message })),
  );

/** All texts, in order, whichever message has them. */
function gist(messages: readonly NeutralMessage[]): string[] {
  return messages.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === "toolResult")
        return `result ${part.callId} ${part.content.map((c) => (c.type === "text" ? c.text : "?")).join("")}`;
      return part.type === "toolCall"
        ? `call ${part.callId} ${part.name} ${part.arguments}`
        : part.type === "text"
          ? `${role} ${part.text}`
          : part.type;
    }),
  );
}

for (const [format, adapter] of Object.entries(ADAPTERS)) {
  test(`${format}: what is written reads back as it was, and keeping it all is no change`, () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const source = { input: [], list: [], name: "messages" };
        const list = messages.flatMap((message) => written(adapter, [message], source));
        const name = format === "gemini" ? "contents" : format === "openai-responses" ? "input" : "messages";
        const input = { [name]: list };
        const reading = readConversation(input, { format: format as Format });
        assert.deepEqual(gist(reading.messages), gist(messages));
        const keep = reading.messages.map(({ id }): PlanItem => ({ type: "keep", id }));
        assert.equal(reading.rebuild(keep), input);
        if (list.length > 0) assert.equal(readConversation(input, {}).messages.length, reading.messages.length);
      }),
      { seed: 5, numRuns: runs(200) },
    );
  });

  test(`${format}: pruned and compacted by the package, the result fits, pairs up and re-reads`, async () => {
    const source = { input: [], list: [], name: "messages" };
    const neutral: NeutralMessage[] = [
      { id: "u", role: "user", parts: [{ type: "text", text: "Please build all parts." }] },
    ];
    for (let i = 0; i < 40; i++) {
      const calls = [`a${i}`, `b${i}`];
      neutral.push({
        id: `r${i}`,
        role: "assistant",
        parts: calls.map(
          (callId): Part => ({ type: "toolCall", callId, name: "bash", arguments: `{"command":"make ${callId}"}` }),
        ),
      });
      neutral.push(
        ...calls.map((callId) => ({
          id: callId,
          role: "tool" as const,
          parts: [{ ...result(callId, `built ${callId}\n`.repeat(20)), name: "bash" }],
        })),
      );
    }
    const hosted = neutral.flatMap((message) => written(adapter, [message], source));
    // As the provider takes it: some want the results of a round in one message.
    const list =
      receiverOf(format as Format) === format
        ? espalier.repair(hosted, { provider: format as ProviderName, format: format as Format }).messages
        : hosted;
    const name = format === "gemini" ? "contents" : format === "openai-responses" ? "input" : "messages";
    const whole = espalier.countMessages({ [name]: list }, { format: format as Format }).total;
    for (const share of [0.2, 0.5, 0.9]) {
      const budget = Math.floor(whole * share);
      const input = { [name]: list };
      for (const run of [espalier.prune, espalier.compact]) {
        const { messages: out, report } = await run(input, { budget, format: format as Format });
        const again = espalier.countMessages(out, { format: format as Format });
        assert.ok(report.after.total <= budget);
        // Where neighbours became one message, its frame is paid once.
        assert.ok(again.total <= report.after.total, `${again.total} of ${report.after.total}`);
        if (format !== "gemini" && format !== "anthropic") assert.equal(again.total, report.after.total);
        const { messages: read } = readConversation(out, { format: format as Format });
        const lines = gist(read);
        const called = lines.filter((line) => line.startsWith("call ")).map((line) => line.split(" ")[1]);
        const answered = lines.filter((line) => line.startsWith("result ")).map((line) => line.split(" ")[1]);
        assert.deepEqual([...called].sort(), [...answered].sort());
        // Gemini has the request and the record in one message, in front of the newest round.
        for (const message of messagesOf(out).slice(format === "gemini" ? -2 : -3))
          assert.ok(list.includes(message), "the newest messages are the caller's own");
      }
    }
  });
}
