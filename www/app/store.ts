/**
 * Keeps the reader's own files and edits in this browser (IndexedDB), so that they survive a reload. Where that is
 * refused or full the page works without, and says so once.
 */

import type { Part } from "../worker/questions.ts";
import { opened, say } from "./state.ts";
import type { From } from "./state.ts";

/** A kept file. */
export interface Kept {
  name: string;
  file: File;
  conversation?: number | undefined;
  part?: Part | undefined;
  time: number;
}

const NAME = "espalier-playground";
/** Own files that are kept; the oldest go first. */
const MAX_FILES = 5;
/** Larger files are not kept: a second copy of them is not worth its room. */
const MAX_BYTES = 200_000_000;

let database: Promise<IDBDatabase> | undefined;
let hasWarned = false;

function connect(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("files", { keyPath: "name" });
      asked.result.createObjectStore("logs");
    };
    asked.onsuccess = () => {
      // Another tab may have a newer version of this page.
      asked.result.onversionchange = () => asked.result.close();
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error("another tab holds it"));
  });
  database.catch(() => (database = undefined));
  return database;
}

async function within<T>(
  store: "files" | "logs",
  access: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await connect()).transaction(store, access);
  const asked = act(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? asked.error);
  });
}

/** Runs a write; if it fails, the page says so once. */
async function attempt(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (hasWarned) return;
    hasWarned = true;
    const isFull = (error as DOMException | null)?.name === "QuotaExceededError";
    const why = isFull ? "its storage is full" : "it does not allow storage";
    say(
      `This browser will not keep your file and edits after a reload, because ${why}. Everything else works; save them if you need them.`,
      true,
    );
  }
}

/** Returns the key under which the edits of an opened thing are kept. */
export function logKey(from: From): string | undefined {
  if ("example" in from) return `example:${from.example}`;
  return "file" in from ? `file:${from.file.name}:${from.file.size}` : undefined;
}

export function saveFile(kept: Omit<Kept, "time">): Promise<void> {
  if (kept.file.size > MAX_BYTES) return Promise.resolve();
  return attempt(async () => {
    await within("files", "readwrite", (files) => files.put({ ...kept, time: Date.now() } satisfies Kept));
    const all = await within<Kept[]>("files", "readonly", (files) => files.getAll());
    const old = all.sort((a, b) => b.time - a.time).slice(MAX_FILES);
    for (const { name } of old) await within("files", "readwrite", (files) => files.delete(name));
  });
}

export async function keptFile(name: string): Promise<Kept | undefined> {
  return within<Kept | undefined>("files", "readonly", (files) => files.get(name)).catch(() => undefined);
}

/** Names of the kept files, the newest first. */
export async function keptNames(): Promise<string[]> {
  const all = await within<Kept[]>("files", "readonly", (files) => files.getAll()).catch(() => []);
  return all.sort((a, b) => b.time - a.time).map(({ name }) => name);
}

/** Keeps the edits of what is open; an empty text removes them. */
export function saveLog(text: string): void {
  const key = opened.value && logKey(opened.value.from);
  if (!key) return;
  void attempt(() =>
    within("logs", "readwrite", (logs) => (text ? logs.put(text, key) : logs.delete(key)) as IDBRequest<unknown>),
  );
}

export async function keptLog(from: From): Promise<string | undefined> {
  const key = logKey(from);
  return key === undefined
    ? undefined
    : within<string | undefined>("logs", "readonly", (logs) => logs.get(key)).catch(() => undefined);
}
