/**
 * The contract of an adapter. It reads one provider's messages into the neutral model, and makes that provider's
 * messages from a plan.
 *
 * A reading keeps, for every neutral part, the piece of the host's message it came from, so that an edit applies to a
 * shallow copy. A kept message is the host's own object. The host's objects never change.
 */

import type { Format, NeutralMessage, NeutralTool, Part, PartEdit, PlanItem } from "../types/messages.ts";
import type { WireCheck } from "./checks.ts";
import type { ProviderLimits } from "./limits.ts";
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
import { withoutLostIds } from "./reasoning-ids.ts";
import type { InAnswer } from "./reasoning-ids.ts";
import type { UsageReader } from "./usage.ts";
import { bad, copy, isFields, lookingAt } from "./values.ts";
import type { Fields } from "./values.ts";

/** A conversation in the neutral model. */
export interface Reading {
  format: Format;
  messages: NeutralMessage[];
  tools: NeutralTool[];
  /** The conversation in the host's form. */
  source: Source;
  /** Applies a plan. The result has the same shape as the input (array or request object). */
  rebuild(plan: readonly PlanItem[]): unknown;
  /** Returns the origin of each part in the host's message, as `Piece` values of the format's adapter. */
  pieces(id: string): readonly unknown[];
  /** Ids of messages with content that is not for the model. That content is neither counted nor sent. */
  withheld: readonly string[];
  /** Ids of messages that stay with their results, because the server waits for those; the results may be shortened. */
  demanded: readonly string[];
}

/** The list of messages, and the request that holds it. */
export interface Source {
  /** What the host passed. */
  input: unknown;
  list: readonly unknown[];
  /** Name of the list in error paths: `messages`, `contents`, `input`. */
  name: string;
  /** The request object, if the host passed one. */
  request?: Record<string, unknown>;
}

/** Returns the input with another list of messages, or the input itself if the messages are the same. */
export function withValues({ input, list, name, request }: Source, values: readonly unknown[]): unknown {
  if (values.length === list.length && values.every((value, at) => value === list[at])) return input;
  return request ? copy(request, { [name]: values }) : values;
}

/** A message in the neutral form, and the origin of each part. */
export interface ReadMessage<Piece> {
  message: NeutralMessage;
  pieces: Piece[];
}

/**
 * A format: everything that the package knows about one provider's messages, in the folder of that provider. `Piece` is
 * the origin of a part in a host's message.
 */
export interface Adapter<Piece> extends Messages<Piece>, Rules<Piece>, TurnWriter {
  /** Ids that the provider accepts for calls; absent if it accepts any. */
  ids?: IdRule;
  /** Makes a request with a system prompt; absent if the system prompt is an ordinary message. */
  withSystem?(system: string, messages: readonly unknown[]): Fields;
  /** Makes a request with a system prompt beside the messages, for formats in which it may also be a message. */
  withInstructions?(system: string, messages: readonly unknown[]): Fields;
}

/** The rules of a format that need no reading. The neutral format has only these. */
export interface Rules<Piece> {
  format: Format;
  places: Places<Piece>;
  /** How its messages are recognised; absent if only missing fields identify them. */
  shape?: Shape;
  writeTool: ToolWriter;
  /** Reads reported usage; absent for formats whose provider reports none. */
  usage?: UsageReader;
  /** Finds problems that only the provider's own messages show. */
  check?: WireCheck;
  /** True if what it finds in a message depends on that message alone. */
  checksAlone?: true;
  /** Absent for formats without cache marks. */
  marks?: Marks;
  /** Absent for formats without signed reasoning. */
  thoughts?: Thoughts<Piece>;
  /** Says what belongs to one answer, for formats in which reasoning and what it led to are items of their own. */
  inAnswer?: InAnswer;
  /**
   * Returns the bodies of tool results that hold more than one text, with the indices of their parts; absent for
   * formats whose results are lists of parts.
   */
  resultBodies?(message: Fields): [part: number, body: unknown][];
  /** Converts messages to a form that JSON can store, and back; absent if they are plain objects. */
  stored?: { to(message: unknown): unknown; from(message: unknown): unknown };
  /** Documented limits of a request to the provider; an absent one is not checked. */
  limits?: ProviderLimits;
  /** The tool with which the provider's server searches deferred tools; absent if it has none. */
  toolSearch?: Fields;
  /** Returns whether a message holds a summary by the provider's server, which only that server can read. */
  isServerItem?(message: Fields): boolean;
}

