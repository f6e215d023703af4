/** The automatic JSX runtime of development builds. Source positions are not kept: errors name the path of elements. */

import { jsx, jsxs } from "./jsx-runtime.ts";
import type { PromptPiece } from "../prompt/piece.ts";

export { Fragment } from "../prompt/piece.ts";
export type { JSX } from "./types.ts";

/** Makes a piece; compilers pass whether it has several children. */
export function jsxDEV(
  ctor: unknown,
  props: { children?: unknown },
  key?: unknown,
  several?: boolean,
  _source?: unknown,
  _self?: unknown,
): PromptPiece {
  return several ? jsxs(ctor, props, key) : jsx(ctor, props, key);
}
