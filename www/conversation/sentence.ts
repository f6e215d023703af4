/** The sentences that say what is to be seen. */

import { conversation, ran, totals } from "./state.ts";
import { nextInWords } from "./budget.tsx";
import { noEffect } from "./result.tsx";
import { count, number } from "./words.ts";

/** How much there is, and how much fits. */
export function wholeInWords(): string {
  const open = conversation.value;
  const run = ran.value;
  return open && run
    ? `${count(open.count, "message")}, ${count(open.total, "token")}; ${number(run.budget)} fit.`
    : "";
}

/** What is sent, and what goes next. */
export function sentInWords(): string {
  const run = ran.value;
  if (!run) return "";
  const { out = 0 } = totals.value ?? {};
  const soon = nextInWords();
  const less = noEffect(run);
  const gone = `${count(out, "message")} ${run.mode === "compact" ? "covered or out" : "out"}`;
  return `${number(run.after.total)} are sent, ${gone}${soon && `; ${soon}`}.${less ? ` ${less}` : ""}`;
}
