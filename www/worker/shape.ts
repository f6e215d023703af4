/**
 * The shape of a conversation: roles, tokens, calls and results, and no words. It can be sent to anybody, and it is
 * pruned as the conversation itself: filler of the same number of tokens takes the place of the texts. Only where a
 * result is shortened a few tokens may differ, because texts are cut between words.
 */

import { ConversationLog } from "../../js/entries/log.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { NeutralMessage, Part } from "../../js/types/messages.ts";
import type { Held } from "./held.ts";
import { refused } from "./link.ts";
import { ROLES } from "./questions.ts";

/** By message: index of the role, tokens, then numbers of its calls, and negative ones of its results. */
export interface Shape {
  format: string;
  tools: number;
  messages: number[][];
}

/** One token each, in both encodings. */
const FILLER = " a";
/** Rounds in which filler is added or removed until counts are equal. */
const ROUNDS = 4;

const logOf = (messages: NeutralMessage[], encoding: EncodingName, tools: object[]) =>
  ConversationLog.from(messages, { format: "espalier", tools: tools as never, encoding });

/** Returns the shape of the open conversation. */
export function shapeOf({ reading, encoding }: Held): Shape {
  const log = logOf(reading.messages, encoding, reading.tools);
  const numbers = new Map<string, number>();
  const numberOf = (call: string) => {
    const number = numbers.get(call) ?? numbers.size + 1;
    numbers.set(call, number);
    return number;
  };
  const messages = reading.messages.map(({ id, role, parts }) => [
    ROLES.indexOf(role as (typeof ROLES)[number]),
    log.counts(id).tokens,
    ...parts.flatMap((part) =>
      part.type === "toolCall" ? [numberOf(part.callId)] : part.type === "toolResult" ? [-numberOf(part.callId)] : [],
    ),
  ]);
  const { tools } = log.totals();
  log.close();
  return { format: reading.format, tools, messages };
}

function isShape(value: unknown): value is Shape {
  const { messages, tools } = (value ?? {}) as Partial<Shape>;
  const isNumbers = (list: unknown) => Array.isArray(list) && list.length >= 2 && list.every(Number.isSafeInteger);
  return Number.isSafeInteger(tools) && Array.isArray(messages) && messages.length > 0 && messages.every(isNumbers);
}

/**
 * Returns a request of that shape, with filler for words.
 *
 * @throws EspalierError if the value is not a shape
 */
export function requestOf(value: unknown, encoding: EncodingName): { messages: NeutralMessage[]; tools: object[] } {
  if (!isShape(value)) throw refused("This link holds no shape of a conversation.");
  const { messages: rows, tools: wanted } = value;
  const length = rows.map(([, tokens]) => Math.max(0, tokens! - 12));
  let toolLength = wanted;
  for (let round = 0; ; round++) {
    const messages = rows.map(([role, , ...numbers], at) => messageOf(`m${at}`, role!, numbers, length[at]!));
    const tools = wanted > 0 ? [{ name: "tools", description: FILLER.repeat(Math.max(0, toolLength)) }] : [];
    if (round === ROUNDS) return { messages, tools };
    const log = logOf(messages, encoding, tools);
    let isEqual = true;
    rows.forEach(([, tokens], at) => {
      const more = tokens! - log.counts(`m${at}`).tokens;
      length[at] = Math.max(0, length[at]! + more);
      isEqual &&= more === 0;
    });
    const more = wanted - log.totals().tools;
    toolLength += more;
    log.close();
    if (isEqual && more === 0) return { messages, tools };
  }
}

function messageOf(id: string, role: number, numbers: readonly number[], length: number): NeutralMessage {
  const text = FILLER.repeat(length);
  const results = numbers.filter((number) => number < 0);
  const parts: Part[] = numbers.map((number) =>
    number > 0
      ? { type: "toolCall", callId: `c${number}`, name: "tool", arguments: "{}" }
      : {
          type: "toolResult",
          callId: `c${-number}`,
          // The first result has the filler of its message.
          content: [{ type: "text", text: number === results[0] ? text : "" }],
          isError: false,
        },
  ) as Part[];
  if (results.length === 0) parts.unshift({ type: "text", text });
  return { id, role: ROLES[role] ?? "user", parts };
}
