/**
 * The output of `droid exec -o stream-json`: `system`, whole messages with a text, calls and results, and `completion`
 * with the sums of the run. Calls that follow each other are one answer, with the text before them.
 */

import { Draft, fields, isFields, text, timeOf, usageOf } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reading, Sample } from "./reader.ts";

export function recogniseStream({ records }: Sample): Match | undefined {
  let [count, own] = [0, 0];
  for (const record of records) {
    if (!isFields(record) || "uuid" in record) continue;
    const { type } = record;
    const isCall = type === "tool_call" && typeof record["toolId"] === "string" && "parameters" in record;
    const isResult = type === "tool_result" && typeof record["toolId"] === "string" && "value" in record;
    if (isCall || isResult || (type === "completion" && "finalText" in record)) own += 1;
    else if (!isSaid(record) && type !== "system") continue;
    count += 1;
  }
  return own === 0 ? undefined : { count, evidence: `${count} events of the types message, tool_call and tool_result` };
}

function isSaid({ type, role, text: words }: Fields): boolean {
  return type === "message" && (role === "user" || role === "assistant") && typeof words === "string";
}

export class DroidStream implements Reading {
  readonly #draft: Draft;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown, place: number): void {
    const draft = this.#draft;
    if (!isFields(record)) return draft.skip("a value that is not an object");
    const { type, role, id } = record;
    draft.tell({ id: text(record["sessionId"]) ?? text(record["session_id"]) });
    if (type === "system") draft.tell({ cwd: text(record["cwd"]), model: text(record["model"]) });
    else if (isSaid(record)) {
      const block = { type: "text", text: record["text"] };
      if (text(record["text"]) === undefined) draft.skip("a message without content");
      else this.#put(role as string, block, role === "assistant", record, place);
    } else if (type === "tool_call") {
      const name = text(record["toolName"]) ?? text(record["toolId"]) ?? "";
      this.#put("assistant", { type: "tool_use", id, name, input: fields(record["parameters"]) }, true, record, place);
    } else if (type === "tool_result") {
      const { value, isError } = record;
      const content = typeof value === "string" ? value : JSON.stringify(value ?? "");
      const failed = isError === true ? { is_error: true } : {};
      this.#put("user", { type: "tool_result", tool_use_id: id, content, ...failed }, true, record, place);
    } else if (type === "completion") this.#end(record, place);
    else draft.skip(text(type) ?? "a line without a type");
  }

  /** Adds a block to the newest message if that has the role and `joins`, which a request of the user does not. */
  #put(role: string, block: Fields, joins: boolean, record: Fields, place: number): void {
    const draft = this.#draft;
    const last = draft.messages.length - 1;
    const { role: own, content } = fields(draft.messages[last]);
    const list = content as Fields[] | undefined;
    const isOpen = own === role && joins && (role === "assistant" || list?.[0]?.["type"] === "tool_result");
    if (isOpen) return draft.extend(last, { role, content: [...list!, block] }, place);
    const time = timeOf(record["timestamp"]);
    draft.push({ role, content: [block] }, place, { ...(time !== undefined && { time }) });
  }

  /** The last text is repeated here, or is only here. Sums belong to a request only if there was exactly one. */
  #end(record: Fields, place: number): void {
    const { messages } = this.#draft;
    const final = text(record["finalText"]);
    const newest = fields(messages.at(-1));
    const isSaid = newest["role"] === "assistant" && JSON.stringify(newest["content"]).includes(JSON.stringify(final));
    if (final !== undefined && !isSaid) this.#put("assistant", { type: "text", text: final }, false, record, place);
    const answers = messages.flatMap((message, at) => (fields(message)["role"] === "assistant" ? [at] : []));
    const { input_tokens: input, output_tokens: output, ...cache } = fields(record["usage"]);
    if (answers.length !== 1 || typeof input !== "number")
      return this.#draft.skip("completion", "its sums are over all requests, not those of one");
    const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = cache;
    this.#draft.report(answers[0]!, usageOf({ input, output, cacheRead, cacheWrite }), this.#draft.about.model);
  }

  end(): Draft {
    return this.#draft;
  }
}
