/**
 * What hosts call. Every function reads the host's messages into the neutral model, makes one crossing, and rebuilds the host's own
 * format from the plan, so that whatever was not changed is the caller's own object.
 */

import { isFields } from "../formats/adapter.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import { readConversation } from "../formats/index.ts";
import { IMAGE_BYTES, imageModel, imageSizes, resultPictures } from "../tokens/images.ts";
import { neutralPart } from "../formats/neutral/read.ts";
import { unledBy } from "../formats/thinking.ts";
import { asking, modelLimit, llmRequest, wish } from "./asking.ts";
import { defined, given, needFunction, needNames, needSignal, needText, plain } from "../options/checks.ts";
import { drive } from "../engine/drive.ts";
import { serverItems } from "../validity/server-items.ts";
import type { Operation } from "../engine/drive.ts";
import { call, isCrash, wasm } from "../engine/engine.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { hostTokenizer } from "../tokens/host-tokenizer.ts";
import { exceeded } from "../errors/exceeded.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import { mendings, needProvider, providerOf, sendable } from "../validity/sendable.ts";
import { fullPrices } from "../tokens/usage.ts";
import { encodingOf } from "../tokens/count.ts";
import type {
  Breakdown, BreakdownOptions, CompactOptions, CompactReport, CompactResult, CountOptions, CountReport, Edit, LedgerRules, LimitSource, ModelLimits, Origin, Part, PlanItem, PruneCut, PruneOptions,
  Profile, ProfileDifference, ProfileFields, ProfileName, PrunePass, PruneReport, PruneResult, Removal, Role, SummarizeOptions, SummarizeResult, ToolDialect, ToolRule, ToolList, ToolsReport,
} from "../types.ts";
import { DIALECTS } from "../sessions/dialects.ts";
import { known, knownIn, noSlip } from "../options/known.ts";
import { windowByName } from "../options/windows.ts";
import { BREAKDOWN, COMPACT, COUNT, COUNT_PART, COVER, LEDGER, MODEL, PRUNE, ROOM, SUMMARIZE, TOOL_RULE } from "../options/names.ts";

export { count } from "../tokens/count.ts";

/**
 * What a conversation costs, in all and message by message.
 *
 * ```ts
 * import { countMessages } from "espalier";
 *
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Why does the build fail?" }];
 * const { total, perMessage } = countMessages(messages, { model: "gpt-4o" });
 * total; // => 20
 * perMessage.map(({ tokens }) => tokens); // => [7, 10]
 * ```
 *
 * @param messages The messages, or a whole request object, of any provider that {@link CountOptions.format} names.
 * @throws EspalierError `unknown_format`, `bad_message`, `bad_option`, `unknown_encoding`, `encoding_not_loaded`
 */
export function countMessages(messages: unknown, options: CountOptions = {}): CountReport {
  const reading = read(messages, known(options, COUNT));
  const fields = counting(reading, options);
  return call(() => wasm().countMessages(reading.messages, fields) as CountReport);
}

/**
 * What tool definitions cost: all of them, each of them, and what having any costs (`overhead`).
 *
 * ```ts
 * import { countTools } from "espalier";
 *
 * const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
 * const tools = [{ type: "function", function: { name: "read_file", description: "Reads a file.", parameters } }];
 * const { total, perTool, overhead } = countTools(tools, { model: "gpt-4o" });
 * perTool; // => [{ name: "read_file", tokens: 33 }]
 * total === overhead + 33; // => true
 * ```
 *
 * @param tools A list, or an object by name as the AI SDK has it.
 * @throws EspalierError `bad_option` for a definition that makes no sense; `unknown_encoding`, `encoding_not_loaded`
 */
export function countTools(tools: ToolList, options: Omit<CountOptions, "tools"> = {}): ToolsReport {
  const { tools: total, perTool, origin, encoding, costModel } = countMessages([], { ...known(options, COUNT), tools });
  return { total, overhead: perTool.reduce((left, { tokens }) => left - tokens, total), perTool, origin, encoding, costModel };
}

/**
 * What one part of the neutral model costs by itself. The parts of a message need not sum to the message: neighbouring texts are
 * joined before they are counted.
 *
 * ```ts
 * import { countPart } from "espalier";
 *
 * const url = "https://example.com/diagram.png";
 * const imageSize = () => ({ width: 1_000, height: 750 });
 * countPart({ type: "image", url }, { model: "claude-sonnet-4-5", imageSize }).tokens; // => 1000
 * ```
 *
 * @throws EspalierError `bad_input` with the path of what is wrong with the part; and the errors of {@link countMessages}
 */
