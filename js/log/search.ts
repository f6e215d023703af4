/**
 * Finds messages of a log by words, mainly those that the model no longer sees. The index is made at the first search,
 * and each later one adds the messages since; it keeps no texts besides the log's lines.
 */

import type { Recalled } from "./types.ts";
import { excerpt } from "../search/excerpt.ts";
import type { FoundRound, IndexedMessage } from "../search/message-index.ts";
import type { RecalledText } from "../types/generated/log.ts";
import type { NeutralMessage, Part, Role } from "../types/messages.ts";
import { messageOf } from "./lines.ts";
import { loadIndex } from "./loader.ts";
import type { MessageIndexLike, SearchLoader } from "./loader.ts";
import type { LogState } from "./state.ts";

export interface FindOptions {
  /** Max number of results. Default 10. */
  maxResults?: number;
  /** Finds only rounds of which something is covered, dropped or changed. Default false. */
  onlyHidden?: boolean;
}

/** A found message, with the rest of its round. */
export interface FoundMessage {
  /** An id for {@link ConversationLog.recall}; for a `fact` the id of its pin. */
  id: string;
  /**
   * `summary`: a record in the view, whose lines are facts of the messages that it covers. `fact`: one that was pinned
   * in words.
   */
  kind: "message" | "summary" | "fact";
  role: Role;
  /** Comparable within one answer. */
  score: number;
  /** The best matching lines. */
  excerpt: string;
  /** Index of the part that contains them. */
  part: number;
  /** True if the model sees it unchanged. */
  isVisible: boolean;
  /** The current place of the message. */
  place: Recalled<unknown>["place"];
  /** Ids of the edits that changed or hid it. */
  by: string[];
  /** Ids of the other messages of its round: the call of a result, the results of a call. */
  with: string[];
  /** Ids of messages with the same text, newest first. */
  repeats: string[];
}

/** First number for entries that are not messages of the log: after all messages. */
const APART = 2 ** 31;

interface Apart {
  kind: "summary" | "fact";
  text: string;
  number: number;
}

export class MessageSearch {
  private readonly log: LogState<unknown>;
  private readonly load: SearchLoader | undefined;
  private opening: Promise<MessageIndexLike> | undefined;
  private index: MessageIndexLike | undefined;
  /** Ids of the known messages, by number. */
  private ids: string[] = [];
  private numbers = new Map<string, number>();
  /** Calls by id: the number of their message, and their text. */
  private calls = new Map<string, { number: number; text: string }>();
  private rewound = new Set<string>();
  /** Number of rewinds, undos and redos when `rewound` was made. */
  private turns = 0;
  private apart = new Map<string, Apart>();

  constructor(log: LogState<unknown>, load: SearchLoader | undefined) {
    this.log = log;
    this.load = load;
  }

  async find(query: string, { maxResults = 10, onlyHidden = false }: FindOptions): Promise<FoundMessage[]> {
    await this.open();
    try {
      return this.found(query, maxResults, onlyHidden);
    } catch (error) {
      // A crashed engine has lost the index.
      if (!this.index?.isUsable) this.free();
      throw error;
    }
  }

  /** Frees the index. The next search makes it again. */
  free(): void {
    this.index?.free();
    this.index = undefined;
    this.opening = undefined;
    [this.ids, this.numbers, this.calls, this.rewound, this.apart] = [[], new Map(), new Map(), new Set(), new Map()];
    this.turns = 0;
  }

  private async open(): Promise<void> {
    if (this.index && !this.index.isUsable) this.free();
    if (this.index) return;
    const opening = (this.opening ??= loadIndex(this.load));
    let index: MessageIndexLike;
    try {
      index = await opening;
    } catch (error) {
      if (this.opening === opening) this.opening = undefined;
      throw error;
    }
    if (this.opening === opening) this.index = index;
    // The log was closed meanwhile.
    else if (this.index !== index) index.free();
    if (!this.index) return this.open();
  }

  private found(query: string, limit: number, onlyHidden: boolean): FoundMessage[] {
    const index = this.index!;
    this.update(index);
    for (let asked = limit; ; asked *= 2) {
      const rounds = index.search(query, { maxResults: asked });
      const wanted = onlyHidden
        ? rounds.filter(({ id, with: others }) => [id, ...others].some((one) => this.isHidden(one)))
        : rounds;
      const found = wanted.slice(0, limit).map((round) => this.described(round, query));
      if (found.length >= limit || rounds.length < asked) return found;
    }
  }

  private isHidden(id: string): boolean {
    return !this.apart.has(id) && this.where(id).place !== "shown";
  }

