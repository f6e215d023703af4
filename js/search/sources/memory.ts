/** A source of files in memory: for tests, or for a repository that a page ships with. */

import { isBytes } from "../../files/bytes.ts";
import { badOption, EspalierError } from "../../errors/errors.ts";
import { contentVersion } from "../../files/hash.ts";
import { check } from "../../options/check.ts";
import { SOURCE } from "../../options/schemas/search-sources.ts";
import type { FileSource } from "../types.ts";
import type { SourceOptions } from "./rules.ts";
import { sourceOf } from "./source.ts";
import { joined, Noted } from "./tree.ts";
import type { FileStat, Tree, TreeEntry } from "./tree.ts";

/** A file of a tree whose content is all known. */
export interface HeldFile {
  stat(): FileStat;
  read(maxBytes: number): Promise<Uint8Array>;
}

/** Returns a tree of files with the given valid paths. `find` returns a file when it is needed. */
export function heldTree(paths: Iterable<string>, find: (path: string) => HeldFile | undefined): Tree {
  // A folder may have the same name as a file beside it: in memory they do not exclude each other.
  const folders = new Map<string, Map<string, TreeEntry>>([["", new Map()]]);
  for (const path of paths) {
    const parts = path.split("/");
    for (let depth = 0, folder = ""; depth < parts.length; depth++) {
      const name = parts[depth]!;
      const isFile = depth === parts.length - 1;
      const entries = folders.get(folder)!;
      const key = isFile ? name : `${name}/`;
      if (!entries.has(key)) entries.set(key, { name, kind: isFile ? "file" : "folder" });
      folder = joined(folder, name);
      if (!isFile && !folders.has(folder)) folders.set(folder, new Map());
    }
  }
  const fileAt = (path: string): HeldFile => {
    const file = find(path);
    if (!file) throw new Noted("gone", "no such file");
    return file;
  };
  return {
    entries: async (folder) => [...(folders.get(folder)?.values() ?? [])],
    kind: async (path) => (find(path) ? "file" : folders.has(path) ? "folder" : undefined),
    stat: async (path) => fileAt(path).stat(),
    read: async (path, maxBytes) => ({ bytes: await fileAt(path).read(maxBytes), ...fileAt(path).stat() }),
  };
}

/** Returns the fault of a path in a tree, or `undefined` for a valid path. */
export function wrongPath(path: unknown): string | undefined {
  if (typeof path !== "string") return "must be a text";
  if (path === "" || path.includes("\0")) return "must not be empty, nor have a NUL";
  return path.split("/").some((part) => part === "" || part === "." || part === "..")
    ? 'must have names between its "/", none of them "." or ".."'
    : undefined;
}

/**
 * Lists files in memory, by path. The object may change: each list and each read uses its current content.
 *
 * ```ts
 * import { memoryFiles } from "espalier/search";
 *
 * const source = memoryFiles({ "src/a.ts": "export const a = 1;\n", ".gitignore": "*.gen.ts\n", "src/b.gen.ts": "" });
 * const paths: string[] = [];
 * for await (const { path } of source.list({ note: () => undefined })) paths.push(path);
 * paths; // => [".gitignore", "src/a.ts"]
 * await source.read("src/a.ts"); // => { text: "export const a = 1;\n", version: "20-298b5aec5efd5583" }
 * ```
 *
 * @throws EspalierError `bad_input` for an invalid path, `bad_option`
 */
export function memoryFiles(
  files: Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string, string | Uint8Array>,
  options: SourceOptions = {},
): FileSource {
  check(options, SOURCE);
  if (typeof files !== "object" || files === null)
    throw badOption("", "an object of texts by path, or a Map", files, "files");
  const find = (path: string) => {
    const content: unknown =
      files instanceof Map
        ? files.get(path)
        : Object.hasOwn(files, path)
          ? (files as Record<string, unknown>)[path]
          : undefined;
    return content === undefined ? undefined : heldOf(path, content);
  };
  const treeNow = () => {
    const paths = files instanceof Map ? [...files.keys()] : Object.keys(files);
    for (const path of paths)
      checkHeld(path, files instanceof Map ? files.get(path) : (files as Record<string, unknown>)[path as string]);
    return heldTree(paths, find);
  };
  let tree = treeNow();
  const source = sourceOf(() => [{ prefix: "", title: "memory", tree }], options);
  return {
    list(listing) {
      tree = treeNow();
      return source.list(listing);
    },
    read: source.read,
  };
}

function checkHeld(path: unknown, content: unknown): void {
  const place = `files[${JSON.stringify(path)}]`;
  const why = wrongPath(path);
  if (why !== undefined)
    throw new EspalierError({ code: "bad_input", message: `${place}: a path ${why}`, path: place });
  if (typeof content !== "string" && !isBytes(content)) {
    throw new EspalierError({ code: "bad_input", message: `${place} must be a text or a Uint8Array`, path: place });
  }
}

function heldOf(path: string, content: unknown): HeldFile {
  checkHeld(path, content);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : (content as Uint8Array);
  return {
    stat: () => ({ size: bytes.length, version: `${bytes.length}-${contentVersion(bytes)}` }),
    read: async (maxBytes) => bytes.subarray(0, maxBytes),
  };
}
