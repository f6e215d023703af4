/** Conversations in another format: what crosses, and what is reported as lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import { FORMATS as ALL } from "../../../js/formats/table.ts";
import type { Format } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

await espalier.init();
const FORMATS = ALL.filter((format) => format !== "vscode") as Format[];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAK".repeat(8_000);

const messages = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    ],
  },
  {
    role: "assistant",
    content: "Let me look.",
    tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{"path":"."}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "a.ts" },
  { role: "assistant", content: "A file." },
];

/** Texts, calls and results, as the engine reads them. */
function essence(input: unknown, format: Format): unknown[] {
  return readConversation(input, { format }).messages.flatMap(({ role, parts }) =>
    parts.flatMap((part): unknown[] => {
      if (part.type === "text") return [[role === "developer" ? "system" : role, part.text]];
      if (part.type === "toolCall") return [["call", part.name, JSON.parse(part.arguments)]];
      return part.type === "toolResult"
        ? [["result", part.content.map((held) => held.type === "text" && held.text).join("")]]
        : [];
    }),
  );
}

for (const to of FORMATS) {
  test(`OpenAI's messages in the format ${to}, and back`, () => {
    const there = espalier.convert(messages, to);
    const { system } = there;
    const request =
      to === "gemini"
        ? { systemInstruction: { parts: [{ text: system }] }, contents: there.messages }
        : system === undefined
          ? there.messages
          : { system, messages: there.messages };
    assert.deepEqual(essence(request, to), essence(messages, "openai-chat"));
    const back = espalier.convert(request, "openai-chat", { from: to });
    assert.deepEqual(essence(back.messages, "openai-chat"), essence(messages, "openai-chat"));
  });
}

for (const to of ["openai-responses", "anthropic", "gemini"] as const) {
  test(`a picture crosses whole to ${to}`, () => {
    const { messages: converted, lost } = espalier.convert(messages, to);
    assert.ok(JSON.stringify(converted).includes(PNG));
    assert.deepEqual(lost, []);
  });
}

test("a recording crosses to the part that OpenAI has for it", () => {
  const messages = [{ role: "user", parts: [{ inlineData: { mimeType: "audio/wav", data: "UklGRg==" } }] }];
  const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
  assert.deepEqual(espalier.convert(messages, "openai-chat").messages, [{ role: "user", content: [audio] }]);
  assert.deepEqual(
    espalier.convert([{ role: "user", content: [audio] }], "gemini", { from: "openai-chat" }).messages,
    messages,
  );
});

test("a recording does not cross to Anthropic, which takes none", () => {
  const data = { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } };
  const { messages, lost } = espalier.convert(
    [{ role: "user", parts: [{ text: "What is said?" }, data] }],
    "anthropic",
  );
  assert.deepEqual(messages, [{ role: "user", content: "What is said?" }]);
  assert.deepEqual(lost, [{ index: 0, part: "document", count: 1 }]);
});

test("the id of a file with its provider does not cross", () => {
  const messages = [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }];
  const { lost } = espalier.convert(messages, "anthropic", { from: "openai-responses" });
  assert.deepEqual(lost, [{ index: 0, part: "image", count: 1 }]);
});

test("what cannot cross is listed", () => {
  const thought = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Yes." },
    ],
  };
  const { messages: converted, lost } = espalier.convert([{ role: "user", content: "Well?" }, thought], "openai-chat");
  assert.deepEqual(lost, [{ index: 1, part: "reasoning", count: 1 }]);
  assert.deepEqual(converted[1], { role: "assistant", content: "Yes." });
});

test("the same format gives the same objects", () => {
  assert.deepEqual(
    espalier.convert(messages, "openai-chat").messages.map((message, at) => message === messages[at]),
    messages.map(() => true),
  );
});

test("random conversations cross without losing a text, a call or a result", () => {
  const word = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== "");
  const round = fc
    .tuple(word, word, word)
    .map(([ask, name, answer]) => [ask, name.replace(/\W/g, "x"), answer] as const);
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), fc.constantFrom(...FORMATS), (rounds, to) => {
      const chat = rounds.flatMap(([ask, name, answer], at) => [
        { role: "user", content: ask },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${at}`, type: "function", function: { name, arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: `c${at}`, content: answer },
      ]);
      assert.deepEqual(essence(espalier.convert(chat, to).messages, to), essence(chat, "openai-chat"));
    }),
    { numRuns: runs(300) },
  );
});

test("a format that does not exist is refused", () => {
  assert.throws(() => espalier.convert(messages, "cohere" as never), { code: "bad_option", path: "to" });
  assert.throws(() => espalier.convert(messages, "anthropic", { form: "openai-chat" } as never), {
    code: "bad_option",
    path: "options.form",
  });
});

test("arguments that are not the JSON of an object are put into one", () => {
  const patch = "*** Begin Patch\n*** End Patch";
  const items = [
    { type: "message", role: "user", content: "Apply it." },
    { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: patch },
    { type: "custom_tool_call_output", call_id: "c1", output: "done" },
  ];
  for (const to of ["openai-chat", "openai-agents"] as const) {
    const said = JSON.stringify(espalier.convert(items, to).messages);
    assert.ok(said.includes(JSON.stringify(JSON.stringify({ arguments: patch }))), said);
  }
  // Others stay as they were written.
  const spaced = {
    ...messages[2],
    tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{ "path": "." }' } }],
  };
  const written = espalier.convert([spaced, messages[3]], "openai-responses").messages;
  assert.equal((written.at(-2) as { arguments: string }).arguments, '{ "path": "." }');
});

test("blank texts, which Anthropic refuses, are listed as lost", () => {
  const blank = [messages[2], { ...messages[3], content: "\n\n" }, { role: "user", content: " \t" }];
  const { messages: made, lost } = espalier.convert(blank, "anthropic");
  assert.deepEqual((made.at(-1) as { content: unknown }).content, [
    { type: "tool_result", tool_use_id: "c1", content: "" },
  ]);
  assert.deepEqual(lost, [
    { index: 1, part: "text", count: 1 },
    { index: 2, part: "text", count: 1 },
  ]);
  // An empty one has nothing to lose.
  assert.deepEqual(espalier.convert([messages[2], { ...messages[3], content: "" }], "anthropic").lost, []);
  assert.deepEqual(espalier.convert(blank, "gemini").lost, []);
});
