/**
 * Conversations that are wrong in one way, put to everything that takes one: handled, or an error with a code and a
 * path. What is not changed is the host's own object, nothing of the host's is changed, and good calls give what they
 * gave before.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Format } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";
import { conversation, FORMATS, WRONG } from "./conversations.ts";
import { isTried } from "../runs.ts";
import { still } from "./still.ts";

const e = espalier;
const PROVIDERS: readonly ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];
type Messages = Record<string, unknown>[];

/** Everything that takes a conversation; what comes back holds messages of the same format under `messages`. */
const OPERATIONS: Record<string, (messages: Messages, format: Format) => unknown> = {
  countMessages: (messages, format) => void e.countMessages(messages, { format }),
  "countMessages, as Copilot Chat": (messages, format) =>
    void e.countMessages(messages, { format, costModel: "copilot-chat" }),
  breakdown: (messages, format) => void e.breakdown(messages, { format }),
  prune: (messages, format) => e.prune(messages, { format, budget: 100_000 }),
  "prune, shrinking": (messages, format) => e.prune(messages, { format, budget: 400, order: "shrink" }),
  "prune, without media": (messages, format) => e.prune(messages, { format, budget: 2_000, dropMedia: "all" }),
  compact: (messages, format) => e.compact(messages, { format, budget: 2_000, force: true }),
  budgetResults: (messages, format) => e.budgetResults(messages, { format, budget: 60 }),
  clearResults: (messages, format) =>
    e.clearResults(messages, { format, newest: 0, rounds: 0, minKeptTokens: 0, minFreedTokens: 0 }),
  placeMarks: (messages, format) => e.placeMarks(messages, { format, minPrefixTokens: 0 }),
  stablePrefix: (messages, format) => void e.stablePrefix(messages.slice(0, 2), messages, { format }),
  ConversationLog: (messages, format) => {
    const log = e.ConversationLog.from(messages, { format, now: () => 0 });
    const text = log.export();
    const { log: again } = e.ConversationLog.import(text, { format, messages, now: () => 0 });
    assert.equal(again.hash(), log.hash());
    return log.view();
  },
  openConversation: async (messages, format) => {
    const opened = await e.openConversation({ messages, format, entropy: 1, model: { maxPromptTokens: 100_000 } });
    try {
      return await opened.prepare();
    } finally {
      await opened.dispose();
    }
  },
  request: async (messages, format) => e.request(messages, { format, budget: 100_000 }, (sent) => sent),
  ...Object.fromEntries(
    PROVIDERS.flatMap((provider) => [
      [
        `validate for ${provider}`,
        (messages: Messages, format: Format) =>
          void (format === provider || format === "espalier" || format === "ai-sdk"
            ? e.validate(messages, provider, { format })
            : 0),
      ],
      [
        `repair for ${provider}`,
        (messages: Messages, format: Format) =>
          format === provider || format === "espalier" || format === "ai-sdk"
            ? e.repair(messages, { provider, format })
            : undefined,
      ],
    ]),
  ),
};

for (const [row, format] of FORMATS.entries()) {
  for (const [column, wrong] of Object.keys(WRONG).entries()) {
    test(`${format}, ${wrong}`, { timeout: 60_000 }, async () => {
      for (const [at, [name, run]] of Object.entries(OPERATIONS).entries()) {
        if (!isTried(4, row, column, at)) continue;
        const messages = still(conversation(format, wrong));
        const what = `${name}, ${format}, ${wrong}`;
        let result: unknown;
        try {
          result = await run(messages, format);
        } catch (error) {
          assert.ok(
            error instanceof e.EspalierError,
            `${what}: ${error instanceof Error ? error.stack : String(error)}`,
          );
          assert.notEqual(error.code, "engine_crashed", what);
          assert.ok(error.code === "budget_exceeded" || error.path, `${what}: ${error.code} names no field`);
          assert.ok(error.message.length < 1_000, what);
          // Nothing but a budget is a reason to refuse what can be read.
          assert.ok(error.code === "budget_exceeded" || wrong !== "nothing at all", `${what}: ${error.message}`);
          continue;
        }
        if (typeof result !== "object" || result === null) continue;
        const out = (result as { messages: unknown }).messages;
        assert.ok(Array.isArray(out) && out.length > 0, what);
        // The last request is untouched by all of these, and so the host's own (but for marks, words that a provider
        // demands, and neighbours of one role that Gemini wants as one).
        if (!/placeMarks|repair|compact/.test(name) && format !== "gemini")
          assert.ok(out.includes(messages.at(-1)), `${what}: the newest request is the host's own object`);
      }
      assert.equal(e.countMessages([{ role: "user", content: "Hello world!" }]).total, 10);
    });
  }
}
