/** Whatever comes in, what goes out is nothing that a provider refuses. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Format } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { messagesOf } from "./common.ts";
import { refusal } from "./rules.ts";
import {
  LanguageModelChatMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./samples.ts";
import { runs } from "../runs.ts";

/** A round: what is thought and said, what is called, and which calls were answered. */
interface Round {
  user?: string;
  think: boolean;
  say: boolean;
  calls: { id: string; answered: boolean }[];
  orphan: boolean;
}

const output = (id: string) => `output of ${id} `.repeat(12);
const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 3 });
/** Well-formed; `broken` adds calls that nobody answered, results that nobody asked for, and ids that come again. */
const rounds = (broken: boolean): fc.Arbitrary<Round[]> =>
  fc
    .array(
      fc.record({
        asks: fc.integer({ max: 3, min: 0 }),
        think: fc.boolean(),
        say: fc.boolean(),
        ids,
        lost: fc.integer({ min: 0, max: 9 }),
        orphan: fc.integer({ min: 0, max: 9 }),
      }),
      { minLength: 1, maxLength: 10 },
    )
    .map((items) =>
      items.map((item, at): Round => {
        // A call after the newest request may still be running; then it would stay as it is.
        const { asks, think, say, ids, lost, orphan } = item;
        const calls = ids.map((n, k) => ({
          id: broken ? `c${n}` : `c${at}_${n}`,
          answered: !(broken && lost === k && at < items.length - 1),
        }));
        const user = at === 0 || at === items.length - 1 || asks === 0 ? { user: `request ${at} `.repeat(8) } : {};
        // A round says something or calls something.
        return { ...user, think, say: say || calls.length === 0, calls, orphan: broken && orphan === 0 };
      }),
    );

const WRITE: Partial<Record<Format, (round: Round, at: number) => unknown[]>> = {
  "openai-chat": ({ user, say, calls, orphan }) => [
    ...(user ? [{ role: "user", content: user }] : []),
    {
      role: "assistant",
      content: say ? "I say so" : null,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id }) => ({ id, type: "function", function: { name: "run", arguments: "{}" } })),
      }),
    },
    ...answered(calls, orphan).map((id) => ({ role: "tool", tool_call_id: id, content: output(id) })),
  ],
  "openai-responses": ({ user, think, say, calls, orphan }, at) => [
    ...(user ? [{ type: "message", role: "user", content: user }] : []),
    ...(think
      ? [{ type: "reasoning", id: `rs${at}`, summary: [{ type: "summary_text", text: "hm ".repeat(9) }], of: at }]
      : []),
    ...(say
      ? [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "I say so" }], of: at }]
      : []),
    ...calls.map(({ id }) => ({ type: "function_call", call_id: id, name: "run", arguments: "{}", of: at })),
    ...answered(calls, orphan).map((id) => ({ type: "function_call_output", call_id: id, output: output(id), of: at })),
  ],
  anthropic: ({ user, think, say, calls, orphan }) => [
    ...(user ? [{ role: "user", content: user }] : []),
    {
      role: "assistant",
      content: [
        ...(think ? [{ type: "thinking", thinking: "hm ".repeat(9), signature: "s" }] : []),
        ...(say ? [{ type: "text", text: "I say so" }] : []),
        ...calls.map(({ id }) => ({ type: "tool_use", id, name: "run", input: {} })),
      ],
    },
    ...turn(answered(calls, orphan).map((id) => ({ type: "tool_result", tool_use_id: id, content: output(id) }))).map(
      (content) => ({ role: "user", content }),
    ),
  ],
  gemini: ({ user, think, say, calls, orphan }, at) => [
    ...(user ? [{ role: "user", parts: [{ text: user }] }] : []),
    {
      role: "model",
      parts: [
        ...(think ? [{ text: "hm ".repeat(9), thought: true }] : []),
        ...(say ? [{ text: "I say so" }] : []),
        ...calls.map((_, k) => ({ functionCall: { name: `run${at}_${k}`, args: {} } })),
      ],
    },
    ...turn([
      ...calls.flatMap(({ id, answered }, k) =>
        answered ? [{ functionResponse: { name: `run${at}_${k}`, response: { output: output(id) } } }] : [],
      ),
      ...(orphan ? [{ functionResponse: { name: "nobody", response: { output: "nothing" } } }] : []),
    ]).map((parts) => ({ role: "user", parts })),
  ],
  vscode: ({ user, say, calls, orphan }) => [
    ...(user ? [new LanguageModelChatMessage(1, [new LanguageModelTextPart(user)])] : []),
    new LanguageModelChatMessage(2, [
      ...(say ? [new LanguageModelTextPart("I say so")] : []),
      ...calls.map(({ id }) => new LanguageModelToolCallPart(id, "run", {})),
    ]),
    ...turn(
      answered(calls, orphan).map((id) => new LanguageModelToolResultPart(id, [new LanguageModelTextPart(output(id))])),
    ).map((content) => new LanguageModelChatMessage(1, content)),
  ],
  "ai-sdk": ({ user, think, say, calls, orphan }) => [
    ...(user ? [{ role: "user", content: user }] : []),
    {
      role: "assistant",
      content: [
        ...(think ? [{ type: "reasoning", text: "hm ".repeat(9) }] : []),
        ...(say ? [{ type: "text", text: "I say so" }] : []),
        ...calls.map(({ id }) => ({ type: "tool-call", toolCallId: id, toolName: "run", input: {} })),
      ],
    },
    ...turn(
      answered(calls, orphan).map((id) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: "run",
        output: { type: "text", value: output(id) },
      })),
    ).map((content) => ({ role: "tool", content })),
  ],
};

