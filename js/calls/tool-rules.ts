/** The host's rules about its tools, checked and complete. */

import type { CompactOptions } from "../types/compact.ts";
import type { LedgerRules, ToolDialect } from "../types/profile.ts";

/** Returns the host's rules with every field filled in. */
export function rules(
  ledger: CompactOptions["ledger"],
  definitions?: unknown,
): Required<Omit<LedgerRules, "root" | "dialect">> & {
  root: string | undefined;
  dialect: ToolDialect | undefined;
  readOnly: Record<string, boolean>;
} {
  const { root, dialect, tools = [], markers = [], facts = [] } = ledger ?? {};
  return {
    root,
    dialect,
    readOnly: readOnlyOf(definitions),
    markers,
    facts,
    tools: tools.map(({ path = [], command = [], content = [], ...others }) => ({ ...others, path, command, content })),
  };
}

/** Returns whether each tool is read-only, by its name, from MCP's annotations. */
function readOnlyOf(definitions: unknown): Record<string, boolean> {
  const found: [string, boolean][] = [];
  for (const tool of Array.isArray(definitions) ? definitions : []) {
    const { name, annotations } = tool?.function ?? tool ?? {};
    const { readOnlyHint, destructiveHint } = annotations ?? tool?.annotations ?? {};
    if (typeof name !== "string") continue;
    if (typeof readOnlyHint === "boolean") found.push([name, readOnlyHint]);
    else if (destructiveHint === true) found.push([name, false]);
  }
  return Object.fromEntries(found);
}
