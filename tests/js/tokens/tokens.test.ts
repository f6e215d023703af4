/** Texts: counts through the input buffer, batches, cutting, estimates, calibration, the worker. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { espalier } from "../built.ts";
import { refused } from "../refused.ts";
import type { WorkerLike } from "../../../js/tokens/worker-like.ts";

const {
  Calibration,
  TokenWorker,
  clearCache,
  count,
  countBatch,
  decode,
  encode,
  estimate,
  hasEncoding,
  loadEncoding,
  loadEncodingSync,
  prefixWithin,
  suffixWithin,
  tokenOffsets,
} = espalier;

/** Texts of many kinds and lengths; the long ones go through the buffer in chunks. */
const texts = [
  "",
  "a",
  "Hello world!",
  "日本語のテキスト",
  "😀".repeat(50),
  "it's <|endoftext|>",
  "lone \uD83D surrogate",
  "\uDE00\uD83D",
  "word ".repeat(30_000),
  "x".repeat(100_000),
  "日".repeat(70_000),
  `${"a".repeat(32_767)}😀 ${"b c\n".repeat(20_000)}`,
  "=".repeat(40_000),
];

test("counts are lengths of encodings, however the text gets there", () => {
  for (const encoding of ["o200k_base", "cl100k_base"] as const) {
    for (const text of texts) {
      const wanted = encode(text, { encoding }).length;
      const shown = `${encoding} ${JSON.stringify(text.slice(0, 30))}, ${text.length} units`;
      clearCache();
      assert.equal(count(text, { encoding }), wanted, shown);
      assert.equal(count(text, { encoding }), wanted, `${shown}, again`);
    }
    const each = texts.map((text) => count(text, { encoding }));
    assert.deepEqual(countBatch(texts, { encoding }), each);
    clearCache();
    assert.deepEqual(countBatch([...texts, ...texts], { encoding }), [...each, ...each]);
    assert.deepEqual(countBatch([], { encoding }), []);
    const many = Array.from({ length: 20_000 }, (_, at) => `line ${at} of a batch that needs several crossings`);
    assert.deepEqual(
      countBatch(many, { encoding }),
      many.map((text) => encode(text, { encoding }).length),
    );
  }
});

test("decoding gives the text back; lone surrogates are U+FFFD", () => {
  for (const text of texts) assert.equal(decode(encode(text)), text.replace(/\p{Surrogate}/gu, "\uFFFD"));
  assert.equal(decode([15339, 2375]), decode(Uint32Array.of(15339, 2375)));
  refused(() => decode([1, 999_999]), "bad_input", "ids[1]");
  refused(() => decode([1, -1]), "bad_option", "ids[1]");
  refused(() => decode([0.5]), "bad_option", "ids[0]");
});

test("positions are UTF-16 code units", () => {
  const text = "naïve 😀 日本語 \uD83D end";
  const offsets = tokenOffsets(text);
  assert.equal(offsets.length, count(text));
  assert.equal(offsets.at(-1), text.length);
  for (const most of [0, 1, 2, 3, 5, 100, Number.MAX_SAFE_INTEGER]) {
    const [prefix, suffix] = [prefixWithin(text, most), suffixWithin(text, most)];
    assert.equal(count(text.slice(0, prefix.offset)), prefix.tokens);
    assert.equal(count(text.slice(suffix.offset)), suffix.tokens);
    assert.ok(prefix.tokens <= most && suffix.tokens <= most);
    if (most >= 100) assert.deepEqual([prefix.offset, suffix.offset], [text.length, 0]);
  }
  for (const bad of [-1, 0.5, NaN, Infinity, "3"])
    refused(() => prefixWithin(text, bad as number), "bad_option", "most");
});

test("what is no text is refused", () => {
  refused(() => countBatch(["a", 5 as unknown as string]), "bad_input", "texts[1]");
  refused(() => countBatch("abc" as unknown as string[]), "bad_input", "texts");
  refused(() => encode(null as unknown as string), "bad_input", "text");
  for (const encoding of ["p50k_base", "o200k_harmony"] as never[])
    for (const call of [count, encode, (text: string, options: object) => countBatch([text], options)])
      refused(() => call("abc", { encoding }), "unknown_encoding", "options.encoding");
  refused(() => estimate("abc", { rule: "half" as "quarter" }), "bad_option", "options.rule");
});

