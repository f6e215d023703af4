/** The figures of a run as a table for other programs. */

import { happenings } from "./happened.ts";
import type { Played } from "./totals.ts";

/** Writes a field: texts of messages in errors may hold anything. */
const field = (value: string | number | undefined) => {
  const text = String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Returns comma-separated values: a line for each request and side. */
export function figuresOf(sides: readonly Played[]): string {
  const names = ["run", "request", "messages", "history", "sent", "cached", "lost", "word for word", "waited ms"];
  const lines = [[...names, "what happened"].join(",")];
  for (const [side, { requests, compactions }] of sides.entries()) {
    const events = happenings(requests, compactions);
    for (const row of requests) {
      const { number, messages, history, sent, cached, lost, whole, waited } = row;
      const what = (events.get(number) ?? []).map(({ text }) => text).join("; ");
      lines.push(["AB"[side], number, messages, history, sent, cached, lost, whole, waited, what].map(field).join(","));
    }
  }
  return `${lines.join("\n")}\n`;
}
