/** The state that the parts of a conversation share. */

import type { ConversationLog } from "../log/log.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactHooks } from "../types/compact.ts";
import type { Totals } from "../types/count.ts";
import type { Llm } from "../types/llm.ts";
import type { PruneOptions } from "../types/prune.ts";
import type { Profile } from "../types/profile.ts";
import { draw } from "./draw.ts";
import type { Events } from "./events.ts";
import type { Inside } from "./inside.ts";
import type { Around, Look, Machine } from "./machine.ts";
import type { Saving } from "./saving.ts";
import type { ConversationOptions } from "./types.ts";

/** A profile with all of its fields, and the host's JSON text of it, which the core receives. */
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
  readonly timeoutsMs: Profile["timeoutsMs"] & { storage: number };
  readonly compaction: NonNullable<ConversationOptions<T>["compact"]>;
  readonly hooks: CompactHooks | undefined;
  /** Max number of stored summaries to keep as files; 0 without a storage. */
  readonly checkpoints: number;
  readonly seed: string | number;
  readonly inside: Inside;
}

export interface Context<T> extends ContextFields<T> {
  /** Tokens of the separate system prompt; for a prompt tree, of everything but the history. */
  apart: number;
  /** Names the content of `apart`. */
  beside: "the system prompt apart" | "the prompt around the conversation";
  /** Tokens of the view that the request does not contain, because its prompt tree cuts results to their share. */
  cut: number;
  /** Limits of the history in a prompt tree, if they are not those of the conversation. */
  limits?: PruneOptions["limits"];
  /** Number of requests prepared so far. */
  requests: number;
  /** Number of compactions begun so far; jitter is drawn for it, and plans are named by it. */
  begun: number;
  /**
   * The surroundings of the view in the next request. The number that spreads the start of background compactions is
   * drawn from the seed and the number of compactions, so it is the same for the same log.
   */
  readonly around: Around;
  /** Returns the current state of the next request; `after`: with these totals instead of the view's. */
  look(after?: Totals): Look<T>;
  /** Returns an up-to-date look: this one, unless something has happened since. */
  current(look: Look<T>): Look<T>;
}

/** Returns the context of a new conversation. */
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
