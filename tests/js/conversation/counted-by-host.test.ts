/**
 * A conversation, a log and a pruner count with what their options name: a tokenizer of the host's, the provider of the
 * format, a formula for pictures, a function for their sizes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { PNG } from "../formats/media-samples.ts";

const { ConversationLog, Pruner, countMessages, memoryStorage, openConversation } = espalier;

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

test("a picture costs the same in a log, a pruner and a conversation as in countMessages", async () => {
  const remote = "https://example.com/a.avif";
  const inline = `data:image/png;base64,${PNG.toString("base64")}`;
  const imageSize = ({ url }: { url?: string }) => (url === remote ? { width: 1_600, height: 1_200 } : undefined);
  const check = async (options: { model?: string; images?: "gemini" }, tokens: number) => {
    for (const url of [inline, remote]) {
      const picture = { type: "image_url", image_url: { url } };
      const messages = [
        { role: "user", content: [picture, picture] },
        { role: "assistant", content: "Two cats." },
      ];
      const how = { ...options, imageSize };
      const what = `${url.slice(0, 8)} ${JSON.stringify(options)}`;
      const wanted = countMessages(messages, how).total;
      assert.equal(wanted, countMessages([{ role: "user", content: "" }, messages[1]], how).total + 2 * tokens, what);
      const pruned = new Pruner().prune(messages, { ...how, budget: 100_000 }).report;
      assert.equal(pruned.after.total, wanted, what);
      const log = ConversationLog.from(messages, how);
      assert.equal(log.totals().total, wanted, what);
      const { log: again } = ConversationLog.import(log.export(), { messages, format: "openai-chat", ...how });
      assert.equal(again.totals().total, wanted, what);
      const { log: opened } = await openConversation({ messages, format: "openai-chat", ...how });
      assert.equal(opened.totals().total, wanted, what);
      espalier.resetEngine();
      assert.equal(opened.totals().total, wanted, what);
    }
  };
  await check({}, 765);
  await check({ model: "gpt-4.1-mini" }, 2_489);
  await check({ model: "claude-sonnet-4-6" }, 2_459);
  await check({ images: "gemini" }, 1_548);
});

test("what the host's functions throw is thrown, and the log is as before", () => {
  const messages = [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a" } }] }];
  let fails = true;
  const failing = <R>(result: R): R => {
    if (fails) throw new TypeError("mine");
    return result;
  };
  const check = (functions: {
    tokenizer?: (text: string) => number;
    imageSize?: () => { width: number; height: number };
  }) => {
    fails = true;
    const log = new ConversationLog({ format: "openai-chat", ...functions });
    assert.throws(() => log.append(messages), /mine/);
    assert.equal(log.originals, 0);
    fails = false;
    log.append(messages);
    assert.equal(log.totals().total, countMessages(messages, functions).total);
  };
  check({ tokenizer: (text) => failing(text.length) });
  check({ imageSize: () => failing({ width: 512, height: 512 }) });
});
