/**
 * Crush: `crush session show ID --json` (its database is SQLite). Each message holds its parts.
 *
 * Source: `sessionShowOutput` and `convertParts` of internal/cmd/session.go (charmbracelet/crush). The export says
 * neither which message is a summary nor what a picture is.
 */

import { chatCall } from "./chat-record.ts";
import { Draft, fields, objects, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const crush: Reader = {
  layout: "crush",
  tool: "Crush",
  shapes: ["value"],
  marks: ["meta", "messages"],
  recognise,
  read: () => new Crush(),
};

function recognise({ records: [value] }: Sample): Match | undefined {
  const { meta, messages } = fields(value);
  const isOwn = ({ role, created, parts }: Fields) =>
    typeof role === "string" && typeof created === "string" && Array.isArray(parts);
  const list = objects(messages);
  if (typeof fields(meta)["uuid"] !== "string" || list.length === 0 || !list.every(isOwn)) return undefined;
  return { count: list.length, evidence: `${list.length} messages with parts, below meta with uuid` };
}

class Crush implements Reading {
  readonly #draft = new Draft("openai-chat");

  add(value: unknown): void {
    const { meta, messages } = fields(value);
    const { uuid, title } = fields(meta);
    this.#draft.tell({ id: text(uuid), title: text(title) });
    objects(messages).forEach((message, place) => this.#message(message, place));
  }

  #message({ id, role, created, model, parts }: Fields, place: number): void {
    const draft = this.#draft;
    const [time, own] = [timeOf(created), text(id)];
    const more = { ...(time !== undefined && { time }), ...(own !== undefined && { id: own }) };
    const list = objects(parts);
    const calls = list.filter(({ type }) => type === "tool_call");
    for (const { type, tool_call_id: call, content } of list)
      if (type === "tool_result")
        draft.push({ role: "tool", tool_call_id: word(call), content: word(content) }, place, more);
    const shown = list.flatMap(({ type, text: said, url, mime_type: mime }): Fields[] => {
      if (type === "text" && text(said) !== undefined) return [{ type, text: said }];
      if (type === "image_url" && text(url) !== undefined) return [{ type, image_url: { url } }];
      return type === "binary" ? [{ type: "text", text: `[${word(mime)}]` }] : [];
    });
    const isText = shown.every((part) => part["type"] === "text");
    const content = isText ? shown.map((part) => part["text"]).join("\n") : shown;
    if (role === "user" || role === "system") return void draft.push({ role, content }, place, more);
    if (role !== "assistant") return role === "tool" ? undefined : draft.skip(`role ${word(role).slice(0, 40)}`);
    const thought = list.flatMap((part) => (part["type"] === "reasoning" ? (text(part["thinking"]) ?? []) : []));
    if (content === "" && calls.length + thought.length === 0) return draft.skip("empty message");
    draft.tell({ model: text(model) });
    const answer = {
      role,
      content: content === "" && calls.length > 0 ? null : content,
      ...(thought.length > 0 && { reasoning_content: thought.join("\n") }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => chatCall(call["tool_call_id"], call["name"], text(call["input"]))),
      }),
    };
    draft.push(answer, place, more);
  }

  end(): Draft {
    return this.#draft;
  }
}
