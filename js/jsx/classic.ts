/**
 * The classic JSX factories, for `"jsxFactory": "vscpp", "jsxFragmentFactory": "vscppf"`. Importing this module puts
 * them on `globalThis`, where compiled JSX looks for them.
 */

import { createPiece, Fragment } from "../prompt/piece.ts";
import type { PromptIntrinsics } from "./intrinsics.ts";

/** Makes a piece. */
export const vscpp: (ctor: any, props: any, ...children: any[]) => any = createPiece;

/** A fragment: groups its children. */
export const vscppf = Fragment;

Object.assign(globalThis, { vscpp, vscppf });

/** The caller's own additions to the lower-case elements. */
type Others = Omit<globalThis.JSX.IntrinsicElements, keyof PromptIntrinsics>;

declare global {
  namespace JSX {
    // Empty on purpose: React also declares `br` and `meta` here, and two meanings of one name do not compile.
    interface IntrinsicElements {}
  }

  function vscpp(ctor: any, props: any, ...children: any[]): any;
  function vscppf(): void;

  // For everything that the factory makes, TypeScript looks here first and never at React's types.
  namespace vscpp {
    namespace JSX {
      interface IntrinsicElements extends PromptIntrinsics, Others {}
    }
  }
}
