/** Types by which TypeScript checks JSX. */

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

/** The types of the automatic JSX runtime. They change no global, so pages with React are not affected. */
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
