/** Keeps the playground usable without a server after the first visit: a service worker keeps fetched files. */

/** Name of the cache. */
export const STORE = "espalier-playground";
/** Files that are too large to be cached before they are needed. */
export const LATER = /(^|\/)(grammars|vocab|repository)\//;

/** Registers the service worker, if the browser has one. */
export function stayOffline(): void {
  // Not allowed everywhere (plain http, private windows): the page then needs its server.
  navigator.serviceWorker?.register("service-worker.js").catch(() => undefined);
}

/**
 * Caches the large files that were fetched here, in a page or a worker, before a service worker could do it; and
 * `others`, fetched by a worker that cannot call this.
 */
export async function keepFetched(others: readonly string[] = []): Promise<void> {
  try {
    const store = await caches.open(STORE);
    const fetched = performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => name.startsWith(origin) && LATER.test(name));
    for (const name of [...fetched, ...others]) if (!(await store.match(name))) await store.add(name);
  } catch {
    // Without a cache, without room or without a server the page still works.
  }
}
