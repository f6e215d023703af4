/** The last step: removals that make one request fit and apply to it alone. */

import { compactMessages } from "../calls/compact.ts";
import { CACHE_STEP_SHARE } from "../calls/prune-fields.ts";
import { read } from "../calls/reading.ts";
import { isExceeded, isOfLimit, restateExceeded } from "../errors/exceeded.ts";
import type { LogView } from "../log/types.ts";
import { Pruner } from "../calls/pruner.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CountOptions, Totals } from "../types/count.ts";
import type { LimitFinding } from "../types/limits.ts";
import type { CutReport, PruneOptions, Removal } from "../types/prune.ts";
import type { ProviderName } from "../types/validity.ts";

/** The options by which the view is counted. */
export type Counted = Pick<
  CountOptions,
  "encoding" | "tokenizer" | "model" | "costModel" | "images" | "imageSize" | "format" | "tools"
>;

export interface Fitted<T> {
  messages: T[];
  removed: Removal[];
  /** What the provider's rules changed. */
  repaired: Removal[];
  before: Totals;
  after: Totals;
  /** Documented limits that the request exceeds. */
  exceeded: readonly LimitFinding[];
  /** True if whole messages were dropped, so that the request does not mention them. */
  hasDropped: boolean;
  performedBy: "prune" | "shorten" | "render";
}

/** What decides how a view is cut. */
export interface FitBy {
  compaction: Partial<CompactOptions>;
  /** The log's ids of messages that stay. */
  keep: readonly string[];
  provider: ProviderName | undefined;
  limits: PruneOptions["limits"];
  /** The media that go because the provider refused the bytes of the request. */
  dropMedia: PruneOptions["dropMedia"];
}

export class Fit {
  private pruner = new Pruner();
  private edits = "";

  /**
   * Prunes the view to `budget` of our tokens; if the messages that must stay are too large, shortens those as well.
   * `names`: the log's ids of the view's messages.
   *
   * @throws EspalierError `budget_exceeded` if they are too large even then
   */
  async fit<T>(
    view: LogView<T>,
    names: readonly string[][],
    how: Counted,
    budget: number,
    edits: string,
    { compaction, keep, provider, limits, dropMedia }: FitBy,
  ): Promise<Fitted<T>> {
    // After an edit or an undo the same numbers refer to other messages.
    if (edits !== this.edits) this.pruner.cut = undefined;
    this.edits = edits;
    // Messages are numbered by their place in the view; the log has other ids.
    const isNamed = how.format !== "espalier";
    const named = (removed: Removal[]) =>
      isNamed
        ? removed.map((removal) => ({
            ...removal,
            ids: removal.ids.flatMap((id) => names[Number(id.slice(1))] ?? [id]),
          }))
        : removed;
    const kept = names.flatMap((ids, at) => (ids.some((id) => keep.includes(id)) ? [isNamed ? at : ids[0]!] : []));
    const same = { keep: kept, ...(limits && { limits }) };
    const fitted = (
      {
        messages,
        report,
        repaired,
      }: { messages: unknown; report: CutReport & { exceeded?: readonly LimitFinding[] }; repaired: Removal[] },
      performedBy: Fitted<T>["performedBy"],
    ): Fitted<T> => ({
      messages: messages as T[],
      removed: named(report.removed),
      repaired: named(repaired),
      before: report.before,
      after: report.after,
      hasDropped: report.messages.some(({ fate }) => fate === "dropped"),
      exceeded: report.exceeded ?? [],
      performedBy,
    });
    try {
      const asked = { ...how, budget, cacheStepShare: CACHE_STEP_SHARE, ...same, ...(dropMedia && { dropMedia }) };
      return fitted(this.pruner.cutRead(read(view.messages, how), asked, provider), "prune");
    } catch (error) {
      if (!isExceeded(error)) throw error;
      const asked = { ...compaction, ...how, ...same, budget, ...(provider && { provider }) };
      const shortened = await compactMessages(view.messages, asked).catch((second: unknown) => {
        // A limit that is not tokens is named as the host stated it.
        if (isOfLimit(error)) throw error;
        throw restateExceeded(second, {
          budget,
          named: (id) => (isNamed ? names[Number(id.slice(1))]?.join(" ") : undefined) ?? id,
        });
      });
      return fitted(shortened, "shorten");
    }
  }

  free(): void {
    this.pruner.free();
  }
}
