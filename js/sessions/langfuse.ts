/**
 * Langfuse: a trace with its `observations`, a list of observations, or JSON Lines of them. The generation with the
 * longest input holds the conversation; its output is the last message. Inputs and outputs may be JSON within JSON.
 * Each session or trace is a conversation.
 */

import { detect } from "../formats/detect.ts";
import type { Format } from "../types/messages.ts";
import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const langfuse: Reader = {
  layout: "langfuse",
  tool: "Langfuse",
  shapes: ["value", "lines"],
  marks: ["id", "traceId", "type", "input", "output", "observations"],
  recognise,
  read: () => new Langfuse(),
};

function recognise({ records }: Sample): Match | undefined {
  const list = records.flatMap((record) => observationsOf(record));
  const generations = list.filter(isGeneration).length;
  if (generations === 0 || list.length * 2 < records.length) return undefined;
  return { count: list.length, evidence: `${generations} observations of the type GENERATION` };
}

function observationsOf(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap((item) => observationsOf(item));
  if (!isFields(value)) return [];
  const { observations, data, trace, type } = value;
  if (Array.isArray(observations))
    return objects(observations).map((one) => ({
      ...one,
      sessionId: one["sessionId"] ?? value["sessionId"],
      traceName: value["name"],
    }));
  if (isFields(trace)) return observationsOf(trace);
  if (Array.isArray(data)) return observationsOf(data);
  return typeof type === "string" && (traceOf(value) !== undefined || "startTime" in value || "start_time" in value)
    ? [value]
    : [];
}

function traceOf(observation: Fields): string | undefined {
  return text(observation["traceId"]) ?? text(observation["trace_id"]);
}

function isGeneration(observation: Fields): boolean {
  return /^generation$/i.test(word(observation["type"])) && "input" in observation;
}

