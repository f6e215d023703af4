/**
 * Amp: the JSON of a thread, `{v, id, title, messages}`, with messages close to those of the Anthropic API. Results are
 * blocks that hold the run of a tool. Another export only has messages `{role, text}`.
 */

import { blocksOf, imageBlock, inputOf, textBlock } from "./anthropic-blocks.ts";
import { Draft, fields, isFields, items, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const amp: Reader = {
  layout: "amp",
  tool: "Amp",
  shapes: ["value"],
  marks: ["v", "id", "created", "messages", "agentMode", "nextMessageId"],
  recognise,
  read: (_, { keepsHistory }) => new Amp(keepsHistory),
};

function recognise({ records: [file] }: Sample): Match | undefined {
  const list = objects(Array.isArray(file) ? file : fields(file)["messages"]);
  const isTurn = ({ role }: Fields) => role === "user" || role === "assistant";
  if (list.length === 0 || !list.every((message) => isTurn(message) || message["role"] === "info")) return undefined;
  if (list.every((message) => typeof message["text"] === "string" && !("content" in message)))
    return { count: 1, evidence: "messages with role and text" };
  const { id, v, agentMode, nextMessageId } = fields(file);
  const isNamed = /^T-/.test(text(id) ?? "") || (typeof v === "number" && id !== undefined);
  const isThread = isNamed || agentMode !== undefined || nextMessageId !== undefined;
  const isRun = ({ toolUseID, run }: Fields) => toolUseID !== undefined || isFields(run);
  const own = list.filter((message) => "messageId" in message || blocksOf(message["content"]).some(isRun)).length;
  if (!isThread && own === 0) return undefined;
  return {
    count: 1,
    evidence:
      own > 0
        ? `${own} messages with messageId, or with runs of tools`
        : "a thread with an id and messages of the Anthropic API",
  };
}

class Amp implements Reading {
  readonly #draft: Draft;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown): void {
    const { id, title, v, messages, env } = fields(record);
    const [tree] = objects(fields(fields(env)["initial"])["trees"]);
    const cwd = text(tree?.["uri"])?.replace(/^file:\/\//, "");
    this.#draft.tell({ id: text(id), title: text(title), cwd, version: typeof v === "number" ? String(v) : text(v) });
    items(Array.isArray(record) ? record : messages).forEach((message, place) => {
      if (isFields(message)) this.#message(message, place);
      else this.#draft.skip("a message that is not an object");
    });
  }

  #message(message: Fields, place: number): void {
    const { role, messageId, usage, state, meta } = message;
    if (role !== "user" && role !== "assistant") return this.#summary(message, place);
    const { content: words, text: alone } = message;
    const blocks = Array.isArray(words) ? blocksOf(words).flatMap((block) => this.#block(block)) : undefined;
    const content = typeof words === "string" ? words : (blocks ?? text(alone) ?? "");
    if (content.length === 0) return this.#draft.skip("a message without content");
    const id = typeof messageId === "number" ? String(messageId) : (text(messageId) ?? text(message["id"]));
    const time = timeOf(fields(meta)["sentAt"] ?? message["timestamp"] ?? message["created"]);
    const index = this.#draft.push({ role, content }, place, {
      ...(id !== undefined && { id }),
      ...(time !== undefined && { time }),
    });
    if (role === "user") return;
    const {
      model,
      inputTokens: input,
      outputTokens: output,
      cacheReadInputTokens: cacheRead,
      cacheCreationInputTokens: cacheWrite,
    } = fields(usage);
    this.#draft.tell({ model: text(model) });
    this.#draft.report(index, usageOf({ input, output, cacheRead, cacheWrite }), text(model));
    const { type } = fields(state);
    if (type === "cancelled" || type === "error") this.#draft.skip(`state ${word(type)}`, "the answer ended early");
  }

  /** Reads a note of the tool, which may hold a summary that replaced earlier messages. */
  #summary({ role, content }: Fields, place: number): void {
    const held = objects(content).find(({ type }) => type === "summary");
    const summary = text(held?.["summary"]) ?? text(fields(held?.["summary"])["summary"]) ?? text(held?.["text"]);
    if (summary === undefined) return this.#draft.skip(text(role) ?? "a message without a role");
    this.#draft.compact(place, [{ role: "user", content: summary }], { summary });
  }

  #block(block: Fields): Fields[] {
    const { type, toolUseID, run } = block;
    if (type === "text")
      return typeof block["text"] === "string" && block["text"] !== "" ? [textBlock(block["text"])] : [];
    if (type === "thinking") {
      const { thinking, signature } = block;
      return [{ type, thinking: text(thinking) ?? "", ...(typeof signature === "string" && { signature }) }];
    }
    if (type === "redacted_thinking") return [{ type, data: text(block["data"]) ?? "" }];
    if (type === "tool_use")
      return [{ type, id: word(block["id"]), name: text(block["name"]) ?? "", input: inputOf(block["input"]) }];
    if (type === "tool_result" && (toolUseID !== undefined || isFields(run)))
      return [runOf(word(toolUseID ?? block["tool_use_id"]), fields(run))];
    const image =
      type === "image" && !isFields(block["source"])
        ? imageBlock(block["data"], text(block["mediaType"]) ?? "image/png")
        : undefined;
    if (image) return [image];
    return [block];
  }

  end(): Draft {
    return this.#draft;
  }
}

function runOf(id: string, { status, result, error, reason }: Fields): Fields {
  const value = result ?? fields(error)["message"] ?? error ?? reason ?? status ?? "";
  const content = typeof value === "string" ? value : JSON.stringify(value);
  return { type: "tool_result", tool_use_id: id, content, ...(status === "error" && { is_error: true }) };
}
