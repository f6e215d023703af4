/** A source of folders, for Node and compatible runtimes. */

import { closeSync, constants, fstatSync, lstat, lstatSync, open, read, readSync, realpathSync } from "node:fs";
import type { BigIntStats, Dirent, Stats } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { badOption, EspalierError } from "../../errors/errors.ts";
import { readExclude, repositoryOf } from "../../files/repository.ts";
import { check } from "../../options/check.ts";
import { NODE_FILES } from "../../options/schemas/search-sources.ts";
import type { FileNote, FileSource } from "../types.ts";
import type { NodeFilesOptions } from "./node-options.ts";
import { watchFolders } from "./node-watch.ts";
import { prefixes, sourceOf } from "./source.ts";
import { Noted } from "./tree.ts";
import type { FileStat, Root, Tree, TreeEntry } from "./tree.ts";
import { watching } from "./watching.ts";

const DELAY_MS = 100;
/** Max bytes of a read that is too short to be worth a thread. */
const SHORT = 65_536;

/**
 * Lists the files of folders, for a {@link WorkspaceIndex}. With one folder paths are relative to it; with several they
 * begin with the name of their folder. Files that `.gitignore`, `.ignore`, `.git/info/exclude` or {@link fileRules}
 * exclude are left out.
 *
 * Symbolic links are not followed: a target inside of the folders is found at its own place, and nothing outside is
 * read. A link becomes a note with its reason: `loop`, `duplicate`, `gone`, or `ignored` if it leads outside. The
 * folders themselves may be links.
 *
 * `watch` watches the file system: one watcher for each searched folder, on macOS and Windows one for each root.
 *
 * ```ts
 * import { nodeFiles } from "espalier/search";
 *
 * const source = nodeFiles("src");
 * const paths: string[] = [];
 * for await (const { path } of source.list({ note: () => undefined })) paths.push(path);
 * paths; // => ["app.ts"]
 * ```
 *
 * @throws EspalierError `bad_option`; `list` with `file_not_found` if one of the folders cannot be read: an index keeps
 *   its files then
 */
