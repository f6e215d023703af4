/**
 * What an adapter is: it reads one provider's messages into the neutral model, and makes that provider's messages from
 * a plan.
 *
 * Reading keeps, for every neutral part, the piece of the host's message it came from, so that an edit can be carried
 * out on a shallow copy. What a plan keeps is the host's own object; nothing of the host's is ever changed.
 */

import type { Format, NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../types/messages.ts";
import type { WireCheck } from "./checks.ts";
import type { RequestLimits } from "./limits.ts";
import type { Marks } from "./marks.ts";
import { changed, fieldsAt } from "./place.ts";
import type { FieldChange, Place } from "./place.ts";
import type { Shape } from "./shape.ts";
import { prependThought, thoughtAt } from "./thinking.ts";
import type { Thoughts } from "./thinking.ts";
import { requestTools } from "./tools.ts";
import type { ToolWriter } from "./tools.ts";
import { written } from "./turns.ts";
import type { IdRule, TurnWriter } from "./turns.ts";
import type { UsageReader } from "./usage.ts";
import { bad, copy, isFields, lookingAt } from "./values.ts";
import type { Fields } from "./values.ts";

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

/** The input with another list of messages; the input itself if they are the same. */
export function withValues({ input, list, name, request }: Source, values: readonly unknown[]): unknown {
  if (values.length === list.length && values.every((value, at) => value === list[at])) return input;
  return request ? copy(request, { [name]: values }) : values;
}

/** A message as read: the neutral form and, part by part, where it came from. */
export interface ReadMessage<Piece> {
  message: NeutralMessage;
  pieces: Piece[];
}

/**
 * A format: all that the package knows about one provider's messages, made in the folder of that provider. `Piece`
 * says where in a host message a part came from.
 */
export interface Adapter<Piece> extends Messages<Piece>, Rules<Piece>, TurnWriter {
  /** Ids that the provider takes for calls; absent if it takes any. */
  ids?: IdRule;
  /** Makes a request with a system prompt; absent if the system prompt is a message like others. */
  withSystem?(system: string, messages: readonly unknown[]): Fields;
}

/** The rules of a format that need no reading; the neutral format has these alone. */
export interface Rules<Piece> {
  format: Format;
  places: Places<Piece>;
  /** How its messages are recognised; absent if only what they lack tells. */
  shape?: Shape;
  writeTool: ToolWriter;
  /** Reads reports of usage; absent for formats whose provider reports none. */
  usage?: UsageReader;
  /** Finds what only the provider's own messages show. */
  check?: WireCheck;
  /** Absent for formats without cache marks. */
  marks?: Marks;
  /** Absent for formats without signed thoughts. */
  thoughts?: Thoughts<Piece>;
  /**
   * The bodies of a message's results that hold more than one text, with the indices of their parts; absent for formats
   * whose results are lists of parts.
   */
  resultBodies?(message: Fields): [part: number, body: unknown][];
  /** Messages as JSON keeps them, and back; absent if they are plain objects. */
  stored?: { to(message: unknown): unknown; from(message: unknown): unknown };
  /** Documented limits of a request to the provider; an absent one is not checked. */
  limits?: RequestLimits;
  /** True for a message that holds a summary by the provider's server, which only that server can read. */
  isServerItem?(message: Fields): boolean;
}

/** Where parts are in a format's messages. */
export interface Places<Piece> {
  /** The place of a part in its message. */
  part(piece: Piece, message: Fields): Place;
  /** The place of an item of a tool result, from the result on. */
  item(result: Fields, item: number): Place;
  /** Where the arguments of a call can be as a value, from the call on. */
  arguments: readonly Place[];
  /** The change that gives a call or a result another tool name; its place is from the call or result on. */
  renamed(part: Fields, name: string): FieldChange;
}

/** Reads and rebuilds the messages of one format. */
export interface Messages<Piece> {
  /** Reads one message; `path` names it in errors. */
  read(message: Fields, at: number, path: string, state: Map<string, unknown>): ReadMessage<Piece>;
  /** A copy of the host's message with the edits carried out. */
  edit(original: Fields, read: ReadMessage<Piece>, edits: readonly PartEdit[]): unknown;
  /** Text of the system prompt, where the request keeps it apart. */
  system?(request: Fields): Part[] | undefined;
  /** The tool definitions of the request. */
  tools(tools: readonly unknown[]): NeutralTool[];
  /** The message without what results hold for others than the model; the host's own object if that is nothing. */
  forModel?(message: Fields): Fields;
  /** Puts a message into the one before it where the provider demands it; `undefined` if that is not to be done. */
  join?(first: unknown, second: unknown): unknown | undefined;
  /** Neighbours that become one message: a run of them is put together at once, so that its cost is its length. */
  merge?: Merge;
}

/** Which neighbours become one message, and in what order. */
export interface Merge {
  /** Name of the list that both have. */
  list: string;
  /** The role of the assistant. */
  assistant: unknown;
  /** Returns the item for a text that stands there instead of a list. */
  item?(text: string, run: readonly Fields[]): unknown;
  /** True if `second` joins `first`, or the run that `first` began. */
  takes(first: unknown, second: unknown): boolean;
  /** True for items that stand in front of the others. */
  isFirst(item: unknown): boolean;
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
      return withValues(source, values);
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
    const number = piece === undefined ? undefined : adapter.thoughts?.index(piece);
    const thought = number === undefined ? undefined : thoughtAt(original(sourceAt), number);
    return thought === undefined ? message : (prependThought(message as Fields, thought) ?? message);
  };
  // What the host had in this order stays neighbours; only where the plan changed something may messages be put
  // together.
  const out: { value: unknown; at: number | undefined; run?: unknown[] }[] = [];
  const push = (value: unknown, at: number | undefined, joins = false) => {
    const last = out.at(-1);
    const untouched = !joins && last?.at !== undefined && at !== undefined && last.at + 1 === at;
    const { merge } = adapter;
    const isOne = (first: unknown) =>
      merge && (joins ? areOneSpeaker(first, value, merge) : !untouched && merge.takes(first, value));
    if (last && isOne(last.value)) {
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
      for (const value of written(adapter, [item.message], source)) push(value, undefined, item.joins);
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
    const edits = item.parts.filter(({ from }) => from === undefined);
    const whole = (message: unknown) =>
      item.parts.reduceRight(
        (rest, { from, part }) => (from === undefined ? rest : withThought(rest, { from, part })),
        message,
      );
    // Names and ids change first, in copies that keep all parts, so that every other edit finds its part where it was.
    let [from, read] = [own, again(at, own)];
    const rewrite = (message: unknown) => {
      if (message !== from) [from, read] = [message as Fields, again(at, message as Fields)];
    };
    rewrite(changed(from, renamedTools(adapter, read, from, edits)));
    const ids = edits.filter(({ callId }) => callId !== undefined);
    if (ids.length > 0) rewrite(adapter.edit(from, read, withIds(ids, read.message.parts.length)));
    const contents = edits.map(({ part, to }): PartEdit => (to ? { part, to } : { part }));
    const pieces = runs(contents).map((run) => adapter.edit(from, read, run));
    for (const [number, value] of inOrder(pieces, adapter.merge).entries())
      push(number === 0 ? whole(value) : value, at, number > 0 || item.joins);
  }
  return out.map(({ value, run }) => (run && adapter.merge ? merged(run as Fields[], adapter.merge) : value));
}

/** Returns true if both are the assistant's, or neither is. */
export function areOneSpeaker(first: unknown, second: unknown, { assistant }: Pick<Merge, "assistant">): boolean {
  const isAssistants = (message: unknown) => (message as Fields)["role"] === assistant;
  return isAssistants(first) === isAssistants(second);
}

/** Joins neighbours that the provider wants as one message. */
export function mergedAll({ merge }: { merge?: Merge }, messages: readonly unknown[]): unknown[] {
  if (!merge) return [...messages];
  const runs: unknown[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (last && merge.takes(last[0], message)) last.push(message);
    else runs.push([message]);
  }
  return runs.map((run) => (run.length > 1 ? merged(run as Fields[], merge) : run[0]));
}

/** Messages as one: the first one with the items of all. */
function merged(run: readonly Fields[], { list, item, isFirst }: Merge): unknown {
  const all = run.flatMap((message) => {
    const items = message[list];
    return typeof items === "string" && item ? [item(items, run)] : (items as unknown[]);
  });
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

/** The changes of fields that give tools other names. */
function renamedTools<Piece>(
  { places }: Adapter<Piece>,
  { pieces }: ReadMessage<Piece>,
  message: Fields,
  edits: readonly PartEdit[],
): FieldChange[] {
  return edits.flatMap(({ part, name }): FieldChange[] => {
    if (name === undefined) return [];
    const place = places.part(pieces[part]!, message);
    const { place: within, fix } = places.renamed(fieldsAt(message, place), name);
    return [{ place: [...place, ...within], fix }];
  });
}

/** Edits that change ids only; all other parts stay. */
function withIds(edits: readonly PartEdit[], length: number): PartEdit[] {
  const all = Array.from({ length }, (_, part): PartEdit => ({ part }));
  for (const { part, callId } of edits) if (callId !== undefined) all[part] = { part, callId };
  return all;
}

/** Pieces of one message: one again, with the parts in the order of the pieces, if the format has them in a list. */
function inOrder(pieces: readonly unknown[], merge: Merge | undefined): readonly unknown[] {
  if (!merge || pieces.length < 2) return pieces;
  const { list } = merge;
  return [copy(pieces[0] as Fields, { [list]: pieces.flatMap((piece) => (piece as Fields)[list]) })];
}

/** Adapters keep the order of parts: a message whose parts come in another order is taken apart. */
function runs(edits: readonly PartEdit[]): PartEdit[][] {
  const out: PartEdit[][] = [[]];
  for (const edit of edits) {
    const last = out.at(-1)!;
    if (last.length === 0 || last.at(-1)!.part < edit.part) last.push(edit);
    else out.push([edit]);
  }
  return out;
}
