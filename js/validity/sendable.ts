/** The last look at what is sent: what its provider would refuse is mended, and told like any other removal. */

import type { Format, NeutralMessage } from "../types/messages.ts";
import type { ProviderName, RepairChange } from "../types/validity.ts";
import type { Removal } from "../types/prune.ts";
import { PROVIDERS } from "./providers.ts";
import { hasWireFindings, repair } from "./validity.ts";
import { Standing } from "./standing.ts";

/** Whose messages these are. Neutral ones and the AI SDK's are nobody's until the host says whom they are for. */
export function providerOf(format: Format, given: ProviderName | undefined): ProviderName | undefined {
  return given ?? PROVIDERS.find((provider) => provider === format);
}

/**
 * The messages as the provider takes them: the very same list where there is nothing to mend. Calls that have no result
 * yet are the host's to answer, and stay.
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
 * Messages of a plan that the engine made for this provider: what only its own checks see is repaired as well.
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

/** The same for the requests of one conversation, of which most say what the one before did and a little more. */
export class Sendable {
  private readonly standing = new Standing();
  /** There was something to mend the last time: nothing is known of what comes before. */
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

/** What was mended, as reports say it. `ids` names the message that was at an index. */
export function mendings(changes: readonly RepairChange[], ids: (index: number) => readonly string[]): Removal[] {
  return changes.map(({ rule, index, message }) => {
    const names = index === undefined ? [] : [...ids(index)];
    return { ids: names, rule, why: message, tokens: 0, recall: names[0] ?? "" };
  });
}
