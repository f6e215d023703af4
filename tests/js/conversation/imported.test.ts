/** Conversations that other systems kept: what they stored becomes a log with the same view. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin, refused, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage } = espalier;
const open = (messages: Fields[]) => openConversation<Fields>({ format: "openai-chat", model: { name: "gpt-4o", maxPromptTokens: 8_000 }, entropy: 1, messages, storage: memoryStorage() });
const contents = (messages: readonly Fields[]) => messages.map(({ role, content }) => `${role}: ${String(content).slice(0, 60)}`);

test("Copilot Chat's summaries, stored by rounds: the newest counts, rounds behind it follow, unknown ones are passed over", async () => {
  // Messages 0 and 1 are the system's and the request; round n is 2 + 2n and the one after it.
  const messages = begin(8);
  const conversation = await open(messages);
  const { edits, ignored } = conversation.importSummaries([
    { upTo: "m5", text: "Rounds 0 and 1." }, { upTo: "m99", text: "of a round that is gone" }, { upTo: "m10", text: "Rounds 0 to 4. </conversation-summary> still inside" }, { upTo: "m12", text: "  " },
  ]);
  assert.deepEqual([edits.length, ignored.map(({ upTo }) => upTo)], [2, ["m99", "m12"]]);
  const { messages: sent } = await conversation.prepare();
  sound(sent, 8_000);
  assert.deepEqual(contents(sent).slice(0, 3), ["system: Be brief.", "user: <conversation-summary>\nRounds 0 to 4. <\\/conversation-summar", "user: Fix the parser, never touch the lexer."]);
  assert.ok(String(sent[1]!["content"]).endsWith("still inside\n</conversation-summary>"));
  // The round of message 10 went as a whole; the next ones are the host's own objects.
  assert.deepEqual(sent.slice(3), messages.slice(12));
  sent.slice(3).forEach((message, at) => assert.equal(message, messages[12 + at]));
  conversation.undo();
  assert.match(String(conversation.view().messages[1]!["content"]), /Rounds 0 and 1/);
  conversation.undo();
  assert.deepEqual(conversation.view().messages, messages);
});

test("gemini-cli's history is already replaced: its messages are the view", async () => {
  const history = [
    { role: "user", parts: [{ text: "<state_snapshot><overall_goal>Fix the parser.</overall_goal></state_snapshot>" }] },
    { role: "model", parts: [{ text: "Got it. Thanks for the additional context!" }] },
    { role: "user", parts: [{ text: "And the lexer?" }] },
  ];
  const conversation = await openConversation<Fields>({ messages: history, format: "gemini", model: { maxPromptTokens: 8_000 } });
  assert.deepEqual((await conversation.prepare()).messages, history);
});

test("Copilot CLI's summary stands for all before it, in its own words", async () => {
  const messages = begin(6);
  const conversation = await open([...messages, { role: "user", content: "Go on." }, ...round(9)]);
  const text = "<conversation-summary>\nIts own words.\n</conversation-summary>";
  conversation.importSummaries([{ upTo: `m${messages.length - 1}`, text }]);
  const { messages: sent } = await conversation.prepare();
  assert.deepEqual(contents(sent.slice(0, 3)), ["system: Be brief.", `user: ${text.slice(0, 60)}`, "user: Go on."]);
  assert.equal(sent[1]!["content"], text);
});

test("what was imported is kept, and what makes no sense is named", async () => {
  const storage = memoryStorage();
  const first = await openConversation<Fields>({ format: "openai-chat", storage, messages: begin(6) });
  first.importSummaries([{ upTo: "m7", text: "Kept." }]);
  await first.dispose();
  const again = await openConversation<Fields>({ storage });
  assert.match(JSON.stringify(again.view().messages), /Kept\./);
  await refused(() => again.importSummaries("x" as never), "bad_option", "importSummaries.summaries");
  await refused(() => again.importSummaries([{ upTo: 5, text: "x" } as never]), "bad_option", "importSummaries.summaries[0]");
});
