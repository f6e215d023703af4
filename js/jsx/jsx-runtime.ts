/**
 * The automatic JSX runtime: the functions that compilers call for `"jsx": "react-jsx", "jsxImportSource": "espalier"`.
 */

import { Fragment } from "../prompt/piece.ts";
import type { PromptPiece, PromptPieceChild } from "../prompt/piece.ts";

export { Fragment };
export type { JSX } from "./types.ts";

/** Makes a piece with at most one child. */
export function jsx(ctor: unknown, props: { children?: unknown }, key?: unknown): PromptPiece {
  return piece(ctor, props, key, "children" in props ? [props.children] : []);
}

/** Makes a piece with several children. */
export function jsxs(ctor: unknown, props: { children?: unknown }, key?: unknown): PromptPiece {
  return piece(ctor, props, key, props.children as unknown[]);
}

function piece(ctor: unknown, props: { children?: unknown }, key: unknown, children: unknown[]): PromptPiece {
  const { children: _, ...rest } = props;
  // As in the classic runtime, lists among the children are opened, and a key is a prop like any other.
  return {
    ctor,
    props: key === undefined ? rest : { ...rest, key },
    children: children.flat() as PromptPieceChild[],
  } as PromptPiece;
}
