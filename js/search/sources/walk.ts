/**
 * Walks a tree of folders. In: a {@link Tree} and the rules. Out: its files in an order that depends on the tree alone,
 * and a note for everything that is left out. Start reading at `walk`.
 */

import { ignoring } from "../../files/ignore.ts";
import type { Ignores } from "../../files/ignore.ts";
import { append } from "../../formats/append.ts";
import type { FileNote, ListedFile } from "../types.ts";
import type { Judge } from "./rules.ts";
import { joined, noteOf } from "./tree.ts";
import type { Root, TreeEntry } from "./tree.ts";

/** Max folders that are read at the same time. */
const FOLDERS = 16;
/** Max files of a folder that are examined at the same time. */
const FILES = 64;
/** Deeper folders are a loop that the host does not report as a link. */
const MAX_DEPTH = 200;
const EXCLUDED = { reason: "ignored", detail: "settings of the editor" } as const;
/** A larger file is not taken for an ignore file. */
const MAX_IGNORE_BYTES = 1_000_000;

/** The rules that a folder inherits from its ancestors. `.ignore` files decide before those of git. */
interface Inherited {
  git: Ignores;
  own: Ignores;
  /** The path of the root below the topmost folder of the rules. */
  base: string;
}

interface Open extends Inherited {
  folder: string;
}

export interface Walking {
  judge: Judge;
  ignoreFiles: boolean;
  signal?: AbortSignal | undefined;
  note: (note: FileNote) => void;
  /** Reports each folder that is entered. */
  onFolder?: (folder: string) => void;
  /** Neither examines files nor yields them. */
  foldersOnly?: boolean;
}

interface Looked {
  files: ListedFile[];
  notes: FileNote[];
  folders: Open[];
}

/**
 * Yields the files below `from`, folder by folder.
 *
 * @throws the host's error if `from` is the root and cannot be read
 */
export async function* walk(root: Root, options: Walking, from = ""): AsyncGenerator<ListedFile[]> {
  const first = await inheritedAt(root, options, from);
  if (first === undefined) return;
  const open: Open[] = [{ folder: from, ...first }];
  while (open.length > 0) {
    options.signal?.throwIfAborted();
    const some = open.splice(-FOLDERS).reverse();
    const found = await Promise.all(some.map((folder) => look(root, options, folder)));
    for (const { files, notes } of found) {
      notes.forEach(options.note);
      if (files.length > 0) yield files;
    }
    for (const { folders } of found.reverse()) append(open, folders.reverse());
  }
}

async function look(root: Root, options: Walking, open: Open): Promise<Looked> {
  const { prefix, tree } = root;
  const { folder } = open;
  const found: Looked = { files: [], notes: [], folders: [] };
  const publicPath = (path: string) => joined(prefix, path);
  const note = (path: string, why: Omit<FileNote, "path">) => void found.notes.push({ path: publicPath(path), ...why });
  options.onFolder?.(folder);
  let entries: TreeEntry[];
  try {
    entries = [...(await tree.entries(folder))].sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (folder === "") throw error;
    note(folder, noteOf(error));
    return found;
  }
  const names = new Set(entries.map(({ name }) => name));
  const inherited = await addIgnoreFiles(root, options, open, folder, (name) => names.has(name));
  const files: string[] = [];
  for (const { name, kind, detail, isExcluded } of entries) {
    const path = joined(folder, name);
    const why = isExcluded ? EXCLUDED : judged(root, options, inherited, path, kind === "folder");
    if (why !== undefined) note(path, why);
    else if (kind === "folder") {
      if (tree.isRoot?.(path)) note(path, { reason: "duplicate", detail: "a root of its own" });
      else if (path.split("/").length > MAX_DEPTH)
        note(path, { reason: "loop", detail: `deeper than ${MAX_DEPTH} folders` });
      else found.folders.push({ folder: path, ...inherited });
    } else if (options.foldersOnly) continue;
    else if (kind === "file") files.push(path);
    else if (kind === "link")
      note(path, (await tree.link?.(path)) ?? { reason: "ignored", detail: "a link, which is not followed" });
    else note(path, { reason: "unreadable", detail: detail ?? "neither a file nor a folder" });
  }
  for (let at = 0; at < files.length; at += FILES) {
    options.signal?.throwIfAborted();
    const listed = await Promise.all(files.slice(at, at + FILES).map((path) => listedOf(root, options, path)));
    for (const one of listed) {
      if (one.note) found.notes.push(one.note);
      if (one.file) found.files.push(one.file);
    }
  }
  return found;
}

