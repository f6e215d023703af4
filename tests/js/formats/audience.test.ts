/** Parts of results that are not for the model: VS Code's and MCP's, in every format. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Format } from "../../../js/types/messages.ts";
import { receiverOf } from "./rules.ts";
import { espalier } from "../built.ts";
import { freeze } from "./common.ts";
import {
  LanguageModelChatMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./samples.ts";

const { ConversationLog, Pruner, compact, countMessages, openConversation, prune, repair, validate } = espalier;

type Item = { text: string; audience?: unknown };

const mcp = ({ text, audience }: Item) => ({
  type: "text",
  text,
  ...(audience !== undefined && { annotations: { audience } }),
});

/** A call and its result of these items, in the middle of a conversation. */
const FORMATS: Record<Exclude<Format, "espalier" | "raw">, (items: readonly Item[]) => any[]> = {
  "openai-chat": (items) => [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: items.map(mcp) },
  ],
  "openai-responses": (items) => [
    { role: "user", content: "go" },
    { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
    {
      type: "function_call_output",
      call_id: "c1",
      output: items.map((item) => ({ ...mcp(item), type: "input_text" })),
    },
  ],
  anthropic: (items) => [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: items.map(mcp) }] },
  ],
  gemini: (items) => [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response: { content: items.map(mcp) } } }] },
  ],
  vscode: (items) => [
    new LanguageModelChatMessage(1, [new LanguageModelTextPart("go")]),
    new LanguageModelChatMessage(2, [new LanguageModelToolCallPart("c1", "look", {})]),
    // There the model is 0, the user 1, an extension 2.
    new LanguageModelChatMessage(1, [
      new LanguageModelToolResultPart(
        "c1",
        items.map(
          ({ text, audience }) =>
            new LanguageModelTextPart(
              text,
              Array.isArray(audience) ? audience.map((who) => (who === "assistant" ? 0 : 1)) : audience,
            ),
        ),
      ),
    ]),
  ],
  "ai-sdk": (items) => [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "look",
          output: { type: "json", value: { content: items.map(mcp) } },
        },
      ],
    },
  ],
  langchain: (items) => [
    { type: "human", content: "go" },
    { type: "ai", content: "", tool_calls: [{ id: "c1", name: "look", args: {} }] },
    { type: "tool", tool_call_id: "c1", content: items.map(mcp) },
  ],
  "openai-agents": (items) => [
    { role: "user", content: "go" },
    { type: "function_call", callId: "c1", name: "look", arguments: "{}" },
    {
      type: "function_call_result",
      callId: "c1",
      name: "look",
      output: items.map((item) => ({ ...mcp(item), type: "input_text" })),
    },
  ],
};

const SHOWN: Item[] = [
  { text: "one" },
  { text: "two", audience: ["user", "assistant"] },
  { text: "three", audience: [] },
  { text: "four", audience: "user" },
];
const HIDDEN: Item = { text: "for eyes only", audience: ["user"] };

