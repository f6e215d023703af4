/** The state of a conversation. Written by `npm run types`: do not edit. */

import type { Origin } from "./count.ts";

/** Tokens of the next request. */
export interface ContextUsage {
  /** Max input tokens of a request, the base of ratios. */
  limit: number;
  /** The source of a limit. */
  limitSource:
    | "budget"
    | "maxPromptTokens"
    | "contextWindow"
    | "modelName"
    | "assumedLimit"
    | "learned"
    | "threshold"
    | "maxContextTokens"
    | "defaultTier";
  /** Tokens of the view, as the provider is expected to count them, including the possible error `bound`. */
  used: number;
  /** The included error. */
  bound: number;
  origin: Origin;
  /**
   * The expected tokens, `used` without `bound`, as a share of `limit`; triggers compare it. For profiles that use the
   * server's counts, the server's last count (see `Profile.measured`).
   */
  ratio: number;
  messages: number;
  frame: number;
  conversation: number;
  tools: number;
}
