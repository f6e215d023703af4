/** The storage of a conversation. A host passes one of the adapters, or an object of its own with these methods. */

import { badOption } from "../errors/errors.ts";
import type { IndexStorage } from "../search/types.ts";

/**
 * Text files by name (`log.jsonl`, `checkpoints/001-parser.md`). Methods may throw, hang or run out of space: the
 * conversation continues and emits a `warning`.
 *
 * ```ts
 * import { openConversation } from "espalier";
 * import type { ConversationStorage } from "espalier/storage";
 *
 * const files = new Map<string, string>();
 * const storage: ConversationStorage = {
 *   read: (name) => files.get(name),
 *   append: (name, text) => void files.set(name, (files.get(name) ?? "") + text),
 *   write: (name, text) => void files.set(name, text),
 *   list: (prefix) => [...files.keys()].filter((name) => name.startsWith(prefix)),
 *   delete: (name) => void files.delete(name),
 * };
 * const conversation = await openConversation({ format: "openai-chat", storage });
 * conversation.append({ role: "user", content: "Fix the parser." });
 * await conversation.dispose();
 * files.has("log.jsonl"); // => true
 * ```
 */
export interface ConversationStorage {
  /** Returns the text under a name, or nothing if there is none. */
  read(name: string): Promise<string | undefined> | string | undefined;
  /** Appends to the text under a name, and makes sure that it stays. */
  append(name: string, text: string): Promise<void> | void;
  /** Replaces the text under a name, atomically if the place can do that. */
  write(name: string, text: string): Promise<void> | void;
  /** Returns all names with this prefix, in any order. */
  list(prefix: string): Promise<string[]> | string[];
  /** Deletes a text; does nothing if there is none. */
  delete(name: string): Promise<void> | void;
}

/** Stores conversations, as texts, and search indexes, as bytes. */
export interface HostStorage extends ConversationStorage, IndexStorage {
  list(prefix: string): Promise<string[]> | string[];
  delete(name: string): Promise<void> | void;
}

/** Stores texts and bytes in memory: for tests, and to move a conversation from one place to another. */
export function memoryStorage(
  texts: Map<string, string> = new Map(),
  bytes: Map<string, Uint8Array> = new Map(),
): HostStorage {
  if (!(texts instanceof Map)) throw badOption("", "a Map of texts by name", texts, "texts");
  if (!(bytes instanceof Map)) throw badOption("", "a Map of bytes by name", bytes, "bytes");
  return {
    read: (name) => texts.get(name),
    append: (name, text) => void texts.set(name, (texts.get(name) ?? "") + text),
    write: (name, text) => void texts.set(name, text),
    readBytes: (name) => bytes.get(name)?.slice(),
    writeBytes: (name, value) => void bytes.set(name, value.slice()),
    list: (prefix) => [...new Set([...texts.keys(), ...bytes.keys()])].filter((name) => name.startsWith(prefix)),
    delete(name) {
      texts.delete(name);
      bytes.delete(name);
    },
  };
}
