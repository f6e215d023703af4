/** Tells C++ from C in headers, which share the extension `.h`. */

/** What begins a line in C++ only. In C, `class` and the others are names, and no declaration begins with them. */
const LINES = [
  /class[ \t]+(?:\w+(?:\([^()\n]*\))?[ \t]+){0,4}\w+(?:::\w+)*[ \t]*(?:\n[ \t]*)?(?:[;{]|:[ \t]*\w)/,
  /struct[ \t]+(?:\w+[ \t]+){0,4}\w+[ \t]*:[ \t]*(?:public|protected|private|virtual)\b/,
  /enum[ \t]+(?:class|struct)[ \t]+\w+[ \t]*(?:\n[ \t]*)?[:;{]/,
  /(?:inline[ \t]+)?namespace(?:[ \t]+[\w:]+)?[ \t]*(?:\n[ \t]*)?[{=]/,
  /template[ \t]*</,
  /using[ \t]+(?:namespace[ \t]+)?[\w:]+[ \t]*[;=]/,
  /(?:public|protected|private)[ \t]*(?:\w+[ \t]*)?:(?!:)/,
  /(?:virtual|explicit|friend|mutable|typename)[ \t]+\w/,
  /#[ \t]*include[ \t]*<[a-z_]+>/,
];
const ANYWHERE = [/\bstd::\w/, /=[ \t]*(?:default|delete)[ \t]*;/, /\b(?:static|const|dynamic|reinterpret)_cast</];
/** A comment or a text without its end goes on to the end of the file or the line, so that every byte is read once. */
const NO_CODE = [/\/\*(?:[^]*?\*\/|[^]*)/, /\/\/.*/, /"(?:\\.|[^"\\\n])*"?/];

const sources = (list: readonly RegExp[]) => list.map(({ source }) => source).join("|");
const SIGNS = `^[ \\t]*(?:${sources(LINES)})|${sources(ANYWHERE)}`;

/**
 * Returns whether a header has code that only C++ has. A header for both, whose only such line is `extern "C" {`, is C.
 */
export function isCpp(header: string): boolean {
  const reader = new RegExp(`${sources(NO_CODE)}|(${SIGNS})`, "gm");
  for (let found = reader.exec(header); found; found = reader.exec(header)) if (found[1] !== undefined) return true;
  return false;
}
