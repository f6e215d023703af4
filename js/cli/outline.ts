/** `espalier outline DIR`: a map of the source files in a folder; for a single file its outline. */

import { readFileSync, readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { languageOf, outline, repositoryMap } from "../entries/documents.ts";
import { EspalierError } from "../entries/verbs.ts";
import type { Outline, RepositoryFile, RepositoryMap } from "../documents/outline.ts";
import type { EncodingName } from "../types/count.ts";
import type { Ignores } from "../files/ignore.ts";
import { readPatterns, repositoryOf } from "../files/repository.ts";
import { append } from "../formats/append.ts";
import { UsageError } from "./arguments.ts";
import { number, plural } from "./report.ts";
import { readSource, sourceText, unreadable } from "./text.ts";

/** Larger files are data or generated, in bytes. */
const LARGEST = 1_000_000;

interface Values {
  budget?: number | undefined;
  encoding?: string | undefined;
  language?: string | undefined;
  focus?: string | undefined;
  mention?: string | undefined;
}

export async function outlineOf(
  path: string,
  { budget, encoding, language, focus, mention }: Values,
): Promise<{ result: Outline | RepositoryMap; note: string }> {
  const common = encoding === undefined ? {} : { encoding: encoding as EncodingName };
  if (!isFolder(path)) {
    const result = await outline(readSource(path), {
      ...common,
      path,
      ...(budget !== undefined && { budget }),
      ...(language !== undefined && { language }),
    });
    const of = budget === undefined ? "" : ` of ${number(budget)}`;
    const how = result.basis.path === "syntax" ? "" : `, by indentation (${result.basis.why})`;
    return { result, note: `${number(result.tokens)}${of} tokens${missing(result.missing)}${how}` };
  }
  if (budget === undefined) throw new UsageError("espalier outline DIR needs --budget N");
  const { files, skipped } = collect(path);
  const list = (text: string | undefined) =>
    (text ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  const inFocus = list(focus).map((given) => pathIn(path, given, files));
  const result = await repositoryMap(files, { ...common, budget, focus: inFocus, mentioned: list(mention) });
  const left = [...skipped].map(([why, count]) => `${count} ${why}`).join(", ");
  return {
    result,
    note:
      `${plural(files.length, "file")}, ${number(result.tokens)} of ${number(budget)} ` +
      `tokens${missing(result.missing)}${left && `; left out: ${left}`}`,
  };
}

/**
 * Returns the file that a shell's completion names: relative to the working folder or to the given folder; with `./` or
 * backslashes.
 *
 * @throws EspalierError `file_not_found` if it is none of the files
 */
function pathIn(root: string, given: string, files: readonly RepositoryFile[]): string {
  const known = new Set(files.map(({ path }) => path));
  const slashed = given.replaceAll("\\", "/");
  const tries = [given, slashed].flatMap((one) => [
    one,
    relative(resolve(root), resolve(one)),
    relative(resolve(root), resolve(root, one)),
  ]);
  const found = tries.map((one) => one.split(sep).join("/")).find((one) => known.has(one));
  if (found !== undefined) return found;
  throw new EspalierError({
    code: "file_not_found",
    message: `--focus ${given} is none of the ${files.length} source files in ${root}`,
    path: "focus",
  });
}

const missing = (count: number) => (count > 0 ? `, ${count} lines are missing` : "");

function isFolder(path: string): boolean {
  if (path === "-") return false;
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * Collects the source files of a folder, in an order that does not depend on the machine, and counts skipped ones by
 * reason.
 */
function collect(root: string): { files: RepositoryFile[]; skipped: Map<string, number> } {
  const files: RepositoryFile[] = [];
  const skipped = new Map<string, number>();
  const skip = (why: string) => skipped.set(why, (skipped.get(why) ?? 0) + 1);
  const { base, above } = repositoryOf(root);
  const open: { folder: string; ignores: Ignores }[] = [{ folder: root, ignores: above }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { folder } = next;
    const place = relative(root, folder).split(sep).join("/");
    const ignores = next.ignores.and([base, place].filter(Boolean).join("/"), readPatterns(join(folder, ".gitignore")));
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      // An unreadable folder must not hide the others.
      if (folder === root) throw unreadable(folder, error);
      skip("unreadable");
      continue;
    }
    const folders: typeof open = [];
    for (const entry of entries) {
      const path = place === "" ? entry.name : `${place}/${entry.name}`;
      if (entry.name === ".git" || entry.name === "node_modules") continue;
      if (entry.isSymbolicLink()) skip("links");
      else if (ignores.match(base === "" ? path : `${base}/${path}`, entry.isDirectory())) skip("ignored");
      else if (entry.isDirectory()) folders.push({ folder: join(folder, entry.name), ignores });
      else if (entry.isFile()) {
        const why = take(join(folder, entry.name), path, files);
        if (why) skip(why);
      }
    }
    append(open, folders.reverse());
  }
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { files, skipped };
}

/** Reads a file, or returns the reason for skipping it. */
function take(file: string, path: string, files: RepositoryFile[]): string | undefined {
  if (languageOf(path) === undefined) return "without a grammar";
  try {
    if (statSync(file).size > LARGEST) return "larger than 1 MB";
    const source = sourceText(readFileSync(file));
    if ("why" in source) return source.why;
    files.push({ path, text: source.text });
    return undefined;
  } catch {
    return "unreadable";
  }
}
