/** `espalier compact --plan`: shows the planned edits, without the messages. */

import type { CompactReport, Edit } from "../types/compact-report.ts";
import { abbreviateIds } from "./entry.ts";
import { number, shown } from "./report.ts";

/** Returns each edit with its targets, and the text of the summary. */
export function planned({ report, edits }: { report: CompactReport; edits: readonly Edit[] }): string {
  const rows = edits.map(({ id, kind, rule, targets, tokensBefore, tokensAfter }) => {
    const ids = [...new Set(targets.map(({ message }) => message))];
    return (
      `  ${id} ${kind} (${rule}): ${ids.length} message${ids.length === 1 ? "" : "s"} (${abbreviateIds(ids)}), ` +
      `${number(tokensBefore)} -> ${number(tokensAfter)} tokens`
    );
  });
  const fates = report.messages.map(
    ({ id, role, before, after, fate, rule }) =>
      `  ${fate.padEnd(8)} ${id} ${role}, ${number(before)} -> ` +
      `${number(after)}${rule === undefined ? "" : ` (${rule})`}`,
  );
  const said = edits.flatMap(
    ({ message }) => message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [],
  );
  return [
    shown(report),
    "",
    "edits:",
    ...(rows.length > 0 ? rows : ["  none"]),
    "",
    "messages:",
    ...fates,
    ...(said.length > 0 ? ["", "summary:", "", ...said] : []),
  ].join("\n");
}
