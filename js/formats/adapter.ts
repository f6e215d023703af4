/**
 * What an adapter is: it reads one provider's messages into the neutral model, and makes that provider's messages from
 * a plan.
 *
 * Reading keeps, for every neutral part, the piece of the host's message it came from, so that an edit can be carried
 * out on a shallow copy. What a plan keeps is the host's own object; nothing of the host's is ever changed.
 */

import { EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";
import type {
  Format,
  ItemEdit,
  NeutralMessage,
  NeutralTool,
  Part,
  PartEdit,
  PlanItem,
  Role,
} from "../types/messages.ts";
import { pdfPages } from "./pdf.ts";
import { sourceOf, withSource } from "./sources.ts";
import { prependThought, thoughtAt } from "./thinking.ts";

/** A conversation that was read. */
export interface Reading {
  format: Format;
  messages: NeutralMessage[];
  tools: NeutralTool[];
  /** What was read. */
  source: Source;
  /** Carries out a plan; the result has the shape of what was read (array or request object). */
  rebuild(plan: readonly PlanItem[]): unknown;
  /** Where in the host's message each part of it comes from, in the words of the format's adapter. */
  pieces(id: string): readonly unknown[];
  /** Ids of the messages of which something is not for the model: it is neither counted nor sent. */
  withheld: readonly string[];
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
  write(message: NeutralMessage, source: Pick<Source, "list">): unknown[];
  /** Text of the system prompt, where the request keeps it apart. */
  system?(request: Fields): Part[] | undefined;
  /** The tool definitions of the request. */
  tools(tools: readonly unknown[]): NeutralTool[];
  /** The message without what results hold for others than the model; the host's own object if that is nothing. */
  forModel?(message: Fields): Fields;
  /** Where in the list of a host's message a thought is; only formats in which thoughts are signed say so. */
  thought?(piece: Piece): number | undefined;
  /** Puts a message into the one before it where the provider demands it; `undefined` if that is not to be done. */
  join?(first: unknown, second: unknown): unknown | undefined;
  /** Neighbours that become one message: a run of them is put together at once, so that its cost is its length. */
  merge?: Merge;
}

/** Which neighbours become one message, and in what order. */
export interface Merge {
  /** Name of the list that both have. */
  list: string;
  /** True if `second` joins `first`, or the run that `first` began. */
  takes(first: unknown, second: unknown): boolean;
  /** True for items that stand in front of the others. */
  isFirst(item: unknown): boolean;
}

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function bad(path: string, wanted: string, value: unknown, code: InputCode = "bad_message"): EspalierError {
  const shown =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "an array"
        : typeof value === "object"
          ? "an object"
          : typeof value === "string"
            ? JSON.stringify(value.slice(0, 60))
            : String(value);
  return new EspalierError({ code, message: `${path} must be ${wanted}, and is ${shown}`, path });
}

/**
 * Whatever the host's objects throw when they are looked at (getters, revoked proxies) is an error with a path, too.
 */
export function looking<T>(path: string, look: () => T): T {
  return lookingAt(() => path, look);
}

/** The same where the path is known only when it comes to that. */
function lookingAt<T>(where: () => string, look: () => T): T {
  try {
    return look();
  } catch (cause) {
    if (cause instanceof EspalierError) throw cause;
    const path = where();
    throw new EspalierError({
      code: "bad_message",
      message: `${path} cannot be read: it threw while being looked at`,
      path,
      cause,
    });
  }
}

/** Reads a conversation with one adapter. */
export function reading<Piece>(
  adapter: Adapter<Piece>,
  source: Source,
  tools: readonly unknown[] | undefined,
): Reading {
  const { list, name, request } = source;
  // By position; a host's list may change while this is in use.
  const originals: Fields[] = [];
  const pieces: (readonly unknown[])[] = [];
  const places = new Map<string, number>();
  const state = new Map<string, unknown>();
  const messages: NeutralMessage[] = [];
  const withheld: string[] = [];
  const system = request && adapter.system?.(request);
  if (system) messages.push({ id: "system", role: "system", parts: system });
  let at = 0;
  lookingAt(
    () => `${name}[${at}]`,
    () => {
      // Not `forEach`: it would skip holes, and the messages behind one would come back in the wrong place.
      for (; at < list.length; at++) {
        const given = list[at];
        const path = `${name}[${at}]`;
        if (!isFields(given)) throw bad(path, "a message", given);
        const original = adapter.forModel?.(given) ?? given;
        const { message, pieces: own } = adapter.read(original, at, path, state);
        messages.push(message);
        pieces.push(own);
        originals.push(original);
        places.set(message.id, at);
        if (original !== given) withheld.push(message.id);
      }
    },
  );
  const given = tools ?? (request && requestTools(request)) ?? [];
  return {
    format: adapter.format,
    messages,
    tools: adapter.tools(given),
    source,
    withheld,
    pieces: (id) => pieces[places.get(id) ?? -1] ?? [],
    rebuild(plan) {
      const again = readsAgain(adapter, state, name);
      const values = carriedOut(adapter, plan, {
        source,
        place: (id) => places.get(id),
        original: (at) => originals[at]!,
        again,
      });
      const same = values.length === list.length && values.every((value, at) => value === list[at]);
      if (same) return source.input;
      return request ? copy(request, { [name]: values }) : values;
    },
  };
}

/**
 * What a reading remembers, for reading one of its messages again: what that writes down is its own. (A copy for each
 * would be of all that was read.)
 */
class Aside extends Map<string, unknown> {
  private readonly state: ReadonlyMap<string, unknown>;

  constructor(state: ReadonlyMap<string, unknown>) {
    super();
    this.state = state;
  }

  override get(key: string): unknown {
    return super.has(key) ? super.get(key) : this.state.get(key);
  }
}

/** Reads messages again that were read with this state, or what was made of them; `name` is that of their list. */
export function readsAgain<Piece>(
  adapter: Adapter<Piece>,
  state: ReadonlyMap<string, unknown>,
  name: string,
): Hosts<Piece>["again"] {
  return (at, from) => adapter.read(from, at, `${name}[${at}]`, new Aside(state));
}

/** A host's messages, as a plan is carried out on them. */
export interface Hosts<Piece> {
  source: Pick<Source, "list">;
  /** Number of the message with an id. */
  place(id: string): number | undefined;
  /** What of a message is for the model: the host's own object where that is all. */
  original(at: number): Fields;
  /** Reads a message again, or what was made of it. */
  again(at: number, from: Fields): ReadMessage<Piece>;
}

/** Carries out a plan: messages in the host's format. */
export function carriedOut<Piece>(
  adapter: Adapter<Piece>,
  plan: readonly PlanItem[],
  { source, place, original, again }: Hosts<Piece>,
): unknown[] {
  // The host's own thought of another message in front of a message's parts.
  const withThought = (message: unknown, { from, part }: { from: string; part: number }): unknown => {
    const sourceAt = place(from);
    if (sourceAt === undefined) return message;
    const piece = again(sourceAt, original(sourceAt)).pieces[part];
    const number = piece === undefined ? undefined : adapter.thought?.(piece);
    const thought = number === undefined ? undefined : thoughtAt(original(sourceAt), number);
    return thought === undefined ? message : (prependThought(message as Fields, thought) ?? message);
  };
  // What the host had in this order stays neighbours; only where the plan changed something may messages be put
  // together.
  const out: { value: unknown; at: number | undefined; run?: unknown[] }[] = [];
  const push = (value: unknown, at: number | undefined, joins = false) => {
    const last = out.at(-1);
    const untouched = !joins && last?.at !== undefined && at !== undefined && last.at + 1 === at;
    if (last && !untouched && adapter.merge?.takes(last.value, value)) {
      (last.run ??= [last.value]).push(value);
      last.at = undefined;
      return;
    }
    const joined = last && !untouched ? adapter.join?.(last.value, value) : undefined;
    if (joined === undefined) out.push({ value, at });
    else out[out.length - 1] = { value: joined, at: undefined };
  };
  for (const item of plan) {
    if (item.type === "insert") {
      for (const value of adapter.write(item.message, source)) push(value, undefined, item.joins);
      continue;
    }
    const at = place(item.id);
    // The system prompt that the request keeps apart: it is never edited.
    if (at === undefined) continue;
    const own = original(at);
    if (item.type === "keep") {
      push(own, at, item.joins);
      continue;
    }
    const edits = item.parts.filter(({ type }) => type !== "carried");
    const whole = (message: unknown) =>
      item.parts
        .flatMap((edit) => (edit.type === "carried" ? [edit] : []))
        .reduceRight((rest, edit) => withThought(rest, edit), message);
    // Ids change first, in a copy that keeps all parts, so that every other edit finds its part where it was.
    const read = again(at, own);
    const renamed = renames(edits, read.message.parts.length);
    const from = renamed ? (adapter.edit(own, read, renamed) as Fields) : own;
    push(whole(adapter.edit(from, renamed ? again(at, from) : read, edits)), at, item.joins);
  }
  return out.map(({ value, run }) => (run && adapter.merge ? merged(run as Fields[], adapter.merge) : value));
}

/** Messages as one: the first one with the items of all. */
function merged(run: readonly Fields[], { list, isFirst }: Merge): unknown {
  const all = run.flatMap((message) => message[list] as unknown[]);
  return copy(run[0]!, { [list]: [...all.filter(isFirst), ...all.filter((item) => !isFirst(item))] });
}

/** What a conversation is beside its messages. */
export type Scanned = Pick<Reading, "format" | "source" | "tools">;

/**
 * Reads with one adapter, from message number `from` on, and keeps nothing: messages that live no longer than it takes
 * to look at them cost little.
 */
export function scanning<Piece>(
  adapter: Adapter<Piece>,
  source: Source,
  tools: readonly unknown[] | undefined,
  visit: (message: NeutralMessage) => void,
  from = 0,
): Scanned | undefined {
  const { list, name, request } = source;
  const state = new Map<string, unknown>();
  const system = request && adapter.system?.(request);
  if (system) visit({ id: "system", role: "system", parts: system });
  let at = from;
  const isAll = lookingAt(
    () => `${name}[${at}]`,
    () => {
      for (; at < list.length; at++) {
        const original = list[at];
        const path = `${name}[${at}]`;
        if (!isFields(original)) throw bad(path, "a message", original);
        if (adapter.forModel && adapter.forModel(original) !== original) return false;
        visit(adapter.read(original, at, path, state).message);
        // What an adapter keeps of a message for reading it again.
        state.delete(`#${at}`);
      }
      return true;
    },
  );
  return isAll
    ? { format: adapter.format, source, tools: adapter.tools(tools ?? (request && requestTools(request)) ?? []) }
    : undefined;
}

/** What was read, without what is not for the model; the host's own if all of it is. */
export function asSent(reading: Reading): unknown {
  return reading.withheld.length === 0
    ? reading.source.input
    : reading.rebuild(reading.messages.map(({ id }) => ({ type: "keep", id })));
}

/** The edits that give another id to a part that changes otherwise as well; all other parts stay. */
function renames(edits: readonly PartEdit[], length: number): PartEdit[] | undefined {
  const both = new Map(
    edits.flatMap((edit) =>
      edit.type !== "callId" && "callId" in edit && edit.callId !== undefined
        ? [[edit.part, edit.callId] as const]
        : [],
    ),
  );
  if (both.size === 0) return undefined;
  return Array.from({ length }, (_, part): PartEdit => {
    const callId = both.get(part);
    return callId === undefined ? { type: "keep", part } : { type: "callId", part, callId };
  });
}

/**
 * The items of a result's content after an edit: `said` makes one for a text. Nothing if the content is no list of as
 * many items as the edit names.
 */
export function editedItems(
  content: unknown,
  edits: readonly ItemEdit[],
  said: (text: string, item: unknown) => unknown,
): unknown[] | undefined {
  if (!Array.isArray(content) || content.length !== edits.length) return undefined;
  return content.map((item: unknown, at) => {
    const edit = edits[at]!;
    return edit.type === "text" ? said(edit.text, item) : item;
  });
}

/** The tool definitions in a request: a list, or (AI SDK) an object by name; the Gemini SDK keeps them in `config`. */
export function requestTools(request: Fields): readonly unknown[] | undefined {
  const config = request["config"];
  const tools = request["tools"] ?? (isFields(config) ? config["tools"] : undefined);
  return tools === undefined ? undefined : listedTools(tools);
}

/** Tool definitions as a list: one, or (AI SDK) an object by name; nothing for anything else. */
export function listedTools(tools: unknown): readonly unknown[] | undefined {
  if (Array.isArray(tools)) return tools;
  if (!isFields(tools)) return undefined;
  return Object.entries(tools).map(([name, definition]) =>
    isFields(definition)
      ? withFields(Object.getPrototypeOf(definition) as object | null, definition, { name })
      : definition,
  );
}

/** A shallow copy that keeps the prototype; fields that become `undefined` go. */
export function copy<T extends object>(original: T, changes: Fields): T {
  return withFields(Object.getPrototypeOf(original) as object | null, { ...(original as Fields) }, changes) as T;
}

/** An object of this prototype with these fields; a later list wins, and its `undefined` takes a field away. */
export function withFields(prototype: object | null, ...lists: Fields[]): Fields {
  const out = Object.create(prototype) as Fields;
  for (const [number, list] of lists.entries()) {
    for (const key of Reflect.ownKeys(list) as string[]) {
      const value = list[key];
      if (value === undefined && number > 0) delete out[key];
      else put(out, key, value);
    }
  }
  return out;
}

/**
 * Through the class's own setter where there is one; beside it where that needs private state, which a copy does not
 * have.
 */
function put(out: Fields, key: string, value: unknown): void {
  // Assigned, it would change the prototype instead.
  if (key === "__proto__") return define(out, key, value);
  try {
    out[key] = value;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    define(out, key, value);
  }
}

function define(out: Fields, key: string, value: unknown): void {
  Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
}

/** What stands for a value that has no JSON: a getter or `toJSON` that throws, or nesting deeper than the stack. */
const NO_JSON = '"(unreadable)"';

/**
 * JSON of anything at all, for counting: bytes by their length, cycles by a note, functions not at all. Never throws.
 */
export function json(value: unknown): string {
  const flat = flatJson(value);
  if (flat !== undefined) return flat;
  // What a value was replaced by (a Map by its entries) is what its children see as their holder, so both are
  // remembered.
  const above: { value: object; shown: object }[] = [];
  try {
    const safe = JSON.stringify(value, function (this: Fields, key, item: unknown) {
      if (typeof item === "bigint") return String(item);
      if (typeof item !== "object" || item === null) return item;
      // Node's Buffer has turned itself into a list of numbers by now; the holder still has the bytes.
      const own = this[key];
      const bytes = ArrayBuffer.isView(own) || own instanceof ArrayBuffer ? own : item;
      if (ArrayBuffer.isView(bytes) || bytes instanceof ArrayBuffer) return `(${bytes.byteLength} bytes)`;
      while (above.length > 0 && above.at(-1)!.shown !== this) above.pop();
      if (above.some((holder) => holder.value === item)) return "(again)";
      const shown = item instanceof Map || item instanceof Set ? [...item] : item;
      above.push({ value: item, shown });
      return shown;
    });
    return safe ?? "null";
  } catch {
    // The host's object cannot be looked into. It is still a part, and keeping it needs no looking.
    return NO_JSON;
  }
}

/**
 * JSON of an object or a list of plain values alone, as arguments mostly are: it needs no second look at each value.
 */
function flatJson(value: unknown): string | undefined {
  try {
    const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
    if (prototype !== Object.prototype && prototype !== Array.prototype) return undefined;
    for (const key in value as Fields) {
      const item = (value as Fields)[key];
      if (typeof item !== "string" && typeof item !== "number" && typeof item !== "boolean" && item !== null)
        return undefined;
    }
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A field that should be a text: ids given as numbers are turned into one, anything else counts as absent. */
export function string(value: unknown, absent = ""): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : absent;
}

/** The neutral role of a host's, if it is one. (A look-up in a bare object would find `constructor`.) */
export function roleOf(roles: Readonly<Record<string, Role>>, value: unknown): Role | undefined {
  return (typeof value === "string" || typeof value === "number") && Object.hasOwn(roles, value)
    ? roles[value]
    : undefined;
}

/** Longest beginning of a picture that is passed on: only its header is read. */
const HEADER = 131_072;

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;

/**
 * A whole picture: its address, or base64 with its type. Undefined for other parts, and for pictures that are not
 * there.
 */
export function picture(part: Part): { url: string } | { data: string; mediaType: string } | undefined {
  if (part.type !== "image") return undefined;
  if (part.url !== undefined) return { url: part.url };
  const source = sourceOf(part) ?? part.data;
  if (typeof source !== "string" || source === "") return undefined;
  return { data: source.replace(DATA_URL, ""), mediaType: part.mediaType ?? "image/png" };
}

/** A picture as an address that browsers and OpenAI take. */
export function pictureUrl(part: Part): string | undefined {
  const found = picture(part);
  if (!found) return undefined;
  return "url" in found ? found.url : `data:${found.mediaType};base64,${found.data}`;
}

/** A document from base64, a data URL or an address. */
export function documentPart(source: unknown, mediaType?: string): Part {
  const given = typeof source === "string" ? source : "";
  const data = DATA_URL.exec(given.slice(0, 200));
  const kind = data?.[1] || mediaType;
  const isAddress = !data && ADDRESS.test(given.slice(0, 20));
  const start = data?.[0].length ?? 0;
  const pages = isAddress ? undefined : pdfPages(start > 0 ? given.slice(start) : given);
  return withSource(
    {
      type: "document",
      ...(kind && { mediaType: kind }),
      dataLength: isAddress ? 0 : given.length - start,
      ...(pages !== undefined && { pages }),
    },
    given,
  );
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/** A picture from base64, a data URL or an address. */
export function image(source: string, mediaType?: string, detail?: string): Part {
  const data = DATA_URL.exec(source.slice(0, 200));
  const kind = data?.[1] || mediaType;
  const base = { type: "image" as const, ...(kind && { mediaType: kind }), ...(detail && { detail }) };
  if (data) return withSource({ ...base, data: source.slice(data[0].length, data[0].length + HEADER) }, source);
  if (ADDRESS.test(source.slice(0, 20))) return withSource({ ...base, url: source }, source);
  return withSource({ ...base, data: source.slice(0, HEADER) }, source);
}

/** The beginning of bytes as base64. */
export function base64(bytes: Uint8Array): string {
  const head = bytes.subarray(0, (HEADER / 4) * 3);
  let text = "";
  for (let at = 0; at < head.length; at += 8192) text += String.fromCharCode(...head.subarray(at, at + 8192));
  return btoa(text);
}

export function text(value: unknown): Part {
  return { type: "text", text: string(value) };
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

/** Arguments as a value again, for formats that keep them so. A call without arguments has none of them. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // A model wrote arguments that are not JSON; they are kept as they are.
    return { arguments: text };
  }
}

/** The same for providers that refuse everything but an object. */
export function objectArguments(text: string): Fields {
  const value = parsedArguments(text);
  return isFields(value) ? value : { arguments: value };
}

/** A tool definition, wherever a provider puts its three fields. */
export function tool(fields: unknown, at: number): NeutralTool {
  const path = `tools[${at}]`;
  if (!isFields(fields)) throw new EspalierError({ code: "bad_option", message: `${path} must be an object`, path });
  const from = isFields(fields["function"]) ? fields["function"] : fields;
  const given =
    from["parameters"] ?? from["input_schema"] ?? from["inputSchema"] ?? from["parametersJsonSchema"] ?? from["schema"];
  const schema = jsonSchemaOf(given, path);
  // Tools that the provider runs itself have a type and settings instead of a schema.
  const name =
    typeof from["name"] === "string" ? from["name"] : typeof from["type"] === "string" ? from["type"] : `tool ${at}`;
  return {
    name,
    ...(typeof from["description"] === "string" && { description: from["description"] }),
    ...(schema !== undefined && { schema: typeof schema === "string" ? schema : json(schema) }),
  };
}

/**
 * The JSON schema that the model is shown: of a plain schema, of one that the AI SDK wrapped or makes on demand, or of
 * a validation library that can say it (zod's own method; Standard JSON Schema).
 */
function jsonSchemaOf(given: unknown, path: string): unknown {
  const message = `${path} has a schema of a validation library that cannot say what is sent; pass JSON schemas in options.tools`;
  const refuse = (cause?: unknown) =>
    new EspalierError({ code: "bad_option", message, path, ...(cause !== undefined && { cause }) });
  const isHolder = (value: unknown): value is Fields => isFields(value) || typeof value === "function";
  try {
    // The AI SDK makes a schema when it is first needed.
    const made = typeof given === "function" && !("~standard" in given) ? (given as () => unknown)() : given;
    const schema = isHolder(made) && isFields(made["jsonSchema"]) ? made["jsonSchema"] : made;
    if (isHolder(schema) && typeof schema["then"] === "function") throw refuse();
    if (!isHolder(schema) || !("~standard" in schema) || isJsonSchema(schema)) return schema;
    if (typeof schema["toJSONSchema"] === "function") return (schema["toJSONSchema"] as () => unknown).call(schema);
    const standard = schema["~standard"];
    const converter = isHolder(standard) ? standard["jsonSchema"] : undefined;
    if (!isHolder(converter) || typeof converter["input"] !== "function") throw refuse();
    return (converter["input"] as (options: Fields) => unknown).call(converter, { target: "draft-07" });
  } catch (cause) {
    throw cause instanceof EspalierError ? cause : refuse(cause);
  }
}

/** zod hides a `~standard` in the JSON schemas that it makes. */
function isJsonSchema(schema: Fields): boolean {
  return (
    "$schema" in schema ||
    (Object.getPrototypeOf(schema) === Object.prototype && !Object.keys(schema).includes("~standard"))
  );
}
