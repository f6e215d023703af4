/** OpenAI: chat completions and Responses. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { calling, check, edit, insert, refused, standIn, summary } from "./common.ts";

const { countMessages, prune } = espalier;
const PNG = "iVBORw0KGgo=";
const call = (id: string, name = "run", args = "{}") => ({ id, type: "function", function: { name, arguments: args } });

test("chat: roles, texts, names", () => {
  check(
    "openai-chat",
    [
      { role: "developer", content: "be brief" },
      { role: "user", content: "hi", name: "ann" },
      { role: "assistant", content: "ho" },
    ],
    `developer: be brief
    user(ann): hi
    assistant: ho`,
  );
  check("openai-chat", [], "");
  check(
    "openai-chat",
    {
      model: "gpt-4o",
      messages: [
        { role: "user", content: "" },
        { role: "assistant", content: null, refusal: "no" },
      ],
      seed: 1,
    },
    `user:
    assistant: no`.replace("user:", "user: "),
  );
});

test("chat: calls and results", () => {
  check(
    "openai-chat",
    [
      { role: "assistant", content: null, tool_calls: [call("a", "run", '{"x":1}'), call("b")] },
      { role: "tool", tool_call_id: "a", content: "one" },
      {
        role: "tool",
        tool_call_id: "b",
        content: [
          { type: "text", text: "two" },
          { type: "text", text: "three" },
        ],
      },
      { role: "tool", content: "stray" },
    ],
    `assistant: a=run({"x":1}), b=run({})
    tool: a[one]
    tool: b[two three]
    tool: [stray]`,
  );
  check(
    "openai-chat",
    [
      { role: "assistant", content: null, function_call: { name: "old", arguments: "{}" } },
      { role: "function", name: "old", content: "ok" },
    ],
    `assistant: function:old=old({})
    tool: function:old[ok]`,
  );
  check(
    "openai-chat",
    [{ role: "assistant", tool_calls: [{ id: "c", type: "custom", custom: { name: "sh", input: "ls" } }] }],
    "assistant: c=sh(ls)",
  );
});

test("chat: pictures, files, marks, and what nobody knows", () => {
  check(
    "openai-chat",
    [
      {
        role: "user",
        content: [
          { type: "text", text: "look", cache_control: { type: "ephemeral" } },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
          { type: "image_url", image_url: { url: "https://example.org/a.png" } },
          { type: "file", file: { file_data: "abcd" } },
          { type: "input_audio", input_audio: { data: "x", format: "wav" } },
          { type: "smell" },
        ],
      },
    ],
    `user: look, <mark>, <image image/png ${PNG} low>, <image https://example.org/a.png>, <document 4>, <document 1>, <opaque {"type":"smell"}>`,
  );
});

test("chat: thoughts that compatible servers take back are counted, and go with their signatures", () => {
  const answer = (more: object) => ({ role: "assistant", content: "say", ...more });
  const details = (text: string) => [{ type: "reasoning.text", text, signature: "s" }, { type: "reasoning.encrypted" }];
  for (const more of [
    { reasoning_content: "hm" },
    { reasoning: "hm" },
    { reasoning: "hm", reasoning_details: details("hm") },
    { reasoning_text: "hm" },
    { thinking: "hm" },
    { reasoning_details: details("hm") },
  ]) {
    const input = [{ role: "user", content: "hi" }, answer({ ...more, tool_calls: [call("a")] })];
    check("openai-chat", input, `user: hi\nassistant: {hm}, say, a=run({})`);
    assert.deepEqual(edit("openai-chat", input, 1, [{ part: 1 }, { part: 2 }]), answer({ tool_calls: [call("a")] }));
    assert.deepEqual(edit("openai-chat", input, 1, [{ part: 0 }, { part: 1 }]), answer(more));
    const short = edit("openai-chat", input, 1, [{ part: 0, to: { type: "text", text: "h" } }, { part: 1 }]);
    check("openai-chat", [short], "assistant: {h}, say");
    assert.ok(!JSON.stringify(short).includes("hm"));
  }
  // Without words they are kept, and other roles have none.
  check("openai-chat", [answer({ reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] })], "assistant: say");
  check("openai-chat", [answer({ reasoning_content: "" })], "assistant: say");
  check("openai-chat", [{ role: "user", content: "hi", thinking: "hm" }], "user: hi");
  // A refusal is still read as what the message says.
  check("openai-chat", [{ role: "assistant", refusal: "no", reasoning: "hm" }], "assistant: {hm}, no");
});

test("chat: results of Cohere are documents, and can be shortened", () => {
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at}`).join("\n");
  for (const data of [lines, { output: lines }]) {
    const input = [
      { role: "user", content: "hi" },
      { role: "assistant", tool_plan: "I run it.", tool_calls: [call("a")] },
      { role: "tool", tool_call_id: "a", content: [{ type: "document", document: { data } }] },
    ];
    const text = typeof data === "string" ? data : JSON.stringify(data);
    check("openai-chat", input, `user: hi\nassistant: {I run it.}, a=run({})\ntool: a[${text}]`);
    const { messages, report } = prune(input, { budget: 300 });
    assert.ok(report.after.total <= 300);
    assert.equal(messages[1], input[1]);
    assert.match(String(messages[2]!.content), /line 0\b.*\[cut: .*line 399\b/s);
  }
  // What is kept is the host's own, also beside a document that is cut.
  const parts = [
    { type: "text", text: "a" },
    { type: "document", document: { data: "long" } },
  ];
  const edits = [{ part: 0 }, { part: 1, to: { type: "text" as const, text: "short" } }];
  assert.deepEqual(edit("openai-chat", [{ role: "user", content: parts }], 0, edits), {
    role: "user",
    content: [parts[0], { type: "text", text: "short" }],
  });
});

test("chat: edits", () => {
  const input = () => [
    {
      role: "user",
      content: [
        { type: "text", text: "a", extra: 1 },
        { type: "text", text: "b" },
      ],
      x_when: new Date(0),
    },
    { role: "assistant", content: "say", tool_calls: [call("a"), call("b")], x_big: 9n },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "long" }] },
    { role: "assistant", content: null, function_call: { name: "old", arguments: "{}" } },
  ];
  assert.deepEqual(edit("openai-chat", input(), 0, [{ part: 0, to: { type: "text", text: "A" } }]), {
    role: "user",
    content: [{ type: "text", text: "A", extra: 1 }],
    x_when: new Date(0),
  });
  assert.deepEqual(edit("openai-chat", input(), 1, [{ part: 0 }]), {
    role: "assistant",
    content: "say",
    x_big: 9n,
  });
  assert.deepEqual(
    edit("openai-chat", input(), 1, [
      { part: 1, to: { type: "arguments", arguments: '{"s":1}' } },
      { part: 2, callId: "z" },
    ]),
    { role: "assistant", content: null, tool_calls: [call("a", "run", '{"s":1}'), call("z")], x_big: 9n },
  );
  assert.deepEqual(edit("openai-chat", input(), 2, [{ part: 0, to: { type: "text", text: "short" } }]), {
    role: "tool",
    tool_call_id: "a",
    content: "short",
  });
  assert.deepEqual(edit("openai-chat", input(), 2, [{ part: 0, callId: "z" }]), {
    role: "tool",
    tool_call_id: "z",
    content: [{ type: "text", text: "long" }],
  });
  assert.deepEqual(edit("openai-chat", input(), 3, [{ part: 0, to: { type: "arguments", arguments: "[]" } }]), {
    role: "assistant",
    content: null,
    function_call: { name: "old", arguments: "[]" },
  });
});

test("chat: what was not there before", () => {
  const input = [{ role: "user", content: "hi" }];
  assert.deepEqual(insert("openai-chat", input, summary), [{ role: "user", content: "what was" }]);
  assert.deepEqual(insert("openai-chat", input, standIn), [{ role: "tool", tool_call_id: "c9", content: "lost" }]);
  assert.deepEqual(insert("openai-chat", input, calling), [
    { role: "assistant", content: "I call", tool_calls: [call("c9", "run", '{"a":1}')] },
  ]);
});

test("chat: what is refused names the field", () => {
  const ok = { role: "user", content: "hi" };
  refused([ok, { content: "x" }], "bad_message", "messages[1].role");
  refused([ok, { role: "boss", content: "x" }], "bad_message", "messages[1].role");
  refused([ok, 7], "bad_message", "messages[1]");
  refused([ok, null], "bad_message", "messages[1]");
  refused([{ role: "user", content: 7 }], "bad_message", "messages[0].content");
  refused([{ role: "user", content: [7] }], "bad_message", "messages[0].content[0]");
  refused({ messages: [{ role: "assistant", tool_calls: "x" }] }, "bad_message", "messages[0].tool_calls");
  refused(
    { messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] },
    "bad_message",
    "messages[0].tool_calls[0].function",
  );
});

test("responses: thoughts that are sealed cost what their length tells, and are an estimate", () => {
  const said = { role: "user", content: "hi" };
  // 4,000 characters of base64 are 3,000 bytes, 650 of which are no thoughts.
  const sealed = "g".repeat(4_000);
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
  const sdk = { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "hm" }] };
  const plain = countMessages([said, thought]);
  for (const [format, item] of [
    ["openai-responses", { ...thought, encrypted_content: sealed }],
    ["openai-agents", { ...sdk, providerData: { encryptedContent: sealed } }],
    ["openai-agents", { ...sdk, providerData: { encrypted_content: sealed } }],
  ] as const) {
    const { total, origin } = countMessages([said, item], { format });
    assert.deepEqual([total - plain.total, origin], [Math.ceil(2_350 / 4) - 1, "estimate"]);
  }
  // So does what the server compacted, without its summary.
  for (const format of ["openai-responses", "openai-agents"] as const) {
    const compaction = { type: "compaction", id: "cmp_1", encrypted_content: sealed };
    const { perMessage, origin } = countMessages([compaction, said], { format });
    assert.deepEqual([perMessage[0]!.tokens, origin], [4 + Math.ceil(2_350 / 4), "estimate"]);
  }
  const short = countMessages([said, { ...thought, encrypted_content: "g" }]);
  assert.deepEqual([plain.origin, short.total], ["exact", plain.total]);
  const neutral = (sealed?: unknown) => {
    const parts = [{ type: "reasoning", text: "", sealed }];
    return countMessages([{ id: "m0", role: "assistant", parts }], { format: "espalier" }).total;
  };
  assert.equal(neutral(90) - neutral(), 90);
  assert.throws(() => neutral({}), { code: "bad_message", path: "messages[0].parts[0].sealed" });
});

test("references to what the server has are estimates", () => {
  const question = { role: "user", content: "Go on." };
  for (const reference of [{ type: "item_reference", id: "msg_1" }, { id: "rs_1" }]) {
    const { origin } = countMessages([question, reference], { format: "openai-responses" });
    assert.equal(origin, "estimate");
  }
});

test("responses: items", () => {
  check(
    "openai-responses",
    {
      model: "gpt-5",
      instructions: "be brief",
      input: [
        { role: "user", content: "hi" },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "see" },
            { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "high" },
            { type: "input_file", file_data: "abcdef" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "…" },
        { type: "function_call", id: "fc_1", call_id: "a", name: "run", arguments: "{}" },
        { type: "custom_tool_call", call_id: "b", name: "sh", input: "ls" },
        { type: "function_call_output", call_id: "a", output: "one" },
        { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "two" }] },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "done", annotations: [] }],
        },
        { type: "web_search_call", id: "ws_1", status: "completed" },
      ],
    },
    `system: be brief
    user: hi
    user: see, <image image/png ${PNG} high>, <document 6>
    assistant: {hm}
    assistant: a=run({})
    assistant: b=sh(ls)
    tool: a[one]
    tool: b[two]
    assistant: done
    assistant: <opaque {"type":"web_search_call","id":"ws_1","status":"completed"}>`,
  );
  check("openai-responses", { model: "gpt-5", input: "just a text" }, "user: just a text");
  check(
    "openai-responses",
    [{ type: "message", role: "user", content: [{ type: "input_text", text: "bare list" }] }],
    "user: bare list",
  );
});

test("responses: edits and insertions", () => {
  const input = () => ({
    input: [
      { type: "function_call", call_id: "a", name: "run", arguments: "{}", id: "fc" },
      { type: "function_call_output", call_id: "a", output: "long", id: "fo" },
      {
        role: "user",
        content: [
          { type: "input_text", text: "x" },
          { type: "input_text", text: "y" },
        ],
      },
    ],
  });
  assert.deepEqual(edit("openai-responses", input(), 0, [{ part: 0, to: { type: "arguments", arguments: "[]" } }]), {
    type: "function_call",
    call_id: "a",
    name: "run",
    arguments: "[]",
    id: "fc",
  });
  assert.deepEqual(edit("openai-responses", input(), 1, [{ part: 0, to: { type: "text", text: "short" } }]), {
    type: "function_call_output",
    call_id: "a",
    output: "short",
    id: "fo",
  });
  assert.deepEqual(edit("openai-responses", input(), 1, [{ part: 0, callId: "z" }]), {
    type: "function_call_output",
    call_id: "z",
    output: "long",
    id: "fo",
  });
  assert.deepEqual(edit("openai-responses", input(), 2, [{ part: 1, to: { type: "text", text: "Y" } }]), {
    role: "user",
    content: [{ type: "input_text", text: "Y" }],
  });
  assert.deepEqual(insert("openai-responses", input(), summary), [
    { type: "message", role: "user", content: "what was" },
  ]);
  assert.deepEqual(insert("openai-responses", input(), standIn), [
    { type: "function_call_output", call_id: "c9", output: "lost" },
  ]);
  assert.deepEqual(
    insert("openai-responses", input(), calling).map((item) => (item as { type: string }).type),
    ["message", "function_call"],
  );
});

test("responses: what is refused names the field", () => {
  refused({ input: [{ type: 7 }] }, "bad_message", "input[0].type");
  refused({ input: [{ type: "message", content: "x" }] }, "bad_message", "input[0].role");
  refused({ input: [{ role: "user", content: [null] }] }, "bad_message", "input[0].content[0]");
});

test("Ollama's pictures beside the text are counted, become notes in it, and are converted with their type", () => {
  const png = `iVBORw0KGgoAAAANSUhEUgAAAQAAAAEACAIA${"A".repeat(400)}`;
  const jpeg = `/9j/${"A".repeat(400)}`;
  const asked = (content: string, ...images: unknown[]) => ({ role: "user", content, images });
  const list = [
    asked("Which bird?", png, new Uint8Array(Buffer.from(png, "base64"))),
    { role: "assistant", content: "A heron." },
    asked("", png),
    { role: "assistant", content: "A swan." },
    asked("And this?", jpeg),
  ];
  const bare = list.map(({ role, content }) => ({ role, content }));
  assert.equal(
    espalier.countMessages(list.slice(0, 1), { format: "openai-chat" }).total,
    espalier.countMessages(bare.slice(0, 1)).total + 255 + 255,
  );
  const { messages, report } = espalier.prune(list, { budget: 10_000, dropMedia: "old", format: "openai-chat" });
  assert.equal(messages[4], list[4]);
  assert.deepEqual(Object.keys(messages[0]!), ["role", "content"]);
  assert.match(String(messages[0]!.content), /^Which bird\?\[image left out: .*\]\[image left out: .*\]$/);
  assert.match(String(messages[2]!.content), /^\[image left out: .*\]$/);
  assert.equal(report.after.total, espalier.countMessages(messages, { format: "openai-chat" }).total);
  const { messages: converted, lost } = espalier.convert(list, "anthropic");
  assert.match(JSON.stringify(converted.at(-1)), /"media_type":"image\/jpeg"/);
  assert.deepEqual(lost, []);
  assert.throws(() => espalier.countMessages([asked("a", 7)]), { code: "bad_message", path: "messages[0].images[0]" });
});
