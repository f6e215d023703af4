/**
 * VS Code's `LanguageModelChatMessage`: class instances with numbers for roles. Copies keep their classes; new parts are made with the
 * classes seen in the conversation, so that no import of `vscode` is needed.
 */

import { bad, base64, byPart, copy, image, isFields, opaque, parsedArguments, text, tool, words } from "./adapter.ts";
import type { Adapter, Fields, Source } from "./adapter.ts";
import type { NeutralMessage, Part, Role } from "../types.ts";

type Piece = number | "string";

/** `LanguageModelChatMessageRole`: User 1, Assistant 2; System 3 is a proposal. */
const ROLES: Record<number, Role> = { 1: "user", 2: "assistant", 3: "system" };

export const vscode: Adapter<Piece> = {
  format: "vscode",

  read(message, at, path) {
    const role = ROLES[message["role"] as number];
    if (!role) throw bad(`${path}.role`, "1 (user), 2 (assistant) or 3 (system)", message["role"]);
    const content = message["content"];
    const named = typeof message["name"] === "string" && message["name"] ? { name: message["name"] } : {};
    if (typeof content === "string") return { message: { id: `m${at}`, role, ...named, parts: [text(content)] }, pieces: ["string"] };
    if (!Array.isArray(content)) throw bad(`${path}.content`, "a text or a list of parts", content);
    const parts = content.map((item: unknown, number) => {
      if (!isFields(item)) throw bad(`${path}.content[${number}]`, "a part", item);
      return part(item);
    });
    return { message: { id: `m${at}`, role, ...named, parts }, pieces: parts.map((_, number) => number) };
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const content = original["content"];
    if (typeof content === "string") {
      const edit = byNumber.get(0);
      return copy(original, { content: edit?.type === "text" ? edit.text : content });
    }
    const list = content as Fields[];
    const kept = pieces.flatMap((piece, number) => {
      const edit = byNumber.get(number);
      if (!edit || piece === "string") return [];
      const item = list[piece]!;
      if (edit.type === "text") {
        const value = message.parts[number]!.type === "toolResult" ? { content: [textPart(edit.text, item["content"] as unknown[])] } : { value: edit.text };
        return [copy(item, value)];
      }
      if (edit.type === "arguments") return [copy(item, { input: parsedArguments(edit.arguments) })];
      if (edit.type === "callId") return [copy(item, { callId: edit.callId })];
      return [item];
    });
    return copy(original, { content: kept });
  },

  write({ role, parts }: NeutralMessage, { list }: Source): unknown[] {
    const messages = list as Fields[];
    const seen = messages.flatMap((message) => (Array.isArray(message["content"]) ? (message["content"] as unknown[]) : []));
    const like = (test: (item: Fields) => boolean) => seen.find((item): item is Fields => isFields(item) && test(item));
    const content = parts.flatMap((part): unknown[] => {
      if (part.type === "text") return [textPart(part.text, seen)];
      if (part.type === "toolCall") {
        const fields = { callId: part.callId, name: part.name, input: parsedArguments(part.arguments) };
        return [instance(like((item) => "callId" in item && "input" in item), fields)];
      }
      if (part.type !== "toolResult") return [];
      return [instance(like((item) => "callId" in item && "content" in item), { callId: part.callId, content: [textPart(words(part.content), seen)] })];
    });
    if (content.length === 0) return [];
    return [instance(messages[0], { role: role === "assistant" ? 2 : 1, content, name: undefined })];
  },

  tools: (tools) => tools.map(tool),
};

/** An object of the same class as `like`, with these fields. */
function instance(like: object | undefined, fields: Fields): unknown {
  return Object.assign(Object.create(like ? Object.getPrototypeOf(like) : Object.prototype), fields);
}

function textPart(value: string, seen: readonly unknown[] = []): unknown {
  const like = seen.find((item): item is Fields => isFields(item) && part(item).type === "text");
  return instance(like, { value });
}

function part(item: Fields): Part {
  const { callId, value } = item;
  if (typeof callId === "string" && Array.isArray(item["content"])) {
    const content = (item["content"] as unknown[]).map((inner) => (isFields(inner) ? part(inner) : typeof inner === "string" ? text(inner) : opaque(inner)));
    return { type: "toolResult", callId, content, ...(item["isError"] === true && { isError: true }) };
  }
  if (typeof callId === "string") {
    return { type: "toolCall", callId, name: String(item["name"] ?? ""), arguments: JSON.stringify(item["input"] ?? {}) };
  }
  const className = String((item.constructor as { name?: string } | undefined)?.name ?? "");
  if (/Thinking/.test(className)) return { type: "reasoning", text: Array.isArray(value) ? value.join("\n") : String(value ?? "") };
  if (typeof value === "string") return text(value);
  if (item["data"] instanceof Uint8Array && typeof item["mimeType"] === "string") {
    const { data, mimeType } = item as { data: Uint8Array; mimeType: string };
    if (mimeType.startsWith("image/")) return image(base64(data), mimeType);
    if (/^text\/|json/.test(mimeType)) return text(new TextDecoder().decode(data));
    return mimeType === "cache_control" ? { type: "cacheMark" } : { type: "document", mediaType: mimeType, dataLength: Math.ceil(data.length / 3) * 4 };
  }
  return opaque(value ?? item);
}
