/**
 * The rules of `.gitignore` files: names, folders, `*`, `?`, `**`, `[a-z]`, a leading `/`, `!` for exceptions. In: the
 * text of such files. Out: whether a path is ignored. Nothing is read from disk here.
 */

import { glob } from "./glob.ts";

interface Rule {
  /** Tests paths relative to the topmost folder. */
  matches: (path: string) => boolean;
  /** True for an exception, which cancels earlier rules. */
  keeps: boolean;
  folders: boolean;
}

/** Rules of a folder and its ancestors. Paths are relative to the topmost folder, with `/`. */
export interface Ignores {
  /** Adds the rules of one more file, in `folder`. */
  and(folder: string, file: string): Ignores;
  match(path: string, isFolder: boolean): boolean;
  /** Returns `undefined` if no rule matches, false if the last matching rule is an exception. */
  decide(path: string, isFolder: boolean): boolean | undefined;
}

export function ignoring(rules: readonly Rule[] = []): Ignores {
  const decide = (path: string, isFolder: boolean) => {
    const rule = rules.findLast(({ matches, folders }) => (isFolder || !folders) && matches(path));
    return rule && !rule.keeps;
  };
  return {
    and(folder, file) {
      const own = file
        .replace(/^\uFEFF/, "")
        .split("\n")
        .flatMap((line) => read(line, folder) ?? []);
      return own.length === 0 ? this : ignoring([...rules, ...own]);
    },
    match: (path, isFolder) => decide(path, isFolder) === true,
    decide,
  };
}

function read(line: string, folder: string): Rule | undefined {
  let text = trimmed(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (text === "" || text.startsWith("#")) return undefined;
  const keeps = text.startsWith("!");
  if (keeps) text = text.slice(1);
  const folders = text.endsWith("/");
  if (folders) text = text.slice(0, -1);
  // A slash inside anchors the pattern to its folder; without one it applies to all folders below.
  const tied = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  const test = glob(text);
  if (!test) return undefined;
  const prefix = folder === "" ? "" : `${folder}/`;
  const matches = (path: string) => {
    if (!path.startsWith(prefix)) return false;
    return test(tied ? path.slice(prefix.length) : path.slice(path.lastIndexOf("/") + 1));
  };
  return { matches, keeps, folders };
}

/** Removes trailing spaces, except those after a backslash. */
function trimmed(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === " ") continue;
    end = Math.min(at + 1, line.length);
  }
  return line.slice(0, end);
}
