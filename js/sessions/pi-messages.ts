/** Converts pi's messages to those of the Anthropic API, and back. */

import { fields, items, isFields, objects, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";

export interface Clean {
  role: "user" | "assistant";
  content: unknown;
}

interface Found {
  message?: Clean;
  injected?: boolean;
  skipped: { kind: string; why?: string };
}

/** Returns the message that the model receives for an entry. */
export function messageOf(data: Fields): Found {
  const { type } = data;
  const skipped = { kind: typeof type === "string" ? type : "a line without a type" };
  if (type === "branch_summary" && text(data["summary"]) !== undefined)
    return { message: { role: "user", content: data["summary"] }, injected: true, skipped };
  if (type === "custom_message")
    return { message: { role: "user", content: userContent(data["content"]) }, injected: true, skipped };
  if (type !== "message" || !isFields(data["message"])) return { skipped };
  return ofMessage(data["message"]);
}

function ofMessage(message: Fields): Found {
  const { role, content, summary } = message;
  const skipped = { kind: `message/${word(role).slice(0, 40)}` };
  if (role === "user") return { message: { role, content: userContent(content) }, skipped };
  if (role === "assistant") {
    const parts = answer(content, word(message["api"] ?? "").includes("anthropic"));
    const empty = {
      kind: "empty answer",
      why: "an answer that was stopped or failed before the model wrote anything",
    };
    return parts.length === 0 ? { skipped: empty } : { message: { role, content: parts }, skipped };
  }
  if (role === "toolResult") {
    const { toolCallId, isError } = message;
    const result = {
      type: "tool_result",
      tool_use_id: toolCallId,
      content: resultContent(content),
      ...(isError === true && { is_error: true }),
    };
    return typeof toolCallId === "string" ? { message: { role: "user", content: [result] }, skipped } : { skipped };
  }
  if (role === "bashExecution") {
    const left = { kind: "bashExecution", why: "a command that the user kept from the model" };
    return message["excludeFromContext"] === true
      ? { skipped: left }
      : { message: { role: "user", content: execution(message) }, injected: true, skipped };
  }
  if (role === "custom" || role === "hookMessage")
    return { message: { role: "user", content: userContent(content) }, injected: true, skipped };
  if ((role === "branchSummary" || role === "compactionSummary") && text(summary) !== undefined) {
    return { message: { role: "user", content: summary }, injected: true, skipped };
  }
  return { skipped };
}

/** Returns the text that the model sees for a command that the user ran with `!`. */
function execution({ command, output, exitCode, cancelled }: Fields): string {
  const shown = text(output) === undefined ? "(no output)" : `\`\`\`\n${word(output)}\n\`\`\``;
  const end =
    cancelled === true
      ? "\n\n(cancelled)"
      : typeof exitCode === "number" && exitCode !== 0
        ? `\n\nExit code ${exitCode}`
        : "";
  return `Ran \`${word(command)}\`\n${shown}${end}`;
}

function userContent(content: unknown): unknown {
  return Array.isArray(content) ? content.filter(isFields).map(part) : typeof content === "string" ? content : "";
}

function part(one: Fields): Fields {
  const { type, data, mimeType } = one;
  if (type === "text") return { type, text: word(one["text"] ?? "") };
  if (type !== "image" || typeof data !== "string") return one;
  // Oh My Pi keeps the bytes of attachments in files of their own, also of other media.
  if (data.startsWith("blob:")) return { type: "text", text: `[${word(mimeType)} in another file]` };
  return { type, source: { type: "base64", media_type: mimeType, data } };
}

/** Joins parts to one text if all of them are texts. */
function resultContent(content: unknown): unknown {
  if (typeof content === "string") return content;
  const list = objects(content);
  return list.every(({ type }) => type === "text")
    ? list.map((one) => word(one["text"] ?? "")).join("\n")
    : list.map(part);
}

/** Converts an answer. Anthropic would refuse signatures of other providers, so only its own are kept. */
function answer(content: unknown, isAnthropic: boolean): Fields[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  return objects(content).flatMap((one): Fields[] => {
    const { type, thinking, thinkingSignature: signature } = one;
    if (type === "text") return text(one["text"])?.trim() ? [{ type, text: one["text"] }] : [];
    if (type === "toolCall")
      return typeof one["id"] === "string"
        ? [{ type: "tool_use", id: one["id"], name: word(one["name"]), input: fields(one["arguments"]) }]
        : [];
    if (type !== "thinking") return [];
    if (one["redacted"] === true && typeof signature === "string")
      return [{ type: "redacted_thinking", data: signature }];
    if (isAnthropic && text(signature) !== undefined) return [{ type, thinking: word(thinking ?? ""), signature }];
    return text(thinking)?.trim() ? [{ type, thinking }] : [];
  });
}

/** Returns the id of the call that the first of the results answers. */
export function ownerOf(results: readonly Fields[]): string {
  return word(results[0]?.["tool_use_id"]);
}

/** Returns the names of the tools by the ids of their calls. */
export function toolNames(messages: readonly unknown[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const { type, id, name } of objects(fields(message)["content"]))
      if (type === "tool_use") names.set(word(id), word(name));
  }
  return names;
}

/** Returns pi's messages for one message: in pi a result is a separate message. */
export function messagesFor(message: unknown, names: ReadonlyMap<string, string>): Fields[] {
  const { role, content } = fields(message);
  if (role === "assistant") return [{ role, content: blocks(content).map(back) }];
  if (typeof content === "string") return [{ role: "user", content }];
  const rest = objects(content).filter(({ type }) => type !== "tool_result");
  const results = objects(content)
    .filter(({ type }) => type === "tool_result")
    .map((one) => ({
      role: "toolResult",
      toolCallId: one["tool_use_id"],
      toolName: names.get(word(one["tool_use_id"])) ?? "",
      content: blocks(one["content"]).map(back),
      isError: one["is_error"] === true,
    }));
  return [...results, ...(rest.length === 0 && results.length > 0 ? [] : [{ role: "user", content: rest.map(back) }])];
}

function blocks(content: unknown): readonly Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : items(content).filter(isFields);
}

function back(one: Fields): Fields {
  const { type, source, signature } = one;
  if (type === "text") return { type, text: one["text"] };
  if (type === "tool_use") return { type: "toolCall", id: one["id"], name: one["name"], arguments: one["input"] };
  if (type === "thinking")
    return { type, thinking: one["thinking"], ...(signature !== undefined && { thinkingSignature: signature }) };
  if (type === "redacted_thinking")
    return { type: "thinking", thinking: "", thinkingSignature: one["data"], redacted: true };
  const { media_type: mimeType, data } = fields(source);
  if (type === "image" && typeof data === "string") return { type, data, mimeType };
  // pi has no other parts, and would fail on one.
  return { type: "text", text: `[${word(type)}]` };
}
