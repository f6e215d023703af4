/**
 * Zed: the JSON of a thread, `{version, title, model, messages}`.
 *
 * `Agent` is an answer of the model together with the results of its calls. Another answer may reuse ids of calls, so
 * results are looked up within theirs. Older versions have `role` and `segments`, with results in the answer or in the
 * next message.
 */

import { blocksOf, imageBlock, inputOf, textBlock } from "./anthropic-blocks.ts";
import { Draft, fields, isFields, items, objects, text, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const zed: Reader = {
  layout: "zed",
  tool: "Zed",
  shapes: ["value"],
  marks: ["version", "messages", "request_token_usage", "cumulative_token_usage", "detailed_summary", "profile"],
  recognise,
  read: (_, { keepsHistory }) => new Zed(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const { messages } = fields(records[0]);
  const isMessage = (message: Fields) => isFields(message["User"]) || isFields(message["Agent"]);
  const isOld = (message: Fields) => typeof message["role"] === "string" && Array.isArray(message["segments"]);
  const found = objects(messages).filter((message) => isMessage(message) || isOld(message)).length;
  return found === 0 ? undefined : { count: 1, evidence: `${found} messages named User and Agent, or with segments` };
}

class Zed implements Reading {
  readonly #draft: Draft;
  #usage: Fields = {};
  /** The request of the user that is being answered. */
  #request: string | undefined;
  #answer: number | undefined;
  /** Calls of an older answer whose results may be in the next message. */
  #open = new Set<string>();

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown): void {
    const {
      version,
      title,
      summary,
      model,
      messages,
      request_token_usage: usage,
      initial_project_snapshot: project,
      id,
    } = fields(record);
    const [tree] = objects(fields(project)["worktree_snapshots"]);
    this.#draft.tell({
      id: text(id),
      version: text(version),
      title: text(title) ?? text(summary),
      model: text(fields(model)["model"]),
      cwd: text(tree?.["worktree_path"]),
    });
    this.#usage = fields(usage);
    items(messages).forEach((message, place) => this.#message(message, place));
    this.#report();
  }

  #message(message: unknown, place: number): void {
    if (message === "Resume")
      return void this.#draft.push({ role: "user", content: "Continue where you left off" }, place, {
        injected: true,
      });
    if (!isFields(message)) return this.#draft.skip("a message that is not an object");
    const { User: user, Agent: agent, Compaction: compaction, role } = message;
    if (isFields(user)) return this.#user(user, place);
    if (isFields(agent)) return this.#agent(agent, place);
    if (isFields(compaction)) return this.#compact(compaction, place);
    if (typeof role === "string") return this.#old(message, role, place);
    this.#draft.skip(Object.keys(message)[0] ?? "an empty message");
  }

  #user({ id, content }: Fields, place: number): void {
    this.#report();
    this.#request = text(id);
    const context: string[] = [];
    const blocks = items(content).flatMap((part) => {
      const { Text: words, Mention: mention, Image: image } = fields(part);
      if (typeof words === "string") return words === "" ? [] : [textBlock(words)];
      if (isFields(image)) return imageBlock(image["source"]) ?? [];
      if (!isFields(mention)) return [];
      const name = addressOf(mention["uri"]);
      if (text(mention["content"]) !== undefined) context.push(`${name}\n${String(mention["content"])}`);
      return [textBlock(`[@${name.split(/[/\\]/).filter(Boolean).at(-1) ?? name}](${name})`)];
    });
    if (context.length > 0) blocks.push(textBlock(`<context>\n${context.join("\n\n")}\n</context>`));
    if (blocks.length === 0) return this.#draft.skip("a request without text");
    this.#draft.push(
      { role: "user", content: blocks },
      place,
      this.#request === undefined ? {} : { id: this.#request },
    );
  }

  #agent({ content, tool_results: held }: Fields, place: number): void {
    const calls: string[] = [];
    const blocks = items(content).flatMap((part): Fields[] => {
      const { Text: words, Thinking: thought, RedactedThinking: sealed, ToolUse: call } = fields(part);
      if (typeof words === "string") return words === "" ? [] : [textBlock(words)];
      if (isFields(thought)) return thinking(thought);
      if (typeof sealed === "string") return [{ type: "redacted_thinking", data: sealed }];
      if (!isFields(call)) return [];
      calls.push(word(call["id"]));
      const { type, value } = fields(call["input"]);
      const input = type === "json" && isFields(value) ? value : inputOf(call["input"], call["raw_input"]);
      return [{ type: "tool_use", id: word(call["id"]), name: text(call["name"]) ?? "", input }];
    });
    if (blocks.length > 0) this.#answer = this.#draft.push({ role: "assistant", content: blocks }, place);
    const results = resultsOf(held);
    const answers = calls.flatMap((id) => {
      const result = results.get(id);
      return result ? [resultOf(id, result)] : [];
    });
    for (const id of results.keys()) if (!calls.includes(id)) this.#draft.skip("result without a call");
    if (answers.length > 0) this.#draft.push({ role: "user", content: answers }, place);
  }

  #compact({ Summary: summary }: Fields, place: number): void {
    if (typeof summary !== "string") return this.#draft.skip("Compaction", "only the provider can read it");
    this.#draft.compact(place, [{ role: "user", content: summary }], { summary });
  }

  #old({ segments, tool_uses: uses, tool_results: held, context, id }: Fields, role: string, place: number): void {
    const results = resultsOf(held);
    const blocks = objects(segments).flatMap((segment): Fields[] => {
      if (segment["type"] === "thinking") return thinking(segment);
      if (segment["type"] === "redacted_thinking")
        return [{ type: "redacted_thinking", data: text(segment["data"]) ?? "" }];
      return typeof segment["text"] === "string" && segment["text"] !== "" ? [textBlock(segment["text"])] : [];
    });
    if (role === "system")
      return this.#draft.tell({ system: blocks.map((block) => text(block["text"]) ?? "").join("\n") });
    if (role === "assistant") {
      const calls = objects(uses).map(({ id: call, name, input }) => {
        return { type: "tool_use", id: word(call), name: text(name) ?? "", input: inputOf(input) };
      });
      if (blocks.length + calls.length > 0)
        this.#answer = this.#draft.push({ role: "assistant", content: [...blocks, ...calls] }, place);
      this.#open = new Set(calls.map((call) => call.id));
    }
    const answers = [...results]
      .filter(([call]) => this.#open.delete(call))
      .map(([call, result]) => resultOf(call, result));
    if (role === "assistant") {
      if (answers.length > 0) this.#draft.push({ role: "user", content: answers }, place);
      return;
    }
    if (blocks.length > 0) {
      this.#report();
      this.#request = typeof id === "string" || typeof id === "number" ? String(id) : undefined;
    }
    const said = text(context) === undefined ? [] : [textBlock(String(context))];
    if (answers.length + blocks.length > 0)
      this.#draft.push({ role: "user", content: [...answers, ...blocks, ...said] }, place);
  }

  /** Reports usage, which is recorded for each request of the user: that of its newest request to the model. */
  #report(): void {
    const usage =
      this.#request !== undefined && Object.hasOwn(this.#usage, this.#request)
        ? fields(this.#usage[this.#request])
        : {};
    const {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    } = usage;
    if (this.#answer !== undefined)
      this.#draft.report(this.#answer, usageOf({ input, output, cacheRead, cacheWrite }), this.#draft.about.model);
    this.#answer = undefined;
    this.#request = undefined;
  }

  end(): Draft {
    return this.#draft;
  }
}

