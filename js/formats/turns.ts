/**
 * Conversations as turns, which every format can hold. A turn has one role, and each tool result is in a turn directly
 * after its call. Every format writes turns in one way, whether they become a request, another format's messages, or
 * messages that the core inserts.
 */

import type { NeutralMessage, Part, ToolResultPart } from "../types/messages.ts";
import { append } from "./append.ts";
import { mediaOf } from "./media.ts";

export interface Turn {
  role: "system" | "user" | "assistant" | "tool";
  /** Distinguishes participants with the same role. */
  name?: string;
  /** Texts, images, documents and calls; in a turn of tools only results. No part is empty or lacks its data. */
  parts: Part[];
  /** Whether it has a cache mark. */
  isMarked: boolean;
  /** Id of the message at the start of the turn. */
  id: string;
}

/** Reports a part that cannot be written, and why. */
export type ReportLoss = (part: Part, id: string, why: string) => void;

/** Options for writing turns. */
export interface Writing {
  /** The host's messages. New messages take their classes and shape. */
  list: readonly unknown[];
  /** Converts the id of a call into one that the provider accepts. */
  id(callId: string): string;
  lost: ReportLoss;
}

/** A format that can write turns. */
export interface TurnWriter {
  /** Returns the messages of a turn in the format. */
  write(turn: Turn, how: Writing): unknown[];
}

/** Writes neutral messages that are new to the host. Ids stay the same unless `how` changes them. */
export function written(
  format: TurnWriter,
  messages: readonly NeutralMessage[],
  { list = [], id = (callId) => callId, lost = () => {} }: Partial<Writing> = {},
): unknown[] {
  return turnsOf(messages, lost).flatMap((turn) => format.write(turn, { list, id, lost }));
}

/** Splits messages into turns, and reports parts that no other provider understands. */
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
      // The results in a user's message answer earlier calls. Those in an assistant message answer its own calls (UI
      // messages of the AI SDK).
      for (const turn of speaker === "assistant" ? [...own, ...answers] : [...answers, ...own]) add(out, turn);
      said = [];
      results = [];
    };
    for (const part of parts) {
      if (part.type === "boundary") {
        flush();
        continue;
      }
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

/**
 * Adds a turn, or joins it to the last one: formats with separate items for calls and results split one turn into
 * several.
 */
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

/** Returns a text, image or document as it is, and reports any other part as lost. */
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

/** Returns the text of a summary by Anthropic's server, which every model understands. */
function compaction(json: string): string | undefined {
  if (!json.includes('"type":"compaction"')) return undefined;
  try {
    const { type, content } = JSON.parse(json) as { type?: unknown; content?: unknown };
    return type === "compaction" && typeof content === "string" && content.trim() !== "" ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Splits off the turns of the system prompt, which come first, for requests that hold it outside the messages. */
export function systemApart(turns: readonly Turn[]): { system: Turn[]; rest: Turn[] } {
  const first = turns.findIndex(({ role }) => role !== "system");
  const end = first < 0 ? turns.length : first;
  return { system: turns.slice(0, end), rest: turns.slice(end) };
}

/** Returns the results of a turn of tools. */
export function resultsOf({ parts }: Turn): ToolResultPart[] {
  return parts.filter((part) => part.type === "toolResult");
}

/** Reports all images and documents as lost. */
export function loseMedia(parts: readonly Part[], { id }: Turn, lost: ReportLoss): void {
  for (const part of parts)
    if (part.type === "image" || part.type === "document") lost(part, id, "only users show pictures in this format");
}

/** A message with its items in a list. */
export interface Spoken<Role, Item> {
  role: Role;
  items: Item[];
}

/**
 * Joins adjacent messages of one role and moves tool results to the front: providers refuse results that come after
 * other items.
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

/** Returns a function that converts ids. Valid ids stay, others get a number, the same for a call and its result. */
export function idsFor({ ids }: { ids?: IdRule }): (id: string) => string {
  if (!ids) return (id) => id;
  const { pattern, prefix } = ids;
  const known = new Map<string, string>();
  let count = 0;
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // Ids that adapters made up for calls without one mean nothing to other systems.
    const fresh = pattern.test(id) && !/^(call|orphan|function):/.test(id) ? id : `${prefix}${++count}`;
    known.set(id, fresh);
    return fresh;
  };
}

/** The ids that a provider accepts, and the prefix of new ids. */
export interface IdRule {
  pattern: RegExp;
  prefix: string;
}
