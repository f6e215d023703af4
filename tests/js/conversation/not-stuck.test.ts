/** What a server says once must not end a conversation, and what need not go stays. */

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation } = espalier;
const user = (content: unknown): Fields => ({ role: "user", content });
const said = (content: string): Fields => ({ role: "assistant", content });
/** About 2 tokens each. */
const words = (count: number, seed = 1) =>
  Array.from({ length: count }, (_, at) => `word${(at * 7 + seed * 13) % 997}`).join(" ");
const open = (options: Partial<ConversationOptions<Fields>>) =>
  openConversation<Fields>({ format: "openai-chat", entropy: 1, ...options });

test("reports of the uncached tokens alone are no limit", async () => {
  const conversation = await open({
    format: "anthropic",
    model: { name: "claude-sonnet-4-5", maxContextWindowTokens: 200_000 },
    system: words(5_000),
    messages: [user(words(900, 2))],
  });
  for (let step = 0; step < 8; step += 1) {
    const { report } = await conversation.prepare();
    assert.equal(report.usage.limitSource, "contextWindow");
    conversation.reportUsage(report.usage.conversation);
    conversation.append([said("Done."), user(`Go on. ${words(20, step)}`)]);
  }
});

test("a limit that was only inferred gives way to what must stay", async () => {
  const conversation = await open({ model: { name: "my-model", maxPromptTokens: 60_000 } });
  // A server that cuts everything to 2,000 tokens, until it is given more memory.
  for (let step = 0; step < 4; step += 1) {
    conversation.append(user(words(2_000, step)));
    await conversation.prepare();
    conversation.reportUsage(2_000);
    conversation.append(said("Done."));
  }
  assert.equal(conversation.usage().limitSource, "learned");
  const { messages } = await conversation.prepare({ system: words(4_000) });
  assert.ok(messages.length > 0);
});

test("three small requests do not settle how a server counts", async () => {
  const limit = 12_000;
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: limit } });
  const overheads = [160, 130, 100];
  for (let step = 0; step < 30; step += 1) {
    conversation.append(user(step < 3 ? "Hello, what can you do?" : words(600, step)));
    const { messages, report } = await conversation.prepare();
    const ours = espalier.countMessages(messages, { format: "openai-chat", model: "gpt-4o" }).total;
    assert.ok(ours <= limit, `step ${step}: ${ours} tokens`);
    const theirs = ours + (overheads[step] ?? 100);
    if (step > 6) assert.ok(Math.abs(report.usage.used - theirs) <= 0.1 * theirs, `step ${step}: ${report.usage.used}`);
    conversation.reportUsage({ prompt_tokens: theirs });
    conversation.append(said(step < 3 ? "Much." : words(30, step)));
  }
});

test("a refusal of a request's bytes takes its pictures, not its words", async () => {
  const conversation = await open({ format: "anthropic", model: { name: "claude-sonnet-4-5" } });
  const data = "A".repeat(40_000);
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  conversation.append([user([picture, { type: "text", text: "What is this?" }]), said("A chart."), user("Go on.")]);
  await conversation.prepare();
  const next = conversation.contextRefused({ status: 413, message: "Request exceeds the maximum size" });
  assert.deepEqual([next.action, "dropMedia" in next && next.dropMedia], ["retry", "old"]);
  const { messages } = await conversation.prepare();
  assert.equal(JSON.stringify(messages).includes(data), false);
  assert.match(JSON.stringify(messages), /What is this\?/);
});

test("a refused request that the host gave up does not bound the next one", async () => {
  const conversation = await open({ model: { name: "my-model", maxPromptTokens: 60_000 } });
  conversation.append(user("Hello."));
  await conversation.prepare();
  assert.equal(conversation.contextRefused({ status: 413, message: "too large" }).action, "retry");
  conversation.rewind();
  conversation.append(user(words(2_000)));
  const { messages } = await conversation.prepare();
  assert.equal(messages.length, 1);
});

for (const llm of [undefined, async () => SUMMARY])
  test(`three messages that overflow are compacted (${llm ? "by a model" : "by rules"})`, async () => {
    let asked = 0;
    const counted = llm && (async () => ((asked += 1), llm()));
    const conversation = await open({
      model: { name: "gpt-4o", maxPromptTokens: 8_000 },
      ...(counted && { llm: counted }),
    });
    conversation.append(user(`Find the cause of the crash. Never mention ACME in your answers.\n${words(3_600)}`));
    await conversation.prepare();
    conversation.append([said(`The pool is closed twice. ${words(240, 2)}`), user(`Write the fix. ${words(240, 3)}`)]);
    const { messages, report } = await conversation.prepare();
    assert.deepEqual(
      report.compactions.map(({ status }) => status),
      ["applied"],
    );
    assert.match(JSON.stringify(messages), /Never mention ACME/);
    assert.equal(asked > 0, llm !== undefined);
  });

test("a list of three messages that overflow is compacted as well", async () => {
  const messages = [user(`Never mention ACME.\n${words(3_600)}`), said(words(240, 2)), user(words(240, 3))];
  const { messages: out } = await espalier.compact(messages, { format: "openai-chat", budget: 8_000 });
  assert.match(JSON.stringify(out), /Never mention ACME/);
});

for (const budget of [8_000, 64_000])
  test(`a message larger than ${budget} tokens has all the room that it can have`, async () => {
    const messages = [user(`Summarise this: ${words(Math.floor(budget * 0.55))}`)];
    const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: budget }, messages });
    const { report } = await conversation.prepare();
    assert.ok(report.usage.used > 0.9 * budget && report.usage.used <= budget, `${report.usage.used} tokens`);
  });

test("tools that a host adds to its list are counted", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 8_000 } });
  const tool = (name: string) => ({ type: "function", function: { name, description: words(50), parameters: {} } });
  const tools = [tool("one")];
  conversation.append(user("Go."));
  const before = (await conversation.prepare({ tools })).report.usage.tools;
  tools.push(tool("two"));
  const after = (await conversation.prepare({ tools })).report.usage.tools;
  assert.ok(after > before, `${before}, then ${after} tokens`);
});

test("no listener stays on the host's signal", async () => {
  const { signal } = new AbortController();
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 3_000 } });
  for (let step = 0; step < 30; step += 1) {
    conversation.append([user(words(60, step)), said(words(40, step))]);
    await conversation.prepare({ signal });
  }
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
