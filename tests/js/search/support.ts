/** An index of the built package, in this thread or in a worker, over files that a test can change. */

import { Worker } from "node:worker_threads";
import type * as Search from "../../../js/entries/search.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/search-node.js";

export const search = bundle as typeof Search;
export const { openIndex, memoryStorage } = search;
export type {
  FileNote,
  FileSource,
  IndexOptions,
  IndexReport,
  IndexStorage,
  IndexWarning,
  WorkspaceIndex,
} from "../../../js/search/types.ts";
import type { FileNote, FileSource, IndexStorage, WorkspaceIndex } from "../../../js/search/types.ts";
import type { WorkerLike } from "../../../js/tokens/worker-like.ts";

/** The script of a test's worker: it also dies on demand. */
const script = `
  import { parentPort } from "node:worker_threads";
  import { serve } from ${JSON.stringify(new URL("../../../pkg/dist/search-worker.js", import.meta.url).href)};
  const port = { postMessage: (message) => parentPort.postMessage(message), onmessage: null };
  parentPort.on("message", (data) => data === "die" ? process.exit(3) : port.onmessage({ data }));
  serve(port);
`;

/** A worker of Node, in the shape of a browser's. */
export function nodeWorker(): WorkerLike {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const like: WorkerLike = {
    postMessage: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    onmessage: null,
    onerror: null,
    on: (event, listener) => worker.on(event, listener),
  };
  worker.on("message", (data) => like.onmessage?.({ data }));
  worker.on("error", (error) => like.onerror?.(error));
  return like;
}

/** Both ways to run an index. */
export const PLACES: [string, { worker?: () => WorkerLike }][] = [
  ["this thread", {}],
  ["a worker", { worker: nodeWorker }],
];

/** Files that a test changes; reads are counted. */
export class Files implements FileSource {
  readonly files = new Map<string, { text: string; version: string }>();
  readonly notes: FileNote[] = [];
  reads: string[] = [];
  private changed: ((paths: readonly string[]) => void) | undefined;
  private next = 1;

  constructor(files: Record<string, string> = {}) {
    for (const [path, text] of Object.entries(files)) this.set(path, text);
  }

  set(path: string, text: string): void {
    this.files.set(path, { text, version: `v${this.next++}` });
    this.changed?.([path]);
  }

  delete(path: string): void {
    this.files.delete(path);
    this.changed?.([path]);
  }

  async *list({ note }: { note: (note: FileNote) => void }): AsyncIterable<{ path: string; version: string }> {
    for (const one of this.notes) note(one);
    for (const [path, { version }] of this.files) yield { path, version };
  }

  async read(path: string): Promise<{ text: string; version: string } | FileNote> {
    this.reads.push(path);
    const file = this.files.get(path);
    return file ? { ...file } : { path, reason: "gone" };
  }

  watch(onChange: (paths: readonly string[]) => void): () => void {
    this.changed = onChange;
    return () => (this.changed = undefined);
  }
}

/** A map as a storage. */
export class Blobs implements IndexStorage {
  readonly blobs: Map<string, Uint8Array>;

  constructor(blobs: Map<string, Uint8Array> = new Map()) {
    this.blobs = blobs;
  }

  copy(): Blobs {
    return new Blobs(new Map([...this.blobs].map(([name, bytes]) => [name, bytes.slice()])));
  }

  readBytes(name: string): Promise<Uint8Array | undefined> | Uint8Array | undefined {
    return this.blobs.get(name)?.slice();
  }

  writeBytes(name: string, bytes: Uint8Array): Promise<void> | void {
    this.blobs.set(name, bytes.slice());
  }

  list(prefix: string): string[] {
    return [...this.blobs.keys()].filter((name) => name.startsWith(prefix));
  }

  delete(name: string): Promise<void> | void {
    this.blobs.delete(name);
  }
}

const WORDS =
  "oak whale retry parser budget chunk token window cache index summary branch river stone light cloud engine worker storage query".split(
    " ",
  );

/** Numbers below 2^32, the same for the same seed. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function text(pick: (below: number) => number, lines: number): string {
  const line = () => Array.from({ length: 3 + pick(8) }, () => WORDS[pick(WORDS.length)]).join(" ");
  return Array.from({ length: lines }, line).join("\n");
}

/** Returns the answers of an index, without times and revisions. */
export async function answers(index: WorkspaceIndex): Promise<unknown> {
  const found = [];
  for (const query of ["oak whale", "retry the parser", "storage of the index worker", "nothing-of-this"]) {
    const { hits } = await index.search(query, { maxResults: 30, fullWorkspace: false });
    found.push(
      hits.map(({ path, start, end, score, text }) => ({ path, start, end, score: Number(score.toFixed(9)), text })),
    );
  }
  const { files, chunks } = await index.state();
  return { found, files, chunks };
}
