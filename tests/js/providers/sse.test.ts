/** Event streams: what browsers make of them, however the bytes are cut. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventStream } from "../../../js/providers/index.ts";
import type { ServerEvent } from "../../../js/providers/index.ts";
import { runs } from "../runs.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(pieces: readonly Uint8Array[]): ServerEvent[] {
  const stream = new EventStream();
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
}

function check(text: string, ...wanted: (string | [string, string])[]): void {
  assert.deepEqual(
    read([bytes(text)]),
    wanted.map((item) => (typeof item === "string" ? { event: "", data: item } : { event: item[0], data: item[1] })),
  );
}

test("events as browsers read them", () => {
  check("");
  check("data: a\n\n", "a");
  check("data: a\r\n\r\ndata: b\r\rdata: c\n\n", "a", "b", "c");
  check("data:a\n\ndata:  b\n\n", "a", " b");
  check("event: x\ndata: a\n\ndata: b\n\n", ["x", "a"], "b");
  check("data: a\ndata: b\ndata\n\n", "a\nb\n");
  check(": ping\n\n:\n\ndata: a\n\n", "a");
  check("id: 1\nretry: 5\nwhat: x\nnothing\n\n");
  check("event: x\n\ndata: a\n\n", "a");
  check("\ufeffdata: a\n\n", "a");
  check("data: a:b: c\n\n", "a:b: c");
  check("\n\n\ndata: a\n\n\n\n", "a");
  // The standard drops an event without an empty line behind it; some servers just end.
  check("data: a\n\ndata: b", "a", "b");
  check("data: b\n", "b");
});

test("bytes that are no UTF-8 become the sign for that", () => {
  assert.deepEqual(read([bytes("data: "), new Uint8Array([0xff, 0xf0, 0x9f]), bytes("\n\n")]), [
    { event: "", data: "\ufffd\ufffd" },
  ]);
});

const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
  fc.constantFrom("event: x", "event:", ": comment", "data", "data:", "id: 7", "🙂: é", "data: 🙂é漢\ud83d", ""),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r"), fc.constantFrom("", "", "\n", "\r\n\r\n")), {
    maxLength: 20,
  })
  .map((lines) => lines.map((parts) => parts.join("")).join(""));

test("property: any split of the bytes gives the same events", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (text, cuts) => {
      const all = bytes(text);
      const whole = read([all]);
      const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
      assert.deepEqual(read(at.slice(1).map((end, number) => all.subarray(at[number], end))), whole);
      assert.deepEqual(read([...all].map((byte) => Uint8Array.of(byte))), whole);
    }),
    { numRuns: runs(500) },
  );
});

test("a line of many pieces costs linear time, one without end is refused", () => {
  const piece = bytes("x".repeat(64));
  const many = [bytes("data: "), ...Array.from({ length: 50_000 }, () => piece), bytes("\n\n")];
  assert.equal(read(many)[0]!.data.length, 3_200_000);
  const endless = new EventStream();
  const megabyte = bytes("x".repeat(1 << 20));
  assert.throws(() => {
    for (;;) endless.push(megabyte);
  }, RangeError);
});
