/** The id of an answered call may occur again if the provider takes it: every operation follows this one rule. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { compact, ConversationLog, mend, openConversation, prune, repair, validate } = espalier;

/** As llama.cpp names calls: all alike. */
const chat = [
  { role: "user", content: "Fix it." },
  ...["make", "make test"].flatMap((command) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call", type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } },
      ],
    },
    { role: "tool", tool_call_id: "call", content: `${command} passed.` },
  ]),
  { role: "user", content: "Go on." },
];
const neutral = chat.map(({ role, content, ...message }: any, at) => ({
  id: `m${at}`,
  role,
  parts: message.tool_calls
    ? [{ type: "toolCall", callId: "call", name: "bash", arguments: message.tool_calls[0].function.arguments }]
    : message.tool_call_id
      ? [{ type: "toolResult", callId: "call", content: [{ type: "text", text: content }], isError: false }]
      : [{ type: "text", text: content }],
}));
const idsOf = (messages: unknown) =>
  [...JSON.stringify(messages).matchAll(/"(?:callId|id|tool_call_id|tool_use_id)":"(call[^"]*)"/g)].map(
    ([, id]) => id!,
  );
const SAME = ["call", "call", "call", "call"];
const OWN = ["call", "call", "call-2", "call-2"];
type Provider = "openai-chat" | "anthropic";

async function outcomes(messages: any[], provider?: Provider): Promise<Record<string, string[]>> {
  const named = provider && { provider };
  const format = messages === chat ? ("openai-chat" as const) : ("espalier" as const);
  const log = new ConversationLog<any>({ format, ...named });
  for (const message of messages) {
    log.append(message);
    log.view();
  }
  const imported = ConversationLog.import(log.export(), { ...named, messages }).log;
  const conversation = await openConversation<any>({ messages, format, ...named });
  const answer = {
    prune: prune(messages, { budget: 4_000, ...named }).messages,
    compact: (await compact(messages, { budget: 4_000, ...named })).messages,
    view: log.view().messages,
    imported: imported.view().messages,
    prepare: (await conversation.prepare()).messages,
    // These two take messages in the form of their provider, or neutral ones.
    ...(provider &&
      (format === "espalier" || provider === format) && {
        repair: repair(messages, { provider }).messages,
        mend: (await mend(messages, { provider })).messages,
      }),
  };
  await conversation.dispose();
  return Object.fromEntries(Object.entries(answer).map(([name, out]) => [name, idsOf(out)]));
}

const all = (ids: string[], found: Record<string, string[]>) =>
  assert.deepEqual(found, Object.fromEntries(Object.keys(found).map((name) => [name, ids])));

test("OpenAI's chat keeps them, by the format or by the provider", async () => {
  assert.deepEqual(validate(chat as any, "openai-chat"), []);
  all(SAME, await outcomes(chat));
  all(SAME, await outcomes(neutral, "openai-chat"));
});

test("for another provider, and for one that is not known, each call has an id of its own", async () => {
  all(OWN, await outcomes(neutral));
  all(OWN, await outcomes(neutral, "anthropic"));
  all(OWN, await outcomes(chat, "anthropic"));
});

test("a compaction sends the model only calls that have a result, whatever their ids", async () => {
  let asked: any[] = [];
  const long = [...chat.slice(0, 5), ...Array.from({ length: 20 }, () => chat.slice(1, 5)).flat(), ...chat.slice(5)];
  const { messages } = await compact(long as any, {
    budget: 200,
    llm: async (request) => ((asked = request.messages as any[]), { text: "<summary>All tests pass.</summary>" }),
  });
  assert.ok(asked.length > 0);
  assert.deepEqual(validate(messages, "openai-chat"), []);
});
