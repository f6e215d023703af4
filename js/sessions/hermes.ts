/**
 * Hermes: `hermes sessions export FILE.jsonl`, one session a line with the rows of its messages, and the snapshots
 * `~/.hermes/sessions/session_*.json`. A lineage that was exported as one session has all rows in `messages`, and in
 * `segments` those between two compressions; the newest segment is what the model has.
 *
 * Source: hermes_state_portability.py, hermes_state_messages.py and `_save_session_log` (NousResearch/hermes-agent).
 */

import { chatMessage } from "./chat-record.ts";
import { Draft, fields, isFields, items, objects, text, timeOf, withMessages, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const hermes: Reader = {
  layout: "hermes",
  tool: "Hermes",
  shapes: ["lines", "value"],
  marks: ["session_id", "source", "started_at", "session_start", "message_count", "platform", "messages"],
  recognise,
  read: () => new Hermes(),
};

function recognise({ records }: Sample): Match | undefined {
  const own = records.flatMap((record) => (Array.isArray(record) ? record : [record])).filter(isSession);
  if (own.length === 0) return undefined;
  return { count: own.length, evidence: "messages below session_start and platform, or below source and started_at" };
}

function isSession(record: unknown): record is Fields {
  if (!isFields(record) || !Array.isArray(record["messages"])) return false;
  const { session_id: snapshot, session_start: start, id, source, started_at: started } = record;
  const isSnapshot = typeof snapshot === "string" && typeof start === "string" && "platform" in record;
  return isSnapshot || (typeof id === "string" && typeof source === "string" && started !== undefined);
}

class Hermes implements Reading {
  readonly #drafts: Draft[] = [];

  add(record: unknown, place: number): void {
    const list = Array.isArray(record) ? record : [record];
    for (const one of list) if (isSession(one)) this.#session(one, place);
  }

  #session(session: Fields, place: number): void {
    const draft = new Draft("openai-chat");
    this.#drafts.push(draft);
    const { session_id: snapshot, id = snapshot, title, cwd, model, system_prompt: system, tools, segments } = session;
    draft.label = text(title) ?? text(id) ?? "";
    draft.tell({
      id: text(id),
      title: text(title),
      cwd: text(cwd),
      model: text(model),
      ...(objects(tools).length > 0 && { tools: [...objects(tools)] }),
    });
    if (text(system) !== undefined) draft.push({ role: "system", content: system }, place);
    const newest = objects(segments).at(-1) ?? session;
    for (const _ of objects(segments).slice(0, -1)) draft.skip("segment", "a compression has replaced its messages");
    items(newest["messages"]).forEach((row, at) => this.#message(draft, fields(row), place === 0 ? at : place));
  }

  #message(draft: Draft, row: Fields, place: number): void {
    if (row["active"] === 0) return draft.skip("inactive message", "rewound, or replaced by a compression");
    // What was sent of a request, with memories and contents of the tool.
    const content = row["role"] === "user" ? (text(row["api_content"]) ?? row["content"]) : row["content"];
    const message = chatMessage({ ...row, content });
    if (!message) return draft.skip(`role ${word(row["role"]).slice(0, 40)}`);
    const [id, time] = [row["id"], timeOf(row["timestamp"])];
    draft.push(message, place, {
      ...((typeof id === "string" || typeof id === "number") && { id: String(id) }),
      ...(time !== undefined && { time }),
      ...(row["_compressed_summary"] === 1 && { injected: true as const }),
    });
  }

  end(): Draft | Draft[] {
    return withMessages(this.#drafts) ?? new Draft("openai-chat");
  }
}
