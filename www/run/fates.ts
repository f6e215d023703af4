/** What became of each message at a request, worked out when somebody asks. */

import type { LogEditRow } from "../../js/log/types.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import type { Removal } from "../../js/types/prune.ts";
import type { Fate } from "./types.ts";

/**
 * The messages of a request, and why others are not among them. Later requests that only append share it: the sent
 * messages are `sent` and all originals from `count` on.
 */
export interface Epoch {
  /** Number of originals at its first request. */
  count: number;
  sent: readonly NeutralMessage[];
  edits: readonly LogEditRow[];
  trimmed: readonly Removal[];
  repaired: readonly Removal[];
}

/** Returns the messages that were sent with the first `count` originals. */
export function sentOf({ sent, count: first }: Epoch, originals: readonly NeutralMessage[], count: number) {
  return [...sent, ...originals.slice(first, count)];
}

/** Returns the fate of every original, and the sentence that explains it. */
export function fatesOf(
  epoch: Epoch,
  originals: readonly NeutralMessage[],
  count: number,
): { fate: Fate; why?: string }[] {
  const places = new Map(originals.slice(0, count).map(({ id }, at) => [id, at]));
  const sent = new Map(epoch.sent.map((message) => [message.id, message]));
  const reasons = reasonsOf(epoch, places);
  return originals.map((message, at) => {
    if (at >= count) return { fate: "later" };
    const now = at >= epoch.count ? message : sent.get(message.id);
    if (now === message) return { fate: "kept" };
    const { isCovered = false, why } = reasons.get(at) ?? {};
    const fate = now ? "changed" : isCovered ? "covered" : "dropped";
    return { fate, ...(why !== undefined && { why }) };
  });
}

/** Returns reasons by the place of a message; a newer reason replaces an older one. */
function reasonsOf({ edits, trimmed, repaired }: Epoch, places: ReadonlyMap<string, number>) {
  const reasons = new Map<number, { isCovered: boolean; why: string }>();
  for (const { id, kind, rule, targets, revokedBy, tokensBefore, tokensAfter } of edits) {
    if (revokedBy !== undefined) continue;
    const why = `${rule} (edit ${id}): ${tokensBefore.toLocaleString("en")} → ${tokensAfter.toLocaleString("en")} tokens`;
    if (kind === "replace_range") {
      const [from, to] = [places.get(targets[0]!), places.get(targets.at(-1)!)];
      if (from === undefined || to === undefined) continue;
      for (let at = from; at <= to; at += 1) reasons.set(at, { isCovered: true, why: `The summary ${id} covers it.` });
    } else {
      for (const target of targets) {
        const at = places.get(target);
        if (at !== undefined) reasons.set(at, { isCovered: false, why });
      }
    }
  }
  for (const { ids, rule, why } of [...repaired, ...trimmed]) {
    for (const id of ids) {
      const at = places.get(id);
      if (at !== undefined) reasons.set(at, { isCovered: false, why: `${rule}, in this request only: ${why}` });
    }
  }
  return reasons;
}
