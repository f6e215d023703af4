/** What became of each message at a request, worked out when somebody asks. */

import type { LogEditRow } from "../../js/log/types.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import type { Removal } from "../../js/types/prune.ts";
import { FATES } from "./types.ts";

/**
 * The messages of a request, and why others are not among them. Later requests that only append share it: the sent
 * messages are `sent` and all originals from `count` on.
 */
export interface Epoch {
  /** Number of originals at its first request. */
  count: number;
  sent: readonly NeutralMessage[];
  /** Number of entries of the log: of all edits of the run, the earlier ones hold. */
  entries: number;
  trimmed: readonly Removal[];
  repaired: readonly Removal[];
}

const [KEPT, CHANGED, COVERED, DROPPED] = FATES.map((_, at) => at) as [number, number, number, number];
const positionOf = (id: string) => Number(id.slice(1));

/** Returns the messages that were sent with the first `count` originals. */
export function sentOf({ sent, count: first }: Epoch, originals: readonly NeutralMessage[], count: number) {
  return [...sent, ...originals.slice(first, count)];
}

/** Returns the edits that hold at a request: ids are positions in the log. */
export function editsAt({ entries }: Epoch, edits: readonly LogEditRow[]): LogEditRow[] {
  return edits.filter(
    ({ id, revokedBy }) => positionOf(id) < entries && !(revokedBy !== undefined && positionOf(revokedBy) < entries),
  );
}

/** Returns the index in {@link FATES} of the first `count` originals. */
export function fatesOf(
  epoch: Epoch,
  edits: readonly LogEditRow[],
  originals: readonly NeutralMessage[],
  count: number,
): Uint8Array {
  const sent = new Map(epoch.sent.map((message) => [message.id, message]));
  const places = placesOf(originals, epoch.count);
  const covered = new Uint8Array(epoch.count);
  for (const { kind, targets } of editsAt(epoch, edits)) {
    const [from, to] = rangeOf(targets, places);
    if (kind === "replace_range") covered.fill(1, from, to + 1);
  }
  // Messages that came later are in the request.
  const fates = new Uint8Array(count).fill(KEPT);
  for (let at = 0; at < Math.min(count, epoch.count); at += 1) {
    const now = sent.get(originals[at]!.id);
    if (now === undefined) fates[at] = covered[at] ? COVERED : DROPPED;
    else if (now !== originals[at]) fates[at] = CHANGED;
  }
  return fates;
}

/** Returns the sentence that explains the fate of an original; the newest reason wins. */
export function whyAt(
  epoch: Epoch,
  edits: readonly LogEditRow[],
  originals: readonly NeutralMessage[],
  index: number,
): string | undefined {
  const { id } = originals[index]!;
  const removal = [...epoch.trimmed, ...epoch.repaired].find(({ ids }) => ids.includes(id));
  if (removal) return `${removal.rule}, in this request only: ${removal.why}`;
  const places = placesOf(originals, epoch.count);
  const edit = editsAt(epoch, edits).findLast(({ kind, targets }) => {
    if (kind !== "replace_range") return targets.includes(id);
    const [from, to] = rangeOf(targets, places);
    return from <= index && index <= to;
  });
  if (!edit) return undefined;
  if (edit.kind === "replace_range") return `The summary ${edit.id} covers it.`;
  const { tokensBefore, tokensAfter } = edit;
  return `${edit.rule} (edit ${edit.id}): ${tokensBefore.toLocaleString("en")} → ${tokensAfter.toLocaleString("en")} tokens`;
}

const placesOf = (originals: readonly NeutralMessage[], count: number): ReadonlyMap<string, number> =>
  new Map(originals.slice(0, count).map(({ id }, at) => [id, at]));

/** Returns the first and last index of a range; the ends of none are beyond each other. */
function rangeOf(targets: readonly string[], places: ReadonlyMap<string, number>): [number, number] {
  return [places.get(targets[0]!) ?? Number.POSITIVE_INFINITY, places.get(targets.at(-1)!) ?? -1];
}
