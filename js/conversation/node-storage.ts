/** Storage in a folder, for Node. */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { EspalierError } from "../errors/errors.ts";
import type { HostStorage } from "./storage.ts";

/** Conversations are confidential: only the owner may read the files and folders that are created here. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Stores a conversation, or a search index, in a folder: the log as append-only JSON lines, checkpoints as Markdown.
 * Appended text is on the disk when `append` resolves; a file is replaced atomically. Files are created with mode 0600,
 * folders with 0700. Symbolic links below the folder are refused (`bad_input`): with write access to the folder they
 * could otherwise redirect reads and writes to other files.
 *
 * ```ts
 * import { join } from "node:path";
 * import { openConversation } from "espalier";
 * import { nodeStorage } from "espalier/storage";
 *
 * const storage = nodeStorage(join("sessions", "7"));
 * const conversation = await openConversation({ format: "openai-chat", storage });
 * conversation.append({ role: "user", content: "Fix the parser." });
 * await conversation.dispose();
 * /Fix the parser/.test((await storage.read("log.jsonl")) ?? ""); // => true
 * ```
 */
export function nodeStorage(folder: string): HostStorage {
  if (typeof folder !== "string" || folder === "")
    throw new EspalierError({ code: "bad_option", message: "nodeStorage needs the path of a folder", path: "folder" });
  const root = resolve(folder);
  const prefix = root.endsWith(sep) ? root : root + sep;
  const refused = (name: unknown, why: string) =>
    new EspalierError({ code: "bad_input", message: `${JSON.stringify(name)} ${why}`, path: "name" });
  /** Returns the path of a name; no part of it below the folder may be a link. */
  const at = async (name: string) => {
    if (typeof name !== "string" || name === "" || name.includes("\0")) throw refused(name, "is no name of a file");
    const path = resolve(root, name);
    if (path === root || /[/\\]$/.test(name)) throw refused(name, "names a folder; the name of a file is needed");
    if (!path.startsWith(prefix)) throw refused(name, "is outside the folder");
    let part = root;
    for (const step of path.slice(prefix.length).split(sep)) {
      part = join(part, step);
      const stats = await lstat(part).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (stats === undefined) break;
      if (stats.isSymbolicLink()) throw refused(name, "is, or goes through, a symbolic link");
    }
    return path;
  };
  const isMissing = (error: unknown) => (error as { code?: unknown } | null)?.code === "ENOENT";
  // Does not follow a link that was created after the check. Windows has no such flag.
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = constants;
  const put = async (path: string, flag: number, content: string | Uint8Array) => {
    const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | flag, FILE_MODE);
    try {
      await file.writeFile(content);
      // Bytes belong to an index, which has checksums and can be rebuilt.
      if (typeof content === "string") await file.sync();
    } finally {
      await file.close();
    }
  };
  const replace = async (name: string, content: string | Uint8Array) => {
    const path = await at(name);
    await folderOf(path);
    // A name of its own: another process may replace the same file at this moment.
    const made = `${path}.${randomUUID()}.new`;
    try {
      await put(made, O_EXCL, content);
      await rename(made, path);
    } catch (error) {
      await rm(made, { force: true });
      throw error;
    }
  };
  const get = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  const folderOf = (path: string) => mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  return {
    read: (name) => get(async () => readFile(await at(name), { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW })),
    readBytes: (name) =>
      get(async () => new Uint8Array(await readFile(await at(name), { flag: O_RDONLY | O_NOFOLLOW }))),
    async append(name, text) {
      const path = await at(name);
      await folderOf(path);
      await put(path, O_APPEND, text);
    },
    write: replace,
    writeBytes: replace,
    async list(start) {
      // The folder that contains all such names.
      const from = resolve(root, start.slice(0, start.lastIndexOf("/") + 1));
      if (from !== root && !from.startsWith(prefix)) throw refused(start, "is outside the folder");
      try {
        const found = await readdir(from, { recursive: true, withFileTypes: true });
        const names = found.flatMap((entry) =>
          entry.isFile()
            ? [
                relative(root, join(entry.parentPath ?? entry.path, entry.name))
                  .split(sep)
                  .join("/"),
              ]
            : [],
        );
        return names.filter((name) => name.startsWith(start));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    delete: async (name) => rm(await at(name), { force: true }),
  };
}
