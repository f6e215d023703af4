/**
 * The script of the counting worker: `new Worker(new URL("espalier/worker", import.meta.url), { type: "module" })`, or
 * whatever a host's bundler makes of it. It is driven by `TokenWorker`; hosts do not talk to it themselves. The engine
 * that only counts is inside, so that this is the only file of the worker.
 */

import wasm from "#bytes/count";
import { initFrom } from "../engine/engine.ts";
import { encodingName } from "../tokens/count.ts";
import { countBatch } from "../tokens/texts.ts";
import { hasEncoding, loadEncoding } from "../engine/vocabulary.ts";
import { serveWorker } from "../tokens/worker-like.ts";
import { TURN } from "../tokens/worker-protocol.ts";
import type { FromWorker, ToWorker } from "../tokens/worker-protocol.ts";
import type { EncodingName } from "../types/count.ts";
import { append } from "../formats/append.ts";

/** Ids of cancelled requests. */
const cancelled = new Set<number>();
let started: Promise<void> | undefined;
/** The sources of vocabularies. */
let sources: ReadonlyMap<EncodingName, Uint8Array | string> = new Map();

async function answer(message: ToWorker, send: (message: FromWorker) => void): Promise<void> {
  const id = "id" in message ? message.id : undefined;
  try {
    switch (message.type) {
      case "cancel":
        cancelled.add(message.id);
        return;
      case "start":
        started = start(message);
        await started;
        return send({ type: "ready" });
      case "count":
        await started;
        return await count(message, send);
    }
  } catch (error) {
    const {
      code = "worker_failed",
      message: text = String(error),
      path,
    } = error as { code?: string; message?: string; path?: string };
    send({ type: "failed", id, code, message: text, path });
  }
}

async function start({ vocabularies }: Extract<ToWorker, { type: "start" }>): Promise<void> {
  sources = new Map(vocabularies);
  await initFrom(wasm());
}

async function count(
  { id, texts, choice }: Extract<ToWorker, { type: "count" }>,
  send: (message: FromWorker) => void,
): Promise<void> {
  const encoding = encodingName(choice);
  const source = sources.get(encoding);
  if (source !== undefined && !hasEncoding(encoding)) await loadEncoding(encoding, source);
  const counts: number[] = [];
  for (let at = 0; at < texts.length && !cancelled.has(id); at += TURN) {
    append(counts, countBatch(texts.slice(at, at + TURN), { encoding }));
    // Lets a cancellation in.
    if (at + TURN < texts.length) await new Promise((resolve) => setTimeout(resolve));
  }
  if (!cancelled.delete(id)) send({ type: "counts", id, counts });
}

/** Answers requests that arrive through another port than that of the worker. */
export const serve = serveWorker((port) => {
  const send = (message: FromWorker) => port.postMessage(message);
  port.onmessage = ({ data }) => void answer(data as ToWorker, send);
});
