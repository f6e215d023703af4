/**
 * A conversation of any format as turns that every writer can say: words, pictures, documents, calls; results in turns
 * of their own right behind the calls. What only one provider understands is told as lost.
 */

import { readConversation, sourceOf } from "./index.ts";
import { asSent } from "./adapter.ts";
import { listedTools, requestTools } from "./tools.ts";
import type { Format, NeutralMessage, NeutralTool, Part } from "../types/messages.ts";
import type { ProviderEvent, RequestOptions } from "../providers/types.ts";
import { isFields } from "./values.ts";
import { append } from "./append.ts";

export type Text = { type: "text"; text: string };
/** A picture or document: base64, or where it is. */
export type Media = { type: "image" | "document"; mediaType: string; base64?: string; url?: string; detail?: string };
/** `arguments` is JSON text. */
export type Call = { type: "call"; id: string; name: string; arguments: string };
export type Result = { type: "result"; id: string; name: string; content: (Text | Media)[]; isError: boolean };

export type Turn =
  | { role: "system" | "user"; content: (Text | Media)[]; marked: boolean }
  | { role: "assistant"; content: (Text | Media | Call)[]; marked: boolean }
  | { role: "tool"; results: Result[]; marked: boolean };

/** What a writer is given. */
export interface Conversation {
  /** The host's own request or list of messages, if it is in the writer's format. */
  native?: { list: readonly unknown[] } | { request: Readonly<Record<string, unknown>> };
  /** The conversation to be written, if it is not. */
  turns: Turn[];
  /** Definitions as they were given, and as read. */
  rawTools: readonly unknown[];
  tools: NeutralTool[];
  options: RequestOptions;
  model: string;
  tell(event: ProviderEvent): void;
}

/** Reads what the host passed for a writer of `format`. */
export function conversation(
  messages: unknown,
  format: Format,
  model: string,
  options: RequestOptions,
  tell: (event: ProviderEvent) => void,
  isOwn: (list: readonly unknown[]) => boolean = () => true,
): Conversation {
  const given = options.tools ?? undefined;
  const asked = { ...(options.format && { format: options.format }), ...(given !== undefined && { tools: given }) };
  const reading = readConversation(messages, asked);
  const request = isFields(messages) ? messages : undefined;
  const rawTools = (given && listedTools(given)) ?? (request && requestTools(request)) ?? [];
  const about = { rawTools, tools: reading.tools, options, model, tell };
  const list = request ? request["messages"] : messages;
  if (
    (reading.format === format && (!Array.isArray(list) || isOwn(list))) ||
    (format === "anthropic" && options.format === undefined && isPlain(messages))
  ) {
    const own = asSent(reading);
    return {
      ...about,
      turns: [],
      native: request ? { request: own as Record<string, unknown> } : { list: own as readonly unknown[] },
    };
  }
  return { ...about, turns: turnsOf(reading.messages, tell) };
}

/**
 * Words alone look the same in both: then they are Anthropic's as much as OpenAI's, and stay the caller's own objects.
 */
function isPlain(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every(
      (message: unknown) =>
        isFields(message) &&
        (message["role"] === "user" || message["role"] === "assistant") &&
        typeof message["content"] === "string" &&
        message["content"].trim() !== "" &&
        Object.keys(message).length === 2,
    )
  );
}

function turnsOf(messages: readonly NeutralMessage[], tell: (event: ProviderEvent) => void): Turn[] {
  const names = new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "toolCall" ? [[part.callId, part.name] as const] : [])),
    ),
  );
  const out: Turn[] = [];
  for (const { id, role, parts } of messages) {
    const path = /^m\d+$/.test(id) ? `messages[${id.slice(1)}]` : id;
    const lost = (what: string, why: string) => tell({ type: "lost", what, path, why });
    const speaker = role === "assistant" ? "assistant" : role === "system" || role === "developer" ? "system" : "user";
    let content: (Text | Media | Call)[] = [];
    let results: Result[] = [];
    const marked = parts.some(({ type }) => type === "cacheMark");
    const flush = () => {
      const own: Turn[] = content.length > 0 ? [{ role: speaker, content, marked } as Turn] : [];
      const answers: Turn[] = results.length > 0 ? [{ role: "tool", results, marked }] : [];
      // A user's message answers what was called before it; the model's holds its own calls' results (UI messages of
      // the AI SDK).
      for (const turn of speaker === "assistant" ? [...own, ...answers] : [...answers, ...own]) add(out, turn);
      content = [];
      results = [];
    };
    for (const part of parts) {
      if (part.type === "toolResult") {
        const said = part.content.flatMap((inner) => sayable(inner, lost));
        results.push({
          type: "result",
          id: part.callId,
          name: part.name || names.get(part.callId) || "unknown",
          content: said,
          isError: part.isError ?? false,
        });
        continue;
      }
      const made: (Text | Media | Call)[] =
        part.type === "toolCall"
          ? [{ type: "call", id: part.callId, name: part.name, arguments: part.arguments }]
          : sayable(part, lost);
      if (speaker === "assistant" && results.length > 0 && made.some(({ type }) => type !== "call")) flush();
      append(content, made);
    }
    flush();
  }
  return out;
}

