/**
 * opencode: the output of `opencode export`, `{info, messages: [{info, parts}]}`; the list of messages alone as its
 * server returns it; and the events of `opencode run --format json`, one part of the answer in each line.
 *
 * A part of the type `tool` holds a call and its result. One message of the log may be several requests, each of which
 * begins with a part `step-start`. A compaction is a user message with a part `compaction`, followed by the answer with
 * `summary`; older versions have only that answer.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample, Stranger } from "./reader.ts";

/** The text that opencode sends instead of a cleared output. */
const CLEARED = "[Old tool result content cleared]";

/** What the model receives for a part by which the user, or a command, began a sub-agent. */
const TASK = "The following tool was executed by the user";

export const opencode: Reader = {
  layout: "opencode",
  tool: "opencode",
  shapes: ["value", "lines"],
  marks: ["info", "messages", "parts"],
  recognise,
  read: () => new Opencode(),
};

function recognise({ shape, records }: Sample): Match | undefined {
  if (shape === "lines") {
    const count = records.filter(isStreamed).length;
    return count > 0 ? { count, evidence: `${count} events with a part of opencode` } : undefined;
  }
  const list = messagesOf(records[0]);
  const own = list.filter(
    ({ info, parts }) => /^(user|assistant)$/.test(word(fields(info)["role"])) && Array.isArray(parts),
  );
  if (own.length === 0 || own.length * 2 < list.length) return undefined;
  return { count: own.length, evidence: `${own.length} messages, each an object with info and parts` };
}

function messagesOf(value: unknown): readonly Fields[] {
  return objects(
    Array.isArray(value) ? value : isFields(value) && isFields(value["info"]) ? value["messages"] : undefined,
  );
}

/** Recognises an event of a run. */
function isStreamed(record: unknown): record is Fields & { part: Fields } {
  const { type, part } = fields(record);
  return (
    typeof type === "string" &&
    /^(step_start|step_finish|text|tool_use|reasoning)$/.test(type) &&
    isFields(part) &&
    typeof part["type"] === "string"
  );
}

/**
 * Recognises a file of opencode's storage folder, which splits a session into one file for each message and each part.
 */
export const opencodePiece: Stranger = ({ shape, records: [value] }) => {
  if (shape !== "value" || !isFields(value) || typeof value["id"] !== "string" || "messages" in value) return undefined;
  const id = value["id"];
  const what = /^prt_/.test(id)
    ? "a part of a message"
    : /^msg_/.test(id)
      ? "one message without its parts"
      : /^ses_/.test(id)
        ? "the title and times of a session"
        : undefined;
  return what && `is ${what} from opencode's storage folder. opencode export prints the whole session.`;
};

class Opencode implements Reading {
  readonly #draft = new Draft("anthropic");
  /** Number of messages of the history before each message of the log. */
  readonly #before = new Map<string, number>();
  /** User messages that ask for a compaction, by id. */
  readonly #requests = new Map<string, Fields>();

  /** Parts of a run's answer, and the line of the first one. */
  readonly #parts: Fields[] = [];
  #place = 0;

