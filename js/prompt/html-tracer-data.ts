/**
 * The data of the tracer's page: the nodes of a prompt as a list in the order of the tree, so that its depth does not
 * matter, and what each budget does to them.
 */

import { json } from "../formats/values.ts";
import type { Explanation, PromptTrace, RemovalRule } from "./explain.ts";
import { imageUrl } from "./parts.ts";
import type { ITraceData, ITraceEpoch, ITraceRenderData, MaterializedView } from "./tracer.ts";

/** A node, whatever becomes of it. */
export interface PageNode {
  id: number;
  /** Index of its parent in the list; -1 for the first. */
  parent: number;
  type: MaterializedView["type"];
  name?: string;
  role?: string;
  priority: number;
  text?: string;
  metadata?: { name: string; value: string }[];
}

/** Why nodes were removed. */
export interface PageRemoval {
  /** Absent if the renderer gave no reasons. */
  rule?: RemovalRule;
  /** Nodes with the same step were removed together. */
  step: number;
  freed: number | null;
  /** The element whose limit was exceeded. */
  limit: string;
  /** Id of the removed node. */
  node: number;
  rival?: { id: number; path: string; priority?: number };
}

/** What a budget does to the nodes. Lists have the order of the nodes. */
export interface PageCut {
  budget: number;
  tokens: number;
  /** Number of removed nodes, without those inside them. */
  removed: number;
  removals: PageRemoval[];
  /** For each node the index of its removal, or -1 if it is kept. Empty if nothing is known. */
  fates: number[];
  /** For each node its tokens: those that are kept of it, or all that it had if it was removed. */
  sizes: number[];
  /** Why the budget cannot be met. */
  error?: string;
  /** The tokens that may not be removed, if the budget is smaller. */
  needed?: number;
  /** The nodes, if they are not those of the page: some elements make other content for another budget. */
  nodes?: PageNode[];
}

export interface PageData {
  /** The budget of the render. */
  budget: number;
  /** Tokens of the prompt before anything is removed. */
  whole: number;
  epochs: readonly ITraceEpoch[];
  nodes: PageNode[];
  /** At least the cut of the render; with more of them the page works without a server. */
  cuts: PageCut[];
  /** The server that answers for other budgets. */
  server: string | undefined;
}

/** Returns the nodes and the cut of an explained prompt. */
export function readTrace({ budget, tokens, nodes: explained }: PromptTrace): { nodes: PageNode[]; cut: PageCut } {
  const indices = new Map(explained.map(({ id }, index) => [id, index]));
  const { removals, fates } = readRemovals(explained);
  const isTop = ({ kept, parent }: Explanation) =>
    !kept && (parent === undefined || (explained[indices.get(parent)!]?.kept ?? true));
  const cut = {
    budget,
    tokens,
    removed: explained.filter(isTop).length,
    removals,
    fates,
    sizes: explained.map((node) => node.tokens ?? 0),
  };
  const nodes = explained.map(({ id, parent, kind, role, text, priority, path }): PageNode => {
    // The path of a text ends with the text itself.
    const name = kind === "text" ? undefined : path.split(" > ").at(-1);
    return {
      id,
      parent: parent === undefined ? -1 : (indices.get(parent) ?? -1),
      type: kind,
      ...(name !== undefined && { name }),
      ...(role !== undefined && { role }),
      priority,
      ...(text !== undefined && { text }),
    };
  });
  return { nodes, cut };
}

/** Removals are in their order, so that a smaller budget has those of a larger one first. */
function readRemovals(explained: readonly Explanation[]): Pick<PageCut, "removals" | "fates"> {
  const known = new Map<string, PageRemoval>();
  const own = explained.map(({ kept, removal }) => {
    if (kept || !removal) return undefined;
    const key = `${removal.step} ${removal.node} ${removal.rule}`;
    const found = known.get(key);
    if (!found) known.set(key, removal);
    return found ?? removal;
  });
  const removals = [...known.values()].sort((one, other) => one.step - other.step);
  const indices = new Map(removals.map((removal, index) => [removal, index]));
  return { removals, fates: own.map((removal) => (removal ? indices.get(removal)! : -1)) };
}

