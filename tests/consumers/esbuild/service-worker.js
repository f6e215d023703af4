/** A service worker answers events: its engine is ready before it is installed, and again after each start. */
import * as espalier from "espalier";
import "espalier/grammars/typescript";
import { use } from "./use.js";

const ready = espalier.init({ encodings: ["o200k_base", "cl100k_base"] });

// Installs even after a failure: the answers report it.
addEventListener("install", (event) => event.waitUntil(ready.catch(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname !== "/answer") return;
  event.respondWith(
    ready
      .then(() => use(espalier))
      .then(
        (line) => new Response(line),
        (error) => new Response(`${error.code}: ${error.message}`),
      ),
  );
});
