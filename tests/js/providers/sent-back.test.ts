/**
 * Conversations that go back to the provider that answered: its answers, what it made of the context, and what it
 * refuses.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { written } from "../../../js/formats/turns.ts";
import { EspalierError } from "../../../js/providers/index.ts";
import { answer } from "../../server/model.mjs";
import { make, NAMES, scripted } from "./support.ts";
import type { WireName } from "./support.ts";
import { ADAPTERS } from "../formats/adapters.ts";

const server = await scripted({ strict: true });

test("settings for context that the server manages go through, with the headers they need", async () => {
  server.clear();
  const edits = [
    { type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 100_000 } },
    { type: "compact_20260112", pause_after_compaction: true },
  ];
  const claude = make("anthropic", server, { headers: { "Anthropic-Beta": "context-1m-2025-08-07" } });
  await claude.send(claude.toRequest([{ role: "user", content: "a" }], { contextManagement: { edits } }));
  assert.deepEqual(
    [server.seen[0]!.body["context_management"], server.seen[0]!.headers["anthropic-beta"]],
    [{ edits }, "context-management-2025-06-27,compact-2026-01-12,context-1m-2025-08-07"],
  );
  const gpt = make("openai-responses", server);
  const settings = [{ type: "compaction", compact_threshold: 200_000 }];
  await gpt.send(
    gpt.toRequest([{ role: "user", content: "a" }], { contextManagement: settings, extra: { truncation: "auto" } }),
  );
  assert.deepEqual(
    [server.seen[1]!.body["context_management"], server.seen[1]!.body["truncation"]],
    [settings, "auto"],
  );
});

test("what the server made of the context goes back unchanged, and in front of what follows it", async () => {
  for (const name of ["anthropic", "openai-responses"] as const) {
    const item =
      name === "anthropic"
        ? { type: "compaction", content: "The story so far: 🙂" }
        : { type: "compaction", id: "cmp_1", encrypted_content: "The story so far: 🙂" };
    for (const stream of [false, true]) {
      server.clear();
      server.queue(
        answer({
          compaction: "The story so far: 🙂",
          reasoning: "Hm.",
          text: "Go on.",
          calls: [{ id: "c1", name: "f", input: { a: 1 } }],
        }),
      );
      const provider = make(name, server);
      const start = { role: "user", content: "Hello." };
      const { messages, raw } = await provider.send(provider.toRequest([start], { format: name }), { stream });
      const parts = name === "anthropic" ? (messages[0] as { content: unknown[] }).content : messages;
      assert.deepEqual(parts[0], item);
      assert.deepEqual((parts[1] as { type: string }).type, name === "anthropic" ? "thinking" : "reasoning");
      const result =
        name === "anthropic"
          ? { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "ok" }] }
          : { type: "function_call_output", call_id: "c1", output: "ok" };
      await provider.send(provider.toRequest([start, ...messages, result], { format: name }));
      assert.equal(server.seen[1]!.refused, undefined);
      const again = (server.seen[1]!.body["messages"] ?? server.seen[1]!.body["input"]) as unknown[];
      assert.deepEqual(again.slice(1, -1), JSON.parse(JSON.stringify(messages)));
      // Another provider's model gets the words, if there are any.
      const foreign = JSON.stringify(
        make("openai-chat", server).toRequest([start, ...messages, result], { format: name }),
      );
      assert.equal(foreign.includes("The story so far"), name === "anthropic");
      assert.ok(raw);
    }
  }
});

test("answers can be sent back as they come, by every provider to itself", async () => {
  for (const name of NAMES) {
    for (const stream of [false, true]) {
      server.clear();
      const provider = make(name, server);
      const conversation: unknown[] = [
        ...(provider.toRequest([{ role: "user", content: "Hello." }])[listOf(name)] as unknown[]),
      ];
      server.queue(
        answer({
          reasoning: "Hm.",
          text: "Wait.",
          calls: [
            { id: "c1", name: "f", input: {} },
            { id: "c2", name: "f", input: { a: 2 } },
          ],
        }),
        answer({ text: "" }),
        answer({ text: "Done." }),
      );
      const { toolCalls, messages } = await provider.send(provider.toRequest(conversation, { format: name }), {
        stream,
      });
      conversation.push(
        ...messages,
        ...written(ADAPTERS[name], [
          {
            id: "r",
            role: "tool",
            parts: toolCalls.map(({ id, name }) => ({
              type: "toolResult",
              callId: id,
              name,
              content: [{ type: "text", text: "ok" }],
            })),
          },
        ]),
      );
      for (let round = 0; round < 2; round++) {
        const { messages } = await provider.send(provider.toRequest(conversation, { format: name }), { stream });
        conversation.push(...messages);
        if (round === 0)
          conversation.push(...(provider.toRequest([{ role: "user", content: "Go on." }])[listOf(name)] as unknown[]));
      }
      assert.deepEqual(
        server.seen.map(({ refused }) => refused),
        [undefined, undefined, undefined],
      );
    }
  }
});

function listOf(name: WireName): string {
  return name === "gemini" ? "contents" : name === "openai-responses" ? "input" : "messages";
}

test("lone surrogates are no reason for a refusal", async () => {
  server.clear();
  for (const name of NAMES) {
    const provider = make(name, server);
    await provider.send(provider.toRequest([{ role: "user", content: "a\ud800b \ud83d\ude42 \\ud800" }]));
    const { text } = server.seen.at(-1)!;
    assert.ok(text.includes("a\ufffdb 🙂 \\\\ud800"), text);
  }
});

test("the scripted model refuses what the providers refuse", async () => {
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  const user = { role: "user", content: "x" };
  const table: [WireName, unknown[], RegExp][] = [
    ["openai-chat", [user, result("a")], /must be a response to a preceeding message/],
    ["openai-chat", [user, call, user], /did not have response messages: a/],
    ["openai-chat", [user, { role: "assistant", content: "x", tool_calls: [] }], /empty array/],
    [
      "anthropic",
      [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] }],
      /unexpected `tool_use_id`/,
    ],
    [
      "anthropic",
      [user, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }, user],
      /were found without `tool_result` blocks/,
    ],
    ["anthropic", [{ role: "assistant", content: "x" }], /first message must use the "user" role/],
    [
      "gemini",
      [{ role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }],
      /function response turn comes immediately after/,
    ],
    [
      "gemini",
      [
        { role: "user", parts: [{ text: "x" }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
        { role: "user", parts: [{ text: "x" }] },
      ],
      /number of function response parts/,
    ],
    ["openai-responses", [{ type: "function_call_output", call_id: "a", output: "x" }], /No tool call found/],
    ["openai-responses", [{ type: "function_call", call_id: "a", name: "f", arguments: "{}" }], /No tool output found/],
  ];
  for (const [name, messages, words] of table) {
    const provider = make(name, server);
    await assert.rejects(
      provider.send(provider.toRequest(messages, { format: name })),
      (error) => error instanceof EspalierError && error.code === "bad_request" && words.test(error.message),
      String(words),
    );
  }
});
