/**
 * The export of Copilot Chat's debug view: `chatreplay.json`, the requests as they were sent to the model.
 *
 * Every request of the agent repeats the conversation so far, so the newest one and its answer contain all of it. If it
 * contains a summary, the replaced messages are in the newest request without that summary. Other requests (titles,
 * summaries, sub-agents) are left out.
 */

import { Draft, fields, isFields, items, number, objects, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";
import { tokens } from "./vscode-chat.ts";

/** `ChatRole`, and the kinds of parts that carry text and cache breakpoints. */
const [USER, ASSISTANT, TOOL] = [1, 2, 3];
const [TEXT, CACHE] = [1, 3];

export const copilotReplay: Reader = {
  layout: "copilot-replay",
  tool: "Copilot Chat (debug export)",
  shapes: ["value"],
  marks: ["prompts", "exportedAt", "totalPrompts", "totalLogEntries"],
  recognise,
  read: (_, { keepsHistory }) => new CopilotReplay(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const requests = logsOf(records[0]).filter(isRequest).length;
  return requests === 0
    ? undefined
    : { count: 1, evidence: `${requests} log entries of the kind request with requestMessages` };
}

/** Returns the log entries of a file with many prompts, or with one. */
function logsOf(file: unknown): readonly Fields[] {
  const { prompts, logs } = fields(file);
  return Array.isArray(prompts) ? objects(prompts).flatMap((prompt) => objects(prompt["logs"])) : objects(logs);
}

function isRequest(entry: Fields): boolean {
  return entry["kind"] === "request" && Array.isArray(messagesOf(entry));
}

function messagesOf(entry: Fields): unknown {
  const { requestMessages } = entry;
  return Array.isArray(requestMessages) ? requestMessages : fields(requestMessages)["messages"];
}

class CopilotReplay implements Reading {
  readonly #draft: Draft;

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("raw", keepsHistory);
  }

  add(record: unknown): void {
    const logs = logsOf(record);
    const name = mainName(logs);
    const requests = logs.flatMap((entry, place) =>
      isRequest(entry) && entry["name"] === name ? [{ entry, place, messages: rawMessages(entry) }] : [],
    );
    const last = requests.at(-1);
    for (const entry of logs) {
      if (!isRequest(entry))
        this.#draft.skip(text(entry["kind"]) ?? "an entry without a kind", "what the debug view shows of the requests");
      else if (entry["name"] !== name)
        this.#draft.skip(`request ${text(entry["name"]) ?? "without a name"}`, "not a request of the agent itself");
      else if (entry !== last?.entry) this.#draft.skip("earlier request", "the newest one repeats it");
    }
    if (last) this.#read(last, requests, logs);
  }

  #read(last: Request, requests: readonly Request[], logs: readonly Fields[]): void {
    const { messages, entry, place } = last;
    const at = messages.findLastIndex((message) => isSummary(message));
    const summary = at < 0 ? undefined : keyOf(messages[at]!);
    const isBefore = (one: Request) =>
      one !== last && !one.messages.some((message) => isSummary(message) && keyOf(message) === summary);
    const earlier = summary === undefined ? undefined : requests.findLast(isBefore);
    if (earlier) this.#replaced(earlier, last, at, requests, logs);
    else this.#push(messages, place);
    this.#usage(requests, last, this.#draft.messages.length - messages.length);
    const answer = this.#answer(last, logs);
    if (answer !== undefined) this.#report(last, answer);
    const { model, maxPromptTokens, maxResponseTokens, tools } = fields(entry["metadata"]);
    const prompt = number(maxPromptTokens);
    this.#draft.tell({
      model: text(model),
      window: prompt === undefined ? undefined : prompt + (number(maxResponseTokens) ?? 0),
      ...(items(tools).length > 0 && { tools: [...items(tools)] }),
    });
  }

  /** Pushes the messages that a summary replaced, and those after the summary. */
  #replaced(
    earlier: Request,
    last: Request,
    summary: number,
    requests: readonly Request[],
    logs: readonly Fields[],
  ): void {
    this.#push(earlier.messages, earlier.place);
    this.#usage(requests, earlier, 0);
    const known = new Map(earlier.messages.map((message) => [keyOf(message), message]));
    const answer = this.#answer(earlier, logs);
    if (answer !== undefined) this.#report(earlier, answer);
    const context = last.messages.slice(0, summary + 1);
    let at = summary + 1;
    // The user's newest request is repeated after the summary.
    for (; at < last.messages.length; at++) {
      const kept = known.get(keyOf(last.messages[at]!));
      if (!kept) break;
      context.push(kept);
    }
    const words = wordsOf(last.messages[summary]!)
      .replace(/^\s*<conversation-summary>\n?/, "")
      .replace(/\n?<\/conversation-summary>\s*$/, "");
    this.#draft.compact(last.place, context, { summary: words });
    this.#push(last.messages.slice(at), last.place);
  }

  #push(messages: readonly Fields[], place: number): void {
    const hasRequests = messages.some(
      (message) => message["role"] === USER && wordsOf(message).includes("<userRequest>"),
    );
    for (const message of messages) {
      const isInjected =
        message["role"] === USER &&
        (hasRequests ? !wordsOf(message).includes("<userRequest>") : isEnvironment(wordsOf(message)));
      this.#draft.push(message, place, isInjected ? { injected: true } : {});
    }
  }

  /** Pushes the answer to a request, with the following calls in the log and their results. */
  #answer({ entry, place }: Request, logs: readonly Fields[]): number | undefined {
    const { message, type } = fields(entry["response"]);
    if (type !== undefined && type !== "success") this.#draft.skip(`response/${word(type)}`, "the request failed");
    const words =
      typeof message === "string"
        ? message
        : items(message)
            .filter((piece) => typeof piece === "string")
            .join("");
    const calls: Fields[] = [];
    for (let at = place + 1; at < logs.length && !isRequest(logs[at]!); at++) {
      const entry = logs[at]!;
      if (entry["kind"] === "toolCall" && text(entry["id"]) !== undefined) calls.push(entry);
    }
    if (words === "" && calls.length === 0) return undefined;
    const toolCalls = calls.map(({ id, tool, args = {} }) => {
      return {
        id,
        type: "function",
        function: { name: text(tool) ?? "", arguments: typeof args === "string" ? args : JSON.stringify(args) },
      };
    });
    const content = words === "" ? [] : [{ type: TEXT, text: words }];
    const time = timeOf(fields(entry["metadata"])["endTime"]);
    const answer = this.#draft.push(
      { role: ASSISTANT, content, ...(toolCalls.length > 0 && { toolCalls }) },
      place,
      time === undefined ? {} : { time },
    );
    for (const { id, response } of calls) {
      if (response === undefined) continue;
      const pieces = typeof response === "string" ? [response] : items(response);
      const result = pieces.map((piece) => (typeof piece === "string" ? piece : JSON.stringify(piece))).join("");
      this.#draft.push({ role: TOOL, toolCallId: id, content: [{ type: TEXT, text: result }] }, place);
    }
    return answer;
  }

  /** Reads usage of earlier requests: if the newest request repeats one, the next message is its answer. */
  #usage(requests: readonly Request[], last: Request, shift: number): void {
    for (const request of requests) {
      const { length } = request.messages;
      const answer = last.messages[length];
      if (request === last || length === 0 || length + shift < 0 || answer?.["role"] !== ASSISTANT) continue;
      const isRepeated = keyOf(request.messages[length - 1]!) === keyOf(last.messages[length - 1]!);
      if (isRepeated) this.#report(request, length + shift);
    }
  }

  #report({ entry }: Request, answer: number): void {
    const { usage, model } = fields(entry["metadata"]);
    if (isFields(usage)) this.#draft.report(answer, tokens(usage), text(model));
  }

  end(): Draft {
    return this.#draft;
  }
}

