/** The options of `prune` as the core takes them, checked. */

import { badOption as bad } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { plain } from "../options/checks.ts";
import { tokens } from "../options/tokens.ts";
import { IMAGE_BYTES, resultPictures } from "../tokens/images.ts";
import type { PruneCut, PruneOptions, PrunePass, Removal } from "../types/prune.ts";
import { needProvider } from "../validity/sendable.ts";
import { serverItems } from "../validity/server-items.ts";
import { limitFor, modelOf } from "./limits.ts";
import { counting, kept } from "./reading.ts";

/** Reports parts of results that are not for the model: they cost nothing, since no request has them. */
export function withheld(reading: Reading): Removal[] {
  return reading.withheld.map((id) => ({
    ids: [id],
    rule: "audience",
    why: "parts of a result that are not for the model",
    tokens: 0,
    recall: id,
  }));
}

const PASSES: readonly PrunePass[] = [
  "oversize",
  "turns",
  "rounds",
  "requests",
  "currentRounds",
  "results",
  "arguments",
  "media",
];

const ORDERS: Record<"drop" | "shrink", readonly PrunePass[]> = {
  drop: ["oversize", "turns", "currentRounds", "results", "arguments", "media"],
  shrink: ["oversize", "results", "turns", "currentRounds", "arguments", "media"],
};

/** The options of {@link prune} as the core takes them, checked. */
export function pruneFields(reading: Reading, options: PruneOptions) {
  const {
    headroom = 0,
    backfill = false,
    note = false,
    sentenceShare = 0,
    cacheStep = 0,
    dropMedia = "none",
    maxImageBytes = IMAGE_BYTES,
    previous,
    priorities,
    provider,
  } = options;
  const { tokens: budget, source: limitSource } = limitFor(options);
  tokens(options, "headroom", false);
  if (maxImageBytes !== Infinity) tokens(options, "maxImageBytes", false);
  needProvider(provider);
  for (const name of ["backfill", "note", "serverManaged"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw bad(name, "true or false", options[name]);
  }
  if (typeof sentenceShare !== "number" || !(sentenceShare >= 0 && sentenceShare <= 1))
    throw bad("sentenceShare", "a number from 0 to 1", sentenceShare);
  if (typeof cacheStep !== "number" || !(cacheStep >= 0 && cacheStep <= 1))
    throw bad("cacheStep", "a number from 0 to 1", cacheStep);
  if (!["none", "old", "all"].includes(dropMedia)) throw bad("dropMedia", `"none", "old" or "all"`, dropMedia);
  const pictures = resultPictures(reading, maxImageBytes);
  return {
    ...counting(reading, { ...options, model: modelOf(options.model).name }),
    ...(provider !== undefined && { format: provider, written: reading.format }),
    ...(pictures.length > 0 && { pictures: JSON.stringify(pictures), pictureBytes: maxImageBytes }),
    budget,
    limitSource,
    headroom,
    backfill,
    note,
    sentenceShare,
    cacheStep,
    dropMedia,
    keep: [...kept(reading, options.keep), ...serverItems(reading)],
    order: orderOf(options.order),
    priorities: prioritiesOf(priorities),
    previous: previous === undefined ? undefined : JSON.stringify(plain(cutOf(previous), "options.previous")),
  };
}

function orderOf(order: PruneOptions["order"]): readonly PrunePass[] | undefined {
  if (order === undefined) return undefined;
  if (typeof order === "string" && Object.hasOwn(ORDERS, order)) return ORDERS[order];
  if (!Array.isArray(order)) throw bad("order", `"drop", "shrink" or a list of passes`, order);
  order.forEach((pass: unknown, at) => {
    if (!PASSES.includes(pass as PrunePass)) throw bad(`order[${at}]`, `one of ${PASSES.join(", ")}`, pass);
  });
  return order as readonly PrunePass[];
}

function prioritiesOf(priorities: PruneOptions["priorities"]): [string, number][] {
  if (priorities === undefined) return [];
  if (typeof priorities !== "object" || priorities === null)
    throw bad("priorities", "an object of numbers by message id", priorities);
  const pairs = Object.entries(priorities);
  for (const [id, priority] of pairs) {
    if (typeof priority !== "number" || Number.isNaN(priority)) throw bad(`priorities.${id}`, "a number", priority);
  }
  return pairs;
}

/** A cut comes back from wherever the host kept it. The core names what is missing; numbers it would take silently. */
function cutOf(previous: PruneCut): PruneCut {
  if (typeof previous !== "object" || previous === null)
    throw bad("previous", "the cut of an earlier report", previous);
  tokens(previous, "limit", true, "options.previous");
  const { shortened } = previous;
  if (Array.isArray(shortened)) {
    shortened.forEach((item: object, at) => {
      if (typeof item !== "object" || item === null) throw bad(`previous.shortened[${at}]`, "an object", item);
      const within = `options.previous.shortened[${at}]`;
      tokens(item as { part?: number }, "part", true, within);
      for (const name of ["item", "limit"] as const)
        tokens(item as { item?: number; limit?: number }, name, false, within);
    });
  }
  return previous;
}
