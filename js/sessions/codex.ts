/**
 * Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.
 *
 * A line is `{timestamp, type, payload}`. Lines of the type `response_item` hold the items of the Responses API as they
 * were sent; `event_msg` lines repeat them for the screen. Before September 2025 lines were bare items after a header
 * without a type.
 */

import { isItem } from "./codex-items.ts";
import { writeCodex } from "./codex-write.ts";
import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const ENVELOPES = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"]);
/** Events whose content is read; all others repeat items or drive the screen. */
const EVENTS = new Set([
  "token_count",
  "user_message",
  "thread_rolled_back",
  "task_started",
  "turn_started",
  "thread_name_updated",
]);
/** Texts with the role user that Codex writes: the environment, AGENTS.md, commands that the user ran. */
const INJECTED = new RegExp(
  "^\\s*(# AGENTS\\.md instructions|Warning: (The maximum number of unified exec|apply_patch was requested|Your account was flagged)|" +
    "<(environment_context|user_instructions|user_shell_command|user_action|turn_aborted|skill|subagent_notification|goal_context|hook_prompt|" +
    "recommended_plugins|model_switch|collaboration_mode|internal_context|additional_context|codex_\\w+)[\\s>])",
);
/** The text before a summary that Codex wrote. */
const SUMMARY = /^Another language model started to solve this problem/;
/**
 * Codex keeps the user's newest texts beside a summary, up to 20,000 tokens of 4 bytes; each counts 10 tokens more
 * here.
 */
const KEPT_TEXT = 80_000;

export const codex: Reader = {
  layout: "codex",
  tool: "Codex",
  shapes: ["lines"],
  marks: ["timestamp", "type", "payload"],
  recognise,
  read: (_, { keepsHistory }) => new Codex(keepsHistory),
  write: writeCodex,
};

function recognise({ records }: Sample): Match | undefined {
  let [lines, bare, isOld] = [0, 0, false];
  for (const record of records) {
    if (!isFields(record)) continue;
    if (isFields(record["payload"]) && ENVELOPES.has(word(record["type"]))) lines += 1;
    else if (isHeader(record) || record["record_type"] === "state") {
      isOld = true;
      bare += 1;
    } else if (isItem(record)) bare += 1;
  }
  if (lines > 0)
    return {
      count: lines + bare,
      evidence: `${lines} lines with a payload of the types ${[...ENVELOPES].slice(0, 3).join(", ")} and the like`,
    };
  // Items without a header are a plain list of the Responses API.
  return isOld && bare > 1
    ? { count: bare, evidence: "a header with id and timestamp, and bare items of the Responses API" }
    : undefined;
}

function isHeader(record: Fields): boolean {
  return (
    !("type" in record) &&
    typeof record["id"] === "string" &&
    typeof record["timestamp"] === "string" &&
    ("instructions" in record || "git" in record)
  );
}

