/**
 * Cursor's agent transcripts: `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl`. A line is
 * `{role, message: {content}}`, or marks the end of a turn. Calls have no ids, and their results are rarely written.
 */

import { blocksOf, inputOf } from "./anthropic-blocks.ts";
import { Draft, fields, isFields, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reading, Sample } from "./reader.ts";

const FOREIGN = ["type", "uuid", "sessionId", "content", "id"];

export function recogniseTranscript({ records, shape }: Sample): Match | undefined {
  if (shape !== "lines") return undefined;
  const messages = records.filter(isLine).length;
  const ends = records.filter((record) => fields(record)["type"] === "turn_ended").length;
  // A file of lines that all lack a type and an id.
  if (messages === 0 || messages + ends < records.length) return undefined;
  return { count: messages + ends, evidence: `${messages} lines with a role and a message without one` };
}

function isLine(record: unknown): boolean {
  const { role, message } = fields(record);
  return (
    (role === "user" || role === "assistant") &&
    isFields(message) &&
    (typeof message["content"] === "string" || Array.isArray(message["content"])) &&
    !("role" in message) &&
    !FOREIGN.some((name) => name in fields(record))
  );
}

export class CursorTranscript implements Reading {
  readonly #draft: Draft;
  /** Calls without a result so far: results name ids that the calls do not have. */
  #pending: string[] = [];

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown, place: number): void {
    const draft = this.#draft;
    if (!isLine(record)) return draft.skip(text(fields(record)["type"]) ?? "a line without a message");
    const { role, message } = fields(record);
    if (role === "assistant") this.#pending = [];
    const content = blocksOf(fields(message)["content"]).flatMap((block, at): Fields[] => {
      if (block["type"] === "text")
        return text(block["text"]) === undefined ? [] : [{ type: "text", text: block["text"] }];
      if (block["type"] === "tool_use") return [this.#call(block, `call-${place}-${at}`)];
      if (block["type"] === "tool_result") return [this.#result(block)];
      draft.skip(word(block["type"]).slice(0, 40));
      return [];
    });
    if (content.length === 0) return draft.skip("a message without content");
    draft.push({ role, content }, place);
  }

  #call({ id, name, input }: Fields, own: string): Fields {
    const call = text(id) ?? own;
    this.#pending.push(call);
    return { type: "tool_use", id: call, name: word(name), input: inputOf(input) };
  }

  #result(block: Fields): Fields {
    const known = this.#pending.indexOf(word(block["tool_use_id"]));
    const [call] = this.#pending.splice(Math.max(0, known), 1);
    return { ...block, tool_use_id: call ?? word(block["tool_use_id"]) };
  }

  end(): Draft {
    return this.#draft;
  }
}
