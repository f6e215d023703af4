/**
 * A source of the workspace of VS Code. Nothing of VS Code is imported: its API is passed in and recognised by its
 * shape.
 */

import { badOption } from "../../errors/errors.ts";
import { contentVersion } from "../../files/hash.ts";
import { check } from "../../options/check.ts";
import { VSCODE_FILES } from "../../options/schemas/search-sources.ts";
import type { FileSource } from "../types.ts";
import type { SourceOptions } from "./rules.ts";
import { prefixes, sourceOf } from "./source.ts";
import { joined, Noted, noteOf } from "./tree.ts";
import type { Root, Tree, TreeEntry } from "./tree.ts";
import { excluding } from "./vscode-globs.ts";
import type { Excluded, ExcludeValue } from "./vscode-globs.ts";
import { watching } from "./watching.ts";

/** The used part of a `vscode.Uri`. */
export interface VsCodeUri {
  readonly path: string;
  with(change: { path: string }): VsCodeUri;
  toString(): string;
}

/** A `vscode.WorkspaceFolder`. */
export interface VsCodeFolder {
  readonly uri: VsCodeUri;
  readonly name: string;
}

/** The used part of a `vscode.TextDocument`. */
export interface VsCodeDocument {
  readonly uri: VsCodeUri;
  readonly isDirty: boolean;
  getText(): string;
}

/** A `vscode.Event`. */
export type VsCodeEvent<T> = (listener: (event: T) => unknown) => { dispose(): unknown };

/** The used part of the API of VS Code. */
export interface VsCodeApi {
  readonly workspace: {
    readonly workspaceFolders: readonly VsCodeFolder[] | undefined;
    readonly fs: {
      readDirectory(uri: never): PromiseLike<readonly (readonly [string, number])[]>;
      stat(uri: never): PromiseLike<{ readonly type: number; readonly size: number; readonly mtime: number }>;
      readFile(uri: never): PromiseLike<Uint8Array>;
    };
    readonly textDocuments: readonly VsCodeDocument[];
    /** Since VS Code 1.100. */
    decode?(content: Uint8Array, options: { uri: never }): PromiseLike<string>;
    getConfiguration(section: string, scope?: never): { get(key: string): unknown };
    createFileSystemWatcher(pattern: never): {
      readonly onDidCreate: VsCodeEvent<VsCodeUri>;
      readonly onDidChange: VsCodeEvent<VsCodeUri>;
      readonly onDidDelete: VsCodeEvent<VsCodeUri>;
      dispose(): unknown;
    };
    readonly onDidChangeTextDocument: VsCodeEvent<{ readonly document: VsCodeDocument }>;
    readonly onDidCloseTextDocument: VsCodeEvent<VsCodeDocument>;
    readonly onDidChangeWorkspaceFolders: VsCodeEvent<unknown>;
    readonly onDidChangeConfiguration: VsCodeEvent<{ affectsConfiguration(section: string): boolean }>;
  };
  readonly RelativePattern: new (base: never, pattern: string) => object;
}

export interface VsCodeFilesOptions extends SourceOptions {
  /** Applies the settings `files.exclude`, `search.exclude` and `search.useIgnoreFiles`. Default true. */
  settings?: boolean | undefined;
  /** Prefers the text of an editor with unsaved changes to that of the disk. Default true. */
  unsaved?: boolean | undefined;
  /** Milliseconds that `watch` waits for further changes before it reports them. Default 250, because people type. */
  delayMs?: number | undefined;
}

const DELAY_MS = 250;
/** `FileType` of VS Code: bits. */
const [FILE, FOLDER, LINK] = [1, 2, 64];
const EXCLUDES = ["files.exclude", "search.exclude"] as const;
/** Settings that change what a file's bytes mean. */
const ENCODINGS = ["files.encoding", "files.autoGuessEncoding"] as const;

/**
 * Lists the files of the open workspace, through `vscode.workspace.fs`: local, remote and virtual folders, in the
 * desktop and in the web. With one folder paths are relative to it; with several they begin with the name of their
 * folder. Ignore files and {@link fileRules} apply as for {@link nodeFiles}, and so do the settings that exclude files
 * from the editor's own search. Files that are not Unicode are read in the encoding of `files.encoding`, in VS Code
 * 1.100 and later. Links are not followed.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { vscodeFiles } from "espalier/search";
 *
 * const source = vscodeFiles(vscode);
 * const paths: string[] = [];
 * for await (const { path } of source.list({ note: () => undefined })) paths.push(path);
 * paths.includes("src/app.ts"); // => true
 * ```
 *
 * @param vscode the module `vscode`
 * @throws EspalierError `bad_option`
 */
