/** Storage of a page or worker. Every addition is a record of its own, so that none rewrites another. */

import { EspalierError } from "../errors.ts";
import type { ConversationStorage } from "./storage.ts";

/** `indexedDB`, said this way because the declarations of a Node project need not know its type. */
export interface IndexedDbLike {
  open(name: string, version?: number): unknown;
}

/** Name of the store within the database. */
const STORE = "texts";

/**
 * Keeps a conversation in a database of the browser's.
 *
 * ```ts
 * import { indexedDbStorage, openConversation } from "espalier";
 *
 * const storage = indexedDbStorage("agent-session-7");
 * const conversation = await openConversation({ format: "openai-chat", storage });
 * conversation.append({ role: "user", content: "Fix the parser." }); // => ["m0"]
 * ```
 *
 * @param factory Default: the page's `indexedDB`.
 * @throws EspalierError `bad_option` where there is no IndexedDB
 */
export function indexedDbStorage(database: string, factory: IndexedDbLike | undefined = globalThis.indexedDB): ConversationStorage {
  if (typeof factory?.open !== "function") throw new EspalierError({ code: "bad_option", message: "there is no IndexedDB here", path: "factory" });
  let opened: Promise<IDBDatabase> | undefined;
  const open = () => {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const asked = (factory as IDBFactory).open(database, 1);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore(STORE, { keyPath: "at", autoIncrement: true }).createIndex("name", "name");
      };
      asked.onsuccess = () => {
        // Another tab that needs a newer version, or deletes the database, must not wait for this one.
        asked.result.onversionchange = () => {
          asked.result.close();
          opened = undefined;
        };
        resolve(asked.result);
      };
      asked.onerror = () => reject(asked.error);
      asked.onblocked = () => reject(new Error("the database is blocked by another page"));
    }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const within = async <R>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<R> | undefined): Promise<R | undefined> => {
    const transaction = (await open()).transaction(STORE, mode);
    return new Promise((resolve, reject) => {
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was given up"));
    });
  };
  const clear = (store: IDBObjectStore, name: string, then: () => void) => {
    const cursor = store.index("name").openCursor(IDBKeyRange.only(name));
    cursor.onsuccess = () => {
      if (!cursor.result) return then();
      cursor.result.delete();
      cursor.result.continue();
    };
  };
  return {
    async read(name) {
      const records = (await within("readonly", (store) => store.index("name").getAll(IDBKeyRange.only(name)))) as { text: string }[];
      return records.length === 0 ? undefined : records.map(({ text }) => text).join("");
    },
    append: async (name, text) => void (await within("readwrite", (store) => store.add({ name, text }))),
    // One transaction: the old text is there until the new one is.
    write: async (name, text) => void (await within("readwrite", (store) => (clear(store, name, () => void store.add({ name, text })), undefined))),
    async list(prefix) {
      const names = new Set<string>();
      await within("readonly", (store) => {
        const cursor = store.index("name").openKeyCursor(null, "nextunique");
        cursor.onsuccess = () => {
          if (!cursor.result) return;
          const name = String(cursor.result.key);
          if (name.startsWith(prefix)) names.add(name);
          cursor.result.continue();
        };
        return undefined;
      });
      return [...names];
    },
    delete: async (name) => void (await within("readwrite", (store) => (clear(store, name, () => {}), undefined))),
  };
}
