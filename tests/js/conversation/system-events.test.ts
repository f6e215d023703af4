/**
 * Events under the names of Copilot Chat and gemini-cli; records of other systems in the messages that a conversation
 * begins with.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import type { ConversationOptions, EventProfile } from "../../../js/conversation/types.ts";
import type { Session } from "../../../js/sessions/types.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { Llm } from "../../../js/types/llm.ts";
import { fixture, sessions } from "../sessions/sessions.ts";
import { SUMMARY, begin, heard, round } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation } = espalier;
const llm: Llm = async () => ({ text: SUMMARY });
const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 8_000 },
    entropy: 7,
    llm,
    ...options,
    compact: { ladder: ["summary", "fit"], verify: "never", ...options.compact },
  });
type Opened = Awaited<ReturnType<typeof open>>;
let next = 0;
function fill(conversation: Opened, ratio: number): void {
  while (conversation.usage().ratio < ratio) conversation.append(round(next++, 10));
}
const dataOf = (events: AnyEvent[], type: AnyEvent["type"]) =>
  events.filter((event) => event.type === type).map((event) => (event as unknown as { data: Fields }).data);

/** The events of one compaction by hand. */
async function told(
  eventProfile: EventProfile,
  options: Partial<ConversationOptions<Fields>>,
  messages = 0.5,
): Promise<AnyEvent[]> {
  const conversation = await open({ eventProfile, ...options });
  const events: AnyEvent[] = heard(conversation);
  conversation.append(begin());
  if (messages > 0) fill(conversation, messages);
  await conversation.compact();
  await conversation.dispose();
  return events;
}

test("gemini-cli's statuses", async () => {
  for (const [options, messages, status] of [
    [{}, 0.5, 1],
    [{ llm: async () => "" }, 0.5, 4],
    [{ llm: async () => "no block" }, 0.5, 4],
    [{}, 0, 5],
    [{ llm: undefined, compact: { ladder: ["clear", "fit"] } }, 0.9, 6],
  ] as const) {
    const events = await told("gemini-cli", options as Partial<ConversationOptions<Fields>>, messages);
    const [data] = dataOf(events, "chat_compressed");
    assert.deepEqual(Object.keys(data!), ["originalTokenCount", "newTokenCount", "compressionStatus"]);
    assert.equal(data!["compressionStatus"], status, JSON.stringify(data));
    assert.ok(!events.some(({ type }) => type === "compaction_complete"));
  }
  const failed = await told("gemini-cli", {
    llm: async () => {
      throw new Error("down");
    },
  });
  assert.deepEqual(dataOf(failed, "chat_compressed"), [], "an error ends the turn there");
  assert.ok(failed.some(({ type }) => type === "compaction_complete"));
});

test("gemini-cli's status for a history that the host's tokenizer cannot count, which stays as it was", async () => {
  for (const fail of [
    () => {
      throw new Error("no count");
    },
    () => NaN,
  ]) {
    const tokenizer = (text: string) => (text.includes("conversation-summary") ? fail() : Math.ceil(text.length / 4));
    const conversation = await open({ eventProfile: "gemini-cli", tokenizer });
    const events: AnyEvent[] = heard(conversation);
    conversation.append(begin());
    fill(conversation, 0.9);
    const before = JSON.stringify(conversation.view().messages);
    const { status, error } = await conversation.compact();
    assert.equal(status, "count_failed");
    assert.match(error!, /^no count$|returned NaN$/);
    assert.deepEqual(
      dataOf(events, "chat_compressed").map((data) => data["compressionStatus"]),
      [3],
    );
    assert.equal(JSON.stringify(conversation.view().messages), before);
    assert.equal((await conversation.prepare()).messages.length > 0, true);
  }
});

test("Copilot Chat's names for a summary in the foreground", async () => {
  for (const [answer, outcome, failed] of [
    [async () => SUMMARY, "success", []],
    [async () => "", "failed", ["error"]],
    [
      async () => {
        throw new Error("down");
      },
      "requestThrow",
      ["error"],
    ],
  ] as const) {
    const events = await told("copilot-chat", { llm: answer });
    const [data] = dataOf(events, "summarizedConversationHistory");
    assert.deepEqual([data!["outcome"], data!["model"]], [outcome, "gpt-4o"]);
    assert.ok(
      Number(data!["promptTokenCount"]) > 0 && ["fork", "full", "simple"].includes(String(data!["summarizationMode"])),
    );
    assert.deepEqual(
      dataOf(events, "triggerSummarizeFailed").map((one) => one["outcome"]),
      failed,
    );
  }
});

