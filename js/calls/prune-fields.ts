/** Checks the options of `prune` and converts them to the core's form. */

import { badValue } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { checkForeign, need } from "../options/check.ts";
import { plain } from "../options/data.ts";
import * as kinds from "../options/kinds.ts";
import { SHORTENED } from "../options/schemas/requests.ts";
import { IMAGE_BYTES, resultPictures } from "../tokens/images.ts";
import type { PlanItem } from "../types/messages.ts";
import type { PruneCut, PruneOptions, PrunePass, PruneReport, PruneResult, Removal } from "../types/prune.ts";
import { providerOf } from "../validity/providers.ts";
import { serverItems } from "../validity/server-items.ts";
import { fields as receiverFields } from "../validity/validity.ts";
import type { LimitFinding } from "../types/limits.ts";
import { limitFields, loweredReserve, modelOf } from "./limits.ts";
import { carriedOut, shownExceeded } from "./request-limits.ts";
import { cutFields } from "./reading.ts";
import type { Repair } from "./wire-repair.ts";

/** Reports parts of results that are not for the model: they cost nothing, since no request contains them. */
export function withheld(reading: Reading): Removal[] {
  return reading.withheld.map((id) => ({
    ids: [id],
    rule: "audience",
    why: "parts of a result that are not for the model",
    tokens: 0,
    recall: id,
  }));
}

/** The report of the engine, with its plan. */
export type Pruned = PruneReport & { plan: PlanItem[]; repair?: Repair };

/** A request with what the provider's rules changed, and the limits that it exceeds. */
export type Cut = PruneResult<unknown> & { repaired: Removal[]; exceeded: LimitFinding[] };

/** Carries the plan out. What the provider's rules changed stands apart from the report. */
export function rebuilt(pruned: Pruned, reading: Reading, options: PruneOptions, receiver = options.provider): Cut {
  const { plan: _, repair: __, ...report } = pruned;
  const provider = providerOf(reading.format, receiver);
  const { after, exceeded, ...done } = carriedOut(pruned, reading, provider, options);
  const reserve = loweredReserve(options.model, report.limitSource);
  const removed = [...withheld(reading), ...report.removed];
  return { report: { ...report, removed, ...reserve, after, ...shownExceeded(exceeded) }, exceeded, ...done };
}

/**
 * The step of a cut that continues an earlier one, unless the host states it: all that stays behind a cut is written to
 * the provider's cache again. At a quarter of their size the public transcripts cost up to 190 % more than whole
 * conversations without it, and 35 % less (median; none costs more) with it: `benches/bill`.
 */
export const CACHE_STEP_SHARE = 0.5;

const ORDERS: Record<"drop" | "shrink", readonly PrunePass[]> = {
  drop: ["oversize", "turns", "currentRounds", "results", "arguments", "media"],
  shrink: ["oversize", "results", "turns", "currentRounds", "arguments", "media"],
};

/** Checks the options of {@link prune} and converts them to the core's form. */
export function pruneFields(reading: Reading, options: PruneOptions, receiver = options.provider) {
  const receives = providerOf(reading.format, receiver);
  const {
    headroom = 0,
    backfill = false,
    note = false,
    sentenceShare = 0,
    dropMedia = "none",
    maxImageBytes = IMAGE_BYTES,
    previous,
    cacheStepShare = previous === undefined ? 0 : CACHE_STEP_SHARE,
    priorities,
    provider,
    encoding,
    tokenizer,
    costModel,
    images,
    imageSize,
  } = options;
  const pictures = resultPictures(reading, maxImageBytes);
  const model = modelOf(options.model).name;
  const counted = { encoding, tokenizer, model, costModel, images, imageSize };
  const { keep, ...shared } = cutFields(reading, { ...counted, keep: options.keep });
  // Spreads come last: V8 adds each field behind one in a microsecond, as long as the engine needs for a message.
  return {
    budget: options.budget,
    limits: limitFields(options.model),
    receiver: receives && {
      // A host that does not say whom its messages are for has sent them as they are.
      trustsHost: receiver === undefined,
      ...receiverFields(reading, receives, { model }),
    },
    written: provider && reading.format,
    headroom,
    backfill,
    note,
    sentenceShare,
    cacheStepShare,
    dropMedia,
    keep: [...keep, ...serverItems(reading)],
    order: orderOf(options.order),
    priorities,
    previous: previous === undefined ? undefined : plain(cutOf(previous), "options.previous"),
    ...(pictures.length > 0 && { pictures, maxImageBytes }),
    ...shared,
    ...(provider && { format: provider }),
  };
}

function orderOf(order: PruneOptions["order"]): readonly PrunePass[] | undefined {
  return typeof order === "string" ? ORDERS[order] : order;
}

/** Checks a stored cut. The core reports missing fields, but accepts numbers of any kind. */
export function cutOf(previous: PruneCut, path = "options.previous"): PruneCut {
  if (typeof previous !== "object" || previous === null || !("limit" in previous))
    throw badValue(path, "the cut of an earlier report (report.cut)", previous);
  need(previous.limit, kinds.required(kinds.whole), `${path}.limit`);
  if (!Array.isArray(previous.shortened)) return previous;
  for (const [index, item] of (previous.shortened as unknown[]).entries())
    checkForeign(item as object, SHORTENED, `${path}.shortened[${index}]`);
  return previous;
}
