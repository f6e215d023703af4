/** Stored texts that something else changed: what can be restored is, with a warning, and nothing is deleted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Format } from "../../../js/types/messages.ts";
import { HOSTS } from "./support.ts";
import type { Fields } from "./support.ts";

const { countMessages, memoryStorage, openConversation } = espalier;
const LOG = "log.jsonl";
const MESSAGES = "messages.jsonl";
const LIMIT = 1_500;
const COUNT = 31;
const talk: Fields[] = Array.from({ length: COUNT }, (_, at) =>
  at % 2 === 0
    ? { role: "user", content: `Question ${at}: ${"the roses grow along the wall. ".repeat(10)}` }
    : { role: "assistant", content: `Answer ${at}.`, refusal: null },
);

async function opened(texts: Map<string, string>, format: Format | null = "openai-chat") {
  const warnings: string[] = [];
  const conversation = await openConversation<Fields>({
    ...(format && { format }),
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    storage: memoryStorage(texts),
    onEvent: (event) => void (event.type === "warning" && warnings.push(`${event["code"]}: ${event["message"]}`)),
  });
  return { conversation, warnings };
}

async function stored(messages: Fields[] = talk, format: Format = "openai-chat") {
  const texts = new Map<string, string>();
  const { conversation } = await opened(texts, format);
  conversation.append(messages);
  if (format === "openai-chat") await conversation.prepare();
  await conversation.dispose();
  return texts;
}

/** Opens twice: once as it is found, and once as that left it. */
async function restored(texts: Map<string, string>, format?: Format | null) {
  const found = new Map(texts);
  const { conversation, warnings } = await opened(texts, format);
  const all = conversation.log.originalsFrom(0);
  const { messages, report } = await conversation.prepare();
  const { total } = countMessages(messages);
  assert.ok(total <= LIMIT && report.usage.used >= total, `${total} of ${LIMIT}, reported ${report.usage.used}`);
  await conversation.dispose();
  const again = await opened(texts);
  assert.deepEqual([again.warnings, again.conversation.log.originalsFrom(0)], [[], all]);
  await again.conversation.dispose();
  const left = [...texts.values()];
  for (const name of [LOG, MESSAGES]) {
    const text = found.get(name) ?? "";
    assert.ok(
      left.some((now) => now.startsWith(text)),
      `${name} as it was is kept`,
    );
  }
  return { all, warnings };
}

for (const format of ["openai-chat", null] as const)
  for (const log of ["", undefined, "garbage\n"])
    test(`the log is ${JSON.stringify(log)}, and the format ${format}: its messages are restored with a warning`, async () => {
      const texts = await stored();
      if (log === undefined) texts.delete(LOG);
      else texts.set(LOG, log);
      const { all, warnings } = await restored(texts, format);
      assert.deepEqual(all, talk);
      assert.deepEqual(
        warnings.map((said) => said.split(":")[0]),
        ["bad_log"],
      );
    });

test("messages that the host passes replace stored ones without a log, which are kept aside", async () => {
  const texts = await stored();
  texts.delete(LOG);
  const before = texts.get(MESSAGES)!;
  const messages: Fields[] = [{ role: "user", content: "Others." }];
  const conversation = await openConversation<Fields>({ messages, storage: memoryStorage(texts) });
  assert.deepEqual(conversation.view().messages, messages);
  await conversation.dispose();
  assert.ok([...texts].some(([name, text]) => name.startsWith("damaged-") && text === before));
  assert.equal(texts.get(MESSAGES), `${JSON.stringify(messages[0])}\n`);
});

test("a new storage gives no warning, and the format is asked for", async () => {
  const texts = new Map<string, string>([[MESSAGES, "\n"]]);
  await assert.rejects(opened(texts, null), { code: "bad_option", path: "options.format" });
  const { conversation, warnings } = await opened(texts);
  assert.deepEqual([conversation.opened.isNew, warnings], [true, []]);
  await conversation.dispose();
});

