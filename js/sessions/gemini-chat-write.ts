/**
 * Writes gemini-cli's chats. A record stays unchanged if all its turns stay; otherwise it is rebuilt from the turns,
 * such that it reads as exactly these turns.
 */

import { fields, isFields, objects, text } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { GeminiChat, isHeader } from "./gemini-chat-log.ts";
import { contentsOf, partsOf } from "./gemini-records.ts";
import { idFrom } from "./names.ts";
import { parsedLine } from "./rewrite.ts";
import type { Session } from "./types.ts";

type Live = ReturnType<GeminiChat["live"]>[number];
/** A record of the new file: an old or a new one. */
type Out = { old: Live } | { fresh: Fields };
/** A piece of the old file, in order: a record by its key, or other content that stays. */
interface Old<T> {
  key?: string;
  value: T;
}

export function writeGeminiChat(original: string, session: Session, messages: readonly unknown[]): string {
  const value = parsedLine(original);
  const chat = new GeminiChat(true);
  if (value && Array.isArray(value["messages"])) {
    chat.add(value, 0);
    const outs = recordsOf(chat.live(), session, messages, new Set());
    const old = objects(value["messages"]).map((record, at): Old<Fields> => {
      const key = text(record["id"]) ?? `#${at}`;
      return chat.epoch.entries.has(key) && contentsOf([record]).flat().length > 0
        ? { key, value: record }
        : { value: record };
    });
    const written = { ...value, messages: merge(old, outs, (out) => ("old" in out ? out.old.record : out.fresh)) };
    return JSON.stringify(written, undefined, /^\s*\{\r?\n([ \t]+)"/.exec(original)?.[1]);
  }
  const lines = original.split("\n");
  const tail = lines.at(-1) === "" ? lines.splice(-1) : [];
  const records = lines.map(parsedLine);
  records.forEach((record, at) => record && chat.add(record, at + 1));
  const { epoch } = chat;
  const context = session.compactions.at(-1)?.context;
  // The context of a compression stays in its line, unless later lines changed it.
  const keeps = context !== undefined && !epoch.isPatched && context.every((message, at) => messages[at] === message);
  const from = keeps ? epoch.place : records.findIndex((record) => record !== undefined && isHeader(record)) + 1;
  const live = chat.live();
  const ids = new Set(records.flatMap((record) => text(record?.["id"]) ?? []));
  const rest = live.filter(({ isContext }) => !(keeps && isContext));
  const outs = recordsOf(
    rest,
    { ...session, messages: keeps ? session.messages.slice(context.length) : session.messages },
    messages.slice(keeps ? context.length : 0),
    ids,
  );
  const first = new Map(rest.map(({ key, places }) => [places.find((place) => place > from), key]));
  const kept = new Set(rest.map(({ key }) => key));
  const old = lines.slice(from).flatMap((line, at): Old<string>[] => {
    const [place, record] = [from + at + 1, records[from + at]];
    const key = first.get(place);
    if (key !== undefined) return [{ key, value: line }];
    if (!record) return [{ value: line }];
    if (typeof record["$rewindTo"] === "string") return [];
    if (isFields(record["$set"]) && "messages" in record["$set"]) {
      const { messages: _, ...others } = record["$set"];
      return Object.keys(others).length > 0 ? [{ value: JSON.stringify({ ...record, $set: others }) }] : [];
    }
    // Older versions of records, and removed records.
    const id = text(record["id"]);
    if (id !== undefined && (kept.has(id) || contentsOf([record]).flat().length > 0))
      return keeps && epoch.context.has(id) ? [{ value: line }] : [];
    return [{ value: line }];
  });
  const write = (out: Out) =>
    "fresh" in out
      ? JSON.stringify(out.fresh)
      : out.old.line === undefined
        ? JSON.stringify(out.old.record)
        : lines[out.old.line - 1]!;
  return [...lines.slice(0, from), ...merge(old, outs, write), ...tail].join("\n");
}

/** Places the records of the new file between the kept pieces of the old one. */
function merge<T>(old: readonly Old<T>[], outs: readonly Out[], write: (out: Out) => T): T[] {
  const at = new Map(old.map(({ key }, index) => [key, index]));
  const merged: T[] = [];
  let next = 0;
  const others = (end: number) => {
    for (; next < end; next++) if (old[next]!.key === undefined) merged.push(old[next]!.value);
  };
  for (const out of outs) {
    const index = "old" in out ? at.get(out.old.key) : undefined;
    if (index !== undefined && index >= next) {
      others(index);
      next = index + 1;
    }
    merged.push(write(out));
  }
  others(old.length);
  return merged;
}

/** Returns records that read as these messages. Messages of the session are recognised by identity. */
function recordsOf(live: readonly Live[], session: Session, messages: readonly unknown[], taken: Set<string>): Out[] {
  const origins = new Map<unknown, { entry: Live; turns: unknown[] }>();
  let at = 0;
  for (const entry of live) {
    const turns = session.messages.slice(at, at + entry.contents.length);
    for (const turn of turns) origins.set(turn, { entry, turns });
    at += entry.contents.length;
    taken.add(entry.key);
  }
  const outs: (Out & { turns: readonly unknown[] })[] = [];
  const used = new Set<Live>();
  const fresh = (turn: unknown, next: unknown, near: Fields, number: string) => {
    const { record, count } = freshRecord(fields(turn), fields(next), near);
    let id = idFrom(`${session.id ?? ""}:${number}`);
    while (taken.has(id)) id = idFrom(`${id}:`);
    taken.add(id);
    return { fresh: { id, ...record }, count };
  };
  let near: Fields = live[0]?.record ?? {};
  for (let index = 0; index < messages.length; ) {
    const origin = origins.get(messages[index]);
    if (origin && !used.has(origin.entry) && origin.turns.every((turn, offset) => messages[index + offset] === turn)) {
      outs.push({ old: origin.entry, turns: origin.turns });
      used.add(origin.entry);
      near = origin.entry.record;
      index += origin.turns.length;
      continue;
    }
    near = origin?.entry.record ?? near;
    const { count, ...out } = fresh(messages[index], messages[index + 1], near, `${index}`);
    outs.push({ ...out, turns: messages.slice(index, index + count) });
    index += count;
  }
  // Results may be copies of those in the next turn: such a record is split if it would read differently.
  const contents = contentsOf(outs.map((out) => ("old" in out ? out.old.record : out.fresh)));
  return outs.flatMap((out, at): Out[] => {
    if (JSON.stringify(contents[at]) === JSON.stringify(out.turns)) return [out];
    const near = "old" in out ? out.old.record : out.fresh;
    return out.turns.map((turn, number) => ({ fresh: fresh(turn, undefined, near, `${at}.${number}`).fresh }));
  });
}

/** Makes a record for a turn; for a turn of the model with its results if one record can hold both. */
function freshRecord(turn: Fields, next: Fields, near: Fields): { record: Fields; count: number } {
  const { timestamp } = near;
  const time = timestamp !== undefined && { timestamp };
  if (turn["role"] !== "model") return { record: { ...time, type: "user", content: turn["parts"] }, count: 1 };
  const parts = partsOf(turn["parts"]);
  const model = text(near["model"]);
  const base = { ...time, type: "gemini", ...(model !== undefined && { model }) };
  const calls = parts.flatMap(({ functionCall }) =>
    isFields(functionCall) && typeof functionCall["id"] === "string" ? [functionCall] : [],
  );
  const results = next["role"] === "user" ? partsOf(next["parts"]) : [];
  const toolCalls = (holds: boolean) =>
    calls.map(({ id, name, args }) => {
      const result = holds ? results.filter(({ functionResponse }) => fields(functionResponse)["id"] === id) : [];
      return { id, name, args, status: "success", ...time, ...(result.length > 0 && { result }) };
    });
  const others = parts.filter(({ functionCall }) => functionCall === undefined);
  const [only] = others;
  const words =
    others.length === 0
      ? ""
      : others.length === 1 && typeof only!["text"] === "string" && Object.keys(only!).length === 1
        ? only!["text"]
        : others;
  const forms = (holds: boolean) => [
    { ...base, content: words, toolCalls: toolCalls(holds) },
    { ...base, content: parts, toolCalls: toolCalls(holds) },
  ];
  const reads = (wanted: unknown) => (record: Fields) =>
    JSON.stringify(contentsOf([record])[0]) === JSON.stringify(wanted);
  const both = calls.length > 0 ? forms(true).find(reads([turn, next])) : undefined;
  if (both) return { record: both, count: 2 };
  const record = (calls.length > 0 ? forms(false).find(reads([turn])) : undefined) ?? { ...base, content: parts };
  return { record, count: 1 };
}
