/** What is shown of a traced prompt, as pure functions: the tree, its steps of removal, and the state after each. */

import { rank, sentence } from "../../js/prompt/explain.ts";
import type { PageCut, PageNode, PageRemoval } from "../../js/prompt/html-tracer-data.ts";

/** Nodes in the order of the tree; lists are by index. */
export interface Tree {
  nodes: readonly PageNode[];
  children: readonly (readonly number[])[];
  depths: readonly number[];
}

/** Nodes that were removed together. */
export interface Step {
  /** Index of the node that was chosen; the others went with it. */
  chosen: number;
  /** Index of the outermost element that went as a whole: what a person would say was removed. */
  victim: number;
  /** All nodes that the step removed, in the order of the tree. */
  indices: number[];
  removal: PageRemoval;
  /** Tokens that the step freed, as the trace says or as the nodes had. */
  freed: number;
}

/** A cut of a tree, ready to be shown. */
export interface Shown {
  tree: Tree;
  cut: PageCut;
  steps: readonly Step[];
  /** For each node the index of the step that removed it, or -1. */
  stepOf: Int32Array;
  /** Tokens of each node before anything was removed. */
  whole: Float64Array;
  /** Tokens of each node that belong to none of its children. */
  own: Float64Array;
}

export function treeOf(nodes: readonly PageNode[]): Tree {
  const children: number[][] = nodes.map(() => []);
  const depths: number[] = [];
  nodes.forEach(({ parent }, index) => {
    if (parent >= 0) children[parent]!.push(index);
    depths.push(parent < 0 ? 0 : depths[parent]! + 1);
  });
  return { nodes, children, depths };
}

/** `wholeSizes` are the tokens of each node with a budget for everything; without them they are worked out. */
export function show(tree: Tree, cut: PageCut, wholeSizes?: readonly number[]): Shown {
  const { nodes, children } = tree;
  const isKnown = cut.fates.length === nodes.length;
  const { steps, stepOf } = isKnown ? stepsOf(cut, tree) : { steps: [], stepOf: new Int32Array(nodes.length).fill(-1) };
  const hasWhole = wholeSizes?.length === nodes.length;
  const whole = new Float64Array(nodes.length);
  const own = new Float64Array(nodes.length);
  for (let index = nodes.length - 1; index >= 0; index--) {
    const size = (hasWhole ? wholeSizes![index] : cut.sizes[index]) ?? 0;
    const isWhole = hasWhole || stepOf[index]! >= 0;
    let inside = 0;
    let counted = 0;
    for (const child of children[index]!) {
      inside += whole[child]!;
      // The tokens of a node that is kept are those of its remaining children.
      if (hasWhole) counted += whole[child]!;
      else if (isWhole || stepOf[child]! < 0) counted += cut.sizes[child] ?? 0;
    }
    own[index] = Math.max(0, size - counted);
    whole[index] = own[index]! + inside;
  }
  return { tree, cut, steps, stepOf, whole, own };
}

function stepsOf({ removals, fates, sizes }: PageCut, { nodes, children }: Tree): Pick<Shown, "steps" | "stepOf"> {
  const groups = new Map<number, number[]>();
  const hasReasons = removals.every(({ rule }) => rule !== undefined);
  fates.forEach((fate, index) => {
    if (fate < 0) return;
    const key = hasReasons ? removals[fate]!.step : fate;
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  });
  const stepOf = new Int32Array(nodes.length).fill(-1);
  const steps = [...groups.keys()]
    .sort((one, other) => one - other)
    .map((key, order): Step => {
      const indices = groups.get(key)!;
      for (const index of indices) stepOf[index] = order;
      const isChosen = (index: number) => {
        const { rule, node } = removals[fates[index]!]!;
        return node === nodes[index]!.id && (rule === "priority" || rule === undefined);
      };
      const chosen = indices.find(isChosen) ?? indices[0]!;
      const removal = removals[fates[chosen]!]!;
      return { chosen, victim: chosen, indices, removal, freed: removal.freed ?? sizes[chosen]! };
    });
  steps.forEach((step, order) => {
    const wentNow = (index: number) => stepOf[index] === order;
    let parent = nodes[step.chosen]!.parent;
    while (parent >= 0 && wentNow(parent) && children[parent]!.every(wentNow)) {
      step.victim = parent;
      parent = nodes[parent]!.parent;
    }
  });
  return { steps, stepOf };
}

/** The state after a number of steps: the tokens of each node, 0 if it is gone. */
export function sizesAfter({ tree, own, stepOf }: Shown, count: number): Float64Array {
  const { nodes } = tree;
  const sizes = new Float64Array(nodes.length);
  for (let index = nodes.length - 1; index >= 0; index--) {
    if (isGone(stepOf[index]!, count)) continue;
    sizes[index]! += own[index]!;
    const { parent } = nodes[index]!;
    if (parent >= 0) sizes[parent]! += sizes[index]!;
  }
  return sizes;
}

