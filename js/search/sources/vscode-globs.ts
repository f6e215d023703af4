/** The patterns of the settings `files.exclude` and `search.exclude` of VS Code. */

import { glob } from "../../files/glob.ts";

/** Max combinations of braces in a pattern; a pattern with more matches nothing. */
const MAX_PATTERNS = 1_000;

/** A value of such a setting: on, off, or on if a file of another name exists beside it. */
export type ExcludeValue = boolean | { readonly when?: string | undefined };

/** Tests whether a path, relative to the folder of the workspace, is excluded. `siblings` tests the names beside it. */
export type Excluded = (path: string, siblings: (name: string) => boolean) => boolean;

export function excluding(settings: readonly Readonly<Record<string, ExcludeValue>>[]): Excluded {
  const tests = settings.flatMap((setting) =>
    Object.entries(setting).flatMap(([pattern, value]) => {
      if (value === false || value === null || value === undefined) return [];
      const when = typeof value === "object" ? value.when : undefined;
      return expanded(pattern).flatMap((one) => {
        // A pattern for a folder applies to all its contents; the walk does not enter it.
        const test = glob(one.replace(/^\//, "").replace(/\/(?:\*\*)?$/, ""));
        return test ? [{ test, when }] : [];
      });
    }),
  );
  return (path, siblings) =>
    tests.some(({ test, when }) => test(path) && (when === undefined || siblings(beside(path, when))));
}

/** Returns the name that a `when` clause requires: `$(basename)` is the name of the file without its last extension. */
function beside(path: string, when: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return when.replaceAll("$(basename)", name.replace(/(?!^)\.[^.]*$/, ""));
}

/** Returns all expansions of a pattern's braces. */
function expanded(pattern: string): string[] {
  let done: string[] = [""];
  let open = [pattern];
  for (let round = 0; open.length > 0 && round < MAX_PATTERNS; round++) {
    const next: string[] = [];
    done = round === 0 ? [] : done;
    for (const one of open) {
      const group = firstGroup(one);
      if (!group) done.push(one);
      else for (const choice of group.choices) next.push(one.slice(0, group.start) + choice + one.slice(group.end));
    }
    if (next.length + done.length > MAX_PATTERNS) return [];
    open = next;
  }
  return done;
}

/** Returns the first `{a,b}` of a pattern, whose choices may contain groups themselves. */
function firstGroup(pattern: string): { start: number; end: number; choices: string[] } | undefined {
  const start = pattern.indexOf("{");
  if (start < 0) return undefined;
  const choices: string[] = [];
  let [depth, from] = [0, start + 1];
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "{") depth++;
    else if (pattern[at] === "}") depth--;
    const isEnd = depth === 0;
    if (!isEnd && !(depth === 1 && pattern[at] === ",")) continue;
    choices.push(pattern.slice(from, at));
    from = at + 1;
    if (isEnd) return { start, end: at + 1, choices };
  }
  return undefined;
}
