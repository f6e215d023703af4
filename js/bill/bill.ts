/**
 * Replays a recorded conversation request by request, and prices it: sent whole, pruned, and compacted. The provider's
 * cache is replayed as well (`provider-cache.ts`); its tokens are those that this package counts.
 */

import { clearingPays } from "../cache/cache.ts";
import { LIFETIMES } from "../cache/lifetimes.ts";
import { limitFor } from "../calls/limits.ts";
import { call, wasm } from "../engine/engine.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import { isExceeded } from "../errors/exceeded.ts";
import { check } from "../options/check.ts";
import { REPLAY_COST } from "../options/schemas/bill.ts";
import { modelFacts } from "../tokens/models.ts";
import { loading } from "../tokens/loading.ts";
import { addUsage, fullPrices, usageCost } from "../tokens/usage.ts";
import type { CacheLifetime, Prices, Usage } from "../types/cache.ts";
import { ProviderCache } from "./provider-cache.ts";
import type { Line, PromptTokens } from "./provider-cache.ts";
import { recordedRequests } from "./requests.ts";
import type { RecordedRequest } from "./requests.ts";
import { replayed } from "./replayed.ts";
import type { Replayed } from "./replayed.ts";
import { CACHE_RULES_DATE, cacheRule } from "./rules.ts";
import type { CacheRule } from "./rules.ts";
import type { RemovalCost, ReplayCost, ReplayCostOptions, RequestCost, WayCost, WayName } from "./types.ts";
import { compacted, pruned, scriptedSummary, whole } from "./ways.ts";
import type { MadeRequest, SummaryCall, Way } from "./ways.ts";

/** Milliseconds between two requests without times. */
const PACE = 30_000;
const MILLION = 1_000_000;

/**
 * Returns what a recorded conversation costs if it is sent whole, pruned or compacted: every request as the agent made
 * it, with reads and writes of the provider's cache by the provider's rules. The tokens of requests are counted here;
 * answers are those of the recording.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { replayCost } from "espalier/bill";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { requests, ways } = await replayCost(messages, { model: "claude-sonnet-4-6", budget: 30_000 });
 * const [whole, pruned] = ways;
 * whole.cost >= pruned.cost; // => true
 * requests === whole.rows.length; // => true
 * ```
 *
 * @throws EspalierError `bad_option`; `no_conversation` if nothing in it was sent to a model; the errors of
 *   {@link countMessages}
 */
export async function replayCost(messages: unknown, options: ReplayCostOptions = {}): Promise<ReplayCost> {
  const load = loading(options);
  if (load) await load;
  const {
    model,
    window: stated,
    budget: asked,
    lifetime,
    times = [],
    paceMs = PACE,
    prices,
    llm,
    summaryTokens,
    profile,
    onProgress,
    ...how
  } = check(options, REPLAY_COST);
  if (llm !== undefined && summaryTokens !== undefined)
    throw badOption("summaryTokens", "absent if there is an llm", summaryTokens);
  const source = replayed(messages, { ...how, ...(model !== undefined && { model }) });
  const { counts } = source;
  const requests = recordedRequests(source.messages, counts.perMessage, alignedTimes(source, times), paceMs);
  const last = requests.at(-1);
  if (!last)
    throw new EspalierError({
      code: "no_conversation",
      message: "the conversation has no message of a user or a tool, so that nothing was sent to a model",
      path: "messages",
    });
  const { tokens: known, source: windowSource } = limitFor({
    ...(stated !== undefined && { budget: stated }),
    model: { ...(model !== undefined && { name: model }), outputReserve: 0 },
  });
  const budget = asked ?? known;
  if (budget > known) throw badOption("budget", `at most the window of ${known} tokens`, asked);
  const terms = termsOf(model, lifetime, prices);
  const writer = llm ?? (summaryTokens === undefined ? undefined : scriptedSummary(summaryTokens, profile));
  const ways: WayCost[] = [];
  const makers: [WayName, () => Way | Promise<Way>][] = [
    ["whole", () => whole(source, known)],
    ["prune", () => pruned(source, budget)],
    ["conversation", () => compacted(source, budget, { llm: writer, profile, lifetimeMs: terms.lifetimeMs })],
  ];
  for (const [way, make] of makers) {
    const began = (request: number) => onProgress?.({ way, request, requests: requests.length });
    ways.push(await costOf(way, await make(), source, requests, terms, began));
  }
  const { cost } = ways[0]!;
  const { provider, kind, isAssumed, source: ruleSource } = terms.rule;
  return {
    ...(model !== undefined && { model }),
    unit: terms.unit,
    prices: terms.prices,
    priceSource: terms.priceSource,
    cache: {
      provider,
      kind,
      lifetimeMs: terms.lifetimeMs,
      minTokens: terms.minTokens,
      ...(isAssumed && lifetime === undefined && { isAssumed }),
      source: ruleSource,
      date: CACHE_RULES_DATE,
    },
    requests: requests.length,
    tokens: counts.totalOf(last.end),
    window: known,
    windowSource,
    budget,
    hasTimes: times.some((time) => time !== undefined),
    ways: ways.map((way) => (way.failed.length > 0 || cost === 0 ? way : { ...way, saved: 1 - way.cost / cost })),
  };
}

