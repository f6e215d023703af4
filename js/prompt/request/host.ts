/** What a render supplies to the histories in its tree: how messages are counted, and which messages they show. */

import { FORMATS, readConversation } from "../../formats/index.ts";
import { encodingOf } from "../../tokens/count.ts";
import { badOption as bad, EspalierError } from "../../errors/errors.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { EncodingName } from "../../types/count.ts";
import type { Format } from "../../types/messages.ts";
import type { RenderFormat } from "../output/request.ts";
import { Known } from "./entries.ts";
import type { Counting, Entry } from "./entries.ts";
import type { ConversationHistoryProps } from "./history.ts";
import { Items } from "./pieces.ts";

/** The content of an element. */
export interface Shown {
  entries: Entry[];
  items: Items;
  /** True if its parts are kept or removed as wholes. */
  isCoarse: boolean;
}

/** The history of a prompt, once its element was asked. */
export interface Claim {
  props: ConversationHistoryProps;
  /** The host's messages that it shows. */
  messages: readonly object[];
  /** The same, with results cut to their share. */
  entries: readonly Entry[];
  /** Tokens of the view's messages beyond those of the request: results cut to their share, another form. */
  cut: number;
  /** Number of elements asked before it. */
  asked: number;
}

/** The conversation of a request, and the content of its element. */
export interface HistoryOf {
  conversation?: Conversation<any> | undefined;
  messages?: readonly object[] | undefined;
  list?: unknown;
  /** True if the parts of the history are kept or removed as wholes, which is enough to find out whether they fit. */
  isCoarse?: boolean;
}

/** Formats of plain lists that were counted recently, the newest last. */
const lists = new Map<string, Known>();
const MOST_LISTS = 8;
const logs = new WeakMap<object, { key: string; known: Known }>();

export class HistoryHost {
  readonly claims: Claim[] = [];
  private readonly counting: Counting;
  private readonly encoding: EncodingName;
  private readonly format: RenderFormat;
  private readonly conversation: Conversation<any> | undefined;
  private readonly messages: readonly object[] | undefined;
  private readonly list: unknown;
  private readonly isCoarse: boolean;
  private turn = 0;

  /**
   * `conversation`: shown by an element that names none. `messages`: the part of it that is shown; default: its view.
   * `list`: messages of the element for which the conversation was opened.
   */
  constructor(
    counting: Counting,
    format: RenderFormat,
    { conversation, messages, list, isCoarse = false }: HistoryOf = {},
  ) {
    this.counting = counting;
    this.encoding = encodingOf(counting);
    this.format = format;
    this.conversation = conversation;
    this.messages = messages;
    this.list = list;
    this.isCoarse = isCoarse;
  }

  /** Records that the element with this number is asked next. */
  asking(turn: number): void {
    this.turn = turn;
  }

  /** Returns the content of an element, with every result cut to at most `limit` tokens. */
  claim(props: ConversationHistoryProps, limit: number): Shown {
    const { conversation: own, messages } = props;
    if (own !== undefined && !isConversation(own))
      throw bad("conversation", "a conversation of openConversation", own, "<ConversationHistory>");
    if (own !== undefined && messages !== undefined)
      throw bad("messages", "absent beside conversation", messages, "<ConversationHistory>");
    const isOpened = messages === undefined || (this.conversation !== undefined && messages === this.list);
    const conversation = own ?? (isOpened ? this.conversation : undefined);
    if (!conversation && messages === undefined) {
      throw new EspalierError({
        code: "bad_option",
        message: "<ConversationHistory> needs conversation or messages, or options.conversation of renderRequest",
        path: "conversation",
      });
    }
    const same = this.claims.some(({ props: other }) =>
      conversation
        ? (other.conversation ?? this.conversation) === conversation && other.messages === undefined
        : other.messages === messages,
    );
    if (same) {
      throw new EspalierError({
        code: "bad_option",
        path: "conversation",
        message:
          "Two <ConversationHistory> elements show the same conversation: its messages would be sent twice. Remove one.",
      });
    }
    const { entries, known } = conversation ? this.ofConversation(conversation) : this.ofList(props);
    const shown = entries.map((entry) => known.shorten(entry, limit));
    const cut = shown.reduce((sum, { counted, tokens }) => sum + counted - tokens, 0);
    this.claims.push({ props, messages: entries.map(({ message }) => message), entries: shown, cut, asked: this.turn });
    return { entries: shown, items: new Items(this.counting), isCoarse: this.isCoarse };
  }

  private ofConversation(conversation: Conversation<any>): { entries: Entry[]; known: Known } {
    const { log } = conversation;
    const { tools: _, format: __, ...own } = log.counted({});
    // Another tokenizer or another form has other costs.
    const isSame =
      own.tokenizer !== undefined ||
      (log.format === this.format &&
        encodingOf(own) === this.encoding &&
        (own.costModel ?? "espalier") === (this.counting.costModel ?? "espalier"));
    const counting = isSame ? own : this.counting;
    const key = keyOf(log.format, counting);
    let held = logs.get(log);
    if (held?.key !== key) logs.set(log, (held = { key, known: new Known(log.format, counting, this.encoding) }));
    const view = conversation.view();
    const messages = conversation === this.conversation && this.messages ? this.messages : view.messages;
    return { entries: held!.known.of(log, view, messages, isSame), known: held!.known };
  }

  private ofList({ messages, format }: ConversationHistoryProps): { entries: Entry[]; known: Known } {
    if (!Array.isArray(messages)) throw bad("messages", "a list of messages", messages, "<ConversationHistory>");
    if (format !== undefined && !FORMATS.includes(format))
      throw bad("format", `one of ${FORMATS.join(", ")}`, format, "<ConversationHistory>");
    const own = format ?? readConversation(messages).format;
    const key = keyOf(own, this.counting);
    const known = lists.get(key) ?? new Known(own, this.counting, this.encoding);
    lists.delete(key);
    lists.set(key, known);
    if (lists.size > MOST_LISTS) lists.delete(lists.keys().next().value!);
    return { entries: known.list(messages as readonly object[]), known };
  }
}

function keyOf(format: Format, { encoding, model, costModel, images }: Counting): string {
  return JSON.stringify([format, encoding, model, costModel, images]);
}

/** Returns true for a conversation, also of another copy of the package. */
export function isConversation(value: unknown): value is Conversation<any> {
  const { log, view } = (typeof value === "object" && value !== null ? value : {}) as Partial<Conversation>;
  return typeof view === "function" && typeof log === "object" && log !== null;
}
