/**
 * OpenHands from 1.0 on: events of its SDK as JSON Lines, as a list, or as the `history` of a task of its benchmarks.
 *
 * Actions with the same `llm_response_id` are one answer of the model. Observations, rejections and errors of a tool
 * name their call. The newest state holds the usage of all requests.
 */

import { Draft, fields, isFields, items, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { View } from "./openhands-view.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const KIND =
  /^(SystemPromptEvent|MessageEvent|ActionEvent|ObservationEvent|UserRejectObservation|AgentErrorEvent|Condensation\w*|ConversationStateUpdateEvent|PauseEvent|TokenEvent)$/;

export const openhandsEvents: Reader = {
  layout: "openhands-events",
  tool: "OpenHands SDK",
  shapes: ["lines", "value"],
  marks: ["kind", "source", "llm_message", "tool_call_id", "llm_response_id"],
  recognise,
  read: (_, { keepsHistory }) => new OpenhandsEvents(keepsHistory),
};

function recognise({ shape, records }: Sample): Match | undefined {
  const [first] = records;
  const list = shape === "value" && Array.isArray(first) ? first : records;
  const count = list.filter((record) => isEvent(record) || eventsOf(record).some(isEvent)).length;
  if (count === 0 || count * 2 < list.length) return undefined;
  return { count, evidence: `${count} records with events of the kinds ActionEvent, ObservationEvent, MessageEvent` };
}

function isEvent(value: unknown): boolean {
  return isFields(value) && typeof value["kind"] === "string" && KIND.test(value["kind"]) && !("role" in value);
}

function eventsOf(record: unknown): readonly unknown[] {
  const { history, events, items: page } = fields(record);
  return items(history ?? events ?? page);
}

class OpenhandsEvents implements Reading {
  readonly #keepsHistory: boolean;
  readonly #threads: Thread[] = [];
  #single: Thread | undefined;

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    if (Array.isArray(record)) return record.forEach((item, at) => this.#take(item, at));
    this.#take(record, place);
  }

  #take(record: unknown, place: number): void {
    const events = eventsOf(record);
    if (isEvent(record) || events.length === 0) {
      this.#single ??= this.#begin("");
      return this.#single.add(fields(record), place);
    }
    const { instance_id: id, conversation_id: other } = fields(record);
    const name = text(id) ?? text(other);
    const thread = this.#begin(name ?? `task ${this.#threads.length + 1}`);
    thread.draft.tell({ id: name });
    events.forEach((event, at) => thread.add(fields(event), place === 0 ? at : place));
  }

  #begin(label: string): Thread {
    const thread = new Thread(this.#keepsHistory);
    thread.draft.label = label;
    this.#threads.push(thread);
    return thread;
  }

  end(): Draft | Draft[] {
    const drafts = this.#threads.map((thread) => thread.end());
    const whole = drafts.filter(({ messages }) => messages.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? drafts[0] ?? new Draft("openai-chat"));
  }
}

class Thread {
  readonly draft: Draft;
  readonly #view: View;
  readonly #answers = new Map<string, number>();
  readonly #seen = new Set<string>();
  #usages: readonly Fields[] = [];

  constructor(keepsHistory: boolean) {
    this.draft = new Draft("openai-chat", keepsHistory);
    this.#view = new View(this.draft);
  }

  add(event: Fields, place: number): void {
    const { kind, id } = event;
    const name = typeof kind === "string" ? kind : "an event without a kind";
    if (typeof id === "string") {
      if (this.#seen.has(id)) return this.draft.skip("repeated event", "an event with the same id came before");
      this.#seen.add(id);
    }
    const time = timeOf(event["timestamp"]);
    const more = { ...(time !== undefined && { time }), ...(typeof id === "string" && { id }) };
    if (name === "SystemPromptEvent") this.#system(event, place, more);
    else if (name === "MessageEvent") this.#message(event, place, more);
    else if (name === "ActionEvent") this.#action(event, place, more);
    else if (name === "Condensation") this.#condense(event, place);
    else if (typeof event["tool_call_id"] === "string") this.#result(event, place, more);
    else {
      if (name === "ConversationStateUpdateEvent") this.#state(event);
      this.draft.skip(name);
    }
  }

  #condense(event: Fields, place: number): void {
    this.#view.condense(event, place);
    if (this.draft.messages.length === 0) this.#answers.clear();
  }

