/** VS Code's class instances and the AI SDK's two kinds of messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { calling, check, edit, insert, refused, standIn, summary } from "./common.ts";

// As VS Code's API defines them.
class LanguageModelTextPart {
  value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class LanguageModelToolResultPart {
  callId: string;
  content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
class LanguageModelDataPart {
  data: Uint8Array;
  mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
}
class LanguageModelThinkingPart {
  value: string | string[];
  constructor(value: string | string[]) {
    this.value = value;
  }
}
class LanguageModelChatMessage {
  role: number;
  content: unknown[] | string;
  name: string | undefined;
  constructor(role: number, content: unknown[] | string, name?: string) {
    this.role = role;
    this.content = content;
    this.name = name;
  }
}
const said = (role: number, ...parts: unknown[]) => new LanguageModelChatMessage(role, parts);
const text = (value: string) => new LanguageModelTextPart(value);

const conversation = () => [
  said(1, text("hi")),
  said(
    2,
    new LanguageModelThinkingPart(["h", "m"]),
    text("I run"),
    new LanguageModelToolCallPart("a", "run", { x: 1 }),
  ),
  said(
    1,
    new LanguageModelToolResultPart("a", [
      text("one"),
      new LanguageModelDataPart(new Uint8Array([137, 80]), "image/png"),
    ]),
  ),
  new LanguageModelChatMessage(1, "plain", "ann"),
];

test("vscode: class instances", () => {
  check(
    "vscode",
    conversation(),
    `user: hi
    assistant: {h
    m}, I run, a=run({"x":1})
    user: a[one <image image/png iVA=>]
    user(ann): plain`,
  );
  check(
    "vscode",
    [
      said(3, text("rules")),
      said(
        1,
        new LanguageModelDataPart(new TextEncoder().encode("{}"), "application/json"),
        new LanguageModelDataPart(new Uint8Array(6), "application/pdf"),
        { odd: 1 },
      ),
    ],
    `system: rules
    user: {}, <document 8>, <opaque {"odd":1}>`,
  );
});

test("vscode: copies keep their classes", () => {
  const edited = edit("vscode", conversation(), 2, [
    { part: 0, to: { type: "text", text: "short" } },
  ]) as LanguageModelChatMessage;
  assert.ok(edited instanceof LanguageModelChatMessage);
  const [part] = edited.content as [LanguageModelToolResultPart];
  assert.ok(part instanceof LanguageModelToolResultPart && part.content[0] instanceof LanguageModelTextPart);
  assert.deepEqual(part, new LanguageModelToolResultPart("a", [text("short")]));
  const renamed = edit("vscode", conversation(), 1, [
    { part: 1, to: { type: "text", text: "ran" } },
    { part: 2, to: { type: "arguments", arguments: "[]" } },
  ]) as LanguageModelChatMessage;
  assert.deepEqual(renamed.content, [text("ran"), new LanguageModelToolCallPart("a", "run", [])]);
  const [added] = insert("vscode", conversation(), summary) as [LanguageModelChatMessage];
  assert.ok(
    added instanceof LanguageModelChatMessage && (added.content as unknown[])[0] instanceof LanguageModelTextPart,
  );
  assert.deepEqual([added.role, added.content], [1, [text("what was")]]);
  const [result] = insert("vscode", conversation(), standIn) as [LanguageModelChatMessage];
  assert.ok((result.content as unknown[])[0] instanceof LanguageModelToolResultPart);
  const [call] = insert("vscode", conversation(), calling) as [LanguageModelChatMessage];
  assert.deepEqual(
    [call.role, call.content],
    [2, [text("I call"), new LanguageModelToolCallPart("c9", "run", { a: 1 })]],
  );
});

test("vscode: what is refused names the field", () => {
  refused([said(7, text("x"))], "bad_message", "messages[0].role");
  refused([new LanguageModelChatMessage(1, 7 as never)], "bad_message", "messages[0].content");
});

test("ai-sdk: model messages", () => {
  check(
    "ai-sdk",
    [
      { role: "system", content: "be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image", image: new Uint8Array([137, 80]), mediaType: "image/png" },
          { type: "file", data: "abcd", mediaType: "application/pdf" },
          { type: "image", image: new URL("https://example.org/x.png") },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "I run" },
          { type: "tool-call", toolCallId: "a", toolName: "run", input: { x: 1 } },
          { type: "tool-call", toolCallId: "b", toolName: "run", args: {} },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "run", output: { type: "text", value: "one" } },
          { type: "tool-result", toolCallId: "b", toolName: "run", result: { two: 2 } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "run", output: { type: "error-text", value: "bad" } },
          {
            type: "tool-result",
            toolCallId: "d",
            toolName: "run",
            output: { type: "content", value: [{ type: "text", text: "x" }] },
          },
        ],
      },
    ],
    `system: be brief
    user: hi, <image image/png iVA=>, <document 4>, <image https://example.org/x.png>
    assistant: {hm}, I run, a=run({"x":1}), b=run({})
    tool: a[one], b[{"two":2}]
    tool: !c[bad], d[x]`,
  );
});

test("ai-sdk: messages of a user interface hold call and result in one part", () => {
  check(
    "ai-sdk",
    {
      messages: [
        {
          id: "1",
          role: "user",
          parts: [
            { type: "text", text: "hi" },
            { type: "file", mediaType: "image/png", url: "https://example.org/x.png" },
          ],
        },
        {
          id: "2",
          role: "assistant",
          parts: [
            { type: "step-start" },
            { type: "reasoning", text: "hm" },
            { type: "tool-run", toolCallId: "a", state: "output-available", input: { x: 1 }, output: "one" },
            {
              type: "dynamic-tool",
              toolName: "dyn",
              toolCallId: "b",
              state: "output-error",
              input: {},
              errorText: "bad",
            },
            { type: "tool-run", toolCallId: "c", state: "input-available", input: {} },
            { type: "data-weather", data: 1 },
          ],
        },
      ],
    },
    `user: hi, <image image/png https://example.org/x.png>
    assistant: {hm}, a=run({"x":1}), b=dyn({}), c=run({}), |, a[one], !b[bad]`,
  );
});

test("ai-sdk: edits and insertions", () => {
  const model = () => [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "run", input: {} }],
      providerOptions: { x: 1 },
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "a", toolName: "run", output: { type: "json", value: { long: 1 } } },
      ],
    },
  ];
  assert.deepEqual(edit("ai-sdk", model(), 1, [{ part: 0, to: { type: "text", text: "short" } }]), {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "a", toolName: "run", output: { type: "text", value: "short" } }],
  });
  assert.deepEqual(edit("ai-sdk", model(), 0, [{ part: 0, to: { type: "arguments", arguments: "[]" } }]), {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "a", toolName: "run", input: [] }],
    providerOptions: { x: 1 },
  });
  assert.deepEqual(insert("ai-sdk", model(), summary), [{ role: "user", content: "what was" }]);
  assert.deepEqual(insert("ai-sdk", model(), standIn), [
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c9", toolName: "run", output: { type: "error-text", value: "lost" } },
      ],
    },
  ]);
  const ui = () => [
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "text", text: "a" },
        { type: "tool-run", toolCallId: "a", state: "output-available", input: {}, output: { long: 1 } },
      ],
    },
  ];
  assert.deepEqual(
    edit("ai-sdk", ui(), 0, [{ part: 1 }, { part: 2 }, { part: 3, to: { type: "text", text: "short" } }]),
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-run", toolCallId: "a", state: "output-available", input: {}, output: "short" },
      ],
    },
  );
  assert.deepEqual(insert("ai-sdk", ui(), summary), [
    { id: "e0:summary", role: "user", parts: [{ type: "text", text: "what was" }] },
  ]);
});