/** Returns an address of the file: a text, or an object named by its kind. */
function addressOf(uri: unknown): string {
  if (typeof uri === "string") return uri;
  const [kind = "item"] = Object.keys(fields(uri));
  const { abs_path: path, name, title, url } = fields(fields(uri)[kind]);
  return text(path) ?? text(url) ?? text(name) ?? text(title) ?? kind;
}

function thinking({ text: words, signature }: Fields): Fields[] {
  if (typeof words !== "string" || words === "") return [];
  return [{ type: "thinking", thinking: words, ...(typeof signature === "string" && { signature }) }];
}

function resultsOf(held: unknown): Map<string, Fields> {
  const list = Array.isArray(held)
    ? objects(held).map((result) => [word(result["tool_use_id"]), result] as const)
    : Object.entries(fields(held));
  return new Map(list.flatMap(([id, result]) => (isFields(result) ? [[id, result]] : [])));
}

function resultOf(id: string, { content, output, is_error: isError }: Fields): Fields {
  const parts = (Array.isArray(content) ? content : [content]).flatMap((part: unknown): Fields[] => {
    const { Text: words, Image: image } = fields(part);
    if (typeof words === "string") return [textBlock(words)];
    if (isFields(image)) return [imageBlock(image["source"]) ?? textBlock("")];
    return typeof part === "string" ? [textBlock(part)] : blocksOf([part]);
  });
  const shown =
    typeof output === "string" ? output : output === undefined || output === null ? "" : JSON.stringify(output);
  return {
    type: "tool_result",
    tool_use_id: id,
    content: parts.length > 0 ? parts : shown,
    ...(isError === true && { is_error: true }),
  };
}
