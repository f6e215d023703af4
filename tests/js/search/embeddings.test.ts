/** The host's embedding model: batches, what is kept, and everything that such a callback can get wrong. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Blobs, Files, PLACES, openIndex, random, text } from "./support.ts";
import type { IndexOptions } from "./support.ts";

/** Eight dimensions: how often each of eight words occurs. */
const WORDS = ["oak", "whale", "retry", "parser", "budget", "chunk", "token", "window"];
function vector(text: string): Float32Array {
  const counts = Float32Array.from(WORDS, (word) => text.split(word).length - 1);
  const length = Math.hypot(...counts) || 1;
  return counts.map((count) => count / length);
}

function model() {
  const calls: { texts: readonly string[]; kind: string }[] = [];
  const embed = async (texts: readonly string[], { kind }: { kind: string }) => {
    calls.push({ texts, kind });
    return texts.map(vector);
  };
  return { calls, embed };
}

function corpus(): Files {
  const pick = random(11);
  return new Files(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.md`, text(pick, 1 + pick(10))])));
}

for (const [name, place] of PLACES) {
  const check = (what: string, work: (place: IndexOptions) => Promise<void>) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, () => work(place));

  check("chunks are embedded in batches, once, and kept in the storage", async (place) => {
    const { calls, embed } = model();
    const source = corpus();
    const storage = new Blobs();
    const open = (model = "m") =>
      openIndex({
        ...place,
        source,
        storage,
        maxChunkTokens: 40,
        embeddings: { embed, model, batchSize: 10, concurrency: 3 },
      });
    const index = await open();
    await index.sync();
    const { chunks, vectors } = await index.state();
    assert.equal(vectors, chunks);
    assert.deepEqual(
      [calls.length, calls.every(({ texts, kind }) => texts.length <= 10 && kind === "chunks")],
      [Math.ceil(chunks / 10), true],
    );
    assert.match(calls[0]!.texts[0]!, /^File: `f0\.md`\n```\n[^]+\n```$/);
    calls.length = 0;
    source.set("f1.md", "an oak");
    await index.sync();
    assert.deepEqual(
      calls.map(({ texts }) => texts),
      [["File: `f1.md`\n```\nan oak\n```"]],
    );
    await index.dispose();

    calls.length = 0;
    const again = await open();
    await again.sync();
    const state = await again.state();
    assert.deepEqual([calls.length, state.vectors >= state.chunks, state.warnings], [0, true, []]);
    await again.dispose();
    const other = await open("another");
    assert.deepEqual(
      (await other.state()).warnings.map(({ code }) => code),
      ["outdated"],
    );
    await other.sync();
    assert.ok(calls.length > 0);
    await other.dispose();
  });

  check("what a model gets wrong is a warning, and words still find", async (place) => {
    const source = corpus();
    const wrong: [string, (texts: readonly string[]) => unknown, RegExp][] = [
      [
        "throws",
        () => {
          throw new Error("429");
        },
        /429/,
      ],
      ["rejects", () => Promise.reject(new Error("503")), /503/],
      ["fewer", (texts) => texts.slice(1).map(vector), /9 vectors for 10 texts/],
      ["more", (texts) => [...texts, "x"].map(vector), /11 vectors for 10/],
      ["NaN", (texts) => texts.map(() => [1, Number.NaN]), /finite/],
      ["infinite", (texts) => texts.map(() => Float32Array.of(1, Infinity)), /finite/],
      ["sizes", (texts) => texts.map((_, at) => Array(at + 1).fill(1)), /dimensions/],
      ["empty", (texts) => texts.map(() => []), /no vector/],
      ["texts", (texts) => texts, /no vector/],
      ["nothing", () => undefined, /must return a list/],
      ["never", () => new Promise(() => {}), /did not answer within 40 ms/],
    ];
    for (const [what, embed, message] of wrong) {
      const index = await openIndex({
        ...place,
        source,
        embeddings: { embed: embed as never, model: "m", batchSize: 10, timeoutMs: 40 },
      });
      const { added, warnings } = await index.sync();
      assert.equal(added, 40, what);
      assert.ok(
        warnings.length >= 1 && warnings.length <= 4 && warnings.every(({ code }) => code === "embeddings"),
        `${what}: ${warnings.length}`,
      );
      assert.match(warnings[0]!.message, message, what);
      const { hits, strategy } = await index.search("oak", { fullWorkspace: false });
      assert.deepEqual([hits.length > 0, strategy], [true, "lexical"], what);
      assert.equal((await index.state()).vectors, 0, what);
      await index.dispose();
    }
  });

  check("an abort while texts are embedded keeps what there is", async (place) => {
    const { calls, embed } = model();
    const controller = new AbortController();
    const reason = new Error("enough");
    const aborted: boolean[] = [];
    let isAborting = true;
    const slow: typeof embed = async (texts, options) => {
      if (isAborting && calls.length === 2) controller.abort(reason);
      const { signal } = options as unknown as { signal: AbortSignal };
      if (signal.aborted) aborted.push(true);
      signal.addEventListener("abort", () => aborted.push(true));
      if (isAborting && controller.signal.aborted) return new Promise(() => {});
      return embed(texts, options);
    };
    const index = await openIndex({
      ...place,
      source: corpus(),
      embeddings: { embed: slow, model: "m", batchSize: 5, concurrency: 1 },
    });
    await assert.rejects(index.sync({ signal: controller.signal }), reason);
    isAborting = false;
    const before = (await index.state()).vectors;
    assert.equal(before, 10);
    await index.sync();
    const { vectors, chunks } = await index.state();
    assert.equal(vectors, chunks);
    await index.dispose();
    assert.ok(aborted.length > 0, "the model is informed");
  });
}

test("damaged vectors are made again", async () => {
  const { calls, embed } = model();
  const source = corpus();
  const storage = new Blobs();
  const open = () => openIndex({ source, storage, embeddings: { embed, model: "m" } });
  const index = await open();
  await index.sync();
  await index.dispose();
  for (const name of [storage.list("search/vectors-")[0]!, "search/vectors"]) {
    storage.blobs.get(name)![30]! ^= 1;
    calls.length = 0;
    const again = await open();
    assert.deepEqual(
      (await again.state()).warnings.map(({ code }) => code),
      ["damaged"],
      name,
    );
    await again.sync();
    const { vectors, chunks } = await again.state();
    assert.deepEqual([vectors, calls.length > 0], [chunks, true], name);
    await again.dispose();
  }
});
