/**
 * A conversation and a log count with what their options name: a tokenizer of the host's, the provider of the format, a
 * formula for pictures.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { ConversationLog, countMessages, memoryStorage, openConversation } = espalier;

/** Counts words: far from what any encoding counts. */
const words = (text: string) => text.split(/\s+/).filter(Boolean).length;
const text = (length: number) => "unbelievably ".repeat(length);
const said = (length: number) => [
  { role: "user", content: text(length) },
  { role: "assistant", content: text(length) },
];

test("a log counts with the host's tokenizer, after a reset of the engine too", () => {
  const messages = said(50);
  const wanted = countMessages(messages, { tokenizer: words }).total;
  const log = ConversationLog.from(messages, { tokenizer: words });
  assert.equal(log.totals().total, wanted);
  espalier.resetEngine();
  assert.equal(log.totals().total, wanted);
  log.setCounting({ model: "gpt-4" });
  assert.equal(log.totals().total, wanted);
  const { log: again } = ConversationLog.import(log.export(), { messages, format: "openai-chat", tokenizer: words });
  assert.equal(again.totals().total, wanted);
});

test("a tokenizer beside an encoding is refused, and so is one that counts no number", () => {
  const both = { format: "openai-chat", tokenizer: words, encoding: "o200k_base" } as const;
  assert.throws(() => new ConversationLog(both), { code: "bad_option", path: "options.tokenizer" });
  const odd = new ConversationLog({ format: "openai-chat", tokenizer: () => NaN });
  assert.throws(() => odd.append(said(1)), { code: "bad_option", path: "options.tokenizer" });
});

test("a conversation fits requests by the host's tokenizer, and is stored and opened again with it", async () => {
  const storage = memoryStorage();
  const options = {
    format: "openai-chat",
    tokenizer: words,
    model: { name: "llama", maxPromptTokens: 2_000 },
    storage,
  } as const;
  const conversation = await openConversation(options);
  for (let round = 0; round < 30; round += 1) {
    for (const { role, content } of said(60)) conversation.append({ role, content } as never);
    const { messages } = await conversation.prepare();
    assert.ok(countMessages(messages, { tokenizer: words }).total <= 2_000);
  }
  const { used } = conversation.usage();
  await conversation.dispose();
  const again = await openConversation(options);
  assert.equal(again.usage().used, used);
  const { current } = await again.modelSwitch({ name: "other", maxPromptTokens: 1_000 });
  assert.equal(current, used);
  await again.dispose();
});

test("counts of a format whose provider has no public encoding are estimates in a log, too", () => {
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "Hello" },
        { type: "tool_result", tool_use_id: "a", content: "b" },
      ],
    },
  ];
  const log = ConversationLog.from(messages, { format: "anthropic" });
  assert.equal(log.view().origin, "prior");
  assert.equal(countMessages(messages, { format: "anthropic" }).origin, "prior");
});
