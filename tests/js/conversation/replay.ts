/**
 * Replays a recorded run through a conversation: every request as the agent would have made it, and the faults of each.
 */

import { readConversation } from "../../../js/formats/index.ts";
import { anthropic } from "../../../js/formats/anthropic/index.ts";
import { gemini } from "../../../js/formats/gemini/index.ts";
import { openaiChat, openaiResponses } from "../../../js/formats/openai/index.ts";
import { written } from "../../../js/formats/turns.ts";
import { vscode } from "../../../js/formats/vscode/index.ts";
import type { Llm } from "../../../js/types/llm.ts";
import type { NeutralMessage, Part } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { SUMMARY } from "./support.ts";

const ADAPTERS = { "openai-chat": openaiChat, "openai-responses": openaiResponses, anthropic, gemini, vscode };
export type Shape = keyof typeof ADAPTERS;
export const SHAPES = Object.keys(ADAPTERS) as Shape[];

/** The models that write summaries. */
export const WRITERS: Record<string, Llm | undefined> = {
  none: undefined,
  poor: async () => "<summary>Things went on.</summary>",
  good: async () => SUMMARY,
};

/**
 * Gives results the names of their calls, by which Gemini matches them, and calls unique ids, since recordings repeat
 * some.
 */
export function named(messages: readonly NeutralMessage[]): NeutralMessage[] {
  const open = new Map<string, { callId: string; name: string }>();
  return messages.map((message, at) => ({
    ...message,
    parts: message.parts.map((part, number): Part => {
      if (part.type === "toolCall") {
        const callId = `call_${at}_${number}`;
        open.set(part.callId, { callId, name: part.name });
        return { ...part, callId };
      }
      return part.type === "toolResult" ? { ...part, ...open.get(part.callId) } : part;
    }),
  }));
}

/** Converts a recording to a provider's own messages: the new messages of each request, one list for each. */
export function turns(recording: unknown, shape: Shape): unknown[][] {
  const adapter = ADAPTERS[shape];
  const source = { input: [], list: [], name: "messages" };
  const all: unknown[][] = [[]];
  const messages = named(readConversation(recording, {}).messages);
  // Some recordings begin in the middle of a conversation; providers refuse a request that begins with the model.
  const first = messages.findIndex(({ role }) => role === "user");
  for (const [at, message] of messages.entries()) {
    if (at < first && message.role !== "system" && message.role !== "developer") continue;
    const hosted = written(adapter, [message], source);
    if (hosted.length === 0) continue;
    // The model's message ends a request.
    if (message.role === "assistant" && all.at(-1)!.length > 0 && !all.at(-1)!.every((made) => isModels(made)))
      all.push([]);
    for (const made of hosted) {
      const turn = all.at(-1)!;
      const joined =
        turn.length > 0 ? (adapter.join?.(turn.at(-1), made) ?? together(shape, turn.at(-1), made)) : undefined;
      if (joined === undefined) turn.push(made);
      else turn[turn.length - 1] = joined;
    }
  }
  return all;
}
/** Joins two consecutive requests for providers that require alternating roles. */
function together(shape: Shape, a: unknown, b: unknown): unknown {
  const [before, after] = [a, b] as { role: unknown; parts: unknown[] }[];
  return shape === "gemini" && before!.role === after!.role
    ? { ...before, parts: [...before!.parts, ...after!.parts] }
    : undefined;
}

function isModels(message: unknown): boolean {
  const { role, type } = message as { role?: unknown; type?: unknown };
  return role === "assistant" || role === "model" || role === 2 || type === "function_call" || type === "reasoning";
}

export interface Replayed {
  requests: number;
  compactions: number;
  calls: number;
  trimmed: number;
  /** Requests for which the messages that must stay were too large even when shortened. */
  exceeded: number;
  /** Max consecutive requests that each needed a compaction. */
  row: number;
  /** Max share of the budget that a request used. */
  fullest: number;
  wrong: string[];
}

