/** Storage of a page or worker. Every addition is a record of its own, so that additions never rewrite others. */

import { EspalierError } from "../errors/errors.ts";
import type { HostStorage } from "./storage.ts";

/** `indexedDB`, declared this way because the declarations of a Node project may not have its type. */
export interface IndexedDbLike {
  open(name: string, version?: number): unknown;
}

/** @throws EspalierError `bad_option` if the page may not even ask for it, as in a sandboxed frame */
function ownFactory(): IndexedDbLike | undefined {
  try {
    return globalThis.indexedDB;
  } catch (cause) {
    const message = "this page may not use IndexedDB";
    throw new EspalierError({ code: "bad_option", message, path: "factory", cause });
  }
}

/** Name of the store within the database. */
const STORE = "texts";

/**
 * Stores a conversation, or a search index, in a database of the browser.
 *
 * ```ts
 * import { openConversation } from "espalier";
 * import { indexedDbStorage } from "espalier/storage";
 *
 * const storage = indexedDbStorage("agent-session-7");
 * const conversation = await openConversation({ format: "openai-chat", storage });
 * conversation.append({ role: "user", content: "Fix the parser." }); // => ["m0"]
 * ```
 *
 * @param factory Default: the page's `indexedDB`.
 * @throws EspalierError `bad_option` if there is no IndexedDB, or the page may not use it
 */
export function indexedDbStorage(database: string, factory: IndexedDbLike | undefined = ownFactory()): HostStorage {
  if (typeof factory?.open !== "function")
    throw new EspalierError({ code: "bad_option", message: "there is no IndexedDB here", path: "factory" });
  let opened: Promise<IDBDatabase> | undefined;
  const forget = (connection: Promise<IDBDatabase>) => {
    if (opened === connection) opened = undefined;
  };
  const open = () => {
    if (opened) return opened;
    const connection = new Promise<IDBDatabase>((resolve, reject) => {
      const asked = (factory as IDBFactory).open(database, 1);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore(STORE, { keyPath: "at", autoIncrement: true }).createIndex("name", "name");
      };
      asked.onsuccess = () => {
        // Another tab that needs a newer version, or deletes the database, must not wait for this one.
        asked.result.onversionchange = () => {
          asked.result.close();
          forget(connection);
        };
        resolve(asked.result);
      };
      asked.onerror = () => reject(asked.error);
      asked.onblocked = () => reject(new Error("the database is blocked by another page"));
    });
    connection.catch(() => forget(connection));
    return (opened = connection);
  };
  /**
   * The browser closes connections when it clears the site's data, loses the files, or suspends the page: then the
   * database is opened again.
   */
  const begin = async (mode: IDBTransactionMode) => {
    const connection = open();
    const known = await connection;
    try {
      return known.transaction(STORE, mode);
    } catch {
      forget(connection);
      return (await open()).transaction(STORE, mode);
    }
  };
  /** Wraps a handler: what it throws would be an uncaught error of the page, and not that of the transaction. */
  type Guard = (run: () => void) => () => void;
  const within = async <R>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore, guard: Guard) => IDBRequest<R> | undefined,
  ): Promise<R | undefined> => {
    const transaction = await begin(mode);
    return new Promise((resolve, reject) => {
      const guard: Guard = (run) => () => {
        try {
          run();
        } catch (cause) {
          reject(cause);
          transaction.abort();
        }
      };
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was given up"));
      guard(() => {
        const request = work(transaction.objectStore(STORE), guard);
        transaction.oncomplete = () => resolve(request?.result);
      })();
    });
  };
  const clear = (store: IDBObjectStore, guard: Guard, name: string, then: () => void) => {
    const cursor = store.index("name").openCursor(IDBKeyRange.only(name));
    cursor.onsuccess = guard(() => {
      if (!cursor.result) return then();
      cursor.result.delete();
      cursor.result.continue();
    });
  };
  /** One transaction: the old record stays until the new one exists. */
  const replace = async (record: { name: string; text: string } | { name: string; bytes: Uint8Array }) => {
    await within(
      "readwrite",
      (store, guard) => (clear(store, guard, record.name, () => void store.add(record)), undefined),
    );
  };
  const records = (name: string) =>
    within("readonly", (store) => store.index("name").getAll(IDBKeyRange.only(name))) as Promise<
      { text?: string; bytes?: Uint8Array }[]
    >;
  return {
    async read(name) {
      const texts = (await records(name)).flatMap(({ text }) => (text === undefined ? [] : [text]));
      return texts.length === 0 ? undefined : texts.join("");
    },
    readBytes: async (name) => (await records(name)).find(({ bytes }) => bytes !== undefined)?.bytes,
    append: async (name, text) => void (await within("readwrite", (store) => store.add({ name, text }))),
    write: (name, text) => replace({ name, text }),
    writeBytes: (name, bytes) => replace({ name, bytes }),
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
    delete: async (name) =>
      void (await within("readwrite", (store, guard) => (clear(store, guard, name, () => {}), undefined))),
  };
}
