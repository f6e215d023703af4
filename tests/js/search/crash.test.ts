/** What a crash of the engine, or the death of a worker, leaves of an index: everything, once it is built anew. */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it.
import * as core from "../../../pkg/dist/workspace-core.js";
import type { WorkerLike } from "../../../js/tokens/worker-like.ts";
import { Blobs, Files, answers, nodeWorker, openIndex, random, search, text } from "./support.ts";
import type { IndexOptions, IndexWarning, WorkspaceIndex } from "./support.ts";

const { EspalierError } = search;
const { call, wasm } = core as {
  call: (run: () => void) => void;
  wasm: () => { __panicForTests(): void; SearchIndex: { prototype: { put: (...args: unknown[]) => boolean } } };
};
const crash = () => assert.throws(() => call(() => wasm().__panicForTests()), { code: "engine_crashed" });
const codes = (warnings: readonly IndexWarning[]) => warnings.map(({ code }) => code);

function corpus(): Files {
  const pick = random(3);
  return new Files(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.md`, text(pick, 1 + pick(20))])));
}

async function put(index: WorkspaceIndex, source: Files): Promise<void> {
  await index.put([...source.files].map(([path, { text }]) => ({ path, text })));
}

const KINDS: [
  string,
  () => { options: IndexOptions; fill: (index: WorkspaceIndex) => Promise<unknown>; reads: () => number },
][] = [
  [
    "from the source",
    () => {
      const source = corpus();
      return { options: { source }, fill: (index) => index.sync(), reads: () => source.reads.splice(0).length };
    },
  ],
  [
    "from the storage",
    () => {
      const source = corpus();
      return {
        options: { source, storage: new Blobs() },
        fill: (index) => index.sync(),
        reads: () => source.reads.splice(0).length,
      };
    },
  ],
  ["from the texts that were put", () => ({ options: {}, fill: (index) => put(index, corpus()), reads: () => 200 })],
];

for (const [name, make] of KINDS) {
  test(`a crashed engine's index is built anew ${name}, and says so`, async () => {
    const { options, fill, reads } = make();
    const index = await openIndex(options);
    await fill(index);
    const before = await answers(index);
    for (let crashes = 1; crashes <= 2; crashes += 1) {
      reads();
      crash();
      // All at once: it is built once.
      const [state] = await Promise.all([index.state(), index.search("oak"), index.search("whale")]);
      assert.deepEqual(codes(state.warnings), Array(crashes).fill("rebuilt"));
      assert.match(state.warnings[0]!.message, /crashed.*200 files/);
      assert.deepEqual(await answers(index), before);
    }
    await index.dispose();
  });

  test(`a worker that dies is an error, and the next call has the index ${name}`, { timeout: 60_000 }, async () => {
    const { options, fill } = make();
    let worker: WorkerLike | undefined;
    const index = await openIndex({ ...options, worker: () => (worker = nodeWorker()) });
    await fill(index);
    const before = await answers(index);
    worker!.postMessage("die");
    await assert.rejects(
      index.search("oak"),
      (error) => error instanceof EspalierError && error.code === "worker_failed",
    );
    assert.deepEqual(await answers(index), before);
    await index.dispose();
  });
}

test("a file that the engine crashes on is left out, and the rest is indexed", async () => {
  const source = corpus();
  const index = await openIndex({ source });
  const sound = wasm().SearchIndex.prototype.put;
  const poison = () => {
    const prototype = wasm().SearchIndex.prototype;
    const { put } = prototype;
    prototype.put = function (this: unknown, ...args: unknown[]) {
      if (args[0] === "f7.md") wasm().__panicForTests();
      return put.apply(this, args);
    };
  };
  poison();
  assert.ok(sound);
  const { added, notes, warnings } = await index.sync();
  assert.deepEqual(
    [added, notes.map(({ path, reason }) => [path, reason]), codes(warnings)],
    [206, [["f7.md", "refused"]], ["rebuilt"]],
  );
  assert.deepEqual([(await index.state()).files, (await index.state()).skipped], [199, { refused: 1 }]);
  await index.dispose();
});

test("a worker that cannot start, or is none, is an error", async () => {
  const bad: [() => unknown, string][] = [
    [
      () => {
        throw new EspalierError({ code: "unsupported", message: "no workers here" });
      },
      "unsupported",
    ],
    [() => 7, "bad_option"],
    [
      () => {
        const worker: WorkerLike = {
          postMessage: () => queueMicrotask(() => worker.onerror?.(new Error("404"))),
          terminate: () => {},
          onmessage: null,
          onerror: null,
        };
        return worker;
      },
      "worker_failed",
    ],
  ];
  for (const [worker, code] of bad) await assert.rejects(openIndex({ worker: worker as () => WorkerLike }), { code });
  await assert.rejects(openIndex({ worker: nodeWorker, vocabulary: new Uint8Array(9) }), { code: "bad_vocabulary" });
});
