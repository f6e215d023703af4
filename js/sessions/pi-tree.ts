/** The tree of a pi session: the lines above its leaf, and the abandoned branches. */

import { text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";

/** A line of a session. */
export interface Entry {
  data: Fields;
  place: number;
}

export interface Path {
  /** Entries from the first one to the leaf. */
  path: Entry[];
  /** Abandoned entries, by the id of the first one. */
  branches: { id: string; entries: Entry[] }[];
}

/** Returns the path to the leaf, which is the last entry. Old entries have no ids: all of them form the path. */
export function pathOf(entries: readonly Entry[]): Path {
  const byId = new Map<string, number>();
  entries.forEach(({ data }, at) => {
    const id = idOf(data);
    if (id !== undefined) byId.set(id, at);
  });
  if (byId.size === 0) return { path: [...entries], branches: [] };
  const parents = entries.map((entry, at) => parentOf(entry.data, at, byId));
  const on = new Set<number>();
  const leaf = entries.findLastIndex(({ data }) => idOf(data) !== undefined);
  for (let at: number | undefined = leaf; at !== undefined && at >= 0 && !on.has(at); at = parents[at]) on.add(at);
  entries.forEach(({ data }, at) => {
    if (idOf(data) === undefined) on.add(at);
  });
  const roots = new Map<number, { id: string; entries: Entry[] }>();
  const rootOf: (number | undefined)[] = [];
  entries.forEach((entry, at) => {
    if (on.has(at)) return;
    const parent = parents[at];
    const root = parent === undefined || on.has(parent) ? at : (rootOf[parent] ?? at);
    rootOf[at] = root;
    const branch = roots.get(root);
    if (branch) branch.entries.push(entry);
    else roots.set(root, { id: idOf(entry.data) ?? word(entry.place), entries: [entry] });
  });
  return { path: entries.filter((_, at) => on.has(at)), branches: [...roots.values()] };
}

/** Returns the id of an entry of the tree. A header's id names the session. */
export function idOf(data: Fields): string | undefined {
  return data["type"] === "session" ? undefined : text(data["id"]);
}

/** Returns the parent of an entry. If its line is broken, the entry before it in the file is the parent. */
function parentOf({ parentId, type }: Fields, at: number, byId: ReadonlyMap<string, number>): number | undefined {
  if (type === "session" || parentId === null) return undefined;
  const parent = typeof parentId === "string" ? byId.get(parentId) : undefined;
  return parent ?? (at > 0 ? at - 1 : undefined);
}
