/** OpenAI chat completions, and everything that speaks like it. */

import { bad, byPart, copy, documentPart, image, isFields, json, objectArguments, opaque, roleOf, string, text, tool, words } from "./adapter.ts";
import type { Adapter, Fields } from "./adapter.ts";
import type { NeutralMessage, Part, PartEdit, Role } from "../types.ts";

type Piece =
  | { in: "string" } | { in: "content"; at: number } | { in: "refusal" } | { in: "mark" } | { in: "call"; at: number } | { in: "function" } | { in: "result" };

/** Begins the ids made up for calls of the old form. */
const OLD = "function:";

const ROLES: Record<string, Role> = {
  system: "system", developer: "developer", user: "user", assistant: "assistant", tool: "tool", function: "tool",
};

export const openaiChat: Adapter<Piece> = {
  format: "openai-chat",

  read(message, at, path) {
    const role = roleOf(ROLES, message["role"]);
    if (!role) throw bad(`${path}.role`, "system, developer, user, assistant, tool or function", message["role"]);
    const parts: Part[] = [];
    const pieces: Piece[] = [];
    const content = message["content"];
    if (role === "tool") {
      // The old form has no ids: a function's result follows its call directly.
      const callId = message["role"] === "function" ? `${OLD}${string(message["name"])}` : string(message["tool_call_id"]);
      const name = message["name"];
      parts.push({
        type: "toolResult",
        callId,
        ...(typeof name === "string" && { name }),
        // The result as a whole carries the mark, not its content.
        content: contentParts(content, `${path}.content`).flatMap(([part]) => (part.type === "cacheMark" ? [] : [part])),
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
    if (typeof refusal === "string" && refusal && parts.every((part) => part.type === "text" && part.text === "")) {
      parts.push(text(refusal));
      pieces.push({ in: "refusal" });
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
      parts.push({ type: "toolCall", callId: `${OLD}${string(old["name"])}`, name: string(old["name"]), arguments: string(old["arguments"]) });
      pieces.push({ in: "function" });
    }
    // Copilot Chat marks messages, not parts.
    if (message["copilot_cache_control"] || message["cache_control"]) {
      parts.push({ type: "cacheMark" });
      pieces.push({ in: "mark" });
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
      if (piece.in === "function" || piece.in === "refusal") {
        const field = piece.in === "function" ? "function_call" : "refusal";
        if (!edit) changes[field] = undefined;
        else if (edit.type === "arguments") changes[field] = copy(original[field] as Fields, { arguments: edit.arguments });
        else if (edit.type === "text") changes[field] = edit.text;
      }
      if (!edit) return;
      if (piece.in === "string" || piece.in === "result") {
        single = edit.type === "text" ? edit.text : content;
        if (edit.type === "callId" && original["role"] === "tool") changes["tool_call_id"] = edit.callId;
      } else if (piece.in === "content") {
        kept.push(editedContent((content as unknown[])[piece.at], edit));
      } else if (piece.in === "call") {
        calls.push(editedCall((original["tool_calls"] as Fields[])[piece.at]!, edit));
      }
    });
    if (single !== undefined) changes["content"] = single;
    else if (Array.isArray(content)) changes["content"] = kept.length > 0 ? kept : null;
    // Content that was absent stays absent.
    else if (content !== undefined) changes["content"] = null;
    if (Array.isArray(original["tool_calls"])) changes["tool_calls"] = calls.length > 0 ? calls : undefined;
    return copy(original, changes);
  },

  write(message: NeutralMessage): unknown[] {
    const out: unknown[] = message.parts.flatMap((part) => (part.type === "toolResult" ? [result(part)] : []));
    const calls = message.parts.flatMap((part) =>
      part.type === "toolCall" ? [{ id: part.callId, type: "function", function: { name: part.name, arguments: part.arguments } }] : []);
    const content = words(message.parts);
    if (content || calls.length > 0) {
      const named = message.name !== undefined && { name: message.name };
      out.push({ role: message.role === "tool" ? "user" : message.role, ...named, content: content || null, ...(calls.length > 0 && { tool_calls: calls }) });
    }
    return out;
  },

  tools: (tools) => tools.map(tool),
};

/** Calls of the old form have no ids, and neither do those of some servers: their results are told by name or by order. */
function result({ callId, name, content }: Extract<Part, { type: "toolResult" }>): Fields {
  const said = words(content);
  if (callId.startsWith(OLD)) return { role: "function", name: callId.slice(OLD.length), content: said };
  return callId ? { role: "tool", tool_call_id: callId, content: said } : { role: "tool", ...(name && { name }), content: said };
}

function toolCall(call: unknown, path: string): Part {
  if (!isFields(call)) throw bad(path, "a tool call", call);
  const body = isFields(call["function"]) ? call["function"] : isFields(call["custom"]) ? call["custom"] : undefined;
  if (!body) throw bad(`${path}.function`, "an object with name and arguments", call["function"]);
  const input = body["arguments"] ?? body["input"] ?? "";
  return { type: "toolCall", callId: string(call["id"]), name: string(body["name"]), arguments: typeof input === "string" ? input : json(input) };
}

function editedContent(item: unknown, edit: PartEdit): unknown {
  if (edit.type !== "text") return item;
  return isFields(item) ? copy(item, { [item["type"] === "refusal" ? "refusal" : "text"]: edit.text }) : edit.text;
}

function editedCall(call: Fields, edit: PartEdit): Fields {
  if (edit.type === "callId") return copy(call, { id: edit.callId });
  if (edit.type !== "arguments") return call;
  return isFields(call["custom"])
    ? copy(call, { custom: copy(call["custom"], { input: edit.arguments }) })
    : copy(call, { function: withArguments(call["function"] as Fields, edit.arguments) });
}

/** Some servers that speak like OpenAI (Ollama) keep arguments as an object. */
function withArguments(body: Fields, said: string): Fields {
  return copy(body, { arguments: isFields(body["arguments"]) ? objectArguments(said) : said });
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
    return documentPart(item["file"]["file_data"]);
  }
  return opaque(item);
}

