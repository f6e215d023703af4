/**
 * Copilot Chat in VS Code: the export of a chat, and `chatSessions/*.json`.
 *
 * A request of the user contains its turn twice: `response` is shown in the panel; `result.metadata` was sent to the
 * model and received from it, round by round. The reader uses the second, and the first only if there is no second. A
 * summary belongs to the last round that it covers, and may be recorded in the metadata of a later request.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";
import { renderedText } from "./rendered-tree.ts";

/** `ChatRole` and the kinds of parts of the renderer's raw messages. */
const [USER, ASSISTANT, TOOL] = [1, 2, 3];
const [IMAGE, TEXT, OPAQUE] = [0, 1, 2];

export const TOOL_NAME = "Copilot Chat in VS Code";

export const vscodeChat: Reader = {
  layout: "vscode-chat",
  tool: TOOL_NAME,
  shapes: ["value"],
  marks: ["requests", "responderUsername", "requesterUsername", "initialLocation", "sessionId", "creationDate"],
  recognise,
  read: (_, { keepsHistory }) => new VSCodeChat(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  return isChat(records[0])
    ? { count: 1, evidence: "a list requests with message and response, as VS Code stores and exports chats" }
    : undefined;
}

/** Returns true for the state of a chat. */
export function isChat(value: unknown): value is Fields {
  if (!isFields(value) || !Array.isArray(value["requests"])) return false;
  const isNamed = typeof value["responderUsername"] === "string" || ("sessionId" in value && "creationDate" in value);
  const isTurn = (request: Fields) =>
    "message" in request && ("response" in request || "result" in request || "requestId" in request);
  return isNamed || objects(value["requests"]).some(isTurn);
}

class VSCodeChat implements Reading {
  readonly #keepsHistory: boolean;
  #draft: Draft;

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
    this.#draft = new Draft("raw", keepsHistory);
  }

  add(record: unknown): void {
    this.#draft = readChat(fields(record), this.#keepsHistory, { ofRequest: (_, at) => at, ofResult: (_, at) => at });
  }

  end(): Draft {
    return this.#draft;
  }
}

/** The places of a request and its result in the file. */
export interface Places {
  ofRequest(request: Fields, index: number): number;
  ofResult(request: Fields, index: number): number;
}

/** Reads the state of a chat. */
export function readChat(state: Fields, keepsHistory: boolean, places: Places): Draft {
  const draft = new Draft("raw", keepsHistory);
  const requests = items(state["requests"]);
  draft.tell({
    id: text(state["sessionId"]),
    title: text(state["customTitle"]),
    cwd: folder(state["workingDirectory"]),
  });
  const chat = new Chat(draft, summariesOf(requests), places);
  requests.forEach((request, index) => {
    if (isFields(request)) chat.request(request, index);
    else draft.skip("a request that is no object");
  });
  return draft;
}

/** Returns summaries by the last round that they cover. */
function summariesOf(requests: readonly unknown[]): Map<string, string> {
  const summaries = new Map<string, string>();
  for (const request of objects(requests)) {
    const { summary, summaries: several } = metadataOf(request);
    for (const one of [summary, ...items(several)]) {
      const { toolCallRoundId: round, text: words } = fields(one);
      if (text(round) !== undefined && text(words) !== undefined) summaries.set(word(round), word(words));
    }
  }
  return summaries;
}

class Chat {
  readonly #draft: Draft;
  readonly #summaries: ReadonlyMap<string, string>;
  readonly #places: Places;
  /** Environment and workspace: sent once, before everything else. */
  #context: unknown;

  constructor(draft: Draft, summaries: ReadonlyMap<string, string>, places: Places) {
    this.#draft = draft;
    this.#summaries = summaries;
    this.#places = places;
  }

