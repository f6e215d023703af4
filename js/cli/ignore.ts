/** `.gitignore` files, as far as people write them: names, folders, `*`, `?`, `**`, `[a-z]`, a leading `/`, `!` for exceptions. */

import { glob } from "./glob.ts";

interface Rule {
  /** For paths relative to the topmost folder. */
  matches: (path: string) => boolean;
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
      const rule = rules.findLast(({ matches, folders }) => (isFolder || !folders) && matches(path));
      return rule !== undefined && !rule.keeps;
    },
  };
}

function read(line: string, folder: string): Rule | undefined {
  let end = line.length;
  while (end > 0 && /\s/.test(line[end - 1]!) && line[end - 2] !== "\\") end--;
  let text = line.slice(0, end);
  if (text === "" || text.startsWith("#")) return undefined;
  const keeps = text.startsWith("!");
  if (keeps) text = text.slice(1);
  const folders = text.endsWith("/");
  if (folders) text = text.slice(0, -1);
  // A slash inside ties the pattern to its folder; without one it holds for any below.
  const tied = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  const test = glob(text);
  if (!test) return undefined;
  const prefix = folder === "" ? "" : `${folder}/`;
  const matches = (path: string) => {
    if (!path.startsWith(prefix)) return false;
    const rest = path.slice(prefix.length);
    return test(tied ? rest : rest.slice(rest.lastIndexOf("/") + 1));
  };
  return { matches, keeps, folders };
}
