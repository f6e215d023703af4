/** OpenAI chat completions, and everything that speaks like it. */

import { isBytes } from "../../files/bytes.ts";
import { audioPart, documentPart, image } from "../media.ts";
import { byPart, editedItems, objectArguments, text, unknownPart } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, roleOf, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { fieldForModel, NOTHING } from "../audience.ts";
import { ofSdk, refuseForeign } from "../foreign.ts";
import { signedThought } from "../thinking.ts";
import { madeUpId, OLD } from "./ids.ts";
import type { Part, PartEdit, Role } from "../../types/messages.ts";

export type Piece =
  | { in: "string" }
  | { in: "content"; at: number }
  | { in: "images"; at: number }
  | { in: "refusal" }
  | { in: "reasoning"; field: string }
  | { in: "mark" }
  | { in: "call"; at: number }
  | { in: "function" }
  | { in: "result" };

/**
 * Where compatible servers put thoughts, and take them back: DeepSeek and Kimi, OpenRouter and vLLM, Copilot, Ollama,
 * Cohere beside calls. OpenRouter's `reasoning_details` are the same thoughts as `reasoning`, with signatures.
 */
const THOUGHTS = ["reasoning_content", "reasoning", "reasoning_text", "thinking", "tool_plan"];
const DETAILS = "reasoning_details";

/** Without a content a message has at least one of these. */
const SAID_ELSEWHERE = ["tool_calls", "function_call", "refusal", "audio", "images", ...THOUGHTS, DETAILS];

/**
 * Fields in the messages of SDKs that spell them in their own way (Mistral's, Cohere's, OpenRouter's, AG-UI, TanStack
 * AI), and the names on the wire. Read by these names alone, the messages would lose their calls and thoughts.
 */
const SPELLED: readonly (readonly [spelled: string, name: string])[] = [
  ["toolCalls", "tool_calls"],
  ["toolCallId", "tool_call_id"],
  ["toolPlan", "tool_plan"],
  ["reasoningDetails", "reasoning_details"],
];

