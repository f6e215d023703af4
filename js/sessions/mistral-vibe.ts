/**
 * Mistral Vibe: `messages.jsonl` in a folder of `~/.vibe/logs/session`, one message a line (`meta.json` beside it has
 * the rest); versions before 2.0 wrote one `session_*.json` with `metadata` and `messages`. A compaction begins another
 * folder.
 *
 * Source: `LLMMessage` of vibe/core/types.py and vibe/core/session/session_logger.py (mistralai/mistral-vibe).
 */

import { chatMessage } from "./chat-record.ts";
import { Draft, fields, isFields, items, objects, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const mistralVibe: Reader = {
  layout: "mistral-vibe",
  tool: "Mistral Vibe",
  shapes: ["lines", "value"],
  marks: ["role", "content", "injected", "message_id"],
  recognise,
  read: () => new MistralVibe(),
};

function recognise({ records }: Sample): Match | undefined {
  const whole = records.filter(isWhole);
  if (whole.length > 0)
    return { count: whole.length, evidence: "metadata with session_id and agent_config, and messages" };
  const own = records.filter(isLine).length;
  return own === 0
    ? undefined
    : { count: own, evidence: `${own} messages with a UUID as message_id, and results with injected` };
}

function isLine(record: unknown): record is Fields {
  const { role, injected, message_id: id } = fields(record);
  const isOwn = role === "tool" ? typeof injected === "boolean" : UUID.test(word(id));
  return isOwn && chatMessage(fields(record)) !== undefined;
}

function isWhole(record: unknown): record is Fields {
  const { metadata, messages } = fields(record);
  const { session_id: id, agent_config: config, environment } = fields(metadata);
  return typeof id === "string" && (isFields(config) || isFields(environment)) && Array.isArray(messages);
}

class MistralVibe implements Reading {
  readonly #draft = new Draft("openai-chat");

  add(record: unknown, place: number): void {
    if (!isWhole(record)) return this.#message(fields(record), place);
    const {
      session_id: id,
      title,
      environment,
      agent_config: config,
      tools_available: tools,
    } = fields(record["metadata"]);
    this.#draft.tell({
      id: text(id),
      title: text(title),
      cwd: text(fields(environment)["working_directory"]),
      model: text(fields(config)["active_model"]),
      ...(objects(tools).length > 0 && { tools: [...objects(tools)] }),
    });
    items(record["messages"]).forEach((message, at) => this.#message(fields(message), at));
  }

  #message(record: Fields, place: number): void {
    const message = chatMessage(record);
    if (!message) return this.#draft.skip("a line that is not a message");
    const id = text(record["message_id"]);
    this.#draft.push(message, place, {
      ...(id !== undefined && { id }),
      ...(record["injected"] === true && { injected: true as const }),
    });
  }

  end(): Draft {
    return this.#draft;
  }
}