/** Formats that have calls and results as items of their own say in several what is one turn elsewhere. */
function add(out: Turn[], turn: Turn): void {
  const before = out.at(-1);
  const calls = (turn: Turn) => turn.role === "assistant" && turn.content.some(({ type }) => type === "call");
  if (before?.role === "tool" && turn.role === "tool") {
    append(before.results, turn.results);
    before.marked ||= turn.marked;
  } else if (before?.role === "assistant" && turn.role === "assistant" && (calls(before) || calls(turn))) {
    append(before.content, turn.content);
    before.marked ||= turn.marked;
  } else {
    out.push(turn);
  }
}

/** Words, pictures and documents; what is neither is lost, and said so. */
function sayable(part: Part, lost: (what: string, why: string) => void): (Text | Media)[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "image":
    case "document": {
      const media = mediaOf(part);
      if (!media) lost(part.type, "its data is not at hand");
      return media ? [media] : [];
    }
    case "reasoning":
      lost("reasoning", "thoughts belong to the model that had them");
      return [];
    case "opaque": {
      const summary = compaction(part.json);
      if (summary !== undefined) return [{ type: "text", text: summary }];
      lost("part", `only the provider it came from understands it: ${part.json.slice(0, 80)}`);
      return [];
    }
    default:
      return [];
  }
}

/** A summary that Anthropic's server made of what came before: its words say the same to every model. */
function compaction(json: string): string | undefined {
  if (!json.includes('"type":"compaction"')) return undefined;
  try {
    const { type, content } = JSON.parse(json) as { type?: unknown; content?: unknown };
    return type === "compaction" && typeof content === "string" && content.trim() !== "" ? content : undefined;
  } catch {
    return undefined;
  }
}

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;

/** The whole of a picture or document. */
function mediaOf(part: Extract<Part, { type: "image" | "document" }>): Media | undefined {
  const { type } = part;
  const known = part.mediaType;
  const base = { type, ...("detail" in part && part.detail !== undefined && { detail: part.detail }) };
  const source = sourceOf(part) ?? (type === "image" ? (part.url ?? part.data) : undefined);
  if (source === undefined) return undefined;
  const usual = type === "image" ? "image/png" : "application/pdf";
  if (typeof source !== "string") return { ...base, mediaType: known ?? usual, base64: base64(source) };
  const data = DATA_URL.exec(source.slice(0, 200));
  if (data) return { ...base, mediaType: data[1] || known || usual, base64: source.slice(data[0].length) };
  if (/^[a-z][a-z0-9+.-]*:/i.test(source.slice(0, 20))) return { ...base, mediaType: known ?? usual, url: source };
  return { ...base, mediaType: known ?? usual, base64: source };
}

function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of three, so that the pieces can be joined.
  for (let at = 0; at < bytes.length; at += 6_144)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 6_144))));
  return pieces.join("");
}

/** A data URL, or the address. */
export function urlOf({ mediaType, base64, url }: Media): string {
  return url ?? `data:${mediaType};base64,${base64 ?? ""}`;
}

export function words(content: readonly { type: string; text?: string }[]): string {
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");
}

/** Ids as this provider takes them. Good ones stay; others are numbered, a call and its result alike. */
export function ids(good: RegExp, prefix: string): (id: string) => string {
  const known = new Map<string, string>();
  let made = 0;
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // What the adapters made up for calls without ids means nothing to anybody else.
    const fresh = good.test(id) && !/^(call|orphan|function):/.test(id) ? id : `${prefix}${++made}`;
    known.set(id, fresh);
    return fresh;
  };
}

/** A definition's schema as a value. */
export function schemaOf({ schema }: NeutralTool): Record<string, unknown> | undefined {
  if (schema === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(schema);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without tools there is no choice of them, and an empty list is refused. What the host says in `extra` stands. */
export function withTools<Request extends Record<string, unknown>>(
  given: Readonly<Record<string, unknown>> | undefined,
  tools: readonly unknown[],
  request: Request,
): Record<string, unknown> {
  if (tools.length > 0) return { ...given, tools, ...request };
  const { tools: _, tool_choice: __, parallel_tool_calls: ___, toolConfig: ____, ...rest } = given ?? {};
  return { ...rest, ...request };
}

/** Definitions in a provider's words: its own stay as they are, others are rewritten if they have a schema. */
export function writeTools(
  { rawTools, tools, tell }: Conversation,
  isOwn: (tool: Record<string, unknown>) => boolean,
  write: (tool: NeutralTool, schema: Record<string, unknown>) => unknown,
): unknown[] {
  const raw = rawTools.filter(isFields);
  if (raw.length === rawTools.length && raw.every(isOwn)) return [...rawTools];
  return tools.flatMap((tool) => {
    const given = raw.find((item) => item["name"] === tool.name || item["type"] === tool.name);
    if (given && isOwn(given)) return [given];
    // A tool of a type of its own, without a schema, is run by its provider.
    const type = given?.["type"];
    const hosted = tool.schema === undefined && typeof type === "string" && type !== "function" && type !== "custom";
    if (hosted || (tool.schema !== undefined && !schemaOf(tool))) {
      tell({
        type: "lost",
        what: `tool ${tool.name}`,
        path: "tools",
        why: "only the provider it is made for can run it",
      });
      return [];
    }
    return [write(tool, schemaOf(tool) ?? { type: "object", properties: {} })];
  });
}
