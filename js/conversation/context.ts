/** What the parts of a conversation share. */

import type { LogView } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactHooks } from "../types/compact.ts";
import type { Llm } from "../types/llm.ts";
import type { Profile } from "../types/profile.ts";
import type { Events } from "./events.ts";
import type { Inside } from "./inside.ts";
import type { Limits } from "./limits.ts";
import type { Saving } from "./saving.ts";
import type { ContextUsage, ConversationOptions } from "./types.ts";

/** A profile with all of its fields, and as the host gave it, as JSON text: what the core is asked with. */
export type ReadProfile = Profile & { text: string };

/** The next request as it stands. */
export interface Look<T> {
  view: LogView<T>;
  usage: ContextUsage;
  /** Tokens of the provider's that a request must not exceed. */
  request: number;
  overflows: boolean;
}

export interface Context<T> {
  readonly log: ConversationLog<T>;
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
  /** Of the model of the newest request. */
  limits: Limits;
  /** Tokens of the system prompt that is kept apart; of a prompt tree, of all of it but the history. */
  apart: number;
  /** What `apart` is. */
  beside: "the system prompt apart" | "the prompt around the conversation";
  /** Tokens of the view that the request does not pay for: results that its prompt tree cuts to their share. */
  cut: number;
  /** Requests prepared so far. */
  requests: number;
  readonly inside: Inside;
  look(): Look<T>;
}
