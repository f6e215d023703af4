/** The metadata and references that are left after pruning. */

import type { PromptMetadata, PromptReference } from "./results.ts";
import { MetadataMap, ReferenceMetadata } from "./results.ts";
import type { Session } from "./session.ts";

export interface Survivors {
  metadata: MetadataMap;
  references: PromptReference[];
  omittedReferences: PromptReference[];
}

export function survivors(session: Session): Survivors {
  const { holders } = session.flattener;
  if (holders.length === 0) return { metadata: MetadataMap.from([]), references: [], omittedReferences: [] };
  const places = session.places(holders.map(({ id }) => id));
  const inTree = holders
    .map(({ metadata }, at) => ({ metadata, place: places[at]! }))
    .filter(({ place }) => !Number.isNaN(place))
    .sort((a, b) => order(a.place) - order(b.place));
  const left = inTree.filter(({ place }) => place >= 0).flatMap(({ metadata }) => metadata);
  const kept = new Set(left);
  const gone = inTree.flatMap(({ metadata }) => metadata).filter((item) => !kept.has(item));
  // A variable is shown once, wherever it is used.
  const names = new Set<string>();
  const references = (items: PromptMetadata[]) =>
    items.flatMap((item) => {
      if (!(item instanceof ReferenceMetadata)) return [];
      const { anchor } = item.reference;
      if (!("variableName" in anchor)) return [item.reference];
      if (names.has(anchor.variableName)) return [];
      names.add(anchor.variableName);
      return [item.reference];
    });
  return { metadata: MetadataMap.from(left), references: references(left), omittedReferences: references(gone) };
}

/** Negative places, minus one, belong to removed nodes. */
function order(place: number): number {
  return place < 0 ? -1 - place : place;
}
