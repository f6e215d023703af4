/**
 * Copilot Chat in VS Code: what went to the model comes from the metadata; the panel's display only where there is
 * nothing else.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Session } from "../../../js/sessions/index.ts";
import { renderedText } from "../../../js/sessions/rendered-tree.ts";
import { h, render } from "../prompt/pieces.ts";
import { ours } from "../prompt/subject.ts";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession } = sessions;
const file = fixture("vscode-chat.json");
const log = fixture("vscode-chat-log.jsonl");
const replay = fixture("copilot-replay.json");
const turns = ({ history, entries }: Session) =>
  history.filter((message, at) => (message as { role: number }).role === 1 && !entries[at]!.injected).length;
const texts = (message: unknown) =>
  (message as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("");

test("a chat opens with the texts that the model saw", () => {
  const session = readSession(file);
  check(session, {
    layout: "vscode-chat",
    format: "raw",
    id: "chat-1",
    title: "Rounding",
    version: "0.31.5",
    model: "gpt-5-mini",
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text cacheMark",
    "user text cacheMark",
    "assistant opaque text call:toolu_1__vscode-17 call:toolu_2__vscode-18",
    "tool result:toolu_1__vscode-17",
    "tool result:toolu_2__vscode-18",
    "assistant text",
    "user text cacheMark",
    "assistant call:toolu_3__vscode-19",
    "tool result:toolu_3__vscode-19",
    "assistant text call:toolu_4__vscode-20",
    "user text",
    "assistant text",
  ]);
  assert.equal(turns(session), 3);
  assert.equal(texts(session.history[3]), "2 resultscart.ts:4\ncart.ts:9\ndone");
  assert.equal(texts(session.history.at(-1)), "You changed `total` in `cart.ts`.");
});

test("a turn that was cancelled keeps its call without a result", () => {
  const session = readSession(file);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), ["call toolu_4__vscode-20"]);
});

test("a summary replaces the rounds up to the one it names, though a later request records it", () => {
  const session = readSession(file);
  assert.deepEqual(
    session.compactions.map(({ before, summary, place }) => [before, summary, place]),
    [[9, "Totals are rounded in cart.ts.", 1]],
  );
  assert.deepEqual(outline(session), [
    "user text cacheMark",
    "user text",
    "assistant text call:toolu_4__vscode-20",
    "user text",
    "assistant text",
  ]);
  assert.equal(session.messages[0], session.history[0]);
});

test("usage, undone requests and what the panel shows are kept apart", () => {
  const session = readSession(file);
  assert.deepEqual(
    session.usage.map(({ answer, usage, model }) => [answer, usage.promptTotal, usage.output, model]),
    [
      [5, 9000, 40, "claude-sonnet-4"],
      [11, 7000, 12, "gpt-5-mini"],
    ],
  );
  assert.deepEqual(readSession(file, { sideChain: "undone" }).messages.length, 2);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    [
      "4 response/markdown",
      "1 response/prepareToolInvocation",
      "2 response/toolInvocationSerialized",
      "1 response/thinking",
      "1 response/inlineReference",
      "1 renderedGlobalContext",
      "1 error",
    ],
  );
});

test("a log of changes is replayed, and says which line brought what", () => {
  const session = readSession(log);
  check(session, {
    layout: "vscode-chat-log",
    id: "chat-2",
    title: "Rounding",
    model: "claude-sonnet-4",
    problems: [],
  });
  assert.deepEqual(unpaired(session), []);
  assert.equal(turns(session), 2);
  assert.deepEqual(
    session.entries.map(({ places }) => places[0]),
    [3, 3, 7, 7, 7, 7, 8, 8],
  );
  assert.deepEqual(
    session.skipped.filter(({ kind }) => !kind.startsWith("response")).map(({ kind, count }) => `${count} ${kind}`),
    ["2 a change of what is not there", "1 kind 9"],
  );
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  const torn = readSession(`${log}{"kind":1,"k":["requests",`);
  assert.deepEqual([torn.messages, torn.problems.length], [session.messages, 1]);
});

test("a debug export gives the newest request, and what its summary replaced", () => {
  const session = readSession(replay);
  check(session, { layout: "copilot-replay", format: "raw", model: "gpt-5-mini", window: 191_997 });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "system text cacheMark",
    "user text",
    "user text",
    "assistant text opaque call:c1",
    "tool result:c1",
    "assistant text",
    "user text",
    "assistant text",
    "assistant text call:c2",
    "tool result:c2",
  ]);
  assert.deepEqual(outline(session), [
    "system text cacheMark",
    "user text",
    "user text",
    "user text",
    "assistant text call:c2",
    "tool result:c2",
  ]);
  assert.equal(turns(session), 2);
  assert.deepEqual(
    session.compactions.map(({ before, summary }) => [before, summary]),
    [[8, "Totals are not rounded."]],
  );
  assert.deepEqual(
    session.usage.map(({ answer, usage: { promptTotal, cacheRead } }) => [answer, promptTotal, cacheRead]),
    [
      [3, 900, 0],
      [5, 950, 800],
      [7, 980, 900],
      [8, 960, 0],
    ],
  );
  assert.equal(session.tools?.length, 1);
  const live = readSession(replay, {});
  assert.deepEqual(live.messages, session.messages);
});

test("fields of any type do no harm, and other files are not taken", () => {
  const chat = JSON.parse(file) as Record<string, unknown>;
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(11), (value, at) => {
      const requests = structuredClone(chat["requests"]) as Record<string, unknown>[];
      const names = Object.keys(requests[0]!);
      requests[0]![names[at % names.length]!] = value;
      (requests[1]!["result"] as { metadata: Record<string, unknown> }).metadata[
        ["toolCallRounds", "toolCallResults", "renderedUserMessage", "summary"][at % 4]!
      ] = value;
      check(readSession(JSON.stringify({ ...chat, requests })), { layout: "vscode-chat" });
    }),
    { numRuns: runs(300) },
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.nat(3), fc.constantFrom("requests", "response", "result"))),
      fc.jsonValue(),
      fc.nat(4),
      (k, v, kind) => {
        try {
          readSession(lines({ kind: 0, v: chat }, { kind, k: ["requests", ...k], v, i: 1 }), {
            layout: "vscode-chat-log",
          });
        } catch (error) {
          assert.equal((error as { code?: string }).code, "no_conversation");
        }
      },
    ),
    { numRuns: runs(300) },
  );
  for (const other of [
    { requests: [] },
    { requests: [{ url: "/a" }] },
    [{ role: "user", content: "Hi" }],
    { prompts: [{ logs: [{ kind: "request" }] }] },
  ]) {
    assert.throws(() => readSession(JSON.stringify(other)), { code: "unknown_session" });
  }
});

test("trees read as the renderer renders them", async () => {
  const text = fc.record({
    type: fc.constant(2),
    priority: fc.constant(1),
    text: fc.constantFrom("a", "b\n", "c", "\n"),
    references: fc.constant([]),
    lineBreakBefore: fc.boolean(),
  });
  const { piece } = fc.letrec((tie) => ({
    piece: fc.record({
      type: fc.constant(1),
      ctor: fc.constant(2),
      props: fc.constant({}),
      references: fc.constant([]),
      children: fc.array(fc.oneof({ maxDepth: 4 }, text, tie("piece")), { minLength: 1, maxLength: 4 }),
    }),
  }));
  await fc.assert(
    fc.asyncProperty(piece, async (node) => {
      // Messages without words are not sent.
      fc.pre(renderedText(node).trim() !== "");
      const { messages } = await render(ours, () => h(ours.UserMessage, {}, h("elementJSON", { data: { node } })));
      const words = messages.map((message: unknown) => texts(message)).join("");
      assert.equal(renderedText(node), words);
    }),
    { numRuns: runs(300) },
  );
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((node) => ({ type: 1, children: [node] }), {
    type: 2,
    text: "deep",
  });
  assert.equal(renderedText(deep), "deep");
});