  request(request: Fields, index: number): void {
    const metadata = metadataOf(request);
    const isUndone =
      isFields(request["shouldBeRemovedOnSend"]) ||
      request["shouldBeRemovedOnSend"] === true ||
      request["isHidden"] === true;
    const draft = isUndone
      ? this.#draft.chain("undone", { kind: "branch", title: "requests that were undone" })
      : this.#draft;
    const place = this.#places.ofRequest(request, index);
    const time = timeOf(request["timestamp"]);
    const about = { time, id: text(request["requestId"]) };
    this.#draft.tell({
      version: text(fields(request["agent"])["extensionVersion"]),
      model: modelOf(request, metadata),
    });
    const global = rawParts(metadata["renderedGlobalContext"]);
    if (global.length > 0) this.#global(global, place);
    const rendered = rawParts(metadata["renderedUserMessage"]);
    const asked = rendered.length > 0 ? rendered : rawParts(wordsOf(request["message"]));
    if (asked.length > 0) draft.push({ role: USER, content: asked }, place, known(about));
    const answer =
      this.#rounds(draft, request, metadata, this.#places.ofResult(request, index)) ??
      this.#shown(draft, request, place);
    if (answer !== undefined) report(draft, answer, request, metadata);
    const { errorDetails } = fields(request["result"]);
    if (isFields(errorDetails)) draft.skip("error", "an error that the panel showed");
  }

  #global(content: unknown[], place: number): void {
    if (this.#context) return this.#draft.skip("renderedGlobalContext", "it is sent once, as the first request has it");
    const message = { role: USER, content };
    this.#context = message;
    this.#draft.push(message, place, { injected: true });
  }

  /** Pushes the rounds of a turn and returns the index of the last answer; nothing if the file has none. */
  #rounds(draft: Draft, request: Fields, metadata: Fields, place: number): number | undefined {
    const results = fields(metadata["toolCallResults"]);
    let answer: number | undefined;
    objects(metadata["toolCallRounds"]).forEach((round, number) => {
      const calls = objects(round["toolCalls"]).map((call, at) => {
        const id =
          text(call["id"]) ?? `${text(round["id"]) ?? `${text(request["requestId"]) ?? "round"}:${number}`}:${at}`;
        const given = call["arguments"] ?? {};
        return {
          id,
          name: text(call["name"]) ?? "",
          arguments: typeof given === "string" ? given : JSON.stringify(given),
        };
      });
      const content = [...thinking(round["thinking"]), ...rawParts(round["response"])];
      if (content.length > 0 || calls.length > 0) {
        const toolCalls = calls.map(({ id, ...call }) => ({ id, type: "function", function: call }));
        const more = known({ time: timeOf(round["timestamp"]), id: text(round["id"]) });
        answer = draft.push({ role: ASSISTANT, content, ...(toolCalls.length > 0 && { toolCalls }) }, place, more);
        reportRound(draft, answer, round);
      }
      for (const { id } of calls) {
        const result = Object.hasOwn(results, id) ? results[id] : undefined;
        if (result !== undefined) draft.push({ role: TOOL, toolCallId: id, content: this.#result(result) }, place);
      }
      const own = text(round["summary"]) ?? text(fields(round["summary"])["text"]);
      const summary = own ?? this.#summaries.get(text(round["id"]) ?? "");
      if (summary === undefined) return;
      const message = {
        role: USER,
        content: [{ type: TEXT, text: `<conversation-summary>\n${summary}\n</conversation-summary>` }],
      };
      draft.compact(place, [...(this.#context && draft === this.#draft ? [this.#context] : []), message], {
        summary,
      });
      answer = undefined;
    });
    for (const part of answer === undefined ? [] : objects(request["response"])) {
      this.#draft.skip(`response/${text(part["kind"]) ?? "markdown"}`, "what the panel shows of the rounds");
    }
    return answer;
  }

  #result(result: unknown): unknown[] {
    if (typeof result === "string") return [{ type: TEXT, text: result }];
    return items(fields(result)["content"]).flatMap((part): Fields[] => {
      const { value, mimeType, data, type, text: words } = fields(part);
      if (typeof value === "string") return [{ type: TEXT, text: value }];
      if (isFields(value) && "node" in value) return [{ type: TEXT, text: renderedText(value["node"]) }];
      const image = typeof mimeType === "string" && mimeType.startsWith("image/") ? base64(data) : undefined;
      if (image !== undefined) return [{ type: IMAGE, imageUrl: { url: `data:${word(mimeType)};base64,${image}` } }];
      if (typeof words === "string" && (type === undefined || type === TEXT || type === "text"))
        return [{ type: TEXT, text: words }];
      this.#draft.skip("data in a tool result", "neither a text nor an image whose bytes are in the file");
      return [];
    });
  }

  /** Pushes the shown text of an answer, for requests without metadata. */
  #shown(draft: Draft, request: Fields, place: number): number | undefined {
    const words =
      typeof request["response"] === "string"
        ? request["response"]
        : items(request["response"])
            .map((part) => this.#part(part))
            .join("");
    if (words.trim() === "" || objects(metadataOf(request)["toolCallRounds"]).length > 0) return undefined;
    return draft.push(
      { role: ASSISTANT, content: [{ type: TEXT, text: words }] },
      place,
      known({ id: text(request["responseId"]) }),
    );
  }

  #part(part: unknown): string {
    const { kind, value, content } = fields(part);
    const words = (held: unknown) => (typeof held === "string" ? held : (text(fields(held)["value"]) ?? ""));
    if (typeof part === "string") return part;
    if (kind === undefined || kind === "markdownContent" || kind === "markdownVuln")
      return words(value) || words(content);
    // The name is part of a sentence.
    if (kind === "inlineReference") return nameOf(fields(part));
    const isCall = kind === "toolInvocationSerialized";
    const why = isCall
      ? "how the panel shows a call; the file has neither its arguments nor its result"
      : "part of the panel only";
    this.#draft.skip(`response/${word(kind)}`, why);
    return "";
  }
}

