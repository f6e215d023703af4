/**
 * The messages of a history in the form that a prompt tree needs: what each is, what it costs, and which of them belong
 * together. In: a conversation or a list of messages of any format. Out: {@link Entry} and {@link Group}. What was read
 * of a message is cached with it.
 */

import { readConversation } from "../../formats/index.ts";
import { countMessages } from "../../calls/count.ts";
import { namesOf } from "../../conversation/names.ts";
import type { LogView } from "../../log/types.ts";
import type { ConversationLog } from "../../log/log.ts";
import { truncate } from "../../results/truncate.ts";
import type { CountOptions, EncodingName } from "../../types/count.ts";
import type { Format, NeutralMessage, Part, PartEdit } from "../../types/messages.ts";

/** One message. */
export interface Entry {
  /** The host's own object, or a copy of it with edits carried out. */
  readonly message: object;
  readonly format: Format;
  /** Tokens that it adds to a request. */
  readonly tokens: number;
  /** The conversation's own count for the whole message. */
  readonly counted: number;
  readonly neutral: NeutralMessage;
  /** Ids in the log; empty for messages of a plain list. */
  readonly ids: readonly string[];
  /** A record of a compaction, or a message that the host pinned. */
  readonly isKept: boolean;
}

/** Messages that are only ever removed together. */
export interface Group {
  kind: "frame" | "request" | "round";
  entries: Entry[];
}

/** How messages are counted. */
export type Counting = Omit<CountOptions, "format" | "tools">;

/** Facts about messages, by object. */
export class Known {
  private readonly counting: Counting;
  private readonly encoding: EncodingName;
  private readonly format: Format;
  /** Tokens of a list without messages. */
  private readonly empty: number;
  private readonly neutral = new WeakMap<object, NeutralMessage>();
  private readonly tokens = new WeakMap<object, number>();
  private readonly entries = new WeakMap<object, Entry>();
  private readonly shortened = new WeakMap<object, Map<number, Entry>>();
  /**
   * Copies are made anew for every view: their costs are cached by the ids of their messages while the same edits are
   * in force.
   */
  private made = new Map<string, number>();
  private standing = "";

  /** `encoding`: for texts that are cut. */
  constructor(format: Format, counting: Counting, encoding: EncodingName) {
    this.format = format;
    this.encoding = encoding;
    this.counting = counting;
    this.empty = countMessages([], { ...counting, format }).total;
  }

  /** Returns entries of messages outside any log. */
  list(messages: readonly object[]): Entry[] {
    // Not `map`: it would skip holes.
    return Array.from(messages, (message) => this.entry(message, [], false, this.count(message)));
  }

  /**
   * Returns entries of `messages`: those of the view, or their copies for one request. `own` is false if the log counts
   * in another way than the request.
   */
  of<T>(log: ConversationLog<T>, view: LogView<T>, messages: readonly T[], own: boolean): Entry[] {
    const standing = log.state.held.standing;
    if (standing !== this.standing) this.made = new Map();
    this.standing = standing;
    const pinned = new Set(log.pins().flatMap(({ message }) => (message === undefined ? [] : [message])));
    const inserted = new Set(view.plan.flatMap((item) => (item.type === "insert" ? [item.message.id] : [])));
    const names = namesOf(view, (id) => log.original(id));
    const places = messages === view.messages ? undefined : new Map(view.messages.map((message, at) => [message, at]));
    return messages.map((message, number) => {
      const at = places ? places.get(message) : number;
      const ids = at === undefined ? [] : names[at]!;
      const isOriginal = ids.length === 1 && log.original(ids[0]!) === message;
      const counted = !isOriginal
        ? this.copied(ids, message as object)
        : own
          ? this.held(log, ids[0]!, message as object)
          : this.count(message as object);
      return this.entry(
        message as object,
        ids,
        ids.some((id) => inserted.has(id) || pinned.has(id)),
        counted,
      );
    });
  }

  /** Returns the same object as long as nothing about the message changes. */
  private entry(message: object, ids: readonly string[], isKept: boolean, tokens: number): Entry {
    const held = this.entries.get(message);
    if (
      held &&
      held.tokens === tokens &&
      held.isKept === isKept &&
      held.ids[0] === ids[0] &&
      held.ids.length === ids.length
    )
      return held;
    const entry = { message, format: this.format, tokens, counted: tokens, neutral: this.read(message), ids, isKept };
    this.entries.set(message, entry);
    return entry;
  }

