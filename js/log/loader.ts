/** Loads the engine that finds messages: a separate module, loaded when a search first needs it. */

import { EspalierError } from "../errors/errors.ts";
import type { FoundRound, IndexedMessage } from "../search/message-index.ts";

/** An index over messages, as `openMessageIndex` of "espalier/search" returns it. */
export interface MessageIndexLike {
  readonly isUsable: boolean;
  put(messages: readonly IndexedMessage[]): void;
  remove(ids: readonly string[]): void;
  search(query: string, options: { maxResults: number }): FoundRound[];
  free(): void;
}

/** The part of "espalier/search" that a conversation uses. */
export interface SearchModule {
  openMessageIndex(): Promise<MessageIndexLike>;
}

/** Loads "espalier/search": `() => import("espalier/search")`. */
export type SearchLoader = () => Promise<SearchModule>;

let ours: (() => Promise<unknown>) | undefined;

/** Registers how the package loads its own module, if it can. */
export function setSearchLoader(load: () => Promise<unknown>): void {
  ours = load;
}

/** @throws EspalierError `search_not_loaded` */
export async function loadIndex(own: SearchLoader | undefined): Promise<MessageIndexLike> {
  const load = own ?? ours;
  if (!load)
    throw notLoaded(
      "search needs an engine of its own: pass a function that imports espalier/search as options.search",
    );
  let found: unknown;
  try {
    found = await load();
  } catch (cause) {
    throw notLoaded(
      `espalier/search could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  const open = moduleOf(found)?.openMessageIndex;
  if (!open) throw notLoaded("options.search must load espalier/search, but the loaded module has no openMessageIndex");
  return open();
}

/** In CommonJS, exports may be on `default` alone. */
function moduleOf(found: unknown): SearchModule | undefined {
  const own = (value: unknown) =>
    typeof value === "object" && value !== null && typeof (value as SearchModule).openMessageIndex === "function";
  if (own(found)) return found as SearchModule;
  const inner = typeof found === "object" && found !== null ? (found as { default?: unknown }).default : undefined;
  return own(inner) ? (inner as SearchModule) : undefined;
}

function notLoaded(message: string, cause?: unknown): EspalierError {
  return new EspalierError({
    code: "search_not_loaded",
    message,
    path: "options.search",
    ...(cause !== undefined && { cause }),
  });
}