test("a vocabulary that is refused leaves what was loaded, and loading can be tried again", async () => {
  const file = new URL("../../../pkg/dist/vocab/o200k_base.vocab", import.meta.url);
  const good = new Uint8Array(readFileSync(file));
  const damaged = good.slice();
  damaged[5_000]! ^= 1;
  for (const bytes of [
    good.slice(0, 1_000),
    damaged,
    new Uint8Array(),
    new TextEncoder().encode("<html>not found</html>"),
  ]) {
    refused(() => loadEncodingSync("o200k_base", bytes), "bad_vocabulary");
    refused(() => loadEncodingSync("cl100k_base", good), "bad_vocabulary");
    assert.equal(count("Hello world!"), 3);
  }
  loadEncodingSync("o200k_base", good);
  assert.ok(hasEncoding("o200k_base"));
  await loadEncoding("o200k_base", good);
  assert.equal(count("Hello world!"), 3);
});

test("memory settles under repeated use", () => {
  const big = "some words and 日本語 ".repeat(20_000);
  const round = () => {
    for (let n = 0; n < 5; n++) {
      clearCache();
      countBatch([big, "x".repeat(300_000)]);
      prefixWithin(big, 1_000);
      encode(big.slice(0, 10_000));
    }
    return process.memoryUsage().arrayBuffers;
  };
  round();
  const before = round();
  for (let n = 0; n < 5; n++) round();
  assert.ok(round() - before < 20_000_000);
});

test("estimates say that they are", () => {
  assert.deepEqual(estimate("hello", { rule: "quarter" }), { tokens: 2, origin: "estimate" });
  assert.deepEqual(estimate("Hello world!"), { tokens: 3, bound: 0, origin: "exact" });
  const text = "The quick brown fox. ".repeat(5_000);
  const { tokens, bound, origin } = estimate(text);
  assert.equal(origin, "estimate");
  assert.ok(Math.abs(tokens - count(text)) <= (bound as number));
});

test("calibration learns, and its state is plain", () => {
  let calibration = new Calibration("claude-sonnet-4");
  assert.deepEqual(calibration.predict(1_000), { tokens: 1_300, bound: 300, origin: "prior" });
  for (let tokens = 1_000; tokens <= 5_000; tokens += 1_000) {
    calibration.sent({ id: `r${tokens}`, tokens });
    assert.equal(calibration.reported({ id: `r${tokens}`, tokens: tokens * 1.2 + 500 }), "used");
    calibration = new Calibration("claude-sonnet-4", JSON.parse(JSON.stringify(calibration.state)));
  }
  assert.equal(calibration.reported({ id: "unknown", tokens: 9 }), "ignored");
  const { tokens, bound, origin } = calibration.predict(6_000);
  assert.equal(origin, "calibrated");
  assert.ok(Math.abs(tokens - 7_700) <= bound);
  refused(() => calibration.sent({ id: "x", tokens: -1 }), "bad_option", "request.tokens");
  refused(() => new Calibration("x", { rubbish: true }).predict(1), "bad_input", "calibration");
});

// ---------------------------------------------------------------- the worker

const dist = new URL("../../../pkg/dist/", import.meta.url);
const script = `
  import { parentPort } from "node:worker_threads";
  import { serve } from ${JSON.stringify(new URL("worker.js", dist).href)};
  let isDying = false;
  const post = (message) => isDying && message.type === "ready" ? process.exit(1) : parentPort.postMessage(message);
  const port = { postMessage: post, onmessage: null };
  // It dies with work to do, but not while wasm is compiled: Node 20 may take the whole process along then.
  parentPort.on("message", (data) => data === "die" ? (isDying = true) : port.onmessage({ data }));
  serve(port);
`;

/** A worker of Node, in the shape of a browser's. */
function nodeWorker(): WorkerLike {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const like: WorkerLike = {
    postMessage: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    onmessage: null,
    onerror: null,
  };
  let stopped = false;
  worker.on("message", (data) => like.onmessage?.({ data }));
  worker.on("error", (error) => like.onerror?.(error));
  worker.on("exit", () => stopped || like.onerror?.(new Error("exited")));
  like.terminate = () => ((stopped = true), worker.terminate());
  return like;
}

const sources = {
  vocabularies: { o200k_base: new Uint8Array(readFileSync(new URL("vocab/o200k_base.vocab", dist))) },
};

test("a thread of Node's is a worker, without a script around it", async () => {
  const worker = new TokenWorker({ create: () => new Worker(new URL("worker.js", dist)), ...sources });
  assert.deepEqual(await worker.count(["one text", "another text"]), [2, 2]);
  assert.ok(worker.running);
  worker.close();
});

test("a worker counts for a model, also if this thread has to", async () => {
  const vocabularies = {
    ...sources.vocabularies,
    cl100k_base: new Uint8Array(readFileSync(new URL("vocab/cl100k_base.vocab", dist))),
  };
  const create = () => new Worker(new URL("worker.js", dist));
  const dead = () => {
    throw new Error("no workers here");
  };
  const text = "naïve 日本語のテキスト";
  const [old, own] = ["gpt-4", "gpt-4o"].map((model) => count(text, { model }));
  assert.notEqual(old, own);
  for (const make of [create, dead]) {
    const worker = new TokenWorker({ create: make, vocabularies, onWarning: () => undefined });
    assert.deepEqual(await worker.count([text], { model: "gpt-4" }), [old]);
    assert.deepEqual(await worker.count([text], { model: "gpt-4o" }), [own]);
    assert.deepEqual(await worker.count([text], { model: "gpt-4o", encoding: "cl100k_base" }), [old]);
    worker.close();
  }
});

