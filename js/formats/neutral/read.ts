/** The neutral model itself, for hosts that keep conversations in it. */

import { EspalierError } from "../../errors/errors.ts";
import type { InputCode } from "../../errors/errors.ts";
import { byPart, editedItems } from "../parts.ts";
import { requestTools } from "../tools.ts";
import { bad, copy, isFields } from "../values.ts";
import type { Reading, Source } from "../adapter.ts";
import type { Fields } from "../values.ts";
import type { NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../../types/messages.ts";

export function readEspalier(source: Source, tools: readonly unknown[] | undefined): Reading {
  const { list, name, input, request } = source;
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
    pieces: (id) => (originals.get(id)?.parts ?? []).map((_, at) => at),
    messages: read,
    tools: (tools ?? (request && requestTools(request)) ?? []) as NeutralTool[],
    rebuild(plan: readonly PlanItem[]) {
      const out = carriedOutNeutral(plan, (id) => originals.get(id));
      if (out.length === list.length && out.every((message, at) => message === list[at])) return input;
      return request ? copy(request, { [name]: out }) : out;
    },
  };
}

/** Carries out a plan on neutral messages. */
export function carriedOutNeutral(
  plan: readonly PlanItem[],
  of: (id: string) => NeutralMessage | undefined,
): NeutralMessage[] {
  // A message of which results were moved to their calls comes in several pieces, and ids are unique.
  const pieces = new Map<string, number>();
  return plan.flatMap((item): NeutralMessage[] => {
    if (item.type === "insert") return [item.message];
    const original = of(item.id);
    if (!original) return [];
    const before = pieces.get(item.id) ?? 0;
    pieces.set(item.id, before + 1);
    if (item.type === "keep") return [original];
    const carried = item.parts.flatMap((edit) =>
      edit.type === "carried" ? (of(edit.from)?.parts.slice(edit.part, edit.part + 1) ?? []) : [],
    );
    const own = edited(
      original,
      item.parts.filter(({ type }) => type !== "carried"),
    );
    const whole = carried.length > 0 ? copy(own, { parts: [...carried, ...own.parts] }) : own;
    return [before > 0 ? copy(whole, { id: `${item.id}:moved:${before}` }) : whole];
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

/** Results of results are no parts of the model; so many levels are looked at all the same. */
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
]);

function edited(original: NeutralMessage, edits: readonly PartEdit[]): NeutralMessage {
  const byNumber = byPart(edits);
  const parts = original.parts.flatMap((part, number): Part[] => {
    const edit = byNumber.get(number);
    if (!edit) return [];
    const renamed = "callId" in edit && edit.callId !== undefined ? { callId: edit.callId } : {};
    if (edit.type === "note") return [{ type: "text", text: edit.text }];
    if (edit.type === "text")
      return [
        part.type === "toolResult"
          ? copy(part, { content: [{ type: "text", text: edit.text }], ...renamed })
          : copy(part, { text: edit.text }),
      ];
    if (edit.type === "content" && part.type === "toolResult") {
      return [
        copy(part, {
          content: editedItems(part.content, edit.items, (said) => ({ type: "text", text: said })) ?? part.content,
          ...renamed,
        }),
      ];
    }
    if (edit.type === "arguments") return [copy(part, { arguments: edit.arguments, ...renamed })];
    return [edit.type === "callId" ? copy(part, renamed) : part];
  });
  return copy(original, { parts });
}
