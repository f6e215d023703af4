/** Rules of providers, and repairs. */

import type { Format, ToolList } from "./messages.ts";

/** Whose rules count. */
export type ProviderName = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "vscode";

/** One thing that a provider would refuse. */
export interface Finding {
  /** Stable name of the rule: `orphan-result`, `lost-call`, `double-id`, `first-role`, … */
  rule: string;
  /** The field to blame, as one would write it in JavaScript: `messages[3].content[1]`. */
  path: string;
  /**
   * Index in the list of messages that was passed; absent where a tool, the system prompt or the request is to blame.
   */
  index?: number;
  /** Index among the parts of the message, as {@link NeutralMessage} has them. */
  part?: number;
  /** One sentence for people. */
  message: string;
}

/** What a model or purpose demands besides its provider's rules; where all that is named is met, its demands count. */
export interface ValidityRule {
  /** The provider that the rule is for. Default: any. */
  provider?: ProviderName;
  /** Name of a model; `*` matches any characters. Default: any. */
  model?: string;
  /** The purpose that the rule is for. Default: any. */
  purpose?: "answer" | "summary";
  /** The model reads texts only: pictures and documents become notes. */
  textOnly?: boolean;
  /** Pictures become notes. */
  noPictures?: boolean;
  /** The assistant must not speak last. */
  noPrefill?: boolean;
  /** The first call of a turn of the model carries the signature of its thought (Gemini). */
  signatures?: boolean;
  /** Tools whose calls and results repair takes out. */
  dropTools?: readonly string[];
}

export interface ValidityOptions {
  /**
   * Default: neutral messages and those of the AI SDK are told by their structure, all others are the provider's own.
   */
  format?: Format;
  /** Tool definitions; default: those of the request object, if one was passed. */
  tools?: ToolList;
  /** Default: that of the request object. */
  model?: string;
  /** `summary` counts the rules of requests to summarise (no pictures, no searches for tools). Default `answer`. */
  purpose?: "answer" | "summary";
  /** Rows of the host's own, beside those for known models. */
  rules?: readonly ValidityRule[];
}

export interface ValidateOptions extends ValidityOptions {
  /** Calls at the end that have no result yet: `report` them (default), or pass them over (`keep`). */
  pending?: "report" | "keep";
}

export interface RepairOptions extends ValidityOptions {
  /** The provider whose rules the messages must keep. */
  provider: ProviderName;
  /** Results without a call: left out (default), or their text becomes a note of the user. */
  orphans?: "drop" | "text";
  /** Calls that nobody will answer any more: they get a result that says so (default), or go. */
  lostCalls?: "synthesize" | "drop";
  /**
   * Calls at the end that may still be running: they stay (default), the request is refused (`pending_calls`), or as
   * `lostCalls`.
   */
  pending?: "keep" | "refuse" | "synthesize" | "drop";
  /** Takes thoughts out, for a model other than the one that had them. Default false. */
  dropThoughts?: boolean;
  /** What the user says where somebody must speak before the assistant. */
  opening?: string;
  /** What the user says where somebody must speak behind the assistant. */
  closing?: string;
  /** Text of the result that stands for one that was never recorded. */
  lostText?: string;
}

/** What repair did, and why. */
export interface RepairChange {
  rule: string;
  /** The field it was about, in the messages as they were passed; absent for something new. */
  path?: string;
  index?: number;
  message: string;
}

export interface RepairReport {
  provider: ProviderName;
  format: Format;
  /** In the order of the messages. Empty if nothing was changed. */
  changes: RepairChange[];
  /** What is left for the host to mend: calls that are running, tools without a name that is taken. */
  left: Finding[];
}

export interface RepairResult<T> {
  /**
   * The same shape as what was passed in; untouched messages are the caller's own objects, and so is the whole if
   * nothing was changed.
   */
  messages: T;
  report: RepairReport;
}
