/** What TypeScript has to know to check JSX. */

import type { PromptElement } from "../prompt/element.ts";
import type {
  BasePromptElementProps,
  PromptComponent,
  PromptElementCtor,
  PromptFragment,
  PromptPiece,
  PromptChildren,
} from "../prompt/piece.ts";
import type { PromptIntrinsics } from "./intrinsics.ts";

/** Elements get their children as a list, while JSX has one or several. */
type WithChildren<P> = "children" extends keyof P
  ? [NonNullable<P["children"]>] extends [readonly PromptChildren[]]
    ? Omit<P, "children"> & { children?: PromptChildren }
    : P
  : P & { children?: PromptChildren };

/**
 * The types of the automatic JSX runtime. They belong to it alone: no global is touched, so that pages with React stay
 * as they are.
 */
export declare namespace JSX {
  type Element = PromptPiece;
  type ElementType = keyof IntrinsicElements | PromptElementCtor<any, any> | PromptComponent | PromptFragment;
  type ElementClass = PromptElement<any, any>;
  interface ElementChildrenAttribute {
    children: {};
  }
  interface IntrinsicAttributes {
    key?: string | number;
  }
  interface IntrinsicElements extends PromptIntrinsics {}
  type LibraryManagedAttributes<_C, P> = WithChildren<P> & BasePromptElementProps;
}
