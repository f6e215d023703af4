/**
 * The parts of a UI message as the AI SDK sends them (`convertToModelMessages`): each step of an assistant becomes a
 * message of the assistant and, if it called tools, one with their results. Boundaries are between these messages.
 */

import { opaque, text } from "../parts.ts";
import { isFields, json, string } from "../values.ts";
import type { Fields } from "../values.ts";
import type { Part, Role } from "../../types/messages.ts";
import { DENIED, modelPart, resultContent, thought } from "./parts.ts";

/**
 * The place of a part. A call of a UI message says so, because its result is in the same place. `isDerived` marks parts
 * of the sent messages that the host's message does not hold as such.
 */
export type Piece = { at: number | "string"; call?: boolean; isDerived?: boolean };

/** A part and its place. */
export type Read = [Part, Piece];

/** Returns whether the user denied a call. */
export function isDenied({ state, approval }: Fields): boolean {
  return (
    state === "output-denied" ||
    (state === "approval-responded" && isFields(approval) && approval["approved"] === false)
  );
}

/** Reads the parts of a UI message. Parts that are only for the page are left out. */
export function uiParts(items: readonly Fields[], role: Role): Read[] {
  // The texts of a system message are sent as one.
  if (role === "system") {
    const texts = items.filter(({ type }) => type === "text");
    return texts.length === 0
      ? []
      : [[text(texts.map((item) => string(item["text"])).join("")), { at: items.indexOf(texts[0]!) }]];
  }
  if (role !== "assistant")
    return items.flatMap((item, at): Read[] =>
      isSentBy(role, string(item["type"])) ? [[modelPart(item), { at }]] : [],
    );
  const sent: Read[][] = [];
  let [own, results]: [Read[], Read[]] = [[], []];
  const endStep = () => {
    sent.push(own, results);
    [own, results] = [[], []];
  };
  items.forEach((item, at) => {
    const type = string(item["type"]);
    const tool = toolParts(item, type, at);
    if (tool) {
      own.push(...tool.own);
      results.push(...tool.results);
    } else if (type === "step-start") endStep();
    else if (type === "steering-message") {
      // A user's message between two steps.
      endStep();
      sent.push([[opaque(item), { at }]]);
    } else if (isSentBy(role, type)) own.push([uiPart(item, type), { at }]);
  });
  endStep();
  const full = sent.filter((parts) => parts.length > 0);
  const boundary = (at: number | "string"): Read => [{ type: "boundary" }, { at, isDerived: true }];
  // A message of which nothing is sent is a boundary alone.
  if (full.length === 0) return [boundary(0)];
  return full.flatMap((parts, number) => (number === 0 ? parts : [boundary(parts[0]![1].at), ...parts]));
}

/** Returns whether the SDK sends a part other than a tool's. */
function isSentBy(role: Role, type: string): boolean {
  return (
    type === "text" || type === "file" || (role === "assistant" && /^(reasoning|reasoning-file|custom)$/.test(type))
  );
}

/** Version 4 has the text of a thought in `reasoning`. */
function uiPart(item: Fields, type: string): Part {
  return type === "reasoning" && typeof item["reasoning"] === "string"
    ? thought(item, item["reasoning"])
    : modelPart(item);
}

/** A tool part: what the assistant's message holds, and what the message with the results. */
interface ToolParts {
  own: Read[];
  results: Read[];
}

/** Reads a tool part; returns nothing for another one. */
function toolParts(item: Fields, type: string, at: number): ToolParts | undefined {
  const call = (callId: string, name: string, input: unknown): Read => [
    { type: "toolCall", callId, name, arguments: json(input ?? {}) },
    { at, call: true },
  ];
  if (type === "tool-invocation" && isFields(item["toolInvocation"])) {
    const { toolCallId, toolName, args, state, result } = item["toolInvocation"];
    const [callId, name] = [string(toolCallId), string(toolName)];
    const answer: Part = { type: "toolResult", callId, name, content: resultContent(result) };
    return { own: [call(callId, name, args)], results: state === "result" ? [[answer, { at }]] : [] };
  }
  if (type !== "dynamic-tool" && !type.startsWith("tool-")) return undefined;
  const { state, input, rawInput } = item;
  // A call that is not complete is not sent.
  if (state === "input-streaming") return { own: [], results: [] };
  const callId = string(item["toolCallId"]);
  const name = type === "dynamic-tool" ? string(item["toolName"]) : type.slice("tool-".length);
  const own = [call(callId, name, state === "output-error" ? (input ?? rawInput) : input)];
  if (isFields(item["approval"])) {
    const request = { type: "tool-approval-request", approvalId: item["approval"]["id"], toolCallId: callId };
    own.push([modelPart(request), { at, isDerived: true }]);
  }
  const answer = answerTo(item);
  const isOwn = item["providerExecuted"] === true;
  const results = answer && !isOwn ? [] : approvalOf(item, at);
  if (answer) {
    // The answer of a provider that executed the call itself is in the assistant's message.
    (isOwn && !isDenied(item) ? own : results).push([{ type: "toolResult", callId, name, ...answer }, { at }]);
  }
  return { own, results };
}

/** Returns the user's decision about a call as a part of its own. The results of other calls come without it. */
function approvalOf({ approval, providerExecuted }: Fields, at: number): Read[] {
  if (!isFields(approval) || typeof approval["approved"] !== "boolean") return [];
  const { id, approved, reason } = approval;
  const part = { type: "tool-approval-response", approvalId: id, approved, reason, providerExecuted };
  return [[modelPart(part), { at, isDerived: true }]];
}

/** Returns the result of a call, if it has one. */
function answerTo(item: Fields): { content: Part[]; isError?: true } | undefined {
  const { state, approval, output, errorText } = item;
  if (isDenied(item)) {
    const reason = isFields(approval) ? string(approval["reason"], DENIED) : DENIED;
    return { content: [text(reason)], isError: true };
  }
  if (state === "output-available") return { content: resultContent(output ?? null) };
  if (state === "output-error") return { content: [text(errorText)], isError: true };
  return undefined;
}