export const isGone = (step: number, count: number) => step >= 0 && step < count;

/** Returns the tokens of the request after a number of steps; an estimate unless all steps are made. */
export function tokensAfter({ cut, steps }: Shown, count: number): number {
  return Math.round(steps.slice(count).reduce((sum, { freed }) => sum + freed, cut.tokens));
}

/**
 * Returns for each step the smallest budget at which it is not made. A step that meets the limit of an element is made
 * at every budget, so it adds nothing.
 */
export function budgetsWithout({ cut, steps }: Shown): number[] {
  const budgets: number[] = [];
  let sum = cut.tokens;
  for (let step = steps.length - 1; step >= 0; step--) {
    const { freed, removal } = steps[step]!;
    if (isForBudget(removal)) sum += freed;
    budgets[step] = Math.round(sum);
  }
  return budgets;
}

/** Returns the smallest budget at which a step is not made. */
export const budgetWithout = (shown: Shown, step: number): number => budgetsWithout(shown)[step]!;

/** Returns the smallest budget that leaves something of the prompt, if the one of the cut does not. */
export function neededFor(shown: Shown): number | undefined {
  const { tree, cut, steps, stepOf } = shown;
  if (cut.error === undefined) return undefined;
  const isLeft = tree.nodes.some(({ type }, index) => type !== "container" && type !== "message" && stepOf[index]! < 0);
  return isLeft || steps.length === 0 ? cut.needed : budgetWithout(shown, steps.length - 1);
}

/** Returns the error of a cut, without what only searches for the text know. */
export const errorOf = ({ error = "" }: PageCut) =>
  error.replace(/^No lowest priority node found \(path: [^)]*\)\. /, "");

/** True if a removal meets the budget of the prompt, and not the limit of an element in it. */
export const isForBudget = ({ limit }: PageRemoval) => !limit.includes(" > ");

/** The usual classes say no more than the role. */
const USUAL = /^(System|User|Assistant|Tool|BaseChat)Message$/;

export function nameOf(tree: Tree, index: number): string {
  const { type, name, role, parent } = tree.nodes[index]!;
  if (type === "message") return `${role}${name && !USUAL.test(name) ? ` (${name})` : ""}`;
  if (type === "container") return !name || name === "LogicalWrapper" ? (parent < 0 ? "Root" : "group") : name;
  return type;
}

/** Max characters of a text in one line. */
const PEEK = 160;

/** Returns the beginning of a node's text in one line. */
export function peekOf({ text = "" }: PageNode): string {
  return text.slice(0, PEEK).replace(/\s+/g, " ").trim();
}

/** Returns a node in a few words: its name, and the beginning of its first text. */
export function briefOf(tree: Tree, index: number): string {
  let inner = index;
  while (tree.nodes[inner]!.text === undefined && tree.children[inner]!.length > 0) inner = tree.children[inner]![0]!;
  const peek = peekOf(tree.nodes[inner]!);
  const short = peek.length > 48 ? `${peek.slice(0, 47)}…` : peek;
  const name = nameOf(tree, index);
  return short === "" ? name : name === "text" ? `“${short}”` : `${name} “${short}”`;
}

/** Returns the text that is all that an element contains: both have one row. */
export function textIn({ nodes, children }: Tree, index: number): number | undefined {
  const { length, 0: only } = children[index]!;
  return only !== undefined && length === 1 && nodes[only]!.type === "text" ? only : undefined;
}

/** Returns the indices of the rows: of nodes whose ancestors are open, without texts that have no row of their own. */
export function rowsOf(tree: Tree, isClosed: (id: number) => boolean): number[] {
  const { nodes, depths } = tree;
  const rows: number[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const { id, parent } = nodes[index]!;
    if (parent >= 0 && textIn(tree, parent) === index) continue;
    rows.push(index);
    if (!isClosed(id)) continue;
    const depth = depths[index]!;
    while (index + 1 < nodes.length && depths[index + 1]! > depth) index++;
  }
  return rows;
}

/** Returns the row of a node: its own, or that of the element that contains it alone. */
export function rowFor(tree: Tree, index: number): number {
  const { parent } = tree.nodes[index]!;
  return parent >= 0 && textIn(tree, parent) === index ? parent : index;
}

/**
 * Returns the node whose removal explains another one: an element that went as a whole went because of the node in it
 * that was chosen.
 */
