/**
 * The cuts of a page without what they have in common: a smaller budget makes the removals of a larger one and then
 * further ones. For 15,000 nodes that is 2 MB instead of 44.
 */

import type { PageCut, PageData, PageRemoval } from "./html-tracer-data.ts";

/** A cut that makes the first removals of a list. */
interface PackedCut extends Omit<PageCut, "removals" | "fates" | "sizes"> {
  /** How many removals of the list it makes. */
  made: number;
  /** Index and tokens of nodes that have other tokens than in the first cut. */
  sizes: number[];
}

export interface PackedData extends Omit<PageData, "cuts"> {
  /** All removals in their order. */
  removals: PageRemoval[];
  /** For each node the index of its removal, or -1. */
  fates: number[];
  /** Tokens of each node in the first cut. */
  sizes: number[];
  /** Cuts that have lists of their own are as they were. */
  cuts: (PackedCut | PageCut)[];
}

export function pack({ cuts, ...data }: PageData): PackedData {
  const common = cuts.filter(({ nodes, fates }) => !nodes && fates.length === data.nodes.length);
  const [first] = common;
  const most = common.reduce<PageCut | undefined>(
    (best, cut) => (best && best.removals.length >= cut.removals.length ? best : cut),
    undefined,
  );
  if (!first || !most) return { ...data, removals: [], fates: [], sizes: [], cuts };
  const { removals, fates } = most;
  const all = removals.map(identity);
  const packed = cuts.map((cut) => {
    const { removals: own, fates: becomes, sizes, ...facts } = cut;
    const made = own.length;
    const isPrefix =
      common.includes(cut) &&
      own.every((removal, index) => identity(removal) === all[index]) &&
      becomes.every((fate, index) => fate === (fates[index]! < made ? fates[index] : -1));
    if (!isPrefix) return cut;
    const changed = sizes.flatMap((size, index) => (size === first.sizes[index] ? [] : [index, size]));
    return { ...facts, made, sizes: changed };
  });
  return { ...data, removals, fates, sizes: first.sizes, cuts: packed };
}

const identity = ({ rule, step, freed, limit, node, rival }: PageRemoval) =>
  `${rule} ${step} ${freed} ${node} ${rival?.id} ${limit}`;

export function unpack({ removals, fates, sizes, cuts, ...data }: PackedData): PageData {
  const unpacked = cuts.map((cut): PageCut => {
    if (!("made" in cut)) return cut;
    const { made, sizes: changed, ...facts } = cut;
    const own = [...sizes];
    for (let at = 0; at < changed.length; at += 2) own[changed[at]!] = changed[at + 1]!;
    return {
      ...facts,
      removals: removals.slice(0, made),
      fates: fates.map((fate) => (fate < made ? fate : -1)),
      sizes: own,
    };
  });
  return { ...data, cuts: unpacked };
}
