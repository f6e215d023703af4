/** Exit codes, for scripts. */

import type { EspalierError } from "../errors/errors.ts";

export const EXIT = {
  ok: 0,
  /** A bug of ours. */
  bug: 1,
  /** The command line is invalid. */
  usage: 2,
  /** A file is missing, cannot be written, is not JSON, or contains no conversation. */
  input: 3,
  /** The messages that must stay are larger than the budget. */
  budget: 4,
  /** The model failed; the conversation is unchanged. */
  model: 5,
  /** `doctor` found something that a provider would refuse. */
  refused: 6,
  /** Interrupted. */
  cancelled: 130,
} as const;

export function exitCode(error: EspalierError): number {
  switch (error.code) {
    case "budget_exceeded":
      return EXIT.budget;
    case "compaction_failed":
      return EXIT.model;
    case "bad_option":
    case "unknown_encoding":
    case "no_key":
      return EXIT.usage;
    case "engine_crashed":
      return EXIT.bug;
    default:
      return EXIT.input;
  }
}
