/**
 * Watchers of Node's file system: one for each searched folder, or one for each root if the system watches recursively.
 */

import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { join, sep } from "node:path";
import { judgeOf } from "./rules.ts";
import type { SourceOptions } from "./rules.ts";
import { joined } from "./tree.ts";
import type { Root } from "./tree.ts";
import { walk } from "./walk.ts";
import type { Watching } from "./watching.ts";

type FolderRoot = Root & { folder: string };

/** Elsewhere Node emulates it with a watcher for every file, including ignored ones. */
const IS_RECURSIVE = process.platform === "darwin" || process.platform === "win32";

/** Watches the folders of the roots until the returned function is called. */
export function watchFolders(
  rootsNow: () => Promise<FolderRoot[]>,
  options: SourceOptions,
  changes: Watching,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  let isEnded = false;
  const follow = (root: FolderRoot, folder: string, recursive: boolean) => {
    const path = join(root.folder, folder);
    if (isEnded || watchers.has(path)) return;
    const touch = (name: string) => changes.touch(joined(root.prefix, joined(folder, name.split(sep).join("/"))));
    try {
      const watcher = watch(path, { recursive, persistent: false }, (event, name) => {
        if (name === null) return changes.touch("");
        touch(name);
        if (recursive) return;
        if (name === ".gitignore" || name === ".ignore") void followAll(root, folder).catch(failed);
        else if (event === "rename") void followBelow(root, joined(folder, name)).catch(failed);
      });
      watchers.set(path, watcher);
      watcher.on("error", (error) => {
        close(path);
        // Deleting a folder ends its watcher.
        if (!isMissing(error)) changes.failed(`${path} is not watched any more`, error);
      });
    } catch (error) {
      if (isMissing(error)) return;
      changes.failed(`${path} is not watched`, error);
    }
  };
  const failed = (error: unknown) => changes.failed("A new folder is not watched", error);
  const close = (path: string) => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  /** Updates the watchers for a new folder, or for one that vanished with its contents. */
  const followBelow = async (root: FolderRoot, folder: string) => {
    const path = join(root.folder, folder);
    for (const one of watchers.keys()) if (one === path || one.startsWith(path + sep)) close(one);
    if ((await root.tree.kind(folder).catch(() => undefined)) !== "folder") return;
    await followAll(root, folder);
    // Files that were created before their folder was watched have no event.
    changes.touch(joined(root.prefix, folder));
  };
  const { ignoreFiles = true, rules } = options;
  const walking = { judge: judgeOf(rules), ignoreFiles, note: () => undefined, foldersOnly: true };
  const followAll = async (root: FolderRoot, from: string) => {
    const onFolder = (folder: string) => follow(root, folder, false);
    for await (const _ of walk(root, { ...walking, onFolder }, from));
  };
  void (async () => {
    try {
      for (const root of await rootsNow()) {
        if (IS_RECURSIVE) follow(root, "", true);
        else await followAll(root, "");
      }
      // Finds changes between the last list and now.
      changes.touch("");
    } catch (error) {
      changes.failed("The folders are not watched", error);
    }
  })();
  return () => {
    isEnded = true;
    for (const path of [...watchers.keys()]) close(path);
  };
}

const isMissing = (error: unknown) => /^(?:ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "");