const ROLES: Record<string, Role> = {
  system: "system",
  developer: "developer",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

export const messages: Messages<Piece> = {
  read(message, at, path, state) {
    const role = roleOf(ROLES, message["role"]);
    if (!role) throw bad(`${path}.role`, "system, developer, user, assistant, tool or function", message["role"]);
    for (const [spelled, name] of SPELLED) {
      const value = message[spelled];
      const isSaid = typeof value === "string" || Array.isArray(value) ? value.length > 0 : isFields(value);
      if (isSaid && !(name in message)) throw bad(`${path}.${spelled}`, ofSdk(`it is ${name} on the wire`), value);
    }
    refuseForeign(message, path);
    const parts: Part[] = [];
    const pieces: Piece[] = [];
    const thought = role === "assistant" ? thoughtOf(message) : undefined;
    if (thought) {
      parts.push({ type: "reasoning", text: thought.text });
      pieces.push({ in: "reasoning", field: thought.field });
    }
    const content = message["content"];
    if (content === undefined && !SAID_ELSEWHERE.some((name) => name in message)) {
      throw bad(`${path}.content`, "a text or a list of parts", content);
    }
    if (role === "tool") {
      const name = message["name"] ?? message["tool_name"];
      const callId =
        message["role"] === "function"
          ? oldId(string(name), state, false)
          : string(message["tool_call_id"]) || answered(string(name), state);
      parts.push({
        type: "toolResult",
        callId,
        ...(typeof name === "string" && { name }),
        // The result as a whole carries the mark, not its content.
        content: contentParts(content, `${path}.content`).flatMap(([part]) =>
          part.type === "cacheMark" ? [] : [part],
        ),
        ...(message["x_is_error"] === true && { isError: true }),
      });
      pieces.push({ in: "result" });
    } else {
      for (const [part, piece] of contentParts(content, `${path}.content`)) {
        parts.push(part);
        pieces.push(piece);
      }
    }
    // Ollama has pictures beside the text: base64, or bytes.
    const { images } = message;
    if (role === "user" && Array.isArray(images)) {
      for (const [number, source] of images.entries()) {
        if (typeof source !== "string" && !isBytes(source))
          throw bad(`${path}.images[${number}]`, "a picture as base64 or bytes", source);
        parts.push(image(source));
        pieces.push({ in: "images", at: number });
      }
    }
    const refusal = message["refusal"];
    const saysNothing = parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text === ""));
    if (typeof refusal === "string" && refusal && saysNothing) {
      parts.push(text(refusal));
      pieces.push({ in: "refusal" });
    }
    const calls = message["tool_calls"];
    if (calls !== undefined && calls !== null) {
      if (!Array.isArray(calls)) throw bad(`${path}.tool_calls`, "a list", calls);
      const open: Open[] = [];
      calls.forEach((call, number) => {
        const madeUp = madeUpId(at, number);
        const part = toolCall(call, `${path}.tool_calls[${number}]`, madeUp);
        parts.push(part);
        if (part.callId === madeUp) open.push(part);
        pieces.push({ in: "call", at: number });
      });
      state.set("open", open);
    }
    const old = message["function_call"];
    if (isFields(old)) {
      parts.push({
        type: "toolCall",
        callId: oldId(string(old["name"]), state, true),
        name: string(old["name"]),
        arguments: string(old["arguments"]),
      });
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
    const images: unknown[] = [];
    const notes: string[] = [];
    pieces.forEach((piece, part) => {
      const edit = byNumber.get(part);
      if (piece.in === "function" || piece.in === "refusal") {
        const field = piece.in === "function" ? "function_call" : "refusal";
        if (!edit) changes[field] = undefined;
        else if (edit.to?.type === "arguments")
          changes[field] = copy(original[field] as Fields, { arguments: edit.to.arguments });
        else if (edit.to?.type === "text") changes[field] = edit.to.text;
      }
      if (piece.in === "reasoning") {
        if (edit?.to?.type === "text") changes[DETAILS] = undefined;
        if (!edit) for (const name of [...THOUGHTS, DETAILS]) changes[name] = undefined;
        else if (edit.to?.type === "text")
          changes[piece.field] =
            piece.field === DETAILS ? [{ type: "reasoning.text", text: edit.to.text }] : edit.to.text;
      }
      if (!edit) return;
      if (piece.in === "string" || piece.in === "result") {
        single =
          edit.to?.type === "text"
            ? edit.to.text
            : edit.to?.type === "content"
              ? (editedItems(content, edit.to.items, noted) ?? content)
              : content;
        if (edit.callId !== undefined && original["role"] === "tool") changes["tool_call_id"] = edit.callId;
      } else if (piece.in === "images") {
        if (edit.to?.type === "note") notes.push(edit.to.text);
        else images.push((original["images"] as unknown[])[piece.at]);
      } else if (piece.in === "content") {
        kept.push(editedContent((content as unknown[])[piece.at], edit));
      } else if (piece.in === "call") {
        calls.push(editedCall((original["tool_calls"] as Fields[])[piece.at]!, edit));
      }
    });
    if (Array.isArray(content)) kept.push(...notes.map(text));
    // A space or line break before a note would be a token that nobody counted.
    else if (notes.length > 0) single = string(single) + notes.join("");
    if (pieces.some((piece) => piece.in === "images")) changes["images"] = images.length > 0 ? images : undefined;
    if (single !== undefined) changes["content"] = single;
    else if (Array.isArray(content)) changes["content"] = kept.length > 0 ? kept : null;
    // Content that was absent stays absent.
    else if (content !== undefined) changes["content"] = null;
    if (Array.isArray(original["tool_calls"])) changes["tool_calls"] = calls.length > 0 ? calls : undefined;
    return copy(original, changes);
  },

  forModel: (message) =>
    message["role"] === "tool" ? fieldForModel(message, "content", () => ({ type: "text", text: NOTHING })) : message,

  tools: neutralTools,
};

/** The thoughts of a message, and their field. */
function thoughtOf(message: Fields): { text: string; field: string } | undefined {
  const field = THOUGHTS.find((name) => typeof message[name] === "string" && message[name] !== "");
  if (field !== undefined) return { text: string(message[field]), field };
  const details = message[DETAILS];
  const texts = (Array.isArray(details) ? details : []).flatMap((item: unknown) =>
    isFields(item) ? string(item["text"]) || string(item["summary"]) || [] : [],
  );
  return texts.length > 0 ? { text: texts.join("\n"), field: DETAILS } : undefined;
}

/** A call without id that waits for its result. */
type Open = { callId: string; name: string };

