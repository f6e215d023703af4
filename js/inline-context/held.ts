/** The engine's half of a session: made when it is needed, and made again after a crash. */

import { call } from "../engine/engine.ts";
import type { InlineFile } from "./types.ts";
import type { Settings } from "./options.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";

export type Handle = InstanceType<WorkspaceWasm["InlineSession"]>;

/** A file that is open in the session. */
export interface OpenFile extends Required<InlineFile> {
  version: number;
  /** Whether its changes become recent edits. */
  isFollowed: boolean;
  /** The engine has this text as a neighbour's. */
  isSent: boolean;
  /** The last change, if the engine does not know it: changes within the debounce time cross once. */
  changedMs?: number | undefined;
}

/** Places that a new handle gets, at most. */
const MAX_VISITS = 64;

/** Files and places as the session knows them, and the handle that has them, too. */
export class Held {
  readonly files = new Map<string, OpenFile>();
  /** Ascends with each handle: what an older one was asked for is void. */
  generation = 0;
  readonly #limits: Settings;
  readonly #debounceMs: number;
  #visits: [path: string, line: number, now: number][] = [];
  #handle: Handle | undefined;
  #instance: WorkspaceWasm | undefined;

  constructor(limits: Settings, debounceMs: number) {
    this.#limits = limits;
    this.#debounceMs = debounceMs;
  }

  /** The live handle. A new one gets files and places again; recent edits and caches begin anew. */
  handle(): Handle {
    const instance = workspace();
    if (this.#handle && this.#instance === instance) return this.#handle;
    this.free();
    const { json, encoding, tokenizer } = this.#limits;
    const handle = call(() => new instance.InlineSession(json, encoding, tokenizer));
    this.#handle = handle;
    this.#instance = instance;
    this.generation += 1;
    for (const file of this.files.values()) {
      file.isSent = false;
      file.changedMs = undefined;
      if (file.isFollowed) call(() => handle.openEdits(file.path, file.text));
    }
    for (const [path, line, now] of this.#visits) call(() => handle.visit(path, line, now));
    return handle;
  }

  /** Sends the texts that the engine does not have; that of `current` crosses with the request. */
  send(current: string): void {
    const handle = this.handle();
    for (const file of this.files.values()) {
      if (file.isSent || file.path === current) continue;
      call(() => handle.putFile(file.path, file.language, file.scheme, file.text, file.focusedMs));
      file.isSent = true;
    }
  }

  /** Records a change for recent edits. Only the last of changes that follow each other quickly matters. */
  change(file: OpenFile, text: string, now: number): void {
    const isLater = file.changedMs !== undefined && now - file.changedMs >= this.#debounceMs;
    if (isLater) this.#flush(file);
    for (const other of this.files.values()) {
      if (other !== file && other.changedMs !== undefined) this.#flush(other);
    }
    file.text = text;
    file.isSent = false;
    if (file.isFollowed) file.changedMs = now;
  }

  /** Sends the changes that are old enough to be edits. */
  settle(now: number): void {
    for (const file of this.files.values()) {
      if (file.changedMs !== undefined && now - file.changedMs >= this.#debounceMs) this.#flush(file);
    }
  }

  #flush(file: OpenFile): void {
    const now = file.changedMs!;
    const handle = this.handle();
    // A handle that was just made knows the text already.
    if (file.changedMs === undefined) return;
    call(() => handle.changeEdits(file.path, file.text, now));
    file.changedMs = undefined;
  }

  visit(path: string, line: number, now: number): void {
    const handle = this.handle();
    call(() => handle.visit(path, line, now));
    this.#visits.push([path, line, now]);
    if (this.#visits.length > MAX_VISITS) this.#visits = this.#visits.slice(-MAX_VISITS / 2);
  }

  /** Gives back the engine's memory; the next use makes another handle. */
  free(): void {
    // An instance that crashed took its memory with it, and must not be asked to free it, not even by the garbage
    // collector.
    if (this.#handle && this.#instance === workspace()) this.#handle.free();
    else (this.#handle as { __destroy_into_raw?(): number } | undefined)?.__destroy_into_raw?.();
    this.#handle = undefined;
  }
}
