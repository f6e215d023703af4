/**
 * Cline and Roo: `api_conversation_history.json`, a list of Anthropic's messages with `ts`, `modelInfo` and `metrics`;
 * and the files of Cline's newer CLI and SDK, `{version, sessionId, messages}`.
 *
 * Roo keeps all messages when it shortens a conversation: the messages that a summary or a cut replaced refer to it
 * (`condenseParent`, `truncationParent`), and are live again if it is gone. Cline records its cuts in other files.
 */

import { writeCline } from "./cline-write.ts";
import { ClineItems, inTexts, isEnvironment, isInjected, isResult } from "./cline-items.ts";
import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample, Stranger } from "./reader.ts";

export const cline: Reader = {
  layout: "cline",
  tool: "Cline or Roo",
  shapes: ["value"],
  marks: ["role", "content", "ts", "modelInfo", "metrics"],
  recognise: ({ records }) => (isHistory(records[0]) ? matchOf(records[0] as unknown[]) : undefined),
  read: (_, { keepsHistory }) => new Cline(keepsHistory),
  write: writeCline,
};

export const clineSession: Reader = {
  layout: "cline-session",
  tool: "Cline",
  shapes: ["value"],
  marks: ["version", "sessionId", "messages"],
  recognise: recogniseSession,
  read: (_, { keepsHistory }) => new Cline(keepsHistory),
  write: writeCline,
};

/** Recognises Cline's record of its panel. */
export const clinePanel: Stranger = ({ records: [list] }) => {
  const isPanel = (entry: Fields) =>
    (entry["type"] === "say" || entry["type"] === "ask") && ("say" in entry || "ask" in entry) && "ts" in entry;
  const entries = objects(list).slice(0, 20);
  if (entries.length === 0 || !entries.every(isPanel)) return undefined;
  return "is Cline's or Roo's record of what its panel shows (ui_messages.json); the conversation is in api_conversation_history.json in the same folder";
};

function isHistory(value: unknown): boolean {
  const isMessage = (item: unknown) => isFields(item) && (item["role"] === "user" || item["role"] === "assistant");
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isMessage(item) && ("content" in fields(item) || fields(item)["type"] === "reasoning"))
  );
}

/** Matches a list of API messages only if some field shows that it is Cline's. */
function matchOf(list: readonly unknown[]): Match | undefined {
  const stamped = objects(list).filter(
    (item) => typeof item["ts"] === "number" || isFields(item["modelInfo"]) || isFields(item["metrics"]),
  ).length;
  if (stamped > 0)
    return { count: 1, evidence: `a list of Anthropic messages, ${stamped} of them with ts, modelInfo or metrics` };
  const says = (words: string) => isEnvironment(words) || isResult(words) || undefined;
  const marked = objects(list).filter((item) => inTexts({ role: "user", content: item["content"] }, says)).length;
  return marked === 0
    ? undefined
    : {
        count: 1,
        evidence: `a list of Anthropic messages, ${marked} of them with environment_details or a text "[tool for …] Result:"`,
      };
}

function recogniseSession({ records }: Sample): Match | undefined {
  const { version, sessionId, messages } = fields(records[0]);
  if (version === undefined || typeof sessionId !== "string" || !isHistory(messages)) return undefined;
  return { count: 1, evidence: "an object with version, sessionId and messages of the Anthropic API" };
}

