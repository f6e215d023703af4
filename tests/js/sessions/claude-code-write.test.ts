/** Writing Claude Code's logs: what stays keeps its lines, and what is read again is what was written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fixture, sessions } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession, writeSession } = sessions;
const log = fixture("claude-code.jsonl");
const whole = log.slice(0, log.lastIndexOf("\n"));
/** The same log before its compaction. */
const open = whole.split("\n").slice(0, 18).join("\n");

test("the same messages give the same file", () => {
  for (const text of [log, whole, open]) {
    const session = readSession(text);
    assert.equal(writeSession(session, session.messages, text), text);
  }
});

test("after a compaction only what follows it is written anew", () => {
  const session = readSession(whole);
  const written = writeSession(session, session.messages.slice(0, -1), whole);
  assert.equal(written, whole.split("\n").slice(0, -1).join("\n"));
});

test("a list that does not begin with the compaction replaces it", () => {
  const session = readSession(whole);
  const messages = [{ role: "user", content: "Begin." }, session.messages[1]!];
  const again = readSession(writeSession(session, messages, whole));
  assert.deepEqual(again.messages, messages);
  assert.deepEqual(again.compactions, []);
});

test("any subset, with new messages anywhere, reads as it was written", () => {
  const word = fc.constantFrom("one", "two", "three");
  const fresh = fc.oneof(
    word.map((content) => ({ role: "user", content })),
    word.map((text) => ({ role: "assistant", content: [{ type: "text", text }] })),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(log, whole, open),
      fc.array(fc.tuple(fc.boolean(), fc.option(fresh)), { minLength: 12, maxLength: 12 }),
      (text, picks) => {
        const session = readSession(text);
        const messages = session.messages.flatMap((message, at) => [
          ...(picks[at]![0] ? [message] : []),
          ...(picks[at]![1] ? [picks[at]![1]] : []),
        ]);
        fc.pre(messages.length > 0);
        const again = readSession(writeSession(session, messages, text));
        assert.deepEqual(again.messages, messages);
        assert.deepEqual(again.sideChains.filter(({ kind }) => kind === "branch").length <= 1, true);
        // Claude Code resumes from the newest line upwards: no message may be off that way.
        const records = writeSession(session, messages, text)
          .split("\n")
          .flatMap((line) => {
            try {
              return [JSON.parse(line) as Record<string, unknown>];
            } catch {
              return [];
            }
          });
        const byId = new Map(records.map((record) => [record["uuid"], record]));
        for (const record of records)
          if (typeof record["parentUuid"] === "string")
            assert.ok(byId.has(record["parentUuid"]), "a parent is missing");
      },
    ),
    { numRuns: runs(500) },
  );
});
