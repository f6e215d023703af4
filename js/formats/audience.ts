/**
 * Parts of results that are not for the model: VS Code and MCP let a tool say who its data is for. They are neither
 * counted nor sent.
 */

import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** What stands in a result of which nothing is for the model. */
export const NOTHING = "(empty)";

/** The model, as MCP and VS Code (`LanguageModelPartAudience`) call it. */
const MODEL: readonly unknown[] = ["assistant", 0];

/** True for an item that says who it is for, and that this is not the model. */
export function isForOthers(item: unknown): boolean {
  if (!isFields(item)) return false;
  const { annotations } = item;
  const audience = item["audience"] ?? (isFields(annotations) ? annotations["audience"] : undefined);
  return Array.isArray(audience) && audience.length > 0 && !audience.some((who) => MODEL.includes(who));
}

/** The items that are for the model, or `none()` if there are none; the list itself if all are. */
export function forModel(items: readonly unknown[], none: () => unknown): readonly unknown[] {
  if (!items.some(isForOthers)) return items;
  const left = items.filter((item) => !isForOthers(item));
  return left.length > 0 ? left : [none()];
}

/**
 * The object with the list in one of its fields replaced by what is for the model; the object itself if that is all of
 * it.
 */
export function fieldForModel(holder: Fields, name: string, none: () => unknown): Fields {
  const list = holder[name];
  if (!Array.isArray(list)) return holder;
  const left = forModel(list, none);
  return left === list ? holder : copy(holder, { [name]: left });
}

/**
 * The message with every item of the list in `name` replaced by what `change` makes of it; the message itself if that
 * changes nothing.
 */
export function eachItem(message: Fields, name: string, change: (item: Fields) => Fields): Fields {
  const list = message[name];
  if (!Array.isArray(list)) return message;
  // Nothing is made while nothing changes: every message of every conversation comes by here.
  let items: unknown[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const item: unknown = list[at];
    const made = isFields(item) ? change(item) : item;
    if (made !== item) (items ??= [...(list as unknown[])])[at] = made;
  }
  return items ? copy(message, { [name]: items }) : message;
}
