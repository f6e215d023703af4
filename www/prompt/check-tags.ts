/** Finds JSX tags that do not match: sucrase, which is small because it checks little, would take them. */

import { parse } from "sucrase/dist/esm/parser/index.js";
import type { Token } from "sucrase/dist/esm/parser/index.js";
import { TokenType } from "sucrase/dist/esm/parser/tokenizer/types.js";

interface Tag {
  name: string;
  start: number;
  /** True while its attributes are read. */
  isOpening: boolean;
}

/** Returns the first mistake, with its offset in the code. */
export function mismatch(code: string): { message: string; offset: number } | undefined {
  const { tokens } = parse(code, true, true, false);
  const open: Tag[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const { type, start } = tokens[at]!;
    if (type === TokenType.jsxTagStart) {
      const isClosing = tokens[at + 1]?.type === TokenType.slash;
      const name = nameAt(code, tokens, at + (isClosing ? 2 : 1));
      if (!isClosing) open.push({ name, start, isOpening: true });
      else {
        const last = open.pop();
        if (!last) return { message: `</${name}> closes nothing.`, offset: start };
        if (last.name !== name)
          return {
            message: `</${name}> does not close <${last.name}> of line ${lineOf(code, last.start)}.`,
            offset: start,
          };
        while (at < tokens.length && tokens[at]!.type !== TokenType.jsxTagEnd) at++;
      }
    } else if (type === TokenType.jsxTagEnd) {
      const last = open.at(-1);
      if (last?.isOpening) {
        last.isOpening = false;
        if (tokens[at - 1]?.type === TokenType.slash) open.pop();
      }
    }
  }
  const [first] = open;
  return first && { message: `<${first.name}> is not closed.`, offset: first.start };
}

/**
 * Returns the place of code in compiled code that a browser reads in another way than sucrase: `import.defer(…)` loads an
 * address, and `<!--` begins a comment, behind which an `import()` would stay.
 */
export function foreign(code: string): { message: string; offset: number } | undefined {
  const { tokens } = parse(code, false, false, false);
  for (let at = 0; at < tokens.length; at++) {
    const { start, end } = tokens[at]!;
    const word = code.slice(start, end);
    if (word === "<" && code.startsWith("<!--", start)) return { message: "<!-- is no operator.", offset: start };
    if (
      word === "import" &&
      !/^\??\.$/.test(textOf(code, tokens[at - 1])) &&
      /^[.(]$/.test(textOf(code, tokens[at + 1]))
    )
      return { message: "Nothing can be loaded here: import espalier/prompt in the first lines.", offset: start };
  }
  return undefined;
}

const textOf = (code: string, token: Token | undefined) => (token ? code.slice(token.start, token.end) : "");

/** Returns the name of a tag, which may have dots; a fragment has none. */
function nameAt(code: string, tokens: readonly Token[], at: number): string {
  const first = tokens[at];
  if (!first || first.type === TokenType.jsxTagEnd) return "";
  return /^[\w$.:-]*/.exec(code.slice(first.start))![0];
}

export const lineOf = (code: string, offset: number) => code.slice(0, offset).split("\n").length;