  private described({ id, score, start, end, with: others, repeats }: FoundRound, query: string): FoundMessage {
    const apart = this.apart.get(id);
    if (apart) {
      const said = { role: "user" as const, excerpt: excerpt(apart.text.slice(start, end), query), part: 0 };
      return { id, kind: apart.kind, ...said, score, isVisible: true, place: "shown", by: [], with: others, repeats };
    }
    const { role, parts } = messageOf<NeutralMessage>(this.log.lines.of("message")[this.numbers.get(id)!]!);
    const { text, starts } = textOf(parts);
    const part = Math.max(
      0,
      starts.findLastIndex((own) => own <= start),
    );
    const { place, by } = this.where(id);
    const said = { role, excerpt: excerpt(text.slice(start, end), query), part };
    return { id, kind: "message", ...said, score, isVisible: place === "shown", place, by, with: others, repeats };
  }

  /** Adds new messages to the index, and updates it for rewinds and undos. */
  private update(index: MessageIndexLike): void {
    const lines = this.log.lines;
    const all = lines.of("message");
    const added: number[] = [];
    for (let number = this.ids.length; number < all.length; number += 1) {
      const { id, parts } = messageOf<NeutralMessage>(all[number]!);
      this.ids.push(id);
      this.numbers.set(id, number);
      for (const part of parts)
        if (part.type === "toolCall") this.calls.set(part.callId, { number, text: textOf([part]).text });
      added.push(number);
    }
    const turns = lines.of("rewind").length + lines.of("revoke").length;
    const before = this.rewound;
    if (turns !== this.turns && lines.of("rewind").length > 0) {
      this.rewound = new Set(this.ids.filter((id) => this.where(id).place === "rewound"));
    }
    this.turns = turns;
    index.remove([...this.rewound].filter((id) => !before.has(id)));
    const back = [...before].filter((id) => !this.rewound.has(id)).map((id) => this.numbers.get(id)!);
    for (const number of [...added, ...back]) {
      const message = messageOf<NeutralMessage>(all[number]!);
      if (!this.rewound.has(message.id)) index.put([this.indexed(message, number)]);
    }
    this.updateApart(index);
  }

  private indexed({ id, role, parts }: NeutralMessage, number: number): IndexedMessage {
    const calls = parts.flatMap((part) => (part.type === "toolResult" ? (this.calls.get(part.callId) ?? []) : []));
    const round = calls[0] && calls[0].number < number ? calls[0].number : number;
    // Results may be in a message of the user.
    const isResult = parts.length > 0 && parts.every(({ type }) => type === "toolResult" || type === "cacheMark");
    const about = calls.map(({ text }) => text).join("\n");
    return { id, number, round, role: isResult ? "tool" : role, about, text: textOf(parts).text };
  }

  private where(id: string): RecalledText {
    return this.log.recall(id)[0]!;
  }

  /** Updates summaries and pinned facts: they are few, so that all are compared with the known ones. */
  private updateApart(index: MessageIndexLike): void {
    const now = new Map<string, Pick<Apart, "kind" | "text">>();
    for (const item of this.log.view().plan) {
      if (item.type === "insert") now.set(item.message.id, { kind: "summary", text: textOf(item.message.parts).text });
    }
    for (const { id, fact } of this.log.pins()) if (fact !== undefined) now.set(id, { kind: "fact", text: fact });
    for (const id of [...this.apart.keys()].filter((known) => !now.has(known))) {
      index.remove([id]);
      this.apart.delete(id);
    }
    for (const [at, [id, { kind, text }]] of [...now].entries()) {
      const number = APART + at;
      const known = this.apart.get(id);
      if (known?.text === text && known.number === number) continue;
      this.apart.set(id, { kind, text, number });
      index.put([{ id, number, role: "user", text }]);
    }
  }
}

/** Returns the joined texts of parts, and the start of each. */
export function textOf(parts: readonly Part[]): { text: string; starts: number[] } {
  let text = "";
  const starts: number[] = [];
  for (const part of parts) {
    const said = saidBy(part);
    if (text !== "" && said !== "") text += "\n";
    starts.push(text.length);
    text += said;
  }
  return { text, starts };
}

function saidBy(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "toolCall":
      return [part.name, ...strings(part.arguments)].join("\n");
    case "toolResult":
      return textOf(part.content).text;
    default:
      return "";
  }
}

/** Returns names and texts in the arguments of a call; the arguments unchanged if they are not JSON. */
function strings(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [text];
  }
  const found: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== "object" || one === null) {
      if (one !== null) found.push(String(one));
      continue;
    }
    for (const [name, item] of Object.entries(one).reverse()) {
      waiting.push(item);
      if (!Array.isArray(one)) waiting.push(name);
    }
  }
  return found;
}
