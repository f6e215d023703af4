/**
 * Checks of what authors give to elements, so that a mistake is reported with its path and not where it first hurts.
 */

import { badElement } from "../annotate.ts";
import { PromptNodeType } from "../json-tree.ts";
import type { PromptElementJSON } from "../json-tree.ts";
import type { ElementNode } from "../render-tree.ts";
import type { Kind } from "./kind.ts";
import { checkProps, shown } from "./props.ts";

/**
 * Checks the props of an element of a known kind.
 *
 * @throws EspalierError `bad_element`
 */
export function checkElement(
  node: ElementNode,
  { kind, isExpandable }: Pick<Kind, "kind" | "isExpandable">,
  strict: boolean,
): void {
  const { role, src, value } = node.props;
  checkProps(node, strict);
  if (kind === "message" && typeof role !== "number") throw badElement("Invalid ChatMessage!", node);
  // The reference sends a picture without an address.
  if (kind === "image" && (typeof src !== "string" || (strict && src === "")))
    throw badElement(`src must be an address or base64, and is ${shown(src)}`, node);
  if (isExpandable && typeof value !== "function")
    throw badElement(`value must be a function that returns the text, and is ${shown(value)}`, node);
}

/**
 * Returns the list that an intrinsic attaches.
 *
 * @throws EspalierError `bad_element`
 */
export function listed(node: ElementNode, name: string, value: unknown): Iterable<any> {
  if (value && typeof value === "object" && Symbol.iterator in value) return value as Iterable<any>;
  throw badElement(`<${name} /> needs a list as its \`value\`, and has ${shown(value)}`, node);
}

/**
 * Checks the root of a tree that was rendered elsewhere. Below it, nodes of unknown types are skipped, since other
 * versions may have more of them.
 *
 * @throws EspalierError `bad_element`
 */
export function checkTree(node: ElementNode, data: PromptElementJSON): void {
  const root: unknown = data?.node;
  if (typeof root !== "object" || root === null)
    throw badElement("<elementJSON /> needs data with a `node`, as renderElementJSON gives it", node);
  const { type } = root as { type?: unknown };
  if (!Object.values<unknown>(PromptNodeType).includes(type))
    throw badElement(`<elementJSON /> cannot read a \`node\` of type ${shown(type)}; a newer version may`, node);
}