/** Returns the nodes of a tree, with the tokens of each. */
function readViews(container: MaterializedView): { nodes: PageNode[]; sizes: number[] } {
  const nodes: PageNode[] = [];
  const sizes: number[] = [];
  const waiting: { view: MaterializedView; parent: number }[] = [{ view: container, parent: -1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { id, type, name, role, priority, tokens, text, metadata, children = [] } = next.view;
    const index = nodes.length;
    nodes.push({
      id,
      parent: next.parent,
      type,
      ...(name !== undefined && { name }),
      ...(role !== undefined && { role }),
      priority,
      ...(text !== undefined && { text: type === "image" && text ? imageUrl(text) : text }),
      ...(metadata.length > 0 && {
        metadata: metadata.map((value) => ({ name: value.constructor.name, value: json(value) })),
      }),
    });
    sizes.push(tokens);
    for (let i = children.length - 1; i >= 0; i--) waiting.push({ view: children[i]!, parent: index });
  }
  return { nodes, sizes };
}

/** Reads the trees of one render at many budgets; most of them have the nodes of the first one. */
export class PageReader {
  readonly nodes: PageNode[];
  /** Tokens of each node of the first tree. */
  readonly #sizes: number[];
  readonly #signature: string;

  /** `whole` is the tree with the largest budget. */
  constructor(whole: ITraceRenderData) {
    const views = readViews(whole.container);
    if (whole.trace) {
      const { nodes, cut } = readTrace(whole.trace);
      // Only views have pictures and metadata.
      const seen = new Map(views.nodes.map((node) => [node.id, node]));
      this.nodes = nodes.map((node) => ({ ...seen.get(node.id), ...node }));
      this.#sizes = cut.sizes;
    } else {
      this.nodes = views.nodes;
      this.#sizes = views.sizes;
    }
    this.#signature = signatureOf(this.nodes);
  }

  cut(data: ITraceRenderData): PageCut {
    return data.trace ? { ...this.explained(data.trace), removed: data.removed } : this.#compared(data);
  }

  explained(trace: PromptTrace): PageCut {
    const { nodes, cut } = readTrace(trace);
    return signatureOf(nodes) === this.#signature ? cut : { ...cut, nodes };
  }

  /** Nodes that are missing were removed, for reasons that are unknown. */
  #compared({ budget, removed, container }: ITraceRenderData): PageCut {
    const views = readViews(container);
    const own = new Set(this.nodes.map(({ id }) => id));
    if (views.nodes.some(({ id }) => !own.has(id))) {
      const { nodes, sizes } = views;
      return { budget, tokens: container.tokens, removed, removals: [], fates: nodes.map(() => -1), sizes, nodes };
    }
    const kept = new Map(views.nodes.map(({ id }, index) => [id, views.sizes[index]!]));
    const removals: PageRemoval[] = [];
    const fates: number[] = [];
    this.nodes.forEach(({ id, parent }, index) => {
      if (kept.has(id)) fates[index] = -1;
      else if (parent >= 0 && fates[parent]! >= 0) fates[index] = fates[parent]!;
      else fates[index] = removals.push({ step: 0, freed: this.#sizes[index]!, limit: "", node: id }) - 1;
    });
    const sizes = this.nodes.map(({ id }, index) => kept.get(id) ?? this.#sizes[index]!);
    return { budget, tokens: container.tokens, removed, removals, fates, sizes };
  }
}

/** Two trees with the same signature have the same nodes. */
function signatureOf(nodes: readonly PageNode[]): string {
  return nodes.map(({ id, parent, type, text }) => `${id},${parent},${type},${text?.length ?? ""}`).join(";");
}

/** Returns what a budget does, or the reason why it cannot be met. */
export async function cutAt(data: ITraceData, reader: PageReader, budget: number): Promise<PageCut> {
  try {
    return reader.cut(await data.renderTree(budget));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { trace, details } = Object(error) as { trace?: PromptTrace; details?: { needed?: unknown } };
    const needed = details?.needed;
    const cut = trace ? reader.explained(trace) : { budget, tokens: 0, removed: 0, removals: [], fates: [], sizes: [] };
    return { ...cut, budget, error: message, ...(typeof needed === "number" && { needed }) };
  }
}

/** Max doublings of a budget: 2 to this power is far beyond any prompt. */
const MAX_DOUBLINGS = 40;

/**
 * Returns the tree before anything is removed. No budget is unlimited here: elements that fill their budget would never
 * end.
 */
export async function wholeTree(data: ITraceData): Promise<ITraceRenderData> {
  let last = data.renderedTree;
  let budget = Math.max(1, data.budget);
  for (let i = 0; i < MAX_DOUBLINGS && last.removed > 0; i++) {
    budget *= 2;
    try {
      last = await data.renderTree(budget);
    } catch {
      break;
    }
    // What is removed now exceeds the limit of an element.
    if (tokensOf(last) * 2 <= budget) break;
  }
  return last;
}

export const tokensOf = ({ trace, container }: ITraceRenderData) => trace?.tokens ?? container.tokens;

/** Max numbers in the cuts of a page, which decides how many there are for large prompts. */
const MAX_NUMBERS = 200_000;
const MAX_CUTS = 80;
const MIN_CUTS = 10;

/**
 * Returns the cuts of a page that works by itself: after each removal if there are few, else at even distances. The
 * last one says why a smaller budget cannot be met.
 */
export async function allCuts(data: ITraceData, reader: PageReader, whole: ITraceRenderData): Promise<PageCut[]> {
  const count = Math.min(MAX_CUTS, Math.max(MIN_CUTS, Math.floor(MAX_NUMBERS / reader.nodes.length)));
  const largest = tokensOf(whole);
  const cuts = new Map<number, PageCut>();
  const add = async (budget: number) => {
    const cut = await cutAt(data, reader, budget);
    cuts.set(budget, cut);
    return cut;
  };
  const step = Math.max(1, Math.floor(largest / count));
  for (let budget = largest; budget >= 0; ) {
    const { error, tokens } = await add(budget);
    if (error !== undefined) break;
    // With this many tokens the next smaller result begins.
    budget = Math.min(tokens - 1, budget - step);
  }
  if (!cuts.has(data.budget)) cuts.set(data.budget, reader.cut(data.renderedTree));
  return [...cuts.values()].sort((one, other) => other.budget - one.budget);
}
