/** Common parts of the tests of the adapters: a compact picture of a reading, and errors by code and path. */

import assert from "node:assert/strict";
import { readConversation } from "../../../js/formats/index.ts";
import { EspalierError } from "../../../js/errors/errors.ts";
import type { Format, NeutralMessage, Part, PartEdit } from "../../../js/types/messages.ts";

function show(part: Part): string {
  switch (part.type) {
    case "text":
      return JSON.stringify(part.text);
    case "reasoning":
      return `think ${JSON.stringify(part.text)}`;
    case "toolCall":
      return `call ${part.callId} ${part.name} ${part.arguments}`;
    case "toolResult":
      return `${part.isError ? "error" : "result"} ${part.callId}${part.name ? ` ${part.name}` : ""} [${part.content.map(show).join(", ")}]`;
    case "image":
      return `image ${[part.mediaType, part.detail, part.url, part.data && `${part.data.length} chars`].filter(Boolean).join(" ")}`;
    case "document":
      return `document ${part.mediaType ?? "?"} ${part.dataLength}`;
    case "opaque":
      return `opaque ${part.json}`;
    case "cacheMark":
      return "mark";
    case "boundary":
      return "|";
  }
}

/** Returns a conversation, one line a message. */
export function picture(messages: readonly NeutralMessage[]): string {
  return messages
    .map(({ id, role, name, parts }) => `${id} ${role}${name ? ` (${name})` : ""}: ${parts.map(show).join("; ")}`)
    .join("\n");
}

/** Reads, and compares with the picture. */
export function reads(input: unknown, expected: string, format?: Format): void {
  const read = readConversation(input, format ? { format } : {});
  const lines = expected
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join("\n");
  assert.equal(picture(read.messages), lines);
}

/** Returns the message `id` of the input after these edits, with everything else kept. */
export function edited(input: unknown, id: string, parts: PartEdit[], format?: Format): unknown {
  const read = readConversation(input, format ? { format } : {});
  const plan = read.messages.map((message) =>
    message.id === id ? { type: "edit" as const, id, parts } : { type: "keep" as const, id: message.id },
  );
  return read.rebuild(plan);
}

export function refused(input: unknown, code: string, path: string | undefined, format?: Format): void {
  assert.throws(
    () => readConversation(input, format ? { format } : {}),
    (error: unknown) => {
      assert.ok(error instanceof EspalierError, String(error));
      assert.deepEqual([error.code, error.path], [code, path], error.message);
      return true;
    },
  );
}

/** Freezes all reachable objects, so that a change of the host's objects throws. */
export function frozen<T>(value: T, seen = new Set<unknown>()): T {
  if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value)) return value;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) frozen((value as Record<PropertyKey, unknown>)[key], seen);
  return Object.freeze(value);
}