/** Where parts are in a format's messages. */
export interface Places<Piece> {
  /** Returns the place of a part in its message. */
  part(piece: Piece, message: Fields): Place;
  /** Returns the place of an item of a tool result, relative to the result. */
  item(result: Fields, item: number): Place;
  /** Places where the arguments of a call can be an object, relative to the call. */
  arguments: readonly Place[];
  /**
   * Returns the change that gives a call or a result another tool name. Its place is relative to the call or result.
   */
  renamed(part: Fields, name: string): FieldChange;
}

/** Reads and rebuilds the messages of one format. */
export interface Messages<Piece> {
  /** Reads one message; `path` names it in errors. */
  read(message: Fields, at: number, path: string, state: Map<string, unknown>): ReadMessage<Piece>;
  /** Returns a copy of the host's message with the edits applied. */
  edit(original: Fields, read: ReadMessage<Piece>, edits: readonly PartEdit[]): unknown;
  /** Returns the system prompt of a request that holds it outside the messages. */
  system?(request: Fields): Part[] | undefined;
  /** Returns true for a request that continues messages which the server has. */
  continues?(request: Fields): boolean;
  /** Converts the tool definitions of a request. */
  tools(tools: readonly unknown[]): NeutralTool[];
  /**
   * Returns the message without content of results that is not for the model; the host's own object if there is none.
   */
  forModel?(message: Fields): Fields;
  /** Joins a message to the one before if the provider requires it; otherwise returns `undefined`. */
  join?(first: unknown, second: unknown): unknown | undefined;
  /**
   * Rules for adjacent messages that become one. A whole run is joined at once, so the cost is linear in its length.
   */
  merge?: Merge;
}

/** Which adjacent messages become one, and in what order. */
export interface Merge {
  /** Name of the list that holds the items of both messages. */
  list: string;
  /** The role of the assistant. */
  assistant: unknown;
  /** Returns the item for a text in place of the list. */
  item?(text: string, run: readonly Fields[]): unknown;
  /** Returns whether `second` joins `first`, or the run that begins with `first`. */
  takes(first: unknown, second: unknown): boolean;
  /** Returns whether an item comes before the others. */
  isFirst(item: unknown): boolean;
}

