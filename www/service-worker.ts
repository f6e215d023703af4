/**
 * Caches the playground's own files for times without a server. It always asks the server first, so that it never shows
 * old files while there are new ones; it ignores other addresses of the same host.
 */

import { LATER, STORE } from "./offline.ts";

/** All files of the playground; the build fills them in. */
declare const FILES: readonly string[];

const self = globalThis as unknown as {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  registration: { scope: string };
  addEventListener(type: string, listener: (event: Occasion) => void): void;
};

interface Occasion {
  request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

const path = (url: string) =>
  url.startsWith(self.registration.scope)
    ? url.slice(self.registration.scope.length).replace(/[?#].*$/, "") || "index.html"
    : undefined;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(STORE)
      .then((cache) => cache.addAll(FILES.filter((file) => !LATER.test(file))))
      .then(() => self.skipWaiting()),
  );
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const file = event.request.method === "GET" ? path(event.request.url) : undefined;
  if (file !== undefined && FILES.includes(file)) event.respondWith(answer(event.request, file));
});

async function answer(request: Request, file: string): Promise<Response> {
  const cache = await caches.open(STORE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(file, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(file);
    if (kept) return kept;
    throw error;
  }
}
