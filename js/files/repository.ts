/** Reads git's ignore files around a folder, in Node. */

import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ignoring } from "./ignore.ts";
import type { Ignores } from "./ignore.ts";

/** A larger file is not taken for an ignore file. */
const MAX_BYTES = 1_000_000;

/**
 * Returns the path of a folder in its repository, and the rules of the folders above it; without a repository, no
 * rules.
 */
export function repositoryOf(root: string): { base: string; above: Ignores } {
  const parents: string[] = [];
  let folder = resolve(root);
  while (!exists(join(folder, ".git"))) {
    const parent = dirname(folder);
    if (parent === folder) return { base: "", above: ignoring() };
    parents.unshift((folder = parent));
  }
  const place = (path: string) => relative(folder, path).split(sep).join("/");
  const own = ignoring().and("", readExclude(folder));
  const above = parents.reduce(
    (ignores, path) => ignores.and(place(path), readPatterns(join(path, ".gitignore"))),
    own,
  );
  return { base: place(resolve(root)), above };
}

/**
 * Returns the patterns of `info/exclude` of the repository at `folder`. A worktree or submodule has a file `.git` that
 * names the folder of its repository; a worktree shares the `info` of its main repository.
 */
export function readExclude(folder: string): string {
  const git = join(folder, ".git");
  const [, pointer] = /^gitdir: (.+)/.exec(readPatterns(git)) ?? [];
  if (pointer === undefined) return readPatterns(join(git, "info", "exclude"));
  const own = resolve(folder, pointer.trimEnd());
  const common = readPatterns(join(own, "commondir")).trim();
  return readPatterns(join(resolve(own, common), "info", "exclude"));
}

/** Reads a file of patterns. Ignores links, pipes and devices, as git does: reading one may never end. */
export function readPatterns(file: string): string {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return "";
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A path that the process may not read does not exist for it. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
