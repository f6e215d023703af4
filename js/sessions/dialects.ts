/**
 * The dialects of tools that the core has a table for: `core/src/message/dialects`. The names are those of agents and
 * of their session layouts.
 */

import type { ToolDialect } from "../types/profile.ts";

export const DIALECTS: readonly ToolDialect[] = [
  "claude-code",
  "codex",
  "gemini-cli",
  "copilot-cli",
  "vscode-chat",
  "cline",
  "pi",
  "opencode",
  "openhands",
  "swe-agent",
  "aider",
  "cursor",
  "zed",
  "goose",
  "gemini-chat",
  "gemini-checkpoint",
  "gemini-stream",
  "qwen-code",
  "vscode-chat-log",
  "copilot-replay",
  "cline-session",
  "openhands-events",
];

/**
 * Returns the dialect of the tools in a session of this layout; undefined if there is no table, so that the tables of
 * all agents apply.
 */
export function dialectOf(layout: string): ToolDialect | undefined {
  return DIALECTS.find((name) => name === layout);
}
