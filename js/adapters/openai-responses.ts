/** OpenAI Responses: a list of items. Reasoning, calls and results are items of their own. */

import { bad, byPart, copy, image, isFields, opaque, text, tool, words } from "./adapter.ts";
import type { Adapter, Fields } from "./adapter.ts";
import type { NeutralMessage, Part, Role } from "../types.ts";

type Piece = "item" | { content: number };

const CALLS: Record<string, string> = { function_call: "arguments", custom_tool_call: "input" };
const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output"]);
const ROLES: Record<string, Role> = { system: "system", developer: "developer", user: "user", assistant: "assistant" };

export const openaiResponses: Adapter<Piece> = {
  format: "openai-responses",

  system(request) {
    return typeof request["instructions"] === "string" ? [text(request["instructions"])] : undefined;
  },

  read(item, at, path) {
    const id = `m${at}`;
    const type = item["type"] ?? "message";
    const one = (role: Role, part: Part) => ({ message: { id, role, parts: [part] } satisfies NeutralMessage, pieces: ["item" as const] });
    if (type === "message") {
      const role = ROLES[String(item["role"])];
      if (!role) throw bad(`${path}.role`, "system, developer, user or assistant", item["role"]);
      const read = contentParts(item["content"], `${path}.content`);
      return { message: { id, role, parts: read.map(([part]) => part) }, pieces: read.map(([, piece]) => piece) };
    }
    if (typeof type !== "string") throw bad(`${path}.type`, "the name of an item's type", type);
    if (type in CALLS) {
      const given = item[CALLS[type]!];
      return one("assistant", { type: "toolCall", callId: String(item["call_id"] ?? ""), name: String(item["name"] ?? ""), arguments: typeof given === "string" ? given : "" });
    }
    if (OUTPUTS.has(type)) {
      const content = contentParts(item["output"], `${path}.output`).map(([part]) => part);
      return one("tool", { type: "toolResult", callId: String(item["call_id"] ?? ""), content });
    }
    if (type === "reasoning") {
      const texts = [item["summary"], item["content"]].flatMap((list) => (Array.isArray(list) ? list : []));
      const said = texts.flatMap((part: unknown) => (isFields(part) && typeof part["text"] === "string" ? [part["text"]] : []));
      return one("assistant", { type: "reasoning", text: said.join("\n") });
    }
    // Whatever else the platform does by itself (searches, computer use, compaction) comes from the assistant's side.
    return one("assistant", opaque(item));
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    if (pieces[0] === "item" && message.parts[0]?.type !== "text") {
      const edit = byNumber.get(0);
      if (edit?.type === "text") return copy(original, { output: edit.text });
      if (edit?.type === "arguments") return copy(original, { [CALLS[String(original["type"])] ?? "arguments"]: edit.arguments });
      if (edit?.type === "callId") return copy(original, { call_id: edit.callId });
      return original;
    }
    const content = original["content"];
    const kept = pieces.flatMap((piece, part) => {
      const edit = byNumber.get(part);
      if (!edit) return [];
      if (piece === "item") return [edit.type === "text" ? edit.text : content];
      const item = (content as Fields[])[piece.content]!;
      return [edit.type === "text" ? copy(item, { text: edit.text }) : item];
    });
    return copy(original, { content: typeof content === "string" ? kept[0] ?? "" : kept });
  },

  write({ role, parts }: NeutralMessage): unknown[] {
    const said = words(parts);
    const items: unknown[] = parts.flatMap((part): unknown[] => {
      if (part.type === "toolCall") return [{ type: "function_call", call_id: part.callId, name: part.name, arguments: part.arguments }];
      if (part.type === "toolResult") return [{ type: "function_call_output", call_id: part.callId, output: words(part.content) }];
      return [];
    });
    if (said) items.unshift({ type: "message", role: role === "tool" ? "user" : role, content: said });
    return items;
  },

  tools: (tools) => tools.map(tool),
};

function contentParts(content: unknown, path: string): [Part, Piece][] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [[text(content), "item"]];
  if (!Array.isArray(content)) throw bad(path, "a text or a list of parts", content);
  return content.map((item: unknown, at): [Part, Piece] => {
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a part", item);
    return [contentPart(item), { content: at }];
  });
}

function contentPart(item: Fields): Part {
  if (typeof item["text"] === "string") return text(item["text"]);
  if (item["type"] === "refusal" && typeof item["refusal"] === "string") return text(item["refusal"]);
  const detail = typeof item["detail"] === "string" ? item["detail"] : undefined;
  if (item["type"] === "input_image" && typeof item["image_url"] === "string") return image(item["image_url"], undefined, detail);
  if (item["type"] === "input_file") {
    const data = item["file_data"];
    return { type: "document", dataLength: typeof data === "string" ? data.length : 0 };
  }
  return opaque(item);
}
