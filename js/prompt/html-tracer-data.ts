/** The data of the tracer's page: trees as flat lists, so that their depth does not matter. */

import { json } from "../formats/values.ts";
import { imageUrl } from "./parts.ts";
import type { ITraceData, ITraceEpoch, ITraceRenderData, MaterializedView } from "./tracer.ts";

/** A node of a tree. Its children follow it in the list. */
export interface PageNode {
  id: number;
  /** Index of its parent in the list; -1 for the first. */
  parent: number;
  type: MaterializedView["type"];
  name?: string | undefined;
  role?: string | undefined;
  priority: number;
  tokens: number;
  text?: string | undefined;
  metadata?: { name: string; value: string }[];
}

/** A tree at one budget, or why there is none. */
export type PageTree = { budget: number; removed: number; nodes: PageNode[] } | { budget: number; error: string };

export interface PageData {
  budget: number;
  epochs: readonly ITraceEpoch[];
  /** At least the tree of the render; with more of them the page works without a server. */
  trees: PageTree[];
  /** The server that answers for other budgets. */
  server: string | undefined;
}

/** Returns the tree at a budget, or the reason why the budget cannot be met. */
export async function treeAt(data: ITraceData, budget: number): Promise<PageTree> {
  try {
    return pageTree(await data.renderTree(budget));
  } catch (error) {
    return { budget, error: error instanceof Error ? error.message : String(error) };
  }
}

export function pageTree({ budget, removed, container }: ITraceRenderData): PageTree {
  const nodes: PageNode[] = [];
  const waiting: { view: MaterializedView; parent: number }[] = [{ view: container, parent: -1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { view, parent } = next;
    const { id, type, name, role, priority, tokens, text, metadata, children = [] } = view;
    const at = nodes.length;
    const shown = type === "image" && text ? imageUrl(text) : text;
    nodes.push({
      id,
      parent,
      type,
      name,
      role,
      priority,
      tokens,
      text: shown,
      ...(metadata.length > 0 && {
        metadata: metadata.map((value) => ({ name: value.constructor.name, value: json(value) })),
      }),
    });
    for (let i = children.length - 1; i >= 0; i--) waiting.push({ view: children[i]!, parent: at });
  }
  return { budget, removed, nodes };
}
