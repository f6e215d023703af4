/** Hands the messages of a run to the worker of the view of tokens, without a detour over the page's thread. */

import { insertedIn, isShape } from "./asked.ts";
import { held } from "./held.ts";
import { FATES, ROLES } from "./questions.ts";
import type { HandedRow, HandedRows, Questions } from "./questions.ts";
import { fresh } from "./runs.ts";

export async function handRows(asked: Questions["handRows"][0]): Promise<undefined> {
  const { port, mode, budget, profile, isSentOnly } = asked;
  const of = held();
  const ran = await fresh(mode, budget, profile);
  const { index, roles, fates, before, after } = ran.rows;
  const inserted = insertedIn(ran);
  const rows: HandedRow[] = [];
  let added = 0;
  for (let at = 0; at < index.length; at++) {
    const original = of.reading.messages[index[at]!] ?? inserted[added++];
    if (isSentOnly && after[at] === 0) continue;
    const message = original && (ran.sent.get(original.id) ?? original);
    rows.push({
      index: index[at]!,
      role: ROLES[roles[at]!]!,
      fate: FATES[fates[at]!]!,
      before: before[at]!,
      after: after[at]!,
      ...(message && !isShape(of) && { parts: message.parts }),
    });
  }
  const { report } = ran;
  const handed: HandedRows = { rows, encoding: of.encoding, before: report.before.total, after: report.after.total };
  port.postMessage(handed);
  port.close();
  return undefined;
}