/** Reads a conversation with one adapter. */
export function reading<Piece>(
  adapter: Adapter<Piece>,
  source: Source,
  tools: readonly unknown[] | undefined,
): Reading {
  const { list, name, request } = source;
  // By index. The host's list may change in the meantime.
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
      // `forEach` would skip holes, and later messages would come back in the wrong place.
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
  const hasCallsElsewhere = Boolean(request && adapter.continues?.(request)) && addCallsElsewhere(messages);
  const given = tools ?? (request && requestTools(request)) ?? [];
  return {
    format: adapter.format,
    messages,
    tools: adapter.tools(given),
    source,
    withheld,
    demanded: hasCallsElsewhere ? [ELSEWHERE] : [],
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

/** Id of the message with the calls that the server has. */
const ELSEWHERE = "elsewhere";

/**
 * Adds the calls that results answer and the list lacks, because the server has them. Their message has no place in the
 * host's list, so it is never sent; with it, the results are those of a round.
 */
function addCallsElsewhere(messages: NeutralMessage[]): boolean {
  const parts = messages.flatMap((message) => message.parts);
  const known = new Set(parts.map((part) => part.type === "toolCall" && part.callId));
  const isElsewhere = (part: Part) => part.type === "toolResult" && !known.has(part.callId);
  const calls = new Set(parts.filter(isElsewhere).map((part) => (part as { callId: string }).callId));
  if (calls.size === 0) return false;
  const first = messages.findIndex((message) => message.parts.some(isElsewhere));
  const added = Array.from(calls, (callId): Part => ({ type: "toolCall", callId, name: "call", arguments: "{}" }));
  messages.splice(first, 0, { id: ELSEWHERE, role: "assistant", parts: added });
  return true;
}

/**
 * The state of a reading, for a second read of one of its messages. That read writes only here. A copy for each read
 * would copy the state of the whole conversation.
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

/**
 * Returns a function that reads a message again, or an edited version of it. `state` is that of the first read, `name`
 * the name of the list.
 */
export function readsAgain<Piece>(
  adapter: Adapter<Piece>,
  state: ReadonlyMap<string, unknown>,
  name: string,
): Hosts<Piece>["again"] {
  return (at, from) => adapter.read(from, at, `${name}[${at}]`, new Aside(state));
}

/** The host's messages while a plan is applied to them. */
export interface Hosts<Piece> {
  source: Pick<Source, "list">;
  /** Returns the index of the message with an id. */
  place(id: string): number | undefined;
  /** Returns the content of a message that is for the model: the host's own object if that is all of it. */
  original(at: number): Fields;
  /** Reads a message again, or an edited version of it. */
  again(at: number, from: Fields): ReadMessage<Piece>;
}

/** Applies a plan. Returns messages in the host's format. */
export function carriedOut<Piece>(
  adapter: Adapter<Piece>,
  plan: readonly PlanItem[],
  { source, place, original, again }: Hosts<Piece>,
): unknown[] {
  // Adds the host's own reasoning of another message before the parts of a message.
  const withThought = (message: unknown, { from, part }: { from: string; part: number }): unknown => {
    const sourceAt = place(from);
    if (sourceAt === undefined) return message;
    const piece = again(sourceAt, original(sourceAt)).pieces[part];
    const number = piece === undefined ? undefined : adapter.thoughts?.index(piece);
    const thought = number === undefined ? undefined : thoughtAt(original(sourceAt), number);
    return thought === undefined ? message : (prependThought(message as Fields, thought) ?? message);
  };
  // Messages that were adjacent in the host's list stay separate. Messages are joined only where the plan changed
  // something.
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
  const withOwnId = adapter.inAnswer
    ? withoutLostIds(
        adapter.inAnswer,
        original,
        new Set(plan.map((item) => (item.type === "insert" ? undefined : place(item.id)))),
      )
    : (value: unknown) => value;
  for (const item of plan) {
    if (item.type === "insert") {
      for (const value of written(adapter, [item.message], source)) push(value, undefined, item.joins);
      continue;
    }
    const at = place(item.id);
    // The request holds the system prompt outside the messages. It is never edited.
    if (at === undefined) continue;
    const own = original(at);
    if (item.type === "keep") {
      push(withOwnId(own, at), at, item.joins);
      continue;
    }
    const edits = item.parts.filter(({ from }) => from === undefined);
    const whole = (message: unknown) =>
      item.parts.reduceRight(
        (rest, { from, part }) => (from === undefined ? rest : withThought(rest, { from, part })),
        message,
      );
    // Names and ids change first, in copies that keep all parts, so that the other edits find their parts at the same
    // indices.
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
      push(withOwnId(number === 0 ? whole(value) : value, at), at, number > 0 || item.joins);
  }
  return out.map(({ value, run }) => (run && adapter.merge ? merged(run as Fields[], adapter.merge) : value));
}

/** Returns whether both messages are the assistant's, or neither is. */
export function areOneSpeaker(first: unknown, second: unknown, { assistant }: Pick<Merge, "assistant">): boolean {
  const isAssistants = (message: unknown) => (message as Fields)["role"] === assistant;
  return isAssistants(first) === isAssistants(second);
}

/** Joins adjacent messages that the provider wants as one. */
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

/** Joins messages: returns a copy of the first one with the items of all. */
function merged(run: readonly Fields[], { list, item, isFirst }: Merge): unknown {
  const all = run.flatMap((message) => {
    const items = message[list];
    return typeof items === "string" && item ? [item(items, run)] : (items as unknown[]);
  });
  return copy(run[0]!, { [list]: [...all.filter(isFirst), ...all.filter((item) => !isFirst(item))] });
}

/** Returns the conversation without content that is not for the model; the host's own object if there is none. */
export function asSent(reading: Reading): unknown {
  return reading.withheld.length === 0
    ? reading.source.input
    : reading.rebuild(reading.messages.map(({ id }) => ({ type: "keep", id })));
}

/** Returns the changes of fields that rename tools. */
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

/** Returns edits that change only ids and keep all parts. */
function withIds(edits: readonly PartEdit[], length: number): PartEdit[] {
  const all = Array.from({ length }, (_, part): PartEdit => ({ part }));
  for (const { part, callId } of edits) if (callId !== undefined) all[part] = { part, callId };
  return all;
}

/** Joins the pieces of one message in their order, if the format has a list of parts. */
function inOrder(pieces: readonly unknown[], merge: Merge | undefined): readonly unknown[] {
  if (!merge || pieces.length < 2) return pieces;
  const { list } = merge;
  return [copy(pieces[0] as Fields, { [list]: pieces.flatMap((piece) => (piece as Fields)[list]) })];
}

/**
 * Splits edits into runs with ascending parts. Adapters keep the order of parts, so a message whose parts change their
 * order is split.
 */
function runs(edits: readonly PartEdit[]): PartEdit[][] {
  const out: PartEdit[][] = [[]];
  for (const edit of edits) {
    const last = out.at(-1)!;
    if (last.length === 0 || last.at(-1)!.part < edit.part) last.push(edit);
    else out.push([edit]);
  }
  return out;
}