test("Copilot Chat's names for a summary in the background, and for one that is not tried", async () => {
  const conversation = await open({ eventProfile: "copilot-chat", profile: "copilot-chat" });
  const events: AnyEvent[] = heard(conversation);
  conversation.append(begin());
  fill(conversation, 0.93);
  await conversation.prepare();
  await new Promise((done) => setTimeout(done, 200));
  await conversation.prepare();
  assert.deepEqual(
    dataOf(events, "summarizedConversationHistory").map((one) => one["outcome"]),
    ["success"],
  );
  assert.deepEqual(
    dataOf(events, "backgroundSummarizationApplied").map(({ trigger, outcome }) => [trigger, outcome]),
    [["preRender", "applied"]],
  );

  const failing = await open({
    eventProfile: "copilot-chat",
    profile: "copilot-chat",
    background: false,
    llm: async () => {
      throw new Error("down");
    },
  });
  const failures: AnyEvent[] = heard(failing);
  failing.append(begin());
  fill(failing, 1.05);
  await failing.prepare();
  await failing.prepare();
  assert.deepEqual(dataOf(failures, "triggerSummarizeFailed").length, 1);
  assert.deepEqual(dataOf(failures, "triggerSummarizeSkipped").length, 1);
});

// ------------------------------------------------------------ records of other systems

/** Whether the request tells the model that its history begins with an earlier record. */
async function merges<T>(
  options: ConversationOptions<T> & ({ format: Format } | { session: Session }),
  more: (at: number) => T,
  live: readonly T[] = [],
): Promise<boolean> {
  let system = "";
  const conversation = await openConversation<T>({
    ...options,
    model: { name: "gpt-4o", maxPromptTokens: 100_000 },
    compact: { ladder: ["summary", "fit"], verify: "never", shape: "simple" },
    llm: async (request) => ((system = request.system), SUMMARY),
  });
  for (const message of live) conversation.append(message);
  for (let at = 0; at < 40; at++) conversation.append(more(at));
  const { status } = await conversation.compact();
  assert.equal(status, "applied");
  await conversation.dispose();
  return system.includes("begins with an earlier record");
}

const words = (at: number) => `${at}: ${"The work goes on with more words. ".repeat(40)}`;
const chat = (at: number): Fields => ({ role: at % 2 === 0 ? "assistant" : "user", content: words(at) });
const content = (at: number): Fields => ({ role: at % 2 === 0 ? "model" : "user", parts: [{ text: words(at) }] });

test("a conversation believes a record that it begins with, and none that comes later", async () => {
  const record = { role: "user", content: "<conversation-summary>\nThe parser is ported.\n</conversation-summary>" };
  const asks = { role: "user", content: "Port the lexer." };
  assert.equal(await merges<Fields>({ format: "openai-chat", messages: [record, asks] }, chat), true);
  assert.equal(await merges<Fields>({ format: "openai-chat", messages: [record] }, chat), true);
  assert.equal(await merges<Fields>({ format: "openai-chat" }, chat, [record, asks]), false);
  assert.equal(await merges<Fields>({ format: "openai-chat", messages: [asks, record] }, chat), false);
});

test("a session of gemini-cli goes on behind its snapshot and environment", async () => {
  const says = (role: string, text: string): Fields => ({ role, parts: [{ text }] });
  const messages = [
    says(
      "user",
      "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n</session_context>",
    ),
    says("user", "<state_snapshot>\n<overall_goal>\nPort the parser.\n</overall_goal>\n</state_snapshot>"),
    says("model", "Got it. Thanks for the additional context!"),
    says("user", "Port the lexer."),
  ];
  assert.equal(await merges<Fields>({ format: "gemini", messages }, content), true);
});

test("a session file says which message is the record, whatever its words", async () => {
  const session = sessions.readSession(fixture("claude-code.jsonl"));
  assert.match(String(session.compactions.at(-1)!.summary), /^This session continues an earlier one/);
  const more = (at: number): Fields => ({ role: at % 2 === 0 ? "user" : "assistant", content: words(at) });
  assert.equal(await merges<Fields>({ session }, more), true);
  assert.equal(await merges<Fields>({ format: "anthropic", messages: session.messages as Fields[] }, more), false);
});
