/** What the parts of a conversation share. */

import type { ConversationLog } from "../log/log.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactHooks } from "../types/compact.ts";
import type { Totals } from "../types/count.ts";
import type { Llm } from "../types/llm.ts";
import type { Profile } from "../types/profile.ts";
import { draw } from "./draw.ts";
import type { Events } from "./events.ts";
import type { Inside } from "./inside.ts";
import type { Around, Look, Machine } from "./machine.ts";
import type { Saving } from "./saving.ts";
import type { ConversationOptions } from "./types.ts";

/** A profile with all of its fields, and as the host gave it, as JSON text: what the core is asked with. */
export type ReadProfile = Profile & { text: string };

export interface ContextFields<T> {
  readonly log: ConversationLog<T>;
  readonly machine: Machine<T>;
  readonly events: Events;
  readonly saving: Saving;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly profile: ReadProfile;
  llm: Llm | undefined;
  /** Milliseconds. */
  readonly timeouts: Profile["timeouts"] & { storage: number };
  readonly compaction: NonNullable<ConversationOptions<T>["compact"]>;
  readonly hooks: CompactHooks | undefined;
  /** Stored summaries to keep as files; 0 without a storage. */
  readonly checkpoints: number;
  readonly seed: string | number;
  readonly inside: Inside;
}

export interface Context<T> extends ContextFields<T> {
  /** Tokens of the system prompt that is kept apart; of a prompt tree, of all of it but the history. */
  apart: number;
  /** What `apart` is. */
  beside: "the system prompt apart" | "the prompt around the conversation";
  /** Tokens of the view that the request does not pay for: results that its prompt tree cuts to their share. */
  cut: number;
  /** Requests prepared so far. */
  requests: number;
  /** Compactions begun so far: what jitter is drawn for, and what names plans. */
  begun: number;
  /**
   * What surrounds the view in the next request. The number that spreads the start of background compactions is the
   * same for the same log: it is drawn from the seed and the compactions so far.
   */
  readonly around: Around;
  /** The next request as it stands; `after`: with these totals instead of the view's. */
  look(after?: Totals): Look<T>;
  /** A look that still holds: this one, unless something happened since. */
  current(look: Look<T>): Look<T>;
}

/** The context of a conversation in which nothing happened yet. */
export function contextOf<T>(fields: ContextFields<T>): Context<T> {
  const { machine, seed } = fields;
  return {
    ...fields,
    apart: 0,
    beside: "the system prompt apart",
    cut: 0,
    requests: 0,
    begun: 0,
    get around() {
      return { apart: this.apart, cut: this.cut, draw: draw(seed, String(this.begun)) };
    },
    look(after) {
      return machine.look(this.around, after);
    },
    current(look) {
      return look.at === machine.position ? look : this.look();
    },
  };
}
