/** The `FileSource` of any host: trees of folders, the rules, and the last list. */

import { EspalierError } from "../../errors/errors.ts";
import type { FileNote, FileSource, ListedFile } from "../types.ts";
import { decode } from "./decode.ts";
import { judgeOf } from "./rules.ts";
import type { SourceOptions } from "./rules.ts";
import { noteOf } from "./tree.ts";
import type { Root } from "./tree.ts";
import { whyLeftOut, listedOf, walk } from "./walk.ts";
import type { Walking } from "./walk.ts";

type Listing = Parameters<FileSource["list"]>[0];

/** A source that can compare its files with an earlier list. */
export interface TreeSource extends FileSource {
  list(options: Listing): AsyncGenerator<ListedFile>;
  /**
   * Returns the versions of all files in the last list; makes the list if there is none. Until `forget`, a file that
   * cannot be read loses its version in it: an index that asked for it has removed it, and must be notified when it
   * becomes readable.
   */
  versions(): Promise<Map<string, string>>;
  forget(known: Map<string, string>): void;
  /** Lists everything again, and returns the paths of new, changed and removed files. Updates `known`. */
  compare(known: Map<string, string>): Promise<string[]>;
  /** Does the same for the given changed paths, including folders and ignore files. */
  changed(known: Map<string, string>, paths: readonly string[]): Promise<string[]>;
}

/** For this number of changed paths everything is listed instead. */
const MANY = 500;
/** Reasons that may disappear without a new version of the file. */
const PASSING: ReadonlySet<FileNote["reason"]> = new Set(["ignored", "gone", "unreadable"]);
const IGNORE_FILES = /(?:^|\/)(?:\.gitignore|\.ignore|\.git\/info\/exclude)$/;