export function countPart(part: Part, options: Omit<CountOptions, "tools"> & { role?: Role } = {}): { tokens: number; origin: Origin } {
  const { role = "user", ...others } = known(options, COUNT_PART);
  const own = neutralPart(part, "part", "bad_input");
  needText(role, "role", "a role");
  needText(others.format, "format", "the name of a format");
  const reading = read([{ id: "part", role, parts: [own] }], { format: "espalier" });
  const fields = { ...counting(reading, others), format: others.format };
  return call(() => wasm().countPart(own, role, fields) as { tokens: number; origin: Origin });
}

/**
 * Where the tokens of a request go: system, tool definitions, messages, files, tool results, and what is left of the window.
 *
 * ```ts
 * import { breakdown } from "espalier";
 *
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Why does the build fail?" }];
 * const { shares, free } = breakdown(messages, { room: { window: 128_000, outputReserve: 8_000 } });
 * shares.find(({ label }) => label === "Messages")?.tokens; // => 13
 * free; // => 119980
 * ```
 *
 * @throws EspalierError as {@link countMessages}
 */
export function breakdown(messages: unknown, options: BreakdownOptions = {}): Breakdown {
  const reading = read(messages, known(options, BREAKDOWN));
  const { room = {}, tags } = options;
  known(room, ROOM, "options.room");
  if (tags !== undefined && !isFields(tags)) throw bad("tags", "labels by tag", tags);
  for (const [tag, label] of Object.entries(tags ?? {})) needText(label, `tags.${tag}`, "a label");
  for (const name of ["window", "outputReserve", "blockLine", "reported"] as const) tokens(room, name, false, "options.room");
  const fields = { ...counting(reading, options), room, tags: tags && Object.entries(tags) };
  return call(() => wasm().breakdown(reading.messages, fields) as Breakdown);
}

/**
 * Cuts a request to a budget: older turns go first, each whole or down to its newest rounds, then early rounds of the newest request; then
 * what is left becomes smaller. System messages, the newest request and the newest round stay, calls and results stay together, and removal
 * stops as soon as the request fits. A single result over a quarter of the limit is shortened before anything goes. The input is
 * never changed.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { prune } from "espalier";
 *
 * const messages: object[] = JSON.parse(await readFile("session.json", "utf8"));
 * const { messages: request, report } = prune(messages, { budget: 16_000 });
 * report.after.total <= 16_000; // => true
 * report.removed[0]?.ids; // => ["m2", "m3"]
 * report.removed[0]?.why; // => "a round before the newest request, oldest first"
 *
 * // The next request begins like this one while that is possible, so that the provider's cache holds.
 * messages.push({ role: "assistant", content: "They pass." }, { role: "user", content: "Commit it." });
 * const next = prune(messages, { budget: 16_000, previous: report.cut, cacheStep: 0.1 });
 * next.messages[2] === request[2]; // => true
 * ```
 *
 * @throws EspalierError `budget_exceeded` (with `details.needed` and `details.largest`) if what must stay does not fit; and the
 * errors of {@link countMessages}
 */
export function prune<T>(messages: T, options: PruneOptions = {}): PruneResult<T> {
  const reading = read(messages, known(options, PRUNE));
  const { limitSource, ...fields } = pruneFields(reading, options);
  const { plan, ...report } = call(() => wasm().prunePlan(reading.messages, fields) as PruneReport & { plan: PlanItem[] });
  return { messages: reading.rebuild(plan) as T, report: { ...report, removed: [...withheld(reading), ...report.removed], limitSource } };
}

/** What is not for the model was never part of a request: it costs nothing, and is told all the same. */
export function withheld(reading: Reading): Removal[] {
  return reading.withheld.map((id) => ({ ids: [id], rule: "audience", why: "parts of a result that are not for the model", tokens: 0, recall: id }));
}

const PASSES: readonly PrunePass[] = ["oversize", "turns", "rounds", "requests", "currentRounds", "results", "arguments", "media"];
const ORDERS: Record<"drop" | "shrink", readonly PrunePass[]> = {
  drop: ["oversize", "turns", "currentRounds", "results", "arguments", "media"],
  shrink: ["oversize", "results", "turns", "currentRounds", "arguments", "media"],
};

