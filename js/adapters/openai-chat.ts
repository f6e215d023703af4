/** OpenAI chat completions, and everything that speaks like it. */

import { bad, byPart, copy, image, isFields, opaque, text, tool, words } from "./adapter.ts";
import type { Adapter, Fields } from "./adapter.ts";
import type { NeutralMessage, Part, PartEdit, Role } from "../types.ts";

type Piece = { in: "string" } | { in: "content"; at: number } | { in: "mark" } | { in: "call"; at: number } | { in: "function" } | { in: "result" };

const ROLES: Record<string, Role> = {
  system: "system", developer: "developer", user: "user", assistant: "assistant", tool: "tool", function: "tool",
};

export const openaiChat: Adapter<Piece> = {
  format: "openai-chat",

  read(message, at, path) {
    const role = ROLES[String(message["role"])];
    if (!role) throw bad(`${path}.role`, "system, developer, user, assistant, tool or function", message["role"]);
    const parts: Part[] = [];
    const pieces: Piece[] = [];
    const content = message["content"];
    if (role === "tool") {
      // The old form has no ids: a function's result follows its call directly.
      const callId = message["tool_call_id"] ?? (message["role"] === "function" ? `function:${String(message["name"])}` : "");
      const name = message["name"];
      parts.push({
        type: "toolResult",
        callId: String(callId),
        ...(typeof name === "string" && { name }),
        content: contentParts(content, `${path}.content`).map(([part]) => part),
        ...(message["x_is_error"] === true && { isError: true }),
      });
      pieces.push({ in: "result" });
    } else {
      for (const [part, piece] of contentParts(content, `${path}.content`)) {
        parts.push(part);
        pieces.push(piece);
      }
    }
    const refusal = message["refusal"];
    if (typeof refusal === "string" && refusal && parts.length === 0) {
      parts.push(text(refusal));
      pieces.push({ in: "mark" });
    }
    const calls = message["tool_calls"];
    if (calls !== undefined && calls !== null) {
      if (!Array.isArray(calls)) throw bad(`${path}.tool_calls`, "a list", calls);
      calls.forEach((call, number) => {
        parts.push(toolCall(call, `${path}.tool_calls[${number}]`));
        pieces.push({ in: "call", at: number });
      });
    }
    const old = message["function_call"];
    if (isFields(old)) {
      parts.push({ type: "toolCall", callId: `function:${String(old["name"])}`, name: String(old["name"]), arguments: String(old["arguments"] ?? "") });
      pieces.push({ in: "function" });
    }
    const name = message["name"];
    const named = typeof name === "string" && role !== "tool" ? { name } : {};
    return { message: { id: `m${at}`, role, ...named, parts }, pieces };
  },

  edit(original, { pieces }, edits) {
    const byNumber = byPart(edits);
    const content = original["content"];
    const kept: unknown[] = [];
    const calls: unknown[] = [];
    const changes: Fields = {};
    let single: unknown;
    pieces.forEach((piece, part) => {
      const edit = byNumber.get(part);
      if (!edit) {
        if (piece.in === "function") changes["function_call"] = undefined;
        return;
      }
      if (piece.in === "string" || piece.in === "result") {
        single = edit.type === "text" ? edit.text : content;
        if (edit.type === "callId") changes["tool_call_id"] = edit.callId;
      } else if (piece.in === "content") {
        const item = (content as unknown[])[piece.at] as Fields;
        kept.push(edit.type === "text" ? (typeof item === "string" ? edit.text : copy(item, { text: edit.text })) : item);
      } else if (piece.in === "call") {
        calls.push(editedCall((original["tool_calls"] as Fields[])[piece.at]!, edit));
      } else if (piece.in === "function" && edit.type === "arguments") {
        changes["function_call"] = copy(original["function_call"] as Fields, { arguments: edit.arguments });
      }
    });
    if (Array.isArray(content) && single === undefined) changes["content"] = kept.length > 0 ? kept : null;
    else changes["content"] = single === undefined ? null : single;
    if (Array.isArray(original["tool_calls"])) changes["tool_calls"] = calls.length > 0 ? calls : undefined;
    return copy(original, changes);
  },

  write(message: NeutralMessage): unknown[] {
    const out: unknown[] = message.parts.flatMap((part) =>
      part.type === "toolResult" ? [{ role: "tool", tool_call_id: part.callId, content: words(part.content) }] : []);
    const calls = message.parts.flatMap((part) =>
      part.type === "toolCall" ? [{ id: part.callId, type: "function", function: { name: part.name, arguments: part.arguments } }] : []);
    const content = words(message.parts);
    if (content || calls.length > 0) {
      out.push({ role: message.role === "tool" ? "user" : message.role, content: content || null, ...(calls.length > 0 && { tool_calls: calls }) });
    }
    return out;
  },

  tools: (tools) => tools.map(tool),
};

function toolCall(call: unknown, path: string): Part {
  if (!isFields(call)) throw bad(path, "a tool call", call);
  const body = isFields(call["function"]) ? call["function"] : isFields(call["custom"]) ? call["custom"] : undefined;
  if (!body) throw bad(`${path}.function`, "an object with name and arguments", call["function"]);
  const input = body["arguments"] ?? body["input"] ?? "";
  const given = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "toolCall", callId: String(call["id"] ?? ""), name: String(body["name"] ?? ""), arguments: given };
}

function editedCall(call: Fields, edit: PartEdit): Fields {
  if (edit.type === "callId") return copy(call, { id: edit.callId });
  if (edit.type !== "arguments") return call;
  return isFields(call["custom"])
    ? copy(call, { custom: copy(call["custom"], { input: edit.arguments }) })
    : copy(call, { function: copy(call["function"] as Fields, { arguments: edit.arguments }) });
}

/** Content as parts, with the place of each. */
function contentParts(content: unknown, path: string): [Part, Piece][] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [[text(content), { in: "string" }]];
  if (!Array.isArray(content)) throw bad(path, "a text or a list of parts", content);
  return content.flatMap((item: unknown, at): [Part, Piece][] => {
    if (typeof item === "string") return [[text(item), { in: "content", at }]];
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a part", item);
    const read: [Part, Piece] = [contentPart(item), { in: "content", at }];
    const marked = item["cache_control"] ?? item["copilot_cache_control"];
    return marked ? [read, [{ type: "cacheMark" }, { in: "mark" }]] : [read];
  });
}

function contentPart(item: Fields): Part {
  const { type } = item;
  if ((type === "text" || type === undefined) && typeof item["text"] === "string") return text(item["text"]);
  if (type === "refusal" && typeof item["refusal"] === "string") return text(item["refusal"]);
  if (type === "image_url") {
    const from = item["image_url"];
    const url = isFields(from) ? from["url"] : from;
    const detail = isFields(from) ? from["detail"] : undefined;
    if (typeof url === "string") return image(url, undefined, typeof detail === "string" ? detail : undefined);
  }
  if (type === "file" && isFields(item["file"])) {
    const data = item["file"]["file_data"];
    return { type: "document", dataLength: typeof data === "string" ? data.length : 0 };
  }
  return opaque(item);
}