/** Returns the time of each message; a separate system prompt has none. */
function alignedTimes({ messages, listed }: Replayed, times: readonly (number | undefined)[]): (number | undefined)[] {
  if (times.length > listed) throw badOption("times", `at most one for each of the ${listed} messages`, times.length);
  return [...Array<undefined>(messages.length - listed).fill(undefined), ...times];
}

/** What decides the price of a request. */
interface Terms {
  rule: CacheRule;
  minTokens: number;
  lifetimeMs: number;
  prices: Required<Prices>;
  unit: ReplayCost["unit"];
  priceSource: string;
  /** The prices of one token in the unit. */
  perToken: Required<Prices>;
}

function termsOf(model: string | undefined, lifetime: CacheLifetime | undefined, own: Prices | undefined): Terms {
  const facts = model === undefined ? undefined : modelFacts(model);
  const rule = cacheRule(facts?.provider ?? "anthropic", model ?? "");
  const isKnown = facts?.prices !== undefined;
  // Only providers with marks are known to charge for writing.
  const base: Required<Prices> = facts?.prices ?? fullPrices(rule.kind === "automatic" ? { cacheWrite: 1 } : {});
  // Anthropic charges twice the input for an entry of one hour.
  const written = rule.provider === "anthropic" && lifetime === "1h" ? 2 * base.input : base.cacheWrite;
  const prices = fullPrices({ ...base, cacheWrite: written, ...own });
  const unit = isKnown || (model !== undefined && own !== undefined) ? "dollars" : "inputTokens";
  const per = unit === "dollars" ? MILLION : 1;
  const { input, cacheRead, cacheWrite, output } = prices;
  return {
    rule,
    minTokens: rule.minTokens ?? call(() => wasm().minimumPrefix(model ?? "")),
    lifetimeMs: lifetime === undefined ? rule.lifetimeMs : LIFETIMES[lifetime],
    prices,
    unit,
    priceSource: own !== undefined ? "options" : isKnown ? facts.source : "relative",
    perToken: { input: input / per, cacheRead: cacheRead / per, cacheWrite: cacheWrite / per, output: output / per },
  };
}

