/** Converts trees that a host parsed with web-tree-sitter to the flat form of the engine. */

import { EspalierError } from "../errors/errors.ts";

/**
 * A syntax tree as numbers: six per node in preorder, namely start, end (UTF-16 code units), kind (index into `kinds`,
 * with the top bit set if the node is named), field (index into `fields`, `0xffffffff` for none), index of the parent
 * (`0xffffffff` for the root), and the number of nodes in its subtree, itself included. Anonymous tokens count.
 */
export interface FlatTree {
  nodes: Uint32Array;
  kinds: readonly string[];
  fields: readonly string[];
}

/** The part of web-tree-sitter's cursor that is used. */
export interface TreeCursorLike {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly currentFieldName: string | null;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
  delete?(): void;
}

export interface TreeLike {
  walk(): TreeCursorLike;
}

const WIDTH = 6;
const NAMED = 0x8000_0000;
const NONE = 0xffff_ffff;

/**
 * Flattens a tree of any version of web-tree-sitter. The host keeps the tree.
 *
 * ```ts
 * import { fileURLToPath } from "node:url";
 * import { Language, Parser } from "web-tree-sitter";
 * import { documentStructure, flattenTree } from "espalier/documents";
 *
 * await Parser.init();
 * const grammar = fileURLToPath(import.meta.resolve("espalier/grammars/tree-sitter-typescript.wasm"));
 * const parser = new Parser().setLanguage(await Language.load(grammar));
 * const text = "export function start() {}\n";
 * const tree = flattenTree(parser.parse(text)!);
 * const { basis } = await documentStructure(text, { language: "typescript", tree });
 * basis.path; // => "syntax"
 * ```
 */
export function flattenTree(tree: TreeLike): FlatTree {
  if (tree === null || typeof tree !== "object" || typeof tree.walk !== "function") {
    throw new EspalierError({
      code: "bad_input",
      message: "flattenTree needs a tree of web-tree-sitter",
      path: "tree",
    });
  }
  const [kinds, fields] = [new Numbers(), new Numbers()];
  const cursor = tree.walk();
  for (const name of ["gotoFirstChild", "gotoNextSibling", "gotoParent"] as const) {
    if (typeof cursor?.[name] !== "function")
      throw new EspalierError({
        code: "bad_input",
        message: `the cursor of the tree has no ${name}`,
        path: `tree.walk().${name}`,
      });
  }
  let rows = new Uint32Array(WIDTH * 1_024);
  let count = 0;
  const path: number[] = [];
  try {
    for (;;) {
      if ((count + 1) * WIDTH > rows.length) {
        const wider = new Uint32Array(rows.length * 2);
        wider.set(rows);
        rows = wider;
      }
      const field = cursor.currentFieldName;
      const kind = kinds.of(cursor.nodeType) + (cursor.nodeIsNamed ? NAMED : 0);
      rows.set(
        [cursor.startIndex, cursor.endIndex, kind, field ? fields.of(field) : NONE, path.at(-1) ?? NONE, 1],
        count * WIDTH,
      );
      count += 1;
      if (cursor.gotoFirstChild()) {
        path.push(count - 1);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent())
          return { nodes: rows.slice(0, count * WIDTH), kinds: kinds.names, fields: fields.names };
        const parent = path.pop() as number;
        rows[parent * WIDTH + 5] = count - parent;
      }
    }
  } finally {
    cursor.delete?.();
  }
}

/** Indices of names, in the order of their first use. */
class Numbers {
  readonly names: string[] = [];
  private readonly known = new Map<string, number>();

  of(name: string): number {
    let number = this.known.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.known.set(name, number);
    }
    return number;
  }
}
