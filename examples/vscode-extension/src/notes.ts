/** What the chat shows about the conversation: compactions, removals, the state of the next request. */

import type { Compacted, PrepareReport } from "espalier";
import type * as vscode from "vscode";
import type { Talk, Undone } from "./talk.ts";

export const tokens = (count: number) => count.toLocaleString("en");

const plural = (count: number, noun: string) => `${tokens(count)} ${noun}${count === 1 ? "" : "s"}`;

export const COMMANDS = {
  showSent: "espalier.showSent",
  undo: "espalier.undoCompaction",
  unpin: "espalier.unpin",
  export: "espalier.exportConversation",
  transcript: "espalier.openTranscript",
  search: "espalier.searchWorkspace",
} as const;

function showButton(response: vscode.ChatResponseStream, talk: Talk): void {
  response.button({ command: COMMANDS.showSent, title: "Show what is sent", arguments: [talk.id] });
}

/** Shows compactions, with buttons that show the result and take it back. */
export function compacted(response: vscode.ChatResponseStream, talk: Talk, applied: readonly Compacted[]): void {
  const [first, last] = [applied[0], applied.at(-1)];
  if (!first || !last) return;
  response.markdown(`\n\n> ${compactedText(first, last)}\n\n`);
  showButton(response, talk);
  const plan = talk.edits().at(-1)?.planId;
  response.button({ command: COMMANDS.undo, title: "Undo", arguments: [talk.id, plan] });
}

function compactedText(first: Compacted, last: Compacted): string {
  const { report } = last;
  const covered = report?.covered.length ?? 0;
  const failed = report?.model?.error ?? (report?.model?.failure && `status ${report.model.failure}`);
  return [
    `**Conversation compacted**: ${tokens(first.before.total)} tokens are now ${tokens(last.after.total)}.`,
    covered > 0 ? `A summary replaces ${plural(covered, "message")}; the originals are kept.` : "",
    failed ? `The model wrote no summary (${failed}), so rules made it.` : "",
  ]
    .filter((text) => text !== "")
    .join(" ");
}

/** Shows that a request was cut without a summary. */
export function leftOut(response: vscode.ChatResponseStream, talk: Talk, { trimmed, usage }: PrepareReport): void {
  const ids = new Set(trimmed.flatMap(({ ids }) => ids));
  response.markdown(
    `\n\n> **Not everything fits**: ${plural(ids.size, "message")} of the conversation had to be left out of this request or shortened, to fit ${tokens(usage.limit)} tokens. Nothing was deleted.\n\n`,
  );
  showButton(response, talk);
}

/** Answers `/compact`. */
export function compactedByHand(response: vscode.ChatResponseStream, talk: Talk, result: Compacted): void {
  if (result.status === "applied") return compacted(response, talk, [result]);
  const reasons: Partial<Record<Compacted["status"], string>> = {
    nothing_to_compact: "There is nothing to compact yet: the newest question and answer always stay.",
    not_ready: "There is nothing to compact yet.",
    unchanged: "There is nothing to compact yet.",
    no_gain: "A summary would not be shorter than what it replaces, so nothing was changed.",
    inflated: "The summary was longer than what it replaces, so nothing was changed.",
    cancelled: "Cancelled; nothing was changed.",
    already_running: "A compaction is running already.",
  };
  response.markdown(
    reasons[result.status] ?? `Nothing was changed: ${result.error ?? result.status}. You can try again.`,
  );
}

/** Answers `/undo`, and the button of a compaction with its plan: says what the next request needs. */
export function undoneText(undone: Undone | undefined, plan?: string): string {
  if (!undone)
    return plan === undefined
      ? "There is no compaction to undo."
      : "This compaction is not in force any more, so there is nothing to undo.";
  const { messages, used, limit, fits } = undone;
  const back = messages > 0 ? `${plural(messages, "message")} more are` : "The replaced content is";
  if (fits) {
    return `Undone. ${back} sent word for word again: the next request has ${tokens(used)} of ${tokens(limit)} tokens, plus your next message. It fits, so nothing is compacted until it no longer does.`;
  }
  return `Undone. ${back} back for reading. The next request needs ${tokens(used - limit)} tokens more than fit (${tokens(used)} of ${tokens(limit)}), so it will be compacted again when you send it. To keep something word for word, use \`/pin\`, or pick a model with a larger window.`;
}

/** Blocks of a whole bar in a table: more would be wrapped in a narrow chat. */
const BAR = 6;

/** Draws a share as a bar of blocks. */
export function bar(share: number, width = BAR): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const full = Math.floor(eighths / 8);
  const rest = eighths % 8 === 0 ? "" : "▏▎▍▌▋▊▉".charAt((eighths % 8) - 1);
  return "█".repeat(full) + rest;
}

/** Describes what takes the window, as a table with bars. */
export function contextText(talk: Talk): string {
  const { conversation } = talk;
  const { used, limit, bound, ratio, job } = conversation.usage();
  const { split } = conversation.view();
  const rows: [string, number][] = [
    ["Your messages", split.user],
    ["Answers", split.assistant],
    ["Tool results", split.tool],
    ["Summaries", split.inserted],
    ["Overhead", split.frame],
    ["Tools", split.tools],
  ];
  const table = rows
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `| ${name} | ${tokens(count)} | ${bar(count / limit)} |`);
  const free = Math.max(0, limit - used);
  const compactions = new Set(talk.edits().map(({ planId, id }) => planId ?? id)).size;
  return [
    `**${Math.round(100 * ratio)} % of ${tokens(limit)} tokens**`,
    "",
    "| | Tokens | |",
    "|---|---:|:---|",
    ...table,
    `| *Free* | ${tokens(free)} | ${"░".repeat(Math.round((free / limit) * BAR))} |`,
    "",
    bound > 0 ? `The model's own count may differ by up to ${tokens(bound)} tokens.` : "",
    talk.isHeld ? "The newest compaction was undone: nothing is compacted while everything fits." : "",
    compactions > 0 ? `${plural(compactions, "compaction")} in force; \`/undo\` takes the newest back.` : "",
    job === "running" ? "A summary is being written beside the conversation." : "",
    job === "ready" ? "A summary is ready, and is used when the window fills up." : "",
  ].join("\n");
}
