/** Makes tool definitions fit a budget: shorter descriptions first, then fewer tools. */

import { countTools } from "../calls/count.ts";
import { limitFor, modelOf } from "../calls/limits.ts";
import { EspalierError, badInput, badOption, badValue } from "../errors/errors.ts";
import { readConversation } from "../formats/index.ts";
import { RULES } from "../formats/table.ts";
import { listedTools } from "../formats/tools.ts";
import type { Fields } from "../formats/values.ts";
import { check } from "../options/check.ts";
import { defined } from "../options/data.ts";
import { FIT_TOOLS } from "../options/schemas/results.ts";
import { truncate } from "../results/truncate.ts";
import { count, encodingOf } from "../tokens/count.ts";
import type { CountOptions } from "../types/count.ts";
import type { Format, ToolList } from "../types/messages.ts";
import type { ModelLimits } from "../types/prune.ts";
import { deferredOf, definitionsOf, descriptionsOf, withDefinitions, withTexts } from "../formats/definitions.ts";
import type { Definition, Description } from "../formats/definitions.ts";
import { LOADER, loaderDefinition, loaderOf, serverSearch, usesOf } from "./loader.ts";
import type { ToolLoader } from "./loader.ts";

/** Options of {@link fitTools}: `budget` or `toolsShare`. */
export interface FitToolsOptions extends Omit<CountOptions, "tools" | "model"> {
  /** Max tokens of all definitions together. */
  budget?: number;
  /** Max share of the limit of `model`, above 0 to 1, for all definitions together. */
  toolsShare?: number;
  /** A model's name, or its limits. */
  model?: string | ModelLimits;
  /** Max number of definitions. Default: what the provider of the format documents, for OpenAI 128. */
  maxTools?: number;
  /**
   * The conversation, in any format: of the tools that cannot stay, those whose last call is oldest go first, and tools
   * that the model loaded stay. Default: no tool was called.
   */
  messages?: unknown;
  /** Names of tools that stay whole. Default: none. */
  keep?: readonly string[];
  /** `report.cut` of the previous request: what it shortened and deferred stays so while that fits. */
  previous?: ToolCut;
  /**
   * How the model gets deferred tools: `loader` (default) adds the tool `load_tools`; `provider` lets the server search
   * (Anthropic, OpenAI Responses; not all of their models can); `none` leaves them out.
   */
  search?: "loader" | "provider" | "none";
}

/** How definitions were made to fit: plain data for the next request. */
export interface ToolCut {
  /** Max tokens of a description; absent if none was shortened. */
  level?: number;
  /** Names of deferred tools. */
  deferred: readonly string[];
}

/** What happened to tool definitions. */
export interface FitToolsReport {
  budget: number;
  /** Tokens of the definitions, as `countTools` counts them. */
  before: number;
  after: number;
  /** Tools with shorter descriptions, in order, with their tokens. */
  shortened: { name: string; before: number; after: number }[];
  /** Tools that the model does not see, in order. */
  deferred: { name: string; tokens: number; why: string }[];
  cut: ToolCut;
}

/** Tool definitions within their budget. */
export interface FittedTools<T> {
  /**
   * In the shape of what was passed; the same object if all fit. Unchanged definitions are the caller's own objects.
   */
  tools: T;
  report: FitToolsReport;
  /** Answers calls of `load_tools`; present if the definitions contain it. */
  loader?: ToolLoader;
}

/** No description is shortened below this many tokens. */
const FLOOR = 24;

/**
 * Makes tool definitions fit a budget. The longest descriptions of tools and parameters are shortened to one common
 * length; if that is not enough, tools that were not called for the longest time are deferred, and the model can load
 * them. Names, types and required fields never change. Pass the messages each time: a tool that the model has called or
 * loaded stays in the next request.
 *
 * ```ts
 * import { fitTools } from "espalier/results";
 *
 * const parameters = { type: "object", properties: { path: { type: "string", description: "The path. ".repeat(20) } } };
 * const tools = ["read", "write", "lint"].map((name) => ({
 *   type: "function",
 *   function: { name, description: `Tool ${name}. ${"It does much more. ".repeat(30)}`, parameters },
 * }));
 * const { tools: fitting, report } = fitTools(tools, { budget: 300, model: "gpt-4o" });
 * report.after <= 300; // => true
 * report.shortened.map(({ name }) => name); // => ["read", "write", "lint"]
 * fitting.length; // => 3
 * ```
 *
 * @throws EspalierError `budget_exceeded` if the tools in `keep`, or the way back to deferred tools, exceed the budget;
 *   `bad_option`; and the errors of `countTools`
 */
