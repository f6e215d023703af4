/** A host can have the engine's memory back: whatever was opened before goes on with a fresh instance. */

import assert from "node:assert/strict";
import { test } from "node:test";

let instances = 0;
const memories: WebAssembly.Memory[] = [];
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, given) {
    instances += 1;
    const made = new Instance(...(given as [WebAssembly.Module]));
    memories.push(made.exports["memory"] as WebAssembly.Memory);
    return made;
  },
});
const { espalier } = await import("../built.ts");
const { begin, round, SUMMARY } = await import("../conversation/support.ts");
const { ConversationLog, count, openConversation, resetEngine } = espalier;
type Fields = Record<string, unknown>;

test("a reset drops the instance with its memory, and everything goes on", async () => {
  const text = "What is counted once is counted alike again. ".repeat(20);
  const before = count(text);
  const log = new ConversationLog<Fields>({ format: "openai-chat" });
  log.append({ role: "user", content: "x ".repeat(10_000_000) });
  log.append(begin(3));
  const [total, hash, known] = [log.totals().total, log.hash(), instances];
  log.close();
  const large = memories.at(-1)!.buffer.byteLength;
  resetEngine();
  assert.ok(count(`${text} more`) > before);
  assert.equal(instances, known + 1);
  assert.ok(memories.at(-1)!.buffer.byteLength < large / 2, `${memories.at(-1)!.buffer.byteLength} of ${large}`);
  assert.deepEqual([log.totals().total, log.hash()], [total, hash]);
});

test("a conversation whose model is being asked goes on, too", async () => {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    background: false,
    llm: async () => (resetEngine(), SUMMARY),
  });
  conversation.append(begin(20));
  for (let number = 20; conversation.usage().ratio < 1.1; number += 1) conversation.append(round(number, 40));
  const { messages, report } = await conversation.prepare();
  assert.ok(messages.length > 0 && report.usage.used <= 4_000);
  assert.ok(
    report.compactions.some(({ status }) => status === "applied"),
    JSON.stringify(report.compactions.map(({ status, error }) => [status, error])),
  );
  resetEngine();
  assert.ok((await conversation.prepare()).messages.length > 0);
  await conversation.dispose();
});
