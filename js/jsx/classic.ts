/**
 * The classic JSX factories, for `"jsxFactory": "vscpp", "jsxFragmentFactory": "vscppf"`. Importing this puts them on
 * `globalThis`, where compiled JSX looks for them.
 */

import { createPiece, Fragment } from "../prompt/piece.ts";
import type { PromptIntrinsics } from "./intrinsics.ts";

/** Makes a piece. */
export const vscpp: (ctor: any, props: any, ...children: any[]) => any = createPiece;

/** Stands for its children. */
export const vscppf = Fragment;

Object.assign(globalThis, { vscpp, vscppf });

/** What the caller's own declarations add to the elements in lower case. */
type Others = Omit<globalThis.JSX.IntrinsicElements, keyof PromptIntrinsics>;

declare global {
  namespace JSX {
    // Left empty on purpose: React declares `br` and `meta` here as well, and two meanings of one name do not compile.
    interface IntrinsicElements {}
  }

  function vscpp(ctor: any, props: any, ...children: any[]): any;
  function vscppf(): void;

  // TypeScript looks here first for everything that the factory makes, and never at React's types.
  namespace vscpp {
    namespace JSX {
      interface IntrinsicElements extends PromptIntrinsics, Others {}
    }
  }
}
