/**
 * Guesses what a text without a name is: a conversation, or code of a language by features that only that language has.
 * The view of source files shows the guess, and the reader can change it.
 */

const SIGNS: readonly (readonly [language: string, ...signs: RegExp[]])[] = [
  ["php", /<\?php/],
  [
    "python",
    /^#!.*\bpython/,
    /^[ \t]*(async )?def \w+\(.*\).*:\s*$/m,
    /^[ \t]*(if|for|while|with|try|class \w+.*):\s*$/m,
    /^from [\w.]+ import /m,
  ],
  ["ruby", /^#!.*\bruby/, /^[ \t]*def [\w?!.]+(\(.*\))?\s*$/m, /^[ \t]*end\s*$/m, /^require ['"]/m],
  ["rust", /^[ \t]*(pub(\(\w+\))? )?fn \w+/m, /^use [\w:]+(::|;)/m, /^[ \t]*impl\b/m, /\blet mut\b/],
  ["go", /^package \w+\s*$/m, /^func (\(.*\) )?\w+\(/m, /:=/],
  ["csharp", /^using [\w.]+;/m, /^[ \t]*namespace [\w.]+/m, /\bget; /],
  [
    "java",
    /^import (static )?[\w.]+(\.\*)?;/m,
    /^package [\w.]+;/m,
    /\bpublic (static |final )*(class|void|interface)\b/,
  ],
  ["cpp", /^#include <\w+>/m, /\bstd::/, /^[ \t]*template\s*</m, /\bclass \w+[^;]*\{/],
  ["c", /^#include [<"][\w/.]+\.h[>"]/m, /^(static )?(int|void|char|struct \w+) \*?\w+\(/m],
  [
    "typescript",
    /^[ \t]*(export )?(interface|type) \w+.*[{=]/m,
    /\w\??: (string|number|boolean|unknown|void)\b/,
    /\b(const|let) [\w{[].*=/,
  ],
  [
    "javascript",
    /^#!.*\bnode/,
    /^import .* from ["']/m,
    /\bfunction\b.*\(.*\)\s*\{/,
    /\b(const|let) [\w{[].*=/,
    /=>/,
    /\brequire\(["']/,
  ],
];

/** Markup around or within code: not the language of the code itself. */
const MARKUP = /^```|^[ \t]*<(!doctype|html|\?xml)\b/im;
const TAGS = /(return|=>|\()\s*\(?\s*<[A-Za-z>]/;

/** Returns the language with the largest share of its signs, the first of equal ones; nothing if there are too few. */
export function guess(text: string): string | undefined {
  // The beginning of a long line is enough, and the rest could slow down the patterns.
  const beginning = text
    .slice(0, 20_000)
    .split(/\r\n|\n|\r/)
    .map((line) => line.slice(0, 300))
    .join("\n");
  if (MARKUP.test(beginning) && !beginning.includes("<?php")) return undefined;
  let best: string | undefined;
  let most = 0.3;
  for (const [language, ...signs] of SIGNS) {
    const share = signs.filter((sign) => sign.test(beginning)).length / signs.length;
    if (share > most) [best, most] = [language, share];
  }
  return (best === "javascript" || best === "typescript") && TAGS.test(beginning) ? `${best}react` : best;
}

const EXTENSIONS: Record<string, string> = {
  php: "php",
  python: "py",
  ruby: "rb",
  rust: "rs",
  go: "go",
  csharp: "cs",
  java: "java",
  cpp: "cpp",
  c: "c",
  typescript: "ts",
  typescriptreact: "tsx",
  javascript: "js",
  javascriptreact: "jsx",
};

/** Returns a file name for a pasted text, by which the views know what it is. */
export function pastedName(text: string): string {
  if (/^\s*[[{]/.test(text)) return "pasted.json";
  const language = guess(text);
  return `pasted.${language === undefined ? "txt" : EXTENSIONS[language]!}`;
}