interface Request {
  entry: Fields;
  place: number;
  messages: readonly Fields[];
}

function rawMessages(entry: Fields): readonly Fields[] {
  return objects(messagesOf(entry)).filter(({ role }) => number(role) !== undefined);
}

/** Returns the name of the agent's own requests: of the panel's if there are any, that of the longest one. */
function mainName(logs: readonly Fields[]): unknown {
  const requests = logs.filter(isRequest);
  const panel = requests.filter(({ name }) => /^panel\/|agent$/i.test(text(name) ?? ""));
  let best: { name: unknown; length: number } | undefined;
  for (const entry of panel.length > 0 ? panel : requests) {
    const { length } = rawMessages(entry);
    if (!best || length >= best.length) best = { name: entry["name"], length };
  }
  return best?.name;
}

function wordsOf({ content }: Fields): string {
  return typeof content === "string"
    ? content
    : objects(content)
        .map((part) => text(part["text"]) ?? "")
        .join("\n");
}

function isSummary(message: Fields): boolean {
  return message["role"] === USER && /^\s*<conversation-summary>/.test(wordsOf(message));
}

function isEnvironment(words: string): boolean {
  return /^\s*<(environment_info|workspace_info|conversation-summary|repoMemory|userMemory|sessionMemory)>/.test(words);
}

/** Returns a key that identifies a message. Cache breakpoints move from request to request. */
function keyOf(message: Fields): string {
  return JSON.stringify([
    message["role"],
    message["toolCallId"],
    objects(message["content"]).filter(({ type }) => type !== CACHE),
  ]);
}
