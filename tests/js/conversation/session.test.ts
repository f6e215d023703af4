/** Going on from the session of another agent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { fixture, sessions } from "../sessions/sessions.ts";

await espalier.init();
const session = sessions.readSession(fixture("claude-code.jsonl"));

test("a conversation goes on from the live context of a session", async () => {
  const conversation = await espalier.openConversation<unknown>({ session });
  assert.deepEqual(conversation.view().messages, session.messages);
  conversation.append({ role: "user", content: "Go on." });
  const { messages } = await conversation.prepare();
  assert.equal(messages.length, session.messages.length + 1);
  await conversation.dispose();
});

test("recorded usage anchors the count: the tool's own system prompt is in it", async () => {
  // Before its compaction: three requests, whose prompts had about 1,000 tokens that the file does not hold.
  const open = sessions.readSession(fixture("claude-code.jsonl").split("\n").slice(0, 18).join("\n"));
  const conversation = await espalier.openConversation<unknown>({ session: open, model: "claude-sonnet-4-5" });
  const { usage } = (await conversation.prepare()).report;
  const recorded = open.usage.at(-1)!.usage.promptTotal;
  assert.equal(usage.origin, "calibrated");
  assert.ok(
    Math.abs(usage.used - usage.bound - recorded) < 0.05 * recorded,
    `${usage.used - usage.bound} for ${recorded}`,
  );
  await conversation.dispose();
});

test("other options win, and a stored conversation goes on as it is", async () => {
  const storage = espalier.memoryStorage();
  const first = await espalier.openConversation<unknown>({
    session,
    storage,
    messages: session.messages.slice(0, 2),
  });
  assert.equal(first.view().messages.length, 2);
  await first.dispose();
  const second = await espalier.openConversation<unknown>({ session, storage });
  assert.equal(second.view().messages.length, 2);
  await second.dispose();
});

test("what is no session is refused by name", async () => {
  await assert.rejects(espalier.openConversation({ session: "s.jsonl" as never }), {
    code: "bad_option",
    path: "options.session",
  });
});
