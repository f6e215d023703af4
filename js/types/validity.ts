/** Rules of providers, and repairs. */

import type { Format, ToolList } from "./messages.ts";

/** A provider with rules for messages. */
export type ProviderName = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "vscode";

/** One thing that a provider would refuse. */
export interface Finding {
  /** Stable name of the rule: `orphan-result`, `lost-call`, `double-id`, `first-role`, … */
  rule: string;
  /** Path of the wrong field, as JavaScript writes it: `messages[3].content[1]`. */
  path: string;
  /** Index in the list of messages that was passed; absent if a tool, the system prompt or the request is wrong. */
  index?: number;
  /** Index among the parts of the message, as {@link NeutralMessage} has them. */
  part?: number;
  /** One sentence for people. */
  message: string;
}

/**
 * Demands of a model or a purpose beside its provider's rules. A rule applies if all of its `provider`, `model` and
 * `purpose` match.
 */
export interface ValidityRule {
  /** The provider that the rule is for. Default: any. */
  provider?: ProviderName;
  /** Name of a model; `*` matches any characters. Default: any. */
  model?: string;
  /** The purpose that the rule is for. Default: any. */
  purpose?: "answer" | "summary";
  /** The model reads texts only: notes replace pictures and documents. */
  textOnly?: boolean;
  /** Notes replace pictures. */
  noPictures?: boolean;
  /** The last message must not be of the assistant. */
  noPrefill?: boolean;
  /** The first call of a model's turn carries the signature of its reasoning (Gemini). */
  signatures?: boolean;
  /** The assistant says something between a tool result and a message of the user (Mistral). */
  answersResults?: boolean;
  /** Tools whose calls and results repair removes. */
  dropTools?: readonly string[];
}

export interface ValidityOptions {
  /**
   * Default: detected for neutral messages and those of the AI SDK and LangChain; for all others the provider's own.
   */
  format?: Format;
  /** Tool definitions. Default: those of the request object, if one was passed. */
  tools?: ToolList;
  /** Default: that of the request object. */
  model?: string;
  /** `summary` applies the rules of requests to summarise (no pictures, no searches for tools). Default `answer`. */
  purpose?: "answer" | "summary";
  /** The host's own rules, beside those for known models. */
  rules?: readonly ValidityRule[];
  /**
   * True for a stored conversation, in which the user's next message is still to come: it may end with the assistant.
   * Default false: a request.
   */
  openEnd?: boolean;
}

export interface ValidateOptions extends ValidityOptions {
  /** The provider whose rules apply, unless it is the argument before the options. */
  provider?: ProviderName;
  /** Calls at the end without a result: `report` (default) or `keep`, which ignores them. */
  pending?: "report" | "keep";
}

export interface RepairOptions extends ValidityOptions {
  /** The provider whose rules the messages must keep. */
  provider: ProviderName;
  /** Results without a call: `drop` (default), or `text`, which moves their text to a user message. */
  orphans?: "drop" | "text";
  /** Calls whose result will never come: `synthesize` (default) adds a result that says so, `drop` removes them. */
  lostCalls?: "synthesize" | "drop";
  /**
   * Calls at the end that may still be running: `keep` (default), `refuse` (throws `pending_calls`), or as `lostCalls`.
   */
  pending?: "keep" | "refuse" | "synthesize" | "drop";
  /** Removes reasoning, for a model other than the one that wrote it. Default false. */
  dropThoughts?: boolean;
  /** Text of the user message that is inserted where one must come before the assistant. */
  opening?: string;
  /** Text of the user message that is inserted where one must come after the assistant. */
  closing?: string;
  /** Text of the result that replaces a missing one. */
  lostText?: string;
}

/** One change of repair, with its reason. */
export interface RepairChange {
  rule: string;
  /** Path of the changed field in the messages as passed; absent for something new. */
  path?: string;
  index?: number;
  message: string;
}

export interface RepairReport {
  provider: ProviderName;
  format: Format;
  /** In the order of the messages. Empty if nothing changed. */
  changes: RepairChange[];
  /** What the host must fix: calls that are running, tools without a unique name. */
  left: Finding[];
}

export interface RepairResult<T> {
  /**
   * The same shape as the input; unchanged messages are the caller's own objects, and so is the whole if nothing
   * changed.
   */
  messages: T;
  report: RepairReport;
}
