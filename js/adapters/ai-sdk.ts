/** Vercel AI SDK: model messages (`content`) and UI messages (`parts`, in which a tool part holds the call and its result). */

import { bad, base64, byPart, copy, image, isFields, json, opaque, parsedArguments, text, tool, words } from "./adapter.ts";
import type { Adapter, Fields } from "./adapter.ts";
import type { NeutralMessage, NeutralTool, Part, Role } from "../types.ts";

/** The place of a part; a call of a UI message says so, because its result is in the same place. */
type Piece = { at: number | "string"; call?: boolean };

const ROLES: Record<string, Role> = { system: "system", user: "user", assistant: "assistant", tool: "tool" };

export const aiSdk: Adapter<Piece> = {
  format: "ai-sdk",

  system(request) {
    return typeof request["system"] === "string" ? [text(request["system"])] : undefined;
  },

  read(message, at, path) {
    const role = ROLES[String(message["role"])];
    if (!role) throw bad(`${path}.role`, "system, user, assistant or tool", message["role"]);
    const id = `m${at}`;
    const ui = Array.isArray(message["parts"]);
    const content = ui ? message["parts"] : message["content"];
    if (typeof content === "string") return { message: { id, role, parts: [text(content)] }, pieces: [{ at: "string" }] };
    const name = ui ? "parts" : "content";
    if (!Array.isArray(content)) throw bad(`${path}.${name}`, "a text or a list of parts", content);
    const parts: Part[] = [];
    const pieces: Piece[] = [];
    content.forEach((item: unknown, number) => {
      if (!isFields(item)) throw bad(`${path}.${name}[${number}]`, "a part", item);
      const read = ui ? uiParts(item) : [modelPart(item)];
      read.forEach((part) => {
        parts.push(part);
        pieces.push({ at: number, ...(ui && part.type === "toolCall" && { call: true }) });
      });
    });
    return { message: { id, role, parts }, pieces };
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const name = Array.isArray(original["parts"]) ? "parts" : "content";
    const content = original[name];
    if (typeof content === "string") {
      const edit = byNumber.get(0);
      return copy(original, { content: edit?.type === "text" ? edit.text : content });
    }
    const list = [...(content as Fields[])];
    const stays = new Set<number>();
    pieces.forEach(({ at }, part) => {
      const edit = byNumber.get(part);
      if (!edit || at === "string") return;
      stays.add(at);
      const item = list[at]!;
      const isResult = message.parts[part]!.type === "toolResult";
      if (edit.type === "text") {
        const field = "output" in item || !("result" in item) ? "output" : "result";
        const value = name === "content" && field === "output" ? { type: "text", value: edit.text } : edit.text;
        list[at] = isResult ? copy(item, { [field]: value }) : copy(item, { text: edit.text });
      } else if (edit.type === "arguments") {
        list[at] = copy(item, { ["input" in item ? "input" : "args"]: parsedArguments(edit.arguments) });
      } else if (edit.type === "callId") {
        list[at] = copy(item, { toolCallId: edit.callId });
      }
    });
    // Parts that only mark the flow (step-start) have no neutral part; they stay.
    const known = new Set(pieces.map(({ at }) => at));
    return copy(original, { [name]: list.filter((_, at) => stays.has(at) || !known.has(at)) });
  },

  write(message: NeutralMessage, { list }): unknown[] {
    const ui = list.some((item) => isFields(item) && Array.isArray(item["parts"]));
    const { role, parts, id } = message;
    const said = words(parts);
    if (ui) {
      const made = parts.flatMap((part): unknown[] => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
      return made.length > 0 ? [{ id, role: role === "tool" ? "user" : role, parts: made }] : [];
    }
    const results = parts.flatMap((part): unknown[] => {
      if (part.type !== "toolResult") return [];
      const output = { type: part.isError ? "error-text" : "text", value: words(part.content) };
      return [{ type: "tool-result", toolCallId: part.callId, toolName: part.name ?? "unknown", output }];
    });
    const calls = parts.flatMap((part): unknown[] =>
      part.type === "toolCall" ? [{ type: "tool-call", toolCallId: part.callId, toolName: part.name, input: parsedArguments(part.arguments) }] : []);
    const out: unknown[] = results.length > 0 ? [{ role: "tool", content: results }] : [];
    if (calls.length > 0) out.push({ role: "assistant", content: [...(said ? [{ type: "text", text: said }] : []), ...calls] });
    else if (said) out.push({ role: role === "tool" ? "user" : role, content: said });
    return out;
  },

  tools(tools): NeutralTool[] {
    return tools.map(tool);
  },
};

function modelPart(item: Fields): Part {
  switch (item["type"]) {
    case "text":
      return text(item["text"] ?? "");
    case "reasoning":
      return { type: "reasoning", text: String(item["text"] ?? "") };
    case "tool-call":
      return { type: "toolCall", callId: String(item["toolCallId"] ?? ""), name: String(item["toolName"] ?? ""), arguments: json(item["input"] ?? item["args"] ?? {}) };
    case "tool-result": {
      const output = item["output"] ?? item["result"];
      const kind = isFields(output) ? String(output["type"]) : "";
      const value = isFields(output) && "value" in output ? output["value"] : output;
      const failed = item["isError"] === true || kind.startsWith("error");
      return {
        type: "toolResult", callId: String(item["toolCallId"] ?? ""), name: String(item["toolName"] ?? ""),
        content: resultContent(value), ...(failed && { isError: true }),
      };
    }
    case "image":
    case "file":
      return media(item);
    default:
      return opaque(item);
  }
}

/** A tool part of a UI message is a call and, once it is there, its result. */
function uiParts(item: Fields): Part[] {
  const type = String(item["type"]);
  if (type === "step-start") return [];
  if (type !== "dynamic-tool" && !type.startsWith("tool-")) return [modelPart(item)];
  const callId = String(item["toolCallId"] ?? "");
  const name = type === "dynamic-tool" ? String(item["toolName"] ?? "") : type.slice("tool-".length);
  const call: Part = { type: "toolCall", callId, name, arguments: json(item["input"] ?? {}) };
  if (item["state"] === "output-available") return [call, { type: "toolResult", callId, name, content: resultContent(item["output"]) }];
  if (item["state"] === "output-error") return [call, { type: "toolResult", callId, name, content: [text(item["errorText"] ?? "")], isError: true }];
  return [call];
}

function resultContent(value: unknown): Part[] {
  if (typeof value === "string") return [text(value)];
  if (Array.isArray(value) && value.length > 0 && value.every((part) => isFields(part) && typeof part["type"] === "string")) {
    return (value as Fields[]).map((part) => (part["type"] === "media" ? media(part) : modelPart(part)));
  }
  return value === undefined ? [] : [text(json(value))];
}

function media(item: Fields): Part {
  const kind = [item["mediaType"], item["mimeType"]].find((type): type is string => typeof type === "string");
  const from = item["image"] ?? item["data"] ?? item["url"];
  const isImage = item["type"] === "image" || kind?.startsWith("image/");
  const source = from instanceof URL ? from.href : from instanceof ArrayBuffer ? new Uint8Array(from) : from;
  if (isImage && typeof source === "string") return image(source, kind);
  if (isImage && source instanceof Uint8Array) return image(base64(source), kind);
  const length = typeof source === "string" ? source.length : source instanceof Uint8Array ? Math.ceil(source.length / 3) * 4 : 0;
  return { type: "document", ...(kind && { mediaType: kind }), dataLength: length };
}
