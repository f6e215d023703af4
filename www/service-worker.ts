/**
 * Caches the playground's own files for times without a server. It asks the server first, so that it does not show
 * old files while there are new ones; it ignores other addresses of the same host.
 */

import { LATER, STORE } from "./offline.ts";

/** Milliseconds that the server has for a file that is cached: some networks drop requests, which then never fail. */
const PATIENCE_MS = 4_000;
/** Milliseconds after that in which cached files are used at once: a page asks for dozens of files in several steps. */
const SILENCE_MS = 30_000;
let silentUntil = 0;

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
  if (file === undefined || !FILES.includes(file)) return;
  event.respondWith(Date.now() < silentUntil ? keptOr(file, () => fetchAndKeep(event, file)) : answer(event, file));
});

/** Fetches a file. A cache without room, or that is forbidden, does not keep it; the page gets it all the same. */
function fetchAndKeep(event: Occasion, file: string): Promise<Response> {
  const fetched = fetch(event.request);
  const copied = fetched.then((response) => (response.ok ? response.clone() : undefined));
  const store = async (copy: Response | undefined) => copy && (await caches.open(STORE)).put(file, copy);
  event.waitUntil(copied.then(store).catch(() => undefined));
  return fetched;
}

async function keptOr(file: string, otherwise: () => Response | Promise<Response>): Promise<Response> {
  const kept = await caches
    .open(STORE)
    .then((cache) => cache.match(file))
    .catch(() => undefined);
  return kept ?? otherwise();
}

/** Returns the server's file, or the cached one if the server does not answer, or answers with an error. */
async function answer(event: Occasion, file: string): Promise<Response> {
  const fetched = fetchAndKeep(event, file);
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), PATIENCE_MS);
  });
  const first = await Promise.race([fetched.catch(() => undefined), late]);
  clearTimeout(timer!);
  if (first === "late") {
    silentUntil = Date.now() + SILENCE_MS;
    return keptOr(file, () => fetched);
  }
  // A redirect, which has the status 0 here, is an answer, too.
  return first && first.status < 400 ? first : keptOr(file, () => first ?? fetched);
}
