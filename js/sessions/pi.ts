/**
 * pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`, and the sessions of OpenClaw.
 *
 * The first line is a header of the type `session`; a line of the type `message` holds one message. Newer lines form a
 * tree by `id` and `parentId`, whose leaf is the last line: entries that are not above it form abandoned branches. A
 * compaction keeps the messages from one line on: `firstKeptEntryId`, or in old files `firstKeptEntryIndex`, counted
 * over all lines from the header.
 */

import { Draft, fields, isFields, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { messageOf, ownerOf } from "./pi-messages.ts";
import { idOf, pathOf } from "./pi-tree.ts";
import type { Entry } from "./pi-tree.ts";
import { writePi } from "./pi-write.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const ROLES = new Set([
  "user",
  "assistant",
  "toolResult",
  "bashExecution",
  "custom",
  "hookMessage",
  "branchSummary",
  "compactionSummary",
]);
const OTHERS = new Set([
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
]);

export const pi: Reader = {
  layout: "pi",
  tool: "pi",
  shapes: ["lines"],
  marks: ["type", "message", "id", "parentId", "timestamp", "cwd"],
  recognise,
  read: (_, { keepsHistory }) => new Pi(keepsHistory),
  write: writePi,
};

function recognise({ records }: Sample): Match | undefined {
  let [count, messages, others, own] = [0, 0, 0, 0];
  for (const record of records) {
    if (!isFields(record) || "uuid" in record) continue;
    const { type, message } = record;
    if (type === "session" && typeof record["id"] === "string" && typeof record["cwd"] === "string") own += 1;
    else if (type === "message" && isFields(message) && ROLES.has(word(message["role"]))) {
      messages += 1;
      // Other tools have lines of the type "message", too.
      if (message["role"] === "toolResult" || ("api" in message && "provider" in message && "usage" in message))
        own += 1;
    } else if (OTHERS.has(word(type))) others += 1;
    else continue;
    count += 1;
  }
  if (own === 0 || messages + others === 0) return undefined;
  return {
    count,
    evidence: `${messages} lines of the type message with the roles of pi, below a header of the type session`,
  };
}

class Pi implements Reading {
  readonly #keepsHistory: boolean;
  /** The entries of each session of the file, including the header. */
  readonly #sessions: Entry[][] = [[]];
  #ids = new Set<string>();
  /** Number of lines with a repeated id, for each session. */
  readonly #repeated: number[] = [0];

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    const entry = { data: fields(record), place };
    if (entry.data["type"] === "session") {
      const { data: first = undefined } = this.#sessions.at(-1)![0] ?? {};
      // Concatenated files have a header for each session; a resumed session repeats the same header.
      if (first?.["type"] === "session" && first["id"] !== entry.data["id"]) {
        this.#sessions.push([]);
        this.#repeated.push(0);
        this.#ids = new Set();
      }
    }
    const id = idOf(entry.data);
    if (id !== undefined && this.#ids.has(id)) this.#repeated[this.#repeated.length - 1]! += 1;
    else {
      if (id !== undefined) this.#ids.add(id);
      this.#sessions.at(-1)!.push(entry);
    }
  }

  end(): Draft | Draft[] {
    const drafts = this.#sessions.map((entries, at) => this.#draft(entries, this.#repeated[at]!));
    const whole = drafts.filter(({ messages }) => messages.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? drafts[0]!);
  }

  #draft(entries: readonly Entry[], repeated: number): Draft {
    const thread = new Thread(new Draft("anthropic", this.#keepsHistory), entries);
    const { path, branches } = pathOf(entries);
    for (let count = 0; count < repeated; count++)
      thread.draft.skip("repeated line", "a line with the same id came before");
    for (const entry of path) thread.add(entry);
    for (const { id, entries: own } of branches) {
      const side = new Thread(new Draft("anthropic", this.#keepsHistory), entries);
      for (const entry of own) side.add(entry);
      if (side.draft.messages.length > 0)
        thread.draft.chains.push({ id: `branch:${id}`, kind: "branch", draft: side.draft });
    }
    thread.draft.label = thread.draft.about.id ?? "";
    return thread.draft;
  }
}

/** Converts the entries from the first one to a leaf to messages. */
class Thread {
  readonly draft: Draft;
  readonly #entries: readonly Entry[];
  /** Number of messages before each entry. */
  readonly #before = new Map<unknown, number>();
  /** Index of the answer that contains each call. */
  readonly #calls = new Map<string, number>();
  /** Index of the answer whose results are in the last message. */
  #owner: number | undefined;
  #isResult = false;

  constructor(draft: Draft, entries: readonly Entry[]) {
    this.draft = draft;
    this.#entries = entries;
  }

  add({ data, place }: Entry): void {
    const { draft } = this;
    const { type, id } = data;
    this.#before.set(text(id) ?? place, draft.messages.length);
    // Old compactions count entries, which have no ids.
    this.#before.set(place, draft.messages.length);
    if (type === "session") return this.#about(data);
    if (type === "session_info") return draft.tell({ title: text(data["name"]) });
    if (type === "compaction") return this.#compact(data, place);
    if (type === "model_change") draft.tell({ model: text(data["modelId"]) });
    const message = fields(type === "message" ? data["message"] : undefined);
    const { message: clean, injected, skipped } = messageOf(data);
    if (clean === undefined) return draft.skip(skipped.kind, skipped.why);
    const time = timeOf(data["timestamp"]) ?? timeOf(message["timestamp"]);
    const more = {
      ...(time !== undefined && { time }),
      ...(injected && { injected: true as const }),
      ...(typeof id === "string" && { id }),
    };
    const calls = objects(clean.content);
    if (message["role"] === "toolResult") {
      const owner = this.#calls.get(ownerOf(calls));
      const last = draft.messages.length - 1;
      if (this.#isResult && owner === this.#owner && last >= 0) {
        // Results of the calls of one answer form one message of the API.
        draft.extend(
          last,
          { role: "user", content: [...objects(fields(draft.messages[last])["content"]), ...calls] },
          place,
        );
      } else draft.push(clean, place, more);
      this.#owner = owner;
      this.#isResult = true;
      return;
    }
    const index = draft.push(clean, place, more);
    this.#isResult = false;
    if (clean.role !== "assistant") return;
    for (const part of calls) if (part["type"] === "tool_use") this.#calls.set(word(part["id"]), index);
    const { input, cacheRead, cacheWrite, output } = fields(message["usage"]);
    draft.report(index, usageOf({ input, cacheRead, cacheWrite, output }), text(message["model"]));
    draft.tell({ model: text(message["model"]) });
  }

  #about({ id, cwd, version, modelId }: Fields): void {
    const layout = typeof version === "number" ? word(version) : text(version);
    this.draft.tell({ id: text(id), cwd: text(cwd), version: layout, model: text(modelId) });
  }

  #compact(data: Fields, place: number): void {
    const { draft } = this;
    const { summary, firstKeptEntryId, firstKeptEntryIndex, tokensBefore } = data;
    const index = number(firstKeptEntryIndex);
    const first = text(firstKeptEntryId) ?? (index === undefined ? undefined : this.#entries[index]?.place);
    const from = first === undefined ? undefined : this.#before.get(first);
    const context = [
      { role: "user", content: text(summary) ?? "" },
      ...(from === undefined ? [] : draft.messages.slice(from)),
    ];
    this.#isResult = false;
    draft.compact(place, context, { summary: text(summary), tokensBefore: number(tokensBefore) });
    if (draft.messages.length > 0) return;
    this.#before.clear();
    this.#calls.clear();
  }
}