export function fitTools<T extends ToolList>(tools: T, options: FitToolsOptions): FittedTools<T> {
  const { messages, budget, toolsShare, ...others } = check(options, FIT_TOOLS);
  if (budget === undefined && toolsShare === undefined)
    throw badOption("budget", "a whole number, 0 or more, unless there is toolsShare", budget);
  const reading = messages === undefined ? undefined : readConversation(messages, { format: others.format });
  const format = (others.format || reading?.format) ?? "openai-chat";
  const uses = reading ? usesOf(reading) : new Map<string, number>();
  return fitUsedTools(tools, uses, { ...others, format, ...defined({ budget, toolsShare }) });
}

/**
 * {@link fitTools} with checked options, and the newest use of each tool in place of the messages. `within`: the path
 * of `keep` and `search` in errors.
 */
export function fitUsedTools<T extends ToolList>(
  tools: T,
  uses: ReadonlyMap<string, number>,
  options: Omit<FitToolsOptions, "messages"> & { format: Format },
  within = "options",
): FittedTools<T> {
  const { budget: stated, toolsShare = 1, keep = [], previous, search = "loader", maxTools: max, ...others } = options;
  const { model, ...counting } = others;
  const { format } = counting;
  const budget = stated ?? Math.floor(toolsShare * limitFor(defined({ model })).tokens);
  const path = stated === undefined ? "options.toolsShare" : "options.budget";
  const how = { ...counting, ...defined({ model: modelOf(model).name }) };
  if (!listedTools(tools)) throw badInput("tools", "a list of tool definitions, or an object of them by name", tools);
  const { total, perTool } = countTools(tools, how);
  const maxTools = max ?? RULES[format].limits?.maxTools ?? Infinity;
  const all = definitionsOf(tools);
  const sizes = new Map(perTool.map(({ name, tokens }) => [name, tokens]));
  const done = (made: Made<T> | undefined, level: number | undefined, deferred: readonly string[]): FittedTools<T> => {
    const cut: ToolCut = { ...(level !== undefined && made?.shortened.length && { level }), deferred };
    const after = made?.total ?? total;
    const shortened = (made?.shortened ?? []).map(({ name, tokens }) => ({
      name,
      before: sizes.get(name) ?? 0,
      after: tokens,
    }));
    const left = deferred.map((name) => ({ name, tokens: sizes.get(name) ?? 0, why: whyOf(uses.get(name)) }));
    const report = { budget, before: total, after, shortened, deferred: left, cut };
    return { tools: made?.tools ?? tools, report, ...(made?.loader && { loader: made.loader }) };
  };
  const kept = new Set(keep);
  const names = new Set(all.map(({ name }) => name));
  const unknown = keep.findIndex((name) => !names.has(name));
  if (unknown >= 0) throw badValue(`${within}.keep[${unknown}]`, "the name of a tool", keep[unknown]);
  if (search === "provider") serverSearch(format, `${within}.search`);
  const maker = new Maker(tools, all, kept, how, search);
  const fits = ({ total, count }: Made<T>) => total <= budget && count <= maxTools;
  const before = (previous?.deferred ?? []).filter((name) => sizes.has(name) && !uses.has(name) && !kept.has(name));
  if (total <= budget && all.length <= maxTools && before.length === 0 && previous?.level === undefined)
    return done(undefined, undefined, []);
  // What the previous request had, if that fits, so that the beginning of both is the same.
  if (previous) {
    const same = maker.make(previous.level, before);
    if (fits(same)) return done(same, previous.level, before);
  }
  // Tools go one by one, those of the longest time without a call first, the largest of them first.
  const order = all
    .filter(({ name }) => !kept.has(name) && !before.includes(name))
    .toSorted(
      (one, other) =>
        (uses.get(one.name) ?? -1) - (uses.get(other.name) ?? -1) ||
        (sizes.get(other.name) ?? 0) - (sizes.get(one.name) ?? 0),
    )
    .map(({ name }) => name);
  const deferredAt = (gone: number) => [...before, ...order.slice(0, gone)];
  const smallest = (gone: number) => maker.make(FLOOR, deferredAt(gone));
  const isEnough = (gone: number) => fits(smallest(gone));
  // The list of deferred tools can be longer than a few small definitions. Each look counts all definitions.
  const gone = least(order.length, isEnough) ?? looks(order.length).find(isEnough);
  if (gone === undefined) throw tooLarge(smallest(order.length).total, budget, path, perTool);
  const deferred = all.map(({ name }) => name).filter((name) => deferredAt(gone).includes(name));
  const whole = maker.make(undefined, deferred);
  if (fits(whole)) return done(whole, undefined, deferred);
  // The longest common length of descriptions that fits.
  const longest = maker.longest(deferred);
  const below = least(longest - FLOOR, (less) => fits(maker.make(longest - less, deferred))) ?? longest - FLOOR;
  const level = longest - below;
  return done(maker.make(level, deferred), level, deferred);
}

/** Numbers of deferred tools that are tried if deferring all of them is not enough. */
const LOOKS = 8;

const whyOf = (use: number | undefined) =>
  use === undefined ? "never called in this conversation" : `last called by message ${use} of the conversation`;

