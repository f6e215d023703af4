/**
 * Conversations as turns: what every format can hold, said by one speaker at a time, each tool result in a turn right
 * behind its call. Every format writes turns in one way, whether they become a request, another format's messages, or
 * what the core inserts.
 */

import type { NeutralMessage, Part, ToolResultPart } from "../types/messages.ts";
import { append } from "./append.ts";
import { mediaOf } from "./media.ts";

export interface Turn {
  role: "system" | "user" | "assistant" | "tool";
  /** Tells participants of one role apart. */
  name?: string;
  /** Texts, pictures, documents and calls; results alone in a turn of tools. Nothing in it is empty or lacks its data. */
  parts: Part[];
  /** True if a cache mark is in it. */
  isMarked: boolean;
  /** Id of the message that the turn begins with. */
  id: string;
}

/** Reports a part that cannot be written, and why. */
export type ReportLoss = (part: Part, id: string, why: string) => void;

/** How turns are written. */
export interface Writing {
  /** The host's messages, whose classes and shape new ones take. */
  list: readonly unknown[];
  /** Turns the id of a call into one that the provider takes. */
  id(callId: string): string;
  lost: ReportLoss;
}

/** What can write turns. */
export interface TurnWriter {
  /** Returns the host's messages for a turn. */
  write(turn: Turn, how: Writing): unknown[];
}

/** Writes neutral messages that no host has yet. Ids stay as they are unless `how` changes them. */
export function written(
  format: TurnWriter,
  messages: readonly NeutralMessage[],
  { list = [], id = (callId) => callId, lost = () => {} }: Partial<Writing> = {},
): unknown[] {
  return turnsOf(messages, lost).flatMap((turn) => format.write(turn, { list, id, lost }));
}

/** Takes messages apart into turns, and reports what no other provider understands. */
export function turnsOf(messages: readonly NeutralMessage[], lost: ReportLoss): Turn[] {
  const names = new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "toolCall" ? [[part.callId, part.name] as const] : [])),
    ),
  );
  const out: Turn[] = [];
  for (const { id, role, name, parts } of messages) {
    const speaker = role === "assistant" ? "assistant" : role === "system" || role === "developer" ? "system" : "user";
    const isMarked = parts.some(({ type }) => type === "cacheMark");
    let said: Part[] = [];
    let results: Part[] = [];
    const flush = () => {
      const own: Turn[] =
        said.length > 0 ? [{ role: speaker, ...(name !== undefined && { name }), parts: said, isMarked, id }] : [];
      const answers: Turn[] = results.length > 0 ? [{ role: "tool", parts: results, isMarked, id }] : [];
      // A user's message answers the calls before it; the model's holds the results of its own calls (UI messages of
      // the AI SDK).
      for (const turn of speaker === "assistant" ? [...own, ...answers] : [...answers, ...own]) add(out, turn);
      said = [];
      results = [];
    };
    for (const part of parts) {
      if (part.type === "toolResult") {
        const tool = part.name || names.get(part.callId);
        const content = part.content.flatMap((held) => writable(held, id, lost));
        results.push({ ...part, ...(tool !== undefined && { name: tool }), content });
        continue;
      }
      const made = part.type === "toolCall" ? [part] : writable(part, id, lost);
      if (speaker === "assistant" && results.length > 0 && made.some(({ type }) => type !== "toolCall")) flush();
      append(said, made);
    }
    flush();
  }
  return out;
}

/** Adds a turn. Formats whose calls and results are items of their own hold in several what is one turn elsewhere. */
function add(out: Turn[], turn: Turn): void {
  const before = out.at(-1);
  const hasCalls = ({ role, parts }: Turn) => role === "assistant" && parts.some(({ type }) => type === "toolCall");
  if (before?.role !== turn.role || !(turn.role === "tool" || hasCalls(before) || hasCalls(turn))) {
    out.push(turn);
    return;
  }
  append(before.parts, turn.parts);
  before.isMarked ||= turn.isMarked;
}

/** Texts, pictures and documents; anything else is reported as lost. */
function writable(part: Part, id: string, lost: ReportLoss): Part[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [part];
    case "image":
    case "document":
      if (mediaOf(part)) return [part];
      lost(part, id, "its data is not at hand");
      return [];
    case "reasoning":
      lost(part, id, "thoughts belong to the model that had them");
      return [];
    case "opaque": {
      const summary = compaction(part.json);
      if (summary !== undefined) return [{ type: "text", text: summary }];
      lost(part, id, `only the provider it came from understands it: ${part.json.slice(0, 80)}`);
      return [];
    }
    default:
      return [];
  }
}

/** The text of a summary that Anthropic's server made of what came before: every model understands it. */
function compaction(json: string): string | undefined {
  if (!json.includes('"type":"compaction"')) return undefined;
  try {
    const { type, content } = JSON.parse(json) as { type?: unknown; content?: unknown };
    return type === "compaction" && typeof content === "string" && content.trim() !== "" ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The system prompt's turns, which come first, and the others: for requests that hold the system prompt apart. */
export function systemApart(turns: readonly Turn[]): { system: Turn[]; rest: Turn[] } {
  const first = turns.findIndex(({ role }) => role !== "system");
  const end = first < 0 ? turns.length : first;
  return { system: turns.slice(0, end), rest: turns.slice(end) };
}

/** The results of a turn of tools. */
export function resultsOf({ parts }: Turn): ToolResultPart[] {
  return parts.filter((part) => part.type === "toolResult");
}

/** The parts that are no text, all of them reported as lost. */
export function loseMedia(parts: readonly Part[], { id }: Turn, lost: ReportLoss): void {
  for (const part of parts)
    if (part.type === "image" || part.type === "document") lost(part, id, "only users show pictures in this format");
}

/** A message of a role whose items are in a list. */
export interface Spoken<Role, Item> {
  role: Role;
  items: Item[];
}

/**
 * Joins neighbours of one role, and puts tool results in front: providers refuse a message that answers calls further
 * down.
 */
export function joined<Role, Item>(
  messages: readonly Spoken<Role, Item>[],
  isResult: (item: Item) => boolean,
): Spoken<Role, Item>[] {
  const out: Spoken<Role, Item>[] = [];
  for (const { role, items } of messages) {
    const before = out.at(-1);
    if (items.length === 0) continue;
    if (before?.role === role) append(before.items, items);
    else out.push({ role, items: [...items] });
  }
  return out.map(({ role, items }) => ({ role, items: resultsFirst(items, isResult) }));
}

export function resultsFirst<Item>(items: readonly Item[], isResult: (item: Item) => boolean): Item[] {
  return [...items.filter(isResult), ...items.filter((item) => !isResult(item))];
}

/** Makes ids that a provider takes: good ones stay, others are numbered, a call and its result alike. */
export function idsFor({ ids }: { ids?: IdRule }): (id: string) => string {
  if (!ids) return (id) => id;
  const { pattern, prefix } = ids;
  const known = new Map<string, string>();
  let count = 0;
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // Ids that the adapters made up for calls without one mean nothing to anybody else.
    const fresh = pattern.test(id) && !/^(call|orphan|function):/.test(id) ? id : `${prefix}${++count}`;
    known.set(id, fresh);
    return fresh;
  };
}

/** The ids that a provider takes, and how others begin. */
export interface IdRule {
  pattern: RegExp;
  prefix: string;
}
