/** The neutral model itself, for hosts that keep conversations in it. */

import { EspalierError } from "../../errors/errors.ts";
import type { InputCode } from "../../errors/errors.ts";
import { withValues } from "../adapter.ts";
import { editedItems } from "../parts.ts";
import { requestTools } from "../tools.ts";
import { bad, copy, isFields } from "../values.ts";
import type { Reading, Source } from "../adapter.ts";
import type { Fields } from "../values.ts";
import type { NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../../types/messages.ts";

export function readEspalier(source: Source, tools: readonly unknown[] | undefined): Reading {
  const { list, name, request } = source;
  const originals = new Map<string, NeutralMessage>();
  const read: NeutralMessage[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const message = list[at];
    const path = `${name}[${at}]`;
    if (!isFields(message)) throw bad(path, "a message", message);
    const { id } = message;
    if (typeof id === "string" && originals.has(id)) {
      throw new EspalierError({
        code: "duplicate_id",
        message: `${path}.id is ${JSON.stringify(id)}, which another message has already`,
        path: `${path}.id`,
      });
    }
    const own = neutralMessage(message as unknown as NeutralMessage, path);
    originals.set(own.id, message as unknown as NeutralMessage);
    read.push(own);
  }
  return {
    format: "espalier",
    source,
    withheld: [],
    demanded: [],
    pieces: (id) => (originals.get(id)?.parts ?? []).map((_, at) => at),
    messages: read,
    tools: (tools ?? (request && requestTools(request)) ?? []) as NeutralTool[],
    rebuild: (plan) =>
      withValues(
        source,
        carriedOutNeutral(plan, (id) => originals.get(id)),
      ),
  };
}

/** Carries out a plan on neutral messages. */
export function carriedOutNeutral(
  plan: readonly PlanItem[],
  of: (id: string) => NeutralMessage | undefined,
): NeutralMessage[] {
  // A message that was taken apart comes in several pieces, and ids are unique.
  const pieces = new Map<string, number>();
  return plan.flatMap((item): NeutralMessage[] => {
    if (item.type === "insert") return [item.message];
    const original = of(item.id);
    if (!original) return [];
    const before = pieces.get(item.id) ?? 0;
    pieces.set(item.id, before + 1);
    if (item.type === "keep") return [original];
    const parts = item.parts.flatMap((edit): Part[] => {
      const part = (edit.from === undefined ? original : of(edit.from))?.parts[edit.part];
      return part ? [edited(part, edit)] : [];
    });
    return [copy(original, { parts, ...(before > 0 && { id: `${item.id}:moved:${before}` }) })];
  });
}

/** The fields of the model; whatever else the host keeps on its messages stays with them. */
export function neutralMessage({ id, role, name, parts }: NeutralMessage, path: string): NeutralMessage {
  if (typeof id !== "string" || id === "") throw bad(`${path}.id`, "a text that is not empty", id);
  if (typeof role !== "string") throw bad(`${path}.role`, "a role", role);
  if (name !== undefined && typeof name !== "string") throw bad(`${path}.name`, "a text", name);
  if (!Array.isArray(parts)) throw bad(`${path}.parts`, "a list of parts", parts);
  // Not `map`: it would skip holes.
  const own = Array.from(parts, (part, at) => neutralPart(part, `${path}.parts[${at}]`));
  const same = own.every((part, at) => part === parts[at]);
  return { id, role, ...(name !== undefined && { name }), parts: same ? parts : own };
}

/** Results of results are no parts of the model; up to this number of levels are read. */
const NESTED = 4;

/**
 * The part itself if its fields are texts, numbers and the like, as they are in the model; else a copy without those of
 * the host's own. What the engine does not know it passes over, but not without looking into it, and what holds itself
 * has no end.
 */
export function neutralPart(part: Part, path: string, code: InputCode = "bad_message", depth = 0): Part {
  const refuse = (at: string, wanted: string, value: unknown) => bad(at, wanted, value, code);
  if (!isFields(part)) throw refuse(path, "a part", part);
  if (depth > NESTED) throw refuse(path, "a part that holds no results of results", part);
  const changes: Fields = {};
  let changed = false;
  for (const name of Object.keys(part)) {
    const value = (part as Fields)[name];
    if (name === "content" && part.type === "toolResult") {
      if (!Array.isArray(value)) throw refuse(`${path}.content`, "a list of parts", value);
      const own = Array.from(value as Part[], (inner, at) =>
        neutralPart(inner, `${path}.content[${at}]`, code, depth + 1),
      );
      if (own.every((inner, at) => inner === value[at])) continue;
      changes[name] = own;
    } else if (
      value === undefined ||
      value === null ||
      typeof value === "string" ||
      typeof value === "number" ||
      typeof value === "boolean"
    ) {
      continue;
    } else if (FIELDS.has(name)) {
      throw refuse(`${path}.${name}`, "a text or a number", value);
    }
    changed = true;
    changes[name] ??= undefined;
  }
  return changed ? (copy(part, changes) as Part) : part;
}

/** All fields of parts. */
const FIELDS = new Set([
  "type",
  "text",
  "callId",
  "name",
  "arguments",
  "content",
  "isError",
  "mediaType",
  "data",
  "url",
  "detail",
  "dataLength",
  "pages",
  "json",
  "tokens",
  "sealed",
]);

function edited(part: Part, { to, callId, name }: PartEdit): Part {
  const fields = { ...(callId !== undefined && { callId }), ...(name !== undefined && { name }) };
  const said = (text: string): Part => ({ type: "text", text });
  if (to?.type === "note") return said(to.text);
  if (to?.type === "text" && part.type !== "toolResult") return copy(part, { text: to.text });
  if (to?.type === "text") return copy(part, { content: [said(to.text)], ...fields });
  if (to?.type === "content" && part.type === "toolResult")
    return copy(part, { content: editedItems(part.content, to.items, said) ?? part.content, ...fields });
  if (to?.type === "arguments") return copy(part, { arguments: to.arguments, ...fields });
  return Object.keys(fields).length > 0 ? copy(part, fields) : part;
}
