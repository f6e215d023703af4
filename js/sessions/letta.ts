/**
 * Letta: agent files (`.af`). `agents[].messages` are OpenAI's messages with fields of the log; only those whose ids
 * are in `in_context_message_ids` are live. Older files hold one agent at the top, and indices. The file may be a JSON
 * text within JSON.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";
import { pushMarked } from "./visible.ts";

export const letta: Reader = {
  layout: "letta",
  tool: "Letta",
  shapes: ["value"],
  marks: ["agents", "blocks", "tools", "in_context_message_ids", "llm_config", "agent_type"],
  recognise,
  read: () => new Letta(),
};

function recognise({ records }: Sample): Match | undefined {
  const agents = agentsOf(records[0]);
  if (agents.length === 0) return undefined;
  return {
    count: agents.reduce((sum, { messages }) => sum + 1 + items(messages).length, 0),
    evidence: `${agents.length} agents with messages and those that are in context`,
  };
}

function agentsOf(value: unknown): readonly Fields[] {
  const file = fields(value);
  const isAgent = (agent: Fields) =>
    Array.isArray(agent["messages"]) &&
    ("in_context_message_ids" in agent || "in_context_message_indices" in agent || "message_ids" in agent);
  return [...objects(file["agents"]), file].filter(isAgent);
}

class Letta implements Reading {
  readonly #drafts: Draft[] = [];

  add(value: unknown): void {
    const definitions = objects(fields(value)["tools"]);
    for (const agent of agentsOf(value)) this.#agent(agent, definitions);
  }

  #agent(agent: Fields, definitions: readonly Fields[]): void {
    const draft = new Draft("openai-chat");
    const { id, name, llm_config: config, version, tool_ids: toolIds } = agent;
    const { model, context_window: window } = fields(config);
    draft.label = text(name) ?? text(id) ?? `agent ${this.#drafts.length + 1}`;
    const own = objects(agent["tools"]).concat(
      definitions.filter((tool) => !Array.isArray(toolIds) || toolIds.includes(tool["id"])),
    );
    const tools = own.flatMap(({ json_schema: schema }) =>
      isFields(schema) ? [{ type: "function", function: schema }] : [],
    );
    draft.tell({
      id: text(id),
      title: text(name),
      model: text(model),
      window: number(window),
      version: text(version),
      ...(tools.length > 0 && { tools }),
    });
    const messages = objects(agent["messages"]);
    const ids = new Set(items(agent["in_context_message_ids"] ?? agent["message_ids"]));
    const indices = Array.isArray(agent["in_context_message_indices"])
      ? new Set(agent["in_context_message_indices"])
      : undefined;
    const isMarked = indices !== undefined || messages.some((message) => ids.has(message["id"]));
    pushMarked(
      draft,
      messages.flatMap((message, place) => {
        const clean = cleaned(message);
        if (clean.length === 0) return draft.skip(...skippedKind(message)), [];
        const isLive = !isMarked || (indices ? indices.has(place) : ids.has(message["id"]));
        const [time, own] = [timeOf(message["created_at"]), text(message["id"])];
        const more = {
          ...(time !== undefined && { time }),
          ...(own !== undefined && { id: own }),
          ...(isEvent(clean[0]!) && { injected: true as const }),
        };
        const summary = summaryOf(clean[0]!);
        return clean.map((one) => ({
          message: one,
          place,
          isLive,
          more,
          ...(summary !== undefined && { summary }),
        }));
      }),
    );
    this.#drafts.push(draft);
  }

  end(): Draft | Draft[] {
    const whole = this.#drafts.filter(({ messages, compactions }) => messages.length > 0 || compactions.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? this.#drafts[0] ?? new Draft("openai-chat"));
  }
}

/**
 * Returns the messages that Letta sends for one of its log: one for each result of parallel calls. A message of the
 * role `approval` with calls is the answer that waits for the user.
 */
function cleaned(message: Fields): Fields[] {
  const { role, content, text: old, tool_calls: calls, tool_call_id: id, name } = message;
  const shown = contentOf(content ?? old);
  if (role === "system" || role === "user") return [{ role, content: shown }];
  if (role === "summary") return [{ role: "user", content: shown }];
  const list = objects(calls);
  if (role === "assistant" || (role === "approval" && list.length > 0)) {
    const made = list.map((call) => ({ id: call["id"], type: "function", function: pair(fields(call["function"])) }));
    return made.length === 0 && shown === ""
      ? []
      : [{ role: "assistant", content: shown === "" ? null : shown, ...(made.length > 0 && { tool_calls: made }) }];
  }
  if (role !== "tool") return [];
  const returns = objects(message["tool_returns"]);
  const named = typeof name === "string" ? { name } : {};
  if (returns.length > 1) {
    return returns.flatMap((one) => {
      const call = text(one["tool_call_id"]);
      return call === undefined ? [] : [{ role, tool_call_id: call, content: returned(one) }];
    });
  }
  const [first] = returns;
  const call = text(id) ?? text(first?.["tool_call_id"]);
  const result = shown === "" && first ? returned(first) : shown;
  return call === undefined ? [] : [{ role, tool_call_id: call, ...named, content: result }];
}

function returned(one: Fields): unknown {
  return contentOf(one["func_response"] ?? one["tool_return"]);
}

function skippedKind({ role }: Fields): [kind: string, why?: string] {
  return role === "approval"
    ? ["message/approval", "the user's answer to a request for approval; the result of the call follows it"]
    : [`message/${word(role).slice(0, 40)}`];
}

function pair({ name, arguments: args }: Fields): Fields {
  return { name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) };
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const parts = objects(content).filter(({ type }) => type === "text");
  return parts.map((part) => word(part["text"] ?? "")).join("\n");
}

/** Parses Letta's JSON with a type, in which it wraps the user's texts and its own notices. */
function wrapped({ role, content }: Fields): Fields {
  if (role !== "user" || typeof content !== "string" || !content.startsWith("{")) return {};
  try {
    return fields(JSON.parse(content));
  } catch {
    // A text that only looks like JSON was typed by the user.
    return {};
  }
}

function isEvent(message: Fields): boolean {
  const { type } = wrapped(message);
  return typeof type === "string" && type !== "user_message";
}

function summaryOf(message: Fields): string | undefined {
  const { type, message: words } = wrapped(message);
  return type === "system_alert" && typeof words === "string" && /summary of the previous|have been hidden/.test(words)
    ? words
    : undefined;
}
