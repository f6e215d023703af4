/**
 * goose: sessions as JSON Lines, a header and then messages; the output of `goose session export --format json`, with
 * messages in `conversation`; and that of `goose run --output-format stream-json`, with one message in several pieces
 * of the same id. Messages that a compaction replaced are invisible to the agent; its summary is invisible to the user.
 */

import { Draft, fields, isFields, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";
import { pushMarked } from "./visible.ts";
import type { Marked } from "./visible.ts";

const PARTS =
  /^(text|image|toolRequest|toolResponse|toolConfirmationRequest|frontendToolRequest|thinking|redactedThinking|contextLengthExceeded|summarizationRequested|systemNotification|conversationCompacted|actionRequired)$/;

export const goose: Reader = {
  layout: "goose",
  tool: "goose",
  shapes: ["lines", "value"],
  marks: ["working_dir", "message_count", "role", "created", "content"],
  recognise,
  read: () => new Goose(),
};

function recognise({ records }: Sample): Match | undefined {
  const list = records.flatMap((record) => conversationOf(record) ?? [streamed(record) ?? record]);
  const headers = list.filter(
    (record) => isFields(record) && typeof record["working_dir"] === "string" && !("role" in record),
  ).length;
  const messages = list.filter(isMessage);
  const own = messages.filter((message) =>
    objects(message["content"]).some(({ type }) => /^tool(Request|Response)$/.test(word(type))),
  );
  const isExport = list.length > records.length || (records.length === 1 && conversationOf(records[0]) !== undefined);
  if (messages.length === 0 || (headers === 0 && own.length === 0 && !isExport)) return undefined;
  return {
    count: headers + messages.length,
    evidence: `${messages.length} messages with created and parts of goose${headers > 0 ? ", below a header with working_dir" : ""}`,
  };
}

function conversationOf(record: unknown): readonly unknown[] | undefined {
  const { conversation, messages, working_dir: cwd } = fields(record);
  const list = conversation ?? messages;
  return Array.isArray(list) && typeof cwd === "string" ? list : undefined;
}

/** Returns the message of an event of a stream. */
function streamed(record: unknown): Fields | undefined {
  const { type, message } = fields(record);
  return type === "message" && isMessage(message) ? message : undefined;
}

function isMessage(value: unknown): value is Fields {
  if (!isFields(value) || !Array.isArray(value["content"]) || typeof value["created"] !== "number") return false;
  return (
    /^(user|assistant)$/.test(word(value["role"])) &&
    objects(value["content"]).every(({ type }) => PARTS.test(word(type)))
  );
}

class Goose implements Reading {
  readonly #draft = new Draft("anthropic");
  readonly #list: (Marked & { message: { role: unknown; content: Fields[] } })[] = [];
  /** Usage of answers, by their message in the list. */
  readonly #usage: { message: unknown; metadata: Fields }[] = [];

  add(record: unknown, place: number): void {
    const conversation = conversationOf(record);
    if (conversation) {
      this.#about(fields(record));
      conversation.forEach((message, at) => this.#message(fields(message), at));
    } else if (streamed(record)) this.#message(streamed(record)!, place);
    else if (isFields(record) && typeof record["role"] === "string") this.#message(record, place);
    else if (isFields(record) && ("working_dir" in record || "message_count" in record)) this.#about(record);
    else this.#draft.skip("a line that is not a message");
  }

  #about(header: Fields): void {
    const { id, name, description, working_dir: cwd, model_config: config } = header;
    const { model_name: model, context_limit: window } = fields(config);
    this.#draft.tell({
      id: text(id),
      title: text(name) ?? text(description),
      cwd: text(cwd),
      model: text(model),
      window: number(window),
    });
  }

  #message(message: Fields, place: number): void {
    const { role, content, created, id, metadata } = message;
    const { agentVisible, userVisible } = fields(metadata);
    const parts = objects(content).flatMap((part) => this.#part(part));
    if (role !== "user" && role !== "assistant") return this.#draft.skip(`message/${word(role).slice(0, 40)}`);
    if (parts.length === 0) return this.#draft.skip("empty message");
    const [time, own] = [timeOf(created), text(id)];
    const isHidden = userVisible === false && agentVisible !== false;
    const isResult = parts.some(({ type }) => type === "tool_result");
    const more = {
      ...(time !== undefined && { time }),
      ...(own !== undefined && { id: own }),
      ...(isHidden && role === "user" && !isResult && { injected: true as const }),
    };
    const before = this.#list.at(-1);
    if (before && own !== undefined && before.more?.id === own && before.message.role === role)
      return join(before.message.content, parts);
    const words = parts.flatMap((part) => text(part["text"]) ?? []).join("\n");
    const isSummary = isHidden && words !== "" && parts.every(({ type }) => type === "text");
    const one = {
      message: { role, content: parts },
      place,
      isLive: agentVisible !== false,
      more,
      ...(isSummary && { summary: words }),
    };
    this.#list.push(one);
    if (isFields(fields(metadata)["usage"])) this.#usage.push({ message: one.message, metadata: fields(metadata) });
  }

  #part(part: Fields): Fields[] {
    const { type, id, toolCall, toolResult, thinking, signature, data, mimeType } = part;
    // A piece of a streamed text may be a space.
    if (type === "text") return text(part["text"]) !== undefined ? [{ type, text: part["text"] }] : [];
    if (type === "image" && typeof data === "string")
      return [{ type, source: { type: "base64", media_type: mimeType, data } }];
    if (type === "thinking")
      return text(thinking) === undefined
        ? []
        : [{ type, thinking, ...(text(signature) !== undefined && { signature }) }];
    if (type === "redactedThinking") return [{ type: "redacted_thinking", data }];
    if ((type === "toolRequest" || type === "frontendToolRequest") && typeof id === "string") {
      const { name, arguments: input } = fields(fields(toolCall)["value"]);
      return [{ type: "tool_use", id, name: text(name) ?? "invalid", input: fields(input) }];
    }
    if (type === "toolResponse" && typeof id === "string")
      return [{ type: "tool_result", tool_use_id: id, ...outcome(fields(toolResult)) }];
    this.#draft.skip(text(type) ?? "a part without a type");
    return [];
  }

  end(): Draft {
    const draft = this.#draft;
    // A compaction hides what is before its summary; any other message may be hidden from the agent alone.
    const last = this.#list.findLastIndex(({ summary }) => summary !== undefined);
    const shown = this.#list.filter(({ isLive }, at) => isLive || at < last);
    for (let hidden = this.#list.length - shown.length; hidden > 0; hidden -= 1)
      draft.skip("message hidden from the agent");
    pushMarked(draft, shown);
    const indices = new Map(draft.messages.map((message, index) => [message, index]));
    for (const { message, metadata } of this.#usage) {
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = fields(metadata["usage"]);
      const [cacheRead, cacheWrite] = [number(cacheReadTokens) ?? 0, number(cacheWriteTokens) ?? 0];
      const model = text(fields(metadata["inference"])["resolvedModel"]);
      const input = Math.max(0, (number(inputTokens) ?? 0) - cacheRead - cacheWrite);
      draft.report(indices.get(message) ?? -1, usageOf({ input, cacheRead, cacheWrite, output: outputTokens }), model);
      draft.tell({ model: model ?? draft.about.model });
    }
    return draft;
  }
}