/** @param rootsNow the current roots; those of an editor change over time, as do its settings */
export function sourceOf(
  rootsNow: () => readonly Root[] | Promise<readonly Root[]>,
  { rules, ignoreFiles = true }: SourceOptions,
  usesIgnoreFiles = () => ignoreFiles,
): TreeSource {
  const judge = judgeOf(rules);
  let versions: Map<string, string> | undefined;
  const followed = new Set<Map<string, string>>();
  const walking = (options: Partial<Listing> = {}): Walking => ({
    judge,
    ignoreFiles: usesIgnoreFiles(),
    signal: options.signal,
    note: options.note ?? (() => undefined),
  });

  /** Returns the root of a path, and the path in it. */
  const placeOf = async (path: string): Promise<{ root: Root; file: string } | undefined> => {
    if (
      typeof path !== "string" ||
      path === "" ||
      path.includes("\0") ||
      path.split("/").some((part) => part === "" || part === "." || part === "..")
    )
      return undefined;
    for (const root of await rootsNow()) {
      if (root.prefix === "") return { root, file: path };
      if (path.startsWith(`${root.prefix}/`)) return { root, file: path.slice(root.prefix.length + 1) };
    }
    return undefined;
  };

  async function* list(options: Listing): AsyncGenerator<ListedFile> {
    const found = new Map<string, string>();
    for (const root of await rootsNow()) {
      try {
        for await (const files of walk(root, walking(options))) {
          for (const file of files) {
            if (found.has(file.path)) {
              options.note({ path: file.path, reason: "duplicate" });
              continue;
            }
            found.set(file.path, file.version);
            yield file;
          }
        }
      } catch (cause) {
        options.signal?.throwIfAborted();
        if (cause instanceof EspalierError || !isSystem(cause)) throw cause;
        // An empty list would make an index remove all files.
        throw new EspalierError({
          code: "file_not_found",
          message: `${root.title} cannot be read: ${noteOf(cause).detail}`,
          path: "roots",
          cause,
        });
      }
    }
    versions = found;
  }

  async function read(path: string): Promise<{ text: string; version: string } | FileNote> {
    const found = await readNow(path);
    if ("reason" in found && PASSING.has(found.reason))
      for (const known of followed) if (known.has(path)) known.set(path, "");
    return found;
  }

  /** Returns the note of a text that is not searched. */
  const noted = (path: string, text: string): FileNote | undefined => {
    const why = judge.text(path, text);
    return why && { path, ...why };
  };

  async function readNow(path: string): Promise<{ text: string; version: string } | FileNote> {
    const place = await placeOf(path);
    if (!place) return { path, reason: "gone", detail: "not a path of this source" };
    const { root, file } = place;
    const why = versions?.has(path) ? undefined : await whyLeftOut(root, walking(), file, false);
    if (why) return { path, ...why };
    try {
      const edited = root.tree.edited?.(file);
      if (edited) return noted(path, edited.text) ?? edited;
      const { maxBytes, larger } = judge.rules;
      const { bytes, size, version } = await root.tree.read(file, maxBytes);
      if (size > maxBytes && larger === "skip") return { path, reason: "tooLarge", detail: `${size} bytes` };
      const isCut = size > maxBytes;
      const decoded = decode(bytes.subarray(0, maxBytes), path, judge, isCut);
      if ("text" in decoded) return { text: decoded.text, version };
      const isOther = decoded.reason === "encoding" && !isCut;
      const text = isOther ? await root.tree.decoded?.(file, bytes).catch(() => undefined) : undefined;
      return text === undefined ? { path, ...decoded } : (noted(path, text) ?? { text, version });
    } catch (error) {
      return { path, ...noteOf(error) };
    }
  }

  async function compare(known: Map<string, string>): Promise<string[]> {
    const now = new Map<string, string>();
    for await (const { path, version } of list({ note: () => undefined })) now.set(path, version);
    const out = differences(known, now);
    known.clear();
    for (const [path, version] of now) known.set(path, version);
    return out;
  }

  async function changed(known: Map<string, string>, paths: readonly string[]): Promise<string[]> {
    if (paths.length > MANY || paths.some((path) => IGNORE_FILES.test(path))) return compare(known);
    const out = new Set<string>();
    for (const path of new Set(paths)) {
      const place = await placeOf(path);
      const now = place ? await below(place.root, place.file) : new Map<string, string>();
      const before = knownBelow(known, path);
      for (const one of differences(before, now)) out.add(one);
      for (const one of before.keys()) known.delete(one);
      for (const [one, version] of now) known.set(one, version);
    }
    return [...out];
  }

  /** Returns the file at a path, or the files in the folder at it. */
  async function below(root: Root, file: string): Promise<Map<string, string>> {
    const out = new Map<string, string>();
    const kind = await root.tree.kind(file).catch(() => undefined);
    if (kind === "folder") {
      for await (const files of walk(root, walking(), file))
        for (const { path, version } of files) out.set(path, version);
    } else if (kind === "file" && (await whyLeftOut(root, walking(), file, false)) === undefined) {
      const { file: listed } = await listedOf(root, walking(), file);
      if (listed) out.set(listed.path, listed.version);
    }
    return out;
  }

  return {
    list,
    read,
    compare,
    changed,
    async versions() {
      const known = new Map(versions);
      if (versions === undefined) await compare(known);
      followed.add(known);
      return known;
    },
    forget: (known) => void followed.delete(known),
  };
}

function knownBelow(known: ReadonlyMap<string, string>, path: string): Map<string, string> {
  const version = known.get(path);
  if (version !== undefined) return new Map([[path, version]]);
  return new Map([...known].filter(([one]) => one.startsWith(`${path}/`)));
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const fresh = [...now].flatMap(([path, version]) => (before.get(path) === version ? [] : [path]));
  return [...fresh, ...[...before.keys()].filter((path) => !now.has(path))];
}

/** Returns true for errors of a file system, as opposed to those of a caller's own function. */
function isSystem(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return (
    typeof code === "string" || (typeof name === "string" && /NotAllowed|NotReadable|Security|NotFound/.test(name))
  );
}

/** Returns a unique name for each root, with which its paths begin; a single root needs none. */
export function prefixes(names: readonly string[]): string[] {
  if (names.length === 1) return [""];
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replace(/[/\\\0]/g, "-").replace(/^\.{0,2}$/, "root");
    let prefix = plain;
    for (let count = 2; taken.has(prefix); count++) prefix = `${plain}-${count}`;
    taken.add(prefix);
    return prefix;
  });
}