function metadataOf(request: Fields): Fields {
  const result = fields(request["result"]);
  return isFields(result["metadata"]) ? result["metadata"] : result;
}

function modelOf(request: Fields, metadata: Fields): string | undefined {
  return text(metadata["resolvedModel"]) ?? text(request["modelId"])?.replace(/^copilot\//, "");
}

/** Returns parts as the renderer writes them; texts without a type are text parts. */
function rawParts(value: unknown): unknown[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: TEXT, text: value }];
  return objects(value).flatMap((part) => {
    if (number(part["type"]) !== undefined) return [part];
    return typeof part["text"] === "string" ? [{ type: TEXT, text: part["text"] }] : [];
  });
}

function wordsOf(message: unknown): unknown {
  if (typeof message === "string") return message;
  return (
    text(fields(message)["text"]) ??
    objects(fields(message)["parts"])
      .map((part) => text(part["text"]) ?? "")
      .join("")
  );
}

function thinking(value: unknown): unknown[] {
  if (typeof value === "string")
    return value === "" ? [] : [{ type: OPAQUE, value: { type: "thinking", thinking: { text: value } } }];
  const { text: words, encrypted } = fields(value);
  const has = (Array.isArray(words) ? words.length > 0 : text(words) !== undefined) || text(encrypted) !== undefined;
  return has ? [{ type: OPAQUE, value: { type: "thinking", thinking: value } }] : [];
}

function base64(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  const { $base64: encoded, data: inner } = fields(data);
  return text(encoded) ?? text(inner);
}

/** Returns the name of a file or symbol as in the answer: in backticks. */
function nameOf({ name, inlineReference }: Fields): string {
  const target = fields(inlineReference);
  const uri = isFields(target["uri"]) ? target["uri"] : fields(fields(target["location"])["uri"] ?? target);
  const path = text(uri["path"]) ?? text(uri["fsPath"]) ?? "";
  const words = text(name) ?? text(target["name"]) ?? path.replace(/\/$/, "").split(/[/\\]/).at(-1)!;
  return words === "" ? "" : `\`${words}\``;
}

function folder(uri: unknown): string | undefined {
  const path = text(uri) ?? text(fields(uri)["fsPath"]) ?? text(fields(uri)["path"]);
  if (path === undefined || !path.startsWith("file://")) return path;
  try {
    return decodeURIComponent(path.slice("file://".length));
  } catch {
    // The path contains a stray per cent sign.
    return path.slice("file://".length);
  }
}

/** Reports the usage of a round, in versions that record it. */
function reportRound(draft: Draft, answer: number, { usage, modelId }: Fields): void {
  if (isFields(usage)) draft.report(answer, tokens(usage), text(modelId));
}

/** Reports the usage of the last request of a turn. */
function report(draft: Draft, answer: number, request: Fields, metadata: Fields): void {
  const { promptTokens, outputTokens } = metadata;
  const found = [
    { promptTokens, completionTokens: outputTokens },
    fields(metadata["usage"]),
    fields(fields(request["result"])["usage"]),
    fields(request["usage"]),
    { promptTokens: request["promptTokens"], completionTokens: request["completionTokens"] },
  ].find((usage) => tokens(usage).promptTotal > 0);
  if (found && draft.usage.at(-1)?.answer !== answer) draft.report(answer, tokens(found), modelOf(request, metadata));
}

/** Prompts are reported including tokens from the cache. */
export function tokens(usage: Fields): ReturnType<typeof usageOf> {
  const prompt = number(usage["promptTokens"] ?? usage["prompt_tokens"]) ?? 0;
  const cacheRead = Math.min(prompt, number(fields(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0);
  const reasoning = fields(usage["completion_tokens_details"])["reasoning_tokens"];
  return usageOf({
    input: prompt - cacheRead,
    cacheRead,
    output: usage["completionTokens"] ?? usage["completion_tokens"],
    reasoning,
  });
}

function known(values: { time?: number | undefined; id?: string | undefined }): { time?: number; id?: string } {
  return {
    ...(values.time !== undefined && { time: values.time }),
    ...(values.id !== undefined && { id: values.id }),
  };
}