  add(value: unknown, place: number): void {
    const draft = this.#draft;
    if (place > 0) return this.#event(value, place);
    const info = isFields(value) ? fields(value["info"]) : {};
    const list = messagesOf(value);
    const { id, title, directory, version, revert } = info;
    draft.tell({ id: text(id), title: text(title), cwd: text(directory), version: text(version) });
    const reverted = text(fields(revert)["messageID"]);
    const end = list.findIndex((message) => reverted !== undefined && fields(message["info"])["id"] === reverted);
    list.slice(0, end < 0 ? undefined : end).forEach((message, place) => this.#message(draft, message, place));
    if (end < 0) return;
    const branch = draft.chain(`branch:${reverted!}`, { kind: "branch" });
    list.slice(end).forEach((message, at) => this.#message(branch, message, end + at));
  }

  #event(record: unknown, place: number): void {
    if (!isStreamed(record)) return this.#draft.skip(text(fields(record)["type"]) ?? "a line without a type");
    if (this.#parts.length === 0) this.#place = place;
    this.#draft.tell({ id: text(record["sessionID"]) });
    // A call without an id is paired with the result in the same part.
    this.#parts.push({ id: `call-${place}`, ...record.part });
  }

  end(): Draft {
    if (this.#parts.length > 0) this.#answer(this.#draft, {}, this.#parts, this.#place, {});
    return this.#draft;
  }

  #message(draft: Draft, { info: about, parts }: Fields, place: number): void {
    const info = fields(about);
    const id = text(info["id"]);
    if (id !== undefined && draft === this.#draft) this.#before.set(id, draft.messages.length);
    const time = timeOf(fields(info["time"])["created"]);
    const more = { ...(time !== undefined && { time }), ...(id !== undefined && { id }) };
    if (info["role"] === "user") return this.#user(draft, objects(parts), place, more);
    if (info["role"] !== "assistant") return draft.skip("a message without a role");
    if (draft === this.#draft) {
      const system = items(info["system"])
        .filter((one) => typeof one === "string")
        .join("\n");
      draft.tell({
        model: text(info["modelID"]),
        cwd: draft.about.cwd ?? text(fields(info["path"])["cwd"]),
        ...(system !== "" && { system }),
      });
    }
    if (info["summary"] === true) return this.#compact(draft, info, objects(parts), place);
    this.#answer(draft, info, objects(parts), place, more);
  }

  #user(draft: Draft, parts: readonly Fields[], place: number, more: { time?: number; id?: string }): void {
    const request = parts.find(({ type }) => type === "compaction");
    if (request && more.id !== undefined) this.#requests.set(more.id, request);
    const content: Fields[] = [];
    let isTyped = false;
    for (const part of parts) {
      const isTask = part["type"] === "subtask";
      const block = isTask ? { type: "text", text: TASK } : blockOf(part);
      if (block) {
        content.push(block);
        isTyped ||= !isTask && part["synthetic"] !== true;
      } else if (part["type"] !== "compaction") draft.skip(kindOf(part));
    }
    if (content.length > 0)
      draft.push({ role: "user", content }, place, { ...more, ...(!isTyped && { injected: true }) });
    else if (!request) draft.skip("empty message");
  }

  #answer(
    draft: Draft,
    info: Fields,
    parts: readonly Fields[],
    place: number,
    more: { time?: number; id?: string },
  ): void {
    let [content, results]: [Fields[], Fields[]] = [[], []];
    let index = -1;
    let hasUsage = false;
    const flush = () => {
      if (content.length > 0) index = draft.push({ role: "assistant", content }, place, more);
      if (results.length > 0) draft.push({ role: "user", content: results }, place, more);
      [content, results] = [[], []];
    };
    const model = text(info["modelID"]);
    for (const part of parts) {
      const { type } = part;
      if (type === "step-start") flush();
      else if (type === "step-finish") {
        flush();
        const usage = tokens(part["tokens"]);
        hasUsage ||= usage.promptTotal > 0;
        draft.report(index, usage, model);
      } else if (type === "tool") {
        const [call, result] = exchange(part);
        content.push(call);
        if (result) results.push(result);
        if (isCleared(part))
          draft.skip("cleared output", "an output that opencode cleared to save tokens; the model sees a note");
      } else {
        const block = type === "reasoning" ? thought(part) : blockOf(part);
        if (block) content.push(block);
        else if (text(part["text"]) === undefined) draft.skip(kindOf(part));
      }
    }
    flush();
    if (index < 0) draft.skip("empty answer", "an answer that was stopped or failed before the model wrote anything");
    else if (!hasUsage) draft.report(index, tokens(info["tokens"]), model);
  }

  #compact(draft: Draft, info: Fields, parts: readonly Fields[], place: number): void {
    const summary = parts
      .filter(({ type }) => type === "text")
      .map((part) => text(part["text"]) ?? "")
      .join("\n");
    // A failed summary changes nothing.
    if (summary === "" || isFields(info["error"])) return draft.skip("failed compaction");
    const request = this.#requests.get(word(info["parentID"]));
    const tail = text(request?.["tail_start_id"]);
    const from = tail === undefined || draft !== this.#draft ? undefined : this.#before.get(tail);
    const question = request ? [{ role: "user", content: "What did we do so far?" }] : [];
    const answer = { role: "assistant", content: [{ type: "text", text: summary }] };
    draft.compact(place, [...question, answer, ...(from === undefined ? [] : draft.messages.slice(from))], {
      summary,
      tokensBefore: tokens(info["tokens"]).promptTotal || undefined,
    });
  }
}

function kindOf({ type, ignored }: Fields): string {
  return ignored === true ? "ignored text" : typeof type === "string" ? type : "a part without a type";
}

/** Returns the block of a text or a file. A plain text file is skipped, because another part repeats its text. */
function blockOf(part: Fields): Fields | undefined {
  const { type, mime, url } = part;
  if (type === "text" && part["ignored"] !== true && text(part["text"])?.trim()) return { type, text: part["text"] };
  if (type !== "file" || typeof url !== "string" || typeof mime !== "string") return undefined;
  const kind = mime.startsWith("image/") ? "image" : mime === "application/pdf" ? "document" : undefined;
  const data = /^data:[^,]*;base64,/.exec(url);
  return (
    kind && {
      type: kind,
      source: data ? { type: "base64", media_type: mime, data: url.slice(data[0].length) } : { type: "url", url },
    }
  );
}

function thought({ text: thinking, metadata }: Fields): Fields | undefined {
  const { signature, redactedData } = fields(fields(metadata)["anthropic"]);
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  if (text(thinking) === undefined && signature === undefined) return undefined;
  return { type: "thinking", thinking: text(thinking) ?? "", ...(typeof signature === "string" && { signature }) };
}

function isCleared({ state }: Fields): boolean {
  return number(fields(fields(state)["time"])["compacted"]) !== undefined;
}

/** Returns a call and its result, if it has one yet. */
function exchange(part: Fields): [Fields, Fields | undefined] {
  const { callID, id, tool, state } = part;
  const { status, input, output, error, attachments } = fields(state);
  const name = text(callID) ?? text(id) ?? "";
  const call = { type: "tool_use", id: name, name: text(tool) ?? "", input: fields(input) };
  if (status === "error")
    return [call, { type: "tool_result", tool_use_id: name, content: text(error) ?? "", is_error: true }];
  if (status !== "completed") return [call, undefined];
  const files = isCleared(part) ? [] : objects(attachments).flatMap((one) => blockOf(one) ?? []);
  const shown = isCleared(part) ? CLEARED : (text(output) ?? "");
  const content = files.length === 0 ? shown : [...(shown === "" ? [] : [{ type: "text", text: shown }]), ...files];
  return [call, { type: "tool_result", tool_use_id: name, content }];
}

/** Older versions write reasoning as a part of `output`, newer ones beside it. `total` tells which, if it is there. */
function tokens(value: unknown): ReturnType<typeof usageOf> {
  const { input, output, reasoning, cache, total } = fields(value);
  const { read: cacheRead, write: cacheWrite } = fields(cache);
  const usage = usageOf({ input, output, reasoning, cacheRead, cacheWrite });
  const sum = usage.promptTotal + usage.output + usage.reasoning;
  const isApart = typeof total === "number" && total > 0 ? total >= sum : usage.reasoning > usage.output;
  return isApart ? { ...usage, output: usage.output + usage.reasoning } : usage;
}
