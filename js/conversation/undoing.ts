/** Undoes a compaction with all of its edits, and restores it. */

import type { ConversationLog } from "../log/log.ts";

/** Returns the revoked edits; nothing if there was nothing to undo. */
export function undo<T>(log: ConversationLog<T>, id: string | undefined): string[] | undefined {
  const rows = log.edits();
  const inForce = rows.filter(({ revokedBy }) => revokedBy === undefined);
  const ofPlan = id === undefined ? undefined : inForce.filter(({ planId }) => planId === id);
  const first = ofPlan && ofPlan.length > 0 ? log.undo(ofPlan.at(-1)!.id) : log.undo(id);
  if (first === undefined) return undefined;
  const plan = rows.find((row) => row.id === first)?.planId;
  // A single edit given by id is revoked alone.
  const others =
    plan === undefined || (id !== undefined && id !== plan)
      ? []
      : inForce.filter((row) => row.planId === plan && row.id !== first).toReversed();
  return [first, ...others.map((row) => log.undo(row.id)!)];
}

/** Returns the restored edits; nothing if there was nothing to restore. */
export function redo<T>(log: ConversationLog<T>, id: string | undefined): string[] | undefined {
  const gone = (planId: string) => log.edits().filter((row) => row.planId === planId && row.revokedBy !== undefined);
  const ofPlan = id === undefined ? [] : gone(id);
  const first = log.redo(ofPlan[0]?.id ?? id);
  if (first === undefined) return undefined;
  const plan = log.edits().find((row) => row.id === first)?.planId;
  const others = plan === undefined || (id !== undefined && id !== plan) ? [] : gone(plan);
  return [first, ...others.map((row) => log.redo(row.id)!)];
}
