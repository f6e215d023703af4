/** What the tests of conversations share: an agent's run, a clock that only goes when it is told, a model by script. */

import assert from "node:assert/strict";
import { espalier } from "../built.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import type { Conversation } from "../../../js/conversation.ts";
import type { Llm, LlmReply } from "../../../js/types.ts";

export type Fields = Record<string, unknown>;

const SECTIONS = {
  "Conversation Overview": "The parser is being fixed.", "Technical Foundation": "Make.", "Codebase Status": "Parts are being built.", "Problem Resolution": "None yet.",
  "Progress Tracking": "Some parts are built.", "Active Work State": "Building.", "Recent Operations": "Parts were made.", "Continuation Plan": "Go on.",
};
/** Says something in every section, so that no second look is paid for. */
export const SUMMARY = `<summary>\n${Object.entries(SECTIONS).map(([name, text]) => `## ${name}\n${text}\n`).join("")}</summary>`;

/** One round of an agent: a call and its result of about `lines` x 6 tokens. */
export function round(number: number, lines = 30): Fields[] {
  const call = { id: `c${number}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: `make part${number}` }) } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: `c${number}`, content: `building part${number}\n`.repeat(lines) },
  ];
}

export function begin(rounds = 0): Fields[] {
  const messages: Fields[] = [{ role: "system", content: "Be brief." }, { role: "user", content: "Fix the parser, never touch the lexer." }];
  for (let number = 0; number < rounds; number += 1) messages.push(...round(number));
  return messages;
}

/** Timers that fire when the time is turned on by hand. */
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

/** A model whose answers come when the test says so. */
export function model() {
  const calls: { signal: AbortSignal; answer: (reply: LlmReply | string) => void; fail: (error: unknown) => void; prompt: string }[] = [];
  const llm: Llm = (request, { signal }) => new Promise((answer, fail) => void calls.push({ signal, answer, fail, prompt: `${request.system}\n${request.prompt}` }));
  return { llm, calls };
}

/** Answers whatever is asked until `pending` is over: what does not fit into one request comes in pieces, and may be looked at twice. */
export async function answered<R>(calls: ReturnType<typeof model>["calls"], pending: Promise<R>, reply: LlmReply | string = SUMMARY): Promise<R> {
  let isOver = false;
  const end = () => void (isOver = true);
  pending.then(end, end);
  for (let at = 0; !isOver; ) {
    while (at < calls.length) calls[at++]!.answer(reply);
    await rest();
  }
  return pending;
}

/** Lets everything that is due happen. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
}

export function heard(conversation: Conversation<Fields>): AnyEvent[] {
  const events: AnyEvent[] = [];
  conversation.on("*", (event) => void events.push(event));
  return events;
}

export async function refused(run: () => unknown, code: string, path?: string): Promise<void> {
  await assert.rejects(async () => run(), (error: unknown) => {
    assert.ok(error instanceof espalier.EspalierError, String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    return true;
  });
}

/** A request is valid, and on budget by a fresh count. */
export function sound(messages: readonly Fields[], limit: number, tools: readonly unknown[] = []): void {
  const findings = espalier.validate(messages, "openai-chat", { pending: "keep" });
  assert.deepEqual(findings, []);
  const { total } = espalier.countMessages(messages, { format: "openai-chat", tools });
  assert.ok(total <= limit, `${total} tokens, and ${limit} are allowed`);
}
