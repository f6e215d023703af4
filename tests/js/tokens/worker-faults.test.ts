/** Counting while the network, the vocabulary or the worker itself fails, in a page that has loaded nothing else. */

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Worker } from "node:worker_threads";
import type * as Internal from "../../../js/entries/chunks/core.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const file = (name: string) => readFileSync(new URL(name, dist));

/** What the server does with the next requests; then it answers. */
let faults: ("refuse" | "cut")[] = [];
let requests: string[] = [];
const server = createServer(({ url = "" }, response) => {
  requests.push(url);
  const fault = faults.shift();
  if (fault === "refuse") return void response.writeHead(503).end();
  const bytes = file(url.slice(1));
  response.writeHead(200, { "content-length": bytes.length });
  if (fault === undefined) return void response.end(bytes);
  response.write(bytes.subarray(0, 10_000), () => setTimeout(() => response.destroy(), 20));
});
let base = "";
before(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
after(() => server.close());

let copies = 0;
/** The core of a page: nothing is loaded yet, and the engine is fetched. */
async function page(): Promise<typeof Internal> {
  const core = (await import(`${new URL("core.js", dist).href}?page=${++copies}`)) as typeof Internal;
  core.setAsyncLoader(() => core.initFrom(`${base}espalier.wasm`));
  core.setVocabularyLocator((name) => new URL(`${base}vocab/${name}.vocab`));
  [faults, requests] = [[], []];
  return core;
}
const vocabularies = () => ({ o200k_base: `${base}vocab/o200k_base.vocab` });

test("a worker that cannot start: this thread loads engine and vocabulary, and a new try follows", async (t) => {
  const { TokenWorker } = await page();
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const warnings: string[] = [];
  let tries = 0;
  let isBroken = true;
  const create = () => {
    tries += 1;
    if (isBroken) throw new Error("no worker here");
    return new Worker(new URL("worker.js", dist));
  };
  const worker = new TokenWorker({ create, vocabularies: vocabularies(), onWarning: (text) => warnings.push(text) });
  assert.deepEqual(await Promise.all([worker.count(["one text"]), worker.count(["a"])]), [[2], [1]]);
  assert.deepEqual([tries, warnings.length, requests], [2, 1, ["/espalier.wasm", "/vocab/o200k_base.vocab"]]);
  assert.deepEqual(await worker.count(["one text"]), [2]);
  assert.equal(tries, 2);
  // One try after a pause, and twice the pause after each further one.
  for (const [pause, wanted] of [
    [15_000, 3],
    [15_000, 3],
    [15_000, 4],
  ] as const) {
    now += pause;
    assert.deepEqual(await worker.count(["one text"]), [2]);
    assert.equal(tries, wanted);
  }
  assert.equal(warnings.length, 1);
  isBroken = false;
  now += 60_000;
  assert.deepEqual(await worker.count(["one text"]), [2]);
  assert.equal(worker.running, true);
  worker.close();
  // Closing forgets what happened.
  isBroken = true;
  assert.deepEqual(await worker.count(["one text"]), [2]);
  assert.equal(warnings.length, 2);
  worker.close();
  isBroken = false;
  assert.deepEqual(await worker.count(["one text"]), [2]);
  assert.equal(worker.running, true);
  worker.close();
});

test("a vocabulary that cannot be fetched is the call's error, in the worker and in this thread", async () => {
  for (const isBroken of [false, true]) {
    const { TokenWorker, init } = await page();
    if (isBroken) await init({ encodings: [] });
    const warnings: string[] = [];
    const create = () => {
      if (isBroken) throw new Error("no worker here");
      return new Worker(new URL("worker.js", dist));
    };
    const worker = new TokenWorker({ create, vocabularies: vocabularies(), onWarning: (text) => warnings.push(text) });
    for (const fault of ["refuse", "cut"] as const) {
      faults = [fault];
      await assert.rejects(worker.count(["one text"]), { code: "vocab_not_found" });
    }
    assert.deepEqual(await worker.count(["one text"]), [2]);
    assert.deepEqual([worker.running, warnings.length], [!isBroken, isBroken ? 1 : 0]);
    worker.close();
  }
});

test("a cancelled count leaves an idle worker, which rests", async () => {
  const { TokenWorker } = await page();
  const worker = new TokenWorker({
    create: () => new Worker(new URL("worker.js", dist)),
    vocabularies: vocabularies(),
    idleMs: 5,
  });
  await assert.rejects(worker.count(["one text"], { signal: AbortSignal.timeout(1) }));
  while (worker.running) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("hundreds of counts with one signal: one listener, no warning, and all of them end", async () => {
  const { TokenWorker } = await page();
  const worker = new TokenWorker({
    create: () => new Worker(new URL("worker.js", dist)),
    vocabularies: vocabularies(),
  });
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on("warning", warned);
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = () => getEventListeners(signal, "abort").length;
  const count = () => Array.from({ length: 200 }, () => worker.count(["one text"], { signal }));
  const counted = Promise.all(count());
  assert.equal(listeners(), 1);
  assert.deepEqual(new Set((await counted).flat()), new Set([2]));
  assert.equal(listeners(), 0, "calls that have ended leave nothing behind");
  const ended = Promise.allSettled(count());
  controller.abort(new Error("enough"));
  for (const one of await ended) assert.equal(one.status === "rejected" && one.reason, signal.reason);
  assert.equal(listeners(), 0);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", warned);
  assert.deepEqual(warnings, []);
  worker.close();
});

test("concurrent calls of init share one download of each file", async () => {
  const core = await page();
  let decoded = 0;
  await core.ready();
  const own = core.wasm().loadEncoding;
  core.wasm().loadEncoding = (...args) => (decoded++, own(...args));
  const given = { vocabulary: () => `${base}vocab/o200k_base.vocab` };
  await Promise.all([
    core.init(),
    core.init(),
    core.init(given),
    core.init({ vocabulary: () => fetch(given.vocabulary()) }),
  ]);
  assert.deepEqual([requests.filter((url) => url.includes("vocab")).length, decoded], [2, 1]);
  assert.equal(core.count("one text"), 2);
});

test("an engine whose download is cut is not found, and a retry loads it", async () => {
  const core = await page();
  // Without a vocabulary, which is loaded at the same time: the fault is for the next request.
  const encodings = [] as const;
  faults = ["cut"];
  await assert.rejects(core.init({ encodings }), { code: "wasm_not_found", message: /espalier\.wasm was cut/ });
  faults = ["cut"];
  await assert.rejects(core.init({ encodings, wasm: fetch(`${base}espalier.wasm`) }), { code: "wasm_not_found" });
  // The host's own signal ends it with its reason.
  const signal = AbortSignal.abort();
  await assert.rejects(core.init({ encodings, wasm: fetch(`${base}espalier.wasm`, { signal }) }), {
    name: "AbortError",
  });
  await core.init();
  assert.equal(core.count("one text"), 2);
});
