/** Rounds that are not finished, and not lost: calls that wait for the host after the user's approval, paused turns. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { compact, openConversation, prune, repair, validate } = espalier;
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

/** A round of the AI SDK with one call that runs at once and one that needs an approval. */
function round(turn: number) {
  const [read, remove, approvalId] = [`r${turn}`, `d${turn}`, `a${turn}`];
  const result = (toolCallId: string, toolName: string, value: string) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
  });
  return {
    asked: [
      { role: "user", content: `Question ${turn}` },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: read, toolName: "read", input: {} },
          { type: "tool-call", toolCallId: remove, toolName: "remove", input: {} },
          { type: "tool-approval-request", approvalId, toolCallId: remove },
        ],
      },
      result(read, "read", words(100)),
    ],
    approved: [{ role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] }],
    ended: [result(remove, "remove", words(100)), { role: "assistant", content: "Done." }],
  };
}

test("an approved call of the AI SDK waits for its result, which stays behind the approval", async () => {
  const { asked, approved, ended } = round(0);
  for (const more of [[], ended.slice(0, 1), ended]) {
    const messages = [...asked, ...approved, ...more];
    const conversation = await openConversation({ format: "ai-sdk", messages });
    for (const sent of [
      prune(messages, { budget: 10_000 }).messages,
      (await compact(messages, { budget: 10_000 })).messages,
      (await conversation.prepare()).messages,
    ])
      assert.deepEqual(sent, messages);
    await conversation.dispose();
  }
  const rules = (messages: object[]) => validate(messages, "openai-chat").map(({ rule }) => rule);
  assert.deepEqual(rules([...asked, ...approved]), ["pending-call"]);
  assert.deepEqual(rules([...asked, ...approved, { role: "user", content: "Stop." }]), ["lost-call"]);
});

test("approvals go with their round", async () => {
  const old = Array.from({ length: 12 }, (_, turn) => round(turn)).flatMap((it) => Object.values(it).flat());
  const { asked, approved } = round(12);
  const messages = [...old, ...asked, ...approved];
  const ids = (list: readonly unknown[], type: string) =>
    [...JSON.stringify(list).matchAll(new RegExp(`"${type}","approvalId":"(\\w+)"`, "g"))].map(([, id]) => id);
  for (const budget of [6_000, 2_000, 1_000, 500]) {
    for (const sent of [
      prune(messages, { budget }).messages,
      (await compact(messages, { budget })).messages as object[],
    ]) {
      assert.deepEqual(ids(sent, "tool-approval-response"), ids(sent, "tool-approval-request"));
      assert.deepEqual(sent.at(-1), approved[0]);
      assert.doesNotMatch(JSON.stringify(sent), /No result was recorded/);
    }
  }
});

test("a turn that paused in a tool of the server is sent as it is, also without prefill", async () => {
  const call = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
  const page = { type: "web_search_result", url: "https://example.com", title: "x", encrypted_content: "e" };
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] };
  const next = { ...call, id: "srvtoolu_2" };
  const old = Array.from({ length: 20 }, (_, at) => [
    { role: "user", content: `Question ${at}. ${words(50)}` },
    { role: "assistant", content: [{ type: "text", text: `Answer ${at}.` }] },
  ]).flat();
  for (const content of [
    [{ type: "text", text: "I search." }, call],
    [call, result],
    [call, result, next],
  ]) {
    const messages = [...old, { role: "user", content: "Search." }, { role: "assistant", content }];
    for (const model of ["claude-haiku-4-5", "claude-sonnet-4-6"]) {
      assert.deepEqual(validate(messages, "anthropic", { model }), []);
      for (const budget of [100_000, 1_000]) {
        assert.equal(prune(messages, { budget, model }).messages.at(-1), messages.at(-1));
        assert.equal((await compact(messages, { budget, model })).messages.at(-1), messages.at(-1));
      }
    }
    const goesOn = [...messages, { role: "user", content: "Stop." }];
    const { messages: mended } = repair(goesOn, { provider: "anthropic", model: "claude-sonnet-4-6" });
    assert.deepEqual(validate(mended, "anthropic"), []);
  }
});

test("messages of LangChain are checked in the form in which they are sent", () => {
  const messages = [
    { type: "human", content: "Run it." },
    { type: "ai", content: "", tool_calls: [{ type: "tool_call", id: "c1", name: "run", args: {} }] },
    { type: "human", content: "And the linter." },
  ];
  for (const provider of ["anthropic", "openai-chat", "gemini"] as const) {
    const [finding] = validate(messages, provider);
    assert.deepEqual([finding?.rule, finding?.path], ["lost-call", "messages[1].tool_calls[0]"]);
    assert.deepEqual(validate(repair(messages, { provider }).messages, provider), []);
  }
});
