/** Priorities by position. */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment, isPiece } from "../piece.ts";
import { TextChunk } from "./text-chunk.ts";
import type { BasePromptElementProps, PromptPiece, PromptChildren } from "../piece.ts";

export interface PrioritizedListProps extends BasePromptElementProps {
  /** Start of the count: the first child gets it if `descending`; otherwise the last child gets one less. Default 0. */
  priority?: number;
  /** True if the first child is the most important. */
  descending: boolean;
}

/**
 * Ranks its children by position.
 *
 * ```tsx
 * import { PrioritizedList, render, UserMessage } from "espalier/prompt";
 *
 * const texts = ["the oldest message", "a later message", "the newest message"];
 * const { messages } = await render(
 *   <PrioritizedList priority={100} descending={false}>
 *     {texts.map((text) => <UserMessage>{text}</UserMessage>)}
 *   </PrioritizedList>,
 *   { budget: 12 },
 * );
 * messages; // => [{ role: "user", content: "the newest message" }]
 * ```
 */
export class PrioritizedList extends PromptElement<PrioritizedListProps> {
  static {
    mark(this, "PrioritizedList");
  }

  render(): PromptPiece | undefined {
    const { children, priority = 0, descending } = this.props;
    if (!children) return undefined;
    const first = descending ? priority : priority - children.length;
    const ranked = children.map((child, at): PromptChildren => {
      // A missing child still has a place in the count.
      if (!child) return undefined;
      const rank = descending ? first - at : first + at;
      if (typeof child !== "object") return createPiece(TextChunk, { priority: rank }, child);
      // A copy, since the piece may be used elsewhere with another rank.
      return isPiece(child) ? { ...child, props: { ...child.props, priority: rank } } : child;
    });
    return createPiece(Fragment, null, ranked);
  }
}