test("in Node a vocabulary of a worker may be a file: its URL or its path", async () => {
  const file = new URL("vocab/o200k_base.vocab", dist);
  for (const o200k_base of [file, file.href, fileURLToPath(file)]) {
    const warnings: string[] = [];
    const worker = new TokenWorker({
      create: () => new Worker(new URL("worker.js", dist)),
      vocabularies: { o200k_base },
      onWarning: (message) => warnings.push(message),
    });
    assert.deepEqual(await worker.count(["one text"]), [2]);
    assert.deepEqual([worker.running, warnings], [true, []]);
    worker.close();
  }
});

/** Waits, as long as a slow machine needs. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A provider's reports, one after the other: our count and theirs. */
function reports(
  model: string,
  points: readonly (readonly [ours: number, theirs: number])[],
  learning = new Calibration(model),
): InstanceType<typeof Calibration> {
  for (const [ours, theirs] of points) {
    const id = `${ours} ${theirs}`;
    learning.sent({ id, tokens: ours });
    learning.reported({ id, tokens: theirs });
  }
  return learning;
}
const steps = (count: number, line: (at: number) => readonly [number, number]) =>
  Array.from({ length: count }, (_, at) => line(at));

test("the factor is fitted where there is something to fit", () => {
  const fitted = (points: readonly (readonly [number, number])[]) =>
    Number(reports("claude-opus-4-5", points).factor.toFixed(2));
  // Two reports are too few, and so are three that lie within a twentieth of each other.
  assert.equal(
    fitted([
      [1_000, 1_500],
      [2_000, 3_000],
    ]),
    1.3,
  );
  assert.equal(
    fitted([
      [100_000, 150_000],
      [101_000, 151_500],
      [102_000, 153_000],
    ]),
    1.3,
  );
  assert.equal(
    fitted([
      [100_000, 150_000],
      [110_000, 165_000],
      [120_000, 180_000],
    ]),
    1.5,
  );
  // Held within 0.5 to 2.5, however steep or flat the line is.
  assert.equal(fitted(steps(40, (at) => [1_000 + 20 * at, 50_000 + 100 * at])), 2.5);
  assert.equal(fitted(steps(40, (at) => [1_000 + 20 * at, 50_000])), 0.5);
});

test("the bound is what was off before, and a fiftieth of the way", () => {
  const theirs = (ours: number) => 1.5 * ours + 30_000;
  const learning = reports(
    "claude-opus-4-5",
    steps(40, (at) => [2_000 * (at + 1), theirs(2_000 * (at + 1))]),
  );
  // All reports on one line: 16 tokens at least, and 0.02 of the distance from the newest.
  assert.deepEqual(
    [80_000, 81_000, 70_000].map((tokens) => learning.predict(tokens).bound),
    [16, 36, 216],
  );
  // From now on every other report is 400 off: 1.5 times the 95th percentile of the last 32 errors.
  reports(
    "",
    steps(40, (at) => [2_000 * (at + 41), theirs(2_000 * (at + 41)) + (at % 2 ? 400 : 0)]),
    learning,
  );
  const { tokens, bound } = learning.predict(160_000);
  assert.ok(bound >= 590 && bound <= 640, `${bound}`);
  // The newest report is hit, whatever the line says.
  assert.equal(tokens, theirs(160_000) + 400);
});

test("another frame keeps the factor, another model begins with its own, a rewind keeps both", () => {
  const learning = reports(
    "gpt-4o",
    steps(6, (at) => [5_000 * (at + 1), 5_000 * (at + 1) + 800]),
  );
  learning.sent({ id: "tools", tokens: 31_000, frame: "more tools" });
  learning.reported({ id: "tools", tokens: 40_000 });
  assert.ok(Math.abs(learning.factor - 1) < 0.01);
  assert.equal(learning.predict(31_000).tokens, 40_000);
  learning.sent({ id: "llama", tokens: 31_000, model: "llama-3.1-70b", frame: "more tools" });
  learning.reported({ id: "llama", tokens: 34_000 });
  assert.equal(learning.factor, 1.07);
  assert.equal(learning.predict(1_000).tokens, 34_000 - 32_100);
});

