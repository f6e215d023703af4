/** Describes a session file for people. */

import type { Session, SessionView } from "../sessions/index.ts";
import { number, plural } from "./report.ts";

/** Max side chains that are named one by one. */
const NAMED = 5;

/** Returns a line on the layout, and one for each kind of content that is not shown, with the flag that shows it. */
export function shownSession(session: Session, view: SessionView): string {
  const { tool, layout, evidence, messages, history, compactions, sideChains, skipped, problems, usage } = session;
  const lines = [
    `session: ${tool} (${layout}), recognised by ${evidence}`,
    `  ${plural(session.turns, "turn")} of a user`,
  ];
  if (compactions.length === 0) lines.push(`  ${plural(messages.length, "message")}; the tool has not compacted it`);
  else {
    const [shown, other] =
      view === "live"
        ? ["live context", "--view history shows the whole history"]
        : ["whole history", "--view live shows the live context"];
    lines.push(
      `  ${shown}: ${plural((view === "live" ? messages : history).length, "message")}; compacted ` +
        `${plural(compactions.length, "time")} (${other}, ` +
        `${plural((view === "live" ? history : messages).length, "message")})`,
    );
  }
  const last = usage.at(-1);
  if (last)
    lines.push(
      `  recorded for the newest request: ${number(last.usage.promptTotal)} prompt ` +
        `tokens${last.model === undefined ? "" : ` (${last.model})`}`,
    );
  if (sideChains.length > 0) {
    const ids = sideChains.slice(0, NAMED).map(({ id, kind, messages: own }) => `${id} (${kind}, ${own.length})`);
    lines.push(
      `  left out: ${plural(sideChains.length, "side chain")}: ` +
        `${ids.join(", ")}${sideChains.length > NAMED ? ", …" : ""} (--side-chain ID opens one)`,
    );
  }
  if (skipped.length > 0)
    lines.push(`  left out: ${skipped.map(({ kind, count }) => `${count} × ${kind}`).join(", ")}`);
  for (const { line, message } of problems.slice(0, NAMED)) lines.push(`  line ${line}: ${message}`);
  if (problems.length > NAMED) lines.push(`  ${problems.length - NAMED} more lines could not be read`);
  return lines.join("\n");
}

/** `espalier log` of a session: requests, compactions and usage in the order of the file. */
export function sessionLog(session: Session): string {
  const { history, entries, compactions, usage } = session;
  const rows: { at: number; text: string }[] = [];
  const time = (index: number) => {
    const at = entries[index]?.time;
    return at === undefined ? "" : `${new Date(at).toISOString()}  `;
  };
  for (const { before, place, summary, tokensBefore, tokensAfter } of compactions) {
    const tokens =
      tokensBefore === undefined
        ? ""
        : `, ${number(tokensBefore)}${tokensAfter === undefined ? "" : ` -> ${number(tokensAfter)}`} tokens`;
    const length = summary === undefined ? "" : `, summary of ${plural(summary.length, "character")}`;
    const text = `${time(before)}compaction at ${place}: replaced ${plural(before, "message")}${tokens}${length}`;
    rows.push({ at: before - 0.5, text });
  }
  for (const {
    answer,
    usage: { promptTotal, cacheRead, output },
    model,
  } of usage) {
    const cached = cacheRead > 0 ? ` (${number(cacheRead)} from the cache)` : "";
    rows.push({
      at: answer,
      text:
        `${time(answer)}request: ${number(promptTotal)} prompt tokens${cached}, ${number(output)} ` +
        `written${model === undefined ? "" : `, ${model}`}`,
    });
  }
  rows.sort((a, b) => a.at - b.at);
  return [
    ...rows.map(({ text }) => text),
    `${plural(history.length, "message")}; ${number(session.messages.length)} are live`,
  ].join("\n");
}

/** Returns a session file's facts for --json: everything but the messages. */
export function sessionFacts(session: Session | undefined): { session?: object } {
  if (!session) return {};
  const { messages, history, entries: _, sideChains, compactions, ...facts } = session;
  return {
    session: {
      ...facts,
      live: messages.length,
      history: history.length,
      compactions: compactions.map(({ context, ...one }) => ({ ...one, context: context.length })),
      sideChains: sideChains.map(({ messages: own, ...chain }) => ({ ...chain, messages: own.length })),
    },
  };
}
