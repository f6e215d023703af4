/** The searched files, with an index for each ranking that the reader chose. Runs in the worker of the view. */

import "../../js/entries/engines/workspace-web.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { FileSource, IndexProgress, WorkspaceIndex } from "../../js/search/types.ts";
import { openIndex } from "../../js/entries/search-list.ts";
import { indexedDbStorage } from "../../js/entries/storage-list.ts";
import type { Profile } from "../app/knobs.tsx";
import type { Progress } from "./protocol.ts";
import { definitionsOf } from "./definitions.ts";

/** Prefix of the databases with indexes. */
const DATABASE = "espalier-search";

export interface Opening {
  /** Names the place; its index is stored under it. */
  name: string;
  source: FileSource;
  encoding: EncodingName;
  /** True if chunks end at definitions, which requires grammars. */
  definitions: boolean;
}

interface Live {
  index: Promise<WorkspaceIndex>;
  progress: Progress;
  /** Stops following the changes of the files. */
  follow?: (() => void) | undefined;
}

export class Workspace {
  readonly #opening: Opening;
  readonly #hear: (progress: Progress) => void;
  readonly #live = new Map<Profile, Live>();
  readonly #end = new AbortController();

  /** `hear` is called whenever the state of an index changes. */
  constructor(opening: Opening, hear: (progress: Progress) => void) {
    this.#opening = opening;
    this.#hear = hear;
  }

  /** Returns the index of a ranking. Its files are indexed in the background; it can be searched meanwhile. */
  index(profile: Profile): Promise<WorkspaceIndex> {
    return (this.#live.get(profile) ?? this.#open(profile)).index;
  }

  progress(profile: Profile): Progress | undefined {
    return this.#live.get(profile)?.progress;
  }

  /** Returns true if all files are indexed. */
  isComplete(profile: Profile): boolean {
    const progress = this.progress(profile);
    return progress?.report !== undefined && progress.working === undefined;
  }

  /** Reads files that have changed since. */
  async again(): Promise<void> {
    await Promise.all([...this.#live.values()].map(async (live) => this.#sync(live, await live.index)));
  }

  /** Ends the workers. Stored indexes stay. */
  async dispose(): Promise<void> {
    this.#end.abort();
    for (const { index, follow } of this.#live.values()) {
      follow?.();
      await index.then(
        (live) => live.dispose(),
        () => undefined,
      );
    }
  }

  #open(profile: Profile): Live {
    const { name, source, encoding, definitions } = this.#opening;
    const chunks = definitions ? "definitions" : "lines";
    const storage = indexedDbStorage(`${DATABASE}:${profile}:${encoding}:${chunks}:${name}`);
    const index = openIndex({
      profile,
      source,
      storage,
      encoding,
      ...(definitions && { definitions: definitionsOf }),
    });
    const live: Live = { index, progress: { profile } };
    this.#live.set(profile, live);
    index.then(
      (opened) => this.#sync(live, opened),
      (error: unknown) => this.#say(live, { error: (error as Error).message }),
    );
    return live;
  }

  async #sync(live: Live, index: WorkspaceIndex): Promise<void> {
    const start = performance.now();
    const { signal } = this.#end;
    let asked = 0;
    const onProgress = (working: IndexProgress) => {
      this.#say(live, { working });
      const now = performance.now();
      if (now - asked < 500) return;
      asked = now;
      void index.state().then(
        (state) => this.#say(live, { state }),
        () => undefined,
      );
    };
    try {
      const report = await index.sync({ signal, onProgress });
      this.#say(live, { report, working: undefined, ms: performance.now() - start, state: await index.state() });
      live.follow ??=
        this.#opening.source.watch &&
        index.watch({
          onChange: () =>
            void index.state().then(
              (state) => this.#say(live, { state }),
              () => undefined,
            ),
          onError: (error) => this.#say(live, { error: (error as Error).message }),
        });
    } catch (error) {
      if (!signal.aborted) this.#say(live, { error: (error as Error).message, working: undefined });
    }
  }

  #say(live: Live, news: Partial<Progress>): void {
    if (this.#end.signal.aborted) return;
    Object.assign(live.progress, news);
    this.#hear(live.progress);
  }
}

/** Deletes all stored indexes; returns their number. */
export async function forgetStored(): Promise<number> {
  const all = await indexedDB.databases();
  const names = all.flatMap(({ name }) => (name?.startsWith(`${DATABASE}:`) ? [name] : []));
  for (const name of names) indexedDB.deleteDatabase(name);
  return names.length;
}
