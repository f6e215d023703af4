/** The neutral model itself, for hosts that keep conversations in it. */

import { EspalierError } from "../errors.ts";
import { bad, byPart, copy, editedItems, isFields, requestTools } from "./adapter.ts";
import type { Reading, Source } from "./adapter.ts";
import type { NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../types.ts";

export function readEspalier(source: Source, tools: readonly unknown[] | undefined): Reading {
  const { list, name, input, request } = source;
  const originals = new Map<string, NeutralMessage>();
  const take = (at: number) => {
    const message = list[at];
    const path = `${name}[${at}]`;
    if (!isFields(message)) throw bad(path, "a message", message);
    const { id, role, parts } = message;
    if (typeof id !== "string" || id === "") throw bad(`${path}.id`, "a text that is not empty", id);
    if (typeof role !== "string") throw bad(`${path}.role`, "a role", role);
    if (!Array.isArray(parts)) throw bad(`${path}.parts`, "a list of parts", parts);
    if (originals.has(id)) {
      throw new EspalierError({ code: "duplicate_id", message: `${path}.id is ${JSON.stringify(id)}, which another message has already`, path: `${path}.id` });
    }
    originals.set(id, message as unknown as NeutralMessage);
  };
  for (let at = 0; at < list.length; at += 1) take(at);
  return {
    format: "espalier",
    source,
    withheld: [],
    extend() {
      for (let at = originals.size; at < list.length; at += 1) take(at);
    },
    pieces: (id) => (originals.get(id)?.parts ?? []).map((_, at) => at),
    // The core knows only the fields of the model; whatever else the host keeps on its messages stays with them.
    messages: [...originals.values()].map(({ id, role, name, parts }) => ({ id, role, ...(name !== undefined && { name }), parts })),
    tools: (tools ?? (request && requestTools(request)) ?? []) as NeutralTool[],
    rebuild(plan: readonly PlanItem[]) {
      const out = plan.flatMap((item): NeutralMessage[] => {
        if (item.type === "insert") return [item.message];
        const original = originals.get(item.id);
        if (!original) return [];
        return [item.type === "keep" ? original : edited(original, item.parts)];
      });
      if (out.length === list.length && out.every((message, at) => message === list[at])) return input;
      return request ? copy(request, { [name]: out }) : out;
    },
  };
}

function edited(original: NeutralMessage, edits: readonly PartEdit[]): NeutralMessage {
  const byNumber = byPart(edits);
  const parts = original.parts.flatMap((part, number): Part[] => {
    const edit = byNumber.get(number);
    if (!edit) return [];
    const renamed = "callId" in edit && edit.callId !== undefined ? { callId: edit.callId } : {};
    if (edit.type === "note") return [{ type: "text", text: edit.text }];
    if (edit.type === "text") return [part.type === "toolResult" ? copy(part, { content: [{ type: "text", text: edit.text }], ...renamed }) : copy(part, { text: edit.text })];
    if (edit.type === "content" && part.type === "toolResult") {
      return [copy(part, { content: editedItems(part.content, edit.items, (said) => ({ type: "text", text: said })) ?? part.content, ...renamed })];
    }
    if (edit.type === "arguments") return [copy(part, { arguments: edit.arguments, ...renamed })];
    return [edit.type === "callId" ? copy(part, renamed) : part];
  });
  return copy(original, { parts });
}
