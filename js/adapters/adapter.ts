/**
 * What an adapter is: it reads one provider's messages into the neutral model, and makes that provider's messages from a plan.
 *
 * Reading keeps, for every neutral part, the piece of the host's message it came from, so that an edit can be carried out on a shallow
 * copy. What a plan keeps is the host's own object; nothing of the host's is ever changed.
 */

import { EspalierError } from "../errors.ts";
import type { Format, NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../types.ts";

/** A conversation that was read. */
export interface Reading {
  format: Format;
  messages: NeutralMessage[];
  tools: NeutralTool[];
  /** Carries out a plan; the result has the shape of what was read (array or request object). */
  rebuild(plan: readonly PlanItem[]): unknown;
}

/** Where the list of messages is, and what else the request holds. */
export interface Source {
  /** What the host passed. */
  input: unknown;
  list: readonly unknown[];
  /** Name of the list in error paths: `messages`, `contents`, `input`. */
  name: string;
  /** The request object, if the host passed one. */
  request?: Record<string, unknown>;
}

/** A message as read: the neutral form and, part by part, where it came from. */
export interface ReadMessage<Piece> {
  message: NeutralMessage;
  pieces: Piece[];
}

/** What one format has to know. `Piece` says where in a host message a part came from. */
export interface Adapter<Piece> {
  format: Format;
  /** Reads one message; `path` names it in errors. */
  read(message: Fields, at: number, path: string, state: Map<string, unknown>): ReadMessage<Piece>;
  /** A copy of the host's message with the edits carried out. */
  edit(original: Fields, read: ReadMessage<Piece>, edits: readonly PartEdit[]): unknown;
  /** Host messages for a neutral one that the host did not have. */
  write(message: NeutralMessage, source: Source): unknown[];
  /** Text of the system prompt, where the request keeps it apart. */
  system?(request: Fields): Part[] | undefined;
  /** The tool definitions of the request. */
  tools(tools: readonly unknown[]): NeutralTool[];
  /** Puts neighbours together where the provider demands it. */
  join?(first: unknown, second: unknown): unknown | undefined;
}

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function bad(path: string, wanted: string, value: unknown): EspalierError {
  const shown = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
  return new EspalierError({ code: "bad_message", message: `${path} must be ${wanted}, and is ${shown}`, path });
}

/** Reads a conversation with one adapter. */
export function reading<Piece>(adapter: Adapter<Piece>, source: Source, tools: readonly unknown[] | undefined): Reading {
  const { list, name, request } = source;
  const originals = new Map<string, Fields>();
  const state = new Map<string, unknown>();
  const messages: NeutralMessage[] = [];
  const system = request && adapter.system?.(request);
  if (system) messages.push({ id: "system", role: "system", parts: system });
  list.forEach((original, at) => {
    const path = `${name}[${at}]`;
    if (!isFields(original)) throw bad(path, "a message", original);
    const { message } = adapter.read(original, at, path, state);
    messages.push(message);
    originals.set(message.id, original);
  });
  const given = tools ?? (Array.isArray(request?.["tools"]) ? (request["tools"] as unknown[]) : []);
  return {
    format: adapter.format,
    messages,
    tools: adapter.tools(given),
    rebuild(plan) {
      // What the host had in this order stays neighbours; only where the plan changed something may messages be put together.
      const out: { value: unknown; at: number | undefined }[] = [];
      const push = (value: unknown, at: number | undefined) => {
        const last = out.at(-1);
        const untouched = last?.at !== undefined && at !== undefined && last.at + 1 === at;
        const joined = last && !untouched ? adapter.join?.(last.value, value) : undefined;
        if (joined === undefined) out.push({ value, at });
        else out[out.length - 1] = { value: joined, at: undefined };
      };
      const index = new Map([...originals.keys()].map((id, at) => [id, at]));
      for (const item of plan) {
        if (item.type === "insert") {
          for (const value of adapter.write(item.message, source)) push(value, undefined);
          continue;
        }
        const original = originals.get(item.id);
        const at = index.get(item.id);
        // The system prompt that the request keeps apart: it is never edited.
        if (!original || at === undefined) continue;
        if (item.type === "keep") push(original, at);
        else push(adapter.edit(original, adapter.read(original, at, `${name}[${at}]`, new Map(state)), item.parts), at);
      }
      const values = out.map(({ value }) => value);
      const same = values.length === list.length && values.every((value, at) => value === list[at]);
      if (same) return source.input;
      return request ? copy(request, { [name]: values }) : values;
    },
  };
}

/** A shallow copy that keeps the prototype; fields that become `undefined` go. */
export function copy<T extends object>(original: T, changes: Fields): T {
  const out = Object.assign(Object.create(Object.getPrototypeOf(original)), original) as Fields;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete out[key];
    else out[key] = value;
  }
  return out as T;
}

