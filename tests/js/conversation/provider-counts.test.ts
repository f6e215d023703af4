/**
 * Providers that count otherwise than we do: what is sent is within their limit by their own count, and compactions
 * begin at their line.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin, heard, round, SUMMARY } from "./support.ts";
import type { Fields } from "./support.ts";

const { countMessages, openConversation } = espalier;
const LIMIT = 100_000;
/** One and a half of our tokens, and a system prompt that nobody shows us. */
const theirs = (messages: readonly Fields[]) =>
  Math.round(countMessages(messages, { format: "openai-chat" }).total * 1.5) + 30_000;

for (const background of [true, false]) {
  test(`half as many tokens again and 30,000 more, three hundred rounds, summaries ${background ? "beside it" : "in between"}`, async () => {
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      model: { name: "claude-opus-4-5", maxPromptTokens: LIMIT },
      entropy: "counts",
      background,
      llm: async () => SUMMARY,
      timeoutsMs: { model: 5_000 },
    });
    const events = heard(conversation);
    const started: { off: number; trigger: string }[] = [];
    let reports = 0;
    conversation.append(begin());
    for (let number = 0; number < 300; number += 1) {
      conversation.append(round(number, 30 + ((number * 37) % 200)));
      const seen = events.length;
      const shown = theirs(conversation.view().messages);
      const { messages } = await conversation.prepare();
      const counted = theirs(messages);
      if (reports >= 3) assert.ok(counted <= LIMIT, `round ${number}: ${counted} by the provider's count`);
      for (const event of events.slice(seen)) {
        if (event.type !== "compaction_start" || reports < 3) continue;
        const { ratio, trigger } = event as { ratio: number; trigger: string };
        // Where we believe to be is where the provider sees us.
        started.push({ off: (ratio * LIMIT) / shown - 1, trigger });
      }
      conversation.reportUsage({ input_tokens: counted });
      reports += 1;
      await new Promise((done) => setImmediate(done));
    }
    assert.ok(started.length >= 3, `${started.length} compactions`);
    for (const { off, trigger } of started)
      assert.ok(Math.abs(off) <= 0.02, `${trigger}: ${(100 * off).toFixed(2)} % beside the line`);
    await conversation.dispose();
  });
}

test("triggers go by what is expected, requests by what it may be", async () => {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "claude-opus-4-5", maxPromptTokens: LIMIT },
    entropy: 1,
  });
  conversation.append(begin(3));
  const { total } = countMessages(conversation.view().messages, { format: "openai-chat" });
  const { used, bound, ratio, limit } = conversation.usage();
  assert.deepEqual([used - bound, bound, limit], [Math.round(1.3 * total), Math.ceil(0.3 * total), LIMIT]);
  assert.equal(ratio, (used - bound) / limit);
  await conversation.dispose();
});
