/** The place of a record: behind a request that is still worked on, whose tokens stay cached. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

type Message = Record<string, unknown>;
/** One request of a user, then 26 steps of an agent. */
const path = new URL("../../fixtures/transcripts/sweagent-marshmallow-1867.json", import.meta.url);
const { messages: AGENT } = JSON.parse(readFileSync(path, "utf8")) as { messages: Message[] };
const format = "openai-chat";
const isRecord = ({ content }: Message) => JSON.stringify(content ?? "").includes("<conversation-summary");
const places = (messages: readonly Message[]) => messages.flatMap((message, at) => (isRecord(message) ? [at] : []));

test("a conversation keeps system prompt and request in front of its records, as they were", async () => {
  const conversation = await espalier.openConversation<Message>({ format, model: { maxPromptTokens: 2_500 } });
  let compactions = 0;
  for (const [at, message] of AGENT.entries()) {
    if (message["role"] === "assistant" && at > 1) {
      const { messages, report } = await conversation.prepare();
      compactions += report.compactions.filter(({ status }) => status === "applied").length;
      assert.deepEqual(messages.slice(0, 2), AGENT.slice(0, 2));
      assert.deepEqual(places(messages), compactions > 0 ? [2] : []);
    }
    conversation.append([message]);
  }
  assert.ok(compactions >= 3, String(compactions));
  await conversation.dispose();
});

test("a record of earlier requests comes before the newest one", async () => {
  const conversation = await espalier.openConversation<Message>({ format, model: { maxPromptTokens: 4_000 } });
  conversation.append(AGENT);
  await conversation.prepare();
  conversation.append([
    { role: "user", content: "Thanks. Now write a test for it." },
    { role: "assistant", content: "I look for the tests. ".repeat(200) },
    { role: "user", content: "And?" },
  ]);
  await conversation.compact();
  const { messages } = await conversation.prepare();
  assert.deepEqual(places(messages), [1]);
  assert.equal(messages.at(-1)!["content"], "And?");
  await conversation.dispose();
});

/** A list may shorten the middle of its request. */
const begins = (messages: readonly Message[]) =>
  messages.slice(0, 2).map(({ content }) => String(content).slice(0, 200));

test("a list is compacted again and pruned with its record behind the request", async () => {
  const compacted = async (messages: Message[]) =>
    (await espalier.compact<Message[]>(messages, { budget: 2_500, format })).messages;
  const list = await compacted(AGENT.slice(0, 20));
  assert.deepEqual(begins(list), begins(AGENT));
  assert.deepEqual(places(list), [2]);
  const more = [...list, ...AGENT.slice(20)];
  const again = await compacted(more);
  assert.deepEqual(begins(again), begins(AGENT));
  assert.deepEqual(places(again), [2], "the earlier record is in the new one");
  const { total } = espalier.countMessages(again);
  const { messages } = espalier.prune<Message[]>(more, { budget: total, format });
  assert.deepEqual(begins(messages), begins(AGENT), "the request stays, not only its record");
  assert.deepEqual(places(messages), [2]);
});

test("a list whose format joins messages of the user begins with the record, so that it is found again", async () => {
  const list = espalier.convert(AGENT.slice(0, 20), "anthropic").messages as Message[];
  const { messages } = await espalier.compact<Message[]>(list, { budget: 2_500, format: "anthropic" });
  assert.match(JSON.stringify(messages[0]!["content"]), /^"?\[?[^<]*<conversation-summary/);
});
