/**
 * Prompt caches: marks, shared prefixes, prices. The core decides over neutral messages; this file sets the marks on
 * copies of the host's messages.
 */

import { badOption as bad } from "../errors/errors.ts";
import { counting } from "../calls/reading.ts";
import { listedTools } from "../formats/tools.ts";
import { copy } from "../formats/values.ts";
import type { Reading } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import { RULES, readConversation } from "../formats/index.ts";
import { WHOLE } from "../formats/marks.ts";
import type { Fact, How, Marked, Marks, Wanted } from "../formats/marks.ts";
import { call, wasm } from "../engine/engine.ts";
import { fullPrices } from "../tokens/usage.ts";
import type {
  CacheCost,
  CacheCostOptions,
  CacheLifetime,
  ClearingDecision,
  ClearingOptions,
  MarkOptions,
  MarkResult,
  NewestMark,
  PlacedMark,
  PrefixOptions,
  SharedPrefix,
} from "../types/cache.ts";
import { check } from "../options/check.ts";
import { CACHE_COST, CLEARING, MARKS, PREFIX } from "../options/schemas/requests.ts";

/** A mark of the engine, on a tool or a message by index. */
type Placed<M> = M & { place: { tool: number } | { message: { message: number; part?: number } } };
interface Placement {
  marks: Placed<Pick<PlacedMark, "lifetime" | "why">>[];
  unmarked: Placed<Pick<MarkResult<unknown>["unmarked"][number], "why">>[];
  newest?: NewestMark;
}

/** Max marks in one request, for providers with marks. */
const MOST = 4;

/**
 * Places cache marks: on the tools and the system prompt, on the newest message, at the previous request's newest mark,
 * and on the newest summary or request, as far as marks are left. Existing marks count. The marks never exceed the
 * provider's limit: the oldest in messages make room. Calling it again changes nothing. The input is never changed.
 * Formats without marks (Gemini, OpenAI Responses) are returned unchanged, and so is a chat request for a model of
 * OpenAI, whose server caches by itself and refuses the field, unless `style`, `scheme` or `profile` says that another
 * server gets it.
 *
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { placeMarks } from "espalier/cache";
 *
 * const client = new Anthropic();
 * const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Why does the build fail?" }];
 * const request = { model: "claude-opus-4-8", max_tokens: 1_000, system: "You mend builds.", messages };
 * const { messages: marked, marks, newest } = placeMarks(request, { minPrefixTokens: 0 });
 * const reply = await client.messages.create(marked);
 * marks.map(({ why }) => why); // => ["system", "newest"]
 *
 * messages.push({ role: "assistant", content: reply.content }, { role: "user", content: "Mend it." });
 * const next = placeMarks(request, { minPrefixTokens: 0, previousNewest: newest });
 * next.marks.map(({ why }) => why); // => ["system", "previous", "newest"]
 * ```
 *
 * @throws EspalierError `bad_option`, and the errors of {@link countMessages}
 */
