/** Carries out the engine's plan on the host's messages. */

import { RULES } from "../formats/index.ts";
import { at, changed, fieldsAt } from "../formats/place.ts";
import type { FieldChange } from "../formats/place.ts";
import { copy } from "../formats/values.ts";
import type { Reading, Source } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import type { NeutralMessage, Part, PartEdit, PlanItem } from "../types/messages.ts";

/** What becomes of a part; the engine's `PartPlan`. */
interface PartPlan {
  part: number;
  text?: string;
  note?: string;
  items?: [number, string][];
  callId?: string;
  name?: string;
}

/** One item of the engine's plan; `index` counts the neutral messages. */
export type CoreItem = { joins?: boolean } & (
  | { type: "keep"; index: number }
  | { type: "edit"; index: number; parts: PartPlan[] }
  | { type: "insert"; message: NeutralMessage }
);

/**
 * The messages as planned, in the shape of the input. Fields that change in place (names of tools, notes for pictures)
 * come first, on copies; then everything that takes messages apart, moves or joins them is done by the format's
 * adapter.
 */
export function carryOut(reading: Reading, plan: readonly CoreItem[], open: (input: unknown) => Reading): unknown {
  const { source, messages } = reading;
  const offset = messages.length - source.list.length;
  const byIndex = new Map<number, FieldChange[]>();
  for (const item of plan) {
    if (item.type !== "edit") continue;
    const changes = inPlace(reading, item.index, item.index - offset, item.parts);
    if (changes.length > 0) byIndex.set(item.index - offset, [...(byIndex.get(item.index - offset) ?? []), ...changes]);
  }
  const values = source.list.map((message, index) => changed(message, byIndex.get(index) ?? []));
  const input = withValues(source, values);
  const now = input === source.input ? reading : open(input);
  if (now.format === "espalier")
    return withValues(now.source, unique(plan.map((item) => neutral(now.source.list as NeutralMessage[], item))));
  return now.rebuild(plan.flatMap((item) => planItems(now, item)));
}

/** The input with another list of messages; the input itself if they are the same. */
export function withValues({ input, list, name, request }: Source, values: readonly unknown[]): unknown {
  if (values.length === list.length && values.every((value, at) => value === list[at])) return input;
  return request ? copy(request, { [name]: values }) : values;
}

function inPlace(reading: Reading, neutral: number, index: number, parts: readonly PartPlan[]): FieldChange[] {
  const { format, source, messages } = reading;
  const plans = parts.filter(({ note, items, name }) => note !== undefined || items || name !== undefined);
  if (plans.length === 0) return [];
  const { places } = RULES[format];
  const message = source.list[index] as Fields;
  const pieces = reading.pieces(messages[neutral]!.id);
  return plans.flatMap(({ part, note, items = [], name }): FieldChange[] => {
    const place = places.part(pieces[part] as never, message);
    if (note !== undefined) return [{ place, fix: { set: places.note(note, message) } }];
    const holder = fieldsAt(message, place);
    const changes = items.map(([item, text]): FieldChange => {
      const within = places.item(holder, item);
      const isText = typeof at(holder, within) === "string";
      const set = isText ? text : (places.itemNote?.(text, item) ?? places.note(text, message));
      return { place: [...place, ...within], fix: { set } };
    });
    if (name === undefined) return changes;
    const { place: within, fix } = places.renamed(holder, name);
    return [...changes, { place: [...place, ...within], fix }];
  });
}

/**
 * What the adapters carry out. A message whose parts come in another order is taken apart, since they keep the order.
 */
function planItems({ messages }: Reading, item: CoreItem): PlanItem[] {
  const joins = item.joins === true && { joins: true };
  if (item.type === "insert") return [{ type: "insert", message: item.message, ...joins }];
  const { id, parts } = messages[item.index]!;
  if (item.type === "keep") return [{ type: "keep", id, ...joins }];
  const edits = item.parts.map(
    ({ part, text, callId }): PartEdit =>
      text !== undefined
        ? { type: "text", part, text }
        : callId !== undefined
          ? { type: "callId", part, callId }
          : { type: "keep", part },
  );
  if (edits.length === parts.length && edits.every((edit, at) => edit.type === "keep" && edit.part === at))
    return [{ type: "keep", id, ...joins }];
  const runs: PartEdit[][] = [];
  for (const edit of edits) {
    const last = runs.at(-1);
    if (last && last.at(-1)!.part < edit.part) last.push(edit);
    else runs.push([edit]);
  }
  return runs.map((run, at) => ({ type: "edit", id, parts: run, ...(at > 0 ? { joins: true } : joins) }));
}

/** Neutral messages need no adapter: they are what the plan speaks of. */
function neutral(list: readonly NeutralMessage[], item: CoreItem): NeutralMessage {
  if (item.type === "insert") return item.message;
  const original = list[item.index]!;
  if (item.type === "keep") return original;
  const edited = (part: Part, { text, callId }: PartPlan) =>
    text === undefined && callId === undefined
      ? part
      : copy(part, { ...(text !== undefined && { text }), ...(callId !== undefined && { callId }) });
  const parts = item.parts.map((plan) => edited(original.parts[plan.part]!, plan));
  return parts.length === original.parts.length && parts.every((part, at) => part === original.parts[at])
    ? original
    : copy(original, { parts });
}

/** Messages that were taken apart need ids of their own. */
function unique(list: readonly NeutralMessage[]): NeutralMessage[] {
  const used = new Set(list.map(({ id }) => id));
  const seen = new Set<string>();
  return list.map((message) => {
    let { id } = message;
    for (let number = 2; seen.has(id); number++)
      id = used.has(`${message.id}~${number}`) ? id : `${message.id}~${number}`;
    seen.add(id);
    return id === message.id ? message : copy(message, { id });
  });
}
