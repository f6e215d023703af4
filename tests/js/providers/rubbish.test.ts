/** Answers made of the right words in the wrong places: an answer or a typed error, and never anything else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anthropic, EspalierError, gemini, openai, openaiResponses } from "../../../js/providers/index.ts";
import type { HttpOptions } from "../../../js/providers/index.ts";
import { WIRES } from "../../server/model.mjs";
import { noSecret, KEY } from "./support.ts";
import { runs } from "../runs.ts";

const MAKERS = { "openai-chat": openai, "openai-responses": openaiResponses, anthropic, gemini };

const NAMES = [
  "choices",
  "message",
  "delta",
  "content",
  "tool_calls",
  "function",
  "function_call",
  "name",
  "arguments",
  "id",
  "index",
  "finish_reason",
  "usage",
  "refusal",
  "reasoning_content",
  "output",
  "type",
  "item",
  "output_index",
  "response",
  "status",
  "incomplete_details",
  "summary",
  "text",
  "call_id",
  "error",
  "code",
  "content_block",
  "input",
  "partial_json",
  "stop_reason",
  "thinking",
  "signature",
  "candidates",
  "parts",
  "functionCall",
  "args",
  "promptFeedback",
  "blockReason",
  "finishReason",
  "usageMetadata",
  "thought",
  "__proto__",
  "constructor",
];
const WORDS = [
  "message",
  "function_call",
  "reasoning",
  "output_text",
  "refusal",
  "text",
  "tool_use",
  "thinking",
  "message_start",
  "content_block_start",
  "content_block_delta",
  "message_delta",
  "message_stop",
  "input_json_delta",
  "text_delta",
  "citations_delta",
  "response.completed",
  "response.output_item.done",
  "response.output_text.delta",
  "response.failed",
  "error",
  "stop",
  "STOP",
  "end_turn",
  "completed",
  "failed",
  "",
  "é🙂",
  "{",
  '{"a":1}',
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom<unknown>(...WORDS, null, true, 0, 1, -1, 1.5, 1e9),
    tie("list"),
    tie("object"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc
    .array(fc.tuple(fc.constantFrom(...NAMES), tie("value")), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
}));

const post = (name: keyof typeof MAKERS, body: string, type: string, status = 200) =>
  MAKERS[name]({
    model: "m",
    apiKey: KEY,
    retries: 0,
    fetch: (async () => new Response(body, { status, headers: { "content-type": type } })) as HttpOptions["fetch"],
  } as HttpOptions);

async function settles(work: Promise<unknown>): Promise<void> {
  try {
    const answer = (await work) as { text: unknown; toolCalls: unknown[]; messages: unknown[] };
    assert.ok(typeof answer.text === "string" && Array.isArray(answer.toolCalls) && Array.isArray(answer.messages));
  } catch (error) {
    if (!(error instanceof EspalierError)) throw error;
    noSecret(error);
  }
  assert.equal(({} as Record<string, unknown>)["content"], undefined, "no prototype was changed");
}

for (const name of Object.keys(MAKERS) as (keyof typeof MAKERS)[]) {
  test(`property, ${name}: any JSON`, () =>
    fc.assert(
      fc.asyncProperty(value, fc.constantFrom(200, 400, 429, 500), async (body, status) =>
        settles(post(name, JSON.stringify(body), "application/json", status).send({})),
      ),
      { numRuns: runs(400) },
    ));

  test(`property, ${name}: any events`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 6 }), async (events) =>
        settles(
          post(name, events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), "text/event-stream").send(
            {},
            { stream: true },
          ),
        ),
      ),
      { numRuns: runs(400) },
    ));

  test(`property, ${name}: a good stream with something wrong in it`, () => {
    const good = WIRES[name].events(
      {
        text: "some words",
        reasoning: "hm",
        calls: [{ id: "c", name: "f", input: { a: 1 } }],
        finish: "tool_calls",
        usage: { input: 1, output: 2 },
      },
      { stream_options: { include_usage: true } },
    );
    const change = fc.record({
      at: fc.nat({ max: good.length - 1 }),
      how: fc.constantFrom("drop", "twice", "swap", "insert"),
      value,
    });
    return fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const events = [...good];
        for (const { at, how, value } of changes) {
          const event = events[at % events.length]!;
          if (how === "drop") events.splice(at % events.length, 1);
          else if (how === "twice") events.splice(at % events.length, 0, event);
          else if (how === "insert") events.splice(at % events.length, 0, `data: ${JSON.stringify(value)}\n\n`);
          else events.push(...events.splice(at % events.length, 1));
          if (events.length === 0) break;
        }
        await settles(post(name, events.join(""), "text/event-stream").send({}, { stream: true }));
      }),
      { numRuns: runs(300) },
    );
  });
}
