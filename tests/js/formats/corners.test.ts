/**
 * Shapes that hosts do have and the documentation's examples do not show; what is written for them must be what the
 * provider takes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConversation } from "../../../js/formats/index.ts";
import { EspalierError } from "../../../js/errors/errors.ts";
import type { Format, NeutralMessage, PlanItem } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { check, carryOut, edit, insert, refused, standIn, summary } from "./common.ts";

const user = { role: "user", content: "q" };
const lost = (callId: string): NeutralMessage => ({
  id: "lost",
  role: "tool",
  parts: [{ type: "toolResult", callId, name: "f", content: [{ type: "text", text: "lost" }], isError: true }],
});
const calls = (...texts: string[]): NeutralMessage => ({
  id: "x",
  role: "assistant",
  parts: texts.map((text, n) => ({ type: "toolCall", callId: `c${n}`, name: "f", arguments: text })),
});

test("results that hold results, or themselves", () => {
  const inAnthropic: Record<string, unknown> = { type: "tool_result", tool_use_id: "a" };
  inAnthropic["content"] = [{ type: "text", text: "x" }, inAnthropic];
  const inCode: Record<string, unknown> = { callId: "a" };
  inCode["content"] = [{ value: "x" }, inCode];
  const inSdk: Record<string, unknown> = { type: "tool-result", toolCallId: "a", toolName: "f" };
  inSdk["output"] = { type: "content", value: [{ type: "text", text: "x" }, inSdk] };
  const inputs: [Format, unknown[]][] = [
    ["anthropic", [{ role: "user", content: [inAnthropic] }]],
    ["vscode", [{ role: 1, content: [inCode] }]],
    ["ai-sdk", [{ role: "tool", content: [inSdk] }]],
  ];
  for (const [format, input] of inputs) {
    const { messages, rebuild } = readConversation(input, { format });
    const [part] = messages[0]!.parts;
    assert.ok(part?.type === "toolResult");
    assert.deepEqual(
      part.content.map(({ type }) => type),
      ["text", "opaque"],
      format,
    );
    assert.equal(rebuild([{ type: "keep", id: "m0" }]), input);
  }
});

test("objects that throw when they are looked at", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const trap = {
    role: "user",
    get content(): never {
      throw new RangeError("no");
    },
  };
  for (const format of ["openai-chat", "anthropic", "ai-sdk"] as const) {
    refused([user, proxy], "bad_message", "messages[1]", format);
    refused([user, trap], "bad_message", "messages[1]", format);
  }
  refused([user, trap], "bad_message", "messages");
  refused(proxy, "bad_message", "messages");
  assert.throws(
    () => readConversation([trap], { format: "openai-chat" }),
    (error: unknown) => error instanceof EspalierError && error.cause instanceof RangeError,
  );
});

test("copies of objects with private state and odd keys", () => {
  class Closed {
    role: number;
    #content: unknown;
    constructor(role: number, content: unknown) {
      this.role = role;
      this.#content = content;
    }
    get content() {
      return this.#content;
    }
    set content(value) {
      this.#content = value;
    }
  }
  class ReadOnly {
    role = 1;
    get content() {
      return [{ value: "a" }, { value: "b" }];
    }
  }
  for (const host of [new Closed(1, [{ value: "a" }, { value: "b" }]), new ReadOnly()]) {
    const copied = edit("vscode", [host], 0, [{ part: 1 }]) as Closed;
    assert.deepEqual(
      [Object.getPrototypeOf(copied) === Object.getPrototypeOf(host), copied.role, copied.content],
      [true, 1, [{ value: "b" }]],
    );
    const [made] = insert("vscode", [host], summary) as Closed[];
    assert.deepEqual(made!.content, [{ value: "what was" }]);
  }
  const parsed = JSON.parse(
    '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"__proto__":{"evil":1}}',
  ) as object;
  const copied = edit("anthropic", [parsed], 0, [{ part: 0 }]) as { evil?: number };
  assert.deepEqual(
    [Object.getPrototypeOf(copied), copied.evil, Object.hasOwn(copied, "__proto__")],
    [Object.prototype, undefined, true],
  );
});

test("arguments are an object where nothing else is taken", () => {
  const wanted = [{}, { arguments: [1] }, { arguments: 7 }, { arguments: "nope" }, { arguments: null }, { a: 1 }];
  const said = ["", "[1]", "7", "nope", "null", '{"a":1}'];
  const [anthropic] = insert("anthropic", [user], calls(...said)) as [{ content: { input: unknown }[] }];
  assert.deepEqual(
    anthropic.content.map(({ input }) => input),
    wanted,
  );
  const [gemini] = insert("gemini", [{ role: "user", parts: [{ text: "q" }] }], calls(...said)) as [
    { parts: { functionCall: { args: unknown } }[] },
  ];
  assert.deepEqual(
    gemini.parts.map(({ functionCall }) => functionCall.args),
    wanted,
  );
  const [code] = insert("vscode", [{ role: 1, content: "q" }], calls("", " ")) as [{ content: { input: unknown }[] }];
  assert.deepEqual(
    code.content.map(({ input }) => input),
    [{}, {}],
  );
});

test("gemini: responses come before words, wherever the stand-in was put", () => {
  const response = (name: string) => ({ functionResponse: { name, response: { output: "r" } } });
  const input = [
    { role: "user", parts: [{ text: "q" }] },
    { role: "model", parts: [{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "g", args: {} } }] },
    { role: "user", parts: [response("g"), { text: "and now" }] },
  ];
  const keep = (id: string): PlanItem => ({ type: "keep", id });
  const out = carryOut("gemini", input, () => [
    keep("m0"),
    keep("m1"),
    keep("m2"),
    { type: "insert", message: lost("call:1.0") },
  ]);
  assert.deepEqual(out[2], {
    role: "user",
    parts: [response("g"), { functionResponse: { name: "f", response: { error: "lost" } } }, { text: "and now" }],
  });
  assert.equal(out.length, 3);
});

test("gemini: contents as its SDK takes them", () => {
  check("gemini", { contents: { role: "user", parts: [{ text: "q" }] } }, "user: q");
  check("gemini", { contents: { text: "q" } }, "user: q");
  check(
    "gemini",
    { contents: ["q", { inlineData: { mimeType: "image/png", data: "iVBO" } }] },
    "user: q, <image image/png iVBO>",
  );
  const { rebuild } = readConversation({ contents: "q", model: "gemini" }, {});
  assert.deepEqual(
    rebuild([
      { type: "insert", message: summary },
      { type: "keep", id: "m0" },
    ]),
    { model: "gemini", contents: [{ role: "user", parts: [{ text: "what was" }, { text: "q" }] }] },
  );
  // A list in which one item is a turn is a list of turns.
  refused({ contents: [{ role: "user", parts: [] }, "q"] }, "bad_message", "contents[1]");
});

test("openai: calls of the old form, calls without ids, arguments as an object", () => {
  const old = [user, { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }];
  assert.deepEqual(insert("openai-chat", old, lost("function:f")), [{ role: "function", name: "f", content: "lost" }]);
  const ollama = [
    user,
    {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }, { function: { name: "g", arguments: {} } }],
    },
    { role: "tool", tool_name: "f", content: "r1" },
    { role: "tool", tool_name: "g", content: "r2" },
  ];
  check(
    "openai-chat",
    ollama,
    `user: q
    assistant: , call:1.0=f({"a":1}), call:1.1=g({})
    tool: call:1.0[r1]
    tool: call:1.1[r2]`,
  );
  // Results in another order are matched by name; without names by order.
  check(
    "openai-chat",
    [ollama[0], ollama[1], ollama[3], ollama[2]],
    `user: q
    assistant: , call:1.0=f({"a":1}), call:1.1=g({})
    tool: call:1.1[r2]
    tool: call:1.0[r1]`,
  );
  check(
    "openai-chat",
    [ollama[1], { role: "tool", content: "r1" }, { role: "tool", content: "r2" }, { role: "tool", content: "r3" }],
    `assistant: , call:0.0=f({"a":1}), call:0.1=g({})
    tool: call:0.0[r1]
    tool: call:0.1[r2]
    tool: [r3]`,
  );
  assert.deepEqual(insert("openai-chat", ollama, lost("call:1.0")), [
    { role: "tool", tool_name: "f", content: "lost" },
  ]);
  // One function called again and again is no double id: nothing has to be repaired.
  const again = [
    user,
    ...[1, 2, 3].flatMap((n) => [old[1]!, { role: "function", name: "f", content: `r${n}` }]),
    { role: "assistant", content: "done" },
  ];
  for (const input of [again, [...ollama, ...ollama.slice(1), { role: "assistant", content: "done" }]]) {
    assert.equal(espalier.prune(input, { budget: 9_999, format: "openai-chat" }).messages, input);
  }
  check(
    "openai-chat",
    again.slice(1, 5),
    `assistant: function:f=f({})
    tool: function:f[r1]
    assistant: function:f#2=f({})
    tool: function:f#2[r2]`,
  );
  assert.deepEqual(insert("openai-chat", again, lost("function:f#2")), [
    { role: "function", name: "f", content: "lost" },
  ]);
  assert.deepEqual(
    (
      edit("openai-chat", ollama, 1, [{ part: 1, to: { type: "arguments", arguments: '{"b":2}' } }]) as {
        tool_calls: unknown;
      }
    ).tool_calls,
    [{ function: { name: "f", arguments: { b: 2 } } }],
  );
  assert.deepEqual(insert("openai-chat", ollama, standIn), [{ role: "tool", tool_call_id: "c9", content: "lost" }]);
  check("openai-chat", [{ role: "assistant", content: "", refusal: "no" }], "assistant: , no");
});

test("ai-sdk: a note for a picture joins the text beside it, of which Google's SDK makes one response", () => {
  const [picture, said] = [
    { type: "image-data", data: "iVBO", mediaType: "image/png" },
    { type: "text", text: "x" },
  ];
  const after = (value: object[], items: (string | null)[]) => {
    const output = { type: "content", value };
    const message = { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "see", output }] };
    const edited = edit("ai-sdk", [message], 0, [{ part: 0, to: { type: "content", items } }]) as typeof message;
    return edited.content[0]!.output.value;
  };
  assert.deepEqual(after([said, picture], [null, "\n[image]"]), [{ type: "text", text: "x\n[image]" }]);
  assert.deepEqual(after([said, picture, picture], ["y", "\n[1]", null]), [{ type: "text", text: "y\n[1]" }, picture]);
  assert.deepEqual(after([picture, picture, said], ["[1]", "\n[2]", null]), [{ type: "text", text: "[1]\n[2]x" }]);
  assert.deepEqual(after([said, said, picture], ["y", null, null]), [{ type: "text", text: "y" }, said, picture]);
});

test("ai-sdk: what a tool gave back is JSON, unless it says that it is content", () => {
  const listing = [
    { type: "file", name: "a.ts" },
    { type: "text", name: "b" },
  ];
  const said = JSON.stringify(listing);
  check(
    "ai-sdk",
    [
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "ls", output: { type: "json", value: listing } },
          { type: "tool-result", toolCallId: "b", toolName: "ls", result: listing },
          { type: "tool-result", toolCallId: "c", toolName: "ls", output: { type: "error-json", value: { code: 1 } } },
          {
            type: "tool-result",
            toolCallId: "d",
            toolName: "ls",
            output: { type: "execution-denied", reason: "not today" },
          },
          { type: "tool-result", toolCallId: "e", toolName: "ls", output: { type: "execution-denied" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "f",
            toolName: "see",
            output: {
              type: "content",
              value: [
                { type: "text", text: "x" },
                { type: "media", data: "iVBO", mediaType: "image/png" },
                { type: "image-data", data: "iVBO", mediaType: "image/png" },
                { type: "image-url", url: "https://example.org/x.png" },
                { type: "file-data", data: "abcd", mediaType: "application/pdf" },
                { type: "file-url", url: "https://example.org/x.pdf" },
                { type: "file-id", fileId: "1" },
              ],
            },
          },
        ],
      },
    ],
    `tool: a[${said}], b[${said}], !c[{"code":1}], !d[not today], !e[Tool call execution denied.]
    tool: f[x <image image/png iVBO> <image image/png iVBO> <image https://example.org/x.png> <document 4> <document 0> <document 0>]`,
  );
  check(
    "ai-sdk",
    [
      {
        id: "1",
        role: "assistant",
        parts: [{ type: "tool-ls", toolCallId: "a", state: "output-available", input: {}, output: listing }],
      },
    ],
    `assistant: a=ls({}), |, a[${said}]`,
  );
});

test("ai-sdk: calls that wait for leave, or did not get it", () => {
  const part = (state: string, more = {}) => ({
    type: "tool-rm",
    toolCallId: "a",
    state,
    input: {},
    approval: { id: "p", ...more },
  });
  const page = (one: object) => [{ id: "1", role: "assistant", parts: [one] }];
  const asked = '<opaque {"type":"tool-approval-request","approvalId":"p","toolCallId":"a"}>';
  check(
    "ai-sdk",
    page(part("output-denied", { approved: false, reason: "no!" })),
    `assistant: a=rm({}), ${asked}, |, !a[no!]`,
  );
  check(
    "ai-sdk",
    page(part("output-denied", { approved: false })),
    `assistant: a=rm({}), ${asked}, |, !a[Tool call execution denied.]`,
  );
  assert.deepEqual(
    edit("ai-sdk", page(part("output-denied")), 0, [{ part: 0 }, { part: 3, to: { type: "text", text: "short" } }]),
    page({ ...part("output-denied"), state: "output-error", errorText: "short" })[0],
  );
  for (const state of ["approval-requested", "approval-responded"]) {
    check("ai-sdk", page(part(state)), `assistant: a=rm({}), ${asked}`);
    const out = carryOut("ai-sdk", page(part(state)), () => [
      { type: "keep", id: "m0" },
      { type: "insert", message: lost("a") },
    ]);
    assert.deepEqual(out, page({ ...part(state), state: "output-error", errorText: "lost" }));
  }
  const denied = [
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "a", toolName: "rm", output: { type: "execution-denied", reason: "no" } },
      ],
    },
  ];
  assert.deepEqual(edit("ai-sdk", denied, 0, [{ part: 0, to: { type: "text", text: "short" } }]), {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "a", toolName: "rm", output: { type: "error-text", value: "short" } }],
  });
});

test("ai-sdk: before 4.2 the calls of a page stood beside the text", () => {
  const invocation = { state: "result", toolCallId: "c", toolName: "f", args: {}, result: "x" };
  const input = [
    { id: "1", ...user },
    { id: "2", role: "assistant", content: "a", toolInvocations: [invocation] },
  ];
  check(
    "ai-sdk",
    input,
    `user: q
    assistant: a, <opaque ${JSON.stringify(invocation)}>`,
  );
  assert.deepEqual(edit("ai-sdk", input, 1, [{ part: 0, to: { type: "text", text: "A" } }, { part: 1 }]), {
    ...input[1],
    content: "A",
  });
});
