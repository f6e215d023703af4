/**
 * A real result is never replaced by a synthetic one because messages stand between it and its call; every format,
 * every verb.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Format } from "../../../js/types/messages.ts";
import { HOSTS } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";
import { receiverOf } from "../formats/rules.ts";
import { espalier } from "../built.ts";

const { compact, openConversation, prune, repair, validate } = espalier;
const REAL = "The real result 42";
const LOST = /No result was recorded/;

/** What the assistant says in a format. */
function said(format: Format, text: string): Fields {
  if (format === "gemini") return { role: "model", parts: [{ text }] };
  if (format === "vscode") return { role: 2, content: [{ value: text }] };
  if (format === "langchain") return { type: "ai", content: text };
  if (format === "raw") return { role: 2, content: [{ type: 1, text }] };
  if (format === "espalier") return { id: text, role: "assistant", parts: [{ type: "text", text }] };
  return { role: "assistant", content: text };
}

for (const format of Object.keys(HOSTS) as Format[]) {
  const { user, round } = HOSTS[format];
  const [call, result] = round({ id: "c1", name: "run", args: {}, text: REAL }) as [Fields, Fields];
  const check = async (messages: Fields[]) => {
    const is = (out: unknown, what: string) => {
      const text = JSON.stringify(out);
      assert.ok(text.includes(REAL), `${what}: the result is gone: ${text}`);
      assert.doesNotMatch(text, LOST, what);
    };
    const pruned = prune(messages, { budget: 100_000, format });
    is(pruned.messages, "prune");
    // The host's own objects, in another order at most.
    if (format !== "gemini") for (const message of messages) assert.ok(pruned.messages.includes(message));
    assert.equal(prune(pruned.messages, { budget: 100_000, format }).messages.length, pruned.messages.length);
    is((await compact(messages, { budget: 100_000, format })).messages, "compact");
    const conversation = await openConversation({
      format,
      messages,
      model: { name: "gpt-4o", maxPromptTokens: 100_000 },
    });
    is((await conversation.prepare()).messages, "prepare");
    await conversation.dispose();
    const provider = receiverOf(format);
    is(repair(messages, { provider, format }).messages, "repair");
  };

  // In a list of items all calls of the last run may be running.
  if (format !== "openai-responses") {
    test(`${format}: a call before the last message of the assistant is lost, not pending`, async () => {
      const [lost] = round({ id: "c0", name: "edit", args: { path: "a" }, text: "" }) as [Fields, Fields];
      const messages = [user("go"), lost, call, result];
      const provider = receiverOf(format);
      assert.ok(validate(messages, provider, { format, pending: "keep" }).some(({ rule }) => rule === "lost-call"));
      const is = (out: unknown, what: string) => {
        const text = JSON.stringify(out);
        assert.ok(text.includes(REAL), what);
        assert.match(text, LOST, what);
        assert.deepEqual(validate(out as Fields[], provider, { format }), [], what);
      };
      is(repair(messages, { provider, format }).messages, "repair");
      is(prune(messages, { budget: 100_000, format }).messages, "prune");
      is((await compact(messages, { budget: 100_000, format, force: true })).messages, "compact");
      const conversation = await openConversation({
        format,
        messages,
        model: { name: "gpt-4o", maxPromptTokens: 100_000 },
      });
      is((await conversation.prepare()).messages, "prepare");
      await conversation.dispose();
    });
  }

  test(`${format}: a result behind a message of the user moves to its call`, async () => {
    await check([user("go"), call, user("also b"), result]);
    await check([user("go"), call, user("also b"), result, said(format, "done"), user("next")]);
  });

  test(`${format}: a result behind messages of the user and the assistant moves to its call`, async () => {
    await check([user("go"), call, user("also b"), said(format, "wait"), result, user("next")]);
  });
}