/** The options of {@link prune} as the core takes them, checked. */
export function pruneFields(reading: Reading, options: PruneOptions) {
  const { headroom = 0, backfill = false, note = false, sentenceShare = 0, cacheStep = 0, dropMedia = "none", maxImageBytes = IMAGE_BYTES, previous, priorities, provider } = options;
  const { tokens: budget, source: limitSource } = limitFor(options);
  tokens(options, "headroom", false);
  if (maxImageBytes !== Infinity) tokens(options, "maxImageBytes", false);
  needProvider(provider);
  for (const name of ["backfill", "note", "serverManaged"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean") throw bad(name, "true or false", options[name]);
  }
  if (typeof sentenceShare !== "number" || !(sentenceShare >= 0 && sentenceShare <= 1)) throw bad("sentenceShare", "a number from 0 to 1", sentenceShare);
  if (typeof cacheStep !== "number" || !(cacheStep >= 0 && cacheStep <= 1)) throw bad("cacheStep", "a number from 0 to 1", cacheStep);
  if (!["none", "old", "all"].includes(dropMedia)) throw bad("dropMedia", `"none", "old" or "all"`, dropMedia);
  const pictures = resultPictures(reading, maxImageBytes);
  return {
    ...counting(reading, { ...options, model: modelOf(options.model).name }),
    ...(provider !== undefined && { format: provider, written: reading.format }),
    ...(pictures.length > 0 && { pictures: JSON.stringify(pictures), pictureBytes: maxImageBytes }),
    budget, limitSource, headroom, backfill, note, sentenceShare, cacheStep, dropMedia,
    keep: [...kept(reading, options.keep), ...serverItems(reading)],
    order: orderOf(options.order),
    priorities: prioritiesOf(priorities),
    previous: previous === undefined ? undefined : JSON.stringify(plain(cutOf(previous), "options.previous")),
  };
}

/** What a request may have, and who says so. */
export function limitFor(options: Pick<PruneOptions, "budget" | "model">): { tokens: number; source: LimitSource } {
  tokens(options, "budget", false);
  const { name, maxPromptTokens, maxContextWindowTokens, outputReserve } = modelOf(options.model);
  const isStated = [options.budget, maxPromptTokens, maxContextWindowTokens].some((stated) => stated !== undefined);
  const window = isStated ? undefined : windowByName(name);
  const limit = call(() => wasm().limitOf(options.budget, maxPromptTokens, maxContextWindowTokens ?? window, outputReserve) as { tokens: number; source: LimitSource });
  return window === undefined ? limit : { ...limit, source: "modelName" };
}

/** A model's name alone, or all that is known of it. */
export function modelOf(model: string | ModelLimits | undefined, option = "model"): ModelLimits {
  if (model === undefined || typeof model === "string") return model === undefined ? {} : { name: model };
  if (typeof model !== "object" || model === null) throw bad(option, "the name of a model or its limits", model);
  noSlip(model, MODEL, `options.${option}`);
  const limits: ModelLimits = {};
  for (const field of ["maxPromptTokens", "maxContextWindowTokens", "outputReserve", "defaultTier"] as const) {
    tokens(model, field, false, `options.${option}`);
    if (model[field] !== undefined) limits[field] = model[field];
  }
  tokens(model, "maxInputTokens", false, `options.${option}`);
  if (limits.maxPromptTokens === undefined && model.maxInputTokens !== undefined) limits.maxPromptTokens = model.maxInputTokens;
  if (model.surcharge !== undefined && typeof model.surcharge !== "boolean") throw bad(`${option}.surcharge`, "true or false", model.surcharge);
  if (model.surcharge !== undefined) limits.surcharge = model.surcharge;
  if (model.name !== undefined && typeof model.name !== "string") throw bad(`${option}.name`, "the name of a model", model.name);
  return { ...(model.name !== undefined && { name: model.name }), ...limits };
}

function orderOf(order: PruneOptions["order"]): readonly PrunePass[] | undefined {
  if (order === undefined) return undefined;
  if (typeof order === "string" && Object.hasOwn(ORDERS, order)) return ORDERS[order];
  if (!Array.isArray(order)) throw bad("order", `"drop", "shrink" or a list of passes`, order);
  order.forEach((pass: unknown, at) => {
    if (!PASSES.includes(pass as PrunePass)) throw bad(`order[${at}]`, `one of ${PASSES.join(", ")}`, pass);
  });
  return order as readonly PrunePass[];
}

function prioritiesOf(priorities: PruneOptions["priorities"]): [string, number][] {
  if (priorities === undefined) return [];
  if (typeof priorities !== "object" || priorities === null) throw bad("priorities", "an object of numbers by message id", priorities);
  const pairs = Object.entries(priorities);
  for (const [id, priority] of pairs) {
    if (typeof priority !== "number" || Number.isNaN(priority)) throw bad(`priorities.${id}`, "a number", priority);
  }
  return pairs;
}

/** A cut comes back from wherever the host kept it. The core names what is missing; numbers it would take silently. */
function cutOf(previous: PruneCut): PruneCut {
  if (typeof previous !== "object" || previous === null) throw bad("previous", "the cut of an earlier report", previous);
  tokens(previous, "limit", true, "options.previous");
  const { shortened } = previous;
  if (Array.isArray(shortened)) {
    shortened.forEach((item: object, at) => {
      if (typeof item !== "object" || item === null) throw bad(`previous.shortened[${at}]`, "an object", item);
      const within = `options.previous.shortened[${at}]`;
      tokens(item as { part?: number }, "part", true, within);
      for (const name of ["item", "limit"] as const) tokens(item as { item?: number; limit?: number }, name, false, within);
    });
  }
  return previous;
}

/**
 * Replaces older history by a summary, so that the request fits its budget. The summary is written by `options.llm`, or by rules
 * alone when there is none or when it fails (see `onFailure`). The result is within its budget, or the call throws. The newest request,
 * the newest rounds and system messages stay; what was covered is listed in the report and in `edits`.
 *
 * ```ts
 * import OpenAI from "openai";
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 *
 * const client = new OpenAI();
 * const messages: OpenAI.ChatCompletionMessageParam[] = JSON.parse(await readFile("session.json", "utf8"));
 * const { status, messages: compacted, report } = await compact(messages, {
 *   budget: 8_000,
 *   llm: async ({ messages }, { signal }) => {
 *     const reply = await client.chat.completions.create({ model: "gpt-4o-mini", messages }, { signal });
 *     return { text: reply.choices[0]?.message.content ?? "", usage: reply.usage };
 *   },
 * });
 * status; // => "applied"
 * report.after.total <= 8_000; // => true
 * ```
 *
 * @throws EspalierError as {@link prune}; `compaction_failed` if the model fails, `onFailure` is `leave` and the request does not fit
 */
export async function compact<T>(messages: T, options: CompactOptions): Promise<CompactResult<T>> {
  const fields = compactFields(options);
  const reading = read(messages, options);
  const { keep, cover, ...rest } = fields;
  const { source: { list }, messages: neutral } = reading;
  // A system prompt of its own comes first.
  const thinking = unledBy(reading.format, list, (at) => neutral[at + neutral.length - list.length]!.id);
  const all = { ...counting(reading, options), ...rest, keep: kept(reading, keep), ...(cover && { cover: within(reading, cover) }), thinking };
  const { plan, edits, report } = await operated(() => reading, options, () => new (wasm().Compaction)(reading.messages, all));
  refuseUnfit(report, options.budget);
  return soundly({ status: report.status, messages: reading.rebuild(plan) as T, edits, report }, reading, options);
}

/** What was to change nothing must not be sent if it does not fit. Who aborted sends nothing. */
function refuseUnfit(report: CompactReport, budget: number): void {
  const { status, after: { total }, model, steps } = report;
  if (total <= budget || status === "cancelled") return;
  const why = model?.error ?? steps.at(-1)?.why ?? status;
  const message = `Nothing was changed (${status}: ${why}), and the request has ${total} tokens where the budget allows ${budget}. Without onFailure: "leave" rules write the summary`;
  throw new EspalierError({ code: "compaction_failed", message, path: "options.budget", details: { status, budget, needed: total, report } });
}

/** Most cuts of one result: mending what is left of it may make it longer, so that less may be left. */
const CUTS = 8;

/** What was made to fit keeps its provider's rules, whatever the host's own messages do; what was left alone stays as it is. */
function soundly<T>(result: CompactResult<T>, reading: Reading, options: CompactOptions): CompactResult<T> {
  const { format, source } = reading;
  const provider = providerOf(format, options.provider);
  const { report } = result;
  if (provider === undefined || result.status !== "applied") return result;
  const ids = new Map(source.list.map((message, at) => [message, idAt(reading, at)!]));
  const { budget, encoding, tokenizer, model, costModel, images, imageSize, tools } = options;
  const how = { format, ...defined({ encoding, tokenizer, model, costModel, images, imageSize, tools }) };
  let { messages } = result;
  let pruned: Removal[] = [];
  for (let [cut, room] = [0, budget]; ; cut += 1) {
    const list = findSource(messages)?.list ?? [];
    const { messages: mended, changes } = sendable(messages, format, provider, model);
    if (mended === messages && cut === 0) return result;
    const { total, frame, conversation, messages: many } = countMessages(mended, how);
    if (total <= budget) {
      const removed = [...report.removed, ...pruned, ...mendings(changes, (at) => [ids.get(list[at])].flatMap((id) => id ?? []))];
      const before = report.after.total;
      const step = { step: "repair", outcome: "applied" as const, tokensBefore: before, tokensAfter: total, why: "its provider would have refused what was left" };
      const steps = [...report.steps, ...(total === before ? [] : [step])];
      return { ...result, messages: mended, report: { ...report, after: { ...report.after, total, frame, conversation, messages: many }, removed, steps } };
    }
    if (cut === CUTS) throw exceeded(new EspalierError({ code: "budget_exceeded", message: "its provider takes what is left in a longer form", details: { needed: total, budget } }), { budget, path: "options.budget" });
    room = Math.max(0, room - (total - budget));
    const all = findSource(result.messages)?.list ?? [];
    const stay = new Set(kept(reading, options.keep));
    // Messages of a result are numbered anew.
    const named = (id: string) => (format === "espalier" ? id : ids.get(all[Number(id.slice(1))]));
    try {
      const fitted = prune(result.messages, { ...how, budget: room, keep: all.flatMap((message, at) => (stay.has(ids.get(message) ?? "") ? [at] : [])) });
      messages = fitted.messages;
      pruned = fitted.report.removed.map((removal) => ({ ...removal, ids: removal.ids.flatMap((id) => named(id) ?? []) }));
    } catch (error) {
      throw exceeded(error, { budget, spare: budget - room, path: "options.budget", named: (id) => named(id) ?? id });
    }
  }
}

/**
 * The same for messages whose counts are held: `begin` makes the operation from the options as the core takes them, and `messages` gives
 * neutral copies of them, which only a model's request needs. Ids in `keep` and `cover` are taken as they are.
 *
 * @internal
 */
export async function compactHeld(
  messages: () => unknown, options: CompactOptions, begin: (fields: object) => Compacting, after?: Clock["after"],
): Promise<Omit<CompactResult<unknown>, "messages">> {
  const { keep = [], ...rest } = compactFields(options);
  if (!Array.isArray(keep)) throw bad("keep", "a list of ids of messages", keep);
  keep.forEach((id: unknown, at) => {
    if (typeof id !== "string" && typeof id !== "number") throw bad(`keep[${at}]`, "the id of a message", id);
  });
  const { model } = options;
  const fields = { ...rest, keep: keep.map(String), model };
  let reading: Reading | undefined;
  const { edits, report } = await operated(() => (reading ??= read(messages(), options)), options, () => begin(fields), after);
  return { status: report.status, edits, report };
}

/**
 * A record of a conversation for whoever goes on with the work elsewhere. Nothing of the conversation changes, and any model can write it:
 * results in its input have at most 2,000 tokens each. A model that fails is a `status`, not an empty text.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { summarize } from "espalier";
 * import { openai } from "espalier/providers";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { llm } = openai({ model: "gpt-4o-mini", apiKey: process.env.OPENAI_API_KEY });
 * const { status, record } = await summarize(messages, { purpose: "handoff", llm });
 * status; // => "applied"
 * const elsewhere = [{ role: "user", content: record }]; // the first message of another session
 * ```
 *
 * @throws EspalierError as {@link countMessages}
 */
export async function summarize(messages: unknown, options: SummarizeOptions): Promise<SummarizeResult> {
  const { purpose, llm, llmBudget = Number.MAX_SAFE_INTEGER, onFailure = "leave" } = known(options, SUMMARIZE);
  if (purpose !== "handoff") throw bad("purpose", '"handoff"', purpose);
  if (typeof llm !== "function") throw bad("llm", "a function", llm);
  // What else compactions may be told has no meaning here.
  const { focus, signal, timeout, onProgress, ledger, sections, verify, llmModel, modelRules, instructions, jobId, profile, onFailure: _failing, ...counts } = options;
  const asked = { focus, signal, timeout, onProgress, ledger, sections, verify, llmModel, modelRules, instructions, jobId, profile, onFailure };
  const said = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const { encoding, tokenizer, model, costModel, images, imageSize, format, tools } = counts;
  const how = Object.fromEntries(Object.entries({ encoding, tokenizer, model, costModel, images, imageSize, format, tools }).filter(([, value]) => value !== undefined));
  const all: CompactOptions = { ...how, ...said, llm, llmBudget, budget: Number.MAX_SAFE_INTEGER, trigger: "manual" };
  const { keep: _, cover: __, asking, ...rest } = compactFields(all);
  const reading = read(messages, all);
  const fields = { ...counting(reading, all), ...rest, keep: [], asking: { ...asking, isHandover: true } };
  const { report } = await operated(() => reading, all, () => new (wasm().Compaction)(reading.messages, fields));
  const { status, summary, record, title, before, steps } = report as CompactReport & { record?: string };
  const isMade = status === "applied" && summary !== undefined;
  return {
    status, before,
    ...(isMade && { summary, ...(record !== undefined && { record }), ...(title !== undefined && { title }) }),
    ...(report.model && { model: report.model }),
    ...(!isMade && { error: report.model?.error ?? steps.at(-1)?.why ?? status }),
  };
}

/** An operation of the engine; written down here, since the engine's own types are not in the package. */
type Compacting = { poll(): string; resume(id: number, answer: unknown): void; free(): void };

/** The options of {@link compact} as the core takes them, checked, but for how to count and ids of messages. */
export function compactFields(options: CompactOptions) {
  tokens(known(options, COMPACT), "budget", true);
  for (const name of ["llmBudget", "timeout", "hookTimeout"] as const) tokens(options, name, false);
  const { budget, target, focus, force = false, onFailure = "offline", llm, keep, cover, prices } = options;
  if (onFailure !== "leave" && onFailure !== "offline") throw bad("onFailure", `"leave" or "offline"`, onFailure);
  if (target !== undefined && !(typeof target === "number" && target > 0 && target <= 1)) {
    throw bad("target", "a share above 0, at most 1", target);
  }
  needProvider(options.provider);
  needFunction(llm, "llm");
  needFunction(options.onProgress, "onProgress");
  needSignal(options.signal);
  if (typeof force !== "boolean") throw bad("force", "true or false", force);
  if (cover !== undefined && (typeof cover !== "object" || cover === null)) throw bad("cover", "{ from, to }", cover);
  knownIn(cover, COVER, "options.cover");
  const { input, cacheRead, cacheWrite, output } = fullPrices(prices);
  return {
    budget, target, force, focus, keep, cover,
    offlineOnFailure: onFailure === "offline",
    hasModel: llm !== undefined,
    modelLimit: modelLimit(options),
    ledger: rules(options.ledger, options.tools),
    profile: profileText(options),
    ladder: names(options.ladder, "ladder"),
    exempt: names(options.exempt, "exempt") ?? [],
    asking: asking(options),
    prices: [input, cacheRead, cacheWrite, output],
  };
}

/** A chosen range by ids. */
function within(reading: Reading, { from, to }: NonNullable<CompactOptions["cover"]>) {
  const known = new Set(reading.messages.map(({ id }) => id));
  const id = (name: "from" | "to", item: string | number | undefined) => {
    if (item === undefined) return undefined;
    const found = typeof item === "number" ? `m${item}` : item;
    if (typeof found !== "string" || !known.has(found)) throw bad(`cover.${name}`, "the id or index of a message", item);
    return found;
  };
  return { from: id("from", from), to: id("to", to) };
}

/** Carries a compaction out. `reading` is asked for when the model is. */
async function operated(
  reading: () => Reading, options: CompactOptions, begin: () => Compacting, after: Clock["after"] = CLOCK.after,
): Promise<{ plan: PlanItem[]; edits: Edit[]; report: CompactReport }> {
  const { timeouts, hook } = JSON.parse(call(() => wasm().readProfile(profileText(options) ?? "\"espalier\"", "options.profile"))) as Profile;
  const { llm, signal, timeout = timeouts.model, hookTimeout = timeouts.hook, onProgress } = options;
  const usage: Record<string, unknown>[] = [];
  const requestIds: string[] = [];
  const serviceRequestIds: string[] = [];
  let statusCode: number | undefined;
  const operation = call(begin);
  let crashed = false;
  try {
    type Done = CompactReport & { plan: PlanItem[]; edits: Edit[] };
    const { plan, edits, ...report } = await drive<Done>(
      {
        poll: () => JSON.parse(call(() => operation.poll())) as ReturnType<Operation<Done>["poll"]>,
        resume: (id, answer) => call(() => operation.resume(id, answer)),
      },
      {
        llm, signal, timeout, hookTimeout, after, onProgress, twoTriggers: hook.twoTriggers,
        hooks: options.hooks,
        readFile: options.readFile,
        request: (effect) => llmRequest(reading(), options, effect),
        wish: (given) => wish(given, (pins) => kept(reading(), pins)),
        onUsage: (reported) => usage.push(reported),
        onRequestId: (id, service) => {
          if (id !== undefined) requestIds.push(id);
          if (service !== undefined) serviceRequestIds.push(service);
        },
        onStatus: (status) => void (statusCode = status),
      },
    );
    if (report.model) Object.assign(report.model, { usage, requestIds, ...(serviceRequestIds.length > 0 && { serviceRequestIds }), ...(statusCode !== undefined && { statusCode }) });
    return { plan, edits, report };
  } catch (error) {
    crashed = isCrash(error);
    throw error;
  } finally {
    // An instance that crashed took the operation with it.
    if (!crashed) operation.free();
  }
}

/** The profile of an operation as text, with what the operation says of protection. */
function profileText({ profile, protect }: CompactOptions): string | undefined {
  if (protect !== undefined && !isFields(protect)) throw bad("protect", "{ results, rounds, tokens, turn }", protect);
  if (profile === undefined && protect === undefined) return undefined;
  const text = dataText(profile ?? "espalier", "options.profile");
  if (protect === undefined) return text;
  // Checked by itself first, so that what is wrong with it is not said of the profile.
  const given: unknown = JSON.parse(text);
  const fields = (typeof given === "string" ? { name: given } : given) as { protect?: object };
  const named = dataText(protect, "options.protect");
  return JSON.stringify({ ...fields, protect: { ...fields.protect, ...(JSON.parse(named) as object) } });
}

/** A profile as JSON text. */
export function dataText(given: unknown, path: string): string {
  if (typeof given !== "string" && !isFields(given)) throw new EspalierError({ code: "bad_option", message: `${path} must be a name or an object`, path });
  return JSON.stringify(plain(given, path));
}

function names(list: readonly string[] | undefined, path: string): string[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) throw bad(path, "a list of names", list);
  return [...list];
}

