/** Reports of compaction. */

import type { CompactOptions } from "./compact.ts";
import type { CountOptions, Totals } from "./count.ts";
import type { CompactReport as WrittenReport, CompactStatus, Edit } from "./generated/compact.ts";
import type { LimitFinding } from "./limits.ts";
import type { Llm } from "./llm.ts";
import type { LedgerRules } from "./profile.ts";

export type {
  CompactStatus,
  Edit,
  EditKind,
  EditTarget,
  LedgerBlock,
  Quality,
  ViewQuality,
} from "./generated/compact.ts";

export type CompactProgress =
  | { type: "model"; id: number; promptTokens: number }
  | { type: "answered"; id: number; characters: number }
  | { type: "hook"; name: "preCompact" | "postCompact"; outcome: "done" | "failed" | "timeout"; why?: string };

export interface CompactReport extends WrittenReport {
  /** Present if a model was asked. */
  model?: NonNullable<WrittenReport["model"]> & {
    usage: Record<string, unknown>[];
    /** What providers called the requests, and what services in front of them did. */
    requestIds: string[];
    serviceRequestIds?: string[];
    /** HTTP status of the newest request that failed, where its error says so. */
    statusCode?: number;
  };
  /** As {@link PruneReport.exceeded}. */
  exceeded?: readonly LimitFinding[];
}

/** Options of {@link quality}. */
export interface QualityOptions extends CountOptions {
  /** The host's additions to the rules that collect facts. */
  ledger?: LedgerRules;
  /** The text in the view that a model wrote: it is searched for inventions. */
  summary?: string;
  /** What really followed the view, in the same format: measures which of the missing facts were needed. */
  continuation?: unknown;
}

/** Options of {@link summarize}. */
export interface SummarizeOptions
  extends CountOptions,
    Pick<
      CompactOptions,
      | "focus"
      | "signal"
      | "timeoutMs"
      | "onProgress"
      | "ledger"
      | "recordProfile"
      | "verify"
      | "llmModel"
      | "modelRules"
      | "instructions"
      | "jobId"
      | "profile"
    > {
  /** For those who continue the work elsewhere: another agent, another session, a person. */
  purpose: "handoff";
  /** The model that writes the record. */
  llm: Llm;
  /** Max input tokens of the model. Default: as many as the conversation has. */
  maxLlmTokens?: number;
  /** What happens if the model fails: `leave` (default) returns no summary, `offline` makes one by rules. */
  onFailure?: "leave" | "offline";
}

/** The result of {@link summarize}. `summary` and `record` are absent unless `status` is `applied`. */
export interface SummarizeResult {
  status: CompactStatus;
  /** The model's text. */
  summary?: string;
  /**
   * The same as one message's text, followed by what rules keep: the user's words, constraints, files, errors,
   * commands.
   */
  record?: string;
  title?: string;
  /** Tokens of the conversation. */
  before: Totals;
  model?: NonNullable<CompactReport["model"]>;
  /** Why there is no summary. */
  error?: string;
}

export interface CompactResult<T> {
  status: CompactStatus;
  messages: T;
  edits: Edit[];
  report: CompactReport;
}
