/** Changes a conversation so that its provider accepts it. */

import { readConversation } from "../formats/index.ts";
import { compact } from "../calls/compact.ts";
import { countMessages } from "../calls/count.ts";
import { prune } from "../calls/prune.ts";
import { isExceeded } from "../errors/exceeded.ts";
import { check } from "../options/check.ts";
import { DIAGNOSE } from "../options/schemas/sessions.ts";
import type { CountOptions } from "../types/count.ts";
import type { Finding, ProviderName, RepairChange } from "../types/validity.ts";
import type { Format } from "../types/messages.ts";
import { repair } from "../validity/validity.ts";
import { asProvider, diagnose, modelOf } from "./diagnose.ts";
import type { DiagnoseOptions } from "./diagnose.ts";
import { budgetWithin } from "../calls/request-limits.ts";
import { limitsOf, withinLimits } from "../validity/request-limits.ts";
import type { LimitFinding, RequestLimits } from "../types/limits.ts";
import { loading } from "../tokens/loading.ts";
import { append } from "../formats/append.ts";
import { knownWindow } from "../calls/limits.ts";

export interface Mended {
  provider: ProviderName;
  format: Format;
  /** In the shape of the input; the same object if nothing had to change. */
  messages: unknown;
  /** What changed, in order. */
  changes: RepairChange[];
  /** What the provider would still refuse; empty unless the content that must stay exceeds a limit. */
  left: (Finding | LimitFinding)[];
}

const ROUNDS = 6;

/**
 * Changes a conversation so that its provider accepts it: repairs what {@link repair} repairs, replaces the oldest
 * pictures and documents by notes if there are too many, and compacts by rules, then prunes, if tokens or bytes exceed
 * the limit. Calls at the end without a result get one that says so, because nothing will answer them.
 *
 * ```ts
 * import { mend } from "espalier";
 *
 * const result = { type: "tool_result", tool_use_id: "t9", content: "62 tests passed" };
 * const next = { type: "text", text: "And the docs?" };
 * const messages = [{ role: "user", content: "Go on." }, { role: "assistant", content: "Yes." }, { role: "user", content: [result, next] }];
 * const mended = await mend(messages, { provider: "anthropic" });
 * mended.left; // => []
 * mended.changes[0]?.rule; // => "orphan-result"
 * ```
 *
 * @throws EspalierError the errors of {@link diagnose}
 */
export async function mend(messages: unknown, options: DiagnoseOptions = {}): Promise<Mended> {
  const load = loading(options);
  if (load) await load;
  const { provider: asked, limits: given, openEnd = false, ...counting } = check(options, DIAGNOSE);
  const { reading, provider } = asProvider(messages, asked, counting.format);
  const limits = limitsOf(provider, given, () => knownWindow(counting.model));
  const how = { ...counting, format: reading.format };
  const model = modelOf(messages, counting.model);
  const changes: RepairChange[] = [];
  let input = reading.source.input;
  for (let round = 0; round < ROUNDS; round++) {
    const before = input;
    const repaired = repair(input, {
      provider,
      format: reading.format,
      pending: "synthesize",
      openEnd,
      ...(model !== undefined && { model }),
      ...(counting.tools && { tools: counting.tools }),
    });
    append(changes, repaired.report.changes);
    const light = withinLimits(readConversation(repaired.messages, { format: reading.format }), limits);
    append(changes, light.changes);
    input = light.messages;
    input = await shortenRequest(input, how, limits, changes);
    if (input === before) break;
  }
  const named = model === undefined ? {} : { model };
  const { findings, exceeded } = diagnose(input, { ...how, ...named, provider, limits, openEnd });
  return { provider, format: reading.format, messages: input, changes, left: [...findings, ...exceeded] };
}

/** Compacts by rules, then prunes, until tokens and bytes fit. */
async function shortenRequest(
  input: unknown,
  how: CountOptions,
  limits: RequestLimits,
  changes: RepairChange[],
): Promise<unknown> {
  const { maxTokens: most = Infinity, maxBytes = Infinity } = limits;
  const { total } = countMessages(input, how);
  const reading = readConversation(input, { format: how.format });
  const budget = budgetWithin(reading, undefined, { ...how, budget: Math.min(most, total), limits: { maxBytes } });
  if (total <= budget) return input;
  try {
    const done = await compact(input, { ...how, budget });
    const fits = done.report.after.total <= budget;
    const next = fits ? done.messages : prune(input, { ...how, budget }).messages;
    changes.push({
      rule: fits ? "compacted" : "pruned",
      message: `${total.toLocaleString("en")} tokens became at most ${budget.toLocaleString("en")}`,
    });
    return next;
  } catch (error) {
    // The content that must stay exceeds the limit: `left` reports it.
    if (isExceeded(error)) return input;
    throw error;
  }
}
