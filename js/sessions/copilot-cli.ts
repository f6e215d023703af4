/**
 * Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, and transcripts of Copilot Chat in the same form.
 *
 * A line is `{type, data, id, timestamp, parentId}`. `tool.execution_complete` holds the result of a call of
 * `assistant.message`; events of sub-agents name the call that began them, or the agent.
 */

import { Draft, fields, isFields, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const EVENT = /^(session|system|user|assistant|tool|subagent|hook|skill|permission|external_tool|pending_messages)\.\w/;
const CONVERSATION = new Set(["session.start", "user.message", "assistant.message"]);
/** Events that repeat others piece by piece, or only concern the screen. */
const PASSED =
  /^\{\s?"type":\s?"(hook\.\w+|tool\.execution_(?:start|partial_result|progress)|\w+\.\w+_delta|assistant\.turn_\w+)"/;

export const copilotCli: Reader = {
  layout: "copilot-cli",
  tool: "Copilot CLI",
  shapes: ["lines"],
  marks: ["type", "data", "id", "timestamp", "parentId"],
  recognise,
  read: (_, { keepsHistory }) => new CopilotCli(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  let [count, own] = [0, 0];
  for (const record of records) {
    if (!isFields(record) || !isFields(record["data"]) || !EVENT.test(word(record["type"]))) continue;
    count += 1;
    if (CONVERSATION.has(word(record["type"]))) own += 1;
  }
  return own === 0
    ? undefined
    : {
        count,
        evidence: `${count} events with data, ${own} of the types session.start, user.message and assistant.message`,
      };
}

class CopilotCli implements Reading {
  readonly #draft: Draft;
  /** The conversation of each call, and whether its result was read. */
  readonly #calls = new Map<string, { draft: Draft; isDone: boolean }>();
  /** The call that began each agent. */
  readonly #agents = new Map<string, string>();
  readonly #titles = new Map<string, string>();
  /** Index in the history of each answer, by conversation and id. */
  readonly #answers = new Map<Draft, Map<string, number>>();
  /** Number of messages before each event of the main conversation. */
  readonly #events = new Map<string, number>();
  /** Pictures by the ids with which messages and results name them, as data URLs. */
  readonly #pictures = new Map<string, string>();
  #system: Fields | undefined;
  /** The index in the history of `#system`. */
  #place = 0;
  /** Number of messages at the start of an unfinished compaction. */
  #begun: number | undefined;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("openai-chat", keepsHistory);
  }

  passes(line: string): boolean {
    const kind = line.at(-1) === "}" ? PASSED.exec(line)?.[1] : undefined;
    if (kind === undefined) return false;
    this.#draft.skip(kind);
    return true;
  }

  add(record: unknown, place: number): void {
    const main = this.#draft;
    if (!isFields(record)) return main.skip("a value that is not an object");
    const type = text(record["type"]) ?? "a line without a type";
    const data = fields(record["data"]);
    const id = text(record["id"]);
    // Records the title of a beginning conversation.
    if (type === "subagent.started") this.#about(type, data);
    const draft = this.#conversation(record, data);
    if (id !== undefined && draft === main) this.#events.set(id, main.messages.length);
    if (type === "user.message") this.#user(draft, record, data, place);
    else if (type === "assistant.message") this.#assistant(draft, record, data, place);
    else if (type === "tool.execution_complete") this.#result(record, data, place);
    else if (type === "system.message" && draft === main) this.#prompt(data, place);
    else if (type === "session.compaction_complete") this.#compact(data, place);
    else if (type === "session.context_cleared") this.#clear(data, place);
    else if (type === "session.snapshot_rewind") this.#rewind(data, place);
    else if (type === "session.binary_asset") this.#asset(data);
    else {
      if (type !== "subagent.started") this.#about(type, data);
      if (type === "assistant.usage") this.#usage(draft, data);
      else if (type === "session.shutdown") this.#sums(data);
      else
        main.skip(
          type,
          type === "session.truncation" ? "what did not fit was left out of one request; the messages stay" : undefined,
        );
    }
  }

  /** Returns the conversation of an event: that of a sub-agent, or the main one. */
  #conversation(record: Fields, data: Fields): Draft {
    const agent = text(record["agentId"]);
    const call = text(data["parentToolCallId"]) ?? (agent === undefined ? undefined : this.#agents.get(agent));
    if (call === undefined && agent === undefined) return this.#draft;
    const id = call ?? agent!;
    const title = this.#titles.get(id);
    return this.#draft.chain(id, {
      kind: "subagent",
      ...(call !== undefined && { call }),
      ...(title !== undefined && { title }),
    });
  }

  #about(type: string, data: Fields): void {
    const { context } = data;
    if (type === "session.start" || type === "session.resume") {
      this.#draft.tell({
        id: text(data["sessionId"]),
        version: text(data["copilotVersion"]),
        cwd: text(fields(context)["cwd"]) ?? text(data["cwd"]),
        model: text(data["selectedModel"]) ?? text(data["model"]),
      });
    } else if (type === "session.model_change") this.#draft.tell({ model: text(data["newModel"]) });
    else if (type === "session.title_changed") this.#draft.tell({ title: text(data["title"]) });
    else if (type === "session.usage_info" || type === "session.truncation")
      this.#draft.tell({ window: number(data["tokenLimit"]) });
    else if (type === "session.compaction_start") this.#begun = this.#draft.messages.length;
    else if (type === "subagent.started") {
      const call = text(data["toolCallId"]) ?? text(data["parentToolCallId"]);
      const agent = text(data["agentId"]);
      const title = text(data["agentDisplayName"]) ?? text(data["agentName"]);
      if (call === undefined) return;
      if (agent !== undefined) this.#agents.set(agent, call);
      if (title !== undefined) this.#titles.set(call, title);
    }
  }

  /** The prompt is written again when it changes; the newest one is sent. */
  #prompt({ content, role }: Fields, place: number): void {
    if (typeof content !== "string") return this.#draft.skip("system.message");
    const message = { role: role === "developer" ? "developer" : "system", content };
    const draft = this.#draft;
    const kept = draft.compactions.at(-1)?.context;
    const at = this.#system === undefined ? -1 : (kept?.indexOf(this.#system) ?? -1);
    if (this.#system !== undefined && draft.messages[this.#place] === this.#system)
      draft.extend(this.#place, message, place);
    else if (this.#system === undefined) this.#place = draft.push(message, place);
    else draft.skip("repeated system.message", "the prompt was written again behind a compaction");
    if (at >= 0) kept![at] = message;
    this.#system = message;
  }

  #user(draft: Draft, record: Fields, data: Fields, place: number): void {
    const content = text(data["transformedContent"]) ?? data["content"];
    if (typeof content !== "string") return this.#draft.skip("user.message without a text");
    // Skills, other agents and the system write texts with the role user; the user types commands.
    const source = text(data["source"]);
    const isNote = source !== undefined && !/^(user|command)/.test(source);
    draft.push({ role: "user", content: this.#withPictures(content, data["attachments"]) }, place, {
      ...entryOf(record),
      ...(isNote && { injected: true }),
    });
  }

  #assistant(draft: Draft, record: Fields, data: Fields, place: number): void {
    const { content, toolRequests, messageId, reasoningText } = data;
    const calls = objects(toolRequests).flatMap(({ toolCallId, name, arguments: given }) => {
      if (typeof toolCallId !== "string") return [];
      return [
        {
          id: toolCallId,
          type: "function",
          function: {
            name: text(name) ?? "",
            arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
          },
        },
      ];
    });
    const words = typeof content === "string" ? content : "";
    if (text(reasoningText) !== undefined)
      this.#draft.skip("reasoningText", "headings for the screen, which are not sent back");
    if (draft === this.#draft) draft.tell({ model: text(data["model"]) });
    if (words === "" && calls.length === 0) return this.#draft.skip("assistant.message without content");
    for (const { id } of calls) if (!this.#calls.has(id)) this.#calls.set(id, { draft, isDone: false });
    const message = {
      role: "assistant",
      content: words === "" ? null : words,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    let answers = this.#answers.get(draft);
    if (!answers) this.#answers.set(draft, (answers = new Map()));
    const known = typeof messageId === "string" ? answers.get(messageId) : undefined;
    if (known !== undefined && known < draft.messages.length) return draft.extend(known, message, place);
    const index = draft.push(message, place, {
      ...entryOf(record),
      ...(typeof messageId === "string" && { id: messageId }),
    });
    if (typeof messageId === "string") answers.set(messageId, index);
  }

  /** Uses the first result: calls are completed again when a session is resumed. */
  #result(record: Fields, data: Fields, place: number): void {
    const { toolCallId, result, error, success } = data;
    const call = this.#calls.get(word(toolCallId));
    if (!call) return this.#draft.skip("tool.execution_complete", "the result of a call that no answer holds");
    if (call.isDone) return this.#draft.skip("repeated tool.execution_complete", "the call was completed before");
    call.isDone = true;
    const failure = text(fields(error)["message"]) ?? text(error);
    const content =
      text(fields(result)["content"]) ??
      (success === false ? failure : undefined) ??
      text(result) ??
      text(data["output"]) ??
      "";
    const { id: _, ...entry } = entryOf(record);
    const shown = this.#withPictures(content, fields(result)["binaryResultsForLlm"]);
    call.draft.push({ role: "tool", tool_call_id: toolCallId, content: shown }, place, entry);
  }

  /** The bytes of an attachment or a result, which the model received; events name them by id. */
  #asset({ assetId, mimeType, data }: Fields): void {
    const isPicture = typeof mimeType === "string" && mimeType.startsWith("image/");
    if (typeof assetId === "string" && isPicture && typeof data === "string")
      this.#pictures.set(assetId, `data:${mimeType};base64,${data}`);
    else this.#draft.skip("session.binary_asset", "bytes that are no picture");
  }

  /** Returns the text, followed by the pictures of a list of attachments or of binary results. */
  #withPictures(content: string, list: unknown): unknown {
    const urls = objects(list).flatMap(({ assetId, data, mimeType }) => {
      const inline = typeof data === "string" && word(mimeType).startsWith("image/");
      const url = this.#pictures.get(word(assetId)) ?? (inline ? `data:${word(mimeType)};base64,${data}` : undefined);
      return url === undefined ? [] : [url];
    });
    if (urls.length === 0) return content;
    const words = content === "" ? [] : [{ type: "text", text: content }];
    return [...words, ...urls.map((url) => ({ type: "image_url", image_url: { url } }))];
  }

  /** Keeps messages that arrived while the summary was written after it. */
  #compact(data: Fields, place: number): void {
    const draft = this.#draft;
    const summary = text(data["summaryContent"]);
    const begun = Math.min(this.#begun ?? draft.messages.length, draft.messages.length);
    this.#begun = undefined;
    if (data["success"] === false || summary === undefined)
      return draft.skip("session.compaction_complete", "it failed, or its summary is not in the file");
    let first = Math.max(begun, draft.compactions.at(-1)?.before ?? 0);
    while (fields(draft.messages[first])["role"] === "tool") first += 1;
    const kept = draft.messages.slice(first);
    const context = [
      ...(this.#system ? [this.#system] : []),
      { role: "user", content: summary },
      ...kept.filter((message) => message !== this.#system),
    ];
    draft.compact(place, context, {
      summary,
      tokensBefore: number(data["preCompactionTokens"]),
      tokensAfter: number(data["postCompactionTokens"]),
    });
    this.#answers.delete(draft);
    this.#events.clear();
  }

  #clear({ initialMessage }: Fields, place: number): void {
    const first = text(initialMessage);
    const context = [
      ...(this.#system ? [this.#system] : []),
      ...(first === undefined ? [] : [{ role: "user", content: first }]),
    ];
    this.#draft.compact(place, context);
    this.#answers.delete(this.#draft);
    this.#events.clear();
  }

  #rewind(data: Fields, place: number): void {
    const draft = this.#draft;
    const index = this.#events.get(text(data["upToEventId"]) ?? "");
    if (index === undefined || index >= draft.messages.length)
      return draft.skip("session.snapshot_rewind", "what was taken back is not in the file");
    const side = draft.chain(`rewind:${place}`, { kind: "branch" });
    draft.messages.slice(index).forEach((message, at) => side.push(message, draft.entries[index + at]!.places[0]!));
    draft.cut(index);
  }

  #usage(draft: Draft, { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, model }: Fields): void {
    const answer = draft.messages.findLastIndex((message) => fields(message)["role"] === "assistant");
    draft.report(answer, usageFrom(inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens), text(model));
  }

  /** Sums belong to a request only if there was exactly one. */
  #sums({ modelMetrics, currentModel }: Fields): void {
    if (this.#draft.about.model === undefined) this.#draft.tell({ model: text(currentModel) });
    const metrics = Object.entries(fields(modelMetrics)).map(
      ([model, value]) => ({ model, ...fields(value) }) as Fields,
    );
    const [only] = metrics;
    const count = number(fields(only?.["requests"])["count"]);
    if (metrics.length !== 1 || count !== 1)
      return this.#draft.skip("session.shutdown", "its sums are over all requests, not those of one");
    this.#usage(this.#draft, { ...fields(only!["usage"]), model: only!["model"] });
  }

  end(): Draft {
    return this.#draft;
  }
}

function entryOf({ id, timestamp }: Fields): { id?: string; time?: number } {
  const time = timeOf(timestamp);
  return { ...(typeof id === "string" && { id }), ...(time !== undefined && { time }) };
}

/** `inputTokens` includes tokens that were read from the cache and written to it. */
function usageFrom(input: unknown, read: unknown, written: unknown, output: unknown): ReturnType<typeof usageOf> {
  const total = number(input) ?? 0;
  const cacheRead = Math.min(number(read) ?? 0, total);
  const cacheWrite = Math.min(number(written) ?? 0, total - cacheRead);
  return usageOf({ input: total - cacheRead - cacheWrite, cacheRead, cacheWrite, output });
}