const lines = (text: string) => text.trimEnd().split("\n");
const joined = (list: string[]) => `${list.join("\n")}\n`;
const swapped = (list: string[], a: number, b: number) => list.with(a, list[b]!).with(b, list[a]!);
const CHANGES: Record<string, (list: string[]) => string> = {
  "the last request is longer": (list) =>
    joined(list.with(-1, JSON.stringify({ role: "user", content: "word ".repeat(4_000) }))),
  "an answer is another": (list) => joined(list.with(3, JSON.stringify({ role: "assistant", content: "Other." }))),
  "an unknown role": (list) => joined(list.with(1, '{"role":"zzz","content":"x"}')),
  "no message": (list) => joined(list.with(1, '{"a":1}')),
  "a number": (list) => joined(list.with(1, "5")),
  "no JSON": (list) => joined(list.with(1, "{")),
  "nothing but objects": () => '{"a":1}\n{"b":2}\n',
  "no message at the end": (list) => joined([...list, '{"a":1}']),
  "two requests are swapped": (list) => joined(swapped(list, 2, 8)),
  "the last two requests are swapped": (list) => joined(swapped(list, COUNT - 3, COUNT - 1)),
  "a line is missing": (list) => joined(list.toSpliced(4, 1)),
  "a line is there twice": (list) => joined(list.toSpliced(4, 0, list[4]!)),
  "the file is there twice": (list) => joined([...list, ...list]),
  "the file is there three times": (list) => joined([...list, ...list, ...list]),
  "the file is there twice, and cut": (list) => joined([...list, ...list.slice(0, 8)]),
  "a line of another conversation": (list) => joined(list.toSpliced(6, 0, '{"role":"user","content":"Other."}')),
};
for (const [name, change] of Object.entries(CHANGES))
  test(`a changed file of messages (${name}) gives a warning, and the log's messages`, async () => {
    const texts = await stored();
    texts.set(MESSAGES, change(lines(texts.get(MESSAGES)!)));
    const { all, warnings } = await restored(texts);
    const said = (list: Fields[]) => list.map(({ role, content }) => `${role}: ${content}`);
    assert.deepEqual(said(all), said(talk));
    assert.deepEqual(
      warnings.map((text) => text.split(":")[0]),
      ["bad_log"],
    );
    // Only what is missing is made again: the host's other messages have all of their fields.
    if (name !== "nothing but objects")
      assert.ok(all.filter((message) => "refusal" in message).length >= COUNT / 2 - 2);
  });

test("messages that the log lacks follow, whatever else is wrong with the file", async () => {
  const texts = await stored();
  const list = lines(texts.get(MESSAGES)!);
  const later = { role: "assistant", content: "It was stored, and the log was not." };
  texts.set(MESSAGES, joined([...list.toSpliced(4, 1), JSON.stringify(later)]));
  const { all, warnings } = await restored(texts);
  assert.deepEqual([all.length, all.at(-1), warnings.length], [COUNT + 1, later, 1]);
});

test("a request that is said again is no copy of the file", async () => {
  const texts = await stored([HOSTS["openai-chat"].user("Go on.")]);
  texts.set(MESSAGES, texts.get(MESSAGES)!.repeat(2));
  const { conversation, warnings } = await opened(texts);
  assert.deepEqual([conversation.log.originals, warnings], [2, []]);
  await conversation.dispose();
});

test("a signed thought that was changed is the host's, and counted; the log as it was is kept", async () => {
  const thought = (text: string) => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "S" },
      { type: "text", text },
    ],
  });
  const user = HOSTS.anthropic.user;
  const texts = await stored([user("Go."), thought("Yes."), user("On.")], "anthropic");
  const before = texts.get(LOG)!;
  texts.set(MESSAGES, texts.get(MESSAGES)!.replace("Yes.", "word ".repeat(50)));
  const { conversation, warnings } = await opened(texts, "anthropic");
  assert.deepEqual(conversation.view().messages, [user("Go."), thought("word ".repeat(50)), user("On.")]);
  assert.ok(conversation.log.totals().total > 50);
  assert.ok(warnings.length > 0);
  await conversation.dispose();
  assert.ok([...texts].some(([name, text]) => name.startsWith("damaged-") && text === before));
});

test("bytes in a message are stored as a text that its format reads", async () => {
  const bytes = Uint8Array.from([1, 2, 3, 4]);
  const image = (data: unknown) => ({ role: "user", content: [{ type: "image", image: data }] });
  const pdf = (data: unknown) => ({ role: "user", content: [{ type: "file", data, mediaType: "application/pdf" }] });
  for (const given of [bytes, bytes.buffer, Buffer.from(bytes)]) {
    const texts = await stored([image(given), pdf(given)], "ai-sdk");
    const { conversation, warnings } = await opened(texts, "ai-sdk");
    assert.deepEqual([conversation.view().messages, warnings], [[image("AQIDBA=="), pdf("AQIDBA==")], []]);
    await conversation.dispose();
  }
});