/** Replays the whole recording; `every` skips requests if only their number matters. */
export async function replayed(
  recording: unknown,
  shape: Shape,
  budget: number,
  writer: keyof typeof WRITERS,
  every = 1,
): Promise<Replayed> {
  const found: Replayed = {
    requests: 0,
    compactions: 0,
    calls: 0,
    trimmed: 0,
    exceeded: 0,
    row: 0,
    fullest: 0,
    wrong: [],
  };
  const llm = WRITERS[writer];
  const conversation = await espalier.openConversation<unknown>({
    format: shape,
    model: { maxPromptTokens: budget },
    entropy: 1,
    ...(llm && { llm: (request, context) => ((found.calls += 1), llm(request, context)) }),
  });
  let row = 0;
  let newest: unknown;
  const list = turns(recording, shape);
  for (const [number, turn] of list.entries()) {
    conversation.append(turn);
    newest = turn.findLast(isRequest) ?? newest;
    // A recording may end with a message of the model.
    if ((number % every !== 0 && number !== list.length - 1) || isModels(turn.at(-1))) continue;
    found.requests += 1;
    let prepared;
    try {
      prepared = await conversation.prepare();
    } catch (error) {
      const { code, details } = error as { code?: string; details?: { needed?: number } };
      if (code !== "budget_exceeded" || !((details?.needed ?? 0) > budget))
        found.wrong.push(`${number}: ${String(error)}`);
      found.exceeded += 1;
      continue;
    }
    const { messages, report } = prepared;
    const applied = report.compactions.filter(({ status }) => status === "applied");
    found.compactions += applied.length;
    row = applied.length > 0 ? row + 1 : 0;
    found.row = Math.max(found.row, row);
    found.trimmed += report.trimmed.length > 0 ? 1 : 0;
    for (const { before, after } of applied)
      if (after.total >= before.total) found.wrong.push(`${number}: a compaction freed nothing`);
    const [finding] = espalier.validate(messages, shape === "vscode" ? "vscode" : shape, {
      format: shape,
      pending: "keep",
    });
    if (finding) found.wrong.push(`${number}: ${JSON.stringify(finding)}`);
    const { total } = espalier.countMessages(messages, { format: shape });
    found.fullest = Math.max(found.fullest, total / budget);
    if (total > budget) found.wrong.push(`${number}: ${total} tokens`);
    if (
      newest !== undefined &&
      !messages.includes(newest) &&
      !messages.some((message) => isWithin(newest, message)) &&
      !isShortened(
        conversation,
        newest,
        report.trimmed.flatMap(({ ids }) => ids),
      )
    )
      found.wrong.push(`${number}: the newest request is gone`);
    // Gives a started job time to end.
    if (report.job !== undefined)
      for (let step = 0; step < 5; step += 1) await new Promise((done) => setImmediate(done));
  }
  await conversation.dispose();
  return found;
}

/** Returns true for a message of the user's own. */
function isRequest(message: unknown): boolean {
  const { role, type, content } = message as { role?: unknown; type?: unknown; content?: unknown };
  if (role !== "user" && role !== 1) return false;
  if (type !== undefined && type !== "message") return false;
  return typeof content === "string" || words(message).length > 0;
}

/** Returns the texts of a message that may also have results. */
function words(message: unknown): string[] {
  const { content, parts } = message as { content?: unknown; parts?: unknown };
  const list = Array.isArray(parts) ? parts : Array.isArray(content) ? content : [];
  return list.flatMap((part: { text?: unknown; value?: unknown }) =>
    (part.text ?? part.value) === undefined ? [] : [JSON.stringify(part)],
  );
}

/** Returns true if a message was joined with the previous one, as some providers require. */
function isWithin(request: unknown, message: unknown): boolean {
  const there = new Set(words(message));
  return words(request).length > 0 && words(request).every((part) => there.has(part));
}

/** Returns true if a request that alone exceeds the window was shortened. */
function isShortened(
  conversation: { log: { originalsFrom(number: number): unknown[] } },
  message: unknown,
  ids: readonly string[],
): boolean {
  return ids.includes(`m${conversation.log.originalsFrom(0).indexOf(message)}`);
}
