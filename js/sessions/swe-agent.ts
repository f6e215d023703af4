/**
 * SWE-agent: `.traj` files, whose `history` holds messages of OpenAI's format with additional fields of the log, and
 * those of mini-swe-agent, which are in `messages`. A result names its call in the list `tool_call_ids`. Runs without
 * tools answer in texts of the user. mini-swe-agent on the Responses API (`litellm_response` and others) keeps whole
 * responses, and results as items (src/minisweagent/models/litellm_response_model.py, trajectory_format
 * mini-swe-agent-1.1).
 */

import { chatCall } from "./chat-record.ts";
import { Draft, fields, isFields, items, number, objects, text, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const sweAgent: Reader = {
  layout: "swe-agent",
  tool: "SWE-agent",
  shapes: ["value", "lines"],
  marks: ["trajectory", "history", "info", "environment"],
  recognise,
  read: (_, { keepsHistory }) => new SweAgent(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const runs = records.filter((record) => historyOf(record).length > 0);
  if (runs.length === 0 || runs.length * 2 < records.length) return undefined;
  const count = runs.length === 1 ? historyOf(runs[0]).length : runs.length;
  return { count, evidence: "a history of messages beside trajectory, info or trajectory_format" };
}

function historyOf(record: unknown): readonly Fields[] {
  const { history, messages, trajectory, trajectory_format: format, info } = fields(record);
  const isMini = Array.isArray(messages) && (typeof format === "string" || (isFields(info) && "exit_status" in info));
  const isOwn =
    Array.isArray(history) &&
    (Array.isArray(trajectory) || (isFields(info) && ("exit_status" in info || "model_stats" in info)));
  const list = isMini ? objects(messages) : isOwn ? objects(history) : fromSteps(trajectory);
  return list.length > 0 && list.every((message) => typeof message["role"] === "string" || isOfResponses(message))
    ? list
    : [];
}

function isOfResponses({ object, output, type }: Fields): boolean {
  return (object === "response" && Array.isArray(output)) || type === "function_call_output";
}

/** Some runs store only steps; the newest one repeats the whole request. */
function fromSteps(trajectory: unknown): readonly Fields[] {
  const { query, response, tool_calls: calls, tool_call_ids: ids, observation } = objects(trajectory).at(-1) ?? {};
  if (!Array.isArray(query)) return [];
  const list = objects(calls);
  const answer = { role: "assistant", content: response, ...(list.length > 0 && { tool_calls: list }) };
  const result = {
    role: list.length > 0 ? "tool" : "user",
    content: observation,
    ...(Array.isArray(ids) && { tool_call_ids: ids }),
  };
  return [
    ...objects(query),
    ...(typeof response === "string" ? [answer] : []),
    ...(text(observation) !== undefined ? [result] : []),
  ];
}

class SweAgent implements Reading {
  readonly #keepsHistory: boolean;
  readonly #drafts: Draft[] = [];
  /** Ids of calls without a result so far. */
  #open: string[] = [];

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    const list = historyOf(record);
    const isResponses = list.some(isOfResponses);
    const draft = new Draft(isResponses ? "openai-responses" : "openai-chat", this.#keepsHistory);
    const { environment, instance_id: id, info, replay_config: replay } = fields(record);
    draft.label = text(id) ?? text(environment) ?? `run ${this.#drafts.length + 1}`;
    draft.tell({
      id: text(id),
      model: modelOf(info, replay),
      version: text(fields(info)["swe_agent_version"]) ?? text(fields(info)["mini_version"]),
    });
    let isAnswered = false;
    this.#open = [];
    list.forEach((message, at) => {
      const own = place === 0 ? at : place;
      isAnswered = (isResponses ? pushItems : this.#message.bind(this))(draft, message, own, isAnswered);
    });
    this.#drafts.push(draft);
  }

  #message(draft: Draft, message: Fields, place: number, isAnswered: boolean): boolean {
    const {
      role,
      content,
      tool_calls: calls,
      tool_call_ids: ids,
      tool_call_id: id,
      is_demo: isDemo,
      name,
      extra,
      reasoning_content: thought,
      thinking_blocks: thoughts,
    } = message;
    const list = objects(calls);
    const named = text(id) ?? text(items(ids)[0]);
    // Some runs do not name the call of a result: it is then the first open one.
    const call = named ?? (role === "tool" ? this.#open[0] : undefined);
    this.#open = this.#open.filter((one) => one !== call);
    if (role === "tool" || (role === "user" && call !== undefined && isDemo !== true)) {
      if (call === undefined) draft.push({ role: "user", content: contentOf(content) }, place, { injected: true });
      else
        draft.push(
          {
            role: "tool",
            tool_call_id: call,
            ...(typeof name === "string" && { name }),
            content: contentOf(content),
          },
          place,
        );
      return isAnswered;
    }
    if (role !== "system" && role !== "user" && role !== "assistant") {
      draft.skip(word(role).slice(0, 40), "the outcome of the run, which no model sees");
      return isAnswered;
    }
    // The task comes first; a user's text after an answer is the output of its command.
    const isInjected = role === "user" && (isDemo === true || isAnswered);
    const shown = contentOf(content);
    // Both agents send the thoughts of an answer back.
    const reasoning =
      text(thought) ??
      objects(thoughts)
        .flatMap((one) => text(one["thinking"]) ?? [])
        .join("\n");
    const index = draft.push(
      {
        role,
        content: shown === "" && list.length > 0 ? null : shown,
        ...(role === "assistant" && reasoning !== "" && { reasoning_content: reasoning }),
        ...(role === "assistant" && list.length > 0 && { tool_calls: list.map(callOf) }),
      },
      place,
      isInjected ? { injected: true } : {},
    );
    if (role !== "assistant" || isDemo === true) return isAnswered;
    this.#open.push(...list.flatMap((one) => text(one["id"]) ?? []));
    const { model, usage } = fields(fields(extra)["response"]);
    const { prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: details } = fields(usage);
    const cacheRead = number(fields(details)["cached_tokens"]) ?? 0;
    draft.report(index, usageOf({ input: (number(prompt) ?? 0) - cacheRead, cacheRead, output }), text(model));
    return true;
  }

  end(): Draft | Draft[] {
    return this.#drafts.length > 1 ? this.#drafts : (this.#drafts[0] ?? new Draft("openai-chat"));
  }
}

/** Adds the items of a response, or a message of the input, as mini-swe-agent sends them. */
function pushItems(draft: Draft, message: Fields, place: number, isAnswered: boolean): boolean {
  const { extra: _, output, usage, model, role, ...rest } = message;
  if (Array.isArray(output)) {
    for (const { extra: _own, ...item } of objects(output)) draft.push(item, place);
    const { input_tokens: input, output_tokens: written, input_tokens_details: details } = fields(usage);
    const cacheRead = number(fields(details)["cached_tokens"]) ?? 0;
    const counts = { input: (number(input) ?? 0) - cacheRead, cacheRead, output: written };
    draft.report(draft.messages.length - 1, usageOf(counts), text(model));
    return true;
  }
  if (role === undefined) draft.push({ ...rest, output }, place);
  else if (role === "system" || role === "user" || role === "assistant")
    draft.push({ role, ...rest }, place, isAnswered && role === "user" ? { injected: true } : {});
  else draft.skip(word(role).slice(0, 40), "the outcome of the run, which no model sees");
  return isAnswered;
}

function callOf(call: Fields): Fields {
  const { name, arguments: args } = fields(call["function"]);
  return chatCall(call["id"], name, args);
}

/** Parts carry cache marks, which are not OpenAI's. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const parts = objects(content).map(({ cache_control: _, ...part }) => part);
  return parts.length > 0 && parts.every(({ type }) => type === "text")
    ? parts.map((part) => word(part["text"] ?? "")).join("\n")
    : parts;
}

/** Returns the model's name in the settings of the run, which may be a JSON text. */
function modelOf(info: unknown, replay: unknown): string | undefined {
  const config = fields(fields(info)["config"] ?? info);
  const mini = text(fields(config["model"])["model_name"]);
  if (mini !== undefined) return mini;
  let settings: unknown = replay;
  try {
    if (typeof replay === "string") settings = JSON.parse(replay);
  } catch {
    // The file then does not name its model.
    return undefined;
  }
  return text(fields(fields(fields(settings)["agent"])["model"])["name"]);
}
