/**
 * Uses the usage that a recorded session reports as anchors of the count: it includes the parts that the file does not
 * hold (system prompt, tools).
 */

import { countMessages } from "../calls/count.ts";
import type { Session } from "../sessions/types.ts";
import type { Totals } from "../types/count.ts";
import type { Context } from "./context.ts";

/** Max number of reports that are used, the newest. */
const NEWEST = 8;

/** Reports the recorded requests of the live context to the machine, as if they had been made here. */
export function reportRecordedUsage<T>(
  { machine, log, apart, clock }: Context<T>,
  session: Session,
  { frame, tools }: Pick<Totals, "frame" | "tools">,
): void {
  const last = session.compactions.at(-1);
  const [before, ahead] = [last?.before ?? 0, last?.context.length ?? 0];
  const reports = session.usage
    .filter(({ answer }) => answer >= before && answer < session.history.length)
    .slice(-NEWEST);
  if (reports.length === 0) return;
  const { tools: _, ...how } = log.counted({});
  const { perMessage, total } = countMessages(session.messages, { ...how, format: log.format });
  // The cost of the conversation besides its messages.
  const base = tools + total - perMessage.reduce((sum, { tokens }) => sum + tokens, 0);
  const sums = [base];
  for (const { tokens } of perMessage) sums.push(sums.at(-1)! + tokens);
  const date = new Date(clock.now()).toISOString();
  for (const { answer, usage } of reports) {
    // A request held the messages before its answer.
    const tokens = sums[Math.min(ahead + answer - before, perMessage.length)]! + apart;
    machine.sent(`session:${answer}`, tokens, `${frame + apart}/${tools}`);
    machine.answered(Math.round(usage.promptTotal), { date });
  }
}
