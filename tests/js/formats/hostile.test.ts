/**
 * Input that is none: errors name the field as the host wrote it; objects that cannot be looked into are still parts.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import { json } from "../../../js/formats/values.ts";
import { EspalierError } from "../../../js/errors/errors.ts";
import type { Format } from "../../../js/types/messages.ts";
import { reads, refused } from "./check.ts";
import { samples } from "./samples.ts";
import { runs } from "../runs.ts";

const user = { role: "user", content: "x" };

test("no conversation at all", () => {
  for (const input of [
    null,
    undefined,
    7,
    "text",
    true,
    {},
    { messages: "x" },
    { messages: {} },
    [1],
    [[]],
    [null],
    [{}],
    [{ a: 1 }],
    () => 1,
  ]) {
    refused(input, "unknown_format", "messages");
  }
  assert.throws(() => readConversation(7, {}), /^EspalierError: messages must be a list of messages, or .* and is 7$/);
  assert.throws(
    () => readConversation([{ a: 1 }], {}),
    /openai-chat, openai-responses, anthropic, gemini, vscode, ai-sdk, raw, langchain, openai-agents, espalier/,
  );
});

test("messages that are none", () => {
  refused([user, null], "bad_message", "messages[1]");
  refused([user, [user]], "bad_message", "messages[1]");
  refused([user, { content: "x" }], "bad_message", "messages[1].role");
  refused([user, , user], "bad_message", "messages[1]");
  for (const role of [
    "robot",
    "constructor",
    "__proto__",
    "toString",
    1,
    ["user"],
    null,
    {},
    Object.create(null),
    Symbol("s"),
  ]) {
    refused([user, { role, content: "x" }], "bad_message", "messages[1].role", "openai-chat");
    refused({ input: [user, { role, content: "x" }] }, "bad_message", "input[1].role");
    refused([user, { role, content: "x" }], "bad_message", "messages[1].role", "anthropic");
    refused([user, { role, content: "x" }], "bad_message", "messages[1].role", "ai-sdk");
    refused({ contents: [{ parts: [] }, { role, parts: [] }] }, "bad_message", "contents[1].role");
  }
  for (const role of [0, 4, 1.5, NaN, "1", "constructor"])
    refused(
      [
        { role: 1, content: "x" },
        { role, content: "x" },
      ],
      "bad_message",
      "messages[1].role",
      "vscode",
    );
});

test("content that is none", () => {
  refused([user, { role: "user", content: 7 }], "bad_message", "messages[1].content");
  refused([{ role: "user", content: [7] }], "bad_message", "messages[0].content[0]");
  refused([{ role: "assistant", tool_calls: "x" }], "bad_message", "messages[0].tool_calls");
  refused([{ role: "assistant", tool_calls: [null] }], "bad_message", "messages[0].tool_calls[0]");
  refused([{ role: "assistant", tool_calls: [{ id: "a" }] }], "bad_message", "messages[0].tool_calls[0].function");
  refused({ input: [user, { type: 7 }] }, "bad_message", "input[1].type");
  refused({ input: [{ role: "user", content: {} }] }, "bad_message", "input[0].content");
  refused({ contents: [{ role: "user", parts: null }] }, "bad_message", "contents[0].parts");
  refused(
    {
      contents: [
        { role: "user", parts: [] },
        { role: "user", parts: [{ text: "a" }, "b"] },
      ],
    },
    "bad_message",
    "contents[1].parts[1]",
  );
  refused({ system: 7, messages: [user] }, "bad_message", "system");
  refused(
    { system: "s", messages: [{ role: "user", content: [{ type: "tool_result", content: 7 }] }] },
    "bad_message",
    "messages[0].content[0].content",
  );
  refused([{ role: 1, content: [3] }], "bad_message", "messages[0].content[0]");
  refused(
    [{ role: "user", parts: [{ type: "text", text: "x" }, null] }],
    "bad_message",
    "messages[0].parts[1]",
    "ai-sdk",
  );
  refused(
    [
      { id: "a", role: "user", parts: [] },
      { id: "a", role: "user", parts: [] },
    ],
    "duplicate_id",
    "messages[1].id",
    "espalier",
  );
  refused([{ id: "", role: "user", parts: [] }], "bad_message", "messages[0].id", "espalier");
});

test("options that make no sense", () => {
  refused([user], "bad_option", "options.format", "claude" as Format);
  refused([user], "bad_option", "options.format", "constructor" as Format);
  const tools = (tools: unknown) => () => readConversation([user], { tools: tools as unknown[] });
  const says = (path: string) => (error: unknown) =>
    error instanceof EspalierError && error.code === "bad_option" && error.path === path;
  assert.throws(tools("read"), says("options.tools"));
  assert.throws(tools({ read: null }), says("tools[0]"));
  assert.throws(tools([null]), says("tools[0]"));
  assert.throws(tools([{ name: "f", inputSchema: { "~standard": {} } }]), says("tools[0]"));
  assert.throws(
    tools([
      {
        name: "f",
        inputSchema: {
          "~standard": {},
          toJSONSchema() {
            throw new Error("no");
          },
        },
      },
    ]),
    says("tools[0]"),
  );
  assert.deepEqual(
    readConversation([user], {
      tools: [{ name: "f", inputSchema: { "~standard": {}, toJSONSchema: () => ({ type: "object" }) } }],
    }).tools,
    [{ name: "f", schema: '{"type":"object"}' }],
  );
});

test("JSON of anything", () => {
  const is = (value: unknown, expected: string) => assert.equal(json(value), expected);
  is(10n, '"10"');
  is({ a: undefined, b: [undefined, () => 1] }, '{"b":[null,null]}');
  is(undefined, "null");
  is(
    { bytes: new Uint8Array(300), buffer: Buffer.alloc(7), raw: new ArrayBuffer(2) },
    '{"bytes":"(300 bytes)","buffer":"(7 bytes)","raw":"(2 bytes)"}',
  );
  const loop: Record<string, unknown> = { name: "n" };
  loop["self"] = loop;
  is(loop, '{"name":"n","self":"(again)"}');
  const map = new Map<string, unknown>([["a", new Set([1])]]);
  is(map, '[["a",[1]]]');
  map.set("self", map);
  is(map, '[["a",[1]],["self","(again)"]]');
  const twice = { x: 1 };
  is([twice, twice], '[{"x":1},{"x":1}]');
  is(
    {
      get a() {
        throw new Error("no");
      },
    },
    '"(unreadable)"',
  );
  let deep: unknown = 0;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  is(deep, '"(unreadable)"');
});

test("parts nobody can look into are still parts", () => {
  const odd = { type: "hologram", big: 10n, bytes: new Uint8Array(9) };
  const input = [{ role: "user", content: [{ type: "text", text: "x" }, odd] }];
  reads(input, 'm0 user: "x"; opaque {"type":"hologram","big":"10","bytes":"(9 bytes)"}');
  const { rebuild } = readConversation(input, {});
  const [message] = rebuild([{ type: "edit", id: "m0", parts: [{ part: 1 }] }]) as typeof input;
  assert.equal(message!.content[0], odd);
});

test("whatever comes in, it is a conversation or an error with a code", () => {
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      "user",
      "assistant",
      "text",
      "tool_use",
      "function_call",
      "tool-call",
      "toolCall",
      null,
      undefined,
      1,
      7n,
      NaN,
    ),
    fc.string({ maxLength: 3 }),
  );
  const keys = fc.constantFrom(
    "role",
    "content",
    "parts",
    "type",
    "text",
    "id",
    "tool_calls",
    "function",
    "name",
    "input",
    "functionCall",
    "functionResponse",
    "response",
    "output",
    "callId",
    "value",
    "data",
    "url",
    "image",
    "toolInvocation",
    "system",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      leaf,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(keys, tie("tree"), { maxKeys: 5 }),
    ),
  }));
  const formats = [undefined, ...(Object.keys(samples) as Format[])];
  fc.assert(
    fc.property(
      fc.array(tree, { maxLength: 3 }),
      fc.constantFrom("messages", "input", "contents", ""),
      fc.constantFrom(...formats),
      (list, name, format) => {
        const input = name ? { [name]: list } : list;
        try {
          const { messages, rebuild } = readConversation(input, format ? { format } : {});
          assert.equal(rebuild(messages.map(({ id }) => ({ type: "keep", id }))), input);
        } catch (error) {
          if (!(error instanceof EspalierError)) throw error;
          assert.ok(error.code && error.path, error.message);
        }
      },
    ),
    { seed: 1, numRuns: runs(3000) },
  );
});
