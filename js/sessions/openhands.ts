/**
 * OpenHands before 1.0: `output.jsonl` of its benchmarks, one task with its `history` of events in each line, and
 * trajectories, a list of events.
 *
 * An event is an action or an observation, whose `cause` is the id of its action. `tool_call_metadata` holds the exact
 * call and the whole answer of the model, which the actions of parallel calls repeat. Events without it are paired by
 * their cause, or by their order.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, withMessages, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { View } from "./openhands-view.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

/** Actions that the model did not make, or that change nothing that it sees. */
const SILENT = new Set([
  "recall",
  "change_agent_state",
  "null",
  "condensation_request",
  "pause",
  "resume",
  "start",
  "stop",
]);
const SEEN = new Set(["recall", "agent_state_changed", "null", "condense", "system"]);

export const openhands: Reader = {
  layout: "openhands",
  tool: "OpenHands",
  shapes: ["lines", "value"],
  marks: ["instance_id", "history", "instruction", "metadata", "test_result"],
  recognise,
  read: (_, { keepsHistory }) => new Openhands(keepsHistory),
};

function recognise({ shape, records }: Sample): Match | undefined {
  const [first] = records;
  const list = shape === "value" && Array.isArray(first) ? first : records;
  let [tasks, events] = [0, 0];
  for (const record of list) {
    if (historyOf(record).some(isEvent)) tasks += 1;
    else if (isEvent(record)) events += 1;
  }
  const count = tasks + events;
  if (count === 0 || count * 2 < list.length) return undefined;
  return {
    count,
    evidence:
      tasks > 0
        ? `${tasks} objects with a history of actions and observations`
        : `${events} events with an action or an observation`,
  };
}

function isEvent(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { action, observation, args, extras, content, source } = value;
  const isAction = typeof action === "string" && isFields(args);
  const isObservation = typeof observation === "string" && (isFields(extras) || typeof content === "string");
  return (isAction || isObservation) && (source === "agent" || source === "user" || source === "environment");
}

/** Returns the events of a task. The oldest files hold pairs of an action and an observation. */
function historyOf(record: unknown): readonly unknown[] {
  const { history, trajectory } = fields(record);
  return items(history ?? trajectory).flat();
}

class Openhands implements Reading {
  readonly #keepsHistory: boolean;
  readonly #drafts: Draft[] = [];
  /** Events that are separate lines or items. */
  #events: Conversation | undefined;

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    if (Array.isArray(record)) return record.forEach((item, at) => this.#take(item, at, at));
    this.#take(record, place);
  }

  #take(record: unknown, place: number, item?: number): void {
    const history = historyOf(record);
    if (history.length === 0) return this.#single(record, place);
    const { instance_id: id, metadata } = fields(record);
    const draft = new Draft("openai-chat", this.#keepsHistory);
    draft.label = text(id) ?? `task ${this.#drafts.length + 1}`;
    draft.tell({ id: text(id), model: text(fields(fields(metadata)["llm_config"])["model"]) });
    const conversation = new Conversation(draft);
    // In a file of one task a place is the event's number; with several tasks it is the line or item of the task.
    history.forEach((event, at) => conversation.add(event, place === 0 && item === undefined ? at : place));
    this.#drafts.push(draft);
  }

  #single(record: unknown, place: number): void {
    if (!this.#events) {
      this.#events = new Conversation(new Draft("openai-chat", this.#keepsHistory));
      this.#drafts.push(this.#events.draft);
    }
    this.#events.add(record, place);
  }

  end(): Draft | Draft[] {
    return withMessages(this.#drafts) ?? new Draft("openai-chat");
  }
}

class Conversation {
  readonly draft: Draft;
  readonly #view: View;
  /** Index of each answer, by the id of the completion. */
  readonly #answers = new Map<string, number>();
  /** Ids of open calls of actions without metadata, by the action's id. */
  readonly #open = new Map<unknown, string>();
  #last: string | undefined;
  /** Ids of events so far, including those of sub-agents. */
  readonly #seen: Set<unknown>;
  /** The running sub-agent. */
  #delegate: { conversation: Conversation } | undefined;

  constructor(draft: Draft, seen = new Set<unknown>()) {
    this.draft = draft;
    this.#seen = seen;
    this.#view = new View(draft);
  }