class Codex implements Reading {
  readonly #draft: Draft;
  /** Index in the history of each request of the user since the newest compaction. */
  #turns: number[] = [];
  /** Texts that the user typed, from the events. */
  readonly #said = new Set<string>();
  /** Index of the first item that no usage report covers. */
  #unreported = 0;
  #reported = "";
  #total: number | undefined;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("openai-responses", keepsHistory);
  }

  passes(line: string): boolean {
    if (line.at(-1) !== "}") return false;
    const [, type, kind] =
      /^\{[^{}[\]]{0,200}"type":\s?"(event_msg|world_state|response_item)",\s?"payload":\s?\{(?:"type":\s?"(\w+)")?/.exec(
        line,
      ) ?? [];
    if (type === undefined || (type === "response_item" && kind !== "ghost_snapshot")) return false;
    if (type === "event_msg" && (kind === undefined || EVENTS.has(kind))) return false;
    this.#skip(type, kind);
    return true;
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return this.#draft.skip("a value that is not an object");
    const { type, payload } = record;
    if (!isFields(payload)) {
      if (isItem(record)) return this.#item(record, place, record["timestamp"]);
      if (isHeader(record)) return this.#meta(record);
      return this.#draft.skip(text(record["record_type"]) ?? text(type) ?? "a line without a type");
    }
    if (type === "session_meta") this.#meta(payload);
    else if (type === "turn_context")
      this.#draft.tell({
        model: text(payload["model"]),
        ...(!this.#draft.about.cwd && { cwd: text(payload["cwd"]) }),
      });
    else if (type === "compacted") this.#compact(payload, place);
    else if (type === "token_usage_record") this.#record(payload);
    else if (type === "event_msg") this.#event(payload, place);
    else if (type === "response_item" && isItem(payload)) this.#item(payload, place, record["timestamp"]);
    else this.#skip(text(type), text(payload["type"]));
  }

  #skip(type: string | undefined, kind: string | undefined): void {
    if (type === "event_msg") return this.#draft.skip(`event_msg/${kind ?? "?"}`, "events repeat items for the screen");
    if (type !== "response_item") return this.#draft.skip(type ?? "a line without a type");
    this.#draft.skip(
      `response_item/${kind ?? "?"}`,
      kind === "ghost_snapshot" ? "a snapshot of the files" : "not an item of a request",
    );
  }

  /** The first header belongs to this file; forks repeat the headers of the files they come from. */
  #meta(meta: Fields): void {
    const { about } = this.#draft;
    if (about.id !== undefined)
      return this.#draft.skip("repeated session_meta", "a fork repeats the header of the session it comes from");
    this.#draft.tell({
      id: text(meta["id"]),
      cwd: text(meta["cwd"]),
      version: text(meta["cli_version"]),
      system: text(fields(meta["base_instructions"])["text"]),
    });
    if (isFields(meta["history_base"]))
      this.#draft.skip("history_base", "the file continues another rollout, which contains the earlier items");
  }

  #item(item: Fields, place: number, at: unknown): void {
    const { output } = item;
    // The API takes a text or a list: failed calls were wrapped, and single parts are written without a list.
    const message = isFields(output) ? { ...item, output: "content" in output ? output["content"] : [output] } : item;
    const isUser = isUserText(item);
    const injected = isUser && isInjected(item);
    const time = timeOf(at);
    const id = text(item["id"]);
    const index = this.#draft.push(message, place, {
      ...(time !== undefined && { time }),
      ...(injected && { injected }),
      ...(id !== undefined && { id }),
    });
    if (isUser && !injected) this.#turns.push(index);
  }

  #event(event: Fields, place: number): void {
    const type = text(event["type"]);
    if (type === "token_count") return this.#tokens(fields(event["info"]));
    if (type === "thread_rolled_back") return this.#rollBack(number(event["num_turns"]) ?? 0, place);
    if (type === "user_message" && typeof event["message"] === "string") this.#said.add(event["message"].trim());
    this.#draft.tell({
      window: number(event["model_context_window"]),
      ...(type === "thread_name_updated" && { title: text(event["thread_name"]) }),
    });
    this.#skip("event_msg", type);
  }

  #tokens(info: Fields): void {
    this.#draft.tell({ window: number(info["model_context_window"]) });
    this.#draft.skip("event_msg/token_count", "read as usage");
    this.#usage(info["last_token_usage"], info["total_token_usage"]);
  }

  /** Newer versions write a record for each answer, with or without an event of the same numbers. */
  #record({ usage, thread_token_usage: total }: Fields): void {
    this.#draft.skip("token_usage_record", "read as usage");
    this.#usage(usage, total);
  }

  /** Reports follow every request, and repeat with the same numbers when limits change. */
  #usage(last: unknown, total: unknown): void {
    const {
      input_tokens: input,
      cached_input_tokens: cached,
      cache_write_input_tokens: written,
      total_tokens,
    } = fields(last);
    const { output_tokens: output, reasoning_output_tokens: reasoning } = fields(last);
    const key = JSON.stringify([input, output, fields(total)["total_tokens"]]);
    if (key === this.#reported || typeof input !== "number") return;
    this.#reported = key;
    const { messages, about } = this.#draft;
    let answer = this.#unreported;
    while (answer < messages.length && !isFromModel(messages[answer])) answer += 1;
    this.#unreported = messages.length;
    this.#total = number(total_tokens);
    if (answer === messages.length) return;
    const cacheRead = Math.min(number(cached) ?? 0, input);
    const cacheWrite = Math.min(number(written) ?? 0, input - cacheRead);
    this.#draft.report(
      answer,
      usageOf({ input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output, reasoning }),
      about.model,
    );
  }

  #compact({ message, replacement_history: replacement }: Fields, place: number): void {
    const draft = this.#draft;
    let summary = text(message);
    let context: unknown[];
    if (Array.isArray(replacement)) {
      context = objects(replacement).filter(isItem);
      summary ??= context.map((item) => wordsOf(item)).findLast((words) => SUMMARY.test(words));
    } else {
      // Older versions wrote only the summary, after the user's newest texts.
      const texts = draft
        .live()
        .filter((item) => isFields(item) && isUserText(item) && !isInjected(item) && !SUMMARY.test(wordsOf(item)));
      let room = KEPT_TEXT;
      const first = texts.findLastIndex((item) => (room -= wordsOf(item).length + 40) < 0);
      context = [
        ...texts.slice(first + 1),
        {
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: summary ?? "(no summary available)" }],
        },
      ];
    }
    draft.compact(place, context, { summary, tokensBefore: this.#total });
    this.#turns = [];
    this.#unreported = draft.messages.length;
  }

  /** Removes the newest turns: first those of the history, then those that a compaction kept. */
  #rollBack(count: number, place: number): void {
    const draft = this.#draft;
    const compaction = draft.compactions.at(-1);
    if (count < 1) return draft.skip("event_msg/thread_rolled_back");
    const beyond = count - this.#turns.length;
    let cut = this.#turns[Math.max(0, -beyond)];
    const isWhole = beyond > 0 && compaction !== undefined;
    if (isWhole) {
      const { context } = compaction;
      const kept = context.flatMap((item, at) => (isFields(item) && isUserText(item) && !isInjected(item) ? [at] : []));
      compaction.context = context.slice(0, kept[Math.max(0, kept.length - beyond)] ?? context.length);
      // From here on, everything before belongs to the context that the compaction left.
      compaction.place = place;
      cut = compaction.before;
    }
    if (cut === undefined)
      return draft.skip("event_msg/thread_rolled_back", "it removed turns that the file does not contain");
    // Removes the context that Codex put before the turn as well; the opening of the session stays.
    const floor = isWhole ? cut : (compaction?.before ?? this.#turns[0]!);
    while (cut > floor && isContext(draft.messages[cut - 1])) cut -= 1;
    const branch = draft.chain(`rollback:${place}`, { kind: "branch" });
    draft.messages.slice(cut).forEach((item, at) => branch.push(item, draft.entries[cut + at]!.places[0]!));
    draft.cut(cut);
    while ((this.#turns.at(-1) ?? -1) >= cut) this.#turns.pop();
    this.#unreported = Math.min(this.#unreported, cut);
  }

  end(): Draft {
    const { messages, entries } = this.#draft;
    if (this.#said.size === 0) return this.#draft;
    // Tagged texts that no event repeats are not the user's.
    messages.forEach((item, index) => {
      if (!isFields(item) || !isUserText(item)) return;
      const words = wordsOf(item).trim();
      if (/^<(?!image\b)[a-z]/.test(words) && words.endsWith(">") && !this.#said.has(words))
        entries[index]!.injected = true;
    });
    return this.#draft;
  }
}

function isUserText({ type, role }: Fields): boolean {
  return (type === "message" || type === undefined) && role === "user";
}

function isInjected({ content }: Fields): boolean {
  if (typeof content === "string") return INJECTED.test(content);
  return objects(content).some(({ text: words }) => typeof words === "string" && INJECTED.test(words));
}

function isContext(item: unknown): boolean {
  return isFields(item) && (item["role"] === "developer" || (isUserText(item) && isInjected(item)));
}

function isFromModel(item: unknown): boolean {
  const { type, role } = fields(item);
  return type === "message" ? role === "assistant" : type === "reasoning" || word(type).endsWith("_call");
}

function wordsOf(item: unknown): string {
  const { content } = fields(item);
  return typeof content === "string"
    ? content
    : items(content)
        .map((part) => text(fields(part)["text"]) ?? "")
        .join("");
}
