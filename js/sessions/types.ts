/** The content of another agent's session file. */

import type { Format } from "../types/messages.ts";
import type { Usage } from "../types/cache.ts";

/** Names of the supported layouts; docs/sessions.md lists the tool and the files of each. */
export type SessionLayout =
  | "claude-code"
  | "codex"
  | "gemini-chat"
  | "gemini-checkpoint"
  | "gemini-stream"
  | "qwen-code"
  | "copilot-cli"
  | "vscode-chat"
  | "vscode-chat-log"
  | "copilot-replay"
  | "cline"
  | "cline-session"
  | "pi"
  | "opencode"
  | "openhands"
  | "openhands-events"
  | "swe-agent"
  | "atif"
  | "aider"
  | "letta"
  | "continue"
  | "cursor"
  | "crush"
  | "zed"
  | "goose"
  | "kimi"
  | "kiro"
  | "mistral-vibe"
  | "hermes"
  | "amp"
  | "langchain"
  | "langfuse"
  | "otel"
  | "inspect"
  | "chatgpt"
  | "droid";

/**
 * A place in the file: a line of JSON Lines or of text (from 1), or the index of an item in a file of one JSON value
 * (from 0).
 */
export type SessionPlace = number;

/** The file's facts about one message of `history`. */
export interface SessionEntry {
  /** The lines or items of the message, in order. */
  places: SessionPlace[];
  /** Time of the first of them, in milliseconds since 1970. */
  time?: number;
  /** True for a text with the role `user` that the tool wrote: environment, reminders, file contents. */
  injected?: true;
  /** The file's id of the message. */
  id?: string;
}

/** The reported usage of one request. */
export interface SessionUsage {
  /** Index in `history` of the model's answer. The request contained the live context before it. */
  answer: number;
  usage: Usage;
  model?: string;
}

/** A compaction that the tool made, and the context that replaced earlier messages. */
export interface SessionCompaction {
  /** Number of messages of `history` before it. */
  before: number;
  /** The messages that replaced them in the model's context, in order: a summary, and kept messages. */
  context: unknown[];
  /** Text of the summary, if there is one. */
  summary?: string;
  /** Tokens before and after, from the file. */
  tokensBefore?: number;
  tokensAfter?: number;
  /** The line or item that records it. */
  place: SessionPlace;
}

/** A side conversation: a sub-agent, or an abandoned branch. */
export interface SideChain {
  /** The id for opening it: `readSession(source, { sideChain: id })`. */
  id: string;
  kind: "subagent" | "branch" | "other";
  title?: string;
  /** Id of the tool call of the main conversation that began it. */
  call?: string;
  messages: unknown[];
}

/** Lines or parts of the file that are not part of the conversation, counted by kind. */
export interface SkippedKind {
  /** The file's name for them. */
  kind: string;
  count: number;
  /** Why they are left out, if the name does not explain it. */
  why?: string;
}

/** A line that could not be read. */
export interface SessionProblem {
  line: number;
  message: string;
}

/** A recorded session. Messages are in the format `format`, as the tool sent them if the file contains that. */
export interface Session {
  layout: SessionLayout;
  /** Name of the tool, for people. */
  tool: string;
  /** The evidence for the layout. */
  evidence: string;
  format: Format;
  /** The live context: the messages of the tool's next request. */
  messages: unknown[];
  /** All messages that were ever part of the conversation, in order, without summaries. */
  history: unknown[];
  /** The file's facts about each message of `history`. */
  entries: SessionEntry[];
  /**
   * Number of requests of the user in `history`: messages with that role that the tool did not write and that contain
   * no tool results.
   */
  turns: number;
  compactions: SessionCompaction[];
  usage: SessionUsage[];
  sideChains: SideChain[];
  /** Id of this side chain, if it is not the main conversation. */
  sideChain?: string;
  skipped: SkippedKind[];
  problems: SessionProblem[];
  /** System prompt, for formats that keep it separate from the messages. */
  system?: string;
  /** Tool definitions, in the format of the messages. */
  tools?: unknown[];
  id?: string;
  title?: string;
  /** Working directory. */
  cwd?: string;
  /** The newest model that answered. */
  model?: string;
  /** Tokens of the model's context window, if the file names them. */
  window?: number;
  /** Version of the tool, or of the layout. */
  version?: string;
}

export interface ReadSessionOptions {
  /** Reads the file as this layout. Default: recognised by its content. */
  layout?: SessionLayout;
  /** Name of the file, for errors. */
  name?: string;
  /** Opens this side chain instead of the main conversation. */
  sideChain?: string;
  /** The number of a conversation in a file with several, from 1. */
  conversation?: number;
  /**
   * If false, keeps only live messages, so that memory does not grow with messages that compactions removed. `history`
   * then begins with the newest compaction. Default true.
   */
  history?: boolean;
}

/** The sources of a session. */
export type SessionSource =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>;
