/** Keeps a conversation in step with the list of messages that an SDK keeps. */

import type { Conversation } from "../conversation/conversation.ts";
import { encoded } from "../conversation/base64.ts";
import type { PrepareOptions } from "../conversation/types.ts";
import { badValue } from "../errors/errors.ts";
import { isEqual } from "../formats/values.ts";
import type { Format } from "../types/messages.ts";

/** A message of the log, and its id. */
interface Own {
  id: string;
  message: object;
}

/** What a follower keeps of its last request. */
interface LastRequest {
  /** The messages as the conversation has them, and as the SDK got them. */
  sent: readonly object[];
  returned: readonly object[];
  /** Number of messages that others added since then: the host, or another run. */
  others: number;
  /** The view that the SDK's list begins with, and the number of messages that it replaces. */
  base: readonly object[];
  count: number;
}

/** A follower without a request. */
const NONE: Readonly<LastRequest> = { sent: [], returned: [], others: 0, base: [], count: 0 };

/** A conversation of any message type: SDKs check their messages by themselves. */
export type AnyConversation = Conversation<any>;

/** The follower that made the last request of a conversation: another run may begin with the list of this request. */
const latest = new WeakMap<AnyConversation, Follower>();

/**
 * Follows a list that grows from step to step. The list may hold all messages so far, or the view that the last step,
 * also of an earlier run, returned and the messages since; a run that began with a view goes on with that view, whatever
 * its later steps returned. If the list continues none of these, the conversation is rewound to the last common message,
 * so that the request always has what the SDK's list has.
 */
export class Follower {
  private readonly conversation: AnyConversation;
  private readonly sdk: string;
  private readonly isSame: (a: unknown, b: unknown) => boolean;
  /** All messages of the conversation that were not rewound, oldest first; `seen` is the log's version with them. */
  private own: Own[] = [];
  private seen = -1;
  private last: LastRequest = { ...NONE };

  /**
   * `sdk` names the known versions in errors. `isSame` compares a message with the SDK's copy of it.
   *
   * @throws EspalierError `bad_option` if the conversation has another format
   */
  constructor(
    conversation: AnyConversation,
    { format, sdk, isSame = isEqual }: { format: Format; sdk: string; isSame?: (a: unknown, b: unknown) => boolean },
  ) {
    const is: unknown = conversation?.log?.format;
    if (is !== format) throw badValue("conversation.log.format", JSON.stringify(format), is);
    this.conversation = conversation;
    this.sdk = sdk;
    this.isSame = isSame;
    const before = latest.get(conversation);
    if (before) {
      this.own = [...before.own];
      this.seen = before.seen;
      this.last = { ...before.last };
    }
    this.look();
  }

  /** Reads the conversation again if somebody else changed it; returns true then. */
  look(): boolean {
    if (this.seen === this.version) return false;
    const { own } = this;
    const ends = this.conversation.log.state.ends();
    const all = ends ? this.conversation.recall(ends.join("..")) : [];
    this.own = all.filter(({ place }) => place !== "rewound").map(({ id, message }) => ({ id, message }));
    this.seen = this.version;
    if (own.every(({ id }, at) => this.own[at]?.id === id)) this.last.others += this.own.length - own.length;
    // Without the messages that it was made of, the last request tells nothing.
    else this.last = { ...NONE };
    return true;
  }

  private get version(): number {
    return this.conversation.log.state.version;
  }

  /** Number of messages of the conversation. */
  get length(): number {
    this.look();
    return this.own.length;
  }

  /** Returns the conversation's messages from a number on. */
  from(number: number): object[] {
    this.look();
    return this.own.slice(number).map(({ message }) => message);
  }

  /**
   * Returns the request for the SDK's list. Unchanged messages are the objects of this list.
   *
   * @throws EspalierError `bad_option` if this is no list: another version of the SDK passes something else
   */
  async next<T extends object>(list: readonly T[], options: PrepareOptions = {}): Promise<T[]> {
    if (!Array.isArray(list)) throw badValue("messages", `a list, as ${this.sdk} has it`, list);
    return inTurn(this.conversation, async () => {
      const given = this.take(list);
      const returned = (await this.prepare(options)).map((message) => given.get(message) ?? (message as T));
      this.last.returned = returned;
      return returned;
    });
  }

