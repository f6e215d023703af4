/**
 * The last check before messages are sent: repairs what the provider would refuse, and reports each change like a
 * removal.
 */

import type { Format, NeutralMessage } from "../types/messages.ts";
import type { ProviderName, RepairChange } from "../types/validity.ts";
import type { Removal } from "../types/prune.ts";
import { PROVIDERS } from "./providers.ts";
import { hasWireFindings, repair } from "./validity.ts";
import { Standing } from "./standing.ts";

/**
 * Returns the provider of these messages. Neutral messages and those of the AI SDK have none until the host names it.
 */
export function providerOf(format: Format, given: ProviderName | undefined): ProviderName | undefined {
  return given ?? PROVIDERS.find((provider) => provider === format);
}

/**
 * Returns the messages as the provider accepts them, the same list if nothing needs a repair. Calls without a result
 * stay: the host answers them.
 */
export function sendable<T>(
  messages: T,
  format: Format,
  provider: ProviderName | undefined,
  model: string | undefined,
): { messages: T; changes: RepairChange[] } {
  const { messages: mended, changes } =
    provider === undefined ? { messages, changes: [] } : whole(messages, format, provider, model);
  return { messages: mended, changes };
}

/**
 * Repairs messages of a plan that the engine made for this provider, if the provider's own checks find more.
 * `signatures` says whether first calls carry them.
 */
export function wireSendable<T>(
  messages: T,
  format: Format,
  provider: ProviderName,
  model: string | undefined,
  signatures = false,
): { messages: T; changes: RepairChange[] } {
  return hasWireFindings(messages, format, provider, {}, signatures)
    ? whole(messages, format, provider, model)
    : { messages, changes: [] };
}

/** Repairs the requests of one conversation, most of which only extend the request before. */
export class Sendable {
  private readonly standing = new Standing();
  /** The last request needed a repair, so nothing is known of its messages. */
  private isOdd = false;

  of<T>(
    messages: T[],
    format: Format,
    provider: ProviderName | undefined,
    model: string | undefined,
  ): { messages: T[]; changes: RepairChange[] } {
    if (provider === undefined || (!this.isOdd && this.standing.isTaken(messages, format, provider, model)))
      return { messages, changes: [] };
    const { messages: mended, changes, isLeft } = whole(messages, format, provider, model);
    this.isOdd = mended !== messages || isLeft;
    if (!this.isOdd && format === "espalier") this.standing.hold(messages as NeutralMessage[], provider, model);
    return { messages: mended, changes };
  }
}

function whole<T>(
  messages: T,
  format: Format,
  provider: ProviderName,
  model: string | undefined,
): { messages: T; changes: RepairChange[]; isLeft: boolean } {
  const { messages: mended, report } = repair(messages, {
    provider,
    format,
    pending: "keep",
    ...(model !== undefined && model !== "" && { model }),
  });
  return { messages: mended, changes: report.changes, isLeft: report.left.length > 0 };
}

/** Returns the repairs as rows of a report. `ids` returns the ids of the message at an index. */
export function mendings(changes: readonly RepairChange[], ids: (index: number) => readonly string[]): Removal[] {
  return changes.map(({ rule, index, message }) => {
    const names = index === undefined ? [] : [...ids(index)];
    return { ids: names, rule, why: message, tokens: 0, recall: names[0] ?? "" };
  });
}
