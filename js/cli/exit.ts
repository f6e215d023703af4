/** Exit codes: what a script can tell apart. */

import type { EspalierError } from "../errors/errors.ts";

export const EXIT = {
  ok: 0,
  /** A bug of ours. */
  bug: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** A file is missing, cannot be written, is no JSON, or no conversation. */
  input: 3,
  /** What must be kept is larger than the budget. */
  budget: 4,
  /** The model failed; the conversation was left as it was. */
  model: 5,
  /** `doctor` found what a provider would refuse. */
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