/** Returns a file as it is listed, and a note if it is not searched, or not as a whole. */
export async function listedOf(
  { prefix, tree }: Root,
  { judge: { rules } }: Walking,
  file: string,
): Promise<{ file?: ListedFile; note?: FileNote }> {
  const path = joined(prefix, file);
  try {
    const edited = tree.edited?.(file);
    if (edited) return { file: { path, version: edited.version } };
    const { size, version } = await tree.stat(file);
    const listed = { path, version, size };
    if (size <= rules.maxBytes) return { file: listed };
    return rules.larger === "skip"
      ? { note: { path, reason: "tooLarge", detail: `${size} bytes` } }
      : {
          file: listed,
          note: { path, reason: "tooLarge", detail: `its first ${rules.maxBytes} of ${size} bytes are searched` },
        };
  } catch (error) {
    return { note: { path, ...noteOf(error) } };
  }
}

/** Returns why a path is left out: by its name, by an ignore file, or because of a folder above it. */
export async function whyLeftOut(
  root: Root,
  options: Walking,
  path: string,
  isFolder: boolean,
): Promise<Omit<FileNote, "path"> | undefined> {
  const at = path.lastIndexOf("/");
  let why: Omit<FileNote, "path"> | undefined;
  const inherited = await inheritedAt(root, options, at < 0 ? "" : path.slice(0, at), (note) => (why = note));
  if (inherited === undefined) return why;
  const own = await addIgnoreFiles(root, options, inherited, at < 0 ? "" : path.slice(0, at), () => true);
  return (await root.tree.isExcluded?.(path)) ? EXCLUDED : judged(root, options, own, path, isFolder);
}

function judged(
  { prefix }: Root,
  { judge }: Walking,
  { git, own, base }: Inherited,
  path: string,
  isFolder: boolean,
): Omit<FileNote, "path"> | undefined {
  const below = joined(base, path);
  if (own.decide(below, isFolder) ?? git.match(below, isFolder)) return { reason: "ignored", detail: "an ignore file" };
  return judge.name(joined(prefix, path), isFolder);
}

/** Returns the rules that a folder inherits; `undefined` if it, or a folder above it, is left out. */
async function inheritedAt(
  root: Root,
  options: Walking,
  folder: string,
  onLeftOut?: (why: Omit<FileNote, "path">) => void,
): Promise<Inherited | undefined> {
  const { base = "", above = ignoring() } = (options.ignoreFiles ? await root.tree.above?.() : undefined) ?? {};
  let inherited: Inherited = { git: above, own: ignoring(), base };
  if (folder === "") return inherited;
  const parts = folder.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    inherited = await addIgnoreFiles(root, options, inherited, parts.slice(0, depth - 1).join("/"), () => true);
    const path = parts.slice(0, depth).join("/");
    const why = (await root.tree.isExcluded?.(path)) ? EXCLUDED : judged(root, options, inherited, path, true);
    if (why === undefined) continue;
    onLeftOut?.(why);
    return undefined;
  }
  return inherited;
}

/** Adds the ignore files of a folder to the rules above it. A nested repository starts without rules, as in git. */
async function addIgnoreFiles(
  { tree }: Root,
  { ignoreFiles }: Walking,
  { git, own, base }: Inherited,
  folder: string,
  has: (name: string) => boolean,
): Promise<Inherited> {
  if (!ignoreFiles) return { git, own, base };
  const place = joined(base, folder).replace(/\/$/, "");
  const read = async (name: string) =>
    has(name) ? readPatterns(tree.read(joined(folder, name), MAX_IGNORE_BYTES)) : "";
  const isRepository = has(".git") && (await tree.kind(joined(folder, ".git")).catch(() => undefined)) !== undefined;
  const start = isRepository
    ? ignoring().and(
        place,
        await (tree.exclude?.(folder) ??
          readPatterns(tree.read(joined(folder, ".git/info/exclude"), MAX_IGNORE_BYTES))),
      )
    : git;
  return { git: start.and(place, await read(".gitignore")), own: own.and(place, await read(".ignore")), base };
}

/** An unreadable ignore file ignores nothing, as in git. */
async function readPatterns(reading: Promise<{ bytes: Uint8Array; size: number }>): Promise<string> {
  try {
    const { bytes, size } = await reading;
    return size > MAX_IGNORE_BYTES ? "" : new TextDecoder().decode(bytes);
  } catch {
    return "";
  }
}