/** Some servers (Ollama) give calls no ids: results come in the order of the calls, and may say the tool's name. */
function answered(name: string, state: Map<string, unknown>): string {
  const open = (state.get("open") ?? []) as Open[];
  const found = open.find((call) => call.name === name) ?? open[0];
  state.set(
    "open",
    open.filter((call) => call !== found),
  );
  return found?.callId ?? "";
}

/**
 * The old form has no ids either: a function's result follows its call directly. Later calls of one name are numbered.
 */
function oldId(name: string, state: Map<string, unknown>, isCall: boolean): string {
  const key = `${OLD}${name}`;
  const before = (state.get(key) ?? 0) as number;
  const number = isCall ? before + 1 : before;
  state.set(key, number);
  return number > 1 ? `${key}#${number}` : key;
}

function toolCall(call: unknown, path: string, madeUp: string): Extract<Part, { type: "toolCall" }> {
  if (!isFields(call)) throw bad(path, "a tool call", call);
  const body = isFields(call["function"]) ? call["function"] : isFields(call["custom"]) ? call["custom"] : undefined;
  if (!body) throw bad(`${path}.function`, "an object with name and arguments", call["function"]);
  const input = body["arguments"] ?? body["input"] ?? "";
  return {
    type: "toolCall",
    callId: string(call["id"]) || madeUp,
    name: string(body["name"]),
    arguments: typeof input === "string" ? input : json(input),
  };
}

/** A text that replaces a part; a cache mark stays where it is. */
function noted(said: string, item: unknown): Fields {
  const marks = isFields(item)
    ? Object.fromEntries(
        ["cache_control", "copilot_cache_control"].flatMap((name) => (item[name] ? [[name, item[name]]] : [])),
      )
    : {};
  return { type: "text", text: said, ...marks };
}

function editedContent(item: unknown, edit: PartEdit): unknown {
  if (edit.to?.type === "note") return noted(edit.to.text, item);
  if (edit.to?.type !== "text") return item;
  if (isFields(item) && item["type"] === "document") return noted(edit.to.text, item);
  if (isFields(item) && item["type"] === "thinking")
    return copy(item, { thinking: Array.isArray(item["thinking"]) ? [text(edit.to.text)] : edit.to.text });
  return isFields(item)
    ? copy(item, { [item["type"] === "refusal" ? "refusal" : "text"]: edit.to.text })
    : edit.to.text;
}

function editedCall(call: Fields, edit: PartEdit): Fields {
  if (edit.callId !== undefined) return copy(call, { id: edit.callId });
  if (edit.to?.type !== "arguments") return call;
  return isFields(call["custom"])
    ? copy(call, { custom: copy(call["custom"], { input: edit.to.arguments }) })
    : copy(call, { function: withArguments(call["function"] as Fields, edit.to.arguments) });
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
    const read: [Part, Piece] = [contentPart(item, `${path}[${at}]`), { in: "content", at }];
    const marked = item["cache_control"] ?? item["copilot_cache_control"];
    return marked ? [read, [{ type: "cacheMark" }, { in: "mark" }]] : [read];
  });
}

function contentPart(item: Fields, path: string): Part {
  const { type } = item;
  if (type === "text" && typeof item["text"] === "string") return text(item["text"]);
  if (type === "refusal" && typeof item["refusal"] === "string") return text(item["refusal"]);
  if (type === "thinking") {
    // Cohere's thoughts are a text, Mistral's a list of texts and references.
    const { thinking } = item;
    const said = Array.isArray(thinking)
      ? thinking.map((part: unknown) => (isFields(part) ? string(part["text"]) || json(part) : json(part))).join("")
      : string(thinking);
    return signedThought(said, item["signature"]);
  }
  if (type === "image_url") {
    const from = item["image_url"];
    const url = isFields(from) ? from["url"] : from;
    const detail = isFields(from) ? from["detail"] : undefined;
    if (typeof url === "string") return image(url, undefined, typeof detail === "string" ? detail : undefined);
  }
  if (type === "file" && isFields(item["file"])) {
    return documentPart(item["file"]["file_data"]);
  }
  if (type === "input_audio" && isFields(item["input_audio"]))
    return audioPart(item["input_audio"]["data"], item["input_audio"]["format"]);
  if (type === "document" && isFields(item["document"])) {
    // A result of Cohere, which takes a text in its place, too.
    const { data } = item["document"];
    if (typeof data === "string" || isFields(data)) return text(typeof data === "string" ? data : json(data));
  }
  return unknownPart(item, path);
}
