/**
 * LangChain and LangGraph: lists of messages as `{type, content, …}`, as stored `{type, data}`, or as serialised
 * objects with `lc` and `kwargs`; alone, as JSON Lines, or as the `messages` of a state.
 */

import { Draft, fields, isFields, number, objects, text, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const TYPES = /^(human|ai|tool|system|function|chat|generic|developer|remove)$/;

export const langchain: Reader = {
  layout: "langchain",
  tool: "LangChain",
  shapes: ["value", "lines"],
  marks: ["type", "content", "additional_kwargs", "response_metadata", "tool_calls"],
  recognise,
  read: () => new LangChain(),
};

function recognise({ shape, records }: Sample): Match | undefined {
  const list = shape === "lines" && records.length > 1 ? records : (listOf(records[0]) ?? records);
  const count = list.filter((record) => unwrapped(record) !== undefined).length;
  if (count === 0 || count * 2 <= list.length) return undefined;
  return { count, evidence: `${count} messages of the types human, ai, tool and system` };
}

/** Finds the messages in states of graphs and exports of tracing tools. */
function listOf(value: unknown, depth = 0): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isFields(value) || depth > 3) return undefined;
  if (Array.isArray(value["messages"])) return value["messages"];
  for (const name of ["values", "channel_values", "checkpoint", "state", "outputs", "output", "data", "kwargs"]) {
    const found = isFields(value[name]) ? listOf(value[name], depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Returns a message with its type and fields in one object. */
function unwrapped(record: unknown): Fields | undefined {
  if (!isFields(record) || "uuid" in record) return undefined;
  const { lc, id, kwargs, type, data } = record;
  if (lc !== undefined && isFields(kwargs)) {
    const name = Array.isArray(id) ? word(id.at(-1)) : "";
    const found = /^(\w+?)Message(Chunk)?$/.exec(name)?.[1]?.toLowerCase();
    return found !== undefined && TYPES.test(found) ? { ...kwargs, type: found } : undefined;
  }
  if (typeof type !== "string" || !TYPES.test(type.toLowerCase()) || typeof record["role"] === "string")
    return undefined;
  if (isFields(data) && hasContent(data)) return { ...data, type };
  return hasContent(record) ? record : undefined;
}

/** Messages that were made of `contentBlocks` are stored with `content_blocks` instead. */
const hasContent = (message: Fields) => "content" in message || "content_blocks" in message;

class LangChain implements Reading {
  readonly #draft = new Draft("openai-chat");

  add(record: unknown, place: number): void {
    const message = unwrapped(record);
    if (message) return this.#message(message, place);
    const list = listOf(record);
    if (!list) return this.#draft.skip("a value that is not a message");
    const { thread_id: id } = fields(fields(fields(record)["config"])["configurable"]);
    this.#draft.tell({ id: text(id) ?? text(fields(record)["thread_id"]) });
    list.forEach((item, at) => {
      const one = unwrapped(item);
      if (one) this.#message(one, at);
      else this.#draft.skip("a value that is not a message");
    });
  }

  #message(message: Fields, place: number): void {
    const draft = this.#draft;
    const { content_blocks: blocks, content = blocks, id, tool_call_id: call, name } = message;
    const more = typeof id === "string" ? { id } : {};
    const own = word(message["type"]).toLowerCase();
    const type = own === "chat" || own === "generic" ? (ROLES.get(message["role"]) ?? own) : own;
    const shown = contentOf(content);
    if (type === "system" || type === "developer")
      return void draft.push({ role: "system", content: shown }, place, more);
    if (type === "human") return void draft.push({ role: "user", content: shown }, place, more);
    if (type === "tool")
      return void draft.push(
        { role: "tool", tool_call_id: word(call ?? ""), ...(text(name) !== undefined && { name }), content: shown },
        place,
        more,
      );
    if (type !== "ai")
      return draft.skip(
        `${type} message`,
        type === "remove" ? "an order to take a message out of the state" : undefined,
      );
    const calls = callsOf(message);
    const { reasoning_content: reasoning } = fields(message["additional_kwargs"]);
    if (objects(content).some((part) => /thinking$/.test(word(part["type"]))))
      draft.skip("thinking", "thoughts have no place in the format of the messages");
    const index = draft.push(
      {
        role: "assistant",
        content: shown === "" && calls.length > 0 ? null : shown,
        ...(text(reasoning) !== undefined && { reasoning_content: reasoning }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
      place,
      more,
    );
    const { model_name: model, model: other, token_usage: reported } = fields(message["response_metadata"]);
    draft.tell({ model: text(model) ?? text(other) });
    draft.report(index, usageFrom(fields(message["usage_metadata"]), fields(reported)), text(model) ?? text(other));
  }

  end(): Draft {
    return this.#draft;
  }
}

const ROLES = new Map<unknown, string>([
  ["user", "human"],
  ["assistant", "ai"],
  ["system", "system"],
  ["developer", "system"],
]);

/** Reads calls from the up to three places of a message. */
function callsOf({
  tool_calls: calls,
  invalid_tool_calls: invalid,
  additional_kwargs: more,
  content,
}: Fields): Fields[] {
  const own = [...objects(calls), ...objects(invalid)];
  const raw = objects(fields(more)["tool_calls"]);
  const parts = objects(content).filter(({ type }) => type === "tool_use");
  const list = own.length > 0 ? own : raw.length > 0 ? raw : parts;
  return list.map((call) => {
    const fn = fields(call["function"]);
    const args = call["args"] ?? call["input"] ?? fn["arguments"];
    const name = text(call["name"]) ?? text(fn["name"]) ?? "";
    return {
      id: word(call["id"] ?? ""),
      type: "function",
      function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) },
    };
  });
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content))
    return typeof content === "string"
      ? content
      : content === undefined || content === null
        ? ""
        : JSON.stringify(content);
  const parts = content.flatMap((part: unknown): Fields[] => {
    if (typeof part === "string") return [{ type: "text", text: part }];
    const { type, text: words, image_url: url, source, data, mime_type: mime } = fields(part);
    if (type === "text" && typeof words === "string") return [{ type, text: words }];
    if (type === "image_url") return [{ type, image_url: typeof url === "string" ? { url } : url }];
    const { data: base64, media_type: media } = fields(source);
    const bytes = text(data) ?? text(base64);
    return type === "image" && bytes !== undefined
      ? [{ type: "image_url", image_url: { url: `data:${word(mime ?? media)};base64,${bytes}` } }]
      : [];
  });
  return parts.every(({ type }) => type === "text") ? parts.map((part) => word(part["text"])).join("\n") : parts;
}

/** Both records include tokens from the cache in the prompt. */
function usageFrom(own: Fields, reported: Fields): ReturnType<typeof usageOf> {
  const details = fields(own["input_token_details"]);
  const cacheRead =
    number(details["cache_read"]) ?? number(fields(reported["prompt_tokens_details"])["cached_tokens"]) ?? 0;
  const cacheWrite = number(details["cache_creation"]) ?? 0;
  const prompt = number(own["input_tokens"]) ?? number(reported["prompt_tokens"]) ?? 0;
  const { reasoning } = fields(own["output_token_details"]);
  return usageOf({
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: own["output_tokens"] ?? reported["completion_tokens"],
    reasoning,
  });
}
