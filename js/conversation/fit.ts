/** The last step: removals that make one request fit and apply to it alone. */

import { compactMessages } from "../calls/compact.ts";
import { CACHE_STEP_SHARE } from "../calls/prune-fields.ts";
import { isExceeded, isOfLimit, restateExceeded } from "../errors/exceeded.ts";
import type { LogView } from "../log/types.ts";
import { Pruner } from "../calls/pruner.ts";
import { readConversation } from "../formats/index.ts";
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

/** A view, and what decides how it is cut. */
export interface ToFit<T> {
  view: LogView<T>;
  /** The log's ids of the view's messages. */
  names: readonly string[][];
  counted: Counted;
  /** In our tokens. */
  budget: number;
  /** The edits of the view. */
  edits: string;
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
  /** Tokens that the newest cut left out by shortening alone; 0 if it dropped messages, too. */
  saved = 0;

  /**
   * Prunes the view to its budget; if the messages that must stay are too large, shortens those as well.
   *
   * @throws EspalierError `budget_exceeded` if they are too large even then
   */
  async fit<T>(view: ToFit<T>): Promise<Fitted<T>> {
    try {
      return this.prune(view);
    } catch (error) {
      if (!isExceeded(error)) throw error;
      const { counted, compaction, provider, budget } = view;
      const asked = { ...compaction, ...counted, ...this.kept(view), budget, ...(provider && { provider }) };
      const shortened = await compactMessages(view.view.messages, asked).catch((second: unknown) => {
        // A limit that is not tokens is named as the host stated it.
        if (isOfLimit(error)) throw error;
        throw restateExceeded(second, { budget, named: (id) => namesIn(view, id)?.join(" ") ?? id });
      });
      return fittedOf(view, shortened, "shorten");
    }
  }

  /**
   * Shortens long results only. `undefined` if the view does not fit then, or if that leaves out more than the previous
   * request did and `spare` tokens.
   */
  shorten<T>(view: ToFit<T>, spare: number): Fitted<T> | undefined {
    this.stand(view.edits);
    const { saved } = this;
    const { cut } = this.pruner;
    try {
      const fitted = this.prune(view, ["oversize"]);
      if (this.saved > 0 && this.saved <= saved + spare) return fitted;
    } catch (error) {
      if (!isExceeded(error)) throw error;
    }
    this.saved = saved;
    this.pruner.cut = cut;
    return undefined;
  }

  private prune<T>(view: ToFit<T>, order?: PruneOptions["order"]): Fitted<T> {
    this.stand(view.edits);
    const { counted, budget, provider, dropMedia } = view;
    const asked = {
      ...counted,
      ...this.kept(view),
      budget,
      cacheStepShare: CACHE_STEP_SHARE,
      ...(dropMedia && { dropMedia }),
      ...(order && { order }),
    };
    const fitted = fittedOf(
      view,
      this.pruner.cutRead(readConversation(view.view.messages, counted), asked, provider),
      "prune",
    );
    this.saved = fitted.hasDropped ? 0 : fitted.before.total - fitted.after.total;
    return fitted;
  }

  /** Forgets the newest cut after an edit or an undo: the same numbers refer to other messages then. */
  private stand(edits: string): void {
    if (edits === this.edits) return;
    this.edits = edits;
    this.pruner.cut = undefined;
    this.saved = 0;
  }

  private kept<T>({ names, keep, counted, limits }: ToFit<T>): Pick<PruneOptions, "keep" | "limits"> {
    const kept = names.flatMap((ids, at) =>
      ids.some((id) => keep.includes(id)) ? [isNumbered(counted) ? at : ids[0]!] : [],
    );
    return { keep: kept, ...(limits && { limits }) };
  }

  free(): void {
    this.pruner.free();
  }
}

/** True if messages are numbered by their place in the view, while the log has other ids. */
function isNumbered({ format }: Counted): boolean {
  return format !== "espalier";
}

function namesIn<T>({ names, counted }: ToFit<T>, id: string): readonly string[] | undefined {
  return isNumbered(counted) ? names[Number(id.slice(1))] : undefined;
}

function fittedOf<T>(
  view: ToFit<T>,
  {
    messages,
    report,
    repaired,
  }: { messages: unknown; report: CutReport & { exceeded?: readonly LimitFinding[] }; repaired: Removal[] },
  performedBy: Fitted<T>["performedBy"],
): Fitted<T> {
  const named = (removed: Removal[]) =>
    isNumbered(view.counted)
      ? removed.map((removal) => ({ ...removal, ids: removal.ids.flatMap((id) => namesIn(view, id) ?? [id]) }))
      : removed;
  return {
    messages: messages as T[],
    removed: named(report.removed),
    repaired: named(repaired),
    before: report.before,
    after: report.after,
    hasDropped: report.messages.some(({ fate }) => fate === "dropped"),
    exceeded: report.exceeded ?? [],
    performedBy,
  };
}
