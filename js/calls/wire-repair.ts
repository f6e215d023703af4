/** Repairs what only a provider's own checks see in finished messages: signatures, cache marks. */

import { EspalierError } from "../errors/errors.ts";
import { defined } from "../options/data.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import type { CountOptions, Totals } from "../types/count.ts";
import type { Format, ToolList } from "../types/messages.ts";
import type { ModelLimits, Removal } from "../types/prune.ts";
import type { ProviderName, RepairChange } from "../types/validity.ts";
import { hasWireFindings, repair } from "../validity/validity.ts";
import { countMessages } from "./count.ts";
import { modelOf } from "./limits.ts";
import { idAt } from "./reading.ts";

/** What the rules of a provider did in the engine; see the core's `Repair`. */
export interface Repair {
  changes: Removal[];
  signatures: boolean;
}

/** What the rules depend on beside the messages. Without `tools` they are those of the request, if it names any. */
interface RequestFacts {
  model?: string | undefined;
  tools?: ToolList | undefined;
}

/** The options by which finished messages are counted. */
export type HowCounted = Omit<CountOptions, "model"> & { model?: string | ModelLimits | undefined };

/** Returns these options as `countMessages` takes them. */
export function howOf({ encoding, tokenizer, costModel, images, imageSize, tools, model }: HowCounted): CountOptions {
  return defined({ encoding, tokenizer, model: modelOf(model).name, costModel, images, imageSize, tools });
}

/** Returns the report of a cut whose removals include these repairs. */
export function withRepairs<R extends { removed: Removal[] }>(report: R, repaired: readonly Removal[]): R {
  return repaired.length === 0 ? report : { ...report, removed: [...report.removed, ...repaired] };
}

/** Finished messages with what was repaired of them. */
export interface Finished {
  messages: unknown;
  repaired: Removal[];
  after: Totals;
}

/**
 * Messages of a plan that the engine made for a provider. They are read and counted again only if there is something
 * to repair, which is rare.
 *
 * @throws EspalierError `budget_exceeded` if the repair makes them longer than the budget
 */
export function wireRepaired(
  { messages, after }: { messages: unknown; after: Totals },
  { changes, signatures }: Repair,
  { format, source, ...reading }: Reading,
  provider: ProviderName,
  budget: number,
  options: HowCounted,
): Finished {
  const how = howOf(options);
  const { messages: sound, changes: more } = wireSendable(messages, format, provider, how, signatures);
  if (sound === messages) return { messages, repaired: changes, after };
  const { total, frame, conversation, messages: count } = countMessages(sound, { ...how, format });
  if (total > budget)
    throw new EspalierError({
      code: "budget_exceeded",
      message: `The provider's form of the remaining messages has ${total} tokens, the budget is ${budget}`,
      path: "options.budget",
      details: { needed: total, budget, largest: [] },
    });
  const ids = new Map(source.list.map((message, at) => [message, idAt({ format, source, ...reading }, at)!]));
  const list = findSource(messages)?.list ?? [];
  return {
    messages: sound,
    repaired: [...changes, ...mendings(more, (at) => [ids.get(list[at])].flatMap((id) => id ?? []))],
    after: { ...after, total, frame, conversation, messages: count },
  };
}

/**
 * Returns messages that the engine made for a provider, with repairs of what only the provider's own checks find: the
 * same list if they find nothing. `signatures`: whether first calls must have one; `known`: number of first messages in
 * which they found nothing.
 */
export function wireSendable<T>(
  messages: T,
  format: Format,
  provider: ProviderName,
  { model, tools }: RequestFacts,
  signatures: boolean,
  known = 0,
): { messages: T; changes: RepairChange[] } {
  const facts = defined({ model: model === "" ? undefined : model, tools });
  if (!hasWireFindings(messages, format, provider, facts, signatures, known)) return { messages, changes: [] };
  // Calls without a result stay: the host answers them.
  const { messages: valid, report } = repair(messages, { provider, format, pending: "keep", ...facts });
  return { messages: valid, changes: report.changes };
}

/** Returns repairs as reports list them. `ids` returns the ids of the messages at an index. */
export function mendings(changes: readonly RepairChange[], ids: (index: number) => readonly string[]): Removal[] {
  return changes.map(({ rule, index, message }) => {
    const names = index === undefined ? [] : [...ids(index)];
    return { ids: names, rule, why: message, tokens: 0, recall: names[0] ?? "" };
  });
}