class Cline implements Reading {
  readonly #draft: Draft;
  readonly #messages = new ClineItems();
  /** The live messages, with the summary or cut that hides each. */
  #live: { message: unknown; hiddenBy: string | undefined }[] = [];

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("anthropic", keepsHistory);
  }

  add(record: unknown): void {
    const list = Array.isArray(record) ? record : items(fields(record)["messages"]);
    if (isFields(record)) {
      const { sessionId, title, version, systemPrompt, system_prompt: prompt, cwd } = record;
      const number = typeof version === "number" ? word(version) : text(version);
      this.#draft.tell({
        id: text(sessionId),
        title: text(title),
        version: number,
        system: text(systemPrompt) ?? text(prompt),
        cwd: text(cwd),
      });
    }
    const records = new Map<string, number>();
    list.forEach((item, place) => {
      const id = isRecord(item) ? idOf(item) : undefined;
      if (id !== undefined) records.set(id, place);
    });
    list.forEach((item, place) => this.#item(item, place, records));
  }

  #item(item: unknown, place: number, records: ReadonlyMap<string, number>): void {
    const message = this.#messages.read(item);
    if (!message || !isFields(item)) return this.#draft.skip(kindOf(item));
    const hiddenBy = [item["condenseParent"], item["truncationParent"]].find(
      (id) => typeof id === "string" && records.has(id),
    ) as string | undefined;
    if (isRecord(item)) return this.#compact(item, message, place, records);
    if (hiddenBy !== undefined && records.get(hiddenBy)! < place)
      return this.#draft.skip("hidden message", "an earlier summary or cut hides it");
    const time = timeOf(item["ts"]);
    const id = text(item["id"]);
    const index = this.#draft.push(message, place, {
      ...(time !== undefined && { time }),
      ...(id !== undefined && { id }),
      ...(isInjected(message) && { injected: true }),
    });
    this.#live.push({ message, hiddenBy });
    this.#about(item, index);
    if (message.role === "user" && !this.#draft.about.cwd) this.#draft.tell({ cwd: inTexts(message, folderOf) });
  }

  #about({ modelInfo, metrics }: Fields, index: number): void {
    const { modelId, id, providerId } = fields(modelInfo);
    const model = text(modelId) ?? text(id);
    this.#draft.tell({ model });
    if (isFields(metrics)) this.#draft.report(index, usage(metrics, providerId), model);
  }

  #compact(item: Fields, message: unknown, place: number, records: ReadonlyMap<string, number>): void {
    this.#live = this.#live.filter(({ hiddenBy }) => hiddenBy === undefined || records.get(hiddenBy)! > place);
    const { condenseParent, truncationParent } = item;
    const hiddenBy = [condenseParent, truncationParent].find((id) => typeof id === "string" && records.has(id)) as
      | string
      | undefined;
    this.#live.push({ message, hiddenBy });
    const words = item["isSummary"] === true ? wordsOf(item["content"]) : undefined;
    this.#draft.compact(
      place,
      this.#live.map((one) => one.message),
      words === undefined ? {} : { summary: words },
    );
  }

  end(): Draft {
    return this.#draft;
  }
}

function isRecord(item: unknown): item is Fields {
  return isFields(item) && (item["isSummary"] === true || item["isTruncationMarker"] === true);
}

function idOf(item: Fields): string | undefined {
  return text(item["condenseId"]) ?? text(item["truncationId"]);
}

function kindOf(item: unknown): string {
  return text(fields(item)["type"]) ?? (isFields(item) ? "an item without a message" : "a value that is not an object");
}

function wordsOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : objects(content)
        .map((block) => text(block["text"]) ?? "")
        .join("\n");
}

function folderOf(words: string): string | undefined {
  return /^# Current Work(?:ing|space) Directory \((.+)\) Files/m.exec(words)?.[1];
}

/** Reads usage. Of Cline's providers only the generic one for OpenAI's API includes cached tokens in its prompts. */
function usage(metrics: Fields, provider: unknown): ReturnType<typeof usageOf> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, tokens } = metrics;
  if (!isFields(tokens)) {
    const [input, cacheRead, cacheWrite] = [inputTokens, cacheReadTokens, cacheWriteTokens].map(
      (value) => number(value) ?? 0,
    ) as [number, number, number];
    // With a cache, uncached input is the smaller part: a larger number is the whole prompt.
    const cached = cacheRead + cacheWrite;
    return usageOf({ input: input >= cached ? input - cached : input, cacheRead, cacheWrite, output: outputTokens });
  }
  const [prompt, cached] = [number(tokens["prompt"]) ?? 0, number(tokens["cached"]) ?? 0];
  return usageOf({
    input: provider === "openai" && prompt >= cached ? prompt - cached : prompt,
    cacheRead: cached,
    output: tokens["completion"],
  });
}
