/** Applies the plan of a compaction, which was made for the messages of a view, to the messages of the log. */

import { carriedOutNeutral } from "../formats/neutral/read.ts";
import type { PartEdit, PlanItem } from "../types/messages.ts";

type Edited = Extract<PlanItem, { type: "edit" }>;

/**
 * Returns `plan` for the messages of the log. Its ids are those of the view's messages, which `view` already changes or
 * inserts. Returns nothing if one message of the view has several pieces.
 */
export function composed(view: readonly PlanItem[], plan: readonly PlanItem[]): PlanItem[] | undefined {
  const items = new Map(view.map((item) => [idOf(item), item]));
  if (items.size < view.length) return undefined;
  return plan.map((item): PlanItem => {
    const base = items.get(idOf(item));
    if (item.type === "insert" || !base || base.type === "keep") return item;
    const joins = item.joins === undefined ? {} : { joins: item.joins };
    if (item.type === "keep") return { ...base, ...joins };
    if (base.type === "edit") return { ...item, parts: item.parts.map((part) => partOf(items, base, part)) };
    const [message] = carriedOutNeutral([item], (id) => (id === item.id ? base.message : undefined));
    return { type: "insert", message: message ?? base.message, ...joins };
  });
}

function idOf(item: PlanItem): string {
  return item.type === "insert" ? item.message.id : item.id;
}

/** Returns the change of a part of the view as a change of the log's part. */
function partOf(items: ReadonlyMap<string, PlanItem>, own: Edited, part: PartEdit): PartEdit {
  const base = part.from === undefined ? own : items.get(part.from);
  const known = base?.type === "edit" ? base.parts[part.part] : undefined;
  if (!known) return part;
  const { part: _, from: __, ...changes } = part;
  const from = known.from ?? part.from;
  return { ...known, ...changes, ...(from !== undefined && { from }) };
}
