/** A source of files in a page: a folder of the File System Access API, a list of files, or a drop. */

import { badOption } from "../../errors/errors.ts";
import { append } from "../../formats/append.ts";
import { check } from "../../options/check.ts";
import { BROWSER_FILES } from "../../options/schemas/search-sources.ts";
import type { FileSource } from "../types.ts";
import { heldTree, wrongPath } from "./memory.ts";
import type { SourceOptions } from "./rules.ts";
import { prefixes, sourceOf } from "./source.ts";
import { joined, Noted } from "./tree.ts";
import type { FileStat, Root, Tree, TreeEntry } from "./tree.ts";
import { watching } from "./watching.ts";
import type { Watching } from "./watching.ts";

/** The used part of a `File`. */
export interface BrowserFile {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
  /** For `<input webkitdirectory>`: its path, which begins with the name of the folder. */
  readonly webkitRelativePath?: string;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  arrayBuffer?(): Promise<ArrayBuffer>;
}

/**
 * A `FileSystemDirectoryHandle`. Its methods are not declared: TypeScript only knows them with the library
 * `dom.asynciterable`.
 */
export interface BrowserFolder {
  readonly kind: "directory";
  readonly name: string;
}

/** The used part of a `FileSystemDirectoryHandle`. */
interface FolderHandle extends BrowserFolder {
  values(): AsyncIterable<FolderHandle | FileHandle>;
  getDirectoryHandle(name: string): Promise<FolderHandle>;
  getFileHandle(name: string): Promise<FileHandle>;
}

/** The used part of a `FileSystemFileHandle`. */
interface FileHandle {
  readonly kind: "file";
  readonly name: string;
  getFile(): Promise<BrowserFile>;
}

/** The used part of a `FileSystemEntry` of a drop. */
export interface BrowserEntry {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly name: string;
}

/** The used part of a `DataTransferItem`. */
export interface BrowserItem {
  readonly kind: string;
  webkitGetAsEntry(): BrowserEntry | null;
}

/** The input of a page: folders, files, or the items of a drop. */
export type BrowserInput =
  | BrowserFolder
  | Iterable<BrowserFolder | BrowserFile | BrowserItem | BrowserEntry>
  | ArrayLike<BrowserFile>
  | ArrayLike<BrowserItem>;

export interface BrowserFilesOptions extends SourceOptions {
  /**
   * Milliseconds between two checks of the files, for browsers that do not report changes (`FileSystemObserver`).
   * Default: such a browser has no `watch`. Lists of files never change.
   */
  pollMs?: number | undefined;
}

/** Milliseconds during which the browser's changes are collected. */
const DELAY_MS = 100;

type FolderRoot = Root & { handle?: FolderHandle };

/**
 * Lists the files that a page was given. With one folder paths are relative to it; with several they begin with the
 * name of their folder. Ignore files and {@link fileRules} apply as for {@link nodeFiles}. Takes
 *
 * - a folder of `showDirectoryPicker()` or of the private file system, or several;
 * - the `files` of an `<input type="file" webkitdirectory>`, or any `File` objects;
 * - the `items` of a drop (`event.dataTransfer.items`), in the handler of the event: they are gone after it.
 *
 * ```ts
 * import { browserFiles } from "espalier/search";
 *
 * // Or `input.files`.
 * const files = [new File(["export const a = 1;\n"], "a.ts"), new File(["# Words\n"], "readme.md")];
 * const source = browserFiles(files);
 * const paths: string[] = [];
 * for await (const { path } of source.list({ note: () => undefined })) paths.push(path);
 * paths; // => ["a.ts", "readme.md"]
 * ```
 *
 * @throws EspalierError `bad_option`; `list` with `file_not_found` if a folder may not be read any more
 */
