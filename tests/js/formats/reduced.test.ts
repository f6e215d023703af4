/**
 * What pruning makes of media and results, in every format: notes in their place, and results that also get another id.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format, NeutralMessage, Part, PartEdit, PlanItem } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { freeze, messagesOf } from "./common.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./samples.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const url = `data:image/png;base64,${PNG}`;
const bytes = () => Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0));
const source = { type: "base64", media_type: "image/png", data: PNG };

/** A request with a picture, a call, its result with two texts and a picture between them, and the newest request. */
const samples: Record<Format, () => unknown> = {
  "openai-chat": () => [
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "shoot", arguments: '{"a":1}' } }],
    },
    {
      role: "tool",
      tool_call_id: "c1",
      content: [
        { type: "text", text: "one" },
        { type: "image_url", image_url: { url }, cache_control: { type: "ephemeral" } },
        { type: "text", text: "two" },
      ],
    },
    { role: "user", content: "go on" },
  ],
  "openai-responses": () => [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: url },
      ],
    },
    { type: "function_call", call_id: "c1", name: "shoot", arguments: '{"a":1}' },
    {
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "one" },
        { type: "input_image", image_url: url },
        { type: "input_text", text: "two" },
      ],
    },
    { type: "message", role: "user", content: "go on" },
  ],
  anthropic: () => [
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source, cache_control: { type: "ephemeral" } },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "shoot", input: { a: 1 } }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [
            { type: "text", text: "one" },
            { type: "image", source },
            { type: "text", text: "two" },
          ],
        },
      ],
    },
    { role: "assistant", content: "seen" },
    { role: "user", content: "go on" },
  ],
  gemini: () => [
    { role: "user", parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: PNG } }] },
    { role: "model", parts: [{ functionCall: { id: "c1", name: "shoot", args: { a: 1 } } }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "c1",
            name: "shoot",
            response: { output: "one" },
            parts: [{ inlineData: { mimeType: "image/png", data: PNG } }],
          },
        },
      ],
    },
    { role: "model", parts: [{ text: "seen" }] },
    { role: "user", parts: [{ text: "go on" }] },
  ],
  vscode: () => [
    new LanguageModelChatMessage(1, [
      new LanguageModelTextPart("look"),
      new LanguageModelDataPart(bytes(), "image/png"),
    ]),
    new LanguageModelChatMessage(2, [new LanguageModelToolCallPart("c1", "shoot", { a: 1 })]),
    new LanguageModelChatMessage(1, [
      new LanguageModelToolResultPart("c1", [
        new LanguageModelTextPart("one"),
        new LanguageModelDataPart(bytes(), "image/png"),
        new LanguageModelTextPart("two"),
      ]),
    ]),
    new LanguageModelChatMessage(1, [new LanguageModelTextPart("go on")]),
  ],
  langchain: () => [
    {
      type: "human",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url } },
      ],
    },
    { type: "ai", content: "", tool_calls: [{ id: "c1", name: "shoot", args: { a: 1 } }] },
    {
      type: "tool",
      tool_call_id: "c1",
      content: [
        { type: "text", text: "one" },
        { type: "image", source_type: "base64", data: PNG, mime_type: "image/png" },
        { type: "text", text: "two" },
      ],
    },
    { type: "human", content: "go on" },
  ],
  "openai-agents": () => [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image: url },
      ],
    },
    { type: "function_call", callId: "c1", name: "shoot", arguments: '{"a":1}' },
    {
      type: "function_call_result",
      callId: "c1",
      name: "shoot",
      output: [
        { type: "input_text", text: "one" },
        { type: "input_image", image: url },
        { type: "input_text", text: "two" },
      ],
    },
    { type: "message", role: "user", content: "go on" },
  ],
  "ai-sdk": () => [
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", image: PNG, mediaType: "image/png" },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "shoot", input: { a: 1 } }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "shoot",
          output: {
            type: "content",
            value: [
              { type: "text", text: "one" },
              { type: "media", data: PNG, mediaType: "image/png" },
              { type: "text", text: "two" },
            ],
          },
        },
      ],
    },
    { role: "user", content: "go on" },
  ],
  raw: () => [
    {
      role: 1,
      content: [
        { type: 1, text: "look" },
        { type: 0, imageUrl: { url } },
      ],
    },
    {
      role: 2,
      content: [],
      toolCalls: [{ id: "c1", type: "function", function: { name: "shoot", arguments: '{"a":1}' } }],
    },
    {
      role: 3,
      toolCallId: "c1",
      content: [{ type: 1, text: "one" }, { type: 0, imageUrl: { url } }, { type: 1, text: "two" }, { type: 3 }],
    },
    { role: 1, content: [{ type: 1, text: "go on" }] },
  ],
  espalier: () => [
    {
      id: "a",
      role: "user",
      parts: [
        { type: "text", text: "look" },
        { type: "image", mediaType: "image/png", data: PNG },
      ],
    },
    { id: "b", role: "assistant", parts: [{ type: "toolCall", callId: "c1", name: "shoot", arguments: '{"a":1}' }] },
    {
      id: "c",
      role: "tool",
      parts: [
        {
          type: "toolResult",
          callId: "c1",
          content: [
            { type: "text", text: "one" },
            { type: "image", mediaType: "image/png", data: PNG },
            { type: "text", text: "two" },
          ],
        },
      ],
    },
    { id: "d", role: "user", parts: [{ type: "text", text: "go on" }] },
  ],
};

