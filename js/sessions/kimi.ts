/**
 * Kimi Code: `wire.jsonl`, and the older CLI's `context.jsonl`.
 *
 * The wire holds user messages (`context.append_message`) and the events of the model's loop: parts of an answer,
 * calls, results, the end of a step with its usage. `context.apply_compaction` replaces all earlier messages by a
 * summary and the newest messages of the user. The older file holds OpenAI's messages, with records of the roles
 * `_usage` and `_checkpoint` between them.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const kimi: Reader = {
  layout: "kimi",
  tool: "Kimi",
  shapes: ["lines"],
  marks: ["type", "event", "message", "time"],
  recognise,
  read: (_, { keepsHistory }) => new Kimi(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  let [wire, old, messages] = [0, 0, 0];
  for (const record of records) {
    const { type, role } = fields(record);
    if (
      typeof type === "string" &&
      /^(context|turn|usage|full_compaction|llm|plan_mode|permission|config)\./.test(type)
    )
      wire += 1;
    if (role === "_usage" || role === "_checkpoint" || role === "_system_prompt") old += 1;
    else if (typeof role === "string") messages += 1;
  }
  const isWire = records.some((record) => /^context\.append_(message|loop_event)$/.test(word(fields(record)["type"])));
  if (isWire)
    return {
      count: wire,
      evidence: `${wire} lines of the types context.append_message and context.append_loop_event`,
    };
  return old > 0
    ? { count: old + messages, evidence: `${old} lines of the roles _usage and _checkpoint between messages` }
    : undefined;
}

class Kimi implements Reading {
  readonly #draft: Draft;
  /** The answer that the model is writing. */
  #open: number | undefined;
  #answer = -1;
  #model: string | undefined;
  /** Texts that the tool wrote with the role of the user. */
  readonly #notes = new Set<unknown>();

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("openai-chat", keepsHistory);
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return this.#draft.skip("a value that is not an object");
    const { type } = record;
    if (typeof record["role"] === "string") return this.#old(record, place);
    const { systemPrompt, modelAlias, model } = record;
    this.#draft.tell({ model: text(modelAlias) ?? text(model) });
    this.#model = text(model) ?? text(modelAlias) ?? this.#model;
    if (type === "context.append_message")
      return this.#message(fields(record["message"]), place, timeOf(record["time"]));
    if (type === "context.append_loop_event")
      return this.#event(fields(record["event"]), place, timeOf(record["time"]));
    if (type === "context.apply_compaction") return this.#compact(record, place);
    if (type === "context.clear") return this.#replace(place, this.#systems());
    if (type === "context.undo") this.#undo(number(record["count"]) ?? 1);
    const isPrompt = (type === "config.update" || type === "profile.bind") && text(systemPrompt) !== undefined;
    if (isPrompt && this.#draft.messages.length === 0)
      return void this.#draft.push({ role: "system", content: systemPrompt }, place);
    if (type === "llm.tools_snapshot") return this.#tools(record);
    this.#draft.skip(typeof type === "string" ? type : "a line without a type");
  }

  /** The definitions are written when they change; the newest ones are sent. */
  #tools({ tools }: Fields): void {
    const list = objects(tools).filter(({ name }) => typeof name === "string");
    if (list.length === 0) return this.#draft.skip("llm.tools_snapshot");
    const definitions = list.map(({ name, description, parameters }) => ({
      type: "function",
      function: {
        name,
        ...(typeof description === "string" && { description }),
        ...(isFields(parameters) && { parameters }),
      },
    }));
    this.#draft.tell({ tools: definitions });
  }

  #message(message: Fields, place: number, time: number | undefined): void {
    const { role, content, toolCalls, toolCallId, origin, id } = message;
    this.#open = undefined;
    const { kind } = fields(origin);
    const isInjected = role === "user" && typeof kind === "string" && !/^(user|skill|plugin)/.test(kind);
    const more = {
      ...(time !== undefined && { time }),
      ...(typeof id === "string" && { id }),
      ...(isInjected && { injected: true as const }),
    };
    const shown = contentOf(content);
    if (role === "tool") return void this.#draft.push({ role, tool_call_id: toolCallId, content: shown }, place, more);
    const calls = objects(toolCalls).map((call) =>
      callOf(
        call["id"],
        call["name"] ?? fields(call["function"])["name"],
        call["arguments"] ?? fields(call["function"])["arguments"],
      ),
    );
    if (role === "assistant")
      this.#answer = this.#draft.push(
        { role, content: shown === "" ? null : shown, ...(calls.length > 0 && { tool_calls: calls }) },
        place,
        more,
      );
    else if (role === "user" || role === "system") {
      const own = { role, content: shown };
      if (isInjected) this.#notes.add(own);
      this.#draft.push(own, place, more);
    } else this.#draft.skip(`message/${word(role).slice(0, 40)}`);
  }

  #event(event: Fields, place: number, time: number | undefined): void {
    const { type, toolCallId, name, args, part, result } = event;
    const draft = this.#draft;
    if (type === "step.begin") this.#open = undefined;
    else if (type === "content.part") {
      const { type: kind, text: words, think } = fields(part);
      if (kind === "text" && typeof words === "string")
        this.#extend(place, time, (before) => ({ ...before, content: `${text(before["content"]) ?? ""}${words}` }));
      else if (kind === "think" && typeof think === "string") {
        this.#extend(place, time, (before) => ({
          ...before,
          reasoning_content: `${text(before["reasoning_content"]) ?? ""}${think}`,
        }));
      } else draft.skip(`part/${word(kind).slice(0, 40)}`);
    } else if (type === "tool.call" && typeof toolCallId === "string") {
      this.#extend(place, time, (before) => ({
        ...before,
        tool_calls: [...objects(before["tool_calls"]), callOf(toolCallId, name, args)],
      }));
    } else if (type === "tool.result" && typeof toolCallId === "string") {
      draft.push(
        { role: "tool", tool_call_id: toolCallId, content: outputOf(result) },
        place,
        time === undefined ? {} : { time },
      );
    } else if (type === "step.end") {
      const {
        inputOther: input,
        inputCacheRead: cacheRead,
        inputCacheCreation: cacheWrite,
        output,
      } = fields(event["usage"]);
      draft.report(this.#answer, usageOf({ input, cacheRead, cacheWrite, output }), this.#model);
      this.#open = undefined;
    } else draft.skip(`event/${word(type).slice(0, 40)}`);
  }

  /** Extends the answer of this step. */
  #extend(place: number, time: number | undefined, add: (before: Fields) => Fields): void {
    if (this.#open === undefined)
      this.#open = this.#answer = this.#draft.push(
        add({ role: "assistant", content: null }),
        place,
        time === undefined ? {} : { time },
      );
    else this.#draft.extend(this.#open, add(fields(this.#draft.messages[this.#open])), place);
  }

  #compact(record: Fields, place: number): void {
    const {
      summary,
      contextSummary,
      tokensBefore,
      tokensAfter,
      keptUserMessageCount,
      keptHeadUserMessageCount,
      compactedCount,
    } = record;
    const words = text(contextSummary) ?? text(summary) ?? text(contentOf(summary));
    const note = words === undefined ? [] : [{ role: "user", content: words }];
    const live = this.#draft.live();
    const kept = number(keptUserMessageCount);
    // Newer records keep the user's first and newest messages; older ones keep the messages after the counted ones.
    const head = number(keptHeadUserMessageCount) ?? 0;
    const users = live.filter((message) => fields(message)["role"] === "user" && !this.#notes.has(message));
    const own =
      kept === undefined ? [] : [...users.slice(0, head), ...users.slice(Math.max(head, users.length - kept + head))];
    const rest = kept === undefined ? live.slice(number(compactedCount) ?? live.length) : [];
    const context = [
      ...this.#systems(),
      ...own,
      ...note,
      ...rest.filter((message) => fields(message)["role"] !== "system"),
    ];
    for (const one of note) this.#notes.add(one);
    this.#replace(place, context, {
      summary: text(summary) ?? words,
      tokensBefore: number(tokensBefore),
      tokensAfter: number(tokensAfter),
    });
  }

  #systems(): unknown[] {
    return this.#draft.live().filter((message) => fields(message)["role"] === "system");
  }

  #replace(place: number, context: unknown[], more: Parameters<Draft["compact"]>[2] = {}): void {
    this.#open = undefined;
    this.#draft.compact(place, context, more);
    this.#answer = -1;
  }

  /** Removes the newest requests, with everything after them. */
  #undo(count: number): void {
    const { messages, entries, compactions } = this.#draft;
    const floor = compactions.at(-1)?.before ?? 0;
    let from = messages.length;
    for (let left = count, at = messages.length - 1; at >= floor && left > 0; at--) {
      if (fields(messages[at])["role"] !== "user" || entries[at]!.injected) continue;
      from = at;
      left -= 1;
    }
    this.#draft.remove(new Set(messages.map((_, at) => at).filter((at) => at >= from)));
    this.#open = undefined;
    this.#answer = -1;
  }

  #old(record: Fields, place: number): void {
    const { role, content, tool_calls: calls, tool_call_id: id } = record;
    if (role === "_usage") return this.#draft.skip("_usage", "tokens of the context as a whole, not of a request");
    if (role === "_system_prompt") return void this.#draft.push({ role: "system", content: contentOf(content) }, place);
    if (word(role).startsWith("_")) return this.#draft.skip(word(role).slice(0, 40));
    const list = objects(calls).map((call) =>
      callOf(call["id"], fields(call["function"])["name"], fields(call["function"])["arguments"]),
    );
    this.#message({ role, content, toolCallId: id, toolCalls: list }, place, undefined);
  }

  end(): Draft {
    return this.#draft;
  }
}

function callOf(id: unknown, name: unknown, args: unknown): Fields {
  return {
    id,
    type: "function",
    function: { name: text(name) ?? "", arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) },
  };
}

/** Returns text or parts, without thoughts. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const parts = objects(content).flatMap((part): Fields[] => {
    const { type, imageUrl, image_url: url } = part;
    if (type === "text" && typeof part["text"] === "string") return [{ type, text: part["text"] }];
    const image = text(fields(imageUrl ?? url)["url"]) ?? text(imageUrl);
    return image === undefined ? [] : [{ type: "image_url", image_url: { url: image } }];
  });
  return parts.every(({ type }) => type === "text") ? parts.map((part) => word(part["text"])).join("\n") : parts;
}

function outputOf(result: unknown): unknown {
  const { output, content } = fields(result);
  const shown = contentOf(output ?? content ?? result);
  return shown !== "" || typeof output === "string" || items(output).length > 0 ? shown : "";
}
