/** Context that the server manages: its items stay, nothing is cut before it refuses, and what it reports counts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { EspalierError, Pruner, compact, countMessages, openConversation, prune, request, validate } = espalier;

type Fields = Record<string, any>;

const output = (lines: number) => Array.from({ length: lines }, (_, line) => `output ${line}\n`).join("");

/** Rounds around a compaction item, which the assistant's message in the middle holds or is. */
const FORMATS: Record<string, (rounds: number) => { messages: Fields[]; item: number }> = {
  anthropic: (rounds) => {
    const round = (at: number): Fields[] => [
      { role: "assistant", content: [{ type: "tool_use", id: `c${at}`, name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: output(60) }] },
    ];
    const before = [
      { role: "user", content: "Fix it." },
      ...Array.from({ length: rounds }, (_, at) => round(at)).flat(),
    ];
    const item = {
      role: "assistant",
      content: [
        { type: "compaction", content: "What happened so far." },
        { type: "text", text: "On we go." },
      ],
    };
    return {
      messages: [
        ...before,
        item,
        { role: "user", content: "Go on." },
        ...Array.from({ length: rounds }, (_, at) => round(100 + at)).flat(),
      ],
      item: before.length,
    };
  },
  "openai-responses": (rounds) => {
    const round = (at: number): Fields[] => [
      { type: "function_call", call_id: `c${at}`, name: "bash", arguments: "{}" },
      { type: "function_call_output", call_id: `c${at}`, output: output(60) },
    ];
    const before = [
      { type: "message", role: "user", content: "Fix it." },
      ...Array.from({ length: rounds }, (_, at) => round(at)).flat(),
    ];
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAA" };
    return {
      messages: [
        ...before,
        item,
        { type: "message", role: "user", content: "Go on." },
        ...Array.from({ length: rounds }, (_, at) => round(100 + at)).flat(),
      ],
      item: before.length,
    };
  },
};

for (const [format, make] of Object.entries(FORMATS)) {
  test(`${format}: an item stays as it came, before what follows it`, async () => {
    const { messages, item } = make(12);
    assert.deepEqual(
      validate(messages, format as never).filter(({ index }) => index === item),
      [],
    );
    const whole = countMessages(messages).total;
    for (let share = 9; share > 2; share -= 1) {
      const { messages: out } = prune(messages, { budget: Math.floor((whole * share) / 10) });
      const at = out.indexOf(messages[item]!);
      assert.ok(at >= 0 && out[at + 1] === messages[item + 1], `${share}`);
    }
    // A summary replaces all of it or none of it.
    for (const budget of [0.3, 0.5, 0.8].map((part) => Math.floor(whole * part))) {
      const { messages: out } = await compact(messages, { budget, force: true, ladder: ["summary", "offline", "fit"] });
      const left = out.filter((message: Fields) => JSON.stringify(message).includes('"compaction"'));
      assert.ok(left.length === 0 || left[0] === messages[item]);
    }
  });

  test(`${format}: everything is sent until the server refuses`, async () => {
    const { messages, item } = make(12);
    const whole = countMessages(messages).total;
    const sent: unknown[][] = [];
    const events: Fields[] = [];
    const ask = (refuses: boolean) =>
      request(
        messages,
        { budget: Math.floor(whole / 2), serverManaged: true, onEvent: (event) => events.push(event) },
        (fitting) => {
          sent.push(fitting);
          if (refuses && sent.length === 1)
            throw new EspalierError({
              code: "context_length",
              message: "prompt is too long",
              details: { limit: Math.floor(whole / 2) },
            });
          // The server read a tenth of it.
          return { usage: { input_tokens: Math.floor(whole / 10) } };
        },
      );
    const { attempts, report, silentOverflow } = await ask(false);
    assert.deepEqual([sent[0], attempts, silentOverflow], [messages, [], undefined]);
    assert.deepEqual(
      events.map(({ type, limit, used }) => [type, limit, used]),
      [["context_usage", Math.floor(whole / 2), whole]],
    );
    assert.equal(report.budget, Math.floor(whole / 2));
    sent.length = 0;
    const cut = await ask(true);
    assert.equal(cut.attempts.length, 1);
    assert.ok(cut.report.after.total <= whole / 2 && sent[1]!.includes(messages[item]));
  });
}

test("a conversation leaves the context to the server", async () => {
  const { messages } = FORMATS["anthropic"]!(40);
  const whole = countMessages(messages).total;
  const limit = Math.floor(whole / 2);
  const events: Fields[] = [];
  const conversation = await openConversation<Fields>({
    format: "anthropic",
    messages,
    model: { name: "claude-sonnet-4-5", maxPromptTokens: limit },
    serverManaged: true,
    background: true,
    llm: () => assert.fail("nobody asks for a summary"),
    onEvent: (event) => void events.push(event),
  });
  const first = await conversation.prepare();
  assert.deepEqual(
    [first.messages, first.report.trimmed, first.report.compactions, first.report.job],
    [messages, [], [], undefined],
  );
  conversation.reportUsage({ input_tokens: 1_000 });
  assert.deepEqual(
    events.filter(({ type }) => type === "warning"),
    [],
  );
  // What the server counted last, and what has come since.
  assert.equal(conversation.usage().used, 1_000);
  const more = { role: "user", content: "And the tests?" };
  const before = conversation.usage();
  conversation.append(more);
  const { used, origin, conversation: ours } = conversation.usage();
  assert.deepEqual([used - 1_000, origin], [ours - before.conversation, "calibrated"]);
  assert.equal((await conversation.prepare()).messages.length, messages.length + 1);
  // A hard refusal is answered by a smaller request, and by nothing that lasts.
  assert.equal(
    conversation.contextRefused(new EspalierError({ code: "context_length", message: "too long", details: { limit } }))
      .action,
    "retry",
  );
  const { messages: smaller, report } = await conversation.prepare();
  assert.ok(report.trimmed.length > 0 && countMessages(smaller).total <= limit && smaller.includes(more));
  assert.deepEqual(conversation.edits(), []);
  conversation.reportUsage({ input_tokens: 900 });
  assert.equal((await conversation.prepare()).messages.length, messages.length + 1);
  // By hand it compacts all the same.
  assert.equal((await conversation.preview()).edits.length > 0, true);
  await conversation.dispose();
  await assert.rejects(openConversation({ format: "anthropic", serverManaged: 1 as never }), {
    code: "bad_option",
    path: "options.serverManaged",
  });
});

test("a pruner keeps nothing of what a server was sent whole", () => {
  const { messages } = FORMATS["anthropic"]!(4);
  const pruner = new Pruner();
  assert.equal(pruner.prune(messages, { budget: Number.MAX_SAFE_INTEGER }).messages, messages);
  assert.ok(pruner.prune(messages, { budget: 600 }).report.after.total <= 600);
  pruner.free();
});
