/** The entries of `espalier/count` as they are shipped, typed by their sources. */

import type * as Entry from "../../../../js/entries/count.ts";

export type Count = typeof Entry;
export const dist = new URL("../../../../pkg/dist/", import.meta.url);

/** Imports an entry of the package by its file; `fresh` gives it separate module state. */
export async function entry(file: string, fresh = ""): Promise<Count> {
  return (await import(`${new URL(file, dist).href}${fresh && `?${fresh}`}`)) as Count;
}
