/** What a session file of another agent holds, once it is read. */

import type { Format } from "../types/messages.ts";
import type { Usage } from "../types/cache.ts";

/** Names of the layouts that are read; docs/sessions.md lists the tool and the files of each. */
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
  | "aider"
  | "letta"
  | "continue"
  | "cursor"
  | "zed"
  | "goose"
  | "kimi"
  | "amp"
  | "langchain"
  | "langfuse"
  | "chatgpt"
  | "droid";

/**
 * A place in the file: a line of JSON Lines or of text (from 1), or the index of an item in a file of one JSON value
 * (from 0).
 */
export type SessionPlace = number;

/** What the file says about one message of `history`. */
export interface SessionEntry {
  /** The lines or items that make up the message, in order. */
  places: SessionPlace[];
  /** Time of the first of them, in milliseconds since 1970. */
  time?: number;
  /** True for a text with the role `user` that the tool wrote: environment, reminders, file contents. */
  injected?: true;
  /** The id that the file gives the message. */
  id?: string;
}

/** What one request cost, as the provider reported it. */
export interface SessionUsage {
  /** Index in `history` of the model's answer. The request held what was live before it. */
  answer: number;
  usage: Usage;
  model?: string;
}

/** A compaction that the tool made: what replaced the messages before it. */
export interface SessionCompaction {
  /** Number of messages of `history` that came before. */
  before: number;
  /** What replaced them in the model's context, in order: a summary, and messages that were kept. */
  context: unknown[];
  /** Text of the summary, if there is one. */
  summary?: string;
  /** Tokens before and after, as the file says. */
  tokensBefore?: number;
  tokensAfter?: number;
  /** The line or item that records it. */
  place: SessionPlace;
}

/** A conversation beside the main one: a sub-agent, or a branch that was given up. */
export interface SideChain {
  /** To open it by: `readSession(source, { sideChain: id })`. */
  id: string;
  kind: "subagent" | "branch" | "other";
  title?: string;
  /** Id of the tool call of the main conversation that began it. */
  call?: string;
  messages: unknown[];
}

/** Lines or parts of the file that are not part of the conversation, counted by kind. */
export interface SkippedKind {
  /** What the file calls them. */
  kind: string;
  count: number;
  /** Why they are left out, for kinds whose name does not say it. */
  why?: string;
}

/** A line that could not be read. */
export interface SessionProblem {
  line: number;
  message: string;
}

/** A recorded session. Messages are in the format `format`, as the tool sent them wherever the file holds that. */
export interface Session {
  layout: SessionLayout;
  /** Name of the tool, for people. */
  tool: string;
  /** What the layout was recognised by. */
  evidence: string;
  format: Format;
  /** The live context: what the tool's next request would hold. */
  messages: unknown[];
  /** All messages that were ever part of the conversation, in order, without summaries. */
  history: unknown[];
  /** What the file says about each message of `history`. */
  entries: SessionEntry[];
  /**
   * Number of requests of a user in `history`: messages with that role that the tool did not write and that hold no
   * tool results.
   */
  turns: number;
  compactions: SessionCompaction[];
  usage: SessionUsage[];
  sideChains: SideChain[];
  /** Id of the side chain that this is, if it is not the main conversation. */
  sideChain?: string;
  skipped: SkippedKind[];
  problems: SessionProblem[];
  /** System prompt, for formats that keep it apart from the messages. */
  system?: string;
  /** Tool definitions, in the format of the messages. */
  tools?: unknown[];
  id?: string;
  title?: string;
  /** Working directory. */
  cwd?: string;
  /** The newest model that answered. */
  model?: string;
  /** Tokens of the model's context window, if the file says. */
  window?: number;
  /** Version of the tool, or of the layout. */
  version?: string;
}

export interface ReadSessionOptions {
  /** Reads the file as this layout. Default: recognised by what the file holds. */
  layout?: SessionLayout;
  /** Name of the file, for errors. */
  name?: string;
  /** Opens this side chain in place of the main conversation. */
  sideChain?: string;
  /** Which conversation of a file with several, from 1. */
  conversation?: number;
  /**
   * False: keep only messages that are still live, so that memory does not grow with what compactions removed.
   * `history` then begins with the newest compaction. Default true.
   */
  history?: boolean;
}

/** What a session can be read from. */
export type SessionSource =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>;