/** JSON of anything at all, for counting: bytes by their length, cycles by a note, functions not at all. */
export function json(value: unknown): string {
  const above: unknown[] = [];
  const safe = JSON.stringify(value, function (this: unknown, _key, item: unknown) {
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return `(${item.byteLength} bytes)`;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(item)) return "(again)";
    // What is returned is what its fields will say they belong to.
    const shown = item instanceof Map || item instanceof Set ? [...item] : item;
    above.push(shown);
    return shown;
  });
  return safe ?? "null";
}

/** Longest beginning of a picture that is passed on: only its header is read. */
const HEADER = 131_072;

/** A picture from base64, a data URL or an address. */
export function image(source: string, mediaType?: string, detail?: string): Part {
  const data = /^data:([^;,]*)[^,]*;base64,/.exec(source.slice(0, 200));
  const kind = data?.[1] || mediaType;
  const base = { type: "image" as const, ...(kind && { mediaType: kind }), ...(detail && { detail }) };
  if (data) return { ...base, data: source.slice(data[0].length, data[0].length + HEADER) };
  if (/^[a-z][a-z0-9+.-]*:/i.test(source.slice(0, 20))) return { ...base, url: source };
  return { ...base, data: source.slice(0, HEADER) };
}

/** The beginning of bytes as base64. */
export function base64(bytes: Uint8Array): string {
  const head = bytes.subarray(0, (HEADER / 4) * 3);
  let text = "";
  for (let at = 0; at < head.length; at += 8192) text += String.fromCharCode(...head.subarray(at, at + 8192));
  return btoa(text);
}

export function text(value: unknown): Part {
  return { type: "text", text: String(value) };
}

export function opaque(value: unknown): Part {
  return { type: "opaque", json: json(value) };
}

/** The text of a neutral message's text parts. */
export function words(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Edits by the number of the part they belong to. */
export function byPart(edits: readonly PartEdit[]): Map<number, PartEdit> {
  return new Map(edits.map((edit) => [edit.part, edit]));
}

/** Arguments as an object again, for formats that keep them so. */
export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A model wrote arguments that are not JSON; they are kept as they are.
    return { arguments: text };
  }
}

/** A tool definition, wherever a provider puts its three fields. */
export function tool(fields: unknown, at: number): NeutralTool {
  const path = `tools[${at}]`;
  if (!isFields(fields)) throw new EspalierError({ code: "bad_option", message: `${path} must be an object`, path });
  const from = isFields(fields["function"]) ? fields["function"] : fields;
  const schema = from["parameters"] ?? from["input_schema"] ?? from["inputSchema"] ?? from["parametersJsonSchema"] ?? from["schema"];
  // Tools that the provider runs itself have a type and settings instead of a schema.
  const name = typeof from["name"] === "string" ? from["name"] : typeof from["type"] === "string" ? from["type"] : `tool ${at}`;
  return {
    name,
    ...(typeof from["description"] === "string" && { description: from["description"] }),
    ...(schema !== undefined && { schema: typeof schema === "string" ? schema : json(schema) }),
  };
}
