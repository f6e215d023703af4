/**
 * Writes Codex rollouts. Kept items keep their original lines; token counts after the first change are dropped, since
 * Codex takes the newest one as the size of the resumed context.
 */

import { isItem } from "./codex-items.ts";
import { fields, isFields, number } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { parsedLine, plan } from "./rewrite.ts";
import type { Session } from "./types.ts";

export function writeCodex(original: string, session: Session, messages: readonly unknown[]): string {
  const source = original.split("\n");
  const tail = source.at(-1) === "" ? source.splice(-1) : [];
  const records = source.map(parsedLine);
  const { kept, inserted, from } = plan(session, messages);
  const context = from > 0 ? session.compactions.at(-1)!.place : 0;
  const first = records.findIndex((record) => record !== undefined && isConversation(record));
  const written: string[] = [];
  let [ordinal, isChanged] = [-1, false];
  const write = (line: string, record: Fields | undefined) => {
    const old = number(record?.["ordinal"]);
    const next = old === undefined || old > ordinal ? old : ordinal + 1;
    if (next !== undefined) ordinal = next;
    written.push(next === old ? line : JSON.stringify({ ...record, ordinal: next }));
  };
  const add = (place: number) => {
    const near = records[Math.min(place, source.length) - 1];
    for (const message of inserted.get(place) ?? []) {
      isChanged = true;
      const record = lineOf(message, near ?? records[first] ?? records[0] ?? {}, ordinal);
      write(JSON.stringify(record), record);
    }
  };
  source.forEach((line, at) => {
    const [place, record] = [at + 1, records[at]];
    if (at === Math.max(first, 0)) add(0);
    const isStale = isChanged && fields(record?.["payload"])["type"] === "token_count";
    if (record && place > context && !kept.has(place) && (isStale || isConversation(record))) isChanged = true;
    else write(line, record);
    add(place);
  });
  if (from > source.length) add(from);
  if (source.length === 0) add(0);
  return [...written, ...tail].join("\n");
}

/** Returns true for lines of the context, which are written anew. */
function isConversation(record: Fields): boolean {
  const { type, payload } = record;
  if (!isFields(payload)) return isItem(record);
  if (type === "response_item") return isItem(payload);
  return type === "compacted" || (type === "event_msg" && payload["type"] === "thread_rolled_back");
}

/** Makes a line like its neighbour's, in the form that Codex can parse: contents are lists. */
function lineOf(message: unknown, near: Fields, ordinal: number): Fields {
  const given = fields(message);
  const { role, content } = given;
  const kind = role === "assistant" ? "output_text" : "input_text";
  const item =
    typeof role !== "string"
      ? given
      : {
          ...given,
          type: "message",
          content: typeof content === "string" ? [{ type: kind, text: content }] : content,
        };
  if (!isFields(near["payload"])) return item;
  const { timestamp } = near;
  return {
    ...(timestamp !== undefined && { timestamp }),
    ...(ordinal >= 0 && { ordinal }),
    type: "response_item",
    payload: item,
  };
}
