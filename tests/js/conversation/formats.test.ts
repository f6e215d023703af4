/** Conversations in every format, with every profile, and with an engine that crashes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { ProfileName } from "../../../js/types/profile.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { SUMMARY, answered, begin, model, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage, validate } = espalier;
const LIMIT = 3_000;

/** A request, and a round of the format. */
const FORMATS: [Format, ProviderName, () => Fields[], (number: number) => Fields[]][] = [
  ["openai-chat", "openai-chat", () => begin(), (number) => round(number)],
  [
    "openai-responses",
    "openai-responses",
    () => [{ role: "user", content: "Fix the parser." }],
    (number) => [
      { type: "function_call", call_id: `c${number}`, name: "bash", arguments: `{"command":"make part${number}"}` },
      { type: "function_call_output", call_id: `c${number}`, output: `building part${number}\n`.repeat(30) },
    ],
  ],
  [
    "anthropic",
    "anthropic",
    () => [{ role: "user", content: "Fix the parser." }],
    (number) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: "So." },
          { type: "tool_use", id: `c${number}`, name: "bash", input: { command: `make part${number}` } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `c${number}`, content: `building part${number}\n`.repeat(30) }],
      },
    ],
  ],
  [
    "gemini",
    "gemini",
    () => [{ role: "user", parts: [{ text: "Fix the parser." }] }],
    (number) => [
      { role: "model", parts: [{ functionCall: { name: "bash", args: { command: `make part${number}` } } }] },
      {
        role: "user",
        parts: [{ functionResponse: { name: "bash", response: { output: `building part${number}\n`.repeat(30) } } }],
      },
    ],
  ],
  [
    "espalier",
    "openai-chat",
    () => [{ id: "q", role: "user", parts: [{ type: "text", text: "Fix the parser." }] }],
    (number) => [
      {
        id: `a${number}`,
        role: "assistant",
        parts: [
          { type: "toolCall", callId: `c${number}`, name: "bash", arguments: `{"command":"make part${number}"}` },
        ],
      },
      {
        id: `t${number}`,
        role: "tool",
        parts: [
          {
            type: "toolResult",
            callId: `c${number}`,
            content: [{ type: "text", text: `building part${number}\n`.repeat(30) }],
          },
        ],
      },
    ],
  ],
];

for (const [format, provider, first, next] of FORMATS) {
  test(`${format}: sixty rounds, kept, read again, undone`, async () => {
    const storage = memoryStorage();
    const conversation = await openConversation<Fields>({
      format,
      model: { maxPromptTokens: LIMIT },
      entropy: 3,
      storage,
    });
    conversation.append(first());
    for (let number = 0; number < 60; number += 1) {
      const messages = next(number);
      conversation.append(messages);
      const { messages: sent } = await conversation.prepare();
      await rest();
      assert.deepEqual(validate(sent, provider, { format }), [], `round ${number}`);
      assert.ok(espalier.countMessages(sent, { format }).total <= LIMIT);
      assert.equal(sent.at(-1), messages.at(-1), "the newest is the host's own object");
    }
    assert.ok(conversation.edits().length >= 2);
    await conversation.flush();
    const again = await openConversation<Fields>({ storage, model: { maxPromptTokens: LIMIT } });
    assert.equal(again.log.format, format);
    assert.deepEqual(again.view().messages, conversation.view().messages);
    while (conversation.undo());
    assert.deepEqual(conversation.view().messages, conversation.log.originalsFrom(0));
  });
}

for (const profile of ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"] satisfies ProfileName[]) {
  test(`${profile}: its own lines, and requests that fit`, async () => {
    const { llm, calls } = model();
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      model: { name: "gpt-4o", maxPromptTokens: 10_000 },
      entropy: 3,
      profile,
      llm,
    });
    conversation.append(begin());
    let began = 0;
    for (let number = 0; number < 80; number += 1) {
      conversation.append(round(number));
      const { messages, report } = await answered(calls, conversation.prepare());
      sound(messages, 10_000);
      const {
        compactions: [first],
      } = report;
      if (began === 0 && calls.length > 0)
        began = report.job === undefined ? first!.before.total / report.usage.limit : report.usage.ratio;
    }
    const [from, to] = {
      espalier: [0.78, 0.84],
      "copilot-chat": [0.78, 0.84],
      "gemini-cli": [0.5, 0.55],
      "copilot-cli": [0.8, 0.84],
    }[profile] as [number, number];
    assert.ok(began >= from && began <= to, `${began}`);
    assert.ok(conversation.edits().length > 0);
  });
}

test("with tools, copilot-chat leaves a tenth of the messages' share free", async () => {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { maxPromptTokens: 5_000 },
    profile: "copilot-chat",
    entropy: 1,
  });
  const tools = [{ type: "function", function: { name: "bash", description: "runs ".repeat(200), parameters: {} } }];
  conversation.append(begin());
  for (let number = 0; number < 40; number += 1) {
    conversation.append(round(number));
    const {
      messages,
      report: { usage },
    } = await conversation.prepare({ tools });
    sound(messages, usage.tools + Math.floor((5_000 - usage.tools) * 0.9), tools);
  }
});

test("an engine that crashes takes nothing along", async () => {
  const { llm, calls } = model();
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    entropy: 3,
    llm,
  });
  conversation.append(begin(22));
  await conversation.prepare();
  await rest();
  assert.equal(conversation.usage().job, "running");
  const before = JSON.stringify(conversation.view().messages);
  // @ts-expect-error The raw exports have no declarations beside them.
  const internal = (await import("../../../pkg/dist/core.js")) as {
    wasm(): { __panicForTests(): void };
    call(run: () => void): void;
  };
  assert.throws(
    () => internal.call(() => internal.wasm().__panicForTests()),
    (error) => error instanceof espalier.EspalierError && error.code === "engine_crashed",
  );
  conversation.append(round(50));
  assert.ok(JSON.stringify(conversation.view().messages).startsWith(before.slice(0, -1)));
  assert.equal(conversation.usage().job, "running");
  calls[0]!.answer(SUMMARY);
  await rest();
  const { messages } = await conversation.prepare();
  sound(messages, 4_000);
  conversation.undo();
  await conversation.dispose();
});

test("where neighbours become one message, what was left out of a request has the log's names all the same", async () => {
  const conversation = await openConversation<Fields>({
    format: "gemini",
    model: { maxPromptTokens: 1_500 },
    entropy: 1,
    automatic: false,
  });
  const user = (text: string) => ({ role: "user", parts: [{ text }] });
  const says = (text: string) => ({ role: "model", parts: [{ text }] });
  conversation.append([
    user("Fix it."),
    says("How? ".repeat(300)),
    user("So: ".repeat(200)),
    says("Well. ".repeat(200)),
    user("Go on."),
    says("Yes."),
    user("And now?"),
  ]);
  // The summary and the request behind it are one message to Gemini.
  conversation.log.edit({
    kind: "replace_range",
    rule: "mine",
    range: { from: "m0", to: "m1", summary: "It was fixed." },
  });
  const { plan, messages } = conversation.view();
  assert.ok(messages.length < plan.length);
  const { messages: sent, report } = await conversation.prepare({ model: { maxPromptTokens: 300 } });
  assert.deepEqual(validate(sent, "gemini", { format: "gemini" }), []);
  const left = report.trimmed.flatMap(({ ids }) => ids);
  assert.ok(
    left.length > 0 &&
      left.every((id) => ["e8:summary", "m2", "m3", "m4", "m5"].includes(id) || /^e\d+:summary$/.test(id)),
    left.join(),
  );
  assert.ok(left.includes("m3"));
});