export function placeMarks<T>(messages: T, options: MarkOptions = {}): MarkResult<T> {
  const settings = markSettings(options);
  const { system: apart } = options;
  const given = options.tools && listedTools(options.tools);
  // Reads a list with a separate system prompt as one request.
  const isRequest = !Array.isArray(messages);
  const input: unknown = isRequest || apart === undefined || apart === null ? messages : { system: apart, messages };
  const reading = readConversation(input, options);
  const wire = RULES[reading.format].marks;
  const result: MarkResult<T> = {
    messages,
    marks: [],
    unmarked: [],
    ...(given && { tools: given }),
    ...(!isRequest && apart !== undefined && { system: apart }),
  };
  if (!wire) return result;
  const { prefix, schemes } = wire;
  if (settings.scheme !== undefined && !schemes.includes(settings.scheme))
    throw bad("scheme", `"${schemes.join('" or "')}", as the format is`, settings.scheme);
  const { request = {}, list } = reading.source;
  const model = options.model ?? (typeof request["model"] === "string" ? request["model"] : wire.prefix?.model);
  const isChosen = [options.scheme, options.style, options.profile].some((choice) => choice !== undefined);
  if (!isChosen && model !== undefined && wire.refusedBy !== undefined && companyOf(model) === wire.refusedBy)
    return result;
  const carriers: Carriers = {
    reading,
    wire,
    how: { ...options, list },
    tools: prefix ? (given ?? (Array.isArray(request["tools"]) ? (request["tools"] as unknown[]) : [])) : [],
    spots: reading.messages.map((_, index) => spotOf(reading, index, prefix)),
  };
  const placement = place(carriers, settings, options, model);
  const placed = <M extends Placed<object>>({ place, ...mark }: M) => {
    if ("tool" in place) return { ...place, ...mark };
    const { message: index, ...part } = place.message;
    return { message: reading.messages[index]!.id, index, ...part, ...mark };
  };
  const marks = placement.marks.map(placed);
  const marked = mark(carriers, marks, apart);
  const changes: Fields = {
    ...(marked.list !== list && { [reading.source.name]: marked.list }),
    ...(isRequest && marked.system !== request["system"] && { system: marked.system }),
    ...(isRequest && !given && marked.tools !== carriers.tools && { tools: marked.tools }),
  };
  const out = !isRequest ? marked.list : Object.keys(changes).length > 0 ? copy(messages as object, changes) : messages;
  return {
    messages: out as T,
    ...(given && { tools: prefix ? marked.tools : given }),
    ...(!isRequest && apart !== undefined && { system: marked.system }),
    marks,
    unmarked: placement.unmarked.map(placed),
    ...(placement.newest && { newest: placement.newest }),
  };
}

/** What of a request can carry marks. */
interface Carriers {
  reading: Reading;
  wire: Marks;
  how: How;
  /** Tool definitions, for formats that mark them. */
  tools: readonly unknown[];
  /** One for each neutral message. */
  spots: (Marked & { isApart: boolean })[];
}

/** Asks the engine where marks go. */
function place(
  { reading, wire, how, tools, spots }: Carriers,
  settings: ReturnType<typeof markSettings>,
  options: MarkOptions,
  model: string | undefined,
): Placement {
  const { prefix, schemes, lasts } = wire;
  const { profile, lifetime, summary, maxMarks = MOST } = settings;
  const minimum =
    settings.minPrefixTokens ?? (profile === "copilot-chat" ? 0 : call(() => wasm().minimumPrefix(model ?? "")));
  // An encoding is needed only for counting.
  const counted = minimum > 0 ? counting(reading, options) : { tools: reading.tools };
  const fields = {
    profile,
    scheme: settings.scheme ?? schemes[0],
    minimum,
    minimumModel: model,
    previous: settings.previousNewest,
    maxMarks: Math.max(0, maxMarks - (prefix?.reserved(reading.source.request ?? {}) ?? 0)),
    prefixLifetime: lasts ? lifetime.prefix : "5m",
    messageLifetime: lasts ? lifetime.messages : "5m",
    summary: summary === undefined ? undefined : idOf(reading, summary),
  };
  const facts = spots.map((spot): Fact[] =>
    spot.isApart && !prefix ? spot.parts.map((_, part) => ({ part, can: false })) : wire.facts(spot, how),
  );
  const bare = reading.messages.map((message, index) => ({ ...message, parts: spots[index]!.parts }));
  const toolFacts = Uint32Array.from(tools.flatMap((tool) => toolNumbers(prefix!.toolFact(tool))));
  const partFacts = Uint32Array.from(facts.flatMap(partNumbers));
  return call(() => wasm().placeMarks(bare, counted, fields, toolFacts, partFacts) as Placement);
}

/** Returns the list, the system prompt and the tools with these marks; each is the same object if it has no other. */
function mark({ reading, wire, how, tools, spots }: Carriers, marks: readonly PlacedMark[], apart: unknown) {
  const { prefix } = wire;
  const { onTools, onMessages } = wantedBy(marks);
  const applied = spots.map((spot, index) =>
    spot.isApart && !prefix ? spot.message : wire.apply(spot, onMessages.get(index) ?? new Map(), how),
  );
  const { list } = reading.source;
  return {
    list: same(
      list,
      applied.filter((_, index) => !spots[index]!.isApart),
    ),
    system: spots[0]?.isApart ? applied[0]!["content"] : apart,
    tools: same(
      tools,
      tools.map((tool, at) => prefix!.markTool(tool, onTools.get(at))),
    ),
  };
}

