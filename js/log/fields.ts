/** Checks a host's input to a log, and converts it to the core's form. */

import { plain } from "../options/data.ts";
import { badInput, badValue, EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";
import type { AdoptOptions, LogEdit, LogPin } from "./types.ts";
import { check } from "../options/check.ts";
import { ADOPT, FIND, PIN } from "../options/schemas/conversation.ts";
import type { FindOptions } from "./search.ts";
import type { Edit } from "../types/compact-report.ts";
import type { NeutralMessage } from "../types/messages.ts";

export function sameShape(one: NeutralMessage, other: NeutralMessage): boolean {
  return one.id === other.id && one.role === other.role && one.parts.length === other.parts.length;
}

/** Returns the core's description of the origin of edits. */
export function madeFields(
  edits: readonly Edit[],
  options: AdoptOptions,
): [edits: readonly Edit[], made: Record<string, unknown>] {
  const { since, trigger, planId, data } = check(options, ADOPT);
  if (!Array.isArray(edits)) throw badValue("edits", "a list", edits, "bad_edit");
  if (since !== undefined) needCount(since, "options.since");
  return [
    plain(edits, "edits", "bad_edit"),
    { since, trigger, planId, ...(data !== undefined && { json: jsonText(data, "options.data", "bad_input") }) },
  ];
}

/** Returns false for edits that only make one request fit: dropped groups, and a shortened newest request or round. */
export function isLasting({ kind, rule }: Edit): boolean {
  return kind !== "drop" && !rule.startsWith("long-");
}

/** Returns an edit in the core's form. Numbers are checked here, since wasm accepts any number silently. */
export function editFields(edit: LogEdit): Record<string, unknown> {
  if (typeof edit !== "object" || edit === null) throw badValue("edit", "an object", edit, "bad_edit");
  const { data, ...laid } = edit;
  const { range, targets, ...rest } = plain(laid, "edit", "bad_edit");
  if (targets !== undefined && !Array.isArray(targets)) throw badValue("edit.targets", "a list", targets, "bad_edit");
  targets?.forEach((target, at) => {
    if (target?.part !== undefined) needCount(target.part, `edit.targets[${at}].part`, "bad_edit");
  });
  if (range !== undefined && (typeof range !== "object" || range === null))
    throw badValue("edit.range", "an object", range, "bad_edit");
  if (range?.thinking !== undefined) needCount(range.thinking?.part, "edit.range.thinking.part", "bad_edit");
  const summary = range?.summary;
  const said = typeof summary === "string" ? { role: "user", parts: [{ type: "text", text: summary }] } : summary;
  return {
    ...rest,
    ...(targets && { targets }),
    // The core sets the id of the summary.
    ...(range && { range: { ...range, summary: said && typeof said === "object" ? { ...said, id: "" } : said } }),
    ...(data !== undefined && { json: jsonText(data, "edit.data", "bad_edit") }),
  };
}

export function jsonText(value: unknown, path: string, code: InputCode): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new EspalierError({ code, message: `${path} cannot be written as JSON: ${String(cause)}`, path, cause });
  }
  if (text === undefined) throw badValue(path, "a value that has JSON", value, code);
  return text;
}

export function needId(id: unknown, path: string, optional = false): void {
  if (typeof id !== "string" && !(optional && id === undefined)) throw badValue(path, "an id", id, "bad_input");
}

export function needCount(value: unknown, path: string, code: InputCode = "bad_input"): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw badValue(path, "a whole number, 0 or more", value, code);
}

/** Returns a pin in the core's form. */
export function pinFields(pin: LogPin): LogPin {
  check(pin, PIN, "pin", badInput);
  return plain(pin, "pin", "bad_input");
}

/** Returns the words to search for, and the max number of messages. */
export function queryFields(what: { query: string; maxResults?: number }): { query: string; maxResults: number } {
  const { query, maxResults = 20 } = what ?? {};
  if (typeof query !== "string") throw badValue("query", "a text", query, "bad_input");
  needCount(maxResults, "maxResults");
  return { query, maxResults: Math.min(maxResults, 4_294_967_295) };
}

/** Checks the options of `search`. */
export function findFields(query: string, options: FindOptions): FindOptions {
  const { maxResults = 10, onlyHidden = false } = check(options, FIND);
  if (typeof query !== "string") throw badValue("query", "a text", query, "bad_input");
  return { maxResults: Math.min(maxResults, 100_000), onlyHidden };
}