/** The host's messages read again after these edits of one message. */
function after(
  format: Format,
  at: number,
  parts: (message: NeutralMessage) => PartEdit[],
): { read: NeutralMessage[]; host: readonly unknown[] } {
  const input = freezable(samples[format]());
  const reading = readConversation(input, { format });
  const plan = reading.messages.map(
    (message, index): PlanItem =>
      index === at ? { type: "edit", id: message.id, parts: parts(message) } : { type: "keep", id: message.id },
  );
  const host = messagesOf(reading.rebuild(plan));
  host.forEach((message, index) => index !== at && assert.equal(message, messagesOf(input)[index]));
  return { read: readConversation(host, { format }).messages, host };
}

/** Class instances of the editor's stand-ins freeze like everything else. */
const freezable = (input: unknown) => freeze(input);
const kept = (parts: readonly Part[]) => parts.map((_, part): PartEdit => ({ part }));
const texts = (parts: readonly Part[]): string =>
  parts
    .map((part) =>
      part.type === "text" ? part.text : part.type === "toolResult" ? `[${texts(part.content)}]` : part.type,
    )
    .join("|");

for (const format of Object.keys(samples) as Format[]) {
  test(`${format}: a note replaces a picture`, () => {
    const { read } = after(format, 0, ({ parts }) =>
      kept(parts).map((edit) =>
        parts[edit.part]!.type === "image" ? { part: edit.part, to: { type: "note", text: "(gone)" } } : edit,
      ),
    );
    assert.equal(texts(read[0]!.parts).replace("|cacheMark", ""), "look|(gone)");
    assert.equal(read[0]!.role, "user");
  });

  test(`${format}: items of a result change where they stand`, () => {
    const items = (content: readonly Part[]) => content.map((part) => (part.type === "image" ? "\n(gone)" : null));
    const { read } = after(format, 2, ({ parts }) =>
      parts.map((part, number) => ({
        part: number,
        to: { type: "content", items: items((part as { content: Part[] }).content) },
      })),
    );
    // Gemini has no place for a second text in a response.
    assert.equal(texts(read[2]!.parts).replaceAll("|", ""), format === "gemini" ? "[one\n(gone)]" : "[one\n(gone)two]");
    const first = after(format, 2, ({ parts }) =>
      parts.map((part, number) => ({
        part: number,
        to: {
          type: "content",
          items: (part as { content: Part[] }).content.map((_, at) => (at === 0 ? "new" : null)),
        },
      })),
    ).read[2]!.parts;
    assert.equal(texts(first), format === "gemini" ? "[new|image]" : "[new|image|two]");
  });

  test(`${format}: another id and another content at once`, () => {
    const result = after(format, 2, ({ parts }) =>
      parts.map((_, part) => ({ part, to: { type: "text", text: "short" }, callId: "z9" })),
    ).read[2]!.parts[0];
    assert.ok(result?.type === "toolResult" && texts(result.content) === "short");
    const content = after(format, 2, ({ parts }) =>
      parts.map((part, number) => ({
        part: number,
        callId: "z9",
        to: {
          type: "content",
          items: (part as { content: Part[] }).content.map((_, at) => (at === 0 ? "new" : null)),
        },
      })),
    ).read[2]!.parts[0];
    const call = after(format, 1, ({ parts }) =>
      parts.map((_, part) => ({ part, to: { type: "arguments", arguments: '{"b":2}' }, callId: "z9" })),
    ).read[1]!.parts[0];
    assert.ok(call?.type === "toolCall" && call.callId === "z9" && call.arguments === '{"b":2}', JSON.stringify(call));
    for (const part of [result, content]) assert.equal((part as { callId?: string } | undefined)?.callId, "z9");
  });

  test(`${format}: pruning by media, counted as sent`, () => {
    const input = samples[format]();
    // A picture this small costs some models less than the words that replace it, and stays; tiles cost more.
    const options = { format, images: "openai-tiles" as const };
    const { messages, report } = espalier.prune(input, { ...options, dropMedia: "all" });
    assert.equal(JSON.stringify(messages).includes(PNG.slice(0, 40)), false);
    assert.match(JSON.stringify(messages), /image left out: image\/png/);
    assert.equal(espalier.countMessages(messages, options).total, report.after.total);
    assert.ok(report.after.total < report.before.total);
  });
}

test("openai-responses: a computer's output stays a screenshot", () => {
  const output = { type: "computer_screenshot", image_url: url };
  const input = [
    { type: "computer_call", call_id: "c1", action: { type: "screenshot" } },
    { type: "computer_call_output", call_id: "c1", output },
  ];
  const reading = readConversation(freeze(input), { format: "openai-responses" });
  const edit: PartEdit = { part: 0, to: { type: "content", items: ["(gone)"] } };
  const [, after] = messagesOf(
    reading.rebuild([
      { type: "keep", id: "m0" },
      { type: "edit", id: "m1", parts: [edit] },
    ]),
  ) as { output: unknown }[];
  assert.deepEqual(after!.output, output);
});