function answered(calls: Round["calls"], orphan: boolean): string[] {
  return [...calls.flatMap(({ id, answered }) => (answered ? [id] : [])), ...(orphan ? ["nobody"] : [])];
}

/** Results in one message, or none. */
function turn<T>(results: T[]): T[][] {
  return results.length > 0 ? [results] : [];
}

function written(format: Format, rounds: readonly Round[]): unknown[] {
  // Before the user speaks again the model has answered: Gemini would see results and request in one turn.
  const all =
    format !== "gemini"
      ? rounds
      : rounds.map((round, at) => (rounds[at + 1]?.user ? { ...round, say: true, calls: [], orphan: false } : round));
  const messages = all.flatMap((round, at) => WRITE[format]!(round, at));
  if (format !== "gemini") return messages;
  // A client of Gemini keeps turns alternating.
  return (messages as { role: string; parts: unknown[] }[]).reduce<{ role: string; parts: unknown[] }[]>(
    (out, turn) => {
      const last = out.at(-1);
      if (last?.role === turn.role) out[out.length - 1] = { role: turn.role, parts: [...last.parts, ...turn.parts] };
      else out.push(turn);
      return out;
    },
    [],
  );
}

for (const format of Object.keys(WRITE) as Format[]) {
  for (const broken of [false, true]) {
    test(`${format}: ${broken ? "repaired" : "well-formed"} conversations leave as the provider takes them`, async () => {
      await fc.assert(
        fc.asyncProperty(
          rounds(broken),
          fc.double({ min: 0.1, max: 1.1, noNaN: true }),
          fc.boolean(),
          async (all, share, compacts) => {
            const messages = written(format, all);
            if (!broken) assert.equal(refusal(format, messages), undefined, "the input is well-formed");
            const whole = espalier.countMessages(messages, { format }).total;
            const budget = Math.floor(whole * share);
            const out = await run(messages, format, budget, compacts);
            if (!out) return;
            assert.equal(refusal(format, messagesOf(out)), undefined, JSON.stringify(messagesOf(out), undefined, 1));
          },
        ),
        { seed: 7, numRuns: runs(300), includeErrorInReport: true },
      );
    });
  }
}

/** Nothing, if what must stay is more than the budget. */
async function run(messages: unknown[], format: Format, budget: number, compacts: boolean): Promise<unknown> {
  try {
    return compacts
      ? (await espalier.compact(messages, { budget, format })).messages
      : espalier.prune(messages, { budget, format }).messages;
  } catch (error) {
    if ((error as { code?: string }).code === "budget_exceeded") return undefined;
    throw error;
  }
}
