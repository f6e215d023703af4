/** Repairs what only a provider's own checks see in finished messages: signatures, cache marks. */

import { EspalierError } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import type { CountOptions, Totals } from "../types/count.ts";
import type { Removal } from "../types/prune.ts";
import type { ProviderName } from "../types/validity.ts";
import { mendings, wireSendable } from "../validity/sendable.ts";
import { countMessages } from "./count.ts";
import { idAt } from "./reading.ts";

/** What the rules of a provider did in the engine; see the core's `Repair`. */
export interface Repair {
  changes: Removal[];
  signatures: boolean;
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
  how: CountOptions,
): Finished {
  const { messages: sound, changes: more } = wireSendable(messages, format, provider, how.model, signatures);
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
