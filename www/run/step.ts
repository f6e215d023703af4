/** Works out what one request of a replay holds, when somebody looks at it. */

import type { placeMarks, stablePrefix } from "../../js/cache/cache.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import { peekOf, textOf } from "../reading.ts";
import { editsAt, fatesOf, sentOf, whyAt } from "./fates.ts";
import type { Package, Replay } from "./replay.ts";
import type { CacheMark, MessageRow, Shown, Step } from "./types.ts";

export interface StepPackage extends Package {
  placeMarks: typeof placeMarks;
  stablePrefix: typeof stablePrefix;
}

/** Characters of a row's text. */
const MAX_PEEK = 160;
/** Edits of a step that are listed. */
const MAX_EDITS = 100;

/** Returns the messages of a request, or nothing if it was not made yet, or could not be. */
export function sentAt(replay: Replay, number: number): NeutralMessage[] | undefined {
  const row = replay.requests[number - 1];
  if (!row || row.sent === undefined) return undefined;
  return sentOf(replay.epochs[number - 1]!, replay.source.messages, row.messages);
}

export function stepOf(pack: StepPackage, replay: Replay, number: number): Step | undefined {
  const row = replay.requests[number - 1];
  if (!row) return undefined;
  const epoch = replay.epochs[number - 1]!;
  const { messages: originals } = replay.source;
  const known = new Map(originals.map(({ id }, at) => [id, at]));
  const sent = sentAt(replay, number) ?? [];
  const added = sent.filter(({ id }) => !known.has(id));
  const counts = added.length > 0 ? pack.countMessages(added, { ...replay.counting, tools: [] }).perMessage : [];
  const edits = editsAt(epoch, replay.edits);
  return {
    request: number,
    fates: fatesOf(epoch, replay.edits, originals, row.messages),
    inserted: added.map((message, at) => ({
      id: message.id,
      role: message.role,
      tokens: counts[at]!.tokens,
      peek: peekOf(message, MAX_PEEK),
      before: nextOriginal(sent, sent.indexOf(message), known),
    })),
    edits: edits
      .slice(-MAX_EDITS)
      .toReversed()
      .map(({ id, rule, trigger, tokensBefore, tokensAfter, targets }) => ({
        id,
        rule,
        ...(trigger !== undefined && { trigger }),
        before: tokensBefore,
        after: tokensAfter,
        messages: targets.length,
      })),
    editCount: edits.length,
    trimmed: epoch.trimmed.map(({ rule, why, tokens }) => ({ rule, why, tokens })),
    ...cacheOf(pack, replay, number, sent),
  };
}

/** Returns messages of the conversation as rows. */
export function rowsOf(replay: Replay, indices: readonly number[]): MessageRow[] {
  return indices.flatMap((index) => {
    const message = replay.source.messages[index];
    if (!message) return [];
    return { id: message.id, role: message.role, tokens: replay.tokensAt(index), peek: peekOf(message, MAX_PEEK) };
  });
}

/** Returns the index of the first original behind a message of a request. */
function nextOriginal(sent: readonly NeutralMessage[], from: number, known: ReadonlyMap<string, number>): number {
  for (let at = from + 1; at < sent.length; at += 1) {
    const place = known.get(sent[at]!.id);
    if (place !== undefined) return place;
  }
  return known.size;
}

function cacheOf(
  pack: StepPackage,
  replay: Replay,
  number: number,
  sent: NeutralMessage[],
): Pick<Step, "difference" | "marks"> {
  if (sent.length === 0) return { marks: [] };
  const before = sentAt(replay, number - 1);
  const { counting } = replay;
  const newest = before && pack.placeMarks(before, counting).newest;
  const placed = pack.placeMarks(sent, { ...counting, ...(newest && { previousNewest: newest }) });
  const marks = placed.marks.map((mark): CacheMark => {
    return { ...("message" in mark && { message: mark.message }), why: mark.why };
  });
  if (!before) return { marks };
  const { difference, extends: isWhole } = pack.stablePrefix(before, sent, counting);
  return { marks, ...(!isWhole && difference && { difference: { id: difference.id, kind: difference.kind } }) };
}

/** Returns the texts of a message, of the conversation and as a request has it, and why they differ. */
export function shownAt(replay: Replay, number: number, id: string): Shown {
  const { messages } = replay.source;
  const epoch = replay.epochs[number - 1];
  const index = messages.findIndex((message) => message.id === id);
  const original = messages[index];
  const sent = sentAt(replay, number)?.find((message) => message.id === id);
  const why = original && epoch && sent !== original ? whyAt(epoch, replay.edits, messages, index) : undefined;
  return {
    ...(why !== undefined && { why }),
    ...(original && { original: textOf(original) }),
    ...(sent && sent !== original && { sent: textOf(sent) }),
  };
}