export function vscodeFiles(vscode: VsCodeApi, options: VsCodeFilesOptions = {}): FileSource {
  check(options, VSCODE_FILES);
  const workspace: VsCodeApi["workspace"] | undefined = vscode?.workspace;
  if (
    typeof workspace?.fs?.readDirectory !== "function" ||
    typeof workspace.fs.stat !== "function" ||
    typeof workspace.fs.readFile !== "function"
  ) {
    throw badOption("", "the module vscode, with workspace.fs", vscode, "vscode");
  }
  const { settings = true, unsaved = true, delayMs = DELAY_MS } = options;
  const rootsNow = (): (Root & { folder: VsCodeFolder })[] => {
    const folders = workspace.workspaceFolders ?? [];
    const names = prefixes(folders.map(({ name }) => name));
    const uris = new Set(folders.map(({ uri }) => uri.toString()));
    const documents = unsaved ? workspace.textDocuments.filter(({ isDirty }) => isDirty) : [];
    const dirty = new Map(documents.map((document) => [document.uri.toString(), document]));
    return folders.map((folder, at) => ({
      folder,
      prefix: names[at]!,
      title: folder.uri.toString(),
      tree: treeOf(workspace, folder, {
        uris,
        dirty,
        excluded: settings ? excludedOf(workspace, folder) : () => false,
      }),
    }));
  };
  const usesIgnoreFiles = () =>
    (options.ignoreFiles ?? true) &&
    !(settings && workspace.getConfiguration?.("search").get("useIgnoreFiles") === false);
  const source = sourceOf(rootsNow, options, usesIgnoreFiles);
  return {
    list: source.list,
    read: source.read,
    watch(onChange, onError = () => undefined) {
      const changes = watching(source, delayMs, onChange, onError);
      const listening = listen(vscode, { settings, unsaved }, rootsNow, changes.touch, (error) =>
        changes.failed("A folder is not watched", error),
      );
      return () => {
        changes.end();
        listening();
      };
    },
  };
}

interface Seen {
  uris: ReadonlySet<string>;
  dirty: ReadonlyMap<string, VsCodeDocument>;
  excluded: Excluded;
}

function treeOf(workspace: VsCodeApi["workspace"], { uri }: VsCodeFolder, { uris, dirty, excluded }: Seen): Tree {
  const { fs } = workspace;
  let encoding: string | undefined;
  const top = uri.path.replace(/\/$/, "");
  const at = (path: string) => (path === "" ? uri : uri.with({ path: `${top}/${path}` })) as never;
  const stat = async (file: string) => {
    const { type, size, mtime } = await fs.stat(at(file));
    if ((type & LINK) !== 0) throw new Noted("ignored", "a link, which is not followed");
    if ((type & FILE) === 0)
      throw new Noted("unreadable", (type & FOLDER) !== 0 ? "a folder" : "neither a file nor a folder");
    return { size, version: `${size}-${mtime}${(encoding ??= encodingOf(workspace, uri))}` };
  };
  return {
    async entries(folder) {
      const found = await fs.readDirectory(at(folder));
      const names = new Set(found.map(([name]) => name));
      return found.map(
        ([name, type]): TreeEntry => ({
          name,
          kind: kindOf(type),
          isExcluded: excluded(joined(folder, name), (sibling) => names.has(sibling)),
        }),
      );
    },
    async kind(path) {
      try {
        return kindOf((await fs.stat(at(path))).type);
      } catch (error) {
        if (noteOf(error).reason === "gone") return undefined;
        throw error;
      }
    },
    stat,
    async read(file) {
      const before = await stat(file);
      const bytes = await fs.readFile(at(file));
      return { bytes, ...before };
    },
    async decoded(file, bytes) {
      const text = await workspace.decode?.(bytes, { uri: at(file) });
      // The setting names another encoding than that of the file.
      return text?.includes("\uFFFD") ? undefined : text;
    },
    isRoot: (folder) => uris.has((at(folder) as VsCodeUri).toString()),
    edited(file) {
      const document = dirty.get((at(file) as VsCodeUri).toString());
      if (!document) return undefined;
      const text = document.getText();
      return { text, version: `unsaved-${text.length}-${contentVersion(text)}` };
    },
    async isExcluded(path) {
      let needsSiblings = false;
      if (excluded(path, () => (needsSiblings = true) && false)) return true;
      if (!needsSiblings) return false;
      const names = new Set(
        (await fs.readDirectory(at(path.slice(0, Math.max(0, path.lastIndexOf("/")))))).map(([name]) => name),
      );
      return excluded(path, (sibling) => names.has(sibling));
    },
  };
}

