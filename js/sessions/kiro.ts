/**
 * Kiro CLI: the log of events `~/.kiro/sessions/cli/<id>.jsonl`; `<id>.json` beside it holds model, title and folder.
 * A compaction holds the messages that it kept, a cancelled prompt takes the newest message of the user back.
 *
 * Source: `LogEntryV1` of crates/agent/src/agent/event_log.rs, and crates/agent/src/agent/compact/mod.rs, as measured
 * on 2.14 to 2.27 (`{"version":"v1","kind":"Prompt","data":{…}}`).
 */

import { textBlock } from "./anthropic-blocks.ts";
import { Draft, fields, isFields, items, objects, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const ROLES: Readonly<Record<string, string>> = { Prompt: "user", AssistantMessage: "assistant", ToolResults: "user" };

export const kiro: Reader = {
  layout: "kiro",
  tool: "Kiro CLI",
  shapes: ["lines"],
  marks: ["version", "kind", "data"],
  recognise,
  read: (_, { keepsHistory }) => new Kiro(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const own = records.filter((record) => {
    const { version, kind, data } = fields(record);
    return /^v\d/.test(word(version)) && word(kind) in ROLES && Array.isArray(fields(data)["content"]);
  }).length;
  return own === 0 ? undefined : { count: own, evidence: `${own} lines of the kinds ${Object.keys(ROLES).join(", ")}` };
}

/** Names the log of a session whose settings were passed. */
export function kiroSettings({ records: [value] }: Sample): string | undefined {
  const { session_id: id, session_state: state } = fields(value);
  if (typeof id !== "string" || !isFields(fields(state)["conversation_metadata"])) return undefined;
  return (
    "holds title, folder and model of a session of Kiro CLI, and no messages: " +
    "they are in the file of the same name that ends with .jsonl."
  );
}

class Kiro implements Reading {
  readonly #draft: Draft;
  /** Messages since the newest compaction, and those that it kept. */
  #byId = new Map<unknown, unknown>();

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown, place: number): void {
    const { kind, data } = fields(record);
    const { content, message_id: id, meta, summary, messages_snapshot: kept } = fields(data);
    const role = ROLES[word(kind)];
    const draft = this.#draft;
    if (role !== undefined) {
      const message = { role, content: this.#blocks(content) };
      if (message.content.length === 0) return draft.skip(`${word(kind)} without content`);
      const time = timeOf(fields(meta)["timestamp"]);
      const own = text(id);
      this.#byId.set(own, message);
      draft.push(message, place, { ...(time !== undefined && { time }), ...(own !== undefined && { id: own }) });
    } else if (kind === "Compaction") {
      const said = text(summary) ?? "";
      const list = objects(kept);
      const rest = list.map((one) => this.#kept(one));
      this.#byId = new Map(list.map((one, at) => [one["id"], rest[at]]));
      draft.compact(place, [...(said === "" ? [] : [{ role: "user", content: summaryText(said) }]), ...rest], {
        summary: said,
      });
    } else if (kind === "Clear") draft.compact(place, []);
    else if (kind === "CancelledPrompt") this.#cancel();
    else draft.skip(text(kind) ?? "a line without a kind");
  }

  /** Returns the message of the log that a compaction kept; its copy if Kiro shortened it. */
  #kept({ id, role, content }: Fields): unknown {
    const copy = { role, content: this.#blocks(content) };
    const own = this.#byId.get(id);
    return JSON.stringify(own) === JSON.stringify(copy) ? own : copy;
  }

  #cancel(): void {
    const { messages, compactions } = this.#draft;
    const index = messages.length - 1;
    this.#draft.skip("CancelledPrompt", "takes the newest message of the user back");
    if (fields(messages[index])["role"] === "user" && index >= (compactions.at(-1)?.before ?? 0))
      this.#draft.cut(index);
  }

  #blocks(content: unknown): Fields[] {
    return objects(content).flatMap(({ kind, data }): Fields[] => {
      if (kind === "text") return text(data) === undefined ? [] : [textBlock(word(data))];
      const body = fields(data);
      if (kind === "toolUse")
        return [
          { type: "tool_use", id: word(body["toolUseId"]), name: word(body["name"]), input: fields(body["input"]) },
        ];
      if (kind === "toolResult") return [this.#result(body)];
      if (kind === "thinking") {
        this.#draft.tell({ model: text(body["modelId"]) });
        return thoughts(body);
      }
      const picture = kind === "image" ? base64(fields(body["source"])["data"]) : "";
      if (picture === "") return this.#draft.skip(`${word(kind)} block`), [];
      const type = word(body["format"]).toLowerCase();
      const media_type = `image/${type === "jpg" ? "jpeg" : type}`;
      return [{ type: "image", source: { type: "base64", media_type, data: picture } }];
    });
  }

  #result({ toolUseId, content, status }: Fields): Fields {
    const parts = objects(content).map((part) =>
      part["kind"] === "json" ? { kind: "text", data: JSON.stringify(part["data"] ?? null) } : part,
    );
    return {
      type: "tool_result",
      tool_use_id: word(toolUseId),
      content: this.#blocks(parts),
      ...(status === "error" && { is_error: true }),
    };
  }

  end(): Draft {
    return this.#draft;
  }
}

/** Kiro sends a summary in an entry of its context. */
function summaryText(summary: string): string {
  return `--- CONTEXT ENTRY BEGIN ---\nThis summary contains ALL relevant information from our previous conversation including tool uses, results, code analysis, and file operations. YOU MUST reference this information when answering questions and explicitly acknowledge specific details from the summary when they're relevant to the current question.\n\nSUMMARY CONTENT:\n${summary}\n--- CONTEXT ENTRY END ---`;
}

/** A thought, or one that the provider hides. */
function thoughts({ text: thinking, signature, redactedContent }: Fields): Fields[] {
  const data = base64(redactedContent);
  if (data !== "") return [{ type: "redacted_thinking", data }];
  return text(thinking) === undefined
    ? []
    : [{ type: "thinking", thinking, ...(text(signature) !== undefined && { signature }) }];
}

/** Returns bytes, which Kiro writes as a list of numbers, as base64. */
function base64(data: unknown): string {
  const bytes = items(data);
  if (typeof data === "string") return data;
  if (!bytes.every((byte) => Number.isInteger(byte) && Number(byte) >= 0 && Number(byte) < 256)) return "";
  return btoa(bytes.map((byte) => String.fromCharCode(Number(byte))).join(""));
}
