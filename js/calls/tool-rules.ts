/** The host's rules about its tools, checked and with every field in place. */

import { badOption as bad } from "../errors/errors.ts";
import { known, knownIn } from "../options/known.ts";
import { LEDGER, TOOL_RULE } from "../options/names/compaction.ts";
import { DIALECTS } from "../sessions/dialects.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { LedgerRules, ToolDialect, ToolRule } from "../types/profile.ts";

const KINDS = ["read", "write", "edit", "delete", "search", "shell", "todo", "ask", "web", "delegate", "other"];

/**
 * Returns the host's rules with every field filled in. Values of a wrong type are refused, never converted.
 */
export function rules(
  ledger: CompactOptions["ledger"],
  definitions?: unknown,
): Required<Omit<LedgerRules, "root" | "dialect">> & {
  root: string | undefined;
  dialect: ToolDialect | undefined;
  readOnly: Record<string, boolean>;
} {
  knownIn(ledger, LEDGER, "options.ledger");
  const { root, dialect, tools = [], markers = [], facts = [] } = ledger ?? {};
  const texts = (list: unknown, path: string): string[] => {
    if (!Array.isArray(list) || !list.every((text) => typeof text === "string"))
      throw bad(path, "a list of texts", list);
    return list;
  };
  if (root !== undefined && typeof root !== "string") throw bad("ledger.root", "a path", root);
  if (!Array.isArray(tools)) throw bad("ledger.tools", "a list", tools);
  if (dialect !== undefined && !DIALECTS.includes(dialect))
    throw bad("ledger.dialect", `one of ${DIALECTS.join(", ")}`, dialect);
  return {
    root,
    dialect,
    readOnly: readOnlyOf(definitions),
    markers: texts(markers, "ledger.markers"),
    facts: texts(facts, "ledger.facts"),
    tools: tools.map((tool: ToolRule, at) => {
      const path = `ledger.tools[${at}]`;
      if (typeof tool !== "object" || tool === null || typeof tool.name !== "string")
        throw bad(path, "{ name, kind }", tool);
      known(tool, TOOL_RULE, `options.${path}`);
      if (!KINDS.includes(tool.kind)) throw bad(`${path}.kind`, `one of ${KINDS.join(", ")}`, tool.kind);
      const names = (key: "path" | "command" | "content") => texts(tool[key] ?? [], `${path}.${key}`);
      const { name, kind, readOnly } = tool;
      if (readOnly !== undefined && typeof readOnly !== "boolean")
        throw bad(`${path}.readOnly`, "true or false", readOnly);
      const own = { name, kind, path: names("path"), command: names("command"), content: names("content") };
      return readOnly === undefined ? own : { ...own, readOnly };
    }),
  };
}

/** Whether calls leave the world as it is, by the name of the tool: what MCP's annotations say. */
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