/** Returns what can carry a mark of a neutral message; that of a system prompt apart from the list is `isApart`. */
function spotOf(reading: Reading, index: number, prefix: Marks["prefix"]): Marked & { isApart: boolean } {
  const { id, parts } = reading.messages[index]!;
  const { list, request = {} } = reading.source;
  const at = index - (reading.messages.length - list.length);
  const isApart = at < 0;
  const system = request["system"];
  const pieces = isApart ? (prefix?.pieces(system) ?? []) : reading.pieces(id);
  // Marks are passed as facts, so that parts have the same numbers with and without them.
  const isPart = (number: number) => parts[number]?.type !== "cacheMark";
  return {
    message: isApart ? { content: system } : (list[at] as Fields),
    parts: parts.filter((_, number) => isPart(number)),
    pieces: pieces.filter((_, number) => isPart(number)),
    isApart,
  };
}

/** Returns the lifetimes of marks by tool, and by message and part. */
function wantedBy(marks: readonly PlacedMark[]): {
  onTools: Map<number, CacheLifetime>;
  onMessages: Map<number, Wanted>;
} {
  const onTools = new Map<number, CacheLifetime>();
  const onMessages = new Map<number, Map<number, CacheLifetime>>();
  for (const mark of marks) {
    if ("tool" in mark) {
      onTools.set(mark.tool, mark.lifetime);
      continue;
    }
    const wanted = onMessages.get(mark.index) ?? new Map<number, CacheLifetime>();
    onMessages.set(mark.index, wanted.set(mark.part ?? WHOLE, mark.lifetime));
  }
  return { onTools, onMessages };
}

/** Returns the company that makes a model, if its name is known. */
function companyOf(model: string): string | undefined {
  return (call(() => wasm().modelFacts(model)) as { provider: string } | null | undefined)?.provider;
}

/** Returns the same list if no item changed. */
function same<V>(before: readonly V[], after: readonly V[]): readonly V[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}

/** Facts cross as numbers: 0 for no mark, 1 for five minutes, 2 for an hour. */
const markNumber = (mark: CacheLifetime | undefined) => (mark === undefined ? 0 : mark === "5m" ? 1 : 2);

function toolNumbers({ can, mark }: Omit<Fact, "part">): number[] {
  return [Number(!can), markNumber(mark)];
}

function partNumbers(list: readonly Fact[], message: number): number[] {
  return list.flatMap(({ part = -1, can, mark }) => [message, part + 1, Number(can), markNumber(mark)]);
}

function idOf(reading: Reading, summary: string | number): string {
  const id = typeof summary === "number" ? `m${summary}` : summary;
  if (!reading.messages.some((message) => message.id === id))
    throw bad("summary", "the id or index of a message", summary);
  return id;
}

function markSettings(options: MarkOptions) {
  const {
    profile = "espalier",
    scheme,
    maxMarks,
    lifetime,
    previousNewest,
    minPrefixTokens,
    summary,
  } = check(options, MARKS);
  return {
    profile,
    scheme,
    maxMarks,
    minPrefixTokens: minPrefixTokens,
    summary,
    lifetime: lifetimes(lifetime),
    previousNewest: previousNewest ?? undefined,
  };
}

function lifetimes(given: MarkOptions["lifetime"]): { prefix: CacheLifetime; messages: CacheLifetime } {
  const { prefix, messages } = typeof given === "string" ? { prefix: given, messages: given } : (given ?? {});
  if (prefix === "5m" && messages === "1h")
    throw bad("lifetime.messages", "no longer than lifetime.prefix, since longer lifetimes come first", messages);
  return { prefix: prefix ?? messages ?? "5m", messages: messages ?? "5m" };
}

