/** Reports for people. */

import type { CompactReport } from "../types/compact-report.ts";
import type { CountReport } from "../types/count.ts";
import type { PruneReport, Removal } from "../types/prune.ts";

export const number = (value: number) => value.toLocaleString("en");

export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function shown(report: CountReport | PruneReport | CompactReport): string {
  if ("perMessage" in report) return counts(report);
  const { before, after, budget, encoding, origin } = report;
  const lines = [
    `${number(before.total)} -> ${number(after.total)} tokens of ${number(budget)} (${encoding}, ${origin}), ` +
      `${before.messages} -> ${after.messages} messages`,
  ];
  if ("status" in report) {
    lines.push(`status: ${report.status}`);
    for (const { step, outcome, tokensBefore, tokensAfter, why } of report.steps) {
      lines.push(`  ${step}: ${outcome}, ${number(tokensBefore)} -> ${number(tokensAfter)} (${why})`);
    }
    const seen = (report.quality?.retention ?? []).filter(({ all }) => all > 0);
    const counted = seen.map(({ kind, all, ownLine, recall }) => {
      const recalled = recall > 0 ? ` (${number(recall)} by recall)` : "";
      return `${words(kind)} ${number(ownLine)} of ${number(all)}${recalled}`;
    });
    if (counted.length > 0) lines.push(`  still in view: ${counted.join(", ")}`);
    const facts = (report.ledger ?? []).map(({ block, lines: kept, leftOut }) => {
      const recalled = leftOut > 0 ? ` (${number(leftOut)} only by recall)` : "";
      return `${block} ${number(kept)}${recalled}`;
    });
    if (facts.length > 0) lines.push(`  kept by rule: ${facts.join(", ")}`);
    for (const miss of report.quality?.misses ?? []) lines.push(`  missing: ${miss}`);
    if (report.model)
      lines.push(
        `  model: ${plural(report.model.calls, "call")}, ${number(report.model.promptTokens)} tokens ` +
          `sent${report.model.error ? `, ${report.model.error}` : ""}`,
        ...unseen(report.model.reduced),
        ...(report.model.gaps ?? []).map((gap) => `  gap in the model's summary: ${gap}`),
      );
  }
  return [...lines, ...shownRemovals(report.removed)].join("\n");
}

/** Says what the summarising model was not shown, such as a history that its window does not hold. */
function unseen(reduced: NonNullable<CompactReport["model"]>["reduced"]): string[] {
  if (!reduced) return [];
  const { tokens, shortened, leftOut, arguments: calls, messages } = reduced;
  const parts = [
    [shortened, "result", "shortened"],
    [leftOut, "result", "only named"],
    [calls, "call", "shortened"],
    [messages, "message", "left out"],
  ] as const;
  const list = parts.flatMap(([count, noun, how]) => (count > 0 ? [`${plural(count, noun)} ${how}`] : []));
  return [`  not shown to the model: ${number(tokens)} tokens (${list.join(", ")})`];
}

/** Returns a line for each rule. */
export function shownRemovals(removed: readonly Removal[]): string[] {
  const rules = new Map<string, { messages: number; tokens: number; why: string }>();
  for (const { rule, ids, tokens, why } of removed) {
    const sum = rules.get(rule) ?? { messages: 0, tokens: 0, why };
    rules.set(rule, { messages: sum.messages + ids.length, tokens: sum.tokens + tokens, why });
  }
  return Array.from(
    rules,
    ([rule, { messages, tokens, why }]) =>
      `  ${rule}: ${plural(messages, "message")}, ${number(tokens)} tokens (${why})`,
  );
}

/** Splits the name of a field into words. */
export const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function counts(report: CountReport): string {
  const width = number(report.total).length;
  const rows = report.perMessage.map(({ id, role, tokens }) => `${number(tokens).padStart(width)}  ${id} ${role}`);
  const tools = report.perTool.map(({ name, tokens }) => `${number(tokens).padStart(width)}  tool ${name}`);
  return [
    ...rows,
    ...tools,
    `${number(report.total)} tokens (${report.encoding}, ${report.origin}): system ${number(report.frame)}, ` +
      `conversation ${number(report.conversation)}, tools ${number(report.tools)}; ` +
      plural(report.messages, "message"),
  ].join("\n");
}

/** Colours a report for a terminal: sums bold, steps and reasons dim. `NO_COLOR` turns it off. */
export function painted(text: string, { isTTY }: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): string {
  const isColoured = env["FORCE_COLOR"]
    ? env["FORCE_COLOR"] !== "0"
    : isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  if (!isColoured) return text;
  return text
    .split("\n")
    .map((line) =>
      line.startsWith("  ") ? line.replace(/^([^(]*)(\(.*\))$/, "$1\x1b[2m$2\x1b[22m") : `\x1b[1m${line}\x1b[22m`,
    )
    .join("\n");
}
