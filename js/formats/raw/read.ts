/**
 * The renderer's own messages (`OutputMode.Raw`; `espalier/raw`): numbers for the roles and for the kinds of parts.
 * Tool calls are a field of the assistant's message, a result is a message that names its call.
 */

import { documentPart, image } from "../media.ts";
import { byPart, editedItems, objectArguments, opaque, text } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, roleOf, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import { ChatCompletionContentPartKind as Kind, ChatRole } from "./prompt.ts";
import type { Fields } from "../values.ts";
import type { Part, PartEdit, Role } from "../../types/messages.ts";

export type Piece = { in: "string" } | { in: "content"; at: number } | { in: "call"; at: number } | { in: "result" };

/** `ChatRole`. */
const ROLES: Record<number, Role> = { 0: "system", 1: "user", 2: "assistant", 3: "tool" };

export const messages: Messages<Piece> = {
  read(message, at, path) {
    const role = typeof message["role"] === "number" ? roleOf(ROLES, message["role"]) : undefined;
    if (!role) throw bad(`${path}.role`, "0 (system), 1 (user), 2 (assistant) or 3 (tool)", message["role"]);
    const read = contentParts(message["content"], `${path}.content`);
    const named = typeof message["name"] === "string" && message["name"] ? { name: message["name"] } : {};
    if (role === "tool") {
      const callId = message["toolCallId"];
      if (typeof callId !== "string" && typeof callId !== "number")
        throw bad(`${path}.toolCallId`, "the id of the call that it answers", callId);
      // The result as a whole carries the mark, not its content.
      const content = read.flatMap(([part]) => (part.type === "cacheMark" ? [] : [part]));
      return {
        message: { id: `m${at}`, role, ...named, parts: [{ type: "toolResult", callId: string(callId), content }] },
        pieces: [{ in: "result" }],
      };
    }
    const parts = read.map(([part]) => part);
    const pieces = read.map(([, piece]) => piece);
    const calls = message["toolCalls"] ?? [];
    if (!Array.isArray(calls)) throw bad(`${path}.toolCalls`, "a list", calls);
    for (const [number, call] of (calls as unknown[]).entries()) {
      parts.push(toolCall(call, `${path}.toolCalls[${number}]`));
      pieces.push({ in: "call", at: number });
    }
    return { message: { id: `m${at}`, role, ...named, parts }, pieces };
  },

  edit(original, { pieces }, edits) {
    const byNumber = byPart(edits);
    const content = original["content"];
    const kept: unknown[] = [];
    const calls: unknown[] = [];
    const changes: Fields = {};
    pieces.forEach((piece, part) => {
      const edit = byNumber.get(part);
      if (!edit) return;
      if (piece.in === "string") changes["content"] = edit.to?.type === "text" ? edit.to.text : content;
      else if (piece.in === "content") kept.push(editedPart((content as unknown[])[piece.at], edit));
      else if (piece.in === "call") calls.push(editedCall((original["toolCalls"] as Fields[])[piece.at]!, edit));
      else if (edit.to?.type === "text") changes["content"] = [said(edit.to.text)];
      else if (edit.to?.type === "content") changes["content"] = editedContent(content, edit.to.items);
      else if (edit.callId !== undefined) changes["toolCallId"] = edit.callId;
    });
    if (Array.isArray(content) && original["role"] !== ChatRole.Tool) changes["content"] = kept;
    if (Array.isArray(original["toolCalls"])) changes["toolCalls"] = calls.length > 0 ? calls : undefined;
    return copy(original, changes);
  },

  tools: neutralTools,
};

const said = (value: string): Fields => ({ type: Kind.Text, text: value });

function contentParts(content: unknown, path: string): [Part, Piece][] {
  if (typeof content === "string") return [[text(content), { in: "string" }]];
  if (!Array.isArray(content)) throw bad(path, "a list of parts", content);
  return content.map((item: unknown, at): [Part, Piece] => [
    contentPart(item, `${path}[${at}]`),
    { in: "content", at },
  ]);
}

/** Reads one part of a content. */
export function contentPart(item: unknown, path: string): Part {
  if (!isFields(item)) throw bad(path, "a part", item);
  const { type, imageUrl, documentData } = item;
  if (type === Kind.Text && typeof item["text"] === "string") return text(item["text"]);
  if (type === Kind.CacheBreakpoint) return { type: "cacheMark" };
  if (type === Kind.Opaque) return opaque(item["value"]);
  if (type === Kind.Image && isFields(imageUrl) && typeof imageUrl["url"] === "string") {
    const { url, mediaType, detail } = imageUrl;
    return image(
      url,
      typeof mediaType === "string" ? mediaType : undefined,
      typeof detail === "string" ? detail : undefined,
    );
  }
  if (type === Kind.Document && isFields(documentData)) {
    const { data, mediaType } = documentData;
    return documentPart(data, typeof mediaType === "string" ? mediaType : undefined);
  }
  throw bad(
    `${path}.type`,
    "0 (image with imageUrl), 1 (text), 2 (opaque), 3 (cache breakpoint) or 4 (document with documentData)",
    type,
  );
}

function toolCall(call: unknown, path: string): Part {
  const body = isFields(call) ? call["function"] : undefined;
  if (!isFields(call) || !isFields(body)) throw bad(path, "an object with id and function", call);
  const given = body["arguments"] ?? "";
  return {
    type: "toolCall",
    callId: string(call["id"]),
    name: string(body["name"]),
    arguments: typeof given === "string" ? given : json(given),
  };
}

function editedPart(item: unknown, edit: PartEdit): unknown {
  if (edit.to?.type === "note") return said(edit.to.text);
  return edit.to?.type === "text" && isFields(item) ? copy(item, { text: edit.to.text }) : item;
}

/** Cache breakpoints of a result are no items of its content; they stay where they are. */
function editedContent(content: unknown, items: readonly (string | null)[]): unknown {
  if (!Array.isArray(content)) return content;
  const isMark = (item: unknown) => isFields(item) && item["type"] === Kind.CacheBreakpoint;
  const edited = editedItems(
    content.filter((item) => !isMark(item)),
    items,
    said,
  );
  if (!edited) return content;
  let next = 0;
  return content.map((item: unknown) => (isMark(item) ? item : edited[next++]));
}

function editedCall(call: Fields, edit: PartEdit): Fields {
  if (edit.callId !== undefined) return copy(call, { id: edit.callId });
  if (edit.to?.type !== "arguments") return call;
  const body = call["function"] as Fields;
  return copy(call, {
    function: copy(body, {
      arguments: typeof body["arguments"] === "string" ? edit.to.arguments : objectArguments(edit.to.arguments),
    }),
  });
}