export function nodeFiles(roots: string | readonly string[], options: NodeFilesOptions = {}): FileSource {
  check(options, NODE_FILES);
  const folders = foldersOf(roots);
  let made: Promise<(Root & { folder: string })[]> | undefined;
  const rootsNow = () =>
    (made ??= rootsOf(folders).catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
  const source = sourceOf(rootsNow, options);
  return {
    list: source.list,
    read: source.read,
    watch(onChange, onError = () => undefined) {
      const changes = watching(source, options.delayMs ?? DELAY_MS, onChange, onError);
      const end = watchFolders(rootsNow, options, changes);
      return () => {
        changes.end();
        end();
      };
    },
  };
}

function foldersOf(roots: unknown): string[] {
  const list: unknown[] = Array.isArray(roots) ? roots : [roots];
  if (list.length === 0) throw badOption("", "the path of a folder, or an array of them", roots, "roots");
  const folders = list.map((root, at) => {
    const within = Array.isArray(roots) ? `roots[${at}]` : "roots";
    if (typeof root !== "string" || root === "" || root.includes("\0"))
      throw badOption("", "the path of a folder", root, within);
    return resolve(root);
  });
  const twice = folders.findIndex((folder, at) => folders.indexOf(folder) < at);
  if (twice >= 0)
    throw new EspalierError({
      code: "bad_option",
      message: `roots[${twice}] is the same folder as another root: ${folders[twice]}`,
      path: `roots[${twice}]`,
    });
  return folders;
}

async function rootsOf(folders: readonly string[]): Promise<(Root & { folder: string })[]> {
  const real = await Promise.all(
    folders.map(async (folder, at) => {
      const refuse = (why: string, cause?: unknown) => {
        const path = folders.length === 1 ? "roots" : `roots[${at}]`;
        return new EspalierError({
          code: "file_not_found",
          message: `${folder} cannot be read: ${why}`,
          path,
          cause,
        });
      };
      try {
        const found = await realpath(folder).catch((error: unknown) => orIfDenied(error, folder));
        if ((await lstatOf(found)).isDirectory()) return found;
      } catch (cause) {
        throw refuse((cause as Error).message, cause);
      }
      throw refuse("it is not a folder");
    }),
  );
  const all = new Set(real);
  const names = prefixes(folders.map((folder) => basename(folder)));
  // Two paths of the same folder list its files once.
  return real.flatMap((folder, at) =>
    real.indexOf(folder) < at ? [] : [{ folder, prefix: names[at]!, title: folders[at]!, tree: treeOf(folder, all) }],
  );
}

function treeOf(root: string, roots: ReadonlySet<string>): Tree {
  const at = (path: string) => (path === "" ? root : join(root, path));
  return {
    async entries(folder) {
      return (await readdir(at(folder), { withFileTypes: true })).map((entry) => ({
        name: entry.name,
        ...kindOf(entry),
      }));
    },
    async kind(path) {
      try {
        return kindOf(await lstatOf(at(path))).kind;
      } catch (error) {
        if (/^ENO(?:ENT|TDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return undefined;
        throw error;
      }
    },
    stat: (file) => statOf(at(file)),
    read: (file, maxBytes) => readFile(root, at(file), maxBytes),
    link: (path) => linkNote(at(path), roots),
    exclude: async (folder) => readExclude(at(folder)),
    above: async () => repositoryOf(root),
    isRoot: (folder) => roots.has(at(folder)),
  };
}

function kindOf(entry: Dirent | Stats | BigIntStats): Pick<TreeEntry, "kind" | "detail"> {
  if (entry.isFile()) return { kind: "file" };
  if (entry.isDirectory()) return { kind: "folder" };
  if (entry.isSymbolicLink()) return { kind: "link" };
  const detail = entry.isSocket()
    ? "a socket"
    : entry.isFIFO()
      ? "a pipe"
      : entry.isCharacterDevice() || entry.isBlockDevice()
        ? "a device"
        : undefined;
  return { kind: "other", detail };
}

async function statOf(path: string): Promise<FileStat> {
  try {
    return versionOf(await lstatOf(path, { bigint: true }));
  } catch (error) {
    // Node shows bytes that are not UTF-8 as U+FFFD, and does not find the file under that name.
    throw path.includes("\ufffd") ? new Noted("unreadable", "its name is not UTF-8") : error;
  }
}

/** Some runtimes only have milliseconds. */
function versionOf({ size, mtimeNs, mtimeMs }: BigIntStats): FileStat {
  return { size: Number(size), version: `${size}-${mtimeNs ?? mtimeMs}` };
}

/**
 * Reads the beginning of a file, if no part of its path is a link. Operations that wait for a disk run in Node's
 * threads; the others do not, since switching threads costs more than a short read (120 µs a file with `fs/promises`,
 * 28 µs without).
 */
async function readFile(root: string, path: string, maxBytes: number): Promise<{ bytes: Uint8Array } & FileStat> {
  const folder = dirname(path);
  if (!within(root, folder) || !isStraight(root, folder)) throw new Noted("ignored", "its path goes through a link");
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
  // A pipe that replaced the file would block the thread.
  const file = await opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === "ELOOP"
      ? new Noted("ignored", "a link, which is not followed")
      : error;
  });
  try {
    const stats = fstatSync(file, { bigint: true });
    const { kind, detail = kind === "folder" ? "a folder" : "no file" } = kindOf(stats);
    if (kind !== "file") throw new Noted("unreadable", detail);
    const { size, version } = versionOf(stats);
    const bytes = new Uint8Array(Math.min(size, maxBytes));
    let end = 0;
    for (let count = -1; end < bytes.length && count !== 0; end += count) {
      count =
        bytes.length <= SHORT ? readSync(file, bytes, end, bytes.length - end, end) : await readOf(file, bytes, end);
    }
    return { bytes: bytes.subarray(0, end), size, version };
  } finally {
    closeSync(file);
  }
}

const lstatOf = promisify(lstat);
const opened = promisify(open);
const readOf = (file: number, bytes: Uint8Array, from: number) =>
  new Promise<number>((resolve, reject) => {
    read(file, bytes, from, bytes.length - from, from, (error, count) => (error ? reject(error) : resolve(count)));
  });

/** Node's permission model forbids `realpath` below a readable folder, but allows `lstat`. */
function orIfDenied<T>(error: unknown, instead: T): T {
  if ((error as NodeJS.ErrnoException).code !== "ERR_ACCESS_DENIED") throw error;
  return instead;
}

/** Returns true if no part of a folder's path below the root is a link. */
function isStraight(root: string, folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder;
  } catch (error) {
    orIfDenied(error, undefined);
  }
  for (let part = folder; part.length > root.length; part = dirname(part))
    if (!lstatSync(part).isDirectory()) return false;
  return true;
}

const within = (folder: string, place: string) =>
  place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);

async function linkNote(path: string, roots: ReadonlySet<string>): Promise<Omit<FileNote, "path">> {
  let target: string;
  try {
    target = await realpath(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") return { reason: "loop", detail: "a link to itself" };
    return code === "ENOENT"
      ? { reason: "gone", detail: "a link to nothing" }
      : { reason: "unreadable", detail: message };
  }
  if (within(target, dirname(path))) return { reason: "loop", detail: "a link to a folder above it" };
  return [...roots].some((root) => within(root, target))
    ? { reason: "duplicate", detail: "a link to a file or folder that is listed at its own path" }
    : { reason: "ignored", detail: "a link to the outside" };
}
