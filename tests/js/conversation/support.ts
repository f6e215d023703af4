/** Common parts of the tests of conversations: an agent's run, a manual clock, a scripted model. */

import assert from "node:assert/strict";
import { receiverOf } from "../formats/rules.ts";
import { espalier } from "../built.ts";
export { rejected as refused } from "../refused.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import type { Conversation } from "../../../js/conversation/conversation.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { Llm, LlmReply } from "../../../js/types/llm.ts";

export type Fields = Record<string, unknown>;

const SECTIONS = {
  "Conversation Overview": "The parser is being fixed.",
  "Technical Foundation": "Make.",
  "Codebase Status": "Parts are being built.",
  "Problem Resolution": "None yet.",
  "Progress Tracking": "Some parts are built.",
  "Active Work State": "Building.",
  "Recent Operations": "Parts were made.",
  "Continuation Plan": "Go on.",
};
/** Fills every section, so that no second look is needed. */
export const SUMMARY = `<summary>\n${Object.entries(SECTIONS)
  .map(([name, text]) => `## ${name}\n${text}\n`)
  .join("")}</summary>`;

/** Returns one round of an agent: a call and its result of about `lines` x 6 tokens. */
export function round(number: number, lines = 30): Fields[] {
  const call = {
    id: `c${number}`,
    type: "function",
    function: { name: "bash", arguments: JSON.stringify({ command: `make part${number}` }) },
  };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: `c${number}`, content: `building part${number}\n`.repeat(lines) },
  ];
}

/** A call, and its result. */
export interface Called {
  id: string;
  name: string;
  args: object;
  text: string;
}
/** A user's message and a round, in each format. */
export const HOSTS: Record<Format, { user(text: string): Fields; round(called: Called): Fields[] }> = {
  "openai-chat": {
    user: (content) => ({ role: "user", content }),
    round: ({ id, name, args, text }) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
      { role: "tool", tool_call_id: id, content: text },
    ],
  },
  "openai-responses": {
    user: (content) => ({ role: "user", content }),
    round: ({ id, name, args, text }) => [
      { type: "function_call", call_id: id, name, arguments: JSON.stringify(args) },
      { type: "function_call_output", call_id: id, output: text },
    ],
  },
  anthropic: {
    user: (content) => ({ role: "user", content }),
    round: ({ id, name, args, text }) => [
      { role: "assistant", content: [{ type: "tool_use", id, name, input: args }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
    ],
  },
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    round: ({ name, args, text }) => [
      { role: "model", parts: [{ functionCall: { name, args } }] },
      { role: "user", parts: [{ functionResponse: { name, response: { output: text } } }] },
    ],
  },
  vscode: {
    user: (value) => ({ role: 1, content: [{ value }] }),
    round: ({ id, name, args, text }) => [
      { role: 2, content: [{ callId: id, name, input: args }] },
      { role: 1, content: [{ callId: id, content: [{ value: text }] }] },
    ],
  },
  raw: {
    user: (text) => ({ role: 1, content: [{ type: 1, text }] }),
    round: ({ id, name, args, text }) => [
      {
        role: 2,
        content: [],
        toolCalls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
      { role: 3, toolCallId: id, content: [{ type: 1, text }] },
    ],
  },
  "ai-sdk": {
    user: (content) => ({ role: "user", content }),
    round: ({ id, name, args, text }) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: name, input: args }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }],
      },
    ],
  },
  langchain: {
    user: (content) => ({ type: "human", content }),
    round: ({ id, name, args, text }) => [
      { type: "ai", content: "", tool_calls: [{ type: "tool_call", id, name, args }] },
      { type: "tool", content: text, tool_call_id: id, name },
    ],
  },
  "openai-agents": {
    user: (content) => ({ type: "message", role: "user", content }),
    round: ({ id, name, args, text }) => [
      { type: "function_call", callId: id, name, status: "completed", arguments: JSON.stringify(args) },
      { type: "function_call_result", callId: id, name, status: "completed", output: { type: "text", text } },
    ],
  },
  espalier: {
    user: (text) => ({ id: `u${text.length}`, role: "user", parts: [{ type: "text", text }] }),
    round: ({ id, name, args, text }) => [
      {
        id: `a-${id}`,
        role: "assistant",
        parts: [{ type: "toolCall", callId: id, name, arguments: JSON.stringify(args) }],
      },
      {
        id: `t-${id}`,
        role: "tool",
        parts: [{ type: "toolResult", callId: id, name, content: [{ type: "text", text }] }],
      },
    ],
  },
};

export function begin(rounds = 0): Fields[] {
  const messages: Fields[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix the parser, never touch the lexer." },
  ];
  for (let number = 0; number < rounds; number += 1) messages.push(...round(number));
  return messages;
}

/** Timers that fire when the test advances the time. */
export function clock() {
  let time = 1_700_000_000_000;
  const timers = new Set<{ at: number; done: () => void }>();
  return {
    now: () => time,
    after(ms: number, done: () => void) {
      const timer = { at: time + ms, done };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    turn(ms: number) {
      time += ms;
      for (const timer of [...timers]) {
        if (timer.at > time) continue;
        timers.delete(timer);
        timer.done();
      }
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** Max delay that {@link turns} lets fire, in turns. */
const LONGEST = 5_000;

/**
 * A clock that counts turns of the event loop instead of milliseconds, so that limits fire however slow the machine is.
 * Longer delays never fire.
 */
export function turns(): { after: (count: number, done: () => void) => () => void } {
  return {
    after(count, done) {
      let left = count > LONGEST ? 0 : count + 1;
      const turn = () => {
        if (left === 0) return;
        left -= 1;
        if (left === 0) done();
        else setImmediate(turn);
      };
      if (left > 0) setImmediate(turn);
      return () => void (left = 0);
    },
  };
}

/** A model that answers when the test says so. */
export function model() {
  const calls: {
    signal: AbortSignal;
    answer: (reply: LlmReply | string) => void;
    fail: (error: unknown) => void;
    prompt: string;
  }[] = [];
  const llm: Llm = (request, { signal }) =>
    new Promise(
      (answer, fail) => void calls.push({ signal, answer, fail, prompt: `${request.system}\n${request.prompt}` }),
    );
  return { llm, calls };
}

/**
 * Answers all requests until `pending` is over: input that does not fit into one request comes in pieces, and may be
 * looked at twice.
 */
export async function answered<R>(
  calls: ReturnType<typeof model>["calls"],
  pending: Promise<R>,
  reply: LlmReply | string = SUMMARY,
): Promise<R> {
  let isOver = false;
  const end = () => void (isOver = true);
  pending.then(end, end);
  for (let at = 0; !isOver; ) {
    while (at < calls.length) calls[at++]!.answer(reply);
    await rest();
  }
  return pending;
}

/** Lets everything that is due run. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
}

/** The limit of {@link open}. */
export const LIMIT = 4_000;

/** Opens a conversation whose requests have at most {@link LIMIT} tokens. */
export const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    ...options,
  });

/** Appends rounds until the next request is this full. Returns the number of the next round. */
export function fill(conversation: Conversation<Fields>, ratio: number, from = 0): number {
  let number = from;
  while (conversation.usage().ratio < ratio) conversation.append(round(number++, 5));
  return number;
}

/** Returns the view as JSON. */
export const text = (conversation: Conversation<Fields>) => JSON.stringify(conversation.view().messages);

export function heard(conversation: Conversation<Fields>): AnyEvent[] {
  const events: AnyEvent[] = [];
  conversation.on("*", (event) => void events.push(event));
  return events;
}

/** Listens from the opening on; `said` returns the warnings. */
export function listening() {
  const events: AnyEvent[] = [];
  const said = () => events.flatMap((event) => (event.type === "warning" ? [`${event.code}: ${event.message}`] : []));
  return { onEvent: (event: AnyEvent) => void events.push(event), said };
}

/** Checks that a request is valid, and within its budget by a fresh count. */
export function sound(
  messages: readonly Fields[],
  limit: number,
  tools: readonly unknown[] = [],
  format: Format = "openai-chat",
): void {
  // Messages without a provider are checked as their conversion to OpenAI's format.
  const findings = espalier.validate(messages, receiverOf(format), { format, pending: "keep" });
  assert.deepEqual(findings, []);
  const { total } = espalier.countMessages(messages, { format, tools });
  assert.ok(total <= limit, `${total} tokens, and ${limit} are allowed`);
}