  /** Returns the request for the conversation as it is. */
  async prepare(options: PrepareOptions = {}): Promise<object[]> {
    const { messages } = await this.conversation.prepare(options);
    Object.assign(this.last, { sent: messages, returned: messages, others: 0 });
    this.seen = this.version;
    latest.set(this.conversation, this);
    return messages as object[];
  }

  /**
   * Sends a request, and again after each refusal as too large: the conversation learns the limit, and the next request
   * is smaller.
   */
  async send<T extends object, R>(
    list: readonly T[],
    options: PrepareOptions,
    call: (messages: T[]) => PromiseLike<R> | R,
  ): Promise<R> {
    for (;;) {
      const messages = await this.next(list, options);
      try {
        return await call(messages);
      } catch (error) {
        if (!this.mayRetry(error)) throw error;
      }
    }
  }

  /** Takes the error of the last request. Returns true if a smaller request may be accepted. */
  mayRetry(error: unknown): boolean {
    return this.last.sent.length > 0 && this.conversation.contextRefused(error).action === "retry";
  }

  /** Takes the usage that the SDK reports for the last request, if it reports one. */
  report(usage: unknown): void {
    if (this.last.sent.length && usage) this.conversation.reportUsage(usage);
  }

  append(messages: readonly object[]): void {
    if (!messages.length) return;
    this.look();
    const ids = this.conversation.append(messages);
    ids.forEach((id, at) => this.own.push({ id, message: messages[at]! }));
    this.seen = this.version;
  }

  /** Removes all messages from a number on. */
  rewind(length: number): void {
    this.look();
    if (length >= this.own.length) return;
    if (length < this.last.count) Object.assign(this.last, { base: [], count: 0 });
    this.conversation.rewind(this.own[length - 1]?.id);
    this.own.length = length;
    this.seen = this.version;
  }

  /** Appends what is new in a list. Returns its objects by those of the conversation. */
  private take<T extends object>(list: readonly T[]): Map<object, T> {
    const all = this.from(0);
    const { returned, others, base, count } = this.last;
    // A conversation that was opened again is known by its view.
    const sent = this.last.sent.length > 0 ? this.last.sent : (this.conversation.view().messages as object[]);
    // Messages can be equal by chance ("Go on."), so the SDK's own objects tell more than values.
    const hasReturned = returned.length > 0 && returned.every((message, at) => message === list[at]);
    const whole = hasReturned ? 0 : this.shared(all, list);
    const isView = hasReturned || (whole < all.length && sent.length > 0 && this.shared(sent, list) === sent.length);
    // The list of a run that goes on with the view it began with, and how many of all messages it then has.
    const begun = whole === all.length ? [] : [...base, ...all.slice(count)];
    const shared = this.shared(begun, list);
    const kept = all.length - begun.length + shared;
    const hasBegun = shared >= base.length && kept > whole;
    // The number of messages that the last request replaces.
    const old = all.length - others;
    // The earliest view is kept: an edit may take back messages since then.
    if (isView && kept < old) Object.assign(this.last, { base: sent, count: old });
    const [known, same] = isView ? [sent, sent.length] : hasBegun ? [begun, shared] : [all, whole];
    if (!isView) this.rewind(hasBegun ? kept : whole);
    const rest = list.slice(same);
    this.append(rest.slice(isView ? this.shared(all.slice(old), rest) : 0));
    return new Map(known.slice(0, same).map((message, at) => [message, list[at]!]));
  }

  /**
   * Returns the number of messages that both lists begin with. Messages from a storage are as JSON has them: bytes are
   * Base64, addresses and dates are texts.
   */
  shared(one: readonly object[], other: readonly object[]): number {
    const isCopy = (a: object, b: object | undefined) =>
      b && (this.isSame(a, b) || this.isSame(asStored(a), asStored(b)));
    const differs = one.findIndex((message, at) => !isCopy(message, other[at]));
    return differs < 0 ? one.length : differs;
  }
}

const turns = new WeakMap<AnyConversation, Promise<unknown>>();

/** Runs work after the work before it: between a list and its request no other list may come. */
function inTurn<R>(conversation: AnyConversation, work: () => Promise<R>): Promise<R> {
  const run = Promise.resolve(turns.get(conversation)).then(work, work);
  turns.set(conversation, run);
  return run;
}

/** Returns a message as a storage has it; a message that has no JSON is never a copy of another. */
function asStored(message: object): unknown {
  try {
    return JSON.parse(JSON.stringify(message, encoded));
  } catch {
    return message;
  }
}
