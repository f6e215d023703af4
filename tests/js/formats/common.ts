/** Common parts of the tests of all formats. */

import assert from "node:assert/strict";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format, NeutralMessage, Part, PlanItem } from "../../../js/types/messages.ts";

/** Checks a conversation of one format against its reading: `role: part, part`, one line a message. */
export function check(format: Format, input: unknown, expected: string): void {
  for (const options of [{ format }, {}]) {
    const { messages, format: found } = readConversation(input, options);
    assert.equal(found, format);
    assert.equal(messages.map(line).join("\n"), expected.trim().replace(/^\s+/gm, ""));
  }
  untouched(input, format);
}

function line({ role, name, parts }: NeutralMessage): string {
  return `${role}${name ? `(${name})` : ""}: ${parts.map(short).join(", ")}`;
}

function short(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return `{${part.text}}`;
    case "toolCall":
      return `${part.callId}=${part.name}(${part.arguments})`;
    case "toolResult":
      return `${part.isError ? "!" : ""}${part.callId}[${part.content.map(short).join(" ")}]`;
    case "image":
      return `<image ${part.mediaType ?? ""} ${part.url ?? part.data ?? ""} ${part.detail ?? ""}>`.replace(
        / +(?=[ >])/g,
        "",
      );
    case "document":
      return `<document ${part.dataLength}>`;
    case "opaque":
      return `<opaque ${part.json}>`;
    case "cacheMark":
      return "<mark>";
    case "boundary":
      return "|";
  }
}

/**
 * Checks that a plan that keeps everything returns the input itself, that dropping one message returns the other
 * objects, and that nothing is mutated.
 */
function untouched(input: unknown, format: Format): void {
  freeze(input);
  const reading = readConversation(input, { format });
  const keep: PlanItem[] = reading.messages.map(({ id }) => ({ type: "keep", id }));
  assert.equal(reading.rebuild(keep), input);
  const list = messagesOf(input);
  const [frame, rest] = [keep.length - list.length, keep.slice(keep.length - list.length)];
  for (const at of list.keys()) {
    const without = [...keep.slice(0, frame), ...rest.filter((_, other) => other !== at)];
    const out = reading.rebuild(without);
    const kept = list.filter((_, other) => other !== at);
    // If roles must alternate, messages that were apart may be joined now.
    if (format === "gemini" || format === "anthropic") continue;
    // What an item of reasoning led to loses its id with it, see reasoning-ids.test.ts.
    if ((list[at] as { type?: unknown }).type === "reasoning") continue;
    assert.deepEqual(
      messagesOf(out).map((message) => list.indexOf(message)),
      kept.map((message) => list.indexOf(message)),
    );
    if (!Array.isArray(input)) {
      for (const [key, value] of Object.entries(input as object))
        if (value !== list) assert.equal((out as Record<string, unknown>)[key], value);
    }
  }
}

export function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input as unknown[];
  const { messages, contents, input: items } = input as Record<string, unknown>;
  const list = messages ?? contents ?? items;
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** Freezes deeply, so that a write throws. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) freeze((value as Record<PropertyKey, unknown>)[key]);
  return value;
}

/** Applies a plan to a conversation; returns the messages. */
export function carryOut(
  format: Format,
  input: unknown,
  plan: (messages: NeutralMessage[]) => PlanItem[],
): readonly unknown[] {
  freeze(input);
  const reading = readConversation(input, { format });
  return messagesOf(reading.rebuild(plan(reading.messages)));
}

/** Edits one message and keeps the others. */
export function edit(
  format: Format,
  input: unknown,
  at: number,
  parts: PlanItem extends infer P ? (P extends { type: "edit"; parts: infer E } ? E : never) : never,
): unknown {
  const out = carryOut(format, input, (messages) =>
    messages.map(({ id }, other) => (other === at ? { type: "edit", id, parts } : { type: "keep", id })),
  );
  return out[at];
}

/** Appends a neutral message. */
export function insert(format: Format, input: unknown, message: NeutralMessage): readonly unknown[] {
  return carryOut(format, input, (messages) => [
    ...messages.map(({ id }): PlanItem => ({ type: "keep", id })),
    { type: "insert", message },
  ]).slice(messagesOf(input).length);
}

export const summary: NeutralMessage = { id: "e0:summary", role: "user", parts: [{ type: "text", text: "what was" }] };
export const standIn: NeutralMessage = {
  id: "lost",
  role: "tool",
  parts: [{ type: "toolResult", callId: "c9", name: "run", content: [{ type: "text", text: "lost" }], isError: true }],
};
export const calling: NeutralMessage = {
  id: "calling",
  role: "assistant",
  parts: [
    { type: "text", text: "I call" },
    { type: "toolCall", callId: "c9", name: "run", arguments: '{"a":1}' },
  ],
};

export function refused(input: unknown, code: string, path: string, format?: Format): void {
  assert.throws(
    () => readConversation(input, format ? { format } : {}),
    (error: { code?: string; path?: string; message: string }) => {
      assert.deepEqual([error.code, error.path], [code, path], error.message);
      return true;
    },
  );
}
