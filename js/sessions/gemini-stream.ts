/**
 * The output of `gemini -o stream-json`: `init`, pieces of messages, calls and results, and `result` with the sums of
 * the run. A call after a result begins the model's next turn.
 */

import { Draft, fields, isFields, number, text, timeOf, usageOf } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const geminiStream: Reader = {
  layout: "gemini-stream",
  tool: "gemini-cli",
  shapes: ["lines"],
  marks: ["type", "timestamp", "tool_name", "tool_id", "parameters"],
  recognise,
  read: (_, { keepsHistory }) => new GeminiStream(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  let [count, own] = [0, 0];
  for (const record of records) {
    if (!isFields(record) || "uuid" in record) continue;
    const { type, role, content } = record;
    const isOwn =
      (type === "init" && typeof record["session_id"] === "string" && !("subtype" in record)) ||
      (type === "tool_use" && typeof record["tool_name"] === "string" && "parameters" in record) ||
      (type === "result" && isFields(record["stats"]));
    const isPiece =
      type === "message" &&
      (role === "user" || role === "assistant") &&
      typeof content === "string" &&
      typeof record["timestamp"] === "string";
    if (isOwn) own += 1;
    else if (!isPiece && type !== "tool_result" && type !== "error") continue;
    count += 1;
  }
  return own === 0
    ? undefined
    : { count, evidence: `${count} events of the types init, message, tool_use, tool_result and result` };
}

class GeminiStream implements Reading {
  readonly #draft: Draft;
  readonly #names = new Map<string, string>();
  #answers = 0;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("gemini", keepsHistory);
  }

  add(record: unknown, place: number): void {
    const draft = this.#draft;
    if (!isFields(record)) return draft.skip("a value that is not an object");
    const { type, role, content } = record;
    if (type === "init") draft.tell({ id: text(record["session_id"]), model: text(record["model"]) });
    else if (type === "message" && typeof content === "string")
      this.#say(role === "user" ? "user" : "model", content, record, place);
    else if (type === "tool_use") this.#call(record, place);
    else if (type === "tool_result") this.#result(record, place);
    else if (type === "result") this.#sums(fields(record["stats"]));
    else draft.skip(text(type) ?? "a line without a type");
  }

  /** Appends a piece of text; the pieces of an answer are consecutive. */
  #say(role: string, words: string, record: Fields, place: number): void {
    const last = this.#turn(role);
    const parts = last?.["parts"] as Fields[] | undefined;
    const piece = parts?.at(-1)?.["text"];
    if (role === "user" || record["delta"] !== true || typeof piece !== "string")
      this.#put(role, { text: words }, record, place);
    else {
      parts![parts!.length - 1] = { text: piece + words };
      this.#draft.extend(this.#draft.messages.length - 1, last, place);
    }
  }

  #call(record: Fields, place: number): void {
    const [name, id] = [text(record["tool_name"]) ?? "", text(record["tool_id"])];
    if (id !== undefined) this.#names.set(id, name);
    this.#put(
      "model",
      { functionCall: { ...(id !== undefined && { id }), name, args: fields(record["parameters"]) } },
      record,
      place,
    );
  }

  #result(record: Fields, place: number): void {
    const id = text(record["tool_id"]);
    const { output, error, status } = record;
    const message = text(fields(error)["message"]);
    const response =
      status === "error"
        ? { error: message ?? text(output) ?? "" }
        : { output: typeof output === "string" ? output : (output ?? "") };
    const name = (id !== undefined && this.#names.get(id)) || (text(record["tool_name"]) ?? "unknown");
    this.#put("user", { functionResponse: { ...(id !== undefined && { id }), name, response } }, record, place);
  }

  /**
   * Returns the newest turn if it has that role and can take more parts: a request of the user is a turn of its own.
   */
  #turn(role: string): Fields | undefined {
    const last = fields(this.#draft.messages.at(-1));
    return last["role"] === role ? last : undefined;
  }

  #put(role: string, part: Fields, record: Fields, place: number): void {
    const draft = this.#draft;
    const last = this.#turn(role);
    const parts = (last?.["parts"] ?? []) as Fields[];
    const joins =
      last !== undefined &&
      (role === "model" || ("functionResponse" in part && parts[0] !== undefined && "functionResponse" in parts[0]));
    if (joins) {
      parts.push(part);
      return draft.extend(draft.messages.length - 1, last, place);
    }
    const time = timeOf(record["timestamp"]);
    draft.push({ role, parts: [part] }, place, { ...(time !== undefined && { time }) });
    if (role === "model") this.#answers += 1;
  }

  /** Sums belong to a request only if there was exactly one. */
  #sums(stats: Fields): void {
    const { messages, about } = this.#draft;
    const answer = messages.findLastIndex((message) => fields(message)["role"] === "model");
    if (this.#answers !== 1 || answer < 0)
      return this.#draft.skip("result", "sums over all requests, which are not those of one");
    const total = number(stats["input_tokens"]) ?? 0;
    const cacheRead = Math.min(number(stats["cached"]) ?? 0, total);
    this.#draft.report(
      answer,
      usageOf({ input: total - cacheRead, cacheRead, output: stats["output_tokens"] }),
      about.model,
    );
  }

  end(): Draft {
    return this.#draft;
  }
}
