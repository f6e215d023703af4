/** Returns the text of a tree that `@vscode/prompt-tsx` rendered to JSON, joined as its renderer does. */

import { fields, isFields, items, word } from "./draft.ts";
import type { Fields } from "./draft.ts";

const [PIECE, TEXT] = [1, 2];

/** A piece whose children are being read. */
interface Open {
  children: readonly unknown[];
  next: number;
  /** The kind of content before the current child. */
  before: "nothing" | "text" | "piece";
}

/**
 * Returns the text of a tree. A text begins on a line of its own if the tree says so, or if it is the first child of a
 * piece that does not continue a text beside it. Nodes of other kinds have no text.
 */
export function renderedText(root: unknown): string {
  if (isText(root)) return word(root["text"]);
  const open: Open[] = [{ children: items(fields(root)["children"]), next: 0, before: "nothing" }];
  const texts: string[] = [];
  let isLineOpen = false;
  // A list of open pieces instead of recursion: the file decides how deep a tree is.
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const at = top.next++;
    if (at >= top.children.length) {
      open.pop();
      const above = open.at(-1);
      if (above) above.before = "piece";
      continue;
    }
    const child = top.children[at];
    if (isText(child)) {
      const breaks = child["lineBreakBefore"] === true || (at === 0 && !continues(open));
      const words = word(child["text"]);
      if (breaks && isLineOpen) texts.push("\n");
      texts.push(words);
      if (words !== "") isLineOpen = !words.endsWith("\n");
      else if (breaks) isLineOpen = false;
      top.before = "text";
    } else if (isFields(child) && (child["type"] === PIECE || Array.isArray(child["children"]))) {
      open.push({ children: items(child["children"]), next: 0, before: "nothing" });
    }
  }
  return texts.join("");
}

function isText(node: unknown): node is Fields {
  return (
    isFields(node) &&
    (node["type"] === TEXT || (node["type"] === undefined && !Array.isArray(node["children"]))) &&
    typeof node["text"] === "string"
  );
}

/** Returns true if the nearest content before the innermost open piece, or before one that it begins, is a text. */
function continues(open: readonly Open[]): boolean {
  for (let at = open.length - 2; at >= 0; at--) if (open[at]!.before !== "nothing") return open[at]!.before === "text";
  return false;
}
