/**
 * Avoids a second check of messages that a provider accepts, because they stay valid when more follows. In a growing
 * conversation, only the newest turn and everything after it are checked again. The messages are those of a log's view,
 * in which no two calls have the same id.
 */

import type { Format, NeutralMessage } from "../types/messages.ts";
import type { ProviderName } from "../types/validity.ts";
import { isTaken } from "./validity.ts";

/** A list that is valid. */
interface Held {
  /** The provider, the model and the format. */
  key: string;
  messages: readonly unknown[];
  /** Index of the last turn of the assistant before which every call has its result. */
  from: number;
}

export class Standing {
  private held: Held | undefined;

  /**
   * Returns whether the provider accepts these messages. Also false if nothing is known of the earlier messages:
   * neutral messages must be read in full once.
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

  /** Keeps neutral messages that were read in full and are valid. */
  hold(messages: readonly NeutralMessage[], provider: ProviderName, model: string | undefined): void {
    const walk = new Walk(0);
    for (const message of messages) walk.visit(message);
    this.held = { key: `espalier/${provider}/${model ?? ""}`, messages, from: walk.from };
  }
}

/** Finds the start of the last turn of the assistant without an unanswered call before it. */
class Walk {
  from: number;
  private at: number;
  private readonly open = new Set<string>();
  private isAssistant = false;

  /** @param from Index of the first message: the start of such a turn, or 0 */
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
 * Returns how many messages two lists share at the start. Compares by value, because a conversation makes its own
 * messages anew for every view.
 */
export function shared(a: readonly unknown[], b: readonly unknown[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && (a[count] === b[count] || JSON.stringify(a[count]) === JSON.stringify(b[count]))) count += 1;
  return count;
}
