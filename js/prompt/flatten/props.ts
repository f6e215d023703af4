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
  if (typeof reserve === "string" && /^\//.test(reserve) && !Number.isNaN(Number(reserve.slice(1)))) return;
  if (typeof reserve !== "number" || Number.isNaN(reserve))
    throw badElement(`flexReserve must be a number of tokens or a share such as "/3", and is ${shown(reserve)}`, node);
}

/** In the reference, a limit that is no number does not limit, and null is 0. */
export function limitOf(node: ElementNode, max: unknown, strict: boolean): number | undefined {
  if (strict) return numberOf(node, "max", max, strict);
  const limit = max === undefined ? NaN : max === null ? 0 : numberOf(node, "max", max, strict);
  return Number.isNaN(limit) ? undefined : limit;
}

/** Unless strict, anything that JavaScript's arithmetic accepts is a number, except NaN. */
export function numberOf(node: ElementNode, name: string, value: unknown, strict: boolean): number {
  if (typeof value === "number" && !(strict && Number.isNaN(value))) return value;
  if (!strict && (typeof value === "string" || typeof value === "boolean")) return Number(value);
  throw badElement(`${name} must be a number, and is ${shown(value)}`, node);
}

function shown(value: unknown): string {
  if (typeof value === "object" || typeof value === "function")
    return value === null ? "null" : `a ${Array.isArray(value) ? "list" : typeof value}`.replace("a o", "an o");
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
