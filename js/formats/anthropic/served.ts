/** Calls of the tools that the server runs, and their results, which are blocks of the assistant's messages. */

import { REMOVE } from "../checks.ts";
import type { WireFinding } from "../checks.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

export const isServerCall = ({ type }: Fields): boolean => type === "server_tool_use" || type === "mcp_tool_use";

/** The results of `web_search`, `code_execution`, MCP servers and others; not those of the host's tools. */
export const isServerResult = ({ type }: Fields): boolean =>
  typeof type === "string" && type !== "tool_result" && type.endsWith("_tool_result");

/**
 * Finds calls without a result behind them, and results without a call before them. The result comes in the same
 * message or later in the turn: behind results of the host's tools, if a program calls them ("Programmatic tool
 * calling") or the host's tools run beside the server's, and in the message that continues a paused one ("Stop
 * reasons", `pause_turn`; both pages of Anthropic, 2026). Calls of the newest turn may still be running.
 */
export function checkServed(list: readonly Fields[], find: (finding: WireFinding) => void): void {
  const open = new Map<unknown, { index: number; at: number }>();
  const endTurn = () => {
    for (const { index, at } of open.values())
      find({
        rule: "lost-server-call",
        index,
        place: ["content", at],
        message: "the call of a tool of the server has no result behind it",
        fix: REMOVE,
      });
    open.clear();
  };
  for (const [index, { role, content }] of list.entries()) {
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    if (role === "user" && !(blocks.length > 0 && blocks.every(isResult))) endTurn();
    for (const [at, block] of blocks.entries()) {
      if (!isFields(block)) continue;
      if (isServerCall(block)) open.set(block["id"], { index, at });
      else if (isServerResult(block) && !open.delete(block["tool_use_id"]))
        find({
          rule: "orphan-server-result",
          index,
          place: ["content", at],
          message: "the result of a tool of the server has no call before it",
          fix: REMOVE,
        });
    }
  }
}

const isResult = (block: unknown): boolean => isFields(block) && block["type"] === "tool_result";
