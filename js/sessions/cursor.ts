/**
 * Cursor: the records of a chat in its database, exported as JSON. The entry `composerData` lists the bubbles of a chat
 * in order; a bubble is a request of the user, or a text, a thought or a tool of the answer. Rows `{key, value}`,
 * objects by key, and bubbles beside or within `composerData` are all accepted. Transcripts have lines of their own.
 */

import { inputOf, textBlock } from "./anthropic-blocks.ts";
import { CursorTranscript, recogniseTranscript } from "./cursor-transcript.ts";
import { Draft, fields, isFields, items, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

/** Types of bubbles. */
const [USER, ASSISTANT] = [1, 2];
/** Max depth of entries; deeper objects belong to them. */
const DEPTH = 5;

export const cursor: Reader = {
  layout: "cursor",
  tool: "Cursor",
  shapes: ["value", "lines"],
  marks: ["composerId", "fullConversationHeadersOnly", "conversation", "bubbles"],
  recognise: (sample) => recognise(sample) ?? recogniseTranscript(sample),
  read: (sample, { keepsHistory }) =>
    !recognise(sample) && recogniseTranscript(sample) ? new CursorTranscript(keepsHistory) : new Cursor(keepsHistory),
};

function recognise({ records, shape }: Sample): Match | undefined {
  const found = new Entries();
  for (const record of records) found.add(record);
  const { size } = found.bubbles;
  if (
    found.composers.length === 0 ||
    (size === 0 && found.composers.every((one) => items(one["conversation"]).length === 0))
  )
    return undefined;
  return {
    count: shape === "lines" ? records.length : 1,
    evidence: `composerData with a list of bubbles, and ${size} bubbles`,
  };
}

/** Chats and bubbles of an export. */
class Entries {
  readonly composers: Fields[] = [];
  readonly bubbles = new Map<string, Fields>();

  add(value: unknown, key = "", depth = 0): void {
    if (depth > DEPTH) return;
    if (typeof value === "string") {
      if (/^(composerData|bubbleId):/.test(key)) this.add(parsed(value), key, depth);
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) this.add(item, "", depth + 1);
      return;
    }
    if (!isFields(value)) return;
    const { key: name, value: held } = value;
    if (typeof name === "string" && held !== undefined) return this.add(held, name, depth);
    const isComposer =
      Array.isArray(value["fullConversationHeadersOnly"]) ||
      (Array.isArray(value["conversation"]) && "composerId" in value);
    if (isComposer) this.composers.push(value);
    else if (isBubble(value)) return void this.bubbles.set(text(value["bubbleId"]) ?? key.split(":").at(-1)!, value);
    for (const [field, item] of Object.entries(value)) {
      // Headers name bubbles, but are not bubbles.
      if (typeof item === "object" && field !== "fullConversationHeadersOnly") this.add(item, field, depth + 1);
      else if (typeof item === "string") this.add(item, field, depth + 1);
    }
  }
}

function isBubble(value: Fields): boolean {
  const isTyped = value["type"] === USER || value["type"] === ASSISTANT;
  return (
    isTyped && ["text", "toolFormerData", "thinking", "richText", "allThinkingBlocks"].some((name) => name in value)
  );
}

function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    // A truncated value counts as missing.
    return undefined;
  }
}

