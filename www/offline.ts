/** After the first visit the playground needs no server: a service worker keeps what was fetched. */

/** Where it is kept. */
export const STORE = "espalier-playground";
/** Files that are too large to be kept before somebody wants them. */
export const LATER = /(^|\/)(grammars|vocab|repository)\//;

/** Registers the service worker, where there can be one. */
export function stayOffline(): void {
  // Not everywhere allowed (plain http, private windows): then there just is no page without a server.
  navigator.serviceWorker?.register("service-worker.js").catch(() => undefined);
}

/**
 * Keeps the large files that were fetched here, in a page or a worker, while no service worker was there to do it; and
 * `others`, which a worker fetched that cannot call this.
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
    // No store, no room, or the server is gone already: the page works on.
  }
}
