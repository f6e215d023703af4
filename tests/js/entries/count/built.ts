/** The entries of `espalier/count` as they are shipped, typed by their sources. */

import type * as Entry from "../../../../js/entries/count.ts";

export type Count = typeof Entry;
export const dist = new URL("../../../../pkg/dist/", import.meta.url);

/** An entry of the package by its file; `fresh` has module state of its own. */
export async function entry(file: string, fresh = ""): Promise<Count> {
  return (await import(`${new URL(file, dist).href}${fresh && `?${fresh}`}`)) as Count;
}
