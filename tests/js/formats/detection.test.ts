/** What a message holds decides its format; what is not understood is refused with its path. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConversation } from "../../../js/formats/index.ts";
import { check, refused } from "./common.ts";

const say = (content: unknown) => ({ role: "user", content });
const format = (input: unknown) => readConversation(input, {}).format;

test("an answer of the Messages API, appended as it came, is Anthropic's", () => {
  const answer = (content: unknown[], more = {}) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content,
    stop_reason: "end_turn",
    usage: {},
    ...more,
  });
  const call = { type: "tool_use", id: "tu1", name: "run", input: {} };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "tu1", content: "ok" }] };
  assert.equal(format([say("first"), answer([call]), result]), "anthropic");
  assert.equal(format([say("first"), answer([{ type: "text", text: "hello" }])]), "anthropic");
  assert.equal(format([say("first"), answer([], { stop_reason: "refusal" })]), "anthropic");
  assert.equal(format([answer([{ type: "text", text: "hello" }], { stop_reason: undefined }), result]), "anthropic");
  // The Responses API's own messages still are.
  assert.equal(format([{ type: "message", role: "user", content: "hi" }]), "openai-responses");
  assert.equal(
    format([{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] }]),
    "openai-responses",
  );
});

test("the renderer's own messages are a format", () => {
  check(
    "raw",
    [
      { role: 0, content: [{ type: 1, text: "Be brief." }] },
      {
        role: 1,
        name: "ann",
        content: [
          { type: 1, text: "Look" },
          { type: 0, imageUrl: { url: "https://a/b.png", detail: "low" } },
          { type: 4, documentData: { data: "JVBERi0=", mediaType: "application/pdf" } },
          { type: 2, value: { a: 1 } },
          { type: 3 },
        ],
      },
      { role: 2, content: [], toolCalls: [{ id: "c1", type: "function", function: { name: "run", arguments: "{}" } }] },
      {
        role: 3,
        toolCallId: "c1",
        content: [
          { type: 1, text: "ok" },
          { type: 3, cacheType: "ephemeral" },
        ],
      },
    ],
    `
    system: Be brief.
    user(ann): Look, <image https://a/b.png low>, <document 8>, <opaque {"a":1}>, <mark>
    assistant: c1=run({})
    tool: c1[ok]
  `,
  );
  // Without a system message, too, and with the editor's messages beside it.
  assert.equal(format([{ role: 1, content: [{ type: 1, text: "hi" }] }]), "raw");
  assert.equal(
    format([
      { role: 1, content: [] },
      { role: 3, toolCallId: "c1", content: [] },
    ]),
    "raw",
  );
  assert.equal(
    format([
      { role: 1, content: [{ value: "hi" }] },
      { role: 3, content: [{ value: "system" }] },
    ]),
    "vscode",
  );
});

test("raw messages that make no sense are refused with the path", () => {
  refused([{ role: 0, content: [{ type: 9, text: "?" }] }], "bad_message", "messages[0].content[0].type");
  refused(
    [
      { role: 0, content: [] },
      { role: 4, content: [] },
    ],
    "bad_message",
    "messages[1].role",
  );
  refused(
    [
      { role: 0, content: [] },
      { role: 3, content: [] },
    ],
    "bad_message",
    "messages[1].toolCallId",
  );
  refused([{ role: 2, content: [], toolCalls: [{ id: "c1" }] }], "bad_message", "messages[0].toolCalls[0]");
  refused([{ role: 0, content: [] }, { role: 1 }], "bad_message", "messages[1].content");
});

test("a message without any content is not taken as an empty one", () => {
  refused(
    [
      { role: "user", text: "the question" },
      { role: "assistant", text: "the answer" },
    ],
    "bad_message",
    "messages[0].content",
  );
  refused([say("a"), { role: "assistant" }], "bad_message", "messages[1].content");
  for (const more of [
    { content: null },
    { tool_calls: [{ id: "c1", function: { name: "f" } }] },
    { refusal: "no" },
    { audio: { id: "a" } },
  ]) {
    assert.equal(format([say("a"), { role: "assistant", ...more }]), "openai-chat");
  }
});

test("a turn of Gemini without parts is empty", () => {
  const turns = [{ role: "user", parts: [{ text: "a" }] }, { role: "model" }];
  assert.deepEqual(
    readConversation({ contents: turns }, {}).messages.map(({ role, parts }) => [role, parts.length]),
    [
      ["user", 1],
      ["assistant", 0],
    ],
  );
  refused({ contents: [{ role: "user", content: "a" }] }, "bad_message", "contents[0].parts");
});

test("events of a stream and lines of a log are refused", () => {
  const events = [
    { type: "init", session_id: "s", model: "m" },
    { type: "message", role: "user", content: "hi" },
    { type: "tool_use", tool_name: "run", tool_id: "t1", parameters: {} },
    { type: "tool_result", tool_id: "t1", status: "success", output: "ok" },
    { type: "result", status: "success", stats: {} },
  ];
  refused(events, "unknown_format", "messages[0]");
  refused(events.slice(1), "unknown_format", "messages[1]");
  refused(events.slice(2), "unknown_format", "messages[0]");
  const run = [
    { type: "system", subtype: "init", model: "m" },
    { type: "message", role: "user", text: "List files." },
    { type: "tool_call", id: "c1", toolName: "LS", parameters: {} },
  ];
  refused(run, "unknown_format", "messages[0]");
  refused([{ type: "user", message: { role: "user", content: "hi" }, uuid: "u" }], "unknown_format", "messages[0]");
  assert.throws(() => readConversation(events, {}), /the type "init".*pass the messages/s);
  // Told to be Responses, what belongs to a call is refused by its field.
  refused({ input: events.slice(1) }, "bad_message", "input[1].tool_id");
});

test("the ids of calls distinguish items of the Agents SDK from those of the Responses API", () => {
  const call = { type: "function_call", callId: "c1", name: "run", arguments: "{}" };
  const result = { type: "function_call_result", callId: "c1", name: "run", output: { type: "text", text: "ok" } };
  const answer = {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "a" }],
  };
  assert.equal(format([say("go"), call, result]), "openai-agents");
  assert.equal(format([say("go"), answer, call, result]), "openai-agents");
  assert.equal(format({ input: [say("go"), { type: "hosted_tool_call", name: "web_search" }] }), "openai-agents");
  // Without a call both are written in the same way.
  assert.equal(format([say("go"), answer]), "openai-responses");
  // Ids under the other name are refused with their path, and so is an unknown type.
  refused(
    [say("go"), { type: "function_call", call_id: "c1", name: "run" }, result],
    "bad_message",
    "messages[1].callId",
  );
  refused([say("go"), call, result, { type: "future_thing" }], "bad_message", "messages[3].type");
  refused([say("go"), call, result, { type: "future_call", callId: "c2" }], "bad_message", "messages[3].type");
});

test("unknown items that belong to a call are refused", () => {
  refused({ input: [{ type: "future_thing", call_id: "c1" }] }, "bad_message", "input[0].type");
  refused({ input: [{ type: "future_thing", callId: "c1" }] }, "bad_message", "input[0].callId");
  assert.equal(format({ input: [say("go"), { type: "future_thing", id: "x" }] }), "openai-responses");
});

test("LangChain's messages are known in all of their forms", () => {
  class HumanMessage {
    lc_namespace = ["langchain_core", "messages"];
    content = "hi";
    _getType() {
      return "human";
    }
  }
  for (const message of [
    new HumanMessage(),
    { type: "human", content: "hi" },
    { type: "human", data: { content: "hi" } },
    { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "hi" } },
  ]) {
    const reading = readConversation([message], {});
    assert.equal(reading.format, "langchain");
    assert.deepEqual(reading.messages, [{ id: "m0", role: "user", parts: [{ type: "text", text: "hi" }] }]);
    assert.equal(reading.rebuild([{ type: "keep", id: "m0" }]), reading.source.input);
  }
  // An order to the state of a graph, and the old form of results without ids.
  for (const type of ["remove", "function"])
    refused(
      [
        { type: "human", content: "hi" },
        { type, content: "" },
      ],
      "bad_message",
      "messages[1].type",
    );
  refused([{ type: "tool", data: { content: "" } }], "bad_message", "messages[0].data.tool_call_id");
});

test("LangChain's JSON of messages that were made of standard blocks is read like their instances", () => {
  const fields = {
    content_blocks: [
      { type: "text", text: "hi" },
      { type: "tool_call", id: "c1", name: "read", args: {} },
    ],
    tool_calls: [{ type: "tool_call", id: "c1", name: "read", args: {} }],
    response_metadata: { output_version: "v1" },
  };
  const id = ["langchain_core", "messages", "AIMessage"];
  for (const message of [
    { type: "ai", data: fields },
    { lc: 1, type: "constructor", id, kwargs: fields },
    { type: "ai", ...fields },
  ]) {
    const reading = readConversation([message], {});
    assert.equal(reading.format, "langchain");
    assert.deepEqual(
      reading.messages[0]!.parts.map(({ type }) => type),
      ["text", "toolCall"],
    );
    assert.equal(reading.rebuild([{ type: "keep", id: "m0" }]), reading.source.input);
    const [{ data, kwargs, content = (data ?? kwargs)!.content, ...rest }] = reading.rebuild([
      { type: "edit", id: "m0", parts: [{ part: 0, to: { type: "text", text: "ho" } }, { part: 1 }] },
    ]) as [Record<string, Record<string, unknown>>];
    assert.deepEqual(content, [{ type: "text", text: "ho" }, fields.content_blocks[1]]);
    assert.ok(!("content_blocks" in { ...rest, ...data, ...kwargs }));
  }
});

test("a refusal is a part of both of OpenAI's formats", () => {
  const content = [{ type: "refusal", refusal: "No." }];
  assert.equal(format([say("Do it."), { role: "assistant", content }]), "openai-chat");
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  assert.equal(format([say("Do it."), item, say("Then read a.ts.")]), "openai-responses");
});

test("a request with tools of an MCP server, or for a model of Anthropic, is Anthropic's", () => {
  const asked = [say("What does the spec support?")];
  const use = { type: "mcp_tool_use", id: "mcptoolu_1", name: "ask", server_name: "deepwiki", input: { q: "spec" } };
  const result = {
    type: "mcp_tool_result",
    tool_use_id: "mcptoolu_1",
    is_error: false,
    content: [{ type: "text", text: "stdio" }],
  };
  assert.equal(
    format([...asked, { role: "assistant", content: [{ type: "text", text: "I ask." }, use, result] }]),
    "anthropic",
  );
  for (const type of ["web_search_tool_result", "web_fetch_tool_result", "bash_code_execution_tool_result"])
    assert.equal(
      format([...asked, { role: "assistant", content: [{ type, tool_use_id: "srvtoolu_1", content: [] }] }]),
      "anthropic",
    );
  assert.equal(format({ model: "claude-sonnet-4-5", max_tokens: 9, messages: asked }), "anthropic");
  assert.equal(format({ messages: asked, tools: [{ name: "ls", input_schema: { type: "object" } }] }), "anthropic");
  assert.equal(format({ messages: asked, mcp_servers: [] }), "anthropic");
  // Gateways take OpenAI's messages for models of Anthropic.
  assert.equal(format({ model: "anthropic/claude-sonnet-4", messages: asked }), "openai-chat");
  assert.equal(
    format({ model: "claude-sonnet-4-5", messages: [{ role: "system", content: "Be brief." }, ...asked] }),
    "openai-chat",
  );
});

test("pictures tell the Agents SDK's items from those of the Responses API", () => {
  const item = (part: object) => [
    { type: "message", role: "user", content: [{ type: "input_text", text: "look" }, part] },
  ];
  assert.equal(format(item({ type: "input_image", image: "data:image/png;base64,iVBORw0KGgo=" })), "openai-agents");
  assert.equal(format(item({ type: "input_file", file: { id: "file-1" } })), "openai-agents");
  assert.equal(format(item({ type: "input_image", image_url: "https://a/b.png" })), "openai-responses");
});

test("messages of Bedrock's Converse API are refused, and not read as texts that nobody knows", () => {
  const call = { toolUse: { toolUseId: "t1", name: "run", input: {} } };
  const result = { toolResult: { toolUseId: "t1", content: [{ text: "ok" }], status: "success" } };
  const messages = [
    { role: "user", content: [{ text: "Run it." }] },
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ];
  refused(messages, "bad_message", "messages[0].content[0].type");
  refused(messages.slice(1), "bad_message", "messages[0].content[0].type");
  refused({ modelId: "m", system: [{ text: "Be brief." }], messages }, "bad_message", "system[0].type");
  for (const format of ["openai-chat", "anthropic"] as const) {
    assert.throws(() => readConversation(messages, { format }), /Bedrock's Converse API, are not read/);
  }
});

test("chat messages in the spelling of an SDK are refused, and do not lose their calls", () => {
  const toolCalls = [{ id: "c1", type: "function", function: { name: "run", arguments: "{}" } }];
  const call = { role: "assistant", content: "", toolCalls };
  const result = { role: "tool", toolCallId: "c1", content: "ok" };
  refused([say("a"), call, result], "bad_message", "messages[1].toolCalls");
  refused([say("a"), result], "bad_message", "messages[1].toolCallId");
  // Cohere's results are lists of documents, as parts of Anthropic are.
  const documents = [{ type: "document", document: { data: "ok" } }];
  refused(
    [say("a"), { role: "assistant", toolPlan: "", toolCalls }, { ...result, content: documents }],
    "bad_message",
    "messages[1].toolCalls",
  );
  // Without calls, and beside the names on the wire, they say nothing.
  assert.equal(format([say("a"), { role: "assistant", content: "b", toolCalls: [], toolCallId: null }]), "openai-chat");
  assert.equal(format([say("a"), { ...call, tool_calls: toolCalls }]), "openai-chat");
});

test("messages in the own form of LlamaIndex, TanStack AI, AG-UI, Strands Agents or an SDK are refused by their field", () => {
  const ask = { role: "user", content: "Run it." };
  const call = { role: "assistant", content: "", options: { toolCall: [{ id: "c1", name: "run", input: {} }] } };
  const result = { role: "user", content: "ok", options: { toolResult: { id: "c1", result: "ok", isError: false } } };
  refused([ask, call, result], "bad_message", "messages[1].options.toolCall");
  refused([ask, result], "bad_message", "messages[1].options.toolResult");
  const parts = (role: string, ...content: object[]) => ({ role, content });
  refused([parts("user", { type: "text", content: "Hi." })], "bad_message", "messages[0].content[0].content");
  refused([{ role: "user", parts: [{ type: "text", content: "Hi." }] }], "bad_message", "messages[0].parts[0].content");
  const call2 = { type: "tool-call", id: "c1", name: "run", arguments: "{}", state: "complete" };
  refused([ask, { role: "assistant", parts: [call2] }], "bad_message", "messages[1].parts[0].arguments");
  const source = { type: "data", value: "AAAA", mimeType: "image/png" };
  refused([parts("user", { type: "image", source })], "bad_message", "messages[0].content[0].source");
  const block = { type: "toolUseBlock", toolUseId: "c1", name: "run", input: {} };
  refused([ask, parts("assistant", block)], "bad_message", "messages[1].content[0].type");
  refused([{ type: "message", ...parts("assistant", block) }], "bad_message", "messages[0].content[0].type");
  const url = "data:image/png;base64,AAAA";
  refused([parts("user", { type: "image_url", imageUrl: url })], "bad_message", "messages[0].content[0].imageUrl");
  refused([ask, { role: "assistant", content: "b", toolPlan: "a" }], "bad_message", "messages[1].toolPlan");
  const details = [{ type: "reasoning.text", text: "a" }];
  const thinks = { role: "assistant", content: "b", reasoningDetails: details };
  refused([ask, thinks], "bad_message", "messages[1].reasoningDetails");
  assert.throws(() => readConversation([ask, call]), /createFetch of espalier\/fetch reads what the SDK sends/);
  // Tools of the AI SDK may have such names, and hosts may keep options of their own.
  const named = { type: "tool-call", toolCallId: "c1", state: "output-available", input: {}, output: "ok" };
  const added = { type: "tool-addBlock", toolCallId: "c2", state: "output-available", input: {}, output: "ok" };
  assert.equal(format([ask, { role: "assistant", parts: [named, added] }]), "ai-sdk");
  assert.equal(format([{ ...ask, options: { temperature: 0 } }]), "openai-chat");
});

test("thoughts in the content, and the plans of Cohere, are thoughts of chat messages", () => {
  const calls = [{ id: "c1", type: "function", function: { name: "run", arguments: "{}" } }];
  const messages = [
    say("a"),
    { role: "assistant", tool_plan: "I will run it.", tool_calls: calls },
    { role: "tool", tool_call_id: "c1", content: "ok" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Well.", signature: "s" },
        { type: "text", text: "b" },
      ],
    },
    say("c"),
    {
      role: "assistant",
      content: [
        {
          type: "thinking",
          thinking: [
            { type: "text", text: "So, " },
            { type: "text", text: "yes." },
          ],
          closed: true,
        },
        { type: "text", text: "d" },
      ],
    },
  ];
  const reading = readConversation(messages, { format: "openai-chat" });
  const thoughts = reading.messages.flatMap(({ parts }) =>
    parts.flatMap((p) => (p.type === "reasoning" ? p.text : [])),
  );
  assert.deepEqual(thoughts, ["I will run it.", "Well.", "So, yes."]);
  // An edit keeps the shape of what it changes.
  const plan = reading.messages.map(({ id }) => {
    if (id === "m3") return { type: "edit", id, parts: [{ part: 0, to: { type: "text", text: "W." } }, { part: 1 }] };
    if (id === "m5") return { type: "edit", id, parts: [{ part: 0, to: { type: "text", text: "S." } }, { part: 1 }] };
    return id === "m1" ? { type: "edit", id, parts: [{ part: 1 }] } : { type: "keep", id };
  });
  const out = reading.rebuild(plan as never) as Record<string, any>[];
  assert.deepEqual(out[1], { role: "assistant", tool_calls: calls });
  assert.deepEqual(out[3]!["content"][0], { type: "thinking", thinking: "W.", signature: "s" });
  assert.deepEqual(out[5]!["content"][0], { type: "thinking", thinking: [{ type: "text", text: "S." }], closed: true });
});

test("thoughts that look like Anthropic's are those of the format that another message shows", () => {
  const think = (thinking: unknown) => ({ role: "assistant", content: [{ type: "thinking", thinking }] });
  const call = { role: "assistant", tool_calls: [{ id: "c1", function: { name: "run", arguments: "{}" } }] };
  assert.equal(format([say("a"), think("hm"), say("b"), call]), "openai-chat");
  assert.equal(format([say("a"), think([{ type: "text", text: "hm" }])]), "openai-chat");
  assert.equal(format([say("a"), think("hm"), say("b")]), "anthropic");
  const signed = { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] };
  assert.equal(format([say("a"), signed]), "anthropic");
});
