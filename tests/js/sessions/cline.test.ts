/** Cline and Roo: results that are texts, hidden messages, two forms of files, and writing them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession, writeSession } = sessions;
const files = { cline: fixture("cline.json"), roo: fixture("roo.json"), session: fixture("cline-session.json") };
const injected = (text: string) => readSession(text).entries.map((entry) => (entry.injected ? "injected" : ""));

test("texts that begin with a result answer the calls before them", () => {
  const session = readSession(files.cline);
  check(session, {
    layout: "cline",
    format: "anthropic",
    model: "claude-sonnet-4-5",
    cwd: "/srv/shop",
    compactions: [],
    problems: [],
  });
  assert.deepEqual(outline(session), [
    "user text text text",
    "assistant reasoning text call:tooluse_1 call:tooluse_2 call:tooluse_3",
    "user result:tooluse_2 result:tooluse_1 result:tooluse_3 text text",
    "assistant call:tooluse_4",
    "user text text",
    "assistant text call:tooluse_5",
    "user result:tooluse_5 text",
    "user text text",
    "assistant text",
  ]);
  assert.deepEqual(unpaired(session), ["call tooluse_4"]);
  assert.deepEqual(injected(files.cline), ["", "", "", "", "", "", "", "injected", ""]);
  const results = (session.messages[2] as { content: { content: unknown[] }[] }).content;
  assert.deepEqual(
    results.slice(0, 3).map(({ content }) => content.length),
    [1, 1, 3],
  );
  assert.ok(!JSON.stringify(session.messages).includes("call_id"));
});

test("usage counts what came from the cache once", () => {
  assert.deepEqual(
    readSession(files.cline).usage.map(({ answer, usage: { promptTotal, input } }) => [answer, input, promptTotal]),
    [
      [1, 1000, 5000],
      [3, 1100, 6100],
      [5, 2000, 9000],
    ],
  );
  assert.deepEqual(
    readSession(files.session).usage.map(({ answer, usage: { promptTotal, input } }) => [answer, input, promptTotal]),
    [
      [1, 500, 5000],
      [3, 12, 4612],
    ],
  );
});

test("Roo's summaries and cuts hide what names them", () => {
  const session = readSession(files.roo);
  assert.deepEqual(
    session.compactions.map(({ before, summary, place, context }) => [before, summary, place, context.length]),
    [
      [3, "## Summary\nTotals are not rounded.", 3, 2],
      [5, undefined, 7, 3],
    ],
  );
  assert.deepEqual(
    session.messages.map((message) => (message as { role: string }).role),
    ["user", "assistant", "user", "user", "assistant"],
  );
  assert.equal(session.history.length, 7);
  assert.deepEqual(injected(files.roo), ["", "", "injected", "", "", "injected", ""]);
  assert.deepEqual(session.skipped, [{ kind: "reasoning", count: 1 }]);
  const rewound = readSession(
    JSON.stringify(
      (JSON.parse(files.roo) as { isTruncationMarker?: boolean }[]).filter((item) => !item.isTruncationMarker),
    ),
  );
  assert.equal(rewound.messages.length, 6);
});

test("files of the newer CLI open", () => {
  const session = readSession(files.session);
  check(session, {
    layout: "cline-session",
    format: "anthropic",
    id: "1767607200000_abc",
    version: "1",
    system: "You are Cline.",
    model: "claude-sonnet-4-5",
  });
  assert.deepEqual(outline(session), [
    "user text",
    "assistant reasoning call:call_1",
    "user result:call_1",
    "assistant text",
  ]);
  assert.deepEqual(unpaired(session), []);
});

test("a list of the API's messages is no session, and the panel's record says where the conversation is", () => {
  const list = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [{ type: "text", text: "Hello" }] },
  ];
  assert.throws(() => readSession(JSON.stringify(list)), { code: "unknown_session" });
  assert.throws(() => readSession(JSON.stringify({ messages: list, model: "m" })), { code: "unknown_session" });
  const panel = [
    { ts: 1, type: "say", say: "text", text: "secret" },
    { ts: 2, type: "ask", ask: "tool", text: "{}" },
  ];
  assert.throws(() => readSession(JSON.stringify(panel)), {
    code: "no_conversation",
    message: /api_conversation_history\.json/,
  });
  assert.throws(() => readSession(lines(...list)), { code: "unknown_session" });
});

test("the same messages give the same file, and a shorter list keeps the items of the others", () => {
  for (const text of Object.values(files)) {
    const session = readSession(text);
    assert.equal(writeSession(session, session.messages, text), text);
    assert.deepEqual(
      JSON.parse(writeSession(session, [...session.messages, { role: "user", content: "More." }], text)).at?.(-1)
        ?.content ?? "More.",
      "More.",
    );
  }
  const session = readSession(files.cline);
  const written = JSON.parse(writeSession(session, session.messages.slice(0, 3), files.cline)) as unknown[];
  assert.deepEqual(written, (JSON.parse(files.cline) as unknown[]).slice(0, 3));
});

test("any list of messages reads as it was written", () => {
  const result = "[read_file for 'cart.ts'] Result:\nagain";
  const fresh = fc.constantFrom(
    { role: "user", content: "one" },
    { role: "assistant", content: [{ type: "text", text: "two" }] },
    { role: "user", content: [{ type: "text", text: result }] },
    { role: "assistant", content: [{ type: "tool_use", id: "new", name: "read_file", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "new", content: result }] },
  );
  const picks = fc.array(fc.tuple(fc.nat(12), fc.boolean(), fc.option(fresh)), { minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(files)), picks, fc.boolean(), (text, list, isLive) => {
      const session = readSession(text);
      const source = isLive ? session.messages : session.history;
      const context = isLive ? (session.compactions.at(-1)?.context ?? []) : [];
      const messages = [
        ...context,
        ...list.flatMap(([at, isTaken, one]) => [
          ...(isTaken ? [source[at % source.length]] : []),
          ...(one ? [one] : []),
        ]),
      ];
      fc.pre(messages.length > 0);
      const written = writeSession(session, messages, text);
      const again = readSession(written, { layout: session.layout });
      assert.deepEqual(again.messages, messages);
      assert.equal(again.compactions.length, context.length > 0 ? session.compactions.length : 0);
    }),
    { numRuns: runs(1000) },
  );
});

test("fields of any type do no harm", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(files)),
      fc.nat(9),
      fc.constantFrom("content", "ts", "metrics", "modelInfo", "condenseParent", "isSummary", "condenseId", "type"),
      fc.jsonValue(),
      (text, at, name, value) => {
        const file = JSON.parse(text) as unknown;
        const list = (Array.isArray(file) ? file : (file as { messages: unknown[] }).messages) as Record<
          string,
          unknown
        >[];
        list[at % list.length]![name] = value;
        check(readSession(JSON.stringify(file), { layout: Array.isArray(file) ? "cline" : "cline-session" }), {
          format: "anthropic",
        });
      },
    ),
    { numRuns: runs(500) },
  );
});

test("a file of one long line opens, with and without a line end", () => {
  const long = JSON.stringify([
    { role: "user", content: "x".repeat(9_000_000), ts: 1 },
    { role: "assistant", content: "Done.", ts: 2 },
  ]);
  for (const text of [long, `${long}\n`, `${long}\n\n`]) assert.equal(readSession(text).messages.length, 2);
});
