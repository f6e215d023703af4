/** What nodes of a document cost, as a host says it: by kind, or by a function that is asked for each of them. */

import { call, wasm } from "../engine.ts";
import { EspalierError } from "../errors.ts";

/** A node that a summary keeps or leaves out: a statement, a definition and the like. Positions are UTF-16 code units. */
export interface CostNode {
  /** As `documentStructure` names it. */
  kind: string;
  start: number;
  end: number;
  /** 0 for the root. */
  depth: number;
  /** What it stands in; nothing for the root. */
  parent: CostNode | undefined;
}

/** What nodes cost: by kind, or told of each of them. */
export type Costs = Readonly<Record<string, number | false>> | ((node: CostNode, cost: number) => number | false);

/** Adds kinds and their costs to those that cross; says how many they are. */
export function put(costs: Readonly<Record<string, number | false>>, kinds: string[], prices: number[]): number {
  const own = Object.entries(costs);
  kinds.push(...own.map(([kind]) => kind));
  prices.push(...own.map(([, cost]) => (cost === false ? NaN : cost)));
  return own.length;
}

/**
 * Asks a function of the host's what nodes cost, and adds that to what crosses; says how many nodes they are. `numbers` are the settings of the
 * document and its selection.
 */
export function ask(
  costs: Exclude<Costs, Readonly<Record<string, number | false>>>, text: string, language: string | undefined, numbers: readonly number[], tree: unknown, preserve: boolean, prices: number[], at: string,
): number {
  const raw = call(() => wasm().documentCosts(text, language ?? "", Float64Array.from(numbers), tree, preserve) as { kinds: string[]; nodes: Uint32Array; costs: Float64Array });
  const nodes: CostNode[] = [];
  for (const [place, usual] of raw.costs.entries()) {
    const [kind = 0, start = 0, end = 0, above = 0] = raw.nodes.subarray(place * 4, place * 4 + 4);
    const parent = nodes[above];
    const node = { kind: raw.kinds[kind] ?? "", start, end, depth: parent ? parent.depth + 1 : 0, parent };
    nodes.push(node);
    const cost: unknown = costs(node, usual);
    if (cost !== false && (typeof cost !== "number" || Number.isNaN(cost))) throw bad(`${at}.costs`, "a function that gives numbers, or false for what is never kept", cost);
    prices.push(cost === false ? NaN : cost);
  }
  return nodes.length;
}

export function checkCosts(costs: unknown, path: string): void {
  if (costs === undefined || typeof costs === "function") return;
  if (typeof costs !== "object" || costs === null || Array.isArray(costs)) throw bad(`${path}.costs`, "an object of costs by kind, or a function", costs);
  for (const [kind, cost] of Object.entries(costs)) {
    if (cost !== false && (typeof cost !== "number" || Number.isNaN(cost))) throw bad(`${path}.costs.${kind}`, "a number, or false for what is never kept", cost);
  }
}

/** An option that makes no sense. */
export function bad(path: string, wanted: string, value: unknown): EspalierError {
  const shown = typeof value === "string" ? JSON.stringify(value) : typeof value === "object" && value !== null ? "an object" : String(value);
  return new EspalierError({ code: "bad_option", message: `${path} must be ${wanted}, and is ${shown}`, path });
}