  add(event: unknown, place: number): void {
    if (!isFields(event)) return this.draft.skip("a value that is no event");
    const { action, observation, id } = event;
    if (this.#delegate && observation !== "delegate") return this.#delegate.conversation.add(event, place);
    if (typeof id === "number" && id >= 0) {
      if (this.#seen.has(id)) return this.draft.skip("repeated event", "an event with the same id came before");
      this.#seen.add(id);
    }
    if (typeof action === "string") this.#action(action, event, place);
    else if (typeof observation === "string") this.#observation(observation, event, place);
    else this.draft.skip("an event that is neither an action nor an observation");
  }

  #action(action: string, event: Fields, place: number): void {
    const { id, source } = event;
    const args = fields(event["args"]);
    const { draft } = this;
    const time = timeOf(event["timestamp"]);
    const more = { ...(time !== undefined && { time }), ...(id !== undefined && { id: word(id) }) };
    if (action === "condensation") {
      this.#view.condense(args, place);
      if (draft.messages.length === 0) this.#answers.clear();
      return;
    }
    if (action === "system") {
      const tools = items(args["tools"]);
      if (tools.length > 0) draft.tell({ tools: [...tools] });
      this.#view.push({ role: "system", content: text(args["content"]) ?? "" }, id, place, more);
      return;
    }
    if (SILENT.has(action)) return draft.skip(action);
    if (this.#completion(event, place, more)) {
      if (action === "delegate") this.#begin(event);
      return;
    }
    const words = text(args["content"]) ?? text(args["thought"]) ?? text(args["final_thought"]) ?? "";
    if (action === "message" || action === "finish" || action === "reject") {
      const shown =
        action === "message"
          ? words
          : (text(fields(args["outputs"])["content"]) ?? text(args["final_thought"]) ?? words);
      if (shown === "" && items(args["image_urls"]).length === 0) return draft.skip(action);
      const role = source === "user" ? "user" : "assistant";
      this.#view.push(
        { role, content: role === "user" ? withImages(shown, args["image_urls"]) : shown },
        id,
        place,
        more,
      );
      return;
    }
    if (source === "user") {
      this.#view.push({ role: "user", content: JSON.stringify({ [action]: args }) }, id, place, {
        ...more,
        injected: true,
      });
      return;
    }
    const call = `event-${word(id ?? place)}`;
    const { thought, ...rest } = args;
    const fn = { name: action, arguments: JSON.stringify(rest) };
    this.#view.push(
      {
        role: "assistant",
        content: text(thought) ?? null,
        tool_calls: [{ id: call, type: "function", function: fn }],
      },
      id,
      place,
      more,
    );
    this.#open.set(id, call);
    this.#last = call;
    if (action === "delegate") this.#begin(event);
  }

  /** Pushes the answer that made an action, with all its calls. */
  #completion(event: Fields, place: number, more: { time?: number; id?: string }): boolean {
    const { model_response: response } = fields(event["tool_call_metadata"]);
    const { id, model, usage, choices } = fields(response);
    const { content, tool_calls: calls, reasoning_content: reasoning } = fields(fields(items(choices)[0])["message"]);
    const list = objects(calls);
    if (list.length === 0) return false;
    const known = typeof id === "string" ? this.#answers.get(id) : undefined;
    if (known !== undefined) {
      this.#view.extend(known, this.#view.at(known), event["id"], place);
      return true;
    }
    const shown = Array.isArray(content) ? content : (text(content) ?? null);
    const clean = list.map((one) => {
      const { name, arguments: args } = fields(one["function"]);
      return {
        id: word(one["id"]),
        type: "function",
        function: { name: word(name), arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) },
      };
    });
    const index = this.#view.push(
      {
        role: "assistant",
        content: shown,
        ...(text(reasoning) !== undefined && { reasoning_content: reasoning }),
        tool_calls: clean,
      },
      event["id"],
      place,
      more,
    );
    if (typeof id === "string") this.#answers.set(id, index);
    this.draft.tell({ model: text(model) });
    this.draft.report(index, usageOfCompletion(fields(usage)), text(model));
    return true;
  }

  #begin(event: Fields): void {
    const { tool_call_id: call } = fields(event["tool_call_metadata"]);
    const id = `delegate:${word(event["id"])}`;
    const title = text(fields(event["args"])["agent"]);
    const draft = this.draft.chain(id, {
      kind: "subagent",
      ...(title !== undefined && { title }),
      ...(typeof call === "string" && { call }),
    });
    this.#delegate = { conversation: new Conversation(draft, this.#seen) };
  }

  #observation(observation: string, event: Fields, place: number): void {
    const { id, cause } = event;
    if (observation === "delegate") this.#delegate = undefined;
    const { tool_call_id: exact, function_name: name } = fields(event["tool_call_metadata"]);
    // Old events have the cause -1, or none.
    const call =
      text(exact) ?? this.#open.get(cause) ?? (number(cause) === undefined || cause === -1 ? this.#last : undefined);
    const time = timeOf(event["timestamp"]);
    const more = { ...(time !== undefined && { time }), ...(id !== undefined && { id: word(id) }) };
    const content = text(event["content"]) ?? "";
    if (call === undefined) {
      if (SEEN.has(observation) || content === "") return this.draft.skip(observation);
      this.#view.push({ role: "user", content }, id, place, { ...more, injected: true });
      return;
    }
    if (SEEN.has(observation) && exact === undefined) return this.draft.skip(observation);
    if (call === this.#last) this.#last = undefined;
    this.#open.delete(cause);
    this.#view.push(
      { role: "tool", tool_call_id: call, ...(typeof name === "string" && { name }), content },
      id,
      place,
      more,
    );
  }
}

function withImages(words: string, urls: unknown): unknown {
  const images = items(urls)
    .filter((url) => typeof url === "string")
    .map((url) => ({ type: "image_url", image_url: { url } }));
  return images.length === 0 ? words : [...(words === "" ? [] : [{ type: "text", text: words }]), ...images];
}

/** Tokens of the prompt include tokens from the cache. */
function usageOfCompletion(usage: Fields): ReturnType<typeof usageOf> {
  const cacheRead =
    number(usage["cache_read_input_tokens"]) ?? number(fields(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0;
  const cacheWrite = number(usage["cache_creation_input_tokens"]) ?? 0;
  const prompt = number(usage["prompt_tokens"]) ?? 0;
  return usageOf({
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: usage["completion_tokens"],
  });
}
