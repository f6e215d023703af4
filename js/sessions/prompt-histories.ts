/** Recognises files that contain only the user's inputs, over all sessions, or what a screen showed. */

import { fields, isFields, word } from "./draft.ts";
import type { Sample } from "./reader.ts";

/** Returns true if at least half of the first records have the fields, and the first one has all of them. */
function has(records: readonly unknown[], types: Readonly<Record<string, string>>): boolean {
  const fits = (record: unknown) =>
    isFields(record) && Object.entries(types).every(([name, type]) => typeof record[name] === type);
  const list = records.slice(0, 20);
  return list.length > 0 && list.filter(fits).length * 2 >= list.length;
}

export function codexPrompts({ shape, records }: Sample): string | undefined {
  if (shape === "text" || !has(records, { session_id: "string", ts: "number", text: "string" })) return undefined;
  return "is the history of prompts that Codex keeps over all sessions: it holds what was typed and no answers. The conversations are in ~/.codex/sessions, as rollout-*.jsonl.";
}

export function claudePrompts({ shape, records }: Sample): string | undefined {
  if (
    shape === "text" ||
    !has(records, { display: "string", timestamp: "number" }) ||
    !has(records, { project: "string" })
  )
    return undefined;
  return "is the history of prompts that Claude Code keeps over all sessions: it holds what was typed and no answers. The conversations are in ~/.claude/projects, as <session>.jsonl.";
}

export function geminiPrompts({ shape, records: [value] }: Sample): string | undefined {
  if (
    shape !== "value" ||
    !Array.isArray(value) ||
    !has(value as unknown[], { sessionId: "string", messageId: "number", message: "string" })
  )
    return undefined;
  return "is the log of prompts that gemini-cli keeps: it holds what was typed and no answers. The conversations are in the folder chats beside it, as session-*.json or session-*.jsonl.";
}

/** Source: src/kimi_cli/wire and src/kimi_cli/soul/context.py (MoonshotAI/kimi-cli). */
export function kimiScreen({ shape, records }: Sample): string | undefined {
  const isEvent = (record: unknown) => /^(Turn|Step)Begin$/.test(word(fields(fields(record)["message"])["type"]));
  if (shape === "text" || !records.some(isEvent)) return undefined;
  return "is what Kimi CLI showed on the screen. The conversation is in context.jsonl beside it.";
}
