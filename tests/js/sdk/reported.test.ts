/** Usage in answers of every form that servers send; the client gets each byte as it came. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withReport } from "../../../js/sdk/reported.ts";

const USAGE = { prompt_tokens: 7, completion_tokens: 2 };
const EVENT = JSON.stringify({ choices: [], usage: USAGE }, undefined, 1);
const FIELDS = EVENT.split("\n").map((line) => `data: ${line}`);

async function check(type: string, text: string, expected: unknown, size = 5): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const seen: unknown[] = [];
  const response = withReport(new Response(body, { headers: { "content-type": type } }), (usage) => seen.push(usage));
  assert.equal(await response.text(), text);
  assert.deepEqual(seen, expected === undefined ? [] : [expected]);
}

const STREAM = "text/event-stream; charset=utf-8";

for (const [what, type, text, expected] of [
  ["JSON", "application/json", EVENT, USAGE],
  ["a page", "text/html", '<p>"usage</p>', undefined],
  ["an event of several lines", STREAM, `${FIELDS.join("\n")}\n\ndata: [DONE]\n\n`, USAGE],
  ["lines that end in CRLF", STREAM, `event: x\r\n${FIELDS.join("\r\n")}\r\n\r\n`, USAGE],
  ["a connection that closes behind the last line", STREAM, FIELDS.join("\n"), USAGE],
  ["an event that breaks off", STREAM, `data: {"usage": {"prompt_tok`, undefined],
  ["in a choice, as Kimi streams it", STREAM, `data: {"choices":[{"usage":${JSON.stringify(USAGE)}}]}\n\n`, USAGE],
  ["in Groq's own field", STREAM, `data: {"choices":[],"x_groq":{"usage":${JSON.stringify(USAGE)}}}\n\n`, USAGE],
  [
    "usage in two events",
    STREAM,
    'data: {"message":{"usage":{"input_tokens":5}}}\n\ndata: {"usage":{"output_tokens":3}}\n\n',
    { input_tokens: 5, output_tokens: 3 },
  ],
] as const)
  test(`usage: ${what}`, () => check(type, text, expected));

test("usage: behind an event of the same piece that is no JSON", () =>
  check(STREAM, `data: {"usage\n\n${FIELDS.join("\n")}\n\n`, USAGE, 1_000));

test("an event that is too long to be read passes", () =>
  check(STREAM, `data: ${"x".repeat(40 << 20)}\n\n${FIELDS.join("\n")}\n\n`, undefined, 1 << 20));
