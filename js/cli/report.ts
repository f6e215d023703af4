/** Reports for people. */

import type { CompactReport, CountReport, PruneReport } from "../types.ts";

const number = (value: number) => value.toLocaleString("en");

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
    if (report.model) lines.push(`  model: ${report.model.calls} calls, ${number(report.model.promptTokens)} tokens sent${report.model.error ? `, ${report.model.error}` : ""}`);
  }
  const rules = new Map<string, { messages: number; tokens: number; why: string }>();
  for (const { rule, ids, tokens, why } of report.removed) {
    const sum = rules.get(rule) ?? { messages: 0, tokens: 0, why };
    rules.set(rule, { messages: sum.messages + ids.length, tokens: sum.tokens + tokens, why });
  }
  for (const [rule, { messages, tokens, why }] of rules) {
    lines.push(`  ${rule}: ${messages} message${messages === 1 ? "" : "s"}, ${number(tokens)} tokens (${why})`);
  }
  return lines.join("\n");
}

function counts(report: CountReport): string {
  const width = number(report.total).length;
  const rows = report.perMessage.map(({ id, role, tokens }) => `${number(tokens).padStart(width)}  ${id} ${role}`);
  const tools = report.perTool.map(({ name, tokens }) => `${number(tokens).padStart(width)}  tool ${name}`);
  return [
    ...rows,
    ...tools,
    `${number(report.total)} tokens (${report.encoding}, ${report.origin}): frame ${number(report.frame)}, ` +
      `conversation ${number(report.conversation)}, tools ${number(report.tools)}; ${report.messages} messages`,
  ].join("\n");
}
