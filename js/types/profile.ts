/** Profiles, and rules for the host's tools. */

import type { Profile, ToolKind } from "./generated/profile.ts";

export type * from "./generated/profile.ts";

export type ProfileName = "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";

/** One field in which two profiles differ. */
export interface ProfileDifference {
  field: string;
  a: unknown;
  b: unknown;
}

/** Some fields of a profile; the others are those of the profile with that name, or of `espalier`. */
export type ProfileFields = Fields<Profile>;

export type Fields<T> = {
  readonly [K in keyof T]?: T[K] extends object
    ? T[K] extends readonly unknown[]
      ? Readonly<T[K]>
      : Fields<T[K]>
    : T[K];
};

/** A tool of the host whose purpose does not follow from its name and the names of its arguments. */
export interface ToolRule {
  /** The name of the tool, as calls have it. */
  name: string;
  /** What the tool does. */
  kind: ToolKind;
  /** Names of arguments that hold paths. Default: the usual names. */
  path?: readonly string[];
  /** Names of arguments that hold command lines. Default: the usual names. */
  command?: readonly string[];
  /** Names of arguments that hold text for files. Default: the usual names. */
  content?: readonly string[];
  /**
   * True if calls change nothing, like MCP's `readOnlyHint`; other calls are listed as actions. Default: derived from
   * the name.
   */
  readOnly?: boolean;
}

/**
 * An agent whose tools are known: what each of its calls does, the names of their arguments, the form of their results.
 * The name of a session layout selects the agent that writes it.
 */
export type ToolDialect =
  | "claude-code"
  | "codex"
  | "gemini-cli"
  | "copilot-cli"
  | "vscode-chat"
  | "cline"
  | "pi"
  | "opencode"
  | "openhands"
  | "swe-agent"
  | "aider"
  | "cursor"
  | "zed"
  | "goose"
  | "gemini-chat"
  | "gemini-checkpoint"
  | "gemini-stream"
  | "qwen-code"
  | "vscode-chat-log"
  | "copilot-replay"
  | "cline-session"
  | "openhands-events";

export interface LedgerRules {
  /** Folder to which paths are made relative. Default: paths stay unchanged. */
  root?: string;
  /** What the host's own tools do. Default: derived from their names and arguments. */
  tools?: readonly ToolRule[];
  /**
   * The agent that made the calls; a few names differ in meaning between agents (`offset` counts from 0 in gemini-cli,
   * from 1 in others). Default: every known agent.
   */
  dialect?: ToolDialect;
  /** More words (lower case) that mark a sentence of the user as a constraint. */
  markers?: readonly string[];
  /** Pinned facts in words: they are listed among the constraints of every record. */
  facts?: readonly string[];
}
