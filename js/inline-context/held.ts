/** The engine's half of a session: made when needed, and made again after a crash. */

import { call } from "../engine/engine.ts";
import type { InlineFile } from "./types.ts";
import type { Settings } from "./options.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";

export type Handle = InstanceType<WorkspaceWasm["InlineSession"]>;

/** A file that is open in the session. */
export interface OpenFile extends Required<InlineFile> {
  version: number;
  /** True if its changes become recent edits. */
  isFollowed: boolean;
  /** Whether its name is one of files that probably contain secrets. */
  isSecret: boolean;
  /** True if the engine has this text as a neighbour's. */
  isSent: boolean;
  /** Time of the last change that the engine does not know: changes within the debounce time cross once. */
  changedMs?: number | undefined;
}

/** Max places that a new handle receives. */
const MAX_VISITS = 64;

/** Files and places of the session, and the engine's handle with a copy of them. */
export class Held {
  readonly files = new Map<string, OpenFile>();
  /** Increases with each handle: requests of an older handle are void. */
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

  /** Returns the live handle. A new one receives files and places again; recent edits and caches start empty. */
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

  /** Sends the texts that the engine lacks; the text of `current` crosses with the request. */
  send(current: string): void {
    const handle = this.handle();
    for (const file of this.files.values()) {
      if (file.isSent || file.path === current) continue;
      call(() => handle.putFile(file.path, file.language, file.scheme, file.text, file.focusedMs));
      file.isSent = true;
    }
  }

  /** Records a change for recent edits. Of several quick changes only the last one matters. */
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
    // A new handle already has the text.
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

  /** Frees the engine's memory; the next use makes another handle. */
  free(): void {
    // A crashed instance lost its memory, and must not be asked to free it, not even by the garbage collector.
    if (this.#handle && this.#instance === workspace()) this.#handle.free();
    else (this.#handle as { __destroy_into_raw?(): number } | undefined)?.__destroy_into_raw?.();
    this.#handle = undefined;
  }
}
