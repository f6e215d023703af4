/** Storage in a folder, for Node. */

import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { EspalierError } from "../errors.ts";
import type { ConversationStorage } from "./storage.ts";

/**
 * Keeps a conversation in a folder: the log as JSON lines that are only ever added to, checkpoints as Markdown. What was added is on the
 * disk when `append` is done; a file that is replaced is replaced whole.
 *
 * ```js
 * const storage = nodeStorage(join(homedir(), ".agent", "session-7"));
 * ```
 */
export function nodeStorage(folder: string): ConversationStorage {
  if (typeof folder !== "string" || folder === "") throw new EspalierError({ code: "bad_option", message: "nodeStorage needs the path of a folder", path: "folder" });
  const root = resolve(folder);
  const at = (name: string) => {
    const path = resolve(root, name);
    if (path !== root && !path.startsWith(root + sep)) throw new EspalierError({ code: "bad_input", message: `${JSON.stringify(name)} is outside the folder`, path: "name" });
    return path;
  };
  const isMissing = (error: unknown) => (error as { code?: unknown } | null)?.code === "ENOENT";
  const put = async (path: string, flags: "a" | "w", text: string) => {
    const file = await open(path, flags);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  };
  const folderOf = (path: string) => mkdir(dirname(path), { recursive: true });
  return {
    async read(name) {
      try {
        return await readFile(at(name), "utf8");
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async append(name, text) {
      const path = at(name);
      await folderOf(path);
      await put(path, "a", text);
    },
    async write(name, text) {
      const path = at(name);
      await folderOf(path);
      await put(`${path}.new`, "w", text);
      await rename(`${path}.new`, path);
    },
    async list(prefix) {
      // The folder that all such names are in.
      const from = join(root, prefix.slice(0, prefix.lastIndexOf("/") + 1));
      try {
        const found = await readdir(from, { recursive: true, withFileTypes: true });
        const names = found.flatMap((entry) => (entry.isFile() ? [relative(root, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/")] : []));
        return names.filter((name) => name.startsWith(prefix));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    delete: (name) => rm(at(name), { force: true }),
  };
}