/** Returns the first few numbers below `most`, and some between them and `most`. */
function looks(most: number): number[] {
  const few = Array.from({ length: LOOKS }, (_, at) => at);
  return [...few, ...few.map((at) => Math.floor((most * at) / LOOKS))].filter((at) => at < most);
}

/** Returns the least number from 0 to `most` for which a condition holds that then holds for all larger ones. */
function least(most: number, holds: (number: number) => boolean): number | undefined {
  if (!holds(most)) return undefined;
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function tooLarge(
  needed: number,
  budget: number,
  path: string,
  perTool: readonly { name: string; tokens: number }[],
): EspalierError {
  const largest = perTool
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, 5)
    .map(({ name, tokens }) => ({ id: name, tokens, why: "tool definition" }));
  return new EspalierError({
    code: "budget_exceeded",
    message: `The tool definitions that must stay have ${needed} tokens, the budget is ${budget}`,
    path,
    details: { needed, budget, largest },
  });
}

/** A list of definitions under construction. */
interface Made<T> {
  tools: T;
  total: number;
  /** Number of definitions that the model sees. */
  count: number;
  shortened: { name: string; tokens: number }[];
  loader?: ToolLoader;
}

/** Makes lists of definitions with descriptions of at most some length, without some tools. */
class Maker<T extends ToolList> {
  private readonly tools: T;
  private readonly all: readonly Definition[];
  private readonly how: Omit<CountOptions, "tools"> & { format: Format };
  private readonly search: NonNullable<FitToolsOptions["search"]>;
  /** The descriptions that may be shortened, by definition, with their tokens. */
  private readonly texts: Map<Definition, (Description & { tokens: number })[]>;

  constructor(
    tools: T,
    all: readonly Definition[],
    kept: ReadonlySet<string>,
    how: Omit<CountOptions, "tools"> & { format: Format },
    search: NonNullable<FitToolsOptions["search"]>,
  ) {
    this.tools = tools;
    this.all = all;
    this.how = how;
    this.search = search;
    this.texts = new Map(
      all
        .filter(({ name }) => !kept.has(name))
        .map((one) => [one, descriptionsOf(one).map((text) => ({ ...text, tokens: this.count(text.text) }))]),
    );
  }

  private count(text: string): number {
    const { encoding, model, tokenizer } = this.how;
    return tokenizer ? tokenizer(text) : count(text, defined({ encoding, model }));
  }

  /** Returns the tokens of the longest description of the tools that are left. */
  longest(deferred: readonly string[]): number {
    const left = [...this.texts].filter(([{ name }]) => !deferred.includes(name));
    return left.flatMap(([, texts]) => texts).reduce((most, { tokens }) => Math.max(most, tokens), FLOOR);
  }

  /** Returns the definitions without `deferred`, and with descriptions of at most `level` tokens. */
  make(level: number | undefined, deferred: readonly string[]): Made<T> {
    const { tools, all, how, search } = this;
    const gone = new Set(deferred);
    const changed = new Set<string>();
    const shorter = (one: Definition): Fields => {
      const long = (this.texts.get(one) ?? []).filter(({ tokens }) => level !== undefined && tokens > level);
      if (long.length === 0) return one.value;
      changed.add(one.name);
      return withTexts(
        one.value,
        long.map(({ path, text }) => ({ path, text: this.shortened(text, level!) })),
      );
    };
    const seen = withDefinitions(tools, all, (one) => (gone.has(one.name) ? undefined : shorter(one)));
    const left = all.filter(({ name }) => gone.has(name));
    if (left.length === 0 || search === "none") return this.made(seen, seen, changed);
    if (search === "provider") {
      const find = serverSearch(how.format);
      const sent = withDefinitions(tools, all, (one) => (gone.has(one.name) ? deferredOf(one.value) : shorter(one)));
      return this.made([...(sent as readonly unknown[]), find] as unknown as T, appended(seen, find), changed);
    }
    const loader = loaderOf(
      left.map(({ name }) => name),
      all.map(({ name }) => name),
    );
    const withLoader = appended(seen, loaderDefinition(how.format, left, loader));
    return { ...this.made(withLoader, withLoader, changed), loader };
  }

  /** `seen`: the definitions that the model sees, which count. */
  private made(tools: T, seen: T, changed: ReadonlySet<string>): Made<T> {
    const { total, perTool } = countTools(seen, this.how);
    return { tools, total, count: perTool.length, shortened: perTool.filter(({ name }) => changed.has(name)) };
  }

  private shortened(text: string, maxTokens: number): string {
    const encoding = encodingOf(this.how);
    return truncate(text, { maxTokens, headShare: 1, json: false, clean: false, marker: " …", encoding }).text;
  }
}

/** Returns a list, or an object by name, with one more definition. */
function appended<T extends ToolList>(tools: T, definition: Fields): T {
  if (Array.isArray(tools)) return [...(tools as readonly unknown[]), definition] as unknown as T;
  return { ...tools, [LOADER]: definition } as T;
}
