/** Items of Responses that belong together without being a call of the host and its output. */

import { REMOVE } from "../checks.ts";
import type { WireFinding } from "../checks.ts";
import { string } from "../values.ts";
import type { Fields } from "../values.ts";

/** Which field of an item has the id that it shares with the other. */
const FIRST: Readonly<Record<string, string>> = { program: "call_id", mcp_approval_request: "id" };
const SECOND: Readonly<Record<string, string>> = {
  program_output: "call_id",
  mcp_approval_response: "approval_request_id",
};

const idIn = (fields: Readonly<Record<string, string>>, item: Fields): string | undefined => {
  const type = string(item["type"]);
  const id = Object.hasOwn(fields, type) ? item[fields[type]!] : undefined;
  return typeof id === "string" ? id : undefined;
};

/**
 * Returns the id that an item shares with another one: a program that the platform runs, which calls the host's tools,
 * and its output behind their results; a question whether a tool of an MCP server may run, and the user's answer.
 */
export const servedId = (item: Fields): string | undefined => idIn(FIRST, item) ?? idIn(SECOND, item);

/**
 * Finds outputs of programs and answers of the user without what they belong to, and what has none before the newest
 * request. "The following MCP approval requests do not have an approval", says the server.
 */
export function checkServed(list: readonly Fields[], find: (finding: WireFinding) => void): void {
  const open = new Map<string, number>();
  const lost = () => {
    for (const [id, index] of open)
      find({ rule: "lost-server-call", index, place: [], message: `nothing answers ${id}`, fix: REMOVE });
    open.clear();
  };
  for (const [index, item] of list.entries()) {
    const { type, role } = item;
    if (role === "user" && (type === undefined || type === "message")) lost();
    const [first, second] = [idIn(FIRST, item), idIn(SECOND, item)];
    if (first !== undefined) open.set(first, index);
    else if (second !== undefined && !open.delete(second))
      find({
        rule: "orphan-server-result",
        index,
        place: [],
        message: `${string(type)} belongs to ${second}, which is not there`,
        fix: REMOVE,
      });
  }
}
