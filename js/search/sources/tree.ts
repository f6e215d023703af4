/**
 * The interface that a host implements so that its files can be searched: a tree of folders. Paths are relative to its
 * root, which is "".
 */

import type { Ignores } from "../../files/ignore.ts";
import type { FileNote } from "../types.ts";

export interface TreeEntry {
  name: string;
  kind: "file" | "folder" | "link" | "other";
  /** Describes an `other`. */
  detail?: string | undefined;
  /** True if the host's own settings leave it out. */
  isExcluded?: boolean | undefined;
}

export interface FileStat {
  size: number;
  version: string;
}

export interface Tree {
  /** Returns the entries of a folder, in any order. */
  entries(folder: string): Promise<readonly TreeEntry[]>;
  /** Returns the kind of the entry at a path, without following a link; `undefined` if nothing exists there. */
  kind(path: string): Promise<TreeEntry["kind"] | undefined>;
  stat(file: string): Promise<FileStat>;
  /** Returns the first `maxBytes` of a file; `size` and `version` describe the whole file. A link is not followed. */
  read(file: string, maxBytes: number): Promise<{ bytes: Uint8Array } & FileStat>;
  /** Returns why a link is not followed. */
  link?(path: string): Promise<Omit<FileNote, "path">>;
  /** Returns the patterns of `.git/info/exclude` of a repository at `folder`. Default: reads that file. */
  exclude?(folder: string): Promise<string>;
  /** Returns the rules of folders above the root, and the path of the root below the topmost of them. */
  above?(): Promise<{ base: string; above: Ignores }>;
  /** Returns true if a folder is the root of another tree of the same source. */
  isRoot?(folder: string): boolean;
  /** Like `isExcluded` of an entry, for a path that was not listed. */
  isExcluded?(path: string): Promise<boolean>;
  /** Decodes a whole file that is not Unicode; `undefined` if the host cannot. */
  decoded?(file: string, bytes: Uint8Array): Promise<string | undefined>;
  /** Returns an editor's unsaved text of a file. */
  edited?(file: string): { text: string; version: string } | undefined;
}

/** A tree and the name with which the paths of its files begin; empty if it is the only one. */
export interface Root {
  prefix: string;
  /** For messages. */
  title: string;
  tree: Tree;
}

/** An error that carries its own note. */
export class Noted extends Error {
  readonly note: Omit<FileNote, "path">;

  constructor(reason: FileNote["reason"], detail: string) {
    super(detail);
    this.note = { reason, detail };
  }
}

const GONE = /^(?:ENOENT|ENOTDIR|ESTALE|FileNotFound|EntryNotFound|NotFoundError|NotFound)$/;

/** Returns the note for an error of a file system: of Node and compatible runtimes, of VS Code, of a page. */
export function noteOf(error: unknown): Omit<FileNote, "path"> {
  if (error instanceof Noted) return error.note;
  const { name, code, message } = (error ?? {}) as { name?: unknown; code?: unknown; message?: unknown };
  const isGone = [code, name].some(
    (one) => typeof one === "string" && GONE.test(one.replace(/ \(FileSystemError\)$/, "")),
  );
  return { reason: isGone ? "gone" : "unreadable", detail: typeof message === "string" ? message : String(error) };
}

export const joined = (folder: string, name: string) => (folder === "" ? name : `${folder}/${name}`);
