/** Where the boxes of the icicle are: depth goes down, the width of a box is its share of the tokens. */

import type { Shown } from "./model.ts";
import { isGone } from "./model.ts";

export interface Box {
  index: number;
  depth: number;
  /** Left edge and width as shares of the whole. */
  left: number;
  width: number;
  gone: boolean;
}

export interface IcicleOptions {
  /** Index of the node whose box has the full width. */
  root: number;
  /** Number of steps of removal that have been made. */
  count: number;
  maxDepth: number;
  /** Boxes that are narrower than this share before anything is removed are left out. */
  minWidth: number;
}

/** `sizes` are the tokens of each node in the state that is shown. */
export function boxesOf({ tree, whole, stepOf }: Shown, sizes: Float64Array, options: IcicleOptions): Box[] {
  const { nodes, children, depths } = tree;
  const { root, count, maxDepth, minWidth } = options;
  const total = whole[root] || 1;
  const boxes: Box[] = [];
  const waiting: { index: number; left: number }[] = [{ index: root, left: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { index, left } = next;
    const depth = depths[index]! - depths[root]!;
    if (depth > maxDepth || whole[index]! / total < minWidth) continue;
    const gone = isGone(stepOf[index]!, count);
    boxes.push({ index, depth, left: left / total, width: sizes[index]! / total, gone });
    let start = left;
    for (const child of children[index]!) {
      waiting.push({ index: child, left: start });
      start += sizes[child]!;
    }
  }
  return boxes.sort((one, other) => nodes[one.index]!.id - nodes[other.index]!.id);
}
