/**
 * Values that elements attach to the whole prompt: metadata, used context, ignored files. Elements that need no budget
 * are opened before their siblings are rendered, so values arrive in another order than in the reference; this module
 * restores the reference's order.
 */

import type { ElementNode } from "../render-tree.ts";

export type CollectedKind = "metadata" | "usedContext" | "ignoredFiles";

interface Item {
  kind: CollectedKind;
  value: unknown;
  /** The element in which it was written. */
  owner: ElementNode;
  /** 0 for values from the first layout; growth comes later. */
  phase: number;
}

export class Collected {
  readonly #items: Item[] = [];
  /** Incremented for every element that grows. */
  phase = 0;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(kind: CollectedKind, owner: ElementNode, value: unknown): void {
    this.#items.push({ kind, value, owner, phase: this.phase });
  }

  /**
   * Returns the values of a kind in the order of layout: an element's own before those of its children, children by
   * flexGrow, depth first.
   */
  values<T>(kind: CollectedKind, root: ElementNode | undefined): T[] {
    const items = this.#items.filter((item) => item.kind === kind);
    if (root && items.some(({ owner }) => owner !== items[0]!.owner)) {
      const places = layoutOrder(root);
      items.sort((a, b) => a.phase - b.phase || places.get(a.owner)! - places.get(b.owner)!);
    }
    return items.map(({ value }) => value as T);
  }
}

function layoutOrder(root: ElementNode): Map<ElementNode, number> {
  const places = new Map<ElementNode, number>();
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    places.set(node, places.size);
    const children = node.children.filter((child): child is ElementNode => child.type === "element");
    if (children.some(({ props }) => growOf(props) !== Infinity))
      children.sort((a, b) => (growOf(a.props) < growOf(b.props) ? 1 : growOf(a.props) > growOf(b.props) ? -1 : 0));
    for (let index = children.length - 1; index >= 0; index--) open.push(children[index]!);
  }
  return places;
}

function growOf(props: Record<string, any>): number {
  return props.flexGrow ?? Infinity;
}