/**
 * All fields of a profile: plain data that can be printed, changed and passed to {@link compact}.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { compact, profile } from "espalier";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const mine = profile("gemini-cli");
 * mine.start.warm = 0.6;
 * const { status } = await compact(messages, { budget: 16_000, profile: mine });
 * status; // => "applied"
 * ```
 *
 * @throws EspalierError `bad_option` with the path of a field that there is none of, or of a value that it cannot have
 */
export function profile(given: ProfileName | ProfileFields): Profile {
  return JSON.parse(call(() => wasm().readProfile(dataText(given, "profile"), "profile"))) as Profile;
}

/** The fields in which two profiles differ, names apart: `{ field: "start.warm", a: 0.78, b: 0.5 }`. */
export function explainProfile(a: ProfileName | ProfileFields, b: ProfileName | ProfileFields): ProfileDifference[] {
  return JSON.parse(call(() => wasm().explainProfiles(dataText(a, "a"), dataText(b, "b")))) as ProfileDifference[];
}

const KINDS = ["read", "write", "edit", "delete", "search", "shell", "todo", "ask", "web", "delegate", "other"];


/** The host's rules with every field in place; numbers and the like in the place of texts are refused, not turned into texts. */
export function rules(ledger: CompactOptions["ledger"], definitions?: unknown): Required<Omit<LedgerRules, "root" | "dialect">> & {
  root: string | undefined; dialect: ToolDialect | undefined; readOnly: Record<string, boolean>;
} {
  knownIn(ledger, LEDGER, "options.ledger");
  const { root, dialect, tools = [], markers = [], facts = [] } = ledger ?? {};
  const texts = (list: unknown, path: string): string[] => {
    if (!Array.isArray(list) || !list.every((text) => typeof text === "string")) throw bad(path, "a list of texts", list);
    return list;
  };
  if (root !== undefined && typeof root !== "string") throw bad("ledger.root", "a path", root);
  if (!Array.isArray(tools)) throw bad("ledger.tools", "a list", tools);
  if (dialect !== undefined && !DIALECTS.includes(dialect)) throw bad("ledger.dialect", `one of ${DIALECTS.join(", ")}`, dialect);
  return {
    root, dialect, readOnly: readOnlyOf(definitions),
    markers: texts(markers, "ledger.markers"),
    facts: texts(facts, "ledger.facts"),
    tools: tools.map((tool: ToolRule, at) => {
      const path = `ledger.tools[${at}]`;
      if (typeof tool !== "object" || tool === null || typeof tool.name !== "string") throw bad(path, "{ name, kind }", tool);
      known(tool, TOOL_RULE, `options.${path}`);
      if (!KINDS.includes(tool.kind)) throw bad(`${path}.kind`, `one of ${KINDS.join(", ")}`, tool.kind);
      const names = (key: "path" | "command" | "content") => texts(tool[key] ?? [], `${path}.${key}`);
      const { name, kind, readOnly } = tool;
      if (readOnly !== undefined && typeof readOnly !== "boolean") throw bad(`${path}.readOnly`, "true or false", readOnly);
      const own = { name, kind, path: names("path"), command: names("command"), content: names("content") };
      return readOnly === undefined ? own : { ...own, readOnly };
    }),
  };
}

