/** Good answers: the same from every provider, streamed or not, however the bytes are cut. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Answer, SendOptions, StreamPart } from "../../../js/providers/index.ts";
import { answer } from "../../server/model.mjs";
import type { How, What } from "../../server/model.mjs";
import { asks, make, NAMES, scripted } from "./support.ts";
import type { WireName } from "./support.ts";
import { runs } from "../runs.ts";

const server = await scripted();

async function ask(name: WireName, what: What, how: How = {}, options: SendOptions = {}): Promise<Answer> {
  const provider = make(name, server);
  server.queue(answer(what, how));
  return provider.send(asks(provider), { retries: 0, ...options });
}

/** What must be alike for all providers. */
const shown = ({ text, toolCalls, reasoning, finish, usage }: Answer) => ({
  text,
  calls: toolCalls.map(({ name, input }) => ({ name, input })),
  reasoning,
  finish,
  usage: usage && { ...usage, raw: undefined },
});

const CASES: Record<string, What> = {
  words: { text: 'Grüße, 世界 🙂👩‍👩‍👧! \u0000 "quoted"\n\n- a list' },
  "nothing at all": { text: "" },
  "one call": { calls: [{ id: "call_1", name: "read", input: { path: "a.ts", lines: [1, 2] } }] },
  "words, then parallel calls": {
    text: "Both.",
    calls: [
      { id: "call_1", name: "read", input: {} },
      { id: "call_2", name: "read", input: { path: "ü🙂" } },
    ],
  },
  thoughts: { reasoning: "Let me see. 🤔 Yes.", text: "42", usage: { input: 10, output: 50, reasoning: 40 } },
  "a cached prompt": { text: "Fast.", usage: { input: 10, cacheRead: 90_000, output: 5 } },
  "out of tokens": { text: "and then", finish: "length" },
  filtered: { text: "", finish: "content_filter" },
  "no usage": { text: "a", usage: undefined },
};

for (const name of NAMES) {
  for (const [title, what] of Object.entries(CASES)) {
    test(`${name}: ${title}`, async () => {
      const plain = await ask(name, what, {}, { stream: false });
      const parts: StreamPart[] = [];
      const streamed = await ask(name, what, {}, { onPart: (part) => parts.push(part) });
      assert.deepEqual(shown(streamed), shown(plain));
      assert.deepEqual(streamed.messages, plain.messages);
      assert.equal(plain.requestId, "req-scripted");
      assert.equal(plain.text, what.text ?? "");
      assert.deepEqual(
        plain.toolCalls.map(({ name, input, arguments: args }) => ({ name, input, args: JSON.parse(args) as unknown })),
        (what.calls ?? []).map(({ name, input }) => ({ name, input, args: input })),
      );
      // The pieces are the whole.
      const said = (type: string) =>
        parts.flatMap((part) => (part.type === type && "text" in part ? [part.text] : [])).join("");
      assert.equal(said("text"), plain.text);
      assert.equal(said("reasoning"), plain.reasoning ?? "");
      assert.deepEqual(
        parts.flatMap((part) => (part.type === "toolCall" ? [part.call] : [])),
        streamed.toolCalls,
      );
      assert.deepEqual(parts.at(-1), { type: "done", answer: streamed });
      assert.deepEqual(
        plain.warnings.map(({ code }) => code),
        "usage" in what && what.usage === undefined ? ["usage_missing"] : [],
      );
    });
  }

  test(`${name}: a refusal in words`, async () => {
    const what = { refusal: "I cannot help with that.", finish: "refusal" };
    for (const stream of [false, true]) {
      const { text, finish } = await ask(name, what, {}, { stream });
      assert.deepEqual([text, finish], [what.refusal, name === "gemini" ? "stop" : "refusal"]);
    }
  });

  test(`${name}: any cut of the bytes gives the same answer`, async () => {
    const what: What = {
      text: "é漢🙂 ".repeat(6),
      reasoning: "🤔",
      calls: [{ id: "c1", name: "f", input: { a: "ß" } }],
    };
    const wanted = shown(await ask(name, what, {}, { stream: true }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }), async (chunks) => {
        assert.deepEqual(shown(await ask(name, what, { chunks }, { stream: true })), wanted);
      }),
      { numRuns: runs(12) },
    );
    assert.deepEqual(shown(await ask(name, what, { chunks: [1] }, { stream: true })), wanted);
    assert.deepEqual(shown(await ask(name, what, { chunks: [3] }, { stream: false })), wanted);
  });

  test(`${name}: a slow trickle within the allowed silence is no failure`, async () => {
    const { text } = await ask(name, { text: "one two three" }, { delay: 10 }, { stream: true, idleTimeoutMs: 2_000 });
    assert.equal(text, "one two three");
  });

  test(`${name}: a server that knows no streams answers in one piece`, async () => {
    const provider = make(name, server);
    server.queue((exchange) => answer({ text: "Whole." })({ ...exchange, isStream: false }));
    const texts: string[] = [];
    const { text } = await provider.send(asks(provider), { onText: (piece) => texts.push(piece) });
    assert.deepEqual([text, texts], ["Whole.", ["Whole."]]);
  });

  test(`${name}: reading piece by piece`, async () => {
    const provider = make(name, server);
    server.queue(answer({ text: "a piece at a time" }));
    const pieces: string[] = [];
    for await (const part of provider.stream(asks(provider))) pieces.push(part.type);
    assert.deepEqual([new Set(pieces), pieces.at(-1)], [new Set(["text", "done"]), "done"]);
  });
}

test("usage of all providers sums to what they report, streamed or not", async () => {
  const table: What["usage"][] = [
    { input: 100, output: 20 },
    { input: 0, output: 0 },
    { input: 10, cacheRead: 1_000, output: 7, reasoning: 5 },
    { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
  ];
  for (const name of NAMES) {
    for (const usage of table) {
      for (const stream of [false, true]) {
        const { usage: got, warnings } = await ask(name, { text: "a", usage }, {}, { stream });
        assert.ok(got && usage);
        const cacheWrite = name === "anthropic" ? (usage.cacheWrite ?? 0) : 0;
        const reasoning = name === "anthropic" ? 0 : (usage.reasoning ?? 0);
        const promptTotal = usage.input + (usage.cacheRead ?? 0) + cacheWrite;
        assert.deepEqual(
          { ...got, raw: 0 },
          {
            input: usage.input,
            cacheRead: usage.cacheRead ?? 0,
            cacheWrite,
            output: usage.output,
            reasoning,
            promptTotal,
            raw: 0,
          },
          `${name} ${stream}`,
        );
        assert.equal(got.input + got.cacheRead + got.cacheWrite, got.promptTotal);
        const raw = got.raw as Record<string, number>;
        const total = raw["total_tokens"] ?? raw["totalTokenCount"];
        if (total !== undefined) assert.equal(got.promptTotal + got.output, total);
        assert.deepEqual(warnings, []);
      }
    }
  }
});
