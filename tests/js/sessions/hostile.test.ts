/** Files that are damaged, empty, unknown, of a future version, or only look like an export. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { check, fixture, lines, sessions } from "./sessions.ts";
import { runs } from "../runs.ts";

await espalier.init();
const { readSession, openSession, EspalierError } = sessions;
const names = readdirSync(new URL("../../fixtures/sessions/", import.meta.url));

/** What reading gives, or the code of its error. */
function outcome(text: string, options = {}): string {
  try {
    const session = readSession(text, options);
    // What was read is understood by the engine.
    espalier.countMessages(sessions.sessionRequest(session), { format: session.format });
    return session.layout;
  } catch (error) {
    if (!(error instanceof EspalierError)) throw error;
    return error.code;
  }
}

for (const [what, text, code] of [
  ["an empty file", "", "no_conversation"],
  ["white space", "\n \n", "no_conversation"],
  ["an object", '{"a":1}', "unknown_session"],
  ["a number", "1", "unknown_session"],
  ["a text", "Dear all,\nsee you.", "unknown_session"],
  ["JSON that ends in the middle", '{\n  "messages": [\n', "bad_json"],
  ["a plain list of messages", '[{"role":"user","content":"Hi"}]', "unknown_session"],
  ["a request", '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}', "unknown_session"],
  ["an export without anything", '{"requests":[],"responderUsername":"GitHub Copilot"}', "no_conversation"],
  ["deep nesting", "[".repeat(50_000), "bad_json"],
] as const) {
  test(`${what} is ${code}`, () => assert.equal(outcome(text), code));
}

test("a future version: unknown kinds of lines are counted, and the rest is read", () => {
  const line = {
    uuid: "1",
    parentUuid: null,
    sessionId: "s",
    version: "9.0.0",
    type: "user",
    message: { role: "user", content: "Hi", mood: "good" },
  };
  check(readSession(lines(line, { type: "telepathy", sessionId: "s", uuid: "2", parentUuid: "1" })), {
    layout: "claude-code",
    version: "9.0.0",
    messages: [{ role: "user", content: "Hi" }],
    skipped: [{ kind: "telepathy", count: 1 }],
  });
});

test("lines that repeat, as synchronised folders leave them, are read once", () => {
  const log = fixture("claude-code.jsonl");
  const twice = log
    .split("\n")
    .flatMap((line) => [line, line])
    .join("\n");
  assert.deepEqual(readSession(twice).history, readSession(log).history);
});

test("bytes, pieces and line ends of every kind give the same session", async () => {
  const log = fixture("claude-code.jsonl").replaceAll("Done.", "Fertig: größer 日本");
  const want = readSession(log);
  const bytes = new TextEncoder().encode(log);
  assert.deepEqual(readSession(bytes), want);
  assert.deepEqual(readSession(`\uFEFF${log.replaceAll("\n", "\r\n")}`), want);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  assert.deepEqual(await openSession(pieces), want);
  await assert.rejects(openSession(5 as never), { code: "bad_input", path: "source" });
});

test("bytes of UTF-16 with a byte order mark are text, and compressed bytes are named", async () => {
  const text = fixture("claude-code.jsonl");
  const expected = sessions.readSession(text);
  const little = Buffer.from(`\uFEFF${text}`, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const bytes of [little, big]) {
    assert.deepEqual(sessions.readSession(bytes).messages, expected.messages);
    const pieces = [bytes.subarray(0, 1_001), bytes.subarray(1_001)];
    assert.deepEqual((await sessions.openSession(pieces)).messages, expected.messages);
  }
  const zipped = gzipSync(text);
  assert.throws(() => sessions.readSession(zipped), { code: "binary_file", message: /compressed with gzip/ });
  await assert.rejects(sessions.openSession([zipped]), { code: "binary_file" });
  const database = Buffer.from("SQLite format 3\0\u0010\0");
  assert.throws(() => sessions.readSession(database), { code: "binary_file", message: /SQLite database.*export/ });
  await assert.rejects(sessions.openSession(new Blob([database])), { code: "binary_file" });
});

test("secrets of a file are in no error", () => {
  const secret = "sk-ant-api03-abcdef0123456789";
  for (const text of [
    `{"key":"${secret}`,
    lines({ key: secret }, { key: secret }),
    `${secret}\n${secret}`,
    `{"${secret}":{"x":1}}`,
    lines({ type: secret, uuid: "1" }),
  ]) {
    assert.throws(
      () => readSession(text),
      (error: Error) => !error.message.includes(secret) && !String(error.stack).includes(secret),
    );
  }
});

test("options that make no sense are refused", () => {
  const log = fixture("claude-code.jsonl");
  for (const [options, path] of [
    [{ layout: "claude" }, "options.layout"],
    [{ conversation: 0 }, "options.conversation"],
    [{ history: 1 }, "options.history"],
    [{ sidechain: "x" }, "options.sidechain"],
    [{ conversation: 2 }, "options.conversation"],
  ] as const)
    assert.throws(() => readSession(log, options as never), { code: "bad_option", path });
});

const JUNK = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1e300,
  true,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  { type: 1 },
  { content: null },
  "__proto__",
);

/** The value with one of its parts replaced: the `at`th in the order of a walk. */
function damaged(value: unknown, at: { left: number }, junk: unknown): unknown {
  if (at.left-- === 0) return junk;
  if (Array.isArray(value)) return value.map((item) => damaged(item, at, junk));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, damaged(held, at, junk)]));
}

for (const name of names) {
  test(`${name} with any value replaced is read, or refused with a code`, () => {
    const text = fixture(name);
    const whole = name.endsWith(".jsonl") ? undefined : parsed(text);
    fc.assert(
      fc.property(fc.nat(400), JUNK, fc.nat(40), (at, junk, line) => {
        if (whole !== undefined) return void outcome(JSON.stringify(damaged(whole, { left: at }, junk)));
        const all = text.split("\n");
        const number = line % all.length;
        const record = parsed(all[number]!);
        all[number] =
          record === undefined ? all[number]!.slice(0, at) : JSON.stringify(damaged(record, { left: at % 60 }, junk));
        outcome(all.join("\n"));
      }),
      { numRuns: runs(400) },
    );
  });
}

for (const name of names) {
  test(`${name} with an object that has no text, in every place in turn, is read, or refused with a code`, () => {
    const text = fixture(name);
    const isLines = name.endsWith(".jsonl");
    const parts = isLines ? text.split("\n") : [text];
    for (const [place, part] of parts.entries()) {
      const record = parsed(part);
      if (record === undefined) continue;
      for (let at = 0; ; at++) {
        const left = { left: at };
        const one = JSON.stringify(damaged(record, left, { toString: 1 }));
        if (left.left >= 0) break;
        outcome(parts.with(place, one).join("\n"));
      }
    }
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