class Cursor implements Reading {
  readonly #keepsHistory: boolean;
  readonly #entries = new Entries();

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown): void {
    this.#entries.add(record);
  }

  end(): Draft | Draft[] {
    const { composers, bubbles } = this.#entries;
    const drafts = composers.map((composer) =>
      new Composer(new Draft("anthropic", this.#keepsHistory), bubbles).read(composer),
    );
    const whole = drafts.filter(({ messages, compactions }) => messages.length + compactions.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? drafts[0] ?? new Draft("anthropic"));
  }
}

/** An answer of the model: its content, and the results of its calls. */
interface Answer {
  content: Fields[];
  results: Fields[];
  place: number;
  id: string | undefined;
  time: number | undefined;
  model: string | undefined;
  usage: Fields;
  /** The request to the model that made its last call. */
  call: string | undefined;
}

class Composer {
  readonly #draft: Draft;
  readonly #bubbles: ReadonlyMap<string, Fields>;
  /** The answer that is being assembled, and the results of its calls. */
  #answer: Answer | undefined;

  constructor(draft: Draft, bubbles: ReadonlyMap<string, Fields>) {
    this.#draft = draft;
    this.#bubbles = bubbles;
  }

  read(composer: Fields): Draft {
    const { composerId, name, modelConfig, workspaceIdentifier, contextTokenLimit, _v: version } = composer;
    const uri = fields(fields(workspaceIdentifier)["uri"]);
    const title = text(name);
    this.#draft.tell({
      id: text(composerId),
      title,
      model: text(fields(modelConfig)["modelName"]),
      cwd: text(uri["fsPath"]) ?? text(uri["path"]),
      window: number(contextTokenLimit),
      version: word(version) || undefined,
    });
    this.#draft.label = title ?? text(composerId) ?? "";
    const { summary: held, truncationLastBubbleIdInclusive: last } = fields(composer["latestConversationSummary"]);
    const summary = text(held) ?? text(fields(held)["summary"]);
    const headers = items(composer["fullConversationHeadersOnly"]);
    (headers.length > 0 ? headers : items(composer["conversation"])).forEach((header, place) => {
      const id = text(fields(header)["bubbleId"]);
      const bubble =
        (id === undefined ? undefined : this.#bubbles.get(id)) ??
        (isFields(header) && isBubble(header) ? header : undefined);
      if (bubble) this.#bubble(bubble, fields(header)["type"] ?? bubble["type"], place, id);
      else this.#draft.skip("bubble", "the file lists it, but does not hold it");
      if (summary === undefined || id === undefined || id !== last) return;
      this.#flush();
      this.#draft.compact(place, [{ role: "user", content: summary }], { summary });
    });
    this.#flush();
    return this.#draft;
  }

  #bubble(bubble: Fields, type: unknown, place: number, id: string | undefined): void {
    const words = text(bubble["text"]);
    const time = timeOf(bubble["createdAt"]);
    if (type === USER) {
      this.#flush();
      if (words === undefined) return this.#draft.skip("a request without text");
      return void this.#draft.push({ role: "user", content: words }, place, {
        ...(id !== undefined && { id }),
        ...(time !== undefined && { time }),
      });
    }
    if (type !== ASSISTANT) return this.#draft.skip(`bubble of the type ${word(type).slice(0, 20)}`);
    const { toolFormerData: data, modelInfo, tokenCount } = bubble;
    const call =
      isFields(data) && (text(data["name"]) !== undefined || text(data["toolCallId"]) !== undefined) ? data : undefined;
    const thoughts = isFields(bubble["thinking"]) ? [bubble["thinking"]] : objects(bubble["allThinkingBlocks"]);
    const thinking = thoughts.flatMap(({ text: thought, signature }): Fields[] => {
      if (typeof thought !== "string" || thought === "") return [];
      return [{ type: "thinking", thinking: thought, ...(text(signature) !== undefined && { signature }) }];
    });
    if (thinking.length === 0 && words === undefined && !call) return this.#draft.skip("an empty bubble");
    const model = text(fields(modelInfo)["modelName"]);
    const modelCall = text(call?.["modelCallId"]);
    const isAlone = thinking.length === 0 && words === undefined;
    const isParallel = isAlone && modelCall !== undefined && modelCall === this.#answer?.call;
    // An answer ends after its calls, unless the next call belongs to the same answer.
    if (this.#answer?.content.some((block) => block["type"] === "tool_use") && !isParallel) this.#flush();
    this.#answer ??= { content: [], results: [], place, id, time, model, usage: {}, call: undefined };
    this.#answer.content.push(...thinking, ...(words === undefined ? [] : [textBlock(words)]));
    if (isFields(tokenCount)) this.#answer.usage = tokenCount;
    if (call) this.#call(call, id ?? `bubble-${place}`, modelCall);
  }

  #call(data: Fields, bubble: string, modelCall: string | undefined): void {
    const answer = this.#answer!;
    answer.call = modelCall;
    // OpenAI's ids of the call and of the item, on two lines.
    const id = text(data["toolCallId"])?.split("\n")[0] ?? bubble;
    const name = text(data["name"]) ?? word(data["tool"] ?? "");
    answer.content.push({ type: "tool_use", id, name, input: inputOf(data["rawArgs"], data["params"]) });
    const { result, error, status } = data;
    const value = result ?? error ?? (status === "completed" ? "" : undefined);
    if (value === undefined || value === null) return;
    const content = typeof value === "string" ? value : JSON.stringify(value);
    answer.results.push({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(status === "error" && { is_error: true }),
    });
  }

  #flush(): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return;
    const { content, results, place, id, time, model, usage } = answer;
    const index = this.#draft.push({ role: "assistant", content }, place, {
      ...(id !== undefined && { id }),
      ...(time !== undefined && { time }),
    });
    this.#draft.tell({ model });
    this.#draft.report(
      index,
      usageOf({ input: usage["inputTokens"], output: usage["outputTokens"] }),
      model ?? this.#draft.about.model,
    );
    if (results.length > 0) this.#draft.push({ role: "user", content: results }, place);
  }
}
