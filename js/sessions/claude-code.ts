/**
 * Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the output of `claude --output-format stream-json`.
 *
 * A line of the type `user` or `assistant` holds a message of the Anthropic API. One answer of the API is several lines
 * with one content block each and the same `message.id`; a result may occur between them. The order is that of the
 * file: parallel calls fork the tree of `parentUuid`, so a walk from its last leaf would lose results. The tree only
 * identifies abandoned branches.
 */

import { notesOf } from "./claude-code-notes.ts";
import { writeClaudeCode } from "./claude-code-write.ts";
import { Draft, fields, isFields, items, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const TYPES = new Set([
  "summary",
  "system",
  "progress",
  "attachment",
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "last-prompt",
  "ai-title",
  "custom-title",
  "agent-name",
  "mode",
  "permission-mode",
  "pr-link",
  "worktree-state",
  "frame-link",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "tools-used",
  "cost-state",
  "result",
  "stream_event",
]);

/** Requests of the main thread; others are those of sub-agents, summaries, titles. */
const MAIN = /^(sdk|repl_main_thread)(:|$)/;

/** Texts with the role of the user that the tool wrote. */
const WRITTEN =
  /^(<(local-command-std(out|err)|task-notification|system-reminder|cross-session-message)\b|\[Request interrupted by user)/;

export const claudeCode: Reader = {
  layout: "claude-code",
  tool: "Claude Code",
  shapes: ["lines"],
  marks: ["type", "message", "uuid", "parentUuid", "sessionId", "isSidechain"],
  recognise,
  read: (_, { keepsHistory }) => new ClaudeCode(keepsHistory),
  write: writeClaudeCode,
};

function recognise({ records }: Sample): Match | undefined {
  let [count, messages] = [0, 0];
  for (const record of records) {
    if (!isFields(record)) continue;
    const isOwn = ["uuid", "sessionId", "session_id", "leafUuid"].some((name) => typeof record[name] === "string");
    if (isMessage(record) && isOwn) messages += 1;
    else if (!(isOwn && TYPES.has(word(record["type"])))) continue;
    count += 1;
  }
  return messages === 0
    ? undefined
    : { count, evidence: `${messages} lines of the types user and assistant with uuid and an Anthropic message` };
}

function isMessage({ type, message }: Fields): boolean {
  return (type === "user" || type === "assistant") && isFields(message) && "content" in message;
}

/** The lines of one conversation, or of one side chain. */
interface Thread {
  draft: Draft;
  /** Index in the history of each answer, by the API's id. */
  answers: Map<string, number>;
}

/** A compaction whose summary has not been read yet. */
interface Boundary {
  place: number;
  data: Fields;
}

class ClaudeCode implements Reading {
  readonly #keepsHistory: boolean;
  #thread: Thread;
  readonly #threads: Thread[] = [];
  readonly #sides = new Map<string, Thread>();
  #session: string | undefined;
  /** The parent of each line, which identifies side chains and branches. */
  readonly #parents = new Map<string, string | undefined>();
  /** Index in the history of each line of the main thread. */
  readonly #indices = new Map<string, number>();
  /** The user's requests under each line. */
  readonly #requests = new Map<string, string[]>();
  #boundary: Boundary | undefined;
  /** System prompt and tools of requests, by their hash. */
  readonly #shapes = new Map<string, Fields>();

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
    this.#thread = this.#begin();
  }

  #begin(): Thread {
    const thread = { draft: new Draft("anthropic", this.#keepsHistory), answers: new Map() };
    this.#threads.push(thread);
    return thread;
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return this.#thread.draft.skip("a value that is not an object");
    const uuid = text(record["uuid"]);
    if (uuid !== undefined && this.#parents.has(uuid))
      return this.#thread.draft.skip("repeated line", "a line with the same uuid came before");
    const parent = text(record["parentUuid"]) ?? text(record["logicalParentUuid"]);
    if (uuid !== undefined) this.#parents.set(uuid, parent);
    this.#about(record);
    if (record["type"] === "system" && record["subtype"] === "compact_boundary" && !isSide(record)) {
      this.#boundary = { place, data: fields(record["compactMetadata"] ?? record["compact_metadata"]) };
      return;
    }
    if (record["type"] === "attachment") return this.#attachment(record, place);
    if (word(record["type"]).startsWith("api-request")) this.#request(record);
    if (!isMessage(record)) return this.#thread.draft.skip(kindOf(record));
    if (record["isApiErrorMessage"] === true)
      return this.#thread.draft.skip("error message", "the API's error, which the model did not write");
    if (isSide(record)) return this.#put(this.#side(record), record, place);
    this.#separate(record, parent);
    if (record["isCompactSummary"] === true) return this.#compact(place, record);
    if (this.#boundary) this.#compact(this.#boundary.place);
    this.#put(this.#thread, record, place);
  }

  #about(record: Fields): void {
    const { draft } = this.#thread;
    draft.tell({ id: text(record["sessionId"]) ?? text(record["session_id"]), version: text(record["version"]) });
    if (!draft.about.cwd) draft.tell({ cwd: text(record["cwd"]) });
    draft.tell({ title: text(record["customTitle"]) ?? draft.about.title ?? text(record["aiTitle"]) });
  }

  /** Newer versions record what a request had beside its messages, once for each difference. */
  #request({ type, shapeHash, shape, querySource }: Fields): void {
    if (type === "api-request-shape") this.#shapes.set(word(shapeHash), fields(shape));
    if (type !== "api-request" || !MAIN.test(word(querySource))) return;
    const { system, tools } = this.#shapes.get(word(shapeHash)) ?? {};
    if (system !== undefined) this.#thread.draft.tell({ system: text(textOf(system)) });
    if (objects(tools).length > 0) this.#thread.draft.tell({ tools: [...objects(tools)] });
  }

  /** Begins another conversation at a line of another session without a parent, as in concatenated files. */
  #separate(record: Fields, parent: string | undefined): void {
    const session = text(record["sessionId"]) ?? text(record["session_id"]);
    const isOther = this.#session !== undefined && session !== undefined && session !== this.#session;
    if (
      isOther &&
      parent === undefined &&
      "parentUuid" in record &&
      !this.#boundary &&
      record["isCompactSummary"] !== true
    ) {
      const { id, ...about } = this.#thread.draft.about;
      this.#thread = this.#begin();
      this.#thread.draft.tell({ ...about, id: session, title: undefined });
      this.#threads.at(-2)!.draft.about.id = this.#session!;
    }
    this.#session = session ?? this.#session;
  }

  /** Returns the thread of a sub-agent: by its id, else by the topmost line above. */
  #side(record: Fields): Thread {
    let id = text(record["agentId"]) ?? text(record["parent_tool_use_id"]);
    const { draft } = this.#thread;
    if (id === undefined) {
      let root = text(record["uuid"]);
      for (let above = root; above !== undefined; above = this.#parents.get(above)) root = above;
      id = root ?? "side";
    }
    const known = this.#sides.get(id);
    if (known) return known;
    const call = text(record["parent_tool_use_id"]);
    const thread = {
      draft: draft.chain(id, { kind: "subagent", ...(call !== undefined && { call }) }),
      answers: new Map<string, number>(),
    };
    this.#sides.set(id, thread);
    return thread;
  }

  #put({ draft, answers }: Thread, record: Fields, place: number): void {
    const message = fields(record["message"]);
    const { id, content, model, usage } = message;
    const role = record["type"] as "user" | "assistant";
    const uuid = text(record["uuid"]);
    let index: number;
    const earlier = role === "assistant" && typeof id === "string" ? answers.get(id) : undefined;
    const last = draft.messages.length - 1;
    if (earlier !== undefined) {
      index = earlier;
      draft.extend(
        index,
        { role, content: [...blocks(fields(draft.messages[index])["content"]), ...blocks(content)] },
        place,
      );
    } else if (
      role === "user" &&
      isResults(content) &&
      isAfterCompaction(draft, last) &&
      hasResults(draft.messages[last])
    ) {
      // Results of parallel calls are separate lines, but one message of the API, in which what is attached comes last.
      index = last;
      const earlier = blocks(fields(draft.messages[last])["content"]);
      const end = earlier.findLastIndex((block) => fields(block)["type"] === "tool_result") + 1;
      draft.extend(
        index,
        { role, content: [...earlier.slice(0, end), ...blocks(content), ...earlier.slice(end)] },
        place,
      );
    } else {
      const time = timeOf(record["timestamp"]);
      const isInjected = role === "user" && (record["isMeta"] === true || WRITTEN.test(textOf(content)));
      index = draft.push({ role, content }, place, {
        ...(time !== undefined && { time }),
        ...(isInjected && { injected: true }),
        ...(typeof id === "string" && { id }),
      });
    }
    if (role === "assistant" && typeof id === "string") answers.set(id, index);
    if (isFields(usage)) {
      const {
        input_tokens: input,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite,
        output_tokens: output,
      } = usage;
      draft.report(index, usageOf({ input, cacheRead, cacheWrite, output }), text(model));
    }
    if (draft !== this.#thread.draft) return;
    if (typeof model === "string" && model !== "<synthetic>") draft.tell({ model });
    this.#link(record, uuid, index, role, content);
  }

  /** Records what identifies branches and the calls of side chains. */
  #link(record: Fields, uuid: string | undefined, index: number, role: string, content: unknown): void {
    if (uuid === undefined) return;
    this.#indices.set(uuid, index);
    const parent = text(record["parentUuid"]);
    if (role !== "user") return;
    if (isResults(content)) {
      const agent = text(fields(record["toolUseResult"])["agentId"]);
      const call = text(objects(content)[0]?.["tool_use_id"]);
      const chain = this.#thread.draft.chains.find(({ id }) => id === agent);
      if (chain && call !== undefined) chain.call ??= call;
    } else if (parent !== undefined && record["isMeta"] !== true) {
      const siblings = this.#requests.get(parent);
      if (siblings) siblings.push(uuid);
      else this.#requests.set(parent, [uuid]);
    }
  }

  /** The model receives text that the user typed while the agent was working, and contents, as attachments. */
  #attachment(record: Fields, place: number): void {
    const attachment = fields(record["attachment"]);
    const { type, prompt } = attachment;
    const isText = typeof prompt === "string" ? prompt !== "" : items(prompt).length > 0;
    const isTyped = type === "queued_command" && isText;
    const notes = isTyped ? undefined : notesOf(attachment, record["rendered"]);
    if (!isTyped && notes === undefined)
      return this.#thread.draft.skip(
        `attachment/${text(type) ?? "?"}`,
        "a short note of the tool, or one for the screen",
      );
    const thread = isSide(record) ? this.#side(record) : this.#thread;
    if (thread === this.#thread && this.#boundary) this.#compact(this.#boundary.place);
    const { draft } = thread;
    const last = draft.messages.length - 1;
    const { role, content } = fields(draft.messages[last]);
    let index: number;
    if (notes && role === "user" && isAfterCompaction(draft, last)) {
      index = last;
      draft.extend(index, { role, content: [...blocks(content), ...notes] }, place);
    } else
      index = draft.push({ role: "user", content: notes ?? prompt }, place, {
        ...(notes && { injected: true as const }),
      });
    const uuid = text(record["uuid"]);
    if (uuid !== undefined && thread === this.#thread) this.#indices.set(uuid, index);
  }

  #compact(place: number, record?: Fields): void {
    const { draft, answers } = this.#thread;
    const { data = {}, place: boundary = place } = this.#boundary ?? {};
    this.#boundary = undefined;
    const indices = items(fields(data["preservedMessages"])["uuids"]).map((uuid) => this.#indices.get(word(uuid)));
    const kept = [...new Set(indices)].flatMap((index) => (index === undefined ? [] : [index])).sort((a, b) => a - b);
    const message = record && fields(record["message"]);
    const context = [
      ...(message ? [{ role: "user", content: message["content"] }] : []),
      ...kept.map((index) => draft.messages[index]),
    ];
    const tokens = (value: unknown) => (typeof value === "number" ? value : undefined);
    draft.compact(boundary, context, {
      ...(message && { summary: textOf(message["content"]) }),
      tokensBefore: tokens(data["preTokens"] ?? data["pre_tokens"]),
      tokensAfter: tokens(data["postTokens"] ?? data["post_tokens"]),
    });
    answers.clear();
    if (draft.messages.length === 0) this.#indices.clear();
  }

  end(): Draft | Draft[] {
    if (this.#boundary) this.#compact(this.#boundary.place);
    this.#branches();
    const drafts = this.#threads.map(({ draft }) => draft);
    for (const draft of drafts) draft.label = draft.about.id ?? "";
    const whole = drafts.filter(({ messages }) => messages.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? drafts[0]!);
  }

  /** Removes abandoned branches: of several requests under one line only the newest stays, with everything below it. */
  #branches(): void {
    const dropped = new Map<string, string>();
    for (const siblings of this.#requests.values()) for (const uuid of siblings.slice(0, -1)) dropped.set(uuid, uuid);
    if (dropped.size === 0) return;
    const branches = new Map<string, number[]>();
    // Every line follows its parent in the file, so one pass in the order of the file reaches all of them.
    for (const [uuid, parent] of this.#parents) {
      const branch = dropped.get(uuid) ?? (parent === undefined ? undefined : dropped.get(parent));
      if (branch === undefined) continue;
      dropped.set(uuid, branch);
      const index = this.#indices.get(uuid);
      if (index !== undefined) branches.set(branch, [...(branches.get(branch) ?? []), index]);
    }
    const kept = new Set([...this.#indices].flatMap(([uuid, index]) => (dropped.has(uuid) ? [] : [index])));
    for (const [branch, indices] of branches)
      branches.set(
        branch,
        indices.filter((index) => !kept.has(index)),
      );
    const { draft } = this.#thread;
    for (const [branch, indices] of branches) {
      const side = draft.chain(`branch:${branch}`, { kind: "branch" });
      for (const index of new Set(indices)) side.push(draft.messages[index], draft.entries[index]!.places[0]!);
    }
    draft.remove(new Set([...branches.values()].flat()));
  }
}

function isSide(record: Fields): boolean {
  return record["isSidechain"] === true || typeof record["parent_tool_use_id"] === "string";
}

function kindOf({ type, subtype }: Fields): string {
  return typeof type !== "string" ? "a line without a type" : typeof subtype === "string" ? `${type}/${subtype}` : type;
}

function blocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : items(content);
}

/** True for a message that the newest compaction has not replaced, so that it may grow. */
function isAfterCompaction({ compactions }: Draft, index: number): boolean {
  return index >= (compactions.at(-1)?.before ?? 0);
}

/** True for a message of results, to which something may be attached. */
function hasResults(message: unknown): boolean {
  return fields(objects(fields(message)["content"])[0])["type"] === "tool_result";
}

function isResults(content: unknown): boolean {
  const list = objects(content);
  return list.length > 0 && list.every(({ type }) => type === "tool_result");
}

function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : objects(content)
        .map(({ text: words }) => (typeof words === "string" ? words : ""))
        .join("\n");
}
