/** Codes of errors, and the `details` of each. docs/errors.md has a row for every code; a test compares the two. */

import type { SplitDetails } from "../documents/changed.ts";
import type { ProviderErrorCode, ProviderErrorDetails } from "../providers/types.ts";
import type { Attempt } from "../calls/request.ts";
import type { Attempted } from "../search/types.ts";
import type { CompactReport, CompactStatus } from "../types/compact-report.ts";
import type { Finding } from "../types/validity.ts";

/** One of the largest items that must stay: a message by `id`, an element of a prompt tree by `path`. */
export interface Contributor {
  /** Id of the message, or `tools` for the tool definitions. Absent for elements of a prompt tree. */
  id?: string;
  /** Path of the element (`Prompt > UserMessage`). Absent for messages. */
  path?: string;
  tokens: number;
  /** Why it cannot be removed. */
  why?: string;
}

/** `details` of `budget_exceeded`. */
export interface ExceededDetails {
  /** The allowed tokens (or characters). */
  budget: number;
  /** Tokens that the smallest possible result needs. */
  needed: number;
  /** At most five, largest first. */
  largest?: readonly Contributor[];
  /** For a prompt tree: the element whose limit was exceeded. For a limit that is not tokens: its name. */
  limit?: string;
  /** For {@link request}: refusals before this error. */
  attempts?: readonly Attempt[];
  /** For {@link renderRequest}: how each compaction ended. */
  compactions?: readonly { status: string; error?: string }[];
}

/** `details` of `compaction_failed`. */
export interface FailedDetails {
  /** How the compaction ended. */
  status: CompactStatus;
  budget: number;
  /** Tokens of the request, which is unchanged. */
  needed: number;
  report: CompactReport;
}

/** `details` of `pin_budget_exceeded`. */
export interface PinDetails {
  budget: number;
  /** Tokens of all pins, including the rejected one. */
  pinned: number;
  pins: { id: string; tokens: number; reason?: string | undefined }[];
}

/**
 * `details` of a provider's errors. `attempts` counts the requests of one call; for {@link request} it lists the
 * refusals instead.
 */
export type RefusedDetails = Partial<Omit<ProviderErrorDetails, "attempts">> & {
  attempts?: number | readonly Attempt[];
};

/** `details` by code; codes that are missing here have none. */
interface WithDetails extends Record<ProviderErrorCode, RefusedDetails> {
  budget_exceeded: ExceededDetails;
  pin_budget_exceeded: PinDetails;
  compaction_failed: FailedDetails;
  split_input: SplitDetails;
  /** `batches` is the number of requests that would be needed. */
  too_many_changes: { budget: number; needed: number; batches: number };
  pending_calls: { calls: readonly Finding[] };
  /** `removed` is the number of nodes that the budget removed. */
  empty_prompt: { budget: number; removed: number };
  /** `tried` has the reason of each strategy. */
  search_failed: { tried: readonly Attempted[] };
  several_sessions: { conversations: { number: number; label: string; messages: number }[] };
  /** `nearest` is the option that an unknown name probably means. */
  bad_option: { nearest?: string } | undefined;
}

/** Codes without details. */
type Bare =
  // Wrong arguments
  | "bad_input"
  | "bad_message"
  | "unknown_format"
  | "duplicate_id"
  | "unknown_encoding"
  | "unknown_language"
  | "unknown_id"
  | "bad_threshold"
  | "bad_diff"
  | "bad_query"
  | "bad_edit"
  | "stale_plan"
  | "log_version"
  | "bad_log"
  | "unknown_effect"
  // Missing engine or vocabulary
  | "not_initialized"
  | "wasm_not_found"
  | "bad_wasm"
  | "wasm_blocked"
  | "encoding_not_loaded"
  | "vocab_not_found"
  | "bad_vocabulary"
  | "grammar_not_found"
  | "bad_grammar"
  | "search_not_loaded"
  | "engine_crashed"
  | "out_of_memory"
  // Prompt trees
  | "bad_element"
  | "text_outside_message"
  | "not_rendered"
  | "freed"
  // Conversations
  | "disposed"
  | "nothing_to_compact"
  | "not_ready"
  | "already_running"
  // Workers and servers of traces
  | "cancelled"
  | "worker_failed"
  | "unsupported"
  // Workspace search
  | "watch_failed"
  | "callback_timeout"
  // Session files
  | "unknown_session"
  | "no_conversation"
  // The command line
  | "file_not_found"
  | "bad_json"
  | "binary_file"
  | "no_key";

/** `details` of every code. */
export type ErrorDetails = WithDetails & { [code in Bare]: undefined };

/** Codes of wrong argument values. */
export type InputCode = "bad_input" | "bad_option" | "bad_message" | "bad_edit";

/** A stable code of the error, to branch on. */
export type ErrorCode = keyof ErrorDetails;