for (const [format, make] of Object.entries(FORMATS) as [keyof typeof FORMATS, (typeof FORMATS)["anthropic"]][]) {
  test(`${format}: what is not for the model is neither counted nor sent`, async () => {
    const messages = freeze(make([SHOWN[0]!, HIDDEN, ...SHOWN.slice(1)])) as any[];
    const expected = make(SHOWN);
    assert.equal(countMessages(messages, { format }).total, countMessages(expected, { format }).total);
    const { messages: out, report } = prune(messages, { budget: 5_000, format });
    assert.deepEqual(out, expected);
    assert.ok(out[0] === messages[0] && out[1] === messages[1]);
    assert.deepEqual(
      report.removed.map(({ ids, rule, tokens, recall }) => [ids, rule, tokens, recall]),
      [[["m2"], "audience", 0, "m2"]],
    );
    assert.deepEqual(new Pruner().prune(messages, { budget: 5_000, format }).messages, expected);
    assert.deepEqual((await compact(messages, { budget: 5_000, format })).messages, expected);
    assert.deepEqual(ConversationLog.from(messages, { format } as never).view().messages, expected);
    const conversation = await openConversation({ format, messages });
    const prepared = await conversation.prepare();
    assert.deepEqual(prepared.messages, expected);
    // The history keeps what the host had.
    assert.equal(conversation.recall("m2")[0]?.message ?? messages[2], messages[2]);
    await conversation.dispose();
    const to = receiverOf(format);
    assert.deepEqual(validate(messages, to, { format }), validate(expected, to, { format }));
  });

  test(`${format}: a result with nothing for the model is empty, and one with all of it is the host's own`, () => {
    const { messages: out } = prune(make([HIDDEN, HIDDEN]), { budget: 5_000, format });
    assert.deepEqual(
      out,
      make([{ text: "(empty)" }]).map((message, at) => (at === 2 && format === "vscode" ? out[2] : message)),
    );
    assert.match(JSON.stringify(out[2]), /"\(empty\)"/);
    const whole = make(SHOWN);
    assert.equal(prune(whole, { budget: 5_000, format }).messages, whole);
  });

  test(`${format}: what is left can be cut as anything else`, () => {
    const lines = Array.from({ length: 3_000 }, (_, line) => `line ${line}\n`).join("");
    const { messages: out, report } = prune(make([HIDDEN, { text: lines }, HIDDEN]), { budget: 2_000, format });
    const said = JSON.stringify(out[2]);
    assert.ok(/line 0/.test(said) && /line 2999/.test(said) && !/eyes only/.test(said), said.slice(0, 200));
    assert.ok(report.after.total <= 2_000);
    assert.equal(countMessages(out, { format }).total, report.after.total);
  });
}

test("a provider is sent, and repair gives, what is for the model", async () => {
  const { anthropic } = (await import(
    "../../../pkg/dist/providers.js" as string
  )) as typeof import("../../../js/providers/index.ts");
  const provider = anthropic({ model: "claude-sonnet-4-5", apiKey: "k" });
  const messages = FORMATS.anthropic([HIDDEN, SHOWN[0]!]);
  assert.deepEqual(provider.toRequest(messages)["messages"], FORMATS.anthropic([SHOWN[0]!]));
  assert.deepEqual(
    repair(
      [...messages, { role: "assistant", content: [{ type: "text", text: "  " }] }, { role: "user", content: "z" }],
      { provider: "anthropic" },
    ).messages.slice(0, 3),
    FORMATS.anthropic([SHOWN[0]!]),
  );
});

test("the neighbours of the AI SDK: several things in a result, and messages of a page", () => {
  const value = [mcp(HIDDEN), mcp(SHOWN[0]!)];
  const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} };
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [call] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "content", value } }],
    },
  ];
  assert.deepEqual((prune(messages, { budget: 999, format: "ai-sdk" }).messages[2] as any).content[0].output.value, [
    mcp(SHOWN[0]!),
  ]);
  const page = [
    { id: "a", role: "user", parts: [{ type: "text", text: "go" }] },
    {
      id: "b",
      role: "assistant",
      parts: [
        {
          type: "dynamic-tool",
          toolName: "look",
          toolCallId: "c1",
          state: "output-available",
          input: {},
          output: { content: value },
        },
      ],
    },
  ];
  assert.deepEqual((prune(page, { budget: 999, format: "ai-sdk" }).messages[1] as any).parts[0].output, {
    content: [mcp(SHOWN[0]!)],
  });
});

test("a log that grows leaves out what came later", () => {
  const log = ConversationLog.from(FORMATS.anthropic([SHOWN[0]!]) as any[]);
  const more = FORMATS.anthropic([HIDDEN, SHOWN[1]!]);
  log.append([
    ...more.slice(1).map((message) => JSON.parse(JSON.stringify(message).replaceAll("c1", "c2")) as object),
  ] as never);
  const { messages } = log.view();
  assert.deepEqual((messages.at(-1) as any).content[0].content, [mcp(SHOWN[1]!)]);
  assert.equal(JSON.stringify(log.originalsFrom(4)[0]).includes("eyes only"), true);
});
