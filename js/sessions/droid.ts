/**
 * Factory's droid: `~/.factory/sessions/<folder>/<session>.jsonl`. The first line is of the type `session_start`; lines
 * of the type `message` hold messages of the Anthropic API. A line of the type `compaction_state` holds a summary and
 * the last message that it covers. The output of `droid exec` has lines of its own.
 */

import { blocksOf } from "./anthropic-blocks.ts";
import { DroidStream, recogniseStream } from "./droid-stream.ts";
import { Draft, fields, isFields, number, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const droid: Reader = {
  layout: "droid",
  tool: "Factory droid",
  shapes: ["lines"],
  marks: ["type", "id", "timestamp", "message"],
  recognise: (sample) => recognise(sample) ?? recogniseStream(sample),
  read: (sample, { keepsHistory }) => (recognise(sample) ? new Droid(keepsHistory) : streamed(sample, keepsHistory)),
};

const OTHERS = new Set([
  "session_start",
  "session_end",
  "todo_state",
  "session_settings",
  "agent_turn_outcome",
  "compaction_state",
]);
/** A reminder in a text; its end may be cut off. */
const REMINDER = /<system-(reminder|notification)>[^]*?(<\/system-\1>|$)/g;
const FOREIGN = ["uuid", "sessionId", "session_id"];

function recognise({ records }: Sample): Match | undefined {
  let [count, messages, own] = [0, 0, 0];
  for (const record of records) {
    // This is a header of pi, whose messages look alike.
    if (!isFields(record) || FOREIGN.some((name) => name in record)) continue;
    if (record["type"] === "session") return undefined;
    if (isMessage(record)) {
      messages += 1;
      own += blocksOf(fields(record["message"])["content"]).some(
        ({ type }) => type === "tool_use" || type === "tool_result",
      )
        ? 1
        : 0;
    } else if (OTHERS.has(word(record["type"]))) own += 1;
    else continue;
    count += 1;
  }
  return messages === 0 || own === 0
    ? undefined
    : { count, evidence: `${messages} lines of the type message with an Anthropic message` };
}

function isMessage({ type, message }: Fields): boolean {
  return (
    type === "message" &&
    isFields(message) &&
    (message["role"] === "user" || message["role"] === "assistant") &&
    "content" in message
  );
}

function streamed(sample: Sample, keepsHistory: boolean): Reading {
  return recogniseStream(sample) ? new DroidStream(keepsHistory) : new Droid(keepsHistory);
}

class Droid implements Reading {
  readonly #draft: Draft;
  readonly #ids = new Set<string>();

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return this.#draft.skip("a value that is not an object");
    const { type } = record;
    if (type === "session_start") {
      const { id, title, sessionTitle, cwd, version } = record;
      const form = typeof version === "number" ? String(version) : text(version);
      return this.#draft.tell({
        id: text(id),
        title: text(sessionTitle) ?? text(title),
        cwd: text(cwd),
        version: form,
      });
    }
    if (type === "compaction_state") return this.#compact(record, place);
    if (!isMessage(record)) return this.#draft.skip(text(type) ?? "a line without a type");
    const id = text(record["id"]);
    if (id !== undefined && this.#ids.has(id))
      return this.#draft.skip("repeated line", "a line with the same id came before");
    if (id !== undefined) this.#ids.add(id);
    this.#message(fields(record["message"]), place, id, timeOf(record["timestamp"]));
  }

  #message({ role, content }: Fields, place: number, id: string | undefined, time: number | undefined): void {
    const blocks = blocksOf(content);
    if (blocks.length === 0) return this.#draft.skip("a message without content");
    // The user's first text may follow a reminder in the same block.
    const isWritten = ({ type, text: words }: Fields) =>
      type === "text" && text(words) !== undefined && word(words).replace(REMINDER, "").trim() === "";
    const isReminder = role === "user" && blocks.every(isWritten);
    this.#draft.push({ role, content: typeof content === "string" ? content : blocks }, place, {
      ...(time !== undefined && { time }),
      ...(id !== undefined && { id }),
      ...(isReminder && { injected: true }),
    });
  }

  #compact(record: Fields, place: number): void {
    const { messages, entries } = this.#draft;
    const summary = text(record["summaryText"]) ?? text(record["summary"]);
    if (summary === undefined) return this.#draft.skip("compaction_state", "it holds no summary");
    const anchor = text(fields(record["anchorMessage"])["id"]);
    const at = anchor === undefined ? -1 : entries.findLastIndex(({ id }) => id === anchor);
    // The anchor is the last removed message, unless the number of removed messages shows that it is the first kept
    // one.
    const kept = at < 0 ? messages.length : number(record["removedCount"]) === at ? at : at + 1;
    this.#draft.compact(place, [{ role: "user", content: summary }, ...messages.slice(kept)], { summary });
  }

  end(): Draft {
    return this.#draft;
  }
}