function causeOf({ tree, stepOf, steps }: Shown, index: number): number {
  const step = steps[stepOf[index]!];
  if (!step) return index;
  const { nodes } = tree;
  for (let at = step.chosen; at >= 0; at = nodes[at]!.parent) {
    if (at === index) return step.chosen;
    if (at === step.victim) break;
  }
  return index;
}

/** Returns the nearest element, of a node and those around it, that has a priority. */
function rankedAt({ nodes }: Tree, index: number): number | undefined {
  for (let at = index; at >= 0; at = nodes[at]!.parent) if (priorityOf(nodes[at]!) !== "") return at;
  return undefined;
}

/** Returns why a node was removed, in a few words. */
export function shortReason(shown: Shown, index: number): string {
  const { tree, cut, steps, stepOf } = shown;
  const cause = causeOf(shown, index);
  const { rule, node } = cut.removals[cut.fates[cause]!]!;
  if (rule === undefined) return "not in the prompt at this budget";
  if (node !== tree.nodes[cause]!.id) return `inside ${briefOf(tree, steps[stepOf[index]!]!.victim)}`;
  if (rule === "keep-with") return "kept with something that went";
  if (rule === "empty") return "nothing was left in it";
  const ranked = rankedAt(tree, cause);
  return ranked === undefined ? "no priority set" : `priority ${priorityOf(tree.nodes[ranked]!)}, the lowest`;
}

/** Returns what happened to a node and why, as a sentence. */
export function sentenceOf(shown: Shown, index: number): string {
  const { tree, cut } = shown;
  const cause = causeOf(shown, index);
  const removal = cut.removals[cut.fates[cause] ?? -1];
  const { id, priority } = tree.nodes[cause]!;
  const tokens = cut.sizes[index] ?? 0;
  const said = { id, path: pathOf(tree, index), kind: "text" as const, priority, tokens, kept: !removal };
  if (!removal) return sentence(said);
  const { rule, limit, rival } = removal;
  if (rule === undefined)
    return `${said.path} (${tokens} tokens) is not in the prompt at a budget of ${cut.budget} tokens.`;
  const next = rival && { rival: { ...rival, path: readable(rival.path) } };
  // The page counts steps from 1.
  const told = { ...removal, ...next, rule, step: removal.step + 1, limit: readable(limit) };
  let words = sentence({ ...said, removal: told as never });
  if (isForBudget(removal)) words = words.replace(` to meet the limit of ${told.limit}:`, " to meet the budget:");
  const ranked = rankedAt(tree, cause);
  if (ranked === undefined || ranked === cause) return words;
  const own = `(${priorityOf(tree.nodes[ranked]!)}, set on ${tree.nodes[ranked]!.name ?? nameOf(tree, ranked)})`;
  return words.replace("the lowest priority (none set)", `the lowest priority ${own}`);
}

/** The element around every prompt has no name of its own. */
const readable = (path: string) => path.replace(/^LogicalWrapper\b/, "Root");

/** Returns the names from the root to a node. */
export function pathOf(tree: Tree, index: number): string {
  const names: string[] = [];
  for (let at = index; at >= 0; at = tree.nodes[at]!.parent) {
    const node = tree.nodes[at]!;
    const peek = peekOf(node);
    const text = peek.length > 80 ? `${peek.slice(0, 79)}…` : peek;
    names.unshift(node.type === "text" ? `“${text}”` : (node.name ?? nameOf(tree, at)));
  }
  return readable(names.join(" > "));
}

/** Returns a priority in words, or nothing if none was set. */
export function priorityOf({ priority }: PageNode): string {
  const words = rank(priority);
  return words === "none set" ? "" : words;
}

/** Returns the indices of nodes whose name or text contains `words`, whatever the case. */
export function find(tree: Tree, words: string): number[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  const rows = new Set<number>();
  tree.nodes.forEach(({ text, name = "", role = "" }, index) => {
    if (`${name}\n${role}\n${text ?? ""}`.toLowerCase().includes(wanted)) rows.add(rowFor(tree, index));
  });
  return [...rows].sort((one, other) => one - other);
}

/**
 * Returns the cut for a budget, of those that were worked out. A cut holds for all budgets down to its tokens; between
 * two of them the nearest one is returned.
 */
export function cutFor(cuts: readonly PageCut[], budget: number): PageCut {
  const holds = ({ tokens, error, nodes, ...cut }: PageCut) =>
    error === undefined && !nodes && tokens <= budget && budget <= cut.budget;
  const found = cuts.find((cut) => cut.budget === budget) ?? cuts.find(holds);
  if (found) return found.budget === budget ? found : { ...found, budget };
  const distance = (cut: PageCut) => Math.abs(cut.budget - budget);
  return cuts.reduce((best, cut) => (distance(cut) < distance(best) ? cut : best));
}
