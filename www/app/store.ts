/**
 * Keeps the reader's own files and edits in this browser (IndexedDB), so that they survive a reload. Where that is
 * refused or full the page works without, and says so until the reader has seen it or a later attempt succeeds.
 */

import { signal } from "@preact/signals";
import type { Part } from "../worker/questions.ts";
import { say } from "./state.ts";

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
/** Why something is not kept, until it is kept or the reader has dismissed this. */
export const warning = signal<string | undefined>(undefined);
/** What is not kept, and why. */
const lost = new Map<string, string>();

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

/** Says that something is not kept, once for all that is not kept for the same reason. */
export function notKept(what: string, why: string): void {
  const isSaid = [...lost.values()].includes(why);
  lost.set(what, why);
  if (isSaid) return;
  warning.value = why;
  say(why, true);
}

/** Runs the write of something; if it fails, the page says so. */
async function attempt(what: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
    if (lost.delete(what) && lost.size === 0) warning.value = undefined;
  } catch (error) {
    const isFull = (error as DOMException | null)?.name === "QuotaExceededError";
    const why = isFull ? "its storage is full" : "it does not allow storage";
    notKept(
      what,
      `This browser will not keep your file and edits after a reload, because ${why}. Everything else works; save them if you need them.`,
    );
  }
}

export async function saveFile(kept: Omit<Kept, "time">): Promise<void> {
  const { name, file } = kept;
  if (file.size > MAX_BYTES)
    return notKept(name, `${name} will not be here after a reload: it has more than ${MAX_BYTES / 1e6} MB.`);
  return attempt(name, async () => {
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

/** The log of a conversation, and a stamp of the write, by which another tab's is recognised. */
export interface KeptLog {
  text: string;
  stamp: string;
}

export function saveLog(key: string, log: KeptLog): Promise<void> {
  return attempt(`log ${key}`, () => within("logs", "readwrite", (logs) => logs.put(log, key)));
}

export async function keptLog(key: string): Promise<KeptLog | undefined> {
  const kept = await within<KeptLog | string | undefined>("logs", "readonly", (logs) => logs.get(key)).catch(
    () => undefined,
  );
  // Earlier versions kept the text alone.
  return typeof kept === "string" ? { text: kept, stamp: "" } : kept;
}