/** Whether calls leave the world as it is, by the name of the tool: what MCP's annotations say. */
function readOnlyOf(definitions: unknown): Record<string, boolean> {
  const found: [string, boolean][] = [];
  for (const tool of Array.isArray(definitions) ? definitions : []) {
    const { name, annotations } = tool?.function ?? tool ?? {};
    const { readOnlyHint, destructiveHint } = annotations ?? tool?.annotations ?? {};
    if (typeof name !== "string") continue;
    if (typeof readOnlyHint === "boolean") found.push([name, readOnlyHint]);
    else if (destructiveHint === true) found.push([name, false]);
  }
  return Object.fromEntries(found);
}

/** Reads what a host passed, in whatever format. */
export function read(messages: unknown, options: Pick<CountOptions, "format" | "tools">): Reading {
  const { format, tools } = given(options);
  return readConversation(messages, { ...(format && { format }), ...(tools !== undefined && tools !== null && { tools }) });
}

/** What everything is counted with. */
export type Counting = Pick<CountOptions, "encoding" | "tokenizer" | "model" | "costModel" | "images" | "imageSize">;

/** What the engine is told about counting. */
export function counting(reading: Reading, { encoding, tokenizer: given, model, costModel, images, imageSize }: Counting) {
  needNames({ encoding, model, costModel });
  const tokenizer = hostTokenizer(given);
  if (tokenizer && encoding !== undefined) throw bad("tokenizer", "absent where there is an encoding", given);
  if (!tokenizer) encodingOf({ encoding, model });
  return { encoding, tokenizer, model, costModel, tools: reading.tools, format: reading.format, ...imageModel(images), ...imageSizes(reading, imageSize) };
}

/** Ids of what the host wants to keep; indices are those of the list that was passed. */
export function kept(reading: Reading, keep: readonly (string | number)[] | undefined): string[] {
  if (keep === undefined) return [];
  if (!Array.isArray(keep)) throw bad("keep", "a list of ids or indices of messages", keep);
  const known = new Set(reading.messages.map((message) => message.id));
  return keep.map((item: string | number, at) => {
    const id = typeof item === "number" ? idAt(reading, item) : item;
    if (id === undefined || !known.has(id)) throw bad(`keep[${at}]`, "the id or index of a message", item);
    return id;
  });
}

/** Id of a message by its place in the host's list; what a request has apart from that (system text) comes before. */
function idAt({ messages, source }: Reading, at: number): string | undefined {
  return at < 0 ? undefined : messages[messages.length - source.list.length + at]?.id;
}

/** wasm takes any number silently, so numbers are checked here, with the option's name. */
export function tokens<O extends object>(options: O, name: keyof O & string, required: boolean, within = "options"): void {
  const value: unknown = options?.[name];
  if (value === undefined && !required) return;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw bad(name, "a whole number, 0 or more", value, within);
}
