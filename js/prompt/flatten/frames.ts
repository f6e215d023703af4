/** Lists of children in progress, so that trees are walked without recursion. */

import { append } from "../../formats/append.ts";
import { isFragment } from "../piece.ts";
import type { ElementNode } from "../render-tree.ts";
import type { PromptMetadata } from "../results.ts";

/** A list of children in progress. */
export interface Frame {
  node: ElementNode;
  items: readonly unknown[] | Iterator<unknown>;
  /** Number of items that are finished. */
  at: number;
  how: "children" | "text" | "json";
  /** False for lists and fragments among an element's children. */
  isBase: boolean;
  /** True if the element was opened for this frame and is closed with it. */
  closes: boolean;
  /** The text of a text chunk so far. */
  text: TextParts | undefined;
}

export interface TextParts {
  /** Literals, and line breaks, which do not count. */
  parts: { text: string; counts: boolean }[];
  references: PromptMetadata[];
}

/** The value of `at` after the last item. */
export const DONE = -1;

/** Returns the next item of a frame; there is none if that sets `at` to `DONE`. */
export function advance(frame: Frame): unknown {
  const { items } = frame;
  if (Array.isArray(items)) {
    // By index: there may be a hundred thousand, and an iterator makes an object for each.
    if (frame.at < items.length) return items[frame.at++];
    frame.at = DONE;
    return undefined;
  }
  const { done, value } = (items as Iterator<unknown>).next();
  if (done) frame.at = DONE;
  return value;
}

/** Returns true if any of the children has content. */
export function hasContent(children: unknown): boolean {
  const todo: unknown[] = [children];
  while (todo.length) {
    const child: any = todo.pop();
    if (child === undefined || child === null || typeof child === "boolean") continue;
    if (typeof child !== "string" && typeof child[Symbol.iterator] === "function")
      append(todo, child as Iterable<unknown>);
    else if (isFragment(child?.ctor)) todo.push(child.children);
    else return true;
  }
  return false;
}
