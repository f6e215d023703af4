/** `espalier bill FILE`: what a session costs sent whole, pruned and compacted, request by request. */

import { replayCost } from "../bill/bill.ts";
import { addUsage, usageCost } from "../entries/cache.ts";
import type { RemovalCost, ReplayCost, ReplayCostOptions, WayCost } from "../bill/types.ts";
import type { Session } from "../sessions/index.ts";
import type { CacheLifetime } from "../types/cache.ts";
import type { ProfileName } from "../types/profile.ts";
import { oneOf, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { finishText } from "./out.ts";
import type { To } from "./out.ts";
import { replayProgress, WAYS } from "./progress.ts";
import { number, plural } from "./report.ts";
import { sessionFacts } from "./shown-session.ts";

/** Replays a conversation and reports its bill. `messages` are those of the input, in the order of its list. */
export async function bill(
  input: unknown,
  messages: readonly unknown[],
  session: Session | undefined,
  options: ReplayCostOptions,
  to: To,
): Promise<number> {
  const times = session && timesOf(session, messages);
  const bar = replayProgress(process.stderr, to.quiet ?? false);
  const asked = { ...options, ...(times && { times }), onProgress: bar.event };
  const found = await replayCost(input, asked).finally(bar.end);
  const recorded = session && recordedIn(session, messages, found);
  if (to.json)
    return finishText(
      JSON.stringify({ ...found, ...(recorded && { recorded }), ...sessionFacts(session) }, null, 2),
      to,
    );
  return finishText([shownBill(found), ...(recorded ? [caveat(recorded, found, session)] : [])].join("\n"), to);
}

/** The usage that the session's provider reported for these messages, at the prices of the bill. */
interface Recorded {
  requests: number;
  promptTokens: number;
  output: number;
  cost: number;
}

function recordedIn(
  { usage, history }: Session,
  messages: readonly unknown[],
  { prices, unit }: ReplayCost,
): Recorded | undefined {
  const billed = new Set(messages);
  const reported = usage.filter(({ answer }) => billed.has(history[answer])).map(({ usage: own }) => own);
  if (reported.length === 0) return undefined;
  const sum = addUsage(...reported);
  const per = unit === "dollars" ? MILLION : 1;
  const { input, cacheRead, cacheWrite, output } = prices;
  const perToken = {
    input: input / per,
    cacheRead: cacheRead / per,
    cacheWrite: cacheWrite / per,
    output: output / per,
  };
  const { cost } = usageCost(sum, perToken);
  return { requests: reported.length, promptTokens: sum.promptTotal, output: sum.output, cost };
}

const MILLION = 1_000_000;
/** Excess of the recorded prompt tokens of a request over the counted ones from which the bill points it out. */
const EXCESS = 1.1;

/** Says what was recorded, and why it is more than what is billed. */
function caveat({ requests, promptTokens, output, cost }: Recorded, found: ReplayCost, session: Session): string {
  const perRequest = promptTokens / requests;
  const { usage } = found.ways.find(({ way }) => way === "whole")!;
  const counted = usage.promptTotal / found.requests;
  // Some files have the usage of the newest request alone, which is larger than the mean of all.
  const isOfMost = requests * 2 > found.requests;
  const which = isOfMost ? plural(requests, "request") : `${number(requests)} of ${plural(found.requests, "request")}`;
  const line =
    `recorded: ${which} with ${number(promptTokens)} prompt tokens and ${number(output)} ` +
    `written, ${money(cost, found.unit)} at these prices`;
  if (!isOfMost || perRequest <= counted * EXCESS) return line;
  return (
    `${line}; that is ${number(Math.round(perRequest))} prompt tokens a request, and ` +
    `${number(Math.round(counted))} are billed: what ${session.tool} sends beside the messages, such as its ` +
    "system prompt and tools, is not in the file"
  );
}

/** Returns the recorded time of each message. */
function timesOf({ history, entries }: Session, messages: readonly unknown[]): (number | undefined)[] {
  const times = new Map(history.map((message, at) => [message, entries[at]?.time]));
  return messages.map((message) => times.get(message));
}

/** Returns the bill for people. */
function shownBill(found: ReplayCost): string {
  const { ways, requests, tokens, window, windowSource, budget } = found;
  const assumed = windowSource === "assumedLimit" ? " (assumed; --window N states it)" : "";
  return [
    ...termsOf(found),
    `${plural(requests, "request")}; ${number(tokens)} tokens in the last one; window ` +
      `${number(window)}${assumed}, budget ${number(budget)}`,
    "",
    ...table(found),
    "",
    ...ways.flatMap((way) => remarks(way, found)),
  ].join("\n");
}

function termsOf({ model, prices, priceSource, cache, unit, hasTimes }: ReplayCost): string[] {
  const { input, cacheRead, cacheWrite, output } = prices;
  const list = `input ${input}, cache read ${cacheRead}, cache write ${cacheWrite}, output ${output}`;
  const { provider, kind, minTokens, lifetimeMs, isAssumed, source, date } = cache;
  const minutes = lifetimeMs / 60_000;
  return [
    unit === "dollars"
      ? `${model}: dollars per million tokens: ${list} (${priceSource})`
      : `${model === undefined ? "no model" : `${model}: unknown prices`}: relative to a token of input: ` +
        `${list}; --model NAME prices a model`,
    `cache of ${provider}: ${kind === "marks" ? "up to marks" : "automatic"}, from ${number(minTokens)} ` +
      `tokens, ${minutes} minutes${isAssumed ? " (assumed)" : ""} (${source}, ${date})`,
    hasTimes ? "times: those of the file" : "times: none in the file, so that --pace sets the pause between requests",
  ];
}

function table({ ways, unit }: ReplayCost): string[] {
  const head = ["", "cost", "", "input", "cache read", "cache write", "output", "removals"];
  const rows = ways.map((way) => {
    const { input, cacheRead, cacheWrite, output } = way.usage;
    const isWhole = way.way === "whole";
    const change = isWhole ? "" : way.saved === undefined ? "incomplete" : percent(-way.saved);
    const tokens = [input, cacheRead, cacheWrite, output].map(number);
    return [WAYS[way.way], money(way.cost, unit), change, ...tokens, number(way.removals.length)];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ");
  return [head, ...rows].map((row) => line(row).trimEnd());
}

function remarks(way: WayCost, { unit, requests, window, budget, cache }: ReplayCost): string[] {
  const { failed, refused, removals, summaries, cold } = way;
  const name = WAYS[way.way];
  const lines: string[] = [];
  if (way.way === "whole") {
    if (refused)
      lines.push(
        `${name}: request ${number(refused.request)} would be refused (${number(refused.tokens)} tokens of ` +
          `${number(window)}); from there on its host keeps the system messages and the newest others that fit`,
      );
    if (cold > 0) lines.push(`${name}: ${plural(cold, "request")} after a pause found the cache empty`);
    return lines;
  }
  const [first] = failed;
  if (first)
    lines.push(
      `${name}: ${plural(failed.length, "request")} of ${number(requests)} could not be made, so that the ` +
        `cost is not comparable; the first is ${number(first.request)}: ${first.message}`,
    );
  if (budget < 2 * cache.minTokens)
    lines.push(
      `${name}: requests below ${number(cache.minTokens)} tokens are not cached; a budget of ` +
        `${number(budget)} saves less than it costs`,
    );
  if (removals.length > 0) lines.push(`${name}: ${paid(removals, unit)}`);
  if (way.way === "conversation" && removals.length > 0)
    lines.push(
      summaries.calls === 0
        ? `${name}: rules write the summaries, which costs nothing; --summary-tokens N prices those of a model`
        : `${name}: ${plural(summaries.calls, "request")} for summaries cost ${money(summaries.cost, unit)}, ` +
            "which is in the sum",
    );
  return lines;
}

/** Says what removals cost in writes, and how many of them paid within the session. */
function paid(removals: readonly RemovalCost[], unit: ReplayCost["unit"]): string {
  const once = removals.reduce((sum, removal) => sum + removal.once, 0);
  const hasPaid = ({ breakEven, requestsLeft }: RemovalCost) => breakEven !== undefined && breakEven <= requestsLeft;
  const count = removals.filter(hasPaid).length;
  const free = removals.filter(({ isCold }) => isCold).length;
  const waits = removals.flatMap(({ breakEven }) => (breakEven === undefined ? [] : [breakEven])).sort((a, b) => a - b);
  const middle = waits[waits.length >> 1];
  const wait = middle === undefined ? "" : `; half of them pay within ${plural(middle, "request")}`;
  const cold = free === 0 ? "" : `; ${number(free)} came after a pause and cost nothing`;
  return (
    `${plural(removals.length, "removal")} cost ${money(once, unit)} of cache writes; ${number(count)} paid ` +
    `before the end${wait}${cold}`
  );
}

function percent(share: number): string {
  return `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
}

function money(cost: number, unit: ReplayCost["unit"]): string {
  return unit === "dollars" ? `$${cost.toFixed(cost < 1 ? 4 : 2)}` : number(Math.round(cost));
}

/** Returns the options of `bill`; model and window are those of the session unless stated. */
export function billOptions(
  values: Values,
  session: Session | undefined,
  common: Pick<ReplayCostOptions, "encoding" | "costModel" | "format">,
): ReplayCostOptions {
  const model = values.model ?? session?.model;
  const window = whole(values.window, "--window") ?? session?.window;
  const budget = whole(values.budget, "--budget");
  const lifetime = oneOf(values.ttl, "--ttl", ["5m", "1h"]) as CacheLifetime | undefined;
  const pace = whole(values.pace, "--pace");
  const summaryTokens = whole(values["summary-tokens"], "--summary-tokens");
  return {
    ...common,
    ...(model !== undefined && { model }),
    ...(window !== undefined && { window }),
    ...(budget !== undefined && { budget }),
    ...(lifetime && { lifetime }),
    ...(pace !== undefined && { paceMs: pace * 1_000 }),
    ...(summaryTokens !== undefined && { summaryTokens }),
    ...(values.profile !== undefined && { profile: values.profile as ProfileName }),
  };
}