async function costOf(
  name: WayName,
  way: Way,
  source: Replayed,
  requests: readonly RecordedRequest[],
  terms: Terms,
  began: (request: number) => void,
): Promise<WayCost> {
  const { counts } = source;
  const cache = new ProviderCache(terms.rule, terms.minTokens, terms.lifetimeMs);
  const rows: RequestCost[] = [];
  const removals: RemovalCost[] = [];
  const failed: WayCost["failed"] = [];
  const asked: { usage: Usage; cost: number }[] = [];
  let refused: WayCost["refused"];
  let cold = 0;
  let before: Before | undefined;
  try {
    for (const [at, { end, time, output }] of requests.entries()) {
      const request = at + 1;
      began(request);
      let made: MadeRequest;
      try {
        made = await way.make(end, time);
      } catch (error) {
        if (!isExceeded(error)) throw error;
        failed.push({ request, message: error.message });
        continue;
      }
      if (made.refused !== undefined) refused ??= { request, tokens: made.refused };
      for (const summary of made.calls) asked.push(priced(promptOf(summary, source, cache, time), terms));
      const lines = made.messages.map((message) => counts.lineOf(message));
      const usage = addUsage(cache.send({ lines, base: counts.base }, time), { output });
      const { cost } = priced(usage, terms);
      const { input, cacheRead, cacheWrite } = usage;
      rows.push({ request, time, input, cacheRead, cacheWrite, output, cost });
      const isCold = before !== undefined && time - before.time > terms.lifetimeMs;
      if (isCold) cold += 1;
      const grown = counts.totalOf(end) - counts.totalOf(before?.end ?? 0);
      const removal = before && removalOf(before, lines, grown, isCold, terms);
      if (removal) removals.push({ request, ...removal, requestsLeft: requests.length - at });
      before = { lines, time, end };
    }
  } finally {
    await way.end();
  }
  const summaries = { calls: asked.length, usage: addUsage(...asked.map(({ usage }) => usage)) };
  const spent = priced(summaries.usage, terms);
  const usage = addUsage(...rows, summaries.usage);
  const { cost, promptCost } = priced(usage, terms);
  return {
    way: name,
    usage: { ...usage, promptTotal: usage.input + usage.cacheRead + usage.cacheWrite },
    cost,
    promptCost,
    cold,
    failed,
    ...(refused && { refused }),
    summaries: { ...summaries, cost: spent.cost },
    removals,
    rows,
  };
}

function priced(usage: Partial<Usage>, { perToken }: Terms): { usage: Usage; cost: number; promptCost: number } {
  const { cost, output } = usageCost(usage, perToken);
  return { usage: addUsage(usage), cost, promptCost: cost - output };
}

/** Returns the tokens of a request for a summary: a fork reads the running request from the cache. */
function promptOf(
  { request, text }: SummaryCall,
  { counts }: Replayed,
  cache: ProviderCache,
  time: number,
): Partial<Usage> {
  const output = counts.tokensOfText(text);
  if (request.shape !== "fork") return { input: request.promptTokens, output };
  const lines = request.messages.map((message) => counts.lineOf(message));
  const prompt: PromptTokens = cache.send({ lines, base: counts.base }, time);
  return { ...prompt, output };
}

interface Before {
  lines: readonly Line[];
  time: number;
  end: number;
}

/** Returns what it costs that a request does not continue the previous one; nothing if it does. */
function removalOf(
  before: Before,
  lines: readonly Line[],
  grown: number,
  isCold: boolean,
  { perToken }: Terms,
): Omit<RemovalCost, "request" | "requestsLeft"> | undefined {
  let shared = 0;
  while (shared < before.lines.length && before.lines[shared]!.key === lines[shared]?.key) shared += 1;
  if (shared === before.lines.length) return undefined;
  const sum = (list: readonly Line[]) => list.reduce((tokens, line) => tokens + line.tokens, 0);
  const [was, rest] = [sum(before.lines), sum(lines.slice(shared))];
  const removed = was + grown - sum(lines);
  const rewritten = Math.max(0, rest - grown);
  if (removed <= 0) return undefined;
  const { once, perRequest, breakEven } = clearingPays({
    cleared: removed,
    suffix: rewritten,
    prices: perToken,
    // Without a cache nothing is written twice.
    ...(isCold && { hitRate: 0 }),
  });
  return { removed, rewritten, isCold, once, perRequest, ...(breakEven !== undefined && { breakEven }) };
}
