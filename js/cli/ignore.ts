/** `.gitignore` files, as far as people write them: names, folders, `*`, `?`, `**`, `[a-z]`, a leading `/`, `!` for exceptions. */

interface Rule {
  pattern: RegExp;
  /** Takes back what earlier rules said. */
  keeps: boolean;
  folders: boolean;
}

/** Rules of a folder and of those above it. Paths are relative to the topmost folder, with `/`. */
export interface Ignores {
  /** With the rules of one more file, which stands in `folder`. */
  and(folder: string, file: string): Ignores;
  match(path: string, isFolder: boolean): boolean;
}

export function ignoring(rules: readonly Rule[] = []): Ignores {
  return {
    and(folder, file) {
      const own = file.split(/\r?\n/).flatMap((line) => read(line, folder) ?? []);
      return own.length === 0 ? this : ignoring([...rules, ...own]);
    },
    match(path, isFolder) {
      // The last rule that says something counts.
      const rule = rules.findLast(({ pattern, folders }) => (isFolder || !folders) && pattern.test(path));
      return rule !== undefined && !rule.keeps;
    },
  };
}

function read(line: string, folder: string): Rule | undefined {
  let text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const keeps = text.startsWith("!");
  if (keeps) text = text.slice(1);
  const folders = text.endsWith("/");
  if (folders) text = text.slice(0, -1);
  // A slash inside ties the pattern to its folder; without one it holds for any below.
  const tied = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  const prefix = folder === "" ? "" : `${escaped(folder)}/`;
  try {
    return { pattern: new RegExp(`^${prefix}${tied ? "" : "(?:.*/)?"}${translated(text)}$`), keeps, folders };
  } catch {
    return undefined;
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function translated(text: string): string {
  return text.replace(/\*\*\/|\/\*\*$|\*+|\?|\[!?[^\]/]+\]|\\.|[^]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "/**") return "/.*";
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("[") && part.length > 1) return `[${part.startsWith("[!") ? "^" : ""}${part.slice(part.startsWith("[!") ? 2 : 1, -1).replace(/\\/g, "\\\\")}]`;
    return escaped(part.length > 1 ? part.slice(1) : part);
  });
}