test("an odd report is set aside, two that agree begin anew, others change nothing", () => {
  const learning = reports(
    "gpt-4o",
    steps(5, (at) => [10_000 * (at + 1), 10_000 * (at + 1) + 500]),
  );
  const report = (ours: number, theirs: number) => (
    learning.sent({ id: "next", tokens: ours }), learning.reported({ id: "next", tokens: theirs })
  );
  assert.equal(report(60_000, 5_000), "setAside");
  assert.equal(report(61_000, 61_500), "used");
  assert.equal(report(62_000, 162_000), "setAside");
  assert.equal(report(63_000, 163_000), "restarted");
  const before = JSON.stringify(learning.state);
  assert.equal(learning.reported({ id: "a title", tokens: 103_000 }), "ignored");
  assert.equal(JSON.stringify(learning.state), before);
});

/** A worker whose treatment of a count the test sets. */
function scripted(
  reply: (worker: WorkerLike, message: { id: number; texts: string[] }, exit: () => void) => void,
): WorkerLike {
  const exits: (() => void)[] = [];
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    terminate: () => undefined,
    on: (_, listener) => exits.push(() => listener(0)),
    postMessage(message) {
      const { type } = message as { type: string };
      if (type === "count") reply(worker, message as never, () => exits.forEach((exit) => exit()));
    },
  };
  return worker;
}

test("a worker that ends, or never answers, is started once more, and then counting goes on here", async () => {
  for (const [reply, why] of [
    [(_: WorkerLike, __: unknown, exit: () => void) => queueMicrotask(exit), /died twice \(it ended with code 0\)/],
    [() => undefined, /died twice \(there was no answer within 5 ms\)/],
  ] as const) {
    const warnings: string[] = [];
    let started = 0;
    const worker = new TokenWorker({
      ...sources,
      timeoutMs: 5,
      create: () => (started++, scripted(reply)),
      onWarning: (message) => warnings.push(message),
    });
    assert.deepEqual(await Promise.all([worker.count(texts), worker.count(["a"])]), [countBatch(texts), [1]]);
    assert.equal(started, 2);
    assert.match(warnings.join("\n"), why);
    worker.close();
  }
});

test("the worker counts as this thread does, rests, and comes back", async () => {
  let started = 0;
  const worker = new TokenWorker({ ...sources, create: () => (started++, nodeWorker()), idleMs: 10 });
  const wanted = countBatch(texts);
  const [first, second] = await Promise.all([worker.count(texts), worker.count(texts.slice(0, 3))]);
  assert.deepEqual([first, second], [wanted, wanted.slice(0, 3)]);
  assert.equal(started, 1);
  await until(() => !worker.running);
  assert.deepEqual(await worker.count(texts), wanted);
  assert.equal(started, 2);
  await assert.rejects(worker.count(["a"], { encoding: "p50k" as "o200k_base" }), { code: "unknown_encoding" });
  await assert.rejects(worker.count([5 as unknown as string]), { code: "bad_input" });
  worker.close();
  assert.equal(worker.running, false);
});

test("counts can be cancelled", async () => {
  const worker = new TokenWorker({ ...sources, create: nodeWorker });
  const controller = new AbortController();
  const many = Array.from({ length: 5_000 }, (_, at) => `text ${at}`);
  const cancelled = worker.count(many, { signal: controller.signal });
  const other = worker.count(["a"]);
  controller.abort(new Error("no longer wanted"));
  await assert.rejects(cancelled, /no longer wanted/);
  assert.deepEqual(await other, [1]);
  await assert.rejects(worker.count(["a"], { signal: AbortSignal.abort(new Error("never wanted")) }), /never wanted/);
  const closed = worker.count(many);
  worker.close();
  await assert.rejects(closed, { code: "cancelled" });
});

test("a worker that dies is restarted once; then this thread counts, with a warning", async () => {
  const workers: WorkerLike[] = [];
  const warnings: string[] = [];
  const create = () => (workers.push(nodeWorker()), workers.at(-1) as WorkerLike);
  const worker = new TokenWorker({ ...sources, create, onWarning: (message) => warnings.push(message) });
  const wanted = countBatch(texts);
  const first = worker.count(texts);
  workers[0]?.postMessage("die");
  assert.deepEqual(await first, wanted);
  assert.ok(workers.length <= 2 && warnings.length === 0);
  const failing = new TokenWorker({
    ...sources,
    create: () => {
      throw new Error("no workers here");
    },
    onWarning: (message) => warnings.push(message),
  });
  assert.deepEqual(await failing.count(texts), wanted);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] as string, /no workers here/);
  // A vocabulary that cannot be used is an error of the call.
  const broken = new TokenWorker({
    vocabularies: { o200k_base: new Uint8Array(7) },
    create: nodeWorker,
    onWarning: (message) => warnings.push(message),
  });
  await assert.rejects(broken.count(texts), { code: "bad_vocabulary" });
  assert.deepEqual([broken.running, warnings.length], [true, 1]);
  broken.close();
  worker.close();
});
