/**
 * A recorded conversation as its replays need it: neutral messages, their tokens, and the same keys for equal messages.
 */

import { countMessages } from "../calls/count.ts";
import type { Reading } from "../formats/adapter.ts";
import { readConversation } from "../formats/index.ts";
import { encodingForModel } from "../tokens/count.ts";
import type { CountOptions } from "../types/count.ts";
import type { NeutralMessage, ToolList } from "../types/messages.ts";
import type { Line } from "./provider-cache.ts";

/** How messages are counted. */
export type ReplayCounting = Pick<CountOptions, "encoding" | "costModel" | "images"> & { format: "espalier" };

export interface Replayed {
  messages: readonly NeutralMessage[];
  /** Number of messages of the list that was passed: a separate system prompt is a message of its own. */
  listed: number;
  tools: ToolList | undefined;
  counting: ReplayCounting;
  counts: Counts;
  /** Returns the request of the first `end` messages, which are read once. */
  requestOf(end: number): Reading;
}

const encodingOf = (model: string | undefined) => encodingForModel(model ?? "").encoding;

/** Reads a conversation of any format. */
export function replayed(input: unknown, options: Omit<CountOptions, "tokenizer">): Replayed {
  const { format, tools, ...how } = options;
  const reading = readConversation(input, { format, tools });
  // An encoding that is stated counts exactly: the replay's provider counts as we do.
  const { model, encoding = encodingOf(model), ...rest } = how;
  const counting: ReplayCounting = { ...rest, encoding, format: "espalier" };
  const own = reading.tools.length > 0 ? (reading.tools as unknown as ToolList) : undefined;
  const { messages } = reading;
  const neutral = readConversation(messages, { format: "espalier", ...(own && { tools: own }) });
  return {
    messages,
    listed: reading.source.list.length,
    tools: own,
    counting,
    counts: new Counts(messages, own, counting),
    requestOf: (end) => {
      const list = messages.slice(0, end);
      return { ...neutral, messages: neutral.messages.slice(0, end), source: { ...neutral.source, input: list, list } };
    },
  };
}

/** A part in a content; the same text inside a string is escaped. */
const MEDIA = /"type":"(?:image|document)"/;

const contentOf = ({ role, parts }: NeutralMessage) => JSON.stringify([role, parts]);

/** The tokens of messages, each counted once. */
export class Counts {
  /** Tokens of the tools, and of the list around the messages. */
  readonly base: number;
  readonly perMessage: readonly number[];
  private readonly sums: number[];
  private readonly counting: ReplayCounting;
  private readonly originals: ReadonlySet<NeutralMessage>;
  private readonly lines = new WeakMap<NeutralMessage, Line>();
  private readonly keys = new Map<string, number>();
  /** Tokens by content and name: every request makes the messages anew that it shortens. */
  private readonly tokens = new Map<string, number>();

  constructor(messages: readonly NeutralMessage[], tools: ToolList | undefined, counting: ReplayCounting) {
    const { total, perMessage } = countMessages(messages, { ...counting, ...(tools && { tools }) });
    this.counting = counting;
    this.perMessage = perMessage.map(({ tokens }) => tokens);
    this.base = total - this.perMessage.reduce((sum, tokens) => sum + tokens, 0);
    let sum = this.base;
    this.sums = [sum, ...this.perMessage.map((tokens) => (sum += tokens))];
    this.originals = new Set(messages);
    for (const [at, message] of messages.entries())
      this.lines.set(message, this.made(message, contentOf(message), this.perMessage[at]!));
  }

  /** Tokens of the request of the first `end` messages. */
  totalOf(end: number): number {
    return this.sums[end]!;
  }

  /** Tokens of a request. */
  totalIn(messages: readonly NeutralMessage[]): number {
    return messages.reduce((sum, message) => sum + this.tokensOf(message), this.base);
  }

  /** Tokens of an answer that consists of this text. */
  tokensOfText(text: string): number {
    return this.tokensOf({ id: "answer", role: "assistant", parts: [{ type: "text", text }] });
  }

  tokensOf(message: NeutralMessage): number {
    return this.lineOf(message).tokens;
  }

  lineOf(message: NeutralMessage): Line {
    const known = this.lines.get(message);
    if (known) return known;
    const text = contentOf(message);
    const made = this.made(message, text, this.counted(message, text + (message.name ?? "")));
    this.lines.set(message, made);
    return made;
  }

  private counted(message: NeutralMessage, content: string): number {
    // The text has no bytes of media.
    const known = MEDIA.test(content) ? undefined : this.tokens.get(content);
    if (known !== undefined) return known;
    const { perMessage } = countMessages([message], this.counting);
    const tokens = perMessage.reduce((sum, { tokens }) => sum + tokens, 0);
    this.tokens.set(content, tokens);
    return tokens;
  }

  private made(message: NeutralMessage, text: string, tokens: number): Line {
    const { role, parts, id } = message;
    const key = this.keys.get(text) ?? this.keys.size;
    this.keys.set(text, key);
    const isOwn = this.originals.has(message);
    const isRequest = role === "user" && parts.some(({ type }) => type === "text");
    const kind =
      role === "system" || role === "developer"
        ? "system"
        : !isOwn && id?.endsWith(":summary")
          ? "summary"
          : isRequest
            ? "user"
            : "other";
    return { key, tokens, blocks: Math.max(1, parts.length), kind };
  }
}