  #system(event: Fields, place: number, more: { time?: number; id?: string }): void {
    const { system_prompt: prompt, dynamic_context: context, tools } = event;
    const parts = [prompt, context].flatMap((one) => text(typeof one === "string" ? one : fields(one)["text"]) ?? []);
    // Newer tools are records of the tool, not definitions for the API.
    const definitions = objects(tools).filter((tool) => isFields(tool["function"]));
    if (definitions.length > 0) this.draft.tell({ tools: definitions });
    this.#view.push({ role: "system", content: parts.join("\n\n") }, event["id"], place, more);
  }

  #message(event: Fields, place: number, more: { time?: number; id?: string }): void {
    const { role, content, tool_calls: calls, reasoning_content: reasoning } = fields(event["llm_message"]);
    const own =
      role === "assistant" || (role === undefined && event["source"] === "agent")
        ? "assistant"
        : role === "system"
          ? "system"
          : "user";
    const parts = [...partsOf(content), ...partsOf(event["extended_content"])];
    const tools = objects(calls).map(callOf);
    const shown = typeof content === "string" && parts.length <= 1 ? content : plain(parts);
    if (shown === "" && tools.length === 0) return this.draft.skip("empty message");
    const thoughts = own === "assistant" && text(reasoning) !== undefined ? { reasoning_content: reasoning } : {};
    const isTool = event["source"] !== "user" && own === "user";
    const index = this.#view.push(
      { role: own, content: shown, ...thoughts, ...(tools.length > 0 && { tool_calls: tools }) },
      event["id"],
      place,
      { ...more, ...(isTool && { injected: true }) },
    );
    this.#remember(event, own, index);
  }

  #remember(event: Fields, role: string, index: number): void {
    const response = text(event["llm_response_id"]);
    if (role === "assistant" && response !== undefined && !this.#answers.has(response))
      this.#answers.set(response, index);
  }

  #action(event: Fields, place: number, more: { time?: number; id?: string }): void {
    const call = callOf(
      { id: event["tool_call_id"], name: event["tool_name"], ...fields(event["tool_call"]) },
      event["action"],
    );
    const response = text(event["llm_response_id"]);
    const known = response === undefined ? undefined : this.#answers.get(response);
    if (known !== undefined && this.#view.at(known)["role"] === "assistant") {
      const before = this.#view.at(known);
      return this.#view.extend(
        known,
        { ...before, tool_calls: [...objects(before["tool_calls"]), call] },
        event["id"],
        place,
      );
    }
    const thought = plain(partsOf(event["thought"]));
    const blocks = objects(event["thinking_blocks"])
      .flatMap(({ thinking }) => text(thinking) ?? [])
      .join("\n");
    const reasoning = text(event["reasoning_content"]) ?? text(blocks);
    const message = {
      role: "assistant",
      content: thought === "" ? null : thought,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      tool_calls: [call],
    };
    this.#remember(event, "assistant", this.#view.push(message, event["id"], place, more));
  }

  #result(event: Fields, place: number, more: { time?: number; id?: string }): void {
    const { tool_call_id: call, tool_name: name, observation, error, rejection_reason: reason } = event;
    const shown = text(error) ?? text(reason) ?? shownOf(observation);
    this.#view.push(
      { role: "tool", tool_call_id: call, ...(typeof name === "string" && { name }), content: shown },
      event["id"],
      place,
      more,
    );
  }

  /** Reads the whole state, or the one field of it that changed. */
  #state({ key, value }: Fields): void {
    const stats = key === "stats" ? fields(value) : fields(fields(value)["stats"]);
    const usages = Object.entries(fields(stats["usage_to_metrics"])).filter(([name]) => !/condenser/.test(name));
    const list = usages.flatMap(([, metrics]) => objects(fields(metrics)["token_usages"]));
    if (list.length > 0) this.#usages = list;
    const { working_dir: cwd } = fields(fields(value)["workspace"]);
    this.draft.tell({ cwd: text(cwd), id: this.draft.about.id ?? text(fields(value)["id"]) });
    this.draft.tell({ model: text(fields(fields(fields(value)["agent"])["llm"])["model"]) });
  }

  end(): Draft {
    const reports = this.#usages.flatMap((usage) => {
      const answer = this.#answers.get(word(usage["response_id"]));
      return answer === undefined ? [] : [{ answer, usage }];
    });
    for (const { answer, usage } of reports.sort((a, b) => a.answer - b.answer)) {
      const {
        prompt_tokens: prompt,
        cache_read_tokens: cacheRead,
        cache_write_tokens: cacheWrite,
        completion_tokens: output,
        reasoning_tokens: reasoning,
      } = usage;
      const count = (value: unknown) => (typeof value === "number" ? value : 0);
      const input = Math.max(0, count(prompt) - count(cacheRead) - count(cacheWrite));
      this.draft.report(answer, usageOf({ input, cacheRead, cacheWrite, output, reasoning }), text(usage["model"]));
      this.draft.tell({
        model: this.draft.about.model ?? text(usage["model"]),
        window: count(usage["context_window"]) || undefined,
      });
    }
    return this.draft;
  }
}

function partsOf(content: unknown): Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objects(content).flatMap((part): Fields[] => {
    if (part["type"] === "image")
      return items(part["image_urls"]).map((url) => ({ type: "image_url", image_url: { url } }));
    return text(part["text"]) === undefined ? [] : [{ type: "text", text: part["text"] }];
  });
}

/** Joins parts to one text if all of them are texts. */
function plain(parts: readonly Fields[]): unknown {
  return parts.every(({ type }) => type === "text") ? parts.map((part) => word(part["text"])).join("\n") : parts;
}

function callOf(call: Fields, action?: unknown): Fields {
  const fn = fields(call["function"]);
  const args = call["arguments"] ?? fn["arguments"];
  const { kind: _, ...own } = fields(action);
  const name = text(call["name"]) ?? text(fn["name"]) ?? "";
  return {
    id: text(call["id"]) ?? "",
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? own) },
  };
}

function shownOf(observation: unknown): unknown {
  const { kind, content, is_error: _, ...rest } = fields(observation);
  const parts = partsOf(content);
  if (parts.length > 0) return plain(parts);
  const shown =
    text(rest["output"]) ?? text(rest["text"]) ?? text(rest["result"]) ?? text(rest["message"]) ?? text(rest["error"]);
  return (
    shown ??
    (typeof content === "string" || kind === undefined || Object.keys(rest).length === 0 ? "" : JSON.stringify(rest))
  );
}