function kindOf(type: number): TreeEntry["kind"] {
  if ((type & LINK) !== 0) return "link";
  return (type & FOLDER) !== 0 ? "folder" : (type & FILE) !== 0 ? "file" : "other";
}

/** Returns what the encoding of a folder adds to versions: nothing for UTF-8. With another one files read otherwise. */
function encodingOf(workspace: VsCodeApi["workspace"], uri: VsCodeUri): string {
  if (!workspace.decode) return "";
  const files = workspace.getConfiguration?.("files", uri as never);
  const [encoding, isGuessed] = [files?.get("encoding"), files?.get("autoGuessEncoding")];
  const name = encoding === undefined || encoding === "utf8" ? "" : `-${String(encoding)}`;
  return isGuessed === true ? `${name}-guessed` : name;
}

/** Reads the settings of a folder on first use. */
function excludedOf(workspace: VsCodeApi["workspace"], { uri }: VsCodeFolder): Excluded {
  let made: Excluded | undefined;
  const make = () =>
    excluding(
      EXCLUDES.map((name) => {
        const [section, key] = name.split(".") as [string, string];
        const value = workspace.getConfiguration?.(section, uri as never).get(key);
        return typeof value === "object" && value !== null ? (value as Record<string, ExcludeValue>) : {};
      }),
    );
  return (path, siblings) => (made ??= make())(path, siblings);
}

/** Converts events of the editor to paths; "" for events that concern all of them. */
function listen(
  { workspace, RelativePattern }: VsCodeApi,
  { settings, unsaved }: { settings: boolean; unsaved: boolean },
  rootsNow: () => (Root & { folder: VsCodeFolder })[],
  touch: (path: string) => void,
  failed: (error: unknown) => void,
): () => void {
  let watchers: { dispose(): unknown }[] = [];
  const follow = () => {
    for (const watcher of watchers.splice(0)) watcher.dispose();
    watchers = rootsNow().flatMap(({ folder }) => {
      try {
        const watcher = workspace.createFileSystemWatcher(new RelativePattern(folder as never, "**/*") as never);
        const listeners = [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete].map((event) =>
          event.call(watcher, touchUri),
        );
        return [...listeners, watcher];
      } catch (error) {
        failed(error);
        return [];
      }
    });
  };
  const touchUri = (uri: VsCodeUri) => {
    const text = uri.toString();
    for (const { folder, prefix } of rootsNow()) {
      const top = folder.uri.path.replace(/\/$/, "");
      // Scheme and authority are compared through the whole URI, the path unescaped.
      if (uri.path.startsWith(`${top}/`) && folder.uri.with({ path: uri.path }).toString() === text)
        touch(joined(prefix, uri.path.slice(top.length + 1)));
    }
  };
  follow();
  const events = [
    workspace.onDidChangeWorkspaceFolders(() => {
      follow();
      touch("");
    }),
    ...(settings
      ? [
          workspace.onDidChangeConfiguration((event) => {
            if ([...EXCLUDES, ...ENCODINGS, "search.useIgnoreFiles"].some((name) => event.affectsConfiguration(name)))
              touch("");
          }),
        ]
      : []),
    ...(unsaved
      ? [
          workspace.onDidChangeTextDocument(({ document }) => touchUri(document.uri)),
          workspace.onDidCloseTextDocument((document) => touchUri(document.uri)),
        ]
      : []),
  ];
  return () => {
    for (const one of [...events, ...watchers.splice(0)]) one.dispose();
  };
}