/** Parses JSON texts, up to two levels deep. */
function plain(value: unknown, depth = 2): unknown {
  if (typeof value !== "string" || depth === 0 || !/^\s*["[{]/.test(value)) return value;
  try {
    return plain(JSON.parse(value), depth - 1);
  } catch {
    // The text only looks like JSON at its beginning.
    return value;
  }
}

class Langfuse implements Reading {
  readonly #groups = new Map<string, { size: number; observation: Fields; place: number; count: number }>();
  #others = 0;
  #next = 0;

  add(record: unknown, place: number): void {
    for (const observation of observationsOf(record)) {
      const at = place === 0 ? this.#next++ : place;
      if (!isGeneration(observation)) {
        this.#others += 1;
        continue;
      }
      const key = text(observation["sessionId"]) ?? text(observation["session_id"]) ?? traceOf(observation) ?? "";
      const input = observation["input"];
      const size = typeof input === "string" ? input.length : JSON.stringify(input ?? "").length;
      const best = this.#groups.get(key);
      if (!best || size >= best.size)
        this.#groups.set(key, { size, observation, place: at, count: (best?.count ?? 0) + 1 });
      else best.count += 1;
    }
  }

  end(): Draft | Draft[] {
    const drafts = [...this.#groups].map(([key, { observation, place, count }]) => {
      const draft = draftOf(observation, place);
      draft.label = key;
      for (let left = count; left > 1; left--)
        draft.skip("shorter generation", "an earlier request; the longest one holds the conversation");
      for (let left = this.#others; left > 0; left--) draft.skip("other observation");
      return draft;
    });
    const whole = drafts.filter(({ messages }) => messages.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? drafts[0] ?? new Draft("openai-chat"));
  }
}

function draftOf(observation: Fields, place: number): Draft {
  const input = plain(observation["input"]);
  const request = fields(input);
  const list =
    typeof input === "string"
      ? [{ role: "user", content: input }]
      : items(Array.isArray(input) ? input : (request["messages"] ?? request["contents"] ?? request["input"])).map(
          (one) => plain(one),
        );
  const answer = answerOf(plain(observation["output"]));
  const isDefinition = (message: unknown) => fields(message)["role"] === "tool" && isFields(fields(message)["content"]);
  const messages = [...list.filter((one) => !isDefinition(one)), ...(answer === undefined ? [] : [answer])].filter(
    isFields,
  );
  const format: Format = detect({ input: messages, list: messages, name: "messages" }) ?? "openai-chat";
  const draft = new Draft(format);
  const tools = [
    ...objects(request["tools"]),
    ...list.filter(isDefinition).map((one) => fields(fields(one)["content"])),
  ];
  const system = text(request["system"]);
  draft.tell({
    id: text(observation["sessionId"]) ?? traceOf(observation),
    title: text(observation["traceName"]) ?? text(observation["name"]),
    model: text(observation["model"]),
    ...(system !== undefined && { system }),
    ...(tools.length > 0 && { tools }),
  });
  const time = timeOf(observation["startTime"] ?? observation["start_time"]);
  const open: string[] = [];
  for (const message of messages) {
    const clean = format === "openai-chat" ? chat(message, open) : message;
    const isInjected = clean["role"] === "user" && message["role"] === "tool";
    draft.push(clean, place, { ...(time !== undefined && { time }), ...(isInjected && { injected: true }) });
  }
  if (answer !== undefined) draft.report(draft.messages.length - 1, usageFrom(observation), text(observation["model"]));
  return draft;
}

function answerOf(output: unknown): unknown {
  if (typeof output === "string") return output === "" ? undefined : { role: "assistant", content: output };
  if (Array.isArray(output)) return answerOf(plain(output.at(-1)));
  if (!isFields(output)) return undefined;
  const { choices, message, role, content, completion } = output;
  const inner = plain(fields(items(choices)[0])["message"] ?? message);
  if (isFields(inner)) return answerOf(inner);
  if (typeof completion === "string") return { role: "assistant", content: completion };
  return role !== undefined || content !== undefined || "tool_calls" in output
    ? { ...output, role: text(role) ?? "assistant" }
    : undefined;
}

/**
 * Returns a message in OpenAI's format without fields of the tracing; results without an id answer the open calls in
 * order.
 */
function chat(message: Fields, open: string[]): Fields {
  const { role, content, tool_calls: calls, tool_call_id: id, name, additional_kwargs: more } = message;
  const shown =
    typeof content === "string" || Array.isArray(content)
      ? content
      : content === undefined || content === null
        ? null
        : JSON.stringify(content);
  if (role === "tool") {
    const at = typeof id === "string" ? open.indexOf(id) : 0;
    const [call = id] = at < 0 ? [] : open.splice(at, 1);
    if (typeof call === "string")
      return { role, tool_call_id: call, ...(typeof name === "string" && { name }), content: shown ?? "" };
    return { role: "user", content: shown ?? "" };
  }
  const own = objects(calls);
  const list = (own.length > 0 ? own : objects(fields(more)["tool_calls"])).map((call) => {
    const fn = fields(call["function"]);
    const args = fn["arguments"] ?? call["args"];
    return {
      id: word(call["id"] ?? ""),
      type: "function",
      function: {
        name: text(fn["name"]) ?? text(call["name"]) ?? "",
        arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}),
      },
    };
  });
  open.push(...list.map((call) => call.id));
  const known = role === "human" ? "user" : role === "ai" || role === "model" ? "assistant" : role;
  return {
    role: known,
    content: shown === "" && list.length > 0 ? null : shown,
    ...(list.length > 0 && { tool_calls: list }),
  };
}

function usageFrom({ usage, usageDetails, usage_details: other }: Fields): ReturnType<typeof usageOf> {
  const counts = { ...fields(usage), ...fields(usageDetails ?? other) };
  const first = (...names: string[]) => names.map((name) => number(counts[name])).find((value) => value !== undefined);
  return usageOf({
    input: first("input", "promptTokens", "prompt_tokens", "input_tokens"),
    output: first("output", "completionTokens", "completion_tokens", "output_tokens"),
    cacheRead: first("cache_read_input_tokens", "input_cache_read", "input_cached_tokens"),
    cacheWrite: first("cache_creation_input_tokens", "input_cache_creation"),
  });
}
