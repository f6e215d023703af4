/** Numbers among the props of elements: priorities, shares of the budget, limits. */

import { badElement } from "../annotate.ts";
import type { ElementNode } from "../render-tree.ts";

/** @throws EspalierError `bad_element` for a value that layout and pruning cannot use */
export function checkProps(node: ElementNode, strict: boolean): void {
  const { priority, flexBasis, flexGrow } = node.props;
  if (priority !== undefined && priority !== null) numberOf(node, "priority", priority, strict);
  if (flexBasis !== undefined && flexBasis !== null) numberOf(node, "flexBasis", flexBasis, strict);
  if (flexGrow !== undefined && flexGrow !== null) numberOf(node, "flexGrow", flexGrow, strict);
  const reserve = node.props.flexReserve;
  if (reserve === undefined || reserve === null) return;
  if (typeof reserve === "string" && reserve.startsWith("/") && Number(reserve.slice(1)) > 0) return;
  if (typeof reserve !== "number" || Number.isNaN(reserve))
    throw badElement(`flexReserve must be a number of tokens or a share such as "/3", and is ${shown(reserve)}`, node);
}

/** In the reference, an absent limit does not limit, and null is 0. */
export function limitOf(node: ElementNode, max: unknown, strict: boolean): number | undefined {
  if (!strict && (max === undefined || max === null)) return max === null ? 0 : undefined;
  return numberOf(node, "max", max, strict);
}

/** Unless strict, anything is a number that JavaScript's arithmetic reads as one. NaN never is: it has no rank. */
export function numberOf(node: ElementNode, name: string, value: unknown, strict: boolean): number {
  const isRead = typeof value === "number" || (!strict && (typeof value === "string" || typeof value === "boolean"));
  const number = isRead ? Number(value) : NaN;
  if (Number.isNaN(number)) throw badElement(`${name} must be a number, and is ${shown(value)}`, node);
  return number;
}

/** Returns a wrong value as errors show it. */
export function shown(value: unknown): string {
  if (typeof value === "object" || typeof value === "function")
    return value === null ? "null" : `a ${Array.isArray(value) ? "list" : typeof value}`.replace("a o", "an o");
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