export function browserFiles(input: BrowserInput, options: BrowserFilesOptions = {}): FileSource {
  check(options, BROWSER_FILES);
  const given = isFolder(input) ? [input] : listOf(input);
  if (given === undefined) throw badOption("", "a folder, a list of files, or the items of a drop", input, "input");
  const roots = rootsOf(given);
  const source = sourceOf(() => roots, options);
  const { list, read } = source;
  const Observer = (globalThis as { FileSystemObserver?: ObserverClass }).FileSystemObserver;
  const canObserve = typeof Observer === "function" && roots.every(({ handle }) => handle !== undefined);
  const { pollMs } = options;
  if (!canObserve && (pollMs === undefined || roots.some(({ handle }) => handle === undefined))) return { list, read };
  return {
    list,
    read,
    watch(onChange, onError = () => undefined) {
      const changes = watching(source, DELAY_MS, onChange, onError);
      const end = canObserve ? observe(Observer, roots, changes) : poll(pollMs!, changes);
      return () => {
        changes.end();
        end();
      };
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isFolder = (value: unknown): value is FolderHandle =>
  isObject(value) && value["kind"] === "directory" && typeof value["values"] === "function";
const isFile = (value: unknown): value is BrowserFile =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  typeof value["slice"] === "function" &&
  // Reading the value would access the disk.
  "size" in value;
const isEntry = (value: unknown): value is BrowserEntry =>
  isObject(value) &&
  typeof value["isDirectory"] === "boolean" &&
  typeof value["isFile"] === "boolean" &&
  typeof value["name"] === "string";
const isItem = (value: unknown): value is BrowserItem =>
  isObject(value) && typeof value["webkitGetAsEntry"] === "function";

function listOf(input: unknown): unknown[] | undefined {
  if (!isObject(input)) return undefined;
  return typeof (input as { [Symbol.iterator]?: unknown })[Symbol.iterator] === "function" ||
    typeof input["length"] === "number"
    ? Array.from(input as unknown as ArrayLike<unknown>)
    : undefined;
}

function rootsOf(given: readonly unknown[]): FolderRoot[] {
  const folders: { name: string; tree: Tree; handle?: FolderHandle }[] = [];
  const files: BrowserFile[] = [];
  const dropped: FileEntry[] = [];
  for (const [at, one] of given.entries()) {
    const within = `input[${at}]`;
    if (isFolder(one)) folders.push({ name: one.name, tree: handleTree(one), handle: one });
    else if (isFile(one)) files.push(one);
    else if (isItem(one) || isEntry(one)) {
      // Dragged text is an item, too.
      const entry = isItem(one) ? one.webkitGetAsEntry() : one;
      if (entry?.isDirectory) folders.push({ name: entry.name, tree: entryTree(entry as FolderEntry) });
      else if (entry?.isFile) dropped.push(entry as FileEntry);
    } else throw badOption("", "a folder, a file or an item of a drop", one, within);
  }
  if (files.length > 0) append(folders, fileTrees(files));
  if (dropped.length > 0) folders.push({ name: "", tree: droppedTree(dropped) });
  const named = folders.filter(({ name }) => name !== "");
  const names = prefixes(named.map(({ name }) => name));
  const isOne = folders.length === 1;
  // Files without a folder have no prefix and come last, because a path is looked up in the first root that it fits.
  const prefixed = named.map((folder, at) => ({
    ...folder,
    prefix: isOne ? "" : names[at] || folder.name,
    title: folder.name,
  }));
  return [
    ...prefixed,
    ...folders.filter(({ name }) => name === "").map((folder) => ({ ...folder, prefix: "", title: "files" })),
  ];
}

/** Returns trees of `File` objects: one for each chosen folder, one for files without a folder. */
function fileTrees(files: readonly BrowserFile[]): { name: string; tree: Tree }[] {
  const groups = new Map<string, Map<string, BrowserFile>>();
  for (const [at, file] of files.entries()) {
    const path = file.webkitRelativePath || file.name;
    const why = wrongPath(path);
    if (why !== undefined) throw badOption("", `a file whose path ${why}`, path, `input[${at}]`);
    const slash = file.webkitRelativePath ? path.indexOf("/") : -1;
    const [name, rest] = slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)];
    if (!groups.has(name)) groups.set(name, new Map());
    groups.get(name)!.set(rest, file);
  }
  return [...groups].map(([name, held]) => {
    const tree = heldTree(held.keys(), (path) => {
      const file = held.get(path);
      return file && { stat: () => statOf(file), read: (maxBytes) => bytesOf(file, maxBytes) };
    });
    return { name, tree: { ...tree, stat: async (path: string) => (await breathe(), tree.stat(path)) } };
  });
}

/** Milliseconds of work before the page may run other tasks. */
const SLICE_MS = 8;
let turn = 0;

/** Lets the page run between files: a list of 25,000 would block it for seconds. */
async function breathe(): Promise<void> {
  if (performance.now() - turn < SLICE_MS) return;
  await new Promise((resolve) => setTimeout(resolve));
  turn = performance.now();
}

/** Each read of a chosen file's size or time blocks Chromium for a disk access, so the values are cached. */
const stats = new WeakMap<BrowserFile, FileStat>();

function statOf(file: BrowserFile): FileStat {
  const known = stats.get(file);
  if (known) return known;
  const { size, lastModified } = file;
  const stat = { size, version: `${size}-${lastModified}` };
  stats.set(file, stat);
  return stat;
}

async function bytesOf(file: BrowserFile, maxBytes: number): Promise<Uint8Array> {
  const { size } = statOf(file);
  const isWhole = size <= maxBytes && file.arrayBuffer !== undefined;
  return new Uint8Array(await (isWhole ? file.arrayBuffer!() : file.slice(0, Math.min(size, maxBytes)).arrayBuffer()));
}

const readOf = async (file: BrowserFile, maxBytes: number) => ({
  bytes: await bytesOf(file, maxBytes),
  ...statOf(file),
});
const isMissing = (error: unknown) =>
  ["NotFoundError", "TypeMismatchError"].includes((error as { name?: string }).name ?? "");

function handleTree(root: FolderHandle): Tree {
  // Handles of folders stay valid; fetching them again for every file would take most of the time.
  const known = new Map<string, FolderHandle>([["", root]]);
  const folderAt = async (path: string): Promise<FolderHandle> => {
    const found = known.get(path);
    if (found) return found;
    const [parent, name] = split(path);
    const handle = await (await folderAt(parent)).getDirectoryHandle(name);
    known.set(path, handle);
    return handle;
  };
  const fileAt = async (path: string) => {
    const [parent, name] = split(path);
    return (await (await folderAt(parent)).getFileHandle(name)).getFile();
  };
  return {
    async entries(folder) {
      const found: TreeEntry[] = [];
      for await (const one of (await folderAt(folder)).values()) {
        if (isFolder(one)) known.set(joined(folder, one.name), one);
        found.push({ name: one.name, kind: isFolder(one) ? "folder" : "file" });
      }
      return found;
    },
    async kind(path) {
      const [parent, name] = split(path);
      try {
        const folder = await folderAt(parent);
        return await folder.getFileHandle(name).then(
          () => "file" as const,
          async (error: unknown) => {
            if ((error as { name?: string }).name !== "TypeMismatchError") throw error;
            await folder.getDirectoryHandle(name);
            return "folder" as const;
          },
        );
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    stat: async (file) => statOf(await fileAt(file)),
    read: async (file, maxBytes) => readOf(await fileAt(file), maxBytes),
  };
}

interface FileEntry extends BrowserEntry {
  file(done: (file: BrowserFile) => void, failed: (error: unknown) => void): void;
}

interface FolderEntry extends BrowserEntry {
  createReader(): { readEntries(done: (entries: BrowserEntry[]) => void, failed: (error: unknown) => void): void };
}

const fileOf = (entry: FileEntry) => new Promise<BrowserFile>((resolve, reject) => entry.file(resolve, reject));

/** Returns the tree of a dropped folder: its entries are fetched in batches until there are no more. */
function entryTree(root: FolderEntry): Tree {
  const known = new Map<string, BrowserEntry>([["", root]]);
  const entriesOf = async (path: string): Promise<BrowserEntry[]> => {
    const folder = await entryAt(path);
    if (!folder?.isDirectory) throw new Noted("gone", "no such folder");
    const reader = (folder as FolderEntry).createReader();
    const all: BrowserEntry[] = [];
    for (;;) {
      const some = await new Promise<BrowserEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      append(all, some);
    }
    for (const one of all) known.set(joined(path, one.name), one);
    return all;
  };
  const entryAt = async (path: string): Promise<BrowserEntry | undefined> => {
    if (!known.has(path) && path !== "" && (await entryAt(split(path)[0]))?.isDirectory)
      await entriesOf(split(path)[0]);
    return known.get(path);
  };
  const fileAt = async (path: string) => {
    const entry = await entryAt(path);
    if (!entry?.isFile) throw new Noted("gone", "no such file");
    return fileOf(entry as FileEntry);
  };
  return {
    entries: async (folder) =>
      (await entriesOf(folder)).map(({ name, isDirectory }) => ({ name, kind: isDirectory ? "folder" : "file" })),
    kind: async (path) => kindOf(await entryAt(path)),
    stat: async (file) => statOf(await fileAt(file)),
    read: async (file, maxBytes) => readOf(await fileAt(file), maxBytes),
  };
}

/** Returns the tree of files that were dropped without a folder. */
function droppedTree(entries: readonly FileEntry[]): Tree {
  const held = new Map(entries.map((entry) => [entry.name, entry]));
  const fileAt = async (path: string) => {
    const entry = held.get(path);
    if (!entry) throw new Noted("gone", "no such file");
    return fileOf(entry);
  };
  return {
    entries: async () => [...held.keys()].map((name) => ({ name, kind: "file" })),
    kind: async (path) => kindOf(held.get(path)),
    stat: async (file) => statOf(await fileAt(file)),
    read: async (file, maxBytes) => readOf(await fileAt(file), maxBytes),
  };
}

const kindOf = (entry: BrowserEntry | undefined) =>
  entry === undefined ? undefined : entry.isDirectory ? ("folder" as const) : ("file" as const);

/** Returns the folder of a path, and its last name. */
function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf("/");
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}

interface ObserverRecord {
  type: string;
  relativePathComponents?: readonly string[];
  relativePathMovedFrom?: readonly string[] | null;
}

type ObserverClass = new (
  callback: (records: readonly ObserverRecord[]) => void,
) => {
  observe(handle: FolderHandle, options: { recursive: boolean }): Promise<void>;
  disconnect(): void;
};

function observe(Observer: ObserverClass, roots: readonly FolderRoot[], changes: Watching): () => void {
  const observers = roots.map(({ handle, prefix }) => {
    const observer = new Observer((records) => {
      for (const { type, relativePathComponents, relativePathMovedFrom } of records) {
        if (type === "errored") changes.failed(`${handle!.name} is not watched any more`, "the browser ended it");
        else if (type === "unknown") changes.touch("");
        else
          for (const parts of [relativePathComponents, relativePathMovedFrom])
            if (parts) changes.touch(parts.length === 0 ? "" : joined(prefix, parts.join("/")));
      }
    });
    observer
      .observe(handle!, { recursive: true })
      .catch((error: unknown) => changes.failed(`${handle!.name} is not watched`, error));
    return observer;
  });
  return () => observers.forEach((observer) => observer.disconnect());
}

function poll(pollMs: number, changes: Watching): () => void {
  const timer = setInterval(() => changes.touch(""), pollMs);
  return () => clearInterval(timer);
}