/** Adds a later piece of a message; texts continue where they ended. */
function join(content: Fields[], parts: readonly Fields[]): void {
  for (const part of parts) {
    const last = content.at(-1);
    if (last?.["type"] === "text" && part["type"] === "text")
      content[content.length - 1] = { type: "text", text: `${word(last["text"])}${word(part["text"])}` };
    else content.push(part);
  }
}

function outcome({ status, value: result, Ok: older, error }: Fields): Fields {
  const value = result ?? older;
  if (status === "error" || error !== undefined) return { content: text(error) ?? "", is_error: true };
  const { content, isError } = fields(value);
  const list = objects(Array.isArray(value) ? value : content);
  // Some results are only shown to the user.
  const shown = list.filter(({ annotations }) => {
    const { audience } = fields(annotations);
    return !Array.isArray(audience) || audience.includes("assistant");
  });
  const parts = shown.flatMap((part): Fields[] => {
    if (part["type"] === "image")
      return [{ type: "image", source: { type: "base64", media_type: part["mimeType"], data: part["data"] } }];
    const words = text(part["text"]) ?? text(fields(part["resource"])["text"]);
    return words === undefined ? [] : [{ type: "text", text: words }];
  });
  const isText = parts.every(({ type }) => type === "text");
  return {
    content: isText ? parts.map((part) => word(part["text"])).join("\n") : parts,
    ...(isError === true && { is_error: true }),
  };
}
