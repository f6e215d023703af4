/**
 * What a host implements so that its files can be searched: a tree of folders. Paths are relative to its root, which is
 * "".
 */

import type { Ignores } from "../../files/ignore.ts";
import type { FileNote } from "../types.ts";

export interface TreeEntry {
  name: string;
  kind: "file" | "folder" | "link" | "other";
  /** What an `other` is. */
  detail?: string | undefined;
  /** The host's own settings leave it out. */
  isExcluded?: boolean | undefined;
}

export interface FileStat {
  size: number;
  version: string;
}

export interface Tree {
  /** Entries of a folder, in any order. */
  entries(folder: string): Promise<readonly TreeEntry[]>;
  /** What is at a path itself: a link is not followed. `undefined` if nothing is there. */
  kind(path: string): Promise<TreeEntry["kind"] | undefined>;
  stat(file: string): Promise<FileStat>;
  /** The first `maxBytes` of a file; `size` and `version` are of the whole of it. A link is not followed. */
  read(file: string, maxBytes: number): Promise<{ bytes: Uint8Array } & FileStat>;
  /** Says why a link is not followed. */
  link?(path: string): Promise<Omit<FileNote, "path">>;
  /** The patterns of `.git/info/exclude` of a repository whose top is `folder`. Default: those of that file. */
  exclude?(folder: string): Promise<string>;
  /** The rules of folders above the root, and the path of the root below the topmost of them. */
  above?(): Promise<{ base: string; above: Ignores }>;
  /** True if a folder is the root of another tree of the same source. */
  isRoot?(folder: string): boolean;
  /** The same as `isExcluded` of its entry, for a path that nobody listed. */
  isExcluded?(path: string): Promise<boolean>;
  /** The texts that an editor has instead of those of the disk. */
  edited?(file: string): { text: string; version: string } | undefined;
}

/** A tree and the name that the paths of its files begin with; empty if it is the only one. */
export interface Root {
  prefix: string;
  /** For messages. */
  title: string;
  tree: Tree;
}

/** An error that says itself which note it is. */
export class Noted extends Error {
  readonly note: Omit<FileNote, "path">;

  constructor(reason: FileNote["reason"], detail: string) {
    super(detail);
    this.note = { reason, detail };
  }
}

const GONE = /^(?:ENOENT|ENOTDIR|ESTALE|FileNotFound|EntryNotFound|NotFoundError|NotFound)$/;

/** The note for an error of a file system: of Node and its imitations, of VS Code, of a page. */
export function noteOf(error: unknown): Omit<FileNote, "path"> {
  if (error instanceof Noted) return error.note;
  const { name, code, message } = (error ?? {}) as { name?: unknown; code?: unknown; message?: unknown };
  const isGone = [code, name].some(
    (one) => typeof one === "string" && GONE.test(one.replace(/ \(FileSystemError\)$/, "")),
  );
  return { reason: isGone ? "gone" : "unreadable", detail: typeof message === "string" ? message : String(error) };
}

export const joined = (folder: string, name: string) => (folder === "" ? name : `${folder}/${name}`);
