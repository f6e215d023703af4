/**
 * Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`. Lines are like Claude Code's, with contents of the
 * Gemini API. A line whose parent is not the line before it removes the lines in between, and a line with the same uuid
 * continues that message.
 */

import { append } from "../formats/append.ts";
import { Draft, fields, isFields, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { isInjected, partsOf } from "./gemini-records.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const TYPES = new Set(["user", "assistant", "tool_result", "system"]);
/** Texts with the role user that the user did not type. */
const NOTES = new Set([
  "notification",
  "background_task_completed",
  "cron",
  "goal_runtime",
  "agent_bootstrap",
  "agent_launch_prompt",
  "agent_retry",
]);

export const qwenCode: Reader = {
  layout: "qwen-code",
  tool: "Qwen Code",
  shapes: ["lines"],
  marks: ["uuid", "parentUuid", "sessionId", "type", "message", "systemPayload"],
  recognise,
  read: (_, { keepsHistory }) => new QwenCode(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  let [count, messages] = [0, 0];
  for (const record of records) {
    if (!isFields(record) || typeof record["uuid"] !== "string" || !TYPES.has(word(record["type"]))) continue;
    if (Array.isArray(fields(record["message"])["parts"])) messages += 1;
    else if (!("systemPayload" in record || "toolCallResult" in record || record["type"] === "system")) continue;
    count += 1;
  }
  return messages === 0
    ? undefined
    : { count, evidence: `${messages} lines with uuid and a message of the Gemini API` };
}

/** A line of the chain that ends in the newest line. */
interface Link {
  uuid: string;
  /** Number of messages and of compactions before it. */
  index: number;
  compactions: number;
}

class QwenCode implements Reading {
  readonly #draft: Draft;
  readonly #chain: Link[] = [];
  readonly #links = new Map<string, number>();
  /** Parts of the newest line, as JSON. */
  #said = "";

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("gemini", keepsHistory);
  }

  add(record: unknown, place: number): void {
    const draft = this.#draft;
    if (!isFields(record)) return draft.skip("a value that is not an object");
    const uuid = text(record["uuid"]);
    draft.tell({
      id: text(record["sessionId"]),
      version: text(record["version"]),
      window: number(record["contextWindowSize"]) || undefined,
    });
    if (!draft.about.cwd) draft.tell({ cwd: text(record["cwd"]) });
    if (uuid !== undefined && this.#chain.at(-1)?.uuid === uuid) return this.#goOn(record, place);
    if (uuid !== undefined && this.#links.has(uuid))
      return draft.skip("repeated line", "a line with the same uuid came before");
    this.#branch(record, place);
    if (uuid !== undefined) {
      this.#links.set(
        uuid,
        this.#chain.push({ uuid, index: draft.messages.length, compactions: draft.compactions.length }) - 1,
      );
    }
    if (record["type"] === "system") return this.#system(record, place);
    this.#message(record, place);
  }

  /** Removes the lines between a line and its parent. */
  #branch(record: Fields, place: number): void {
    const draft = this.#draft;
    const parent = text(record["parentUuid"]);
    const at = parent === undefined ? (record["subtype"] === "rewind" ? -1 : undefined) : this.#links.get(parent);
    // An unknown parent means that its line was lost.
    if (at === undefined || at === this.#chain.length - 1) return;
    const removed = this.#chain.splice(at + 1);
    for (const { uuid } of removed) this.#links.delete(uuid);
    const { index, compactions } = removed[0]!;
    if (draft.compactions.length > compactions) draft.compactions.length = compactions;
    const messages = draft.messages.slice(index);
    if (messages.length > 0) {
      const side = draft.chain(`branch:${place}`, { kind: "branch" });
      messages.forEach((message, offset) => side.push(message, draft.entries[index + offset]!.places[0]!));
    }
    draft.cut(index);
  }

  #system({ subtype, systemPayload }: Fields, place: number): void {
    const draft = this.#draft;
    const payload = fields(systemPayload);
    const { compressedHistory, info } = payload;
    if (subtype === "custom_title") draft.tell({ title: text(payload["customTitle"]) });
    if (subtype !== "chat_compression" || !Array.isArray(compressedHistory))
      return draft.skip(`system/${text(subtype) ?? "?"}`);
    const context = objects(compressedHistory).map(({ role, parts }) => ({
      role: role === "model" ? "model" : "user",
      parts: partsOf(parts),
    }));
    const summary = text(payload["summary"]) ?? text(context.find(({ role }) => role === "user")?.parts[0]?.["text"]);
    const { originalTokenCount, newTokenCount } = fields(info);
    draft.compact(place, context, {
      summary,
      tokensBefore: number(originalTokenCount),
      tokensAfter: number(newTokenCount),
    });
    if (draft.messages.length === 0)
      for (const link of this.#chain) Object.assign(link, { index: 0, compactions: draft.compactions.length });
  }

  #message(record: Fields, place: number): void {
    const draft = this.#draft;
    const { type, subtype, provenance } = record;
    const role = type === "assistant" ? "model" : "user";
    const { responseParts } = fields(record["toolCallResult"]);
    const parts = partsOf(fields(record["message"])["parts"] ?? responseParts);
    if (!TYPES.has(word(type)) || parts.length === 0) return draft.skip(text(type) ?? "a line without a type");
    const last = draft.messages.length - 1;
    const before = fields(draft.messages[last]);
    const held = before["parts"] as Fields[] | undefined;
    const isMore =
      last >= (draft.compactions.at(-1)?.before ?? 0) &&
      before["role"] === role &&
      held?.[0] !== undefined &&
      "functionResponse" in held[0] &&
      (subtype === "mid_turn_user_message" || parts.every((part) => "functionResponse" in part));
    // Results of parallel calls, and texts that the user sends meanwhile, form one turn.
    if (isMore) {
      append(held!, parts);
      draft.extend(last, before, place);
    } else {
      const time = timeOf(record["timestamp"]);
      const id = text(record["uuid"]);
      const isNote =
        role === "user" &&
        (NOTES.has(word(subtype)) ||
          provenance === "system" ||
          provenance === "goal_runtime" ||
          isInjected({ role, parts }));
      draft.push({ role, parts }, place, {
        ...(time !== undefined && { time }),
        ...(isNote && { injected: true }),
        ...(id !== undefined && { id }),
      });
    }
    this.#said = JSON.stringify(parts);
    this.#usage(record, draft.messages.length - 1);
  }

  #goOn(record: Fields, place: number): void {
    const draft = this.#draft;
    const last = draft.messages.length - 1;
    const before = fields(draft.messages[last]);
    const parts = partsOf(fields(record["message"])["parts"]);
    const said = JSON.stringify(parts);
    const goesOn = last >= this.#chain.at(-1)!.index && record["type"] === "assistant" && before["role"] === "model";
    if (said === this.#said || !goesOn) return draft.skip("repeated line", "a line with the same uuid came before");
    this.#said = said;
    append(before["parts"] as Fields[], parts);
    draft.extend(last, before, place);
    this.#usage(record, last);
  }

  #usage(record: Fields, index: number): void {
    if (record["type"] !== "assistant") return;
    const {
      promptTokenCount: prompt,
      cachedContentTokenCount: cached,
      candidatesTokenCount,
      thoughtsTokenCount: reasoning,
      totalTokenCount,
    } = fields(record["usageMetadata"]);
    const model = text(record["model"]);
    this.#draft.tell({ model });
    const input = number(prompt) ?? 0;
    const cacheRead = Math.min(number(cached) ?? 0, input);
    const total = number(totalTokenCount);
    // Some servers include thoughts in the candidates; the total shows it.
    const output =
      total !== undefined && total > input
        ? total - input
        : (number(candidatesTokenCount) ?? 0) + (number(reasoning) ?? 0);
    this.#draft.report(index, usageOf({ input: input - cacheRead, cacheRead, output, reasoning }), model);
  }

  end(): Draft {
    return this.#draft;
  }
}