  /** Returns the log's count from when the message was added. */
  private held<T>(log: ConversationLog<T>, id: string, message: object): number {
    let tokens = this.tokens.get(message);
    if (tokens === undefined) this.tokens.set(message, (tokens = log.counts(id).tokens));
    return tokens;
  }

  private copied(ids: readonly string[], message: object): number {
    if (ids.length === 0) return this.count(message);
    const key = ids.join();
    let tokens = this.made.get(key);
    if (tokens === undefined) this.made.set(key, (tokens = this.count(message)));
    return tokens;
  }

  private count(message: object): number {
    let tokens = this.tokens.get(message);
    if (tokens === undefined)
      this.tokens.set(
        message,
        (tokens = countMessages([message], { ...this.counting, format: this.format }).total - this.empty),
      );
    return tokens;
  }

  private read(message: object): NeutralMessage {
    let read = this.neutral.get(message);
    if (!read)
      this.neutral.set(message, (read = readConversation([message], { format: this.format }).messages.at(-1)!));
    return read;
  }

  /**
   * Returns the entry with every tool result cut to at most `limit` tokens: texts are cut in the middle, and the
   * message keeps its form.
   */
  shorten(entry: Entry, limit: number): Entry {
    if (entry.tokens <= limit || !entry.neutral.parts.some(({ type }) => type === "toolResult")) return entry;
    let held = this.shortened.get(entry.message);
    if (!held) this.shortened.set(entry.message, (held = new Map()));
    let made = held.get(limit);
    if (!made) held.set(limit, (made = this.cut(entry, limit)));
    return { ...made, ids: entry.ids, isKept: entry.isKept, counted: entry.counted };
  }

  private cut(entry: Entry, limit: number): Entry {
    const { encoding } = this;
    const parts = entry.neutral.parts.map((part, number): PartEdit => {
      const text = part.type === "toolResult" ? words(part) : undefined;
      if (text === undefined) return { part: number };
      const { text: kept } = truncate(text, { maxTokens: limit, encoding });
      return kept === text ? { part: number } : { part: number, to: { type: "text", text: kept } };
    });
    if (parts.every(({ to }) => to === undefined)) return entry;
    const reading = readConversation([entry.message], { format: this.format });
    const { id } = reading.messages.at(-1)!;
    const [message] = reading.rebuild([{ type: "edit", id, parts }]) as object[];
    return { ...entry, message: message!, neutral: this.read(message!), tokens: this.count(message!) };
  }
}

/** Returns the texts of a result that consists of texts only. */
function words({ content }: Extract<Part, { type: "toolResult" }>): string | undefined {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length && texts.length > 0 ? texts.join("\n") : undefined;
}

/** Groups the model's messages of one step with the results of their calls. Other messages form groups of their own. */
export function grouped(entries: readonly Entry[]): Group[] {
  const groups: Group[] = [];
  let hasResults = false;
  for (const entry of entries) {
    const { role, parts } = entry.neutral;
    const last = groups.at(-1);
    const isResult = role === "tool" || parts.some(({ type }) => type === "toolResult");
    if (isResult && last?.kind === "round") {
      last.entries.push(entry);
      hasResults = true;
    } else if (role === "assistant" && last?.kind === "round" && !hasResults && calls(last.entries.at(-1)!)) {
      last.entries.push(entry);
    } else {
      const kind =
        role === "system" || role === "developer" || entry.isKept
          ? "frame"
          : role === "assistant" || isResult
            ? "round"
            : "request";
      groups.push({ kind, entries: [entry] });
      hasResults = isResult;
    }
  }
  return groups;
}

/**
 * Returns true for a message that calls, or thinks before a call: formats with an item for each have several of them in
 * sequence.
 */
function calls({ neutral: { parts } }: Entry): boolean {
  return (
    parts.some(({ type }) => type === "toolCall") ||
    parts.every(({ type }) => type === "reasoning" || type === "opaque")
  );
}
