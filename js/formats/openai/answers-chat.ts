/** Answers of chat completions: whole ones, and streams of chunks. */

import type { Finish, Warning } from "../../providers/types.ts";
import { badAnswer, eventFields, objects, place, string, toolCall } from "../../providers/wire.ts";
import type { Delta, Fold, Progress, Read, Refuse } from "../../providers/wire.ts";
import { chatReport } from "./usage.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  model_context_window_exceeded: "length",
};

export function readChat(body: unknown): Read {
  const choice = isFields(body) ? objects(body["choices"])[0] : undefined;
  if (!isFields(body) || !choice) throw badAnswer("answered without a choice");
  const message = choice["message"];
  if (!isFields(message)) throw badAnswer("answered with a choice that has no message");
  const warnings: Warning[] = [];
  const calls = objects(message["tool_calls"]).map((call) => {
    const made = isFields(call["function"]) ? call["function"] : isFields(call["custom"]) ? call["custom"] : {};
    // Ollama's own API sends arguments as an object.
    const args = made["arguments"] ?? made["input"] ?? "";
    return toolCall(
      string(call["id"]),
      string(made["name"]),
      typeof args === "string" ? args : JSON.stringify(args),
      warnings,
    );
  });
  const old = message["function_call"];
  if (isFields(old)) calls.push(toolCall("", string(old["name"]), string(old["arguments"]), warnings));
  const refusal = string(message["refusal"]);
  const text = textOf(message["content"]) || refusal;
  const reasoning = string(message["reasoning_content"]) || string(message["reasoning"]);
  const given = string(choice["finish_reason"]);
  const finish = refusal ? "refusal" : Object.hasOwn(FINISHES, given) ? FINISHES[given]! : "other";
  return {
    text,
    toolCalls: calls,
    ...(reasoning && { reasoning }),
    // Some servers report "stop" for calls.
    finish: finish === "stop" && calls.length > 0 ? "tool_calls" : finish,
    usage: chatReport(body),
    ...(typeof body["id"] === "string" && { id: body["id"] }),
    // The server would refuse an empty message when it is sent back.
    messages: text === "" && calls.length === 0 ? [] : [sent(message)],
    warnings,
  };
}

/** Returns a message as it is sent back: without fields that are null or an empty list. */
function sent(message: Fields): Fields {
  const isNone = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const content = message["content"] || null;
  return { ...Object.fromEntries(Object.entries(message).filter(([, value]) => !isNone(value))), content };
}

/** Returns the content as text; some servers send a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => string(part["text"]))
    .join("");
}

export function foldChat(refuse: Refuse): Fold {
  let head: Fields = {};
  let state: Progress = "begun";
  let finish: unknown = null;
  let usage: unknown;
  const fields: Fields = {};
  const texts = new Map<string, string[]>();
  const calls: (Fields & { pieces: string[] })[] = [];
  const add = (name: string, value: unknown) => {
    if (typeof value !== "string") return "";
    const pieces = texts.get(name);
    if (pieces) pieces.push(value);
    else texts.set(name, [value]);
    return value;
  };
  return {
    get state() {
      return state;
    },
    push(event) {
      if (event.data.trim() === "[DONE]") {
        // It only ends an answer that is complete: some proxies send it after a failure, too.
        state = state === "enough" ? "over" : state;
        return [];
      }
      const chunk = eventFields(event, refuse);
      const { choices, usage: _usage, ...rest } = chunk;
      head = { ...rest, ...head };
      usage = chatReport(chunk) ?? usage;
      // Only the first choice is read; a request must ask for further ones.
      const choice = objects(choices).find(({ index }) => index === undefined || index === 0);
      if (!choice) return [];
      if (choice["finish_reason"] !== undefined && choice["finish_reason"] !== null) {
        finish = choice["finish_reason"];
        state = "enough";
      }
      const delta = isFields(choice["delta"]) ? choice["delta"] : isFields(choice["message"]) ? choice["message"] : {};
      const {
        content,
        refusal,
        reasoning_content: thoughts,
        reasoning,
        tool_calls: called,
        function_call: old,
        role: _,
        ...others
      } = delta;
      for (const [name, value] of Object.entries(others))
        if (value !== undefined && value !== null) mergeInto(fields, name, value);
      for (const piece of objects(called)) addCall(calls, piece);
      if (isFields(old)) {
        add("name", old["name"]);
        add("arguments", old["arguments"]);
      }
      const out: Delta[] = [];
      const said =
        add("content", content === undefined || typeof content === "string" ? content : textOf(content)) +
        add("refusal", refusal);
      const thought = add("reasoning_content", thoughts) || add("reasoning", reasoning);
      if (thought) out.push({ type: "reasoning", text: thought });
      if (said) out.push({ type: "text", text: said });
      return out;
    },
    body() {
      const all = (name: string) => texts.get(name)?.join("");
      const refusal = all("refusal");
      const message = {
        role: "assistant",
        content: all("content") ?? null,
        ...(refusal && { refusal }),
        ...(texts.has("reasoning_content") && { reasoning_content: all("reasoning_content") }),
        ...(texts.has("reasoning") && { reasoning: all("reasoning") }),
        ...fields,
        // Holes are indices that never arrived.
        ...(calls.length > 0 && { tool_calls: calls.flatMap((call) => (call ? [wholeCall(call)] : [])) }),
        ...(texts.has("name") && { function_call: { name: all("name"), arguments: all("arguments") ?? "" } }),
      };
      return {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: finish }],
        ...(usage !== undefined && { usage }),
      };
    },
  };
}

function addCall(calls: (Fields & { pieces: string[] })[], piece: Fields): void {
  const { index, function: made, ...rest } = piece;
  // Servers that omit the index send whole calls, each with an id; without either, a piece continues the last call.
  const known = rest["id"] === undefined ? calls.length - 1 : calls.findIndex((call) => call?.["id"] === rest["id"]);
  const at = place(index, index === undefined && known >= 0 ? known : calls.length);
  const call = (calls[at] ??= { pieces: [] });
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== null && value !== "") call[name] = value;
  if (!isFields(made)) return;
  if (typeof made["name"] === "string" && made["name"] !== "") call["name"] = made["name"];
  const args = made["arguments"];
  if (args !== undefined && args !== null) call.pieces.push(typeof args === "string" ? args : JSON.stringify(args));
}

function wholeCall({ pieces, name, ...rest }: Fields & { pieces: string[] }): Fields {
  return { id: "", type: "function", ...rest, function: { name: name ?? "", arguments: pieces.join("") } };
}

/** Merges unknown fields (thought details, annotations): lists grow, other values are replaced. */
function mergeInto(fields: Fields, name: string, value: unknown): void {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (Array.isArray(before) && Array.isArray(value)) for (const item of value as unknown[]) before.push(item);
  // An assignment to a field called __proto__ would change the prototype.
  else Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}
