/**
 * What a provider was found to take it takes when more is said behind it: of a conversation that grows only the newest
 * turn and what came since are looked at again. Messages are those of a log's view, in which no two calls have one id.
 */

import type { Format, NeutralMessage } from "../types/messages.ts";
import type { ProviderName } from "../types/validity.ts";
import { isTaken } from "./validity.ts";

/** A list that was found valid. */
interface Held {
  /** For whom, and in which format. */
  key: string;
  messages: readonly unknown[];
  /** Where its last turn of the assistant begins before which every call has its result. */
  from: number;
}

export class Standing {
  private held: Held | undefined;

  /**
   * True if the provider takes these messages. False also where nothing is known of what comes before: neutral messages
   * have to be read whole once.
   */
  isTaken(messages: readonly unknown[], format: Format, provider: ProviderName, model: string | undefined): boolean {
    const key = `${format}/${provider}/${model ?? ""}`;
    const { held } = this;
    const isMore = held?.key === key && held.from > 0 && shared(messages, held.messages) > held.from;
    const walk = new Walk(isMore ? held.from : 0);
    this.held = undefined;
    const options = { format, ...(model !== undefined && model !== "" && { model }) };
    if (!isTaken(messages, provider, options, walk.from, (message) => walk.visit(message))) return false;
    this.held = { key, messages, from: walk.from };
    return true;
  }

  /** Neutral messages that were read whole, and found valid. */
  hold(messages: readonly NeutralMessage[], provider: ProviderName, model: string | undefined): void {
    const walk = new Walk(0);
    for (const message of messages) walk.visit(message);
    this.held = { key: `espalier/${provider}/${model ?? ""}`, messages, from: walk.from };
  }
}

/** Finds where the last turn of the assistant begins with nothing open before it. */
class Walk {
  from: number;
  private at: number;
  private readonly open = new Set<string>();
  private isAssistant = false;

  /** Of the messages from number `from` on, where such a turn begins, or the conversation. */
  constructor(from: number) {
    this.from = from;
    this.at = from;
  }

  visit({ role, parts }: NeutralMessage): void {
    const isAssistant = role === "assistant";
    if (isAssistant && !this.isAssistant && this.open.size === 0) this.from = this.at;
    if (role !== "system" && role !== "developer") this.isAssistant = isAssistant;
    for (const part of parts) {
      if (part.type === "toolCall") this.open.add(part.callId);
      else if (part.type === "toolResult") this.open.delete(part.callId);
    }
    this.at += 1;
  }
}

/**
 * How many messages two lists have in common at their beginning. What a conversation made of messages is made anew for
 * every view.
 */
export function shared(a: readonly unknown[], b: readonly unknown[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && (a[count] === b[count] || JSON.stringify(a[count]) === JSON.stringify(b[count]))) count += 1;
  return count;
}
