/** One prompt in the form of every provider, through the native `render`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { all, h } from "./pieces.ts";

const { render, SystemMessage, UserMessage, AssistantMessage, ToolMessage, Image, useKeepWith, toOpenAI } =
  espalier as any;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function prompt(): any {
  const Keep = useKeepWith();
  const call = { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' }, keepWith: Keep };
  return all(
    h(SystemMessage, {}, "Be brief.", h("cacheBreakpoint", { type: "ephemeral" })),
    h(UserMessage, { priority: 5 }, "What is this?", h(Image, { src: PIXEL, mimeType: "image/png" })),
    h(AssistantMessage, { priority: 1, toolCalls: [call] }, "Reading."),
    h(Keep, { priority: 1 }, h(ToolMessage, { toolCallId: "c1" }, "export {}")),
    h(UserMessage, { priority: 9 }, "And now?"),
  );
}

/** The request, and again after the call and its result had to go. */
async function both(format: string): Promise<[any, any]> {
  const whole = await render(prompt(), { budget: 10_000, format });
  const cut = await whole.prune(whole.tokens - 12);
  assert.ok(cut.tokens < whole.tokens);
  return [whole.request, cut.request];
}

test("openai-chat", async () => {
  const [{ messages }, cut] = await both("openai-chat");
  assert.deepEqual(
    messages.map(({ role }: any) => role),
    ["system", "user", "assistant", "tool", "user"],
  );
  assert.deepEqual(messages[2], {
    role: "assistant",
    content: "Reading.",
    tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } }],
  });
  assert.deepEqual(messages[3], { role: "tool", tool_call_id: "c1", content: "export {}" });
  assert.equal(messages[1].content[1].image_url.url, `data:image/png;base64,${PIXEL}`);
  assert.deepEqual(
    cut.messages.map(({ role }: any) => role),
    ["system", "user", "user"],
  );
});

test("anthropic", async () => {
  const [request, cut] = await both("anthropic");
  assert.deepEqual(request.system, [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]);
  assert.deepEqual(
    request.messages.map(({ role }: any) => role),
    ["user", "assistant", "user"],
  );
  assert.deepEqual(request.messages[1].content, [
    { type: "text", text: "Reading." },
    { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
  ]);
  assert.deepEqual(
    request.messages[2].content.map(({ type }: any) => type),
    ["tool_result", "text"],
  );
  assert.deepEqual(request.messages[0].content[1], {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: PIXEL },
  });
  assert.deepEqual(
    cut.messages.map(({ role }: any) => role),
    ["user"],
  );
});

test("gemini", async () => {
  const [request, cut] = await both("gemini");
  assert.deepEqual(request.systemInstruction, { parts: [{ text: "Be brief." }] });
  assert.deepEqual(
    request.contents.map(({ role }: any) => role),
    ["user", "model", "user"],
  );
  assert.deepEqual(request.contents[1].parts[1].functionCall.args, { path: "a.ts" });
  assert.deepEqual(
    cut.contents.map(({ role }: any) => role),
    ["user"],
  );
});

test("vscode: a system message is the user's, and the trace says so", async () => {
  const rendered = await render(prompt(), { budget: 10_000, format: "vscode" });
  assert.equal(rendered.messages.length, 5);
  assert.deepEqual(
    rendered.messages.map(({ role }: any) => role),
    [1, 1, 2, 1, 1],
  );
  const system = rendered.trace().nodes.find(({ role }: any) => role === "system");
  assert.equal(system.sentAs, "user");
  assert.match(system.sentence, /sent with the role user/);
  assert.ok(rendered.trace().nodes.every(({ role, sentAs }: any) => (sentAs === undefined) === (role !== "system")));
});

test("raw, and from raw to others", async () => {
  const raw = await render(prompt(), { budget: 10_000, format: "raw" });
  const { messages } = await render(prompt(), { budget: 10_000 });
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(raw.messages.map(toOpenAI)), plain(messages));
});

test("tools count, and what is counted is what a fresh count says", async () => {
  const tools = [
    {
      type: "function",
      function: {
        name: "read",
        description: "Reads a file.",
        parameters: { type: "object", properties: { path: { type: "string" } } },
      },
    },
  ];
  const alone = await render(prompt(), { budget: 10_000 });
  const beside = await render(prompt(), { budget: 10_000, tools });
  assert.ok(beside.tokens > alone.tokens);
  assert.equal(
    beside.tokens,
    espalier.countMessages({ messages: beside.messages, tools }, { format: "openai-chat" }).total,
  );
});
