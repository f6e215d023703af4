/** Texts and reasons of single rows, asked when they are seen. */

import type { NeutralMessage } from "../../js/types/messages.ts";
import { peekOf, textOf } from "../reading.ts";
import { held, pinsOf } from "./held.ts";
import type { Held } from "./held.ts";
import { FATES } from "./questions.ts";
import type { Detail, Questions } from "./questions.ts";
import { fullRun } from "./runs.ts";
import type { FullRun } from "./runs.ts";

/** Characters of a row's text. */
const MAX_PEEK = 200;

/** Returns the inserted messages in their order, which is the same in rows and report. */
export function insertedIn({ report, sent }: FullRun): (NeutralMessage | undefined)[] {
  const { indexOf } = held();
  return report.messages.filter(({ id }) => !indexOf.has(id)).map(({ id }) => sent.get(id));
}

function insertedAt(ran: FullRun, row: number): NeutralMessage | undefined {
  let before = 0;
  for (let at = 0; at < row; at++) if (ran.rows.index[at] === -1) before++;
  return insertedIn(ran)[before];
}

/** What takes the place of words that a link does not hold. */
export const NO_WORDS = "(its words are not in the link)";

export async function peeks({ run, messages, inserted }: Questions["peeks"][0]): Promise<string[]> {
  const of = held();
  const all = of.reading.messages;
  const texts = messages.map((index) => (isShape(of) ? NO_WORDS : peekOf(all[index], MAX_PEEK)));
  if (inserted.length === 0) return texts;
  const ran = await fullRun(run);
  return [...texts, ...inserted.map((row) => peekOf(insertedAt(ran, row), MAX_PEEK))];
}

export const isShape = ({ open }: Held) => "isShape" in open && open.isShape === true;

export async function detail({ run, row }: Questions["detail"][0]): Promise<Detail> {
  const of = held();
  const ran = await fullRun(run);
  const index = ran.rows.index[row] ?? -1;
  const message = index >= 0 ? of.reading.messages[index]! : insertedAt(ran, row)!;
  const { id } = message;
  const fate = FATES[ran.rows.fates[row]!]!;
  const sent = ran.sent.get(id);
  const changed = index >= 0 && sent !== undefined && textOf(sent) !== textOf(message);
  const reasons = ran.report.removed.filter(({ ids }) => ids.includes(id)).map(({ rule, why }) => ({ rule, why }));
  if (fate === "hidden") reasons.push(...hidingEdits(id));
  const isPinned = pinsOf(of).includes(id);
  const original = isShape(of) && index >= 0 ? NO_WORDS : textOf(message);
  return { index, id, original, ...(changed && !isShape(of) && { sent: textOf(sent) }), reasons, isPinned };
}

function hidingEdits(id: string): Detail["reasons"] {
  const { log } = held();
  const by = new Set(log?.recall(id)[0]?.by);
  return (log?.edits() ?? [])
    .filter((edit) => by.has(edit.id))
    .map(({ id, kind, rule }) => ({ rule, why: `hidden by the applied edit ${id} (${kind.replace("_", " ")})` }));
}

export function find({ words }: Questions["find"][0]): Uint32Array {
  const wanted = words.toLowerCase();
  const found: number[] = [];
  if (wanted)
    held().reading.messages.forEach(
      (message, index) => textOf(message).toLowerCase().includes(wanted) && found.push(index),
    );
  return Uint32Array.from(found);
}
