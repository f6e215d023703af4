/** Assistants call tools, tools answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

const call = (id: string, more = {}): any => ({
  id,
  type: "function",
  function: { name: "grep", arguments: "{}" },
  ...more,
});

test("calls and results come out in both modes", async () => {
  const content = (): any =>
    all(
      h(s.AssistantMessage, { toolCalls: [call("c1")] }, "Looking."),
      h(s.ToolMessage, { toolCallId: "c1" }, "found"),
    );
  const raw = await render(s, content());
  assert.deepEqual(raw.messages, [
    {
      role: s.Raw.ChatRole.Assistant,
      content: [{ type: s.Raw.ChatCompletionContentPartKind.Text, text: "Looking." }],
      toolCalls: [call("c1")],
    },
    {
      role: s.Raw.ChatRole.Tool,
      content: [{ type: s.Raw.ChatCompletionContentPartKind.Text, text: "found" }],
      toolCallId: "c1",
    },
  ]);
  const openai = await render(s, content(), { tokenizer: tokenizerOf(s, { count: letters, mode: "OpenAI" }) });
  assert.deepEqual(JSON.parse(JSON.stringify(openai.messages)), [
    { role: "assistant", content: "Looking.", tool_calls: [call("c1")] },
    { role: "tool", content: "found", tool_call_id: "c1" },
  ]);
});

test("a message of calls alone is not empty", async () => {
  assert.deepEqual(
    await texts(s, all(h(s.AssistantMessage, { toolCalls: [call("c1")] }), h(s.AssistantMessage, { toolCalls: [] }))),
    ["assistant: <c1>"],
  );
});

test("calls are charged to the message", async () => {
  const { tokenCount } = await render(s, h(s.AssistantMessage, { toolCalls: [call("c1")] }, "x"));
  assert.equal(tokenCount, 3 + 1 + 2 + 4 + 2);
});

test("what VS Code's tools return is distinguished by its parts", async () => {
  const spliced = await s.renderElementJSON(
    class extends s.PromptElement {
      render(): any {
        return all(h(s.TextChunk, { priority: 1 }, "from a tree"));
      }
    },
    {},
    undefined,
  );
  const data = { content: [{ value: "text" }, { value: spliced }, { kind: "unheard of" }, null] };
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(s.ToolResult, { data }))), ["user: text|from a tree"]);
});
