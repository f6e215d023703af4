/** Anthropic Messages and Gemini contents: system apart, results in messages of the user, rules about neighbours. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { readConversation } from "../../../js/formats/index.ts";
import { calling, carryOut, check, edit, insert, refused, standIn, summary } from "./common.ts";

const { count, countMessages } = espalier;

const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "run", input });
const result = (id: string, content: unknown = "ok", more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});

test("anthropic: a request", () => {
  check(
    "anthropic",
    {
      model: "claude",
      max_tokens: 100,
      system: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "text", text: "I run" },
            use("a", { x: 1 }),
            use("b"),
          ],
        },
        {
          role: "user",
          content: [
            result("a", [
              { type: "text", text: "one" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            ]),
            result("b", [], { is_error: true }),
            { type: "text", text: "go on", cache_control: { type: "ephemeral" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "abcd" } },
            { type: "image", source: { type: "url", url: "https://example.org/x.png" } },
          ],
        },
        { role: "assistant", content: [{ type: "redacted_thinking", data: "x" }] },
      ],
    },
    `system: be brief, <mark>
    user: hi
    assistant: {hm}, I run, a=run({"x":1}), b=run({})
    user: a[one <image image/png iVBO>], !b[], go on, <mark>
    user: <document 4>, <image https://example.org/x.png>
    assistant: {}`,
  );
  check(
    "anthropic",
    { system: "be brief", messages: [{ role: "user", content: "hi" }] },
    `system: be brief
    user: hi`,
  );
});

test("anthropic: edits", () => {
  const input = () => [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, use("a"), use("b")] },
    {
      role: "user",
      content: [result("a"), result("b"), { type: "text", text: "go on", cache_control: { type: "ephemeral" } }],
    },
  ];
  assert.deepEqual(edit("anthropic", input(), 2, [{ part: 0, to: { type: "text", text: "short" } }, { part: 2 }]), {
    role: "user",
    content: [result("a", "short"), { type: "text", text: "go on", cache_control: { type: "ephemeral" } }],
  });
  assert.deepEqual(
    edit("anthropic", input(), 1, [
      { part: 0 },
      { part: 1, to: { type: "arguments", arguments: '{"y":2}' } },
      { part: 2, callId: "z" },
    ]),
    {
      role: "assistant",
      content: [{ type: "thinking", thinking: "hm", signature: "s" }, use("a", { y: 2 }), use("z")],
    },
  );
  assert.deepEqual(edit("anthropic", input(), 2, [{ part: 0, callId: "z" }]), {
    role: "user",
    content: [result("z")],
  });
  assert.deepEqual(edit("anthropic", input(), 0, [{ part: 0, to: { type: "text", text: "ho" } }]), {
    role: "user",
    content: "ho",
  });
});

test("anthropic: title and context of a document count as texts before it, and go and stay with it", () => {
  const source = { type: "base64", media_type: "application/pdf", data: "abcd" };
  const document = { type: "document", source, title: "Report of May", context: "Sent by the auditor." };
  const plain = { type: "document", source: { type: "text", media_type: "text/plain", data: "All is well." } };
  const marked = { ...plain, title: "Note", cache_control: { type: "ephemeral" } };
  const input = () => [{ role: "user", content: [document, marked, plain] }];
  check(
    "anthropic",
    input(),
    "user: Report of May\nSent by the auditor., <document 4>, Note, All is well., <mark>, All is well.",
  );
  const all = [0, 1, 2, 3, 4, 5].map((part) => ({ part }));
  assert.deepEqual(edit("anthropic", input(), 0, all), input()[0]);
  const changed = [{ part: 0, to: { type: "text", text: "Report" } as const }, { part: 1 }, { part: 3 }, { part: 4 }];
  assert.deepEqual(edit("anthropic", input(), 0, changed), {
    role: "user",
    content: [
      { type: "document", source, context: "Report" },
      { ...plain, cache_control: { type: "ephemeral" } },
    ],
  });
  const total = (content: object[]) => countMessages([{ role: "user", content }], { format: "anthropic" }).total;
  const bare = total([{ type: "document", source }]);
  assert.equal(total([document]) - bare, count("Report of May\nSent by the auditor."));
});

test("anthropic: results of one round stand together, before words", () => {
  const input = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [use("a"), use("c9")] },
    { role: "user", content: [result("a"), { type: "text", text: "go" }] },
  ];
  const out = carryOut("anthropic", input, (messages) => [
    ...messages.slice(0, 2).map(({ id }) => ({ type: "keep" as const, id })),
    { type: "insert", message: standIn },
    { type: "keep", id: "m2" },
  ]);
  assert.deepEqual(out[2], {
    role: "user",
    content: [result("c9", "lost", { is_error: true }), result("a"), { type: "text", text: "go" }],
  });
  assert.equal(out.length, 3);
});

test("anthropic: what was not there before", () => {
  const input = {
    system: "s",
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [use("c1")] },
      { role: "user", content: [result("c1")] },
      { role: "assistant", content: "ok" },
    ],
  };
  assert.deepEqual(insert("anthropic", input, summary), [{ role: "user", content: "what was" }]);
  assert.deepEqual(insert("anthropic", input, standIn), [
    { role: "user", content: [result("c9", "lost", { is_error: true })] },
  ]);
  assert.deepEqual(insert("anthropic", input, calling), [
    { role: "assistant", content: [{ type: "text", text: "I call" }, use("c9", { a: 1 })] },
  ]);
});

test("anthropic: what is refused names the field", () => {
  refused([{ role: "tool", content: [result("a")] }], "bad_message", "messages[0].role");
  refused({ system: "s", messages: [{ role: "user", content: null }] }, "bad_message", "messages[0].content");
  refused(
    { system: "s", messages: [{ role: "user", content: [result("a", [7])] }] },
    "bad_message",
    "messages[0].content[0].content[0]",
  );
  refused({ system: 7, messages: [{ role: "user", content: [use("a")] }] }, "bad_message", "system");
});

test("gemini: a request", () => {
  check(
    "gemini",
    {
      systemInstruction: { parts: [{ text: "be brief" }] },
      contents: [
        {
          role: "user",
          parts: [
            { text: "hi" },
            { inlineData: { mimeType: "image/png", data: "iVBO" } },
            { inline_data: { mime_type: "application/pdf", data: "abcd" } },
          ],
        },
        {
          role: "model",
          parts: [
            { text: "hm", thought: true },
            { functionCall: { name: "run", args: { x: 1 } }, thoughtSignature: "s" },
            { functionCall: { name: "run", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "run", response: { output: "one" } } },
            { functionResponse: { name: "run", response: { error: "two" } } },
            { functionResponse: { name: "gone", response: {} } },
          ],
        },
        { role: "model", parts: [{ executableCode: { code: "1" } }] },
      ],
    },
    `system: be brief
    user: hi, <image image/png iVBO>, <document 4>
    assistant: {hm}, call:1.1=run({"x":1}), call:1.2=run({})
    user: call:1.1[one], !call:1.2[two], orphan:2.2[{}]
    assistant: <opaque {"executableCode":{"code":"1"}}>`,
  );
  check(
    "gemini",
    [
      { parts: [{ text: "hi" }] },
      { role: "model", parts: [{ function_call: { id: "i", name: "f", args: {} } }] },
      { role: "function", parts: [{ function_response: { id: "i", name: "f", response: { a: 1 } } }] },
    ],
    `user: hi
    assistant: i=f({})
    user: i[{"a":1}]`,
  );
  check("gemini", { contents: "one text" }, "user: one text");
});

test("gemini: edits", () => {
  const input = () => [
    { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    { role: "model", parts: [{ functionCall: { name: "run", args: {} }, thoughtSignature: "s" }] },
    { role: "user", parts: [{ functionResponse: { name: "run", response: { output: "long" } } }] },
  ];
  assert.deepEqual(edit("gemini", input(), 0, [{ part: 1, to: { type: "text", text: "B" } }]), {
    role: "user",
    parts: [{ text: "B" }],
  });
  assert.deepEqual(edit("gemini", input(), 1, [{ part: 0, to: { type: "arguments", arguments: '{"y":2}' } }]), {
    role: "model",
    parts: [{ functionCall: { name: "run", args: { y: 2 } }, thoughtSignature: "s" }],
  });
  assert.deepEqual(edit("gemini", input(), 2, [{ part: 0, to: { type: "text", text: "short" } }]), {
    role: "user",
    parts: [{ functionResponse: { name: "run", response: { output: "short" } } }],
  });
});

test("gemini: roles alternate after every plan", () => {
  const input = {
    contents: [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ text: "b" }] },
      { role: "user", parts: [{ text: "c" }] },
      { role: "model", parts: [{ text: "d" }] },
      { role: "user", parts: [{ text: "e" }] },
    ],
  };
  const out = carryOut("gemini", input, () => [
    { type: "insert", message: summary },
    { type: "keep", id: "m2" },
    { type: "keep", id: "m4" },
  ]);
  assert.deepEqual(out, [{ role: "user", parts: [{ text: "what was" }, { text: "c" }, { text: "e" }] }]);
  const tail = carryOut("gemini", input, () => [
    { type: "insert", message: summary },
    { type: "keep", id: "m3" },
    { type: "keep", id: "m4" },
  ]);
  assert.equal(tail[1], input.contents[3]);
  assert.equal(tail[2], input.contents[4]);
  assert.deepEqual(insert("gemini", input, calling), [
    { role: "model", parts: [{ text: "I call" }, { functionCall: { id: "c9", name: "run", args: { a: 1 } } }] },
  ]);
});

test("gemini: what is refused names the field", () => {
  refused({ contents: [{ role: "boss", parts: [] }] }, "bad_message", "contents[0].role");
  refused({ contents: [{ role: "user", parts: "x" }] }, "bad_message", "contents[0].parts");
  refused({ contents: [{ role: "user", parts: [7] }] }, "bad_message", "contents[0].parts[0]");
});

test("a response without an id answers the newest run of calls", () => {
  const call = (path: string) => ({ role: "model", parts: [{ functionCall: { name: "read", args: { path } } }] });
  const response = (output: string) => ({
    role: "user",
    parts: [{ functionResponse: { name: "read", response: { output } } }],
  });
  const said = (text: string) => ({ role: "user", parts: [{ text }] });
  const answered = (messages: unknown[]) => {
    const { messages: neutral } = readConversation(messages, { format: "gemini" });
    const parts = neutral.flatMap((message) => message.parts);
    const calls = parts.flatMap((part) => (part.type === "toolCall" ? [part] : []));
    return parts.flatMap((part) =>
      part.type === "toolResult" ? [calls.find(({ callId }) => callId === part.callId)?.arguments] : [],
    );
  };
  // The first call was given up.
  const lost = [said("Read a.ts."), call("a.ts"), said("No, b.ts."), call("b.ts"), response("b")];
  assert.deepEqual(answered(lost), ['{"path":"b.ts"}']);
  // Two messages of one run are answered in order.
  const split = [said("Read both."), call("a.ts"), call("b.ts"), response("a"), response("b")];
  assert.deepEqual(answered(split), ['{"path":"a.ts"}', '{"path":"b.ts"}']);
});