/**
 * Returns the prefix that two consecutive requests share, which a provider's cache can serve: equal messages, their
 * tokens, and the first difference. With the report of the {@link prune} or {@link compact} that made the newer request
 * it names the rule behind the difference. Cache marks are not compared.
 *
 * ```ts
 * import { stablePrefix } from "espalier/cache";
 *
 * const last = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello" }];
 * const grown = [...last, { role: "assistant", content: "Hi!" }, { role: "user", content: "Why does it fail?" }];
 * stablePrefix(last, grown).extends; // => true
 *
 * const changed = [{ role: "system", content: "Be polite." }, ...grown.slice(1)];
 * stablePrefix(last, changed).difference; // => { index: 0, id: "m0", part: 0, kind: "text", offset: 3 }
 * ```
 *
 * @throws EspalierError as {@link countMessages}
 */
export function stablePrefix(previous: unknown, messages: unknown, options: PrefixOptions = {}): SharedPrefix {
  const next = readConversation(messages, check(options, PREFIX));
  const { previousTools, tools, format = next.format, report, previousReport, counts, ...others } = options;
  const before = readConversation(previous, {
    ...others,
    format,
    ...((previousTools ?? tools) && { tools: previousTools ?? tools! }),
  });
  if (counts !== undefined && counts.length !== next.messages.length)
    throw bad("counts", `one number for each of the ${next.messages.length} messages`, counts);
  const rows = (given: PrefixOptions["report"]) => given?.messages.map(({ id, fate, rule }) => ({ id, fate, rule }));
  const reports = { rows: rows(report), previousRows: rows(previousReport) };
  const [older, newer] = [{ tools: before.tools }, counting(next, options)];
  const held = Float64Array.from(counts ?? []);
  return call(
    () =>
      wasm().stablePrefix(
        before.messages,
        next.messages,
        older,
        newer,
        reports,
        identical(before, next),
        held,
      ) as SharedPrefix,
  );
}

/** Returns how many messages at the beginning are identical objects, which need no comparison. */
function identical(before: Reading, next: Reading): number {
  const apart = ({ messages, source }: Reading) => messages.length - source.list.length;
  const own = apart(next);
  if (before.format !== next.format || apart(before) !== own) return 0;
  // A separate system prompt is not an object of its own.
  if (own > 0 && JSON.stringify(before.messages[0]?.parts) !== JSON.stringify(next.messages[0]?.parts)) return 0;
  const [one, other] = [before.source.list, next.source.list];
  const end = Math.min(one.length, other.length);
  let same = 0;
  while (same < end && one[same] === other[same]) same += 1;
  return own + same;
}

/**
 * Returns the expected cost of a request, given the prefix that it shares with the previous one.
 *
 * ```ts
 * import { cacheCost } from "espalier/cache";
 *
 * const { cost, withoutCache } = cacheCost({ total: 90_000, shared: 85_000, output: 1_000 });
 * cost; // => 19750
 * withoutCache; // => 95000
 * ```
 *
 * @throws EspalierError `bad_option` with the path of the value that is out of range
 */
export function cacheCost(options: CacheCostOptions): CacheCost {
  const { total, shared = 0, marked = total, output = 0, hitRate = 1, prices, lifetime } = check(options, CACHE_COST);
  return call(
    () => wasm().cacheCost(fullPrices(prices, lifetime), total, shared, marked, output, hitRate) as CacheCost,
  );
}

/**
 * Tells whether it pays to remove tokens from a cached prefix (by clearing results, by pruning, by a summary): the
 * tokens behind them are written to the cache again once, and from then on less is read. With price r of a cached
 * token, w of a written one and hit rate h, a kept token costs p = h r + (1 - h) w, and over n requests
 *
 *     saved = n (cleared - replacement) p - (replacement + suffix)(w - p) - extra
 *
 * ```ts
 * import { clearingPays } from "espalier/cache";
 *
 * const { pays, breakEven } = clearingPays({ cleared: 30_000, suffix: 20_000, requests: 10 });
 * pays; // => true
 * breakEven; // => 8
 * ```
 *
 * @throws EspalierError `bad_option` with the path of the value that is out of range
 */
export function clearingPays(options: ClearingOptions): ClearingDecision {
  const { prices, lifetime, ...plan } = check(options, CLEARING);
  return call(() => wasm().clearingPays(fullPrices(prices, lifetime), plan) as ClearingDecision);
}
