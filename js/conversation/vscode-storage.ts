/** Storage of an extension of VS Code. Nothing of VS Code is imported: its objects are recognised by their shape. */

import { EspalierError } from "../errors/errors.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { piecewise, withBytes } from "./pieces.ts";
import type { HostStorage } from "./storage.ts";
import { append } from "../formats/append.ts";

/** `context.workspaceState` or `context.globalState`. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
  keys(): readonly string[];
}

/**
 * Stores a conversation in a memento, under keys that begin with `prefix`. For small conversations, and indexes of up
 * to some hundred files: VS Code writes all of a memento at once.
 *
 * ```ts
 * import type { ExtensionContext } from "vscode";
 * import { openConversation } from "espalier";
 * import { mementoStorage } from "espalier/storage";
 *
 * const open = ({ workspaceState }: Pick<ExtensionContext, "workspaceState">, session: string) =>
 *   openConversation({ format: "openai-chat", storage: mementoStorage(workspaceState, `chat/${session}/`) });
 *
 * const state = new Map<string, unknown>(); // VS Code passes such a state to `activate`
 * const workspaceState = {
 *   get: (key: string) => state.get(key) as any, keys: () => [...state.keys()],
 *   update: async (key: string, value: unknown) => void state.set(key, value),
 * };
 * const conversation = await open({ workspaceState }, "7");
 * conversation.append({ role: "user", content: "Fix the parser." });
 * await conversation.dispose();
 * [...state.keys()].every((key) => key.startsWith("chat/7/")); // => true
 * ```
 */
export function mementoStorage(memento: MementoLike, prefix: string): HostStorage {
  if (
    typeof memento?.get !== "function" ||
    typeof memento.update !== "function" ||
    typeof memento.keys !== "function"
  ) {
    throw new EspalierError({
      code: "bad_option",
      message: "mementoStorage needs an object with get, update and keys",
      path: "memento",
    });
  }
  if (typeof prefix !== "string")
    throw new EspalierError({ code: "bad_option", message: "the prefix of the keys must be a text", path: "prefix" });
  const get = async (key: string) => {
    const value = memento.get(prefix + key);
    return typeof value === "string" ? value : undefined;
  };
  const set = async (key: string, text: string) => void (await memento.update(prefix + key, text));
  const keys = async () => memento.keys().flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  const remove = async (key: string) => void (await memento.update(prefix + key, undefined));
  return withBytes(piecewise({ get, set, keys, remove }), {
    async get(key) {
      const text = await get(key);
      return text === undefined ? undefined : fromBase64(text);
    },
    set: (key, bytes) => set(key, toBase64(bytes)),
    keys,
    remove,
  });
}

/** The used part of a `vscode.Uri`. */
export interface UriLike {
  readonly path: string;
  with(change: { path: string }): UriLike;
}

/** `vscode.workspace.fs`. */
export interface FileSystemLike<U extends UriLike> {
  readFile(uri: U): PromiseLike<Uint8Array>;
  writeFile(uri: U, content: Uint8Array): PromiseLike<void>;
  readDirectory(uri: U): PromiseLike<readonly (readonly [string, number])[]>;
  createDirectory(uri: U): PromiseLike<void>;
  delete(uri: U): PromiseLike<void>;
  rename(from: U, to: U, options: { overwrite: boolean }): PromiseLike<void>;
}

/** Suffix of the name of an incomplete file. */
const NEW = ".new";
/** `FileType.Directory`. */
const FOLDER = 2;

/**
 * Stores a conversation, or a search index, in a folder, through `vscode.workspace.fs`: works in web extensions and on
 * remote workspaces. Files cannot be appended to there, so the log is kept in pieces of about 64 kB; a piece is written
 * beside the old one and replaces it when complete. Only one such storage may write to a folder at a time; another
 * conversation that is opened over it takes it over.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { openConversation } from "espalier";
 * import { workspaceStorage } from "espalier/storage";
 *
 * const folder = vscode.Uri.joinPath(vscode.Uri.file(process.cwd()), "sessions", "7"); // below `context.storageUri`
 * const storage = workspaceStorage(vscode.workspace.fs, folder);
 * const conversation = await openConversation({ format: "openai-chat", storage });
 * conversation.append({ role: "user", content: "Fix the parser." });
 * await conversation.dispose();
 * (await vscode.workspace.fs.readDirectory(folder)).length > 0; // => true
 * ```
 */
export function workspaceStorage<U extends UriLike>(fs: FileSystemLike<U>, folder: U): HostStorage {
  for (const method of ["readFile", "writeFile", "readDirectory", "createDirectory", "delete", "rename"] as const) {
    if (typeof fs?.[method] !== "function")
      throw new EspalierError({
        code: "bad_option",
        message: `workspaceStorage needs a file system with ${method}`,
        path: "fs",
      });
  }
  const at = (name: string) =>
    folder.with({ path: name === "" ? folder.path : `${folder.path.replace(/\/$/, "")}/${name}` }) as U;
  const isMissing = (error: unknown) =>
    /FileNotFound|EntryNotFound|ENOENT/.test(`${(error as { code?: unknown })?.code} ${String(error)}`);
  const made = new Set<string>();
  const files = async (within: string): Promise<string[]> => {
    let entries: readonly (readonly [string, number])[];
    try {
      entries = await fs.readDirectory(at(within));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const names: string[] = [];
    for (const [name, type] of entries) {
      const path = within === "" ? name : `${within}/${name}`;
      if ((type & FOLDER) !== 0) append(names, await files(path));
      else names.push(path);
    }
    return names;
  };
  const place = {
    async get(key: string): Promise<Uint8Array | undefined> {
      try {
        return await fs.readFile(at(key));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async set(key: string, bytes: Uint8Array): Promise<void> {
      const within = key.includes("/") ? key.slice(0, key.lastIndexOf("/")) : "";
      if (!made.has(within)) await fs.createDirectory(at(within));
      made.add(within);
      await fs.writeFile(at(key + NEW), bytes);
      await fs.rename(at(key + NEW), at(key), { overwrite: true });
    },
    keys: async () => (await files("")).filter((name) => !name.endsWith(NEW)),
    async remove(key: string): Promise<void> {
      try {
        await fs.delete(at(key));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
  const texts = piecewise({
    ...place,
    async get(key) {
      const bytes = await place.get(key);
      return bytes && new TextDecoder().decode(bytes);
    },
    set: (key, text) => place.set(key, new TextEncoder().encode(text)),
  });
  return withBytes(texts, place);
}
