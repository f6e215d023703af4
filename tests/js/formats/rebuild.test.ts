/**
 * What comes back: the host's own objects where nothing changed, shallow copies where something did, the host's format
 * for what is new.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format, NeutralMessage, Part, PartEdit, PlanItem } from "../../../js/types/messages.ts";
import { edited, frozen, picture } from "./check.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  samples,
  uiMessages,
} from "./samples.ts";
import { runs } from "../runs.ts";

const FORMATS = Object.keys(samples) as Format[];
const keep = (messages: readonly NeutralMessage[]): PlanItem[] => messages.map(({ id }) => ({ type: "keep", id }));
const inOrder = (edits: PartEdit[]) => edits.sort((one, other) => one.part - other.part);
const listOf = (request: Record<string, unknown>) =>
  (request["messages"] ?? request["contents"] ?? request["input"]) as unknown[];

for (const format of FORMATS) {
  test(`${format}: nothing changed gives back what was passed`, () => {
    const request = frozen(samples[format]());
    const whole = readConversation(request, {});
    assert.equal(whole.rebuild(keep(whole.messages)), request);
    const list = listOf(request);
    const bare = readConversation(list, { format });
    assert.equal(bare.rebuild(keep(bare.messages)), list);
  });

  test(`${format}: a message that goes leaves the others and the request as they are`, () => {
    const request = frozen(samples[format]());
    const list = listOf(request);
    const { messages, rebuild } = readConversation(request, {});
    const result = rebuild(keep(messages.slice(0, -1))) as Record<string, unknown>;
    assert.deepEqual(listOf(result).length, list.length - 1);
    listOf(result).forEach((message, at) => assert.equal(message, list[at]));
    for (const key of Reflect.ownKeys(request) as string[]) {
      if (request[key] !== list) assert.equal(result[key], request[key], String(key));
    }
    const bare = readConversation(list, { format });
    assert.ok(Array.isArray(bare.rebuild(keep(bare.messages.slice(1)))));
  });

  test(`${format}: an edit changes what it names and nothing else`, () => {
    const request = frozen(samples[format]());
    const read = readConversation(request, {});
    for (const { id, parts } of read.messages) {
      if (id === "system") continue;
      const at = read.messages.filter((message) => message.id !== "system").findIndex((message) => message.id === id);
      const before = listOf(request)[at] as object;
      parts.forEach((part, number) => {
        const others: PartEdit[] = parts.flatMap((_, other) => (other === number ? [] : [{ part: other }]));
        const edits: PartEdit[] =
          // A sealed thought has no text to replace.
          part.type === "text" || (part.type === "reasoning" && part.text !== "") || part.type === "toolResult"
            ? [{ part: number, to: { type: "text", text: "new" } }]
            : part.type === "toolCall"
              ? [
                  { part: number, to: { type: "arguments", arguments: '{"n":1}' } },
                  { part: number, callId: "z9" },
                ]
              : [];
        for (const edit of edits) {
          const result = edited(request, id, inOrder([...others, edit]), format) as Record<string, unknown>;
          const after = listOf(result)[at] as object;
          assert.notEqual(after, before);
          assert.equal(Object.getPrototypeOf(after), Object.getPrototypeOf(before));
          const wanted = structuredClone(parts);
          const changed = wanted[number]!;
          const { to, callId } = edit;
          if (to?.type === "text" && "text" in changed) changed.text = "new";
          else if (to?.type === "text" && changed.type === "toolResult")
            changed.content = [{ type: "text", text: "new" }];
          else if (to?.type === "arguments" && changed.type === "toolCall") changed.arguments = to.arguments;
          else if (callId !== undefined && changed.type === "toolCall") changed.callId = callId;
          const again = readConversation(result, { format }).messages.find((message) => message.id === id)!;
          assert.deepEqual(again.parts, wanted, `${id} part ${number}: ${to?.type}`);
          // Fields of the message that no adapter knows.
          for (const key of ["when", "bytes", "map", "big", "nothing", "x_usage", Symbol.for("x")] as string[]) {
            assert.equal(key in after, key in before);
            assert.equal((after as Record<string, unknown>)[key], (before as Record<string, unknown>)[key]);
          }
        }
      });
    }
  });

  test(`${format}: parts that an edit does not name go`, () => {
    const request = frozen(samples[format]());
    const read = readConversation(request, {});
    for (const { id, parts } of read.messages) {
      if (id === "system" || parts.length < 2 || parts.some((part) => part.type === "cacheMark")) continue;
      parts.forEach((part, number) => {
        const again = readConversation(edited(request, id, [{ part: number }], format), { format });
        const found = again.messages.find((message) => message.id === id)!.parts;
        // A Gemini response without id is no longer paired when its call went, and keeps all else.
        assert.deepEqual(
          found.map(({ type }) => type),
          [part.type],
          `${id} part ${number}`,
        );
      });
    }
  });
}

test("pages of the AI SDK: a call keeps its place when its result changes or goes", () => {
  const input = frozen(uiMessages());
  const parts = (edits: PartEdit[]) => (edited(input, "m1", edits) as { parts: Record<string, unknown>[] }[])[1]!.parts;
  const all: PartEdit[] = [0, 1, 2, 3, 4, 5, 6].map((part) => ({ part }));
  const withEdit = (edit: PartEdit) => all.map((other) => (other.part === edit.part ? edit : other));
  assert.deepEqual(parts(withEdit({ part: 5, to: { type: "text", text: "new" } }))[2], {
    ...input[1]!.parts[2],
    output: "new",
  });
  assert.deepEqual(parts(withEdit({ part: 6, to: { type: "text", text: "new" } }))[3], {
    ...input[1]!.parts[3],
    errorText: "new",
  });
  assert.deepEqual(parts(all.filter(({ part }) => part !== 5))[2], {
    type: "tool-read",
    toolCallId: "c1",
    state: "input-available",
    input: { path: "a.ts" },
  });
  assert.deepEqual(
    parts(all.filter(({ part }) => part !== 1 && part !== 5)).map(({ type }) => type),
    ["step-start", "reasoning", "dynamic-tool", "data-weather", "source-url", "text"],
  );
  assert.equal(parts(all)[2], input[1]!.parts[2]);
});

test("pages of the AI SDK: the stand-in for a lost result goes into its call", () => {
  const input = frozen([
    { id: "1", role: "user", parts: [{ type: "text", text: "q" }] },
    { id: "2", role: "assistant", parts: [{ type: "tool-f", toolCallId: "c", state: "input-available", input: {} }] },
    { id: "3", role: "user", parts: [{ type: "text", text: "r" }] },
  ]);
  const { rebuild } = readConversation(input, {});
  const message: NeutralMessage = {
    id: "x",
    role: "tool",
    parts: [{ type: "toolResult", callId: "c", content: [{ type: "text", text: "lost" }], isError: true }],
  };
  const plan: PlanItem[] = [
    { type: "keep", id: "m0" },
    { type: "keep", id: "m1" },
    { type: "insert", message },
    { type: "keep", id: "m2" },
  ];
  const out = rebuild(plan) as typeof input;
  assert.deepEqual(out[1], {
    id: "2",
    role: "assistant",
    parts: [{ type: "tool-f", toolCallId: "c", state: "output-error", input: {}, errorText: "lost" }],
  });
  assert.equal(out[2], input[2]);
});

test("VS Code: copies and new parts are of the host's classes", () => {
  const request = samples.vscode();
  const read = readConversation(request, {});
  const inserts: NeutralMessage[] = [
    { id: "i", role: "user", parts: [{ type: "text", text: "sum" }] },
    { id: "j", role: "assistant", parts: [{ type: "toolCall", callId: "k", name: "f", arguments: '{"n":1}' }] },
    { id: "l", role: "tool", parts: [{ type: "toolResult", callId: "k", content: [{ type: "text", text: "lost" }] }] },
  ];
  const [user, call, result] = (
    read.rebuild(inserts.map((message) => ({ type: "insert", message }))) as { messages: LanguageModelChatMessage[] }
  ).messages;
  for (const message of [user, call, result]) assert.ok(message instanceof LanguageModelChatMessage);
  assert.ok(user!.content[0] instanceof LanguageModelTextPart);
  assert.ok(call!.content[0] instanceof LanguageModelToolCallPart);
  const part = result!.content[0] as LanguageModelToolResultPart;
  assert.ok(part instanceof LanguageModelToolResultPart && part.content[0] instanceof LanguageModelTextPart);
  assert.deepEqual([user!.role, call!.role, result!.role], [1, 2, 1]);
  const bytes = new LanguageModelChatMessage(1, [
    new LanguageModelDataPart(new TextEncoder().encode("old"), "text/plain"),
  ]);
  const [copy] = edited([bytes], "m0", [{ part: 0, to: { type: "text", text: "new" } }]) as LanguageModelChatMessage[];
  const data = copy!.content[0] as LanguageModelDataPart;
  assert.ok(data instanceof LanguageModelDataPart);
  assert.equal(new TextDecoder().decode(data.data), "new");
});

test("Gemini: turns that became neighbours are joined, and no object of the host changes", () => {
  const turn = (role: string, text: string) => ({ role, parts: [{ text }] });
  const contents = frozen([
    turn("user", "a"),
    turn("model", "b"),
    turn("user", "c"),
    turn("user", "d"),
    turn("model", "e"),
  ]);
  const { rebuild } = readConversation({ contents }, {});
  const ids = (...at: number[]): PlanItem[] => at.map((n) => ({ type: "keep", id: `m${n}` }));
  const out = (plan: PlanItem[]) =>
    (rebuild(plan) as { contents: { role: string; parts: { text: string }[] }[] }).contents;
  const said = (plan: PlanItem[]) =>
    out(plan).map(({ role, parts }) => `${role} ${parts.map(({ text }) => text).join("+")}`);
  assert.deepEqual(said(ids(0, 2, 4)), ["user a+c", "model e"]);
  assert.deepEqual(said(ids(0, 1, 2, 3)), ["user a", "model b", "user c", "user d"]);
  assert.deepEqual(
    said([
      { type: "insert", message: { id: "s", role: "user", parts: [{ type: "text", text: "sum" }] } },
      ...ids(3, 4),
    ]),
    ["user sum+d", "model e"],
  );
  assert.equal(out(ids(0, 2, 4))[1], contents[4]);
});

test("fields that were absent stay absent, refusals and old calls go with their part", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const only = (message: object, parts: PartEdit[]) => (edited([message], "m0", parts, "openai-chat") as object[])[0];
  assert.deepEqual(only({ role: "assistant", tool_calls: [call] }, [{ part: 0, callId: "d" }]), {
    role: "assistant",
    tool_calls: [{ ...call, id: "d" }],
  });
  assert.deepEqual(only({ role: "assistant", content: "x", tool_calls: [call] }, [{ part: 0 }]), {
    role: "assistant",
    content: "x",
  });
  assert.deepEqual(
    only({ role: "assistant", content: "x", function_call: { name: "f", arguments: "" } }, [{ part: 0 }]),
    { role: "assistant", content: "x" },
  );
  assert.deepEqual(only({ role: "assistant", refusal: "No.", tool_calls: [call] }, [{ part: 1 }]), {
    role: "assistant",
    tool_calls: [call],
  });
  assert.deepEqual(
    only({ role: "user", content: ["a", { type: "text", text: "b", cache_control: {} }] }, [
      { part: 0, to: { type: "text", text: "c" } },
    ]),
    { role: "user", content: ["c"] },
  );
});

// What is inserted in a format and read back is what was inserted, as far as the format can say it.
const word = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `w${text}`);
const call = fc.record({
  name: fc.constantFrom("read", "run"),
  arguments: fc
    .dictionary(fc.constantFrom("a", "b"), fc.oneof(word, fc.integer()))
    .map((object) => JSON.stringify(object)),
});
const round = fc.record({
  said: fc.option(word, { nil: undefined }),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  results: fc.array(word, { minLength: 3, maxLength: 3 }),
  answer: word,
});
const conversations = fc.array(fc.record({ ask: word, rounds: fc.array(round, { maxLength: 2 }), answer: word }), {
  minLength: 1,
  maxLength: 3,
});

function neutral(turns: typeof conversations extends fc.Arbitrary<infer T> ? T : never): NeutralMessage[] {
  const out: NeutralMessage[] = [];
  const push = (role: NeutralMessage["role"], parts: Part[]) => out.push({ id: `n${out.length}`, role, parts });
  for (const { ask, rounds, answer } of turns) {
    push("user", [{ type: "text", text: ask }]);
    for (const { said, calls, results } of rounds) {
      const ids = calls.map((_, at) => `id${out.length}_${at}`);
      push("assistant", [
        ...(said === undefined ? [] : [{ type: "text" as const, text: said }]),
        ...calls.map((made, at) => ({ type: "toolCall" as const, callId: ids[at]!, ...made })),
      ]);
      push(
        "tool",
        calls.map(({ name }, at) => ({
          type: "toolResult" as const,
          callId: ids[at]!,
          name,
          content: [{ type: "text" as const, text: results[at]! }],
        })),
      );
    }
    push("assistant", [{ type: "text", text: answer }]);
  }
  return out;
}

/**
 * The conversation without what formats say differently: borders of messages, the role of results, names on results.
 */
function essence(messages: readonly NeutralMessage[]): string[] {
  return messages.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === "toolResult")
        return picture([
          { id: "", role: "tool", parts: [{ type: "toolResult", callId: part.callId, content: part.content }] },
        ]);
      return picture([{ id: "", role, parts: [part] }]);
    }),
  );
}

for (const format of FORMATS) {
  test(`${format}: random conversations, written and read back`, () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const messages = neutral(turns);
        const empty =
          format === "gemini" ? { contents: [] } : format === "openai-responses" ? { input: [] } : { messages: [] };
        const written = readConversation(empty, { format }).rebuild(
          messages.map((message) => ({ type: "insert", message })),
        );
        const again = readConversation(written, { format });
        assert.deepEqual(essence(again.messages), essence(messages));
        assert.equal(again.rebuild(keep(again.messages)), written);
      }),
      { seed: 1, numRuns: runs(100) },
    );
  });
}
