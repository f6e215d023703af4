/** After the first visit the playground needs no server: a service worker keeps what was fetched. */

/** Where it is kept. */
export const STORE = "espalier-playground";
/** Files that are too large to be kept before somebody wants them. */
export const LATER = /(^|\/)(grammars|vocab)\//;

/** Registers the service worker, where there can be one. */
export function stayOffline(): void {
  // Not everywhere allowed (plain http, private windows): then there just is no page without a server.
  navigator.serviceWorker?.register("service-worker.js").catch(() => undefined);
}

/** Keeps the large files that were fetched here, in a page or a worker, while no service worker was there to do it. */
export async function keepFetched(): Promise<void> {
  try {
    const store = await caches.open(STORE);
    for (const { name } of performance.getEntriesByType("resource")) {
      if (name.startsWith(origin) && LATER.test(name) && !(await store.match(name))) await store.add(name);
    }
  } catch {
    // No store, no room, or the server is gone already: the page works on.
  }
}
