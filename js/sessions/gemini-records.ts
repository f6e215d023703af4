/**
 * Converts records of gemini-cli's chats to contents of the Gemini API, by the tool's own rules for resuming. A record
 * of the type `gemini` is the model's turn and, if it holds results, the user's turn after it.
 */

import { fields, isFields, items, objects, text, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Usage } from "../types/cache.ts";

export const TYPES = new Set(["user", "gemini", "info", "error", "warning"]);

/** Texts with the role user that the tool writes: its context, notes to the model, the state of an editor. */
const INJECTED =
  /^\s*(<(session_context|hook_context|state_snapshot|system-reminder)>|This is (the )?(Gemini CLI|Qwen Code)\. We are setting up|System: |Here is (the user's editor context|a summary of changes))/;

/** Returns the contents of each record, in order. */
export function contentsOf(records: readonly Fields[]): Fields[][] {
  const found: Fields[][] = [];
  let answered = new Set<unknown>();
  // A result that the user's next turn also contains is a copy.
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at]!;
    found.push(contentOf(record, answered));
    if (record["type"] === "user") answered = new Set(partsOf(record["content"]).map(idOf));
    else if (record["type"] === "gemini") answered = new Set();
  }
  return found.reverse();
}

function contentOf(record: Fields, answered: ReadonlySet<unknown>): Fields[] {
  const { type, content, toolCalls } = record;
  const parts = partsOf(content);
  if (type === "user") return isCommand(record) ? [] : [{ role: "user", parts }];
  if (type !== "gemini") return [];
  const calls = objects(toolCalls);
  const said = content === "" ? [] : parts.filter((part) => part["thought"] !== true || "thoughtSignature" in part);
  const model = [...said, ...missingCalls(calls, parts)];
  const results: Fields[] = [];
  const seen = new Set(answered);
  for (const call of calls) {
    for (const part of resultOf(call)) {
      const id = idOf(part);
      // Each of several parallel calls may hold the results of all of them.
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      results.push(part);
    }
  }
  return [
    ...(model.length > 0 ? [{ role: "model", parts: model }] : []),
    ...(results.length > 0 ? [{ role: "user", parts: results }] : []),
  ];
}

/** Returns the calls that the content lacks. */
function missingCalls(calls: readonly Fields[], parts: readonly Fields[]): Fields[] {
  const held = new Map<string, number>();
  const change = (key: string, by: number) => held.set(key, (held.get(key) ?? 0) + by);
  const mark = ({ name, args }: Fields) => `${word(name)}:${JSON.stringify(args ?? {})}`;
  for (const { functionCall } of parts)
    if (isFields(functionCall)) change(text(functionCall["id"]) ?? mark(functionCall), 1);
  return calls.flatMap((call) => {
    const id = text(call["id"]);
    const key = [id, mark(call)].find((one) => one !== undefined && (held.get(one) ?? 0) > 0);
    if (key !== undefined) {
      change(key, -1);
      return [];
    }
    return [{ functionCall: { ...(id !== undefined && { id }), name: call["name"], args: call["args"] ?? {} } }];
  });
}

function resultOf({ id, name, result }: Fields): readonly Fields[] {
  if (typeof result === "string")
    return result === ""
      ? []
      : [{ functionResponse: { ...(typeof id === "string" && { id }), name, response: { output: result } } }];
  return isFields(result) || Array.isArray(result) ? partsOf(result) : [];
}

export function partsOf(content: unknown): Fields[] {
  if (typeof content === "string") return [{ text: content }];
  if (isFields(content)) return [content];
  return items(content).flatMap((part) => (typeof part === "string" ? [{ text: part }] : isFields(part) ? [part] : []));
}

function idOf(part: Fields): string | undefined {
  return text(fields(part["functionResponse"])["id"]);
}

function wordsOf(content: unknown): string {
  return partsOf(content)
    .map((part) => text(part["text"]) ?? "")
    .join("");
}

/** Returns true for commands of the user interface: they are recorded as texts of the user, and dropped on resuming. */
export function isCommand({ type, content }: Fields): boolean {
  return type === "user" && /^\s*[/?]/.test(wordsOf(content));
}

export function isInjected({ role, parts }: Fields): boolean {
  return role === "user" && INJECTED.test(wordsOf(parts));
}

/** `input` includes tokens from the cache; `output` excludes thoughts. */
export function usageFrom(tokens: Fields): Usage {
  const [input, cacheRead, output, reasoning] = ["input", "cached", "output", "thoughts"].map((name) =>
    typeof tokens[name] === "number" ? tokens[name] : 0,
  );
  return usageOf({
    input: input! - Math.min(input!, cacheRead!),
    cacheRead: Math.min(input!, cacheRead!),
    output: output! + reasoning!,
    reasoning,
  });
}
