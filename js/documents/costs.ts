/** The costs of nodes as a host states them: by kind, or by a function that is called for each node. */

import { queryOf, readStructure } from "./structure.ts";
import { badValue } from "../errors/errors.ts";
import type { FlatTree } from "./flatten.ts";
import { Question } from "./tape.ts";
import type { Crossing } from "./tape.ts";

/** A node that a summary keeps or leaves out, such as a statement or a definition. Offsets are UTF-16 code units. */
export interface CostNode {
  /** The kind, as in `documentStructure`. */
  kind: string;
  start: number;
  end: number;
  /** 0 for the root. */
  depth: number;
  /** The parent; `undefined` for the root. */
  parent: CostNode | undefined;
}

/** Costs of nodes: by kind, or by node. */
export type Costs = Readonly<Record<string, number | false>> | ((node: CostNode, cost: number) => number | false);

/** A document to summarise, with its selection and its costs. */
export interface Priced extends Crossing {
  tree?: FlatTree;
  selection: number | readonly [start: number, end: number] | undefined;
  costs: Costs | undefined;
}

/**
 * Adds a document to a question. A function receives the usual costs; `preserve` says whether these preserve types.
 * `at` is the path of the document in errors.
 */
export function put(question: Question, document: Priced, preserve: boolean, at: string): void {
  const { language, tree, selection, costs } = document;
  const [start, end] =
    selection === undefined ? [NaN, NaN] : typeof selection === "number" ? [selection, selection] : selection;
  const putOwn = (into: Question) => into.document(document).tree(tree, queryOf(language)).number(start, end);
  const price = (cost: number | false) => (cost === false ? NaN : cost);
  if (typeof costs === "function") {
    const prices = ask(costs, putOwn(new Question().flag(preserve)).texts([]).numbers([]), at).map(price);
    putOwn(question).texts([]).numbers(prices);
  } else {
    const entries = Object.entries(costs ?? {});
    putOwn(question)
      .texts(entries.map(([kind]) => kind))
      .numbers(entries.map(([, cost]) => price(cost)));
  }
}

/** Calls a function of the host for the cost of each node. */
function ask(costs: Extract<Costs, (...of: never[]) => unknown>, question: Question, at: string): (number | false)[] {
  const answer = question.ask("costs");
  const { nodes } = readStructure(answer);
  const asked: CostNode[] = [];
  return nodes.map(({ kind, start, end, parent: above }) => {
    const parent = asked[above];
    const node = { kind, start, end, depth: parent ? parent.depth + 1 : 0, parent };
    asked.push(node);
    const cost: unknown = costs(node, answer.number());
    if (cost !== false && (typeof cost !== "number" || Number.isNaN(cost)))
      throw badValue(`${at}.costs`, "a function that gives numbers, or false for what is never kept", cost);
    return cost;
  });
}
