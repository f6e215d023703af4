/** What the formats of items share: a message, a call, a result and a thought are items of their own. */

import type { NeutralMessage, Part, PartEdit, Role } from "../types/messages.ts";
import type { ReadMessage } from "./adapter.ts";
import { text } from "./parts.ts";
import { bad, copy, isFields, roleOf, string } from "./values.ts";
import type { Fields } from "./values.ts";

/** The item as a whole, or a part of a message's content. */
export type ItemPiece = "item" | { content: number };

/** Returns an item that is one part. */
export function onePart(id: string, role: Role, part: Part): ReadMessage<ItemPiece> {
  return { message: { id, role, parts: [part] } satisfies NeutralMessage, pieces: ["item"] };
}

/** Reads a message: its role, one of `roles`, and its content. */
export function itemMessage(
  item: Fields,
  id: string,
  path: string,
  roles: Readonly<Record<string, Role>>,
  readContent: (content: unknown, path: string) => [Part, ItemPiece][],
): ReadMessage<ItemPiece> {
  const role = roleOf(roles, item["role"]);
  if (!role)
    throw bad(
      `${path}.role`,
      Object.keys(roles)
        .join(", ")
        .replace(/, (\w+)$/, " or $1"),
      item["role"],
    );
  const read = readContent(item["content"], `${path}.content`);
  return { message: { id, role, parts: read.map(([part]) => part) }, pieces: read.map(([, piece]) => piece) };
}

/** Reads content: a text, or a list of parts that `read` knows. */
export function contentParts(content: unknown, path: string, read: (item: Fields) => Part): [Part, ItemPiece][] {
  if (typeof content === "string") return [[text(content), "item"]];
  if (!Array.isArray(content)) throw bad(path, "a text or a list of parts", content);
  return content.map((item: unknown, at): [Part, ItemPiece] => {
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a part", item);
    return [read(item), { content: at }];
  });
}

/** Returns the message with its content edited; parts without an edit go. */
export function withContent(original: Fields, pieces: readonly ItemPiece[], byNumber: ReadonlyMap<number, PartEdit>) {
  const { content } = original;
  if (typeof content === "string") {
    const edit = byNumber.get(0);
    return copy(original, { content: edit?.to?.type === "text" ? edit.to.text : edit ? content : "" });
  }
  const kept = pieces.flatMap((piece, part) => {
    const edit = byNumber.get(part);
    if (!edit || piece === "item") return [];
    const item = (content as Fields[])[piece.content]!;
    if (edit.to?.type === "note") return [noted(edit.to.text)];
    if (edit.to?.type !== "text") return [item];
    return [copy(item, { [item["type"] === "refusal" ? "refusal" : "text"]: edit.to.text })];
  });
  return copy(original, { content: kept });
}

/** Returns a text as a part of content. */
export const noted = (said: string): Fields => ({ type: "input_text", text: said });

const TYPES = new WeakMap<readonly unknown[], { length: number; types: Map<string, unknown> }>();

/** Returns the types of the calls in a list of items by their ids, which are in the field `name`. */
export function typesOfCalls(list: readonly unknown[], name: "call_id" | "callId"): ReadonlyMap<string, unknown> {
  const known = TYPES.get(list);
  if (known?.length === list.length) return known.types;
  const types = new Map<string, unknown>();
  for (const item of list) {
    const id = isFields(item) && /_call$/.test(string(item["type"])) ? item[name] : undefined;
    if (typeof id === "string") types.set(id, (item as Fields)["type"]);
  }
  TYPES.set(list, { length: list.length, types });
  return types;
}

/** A picture of one pixel, for a screenshot that was not recorded. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const PLATFORM: Readonly<Record<string, (said: string) => Fields>> = {
  shell_call: (said) => ({
    type: "shell_call_output",
    output: [{ stdout: "", stderr: said, outcome: { type: "timeout" } }],
  }),
  apply_patch_call: (said) => ({ type: "apply_patch_call_output", status: "failed", output: said }),
  tool_search_call: () => ({ type: "tool_search_output", execution: "client", status: "completed", tools: [] }),
};

/**
 * Returns a result, without its id, for a call of a tool that the platform defines, in the type that belongs to it;
 * nothing for another call.
 */
export function platformResult(type: unknown, said: string): Fields | undefined {
  return typeof type === "string" && Object.hasOwn(PLATFORM, type) ? PLATFORM[type]!(said) : undefined;
}
