/** Clocks and timers that jump, stand still or do not work. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import { retryAfter } from "../../../js/providers/clock.ts";
import { LIMIT, SUMMARY, begin, clock, listening, open, rest, round, sound } from "./support.ts";

const { memoryStorage, nodeStorage } = espalier;

/** Keeps the thread busy. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test("clocks that jump: timers that fire at once, late or twice, and times that go back or make no sense", async () => {
  const times = [5, -1e18, Number.NaN, 1e300, 0, 7];
  let at = 0;
  const broken = {
    now: () => times[at++ % times.length]!,
    after(_: number, done: () => void) {
      done();
      queueMicrotask(done);
      return () => {};
    },
  };
  const { onEvent, said } = listening();
  const conversation = await open({ clock: broken, storage: memoryStorage(), llm: async () => SUMMARY, onEvent });
  conversation.append(begin());
  for (let number = 0; number < 60; number += 1) {
    conversation.append(round(number));
    sound((await conversation.prepare()).messages, LIMIT);
    await rest();
  }
  assert.ok(conversation.edits().length > 0);
  // Every timer ends the model at once, which counts as a failure.
  assert.ok(said().every((what) => /^(storage|model_failed):/.test(what)));
  assert.ok(
    conversation.log
      .export()
      .split("\n")
      .slice(0, -1)
      .every((line) => Number.isSafeInteger((JSON.parse(line) as { time: number }).time)),
  );
  const late = clock();
  const waiting = await open({ clock: late, llm: () => new Promise(() => {}) });
  waiting.append(begin(22));
  await waiting.prepare();
  waiting.append(round(90, 20));
  const pending = waiting.prepare();
  await rest();
  late.turn(-1e9);
  late.turn(1e15);
  sound((await pending).messages, LIMIT);
  await waiting.dispose();
});

test("clocks that do not work: times that throw or stand still, timers that throw or cannot be stopped", async () => {
  const check = async (faulty: Record<string, unknown>) => {
    const storage = memoryStorage();
    const conversation = await open({ clock: faulty as never, storage, llm: async () => SUMMARY });
    conversation.append(begin());
    for (let number = 0; number < 30; number += 1) {
      conversation.append(round(number));
      sound((await conversation.prepare()).messages, LIMIT);
      await rest();
    }
    assert.ok(conversation.edits().length > 0);
    await conversation.flush();
    const again = await open({ storage });
    assert.equal(again.log.originals, conversation.log.originals, JSON.stringify(Object.keys(faulty)));
    await again.dispose();
    await conversation.dispose();
  };
  let moment = 1e12;
  await check({
    now: () => {
      throw new Error("no clock");
    },
  });
  await check({ now: () => 7 });
  await check({ now: () => (moment -= 1e9) });
  await check({ now: () => undefined });
  await check({
    after: () => {
      throw new Error("no timers");
    },
  });
  await check({ after: () => undefined });
});

test("the process's own clock going back, standing still or making no sense", async () => {
  const original = Date.now;
  let moment = 1.7e12;
  try {
    for (const now of [() => (moment -= 1e9), () => 1.7e12]) {
      Date.now = now;
      const conversation = await open({ storage: memoryStorage(), llm: async () => SUMMARY });
      const said: AnyEvent[] = [];
      conversation.on("compaction_complete", (event) => void said.push(event as AnyEvent));
      conversation.append(begin(22));
      await conversation.compact();
      await conversation.dispose();
      assert.ok(
        said.every((event) => !((event as { duration?: number }).duration! < 0)),
        JSON.stringify(said),
      );
    }
    // A retry-after date that equals the present is none.
    assert.equal(retryAfter(new Headers({ "retry-after": "Sun, 06 Nov 2033 08:49:37 GMT" }), Number.NaN), undefined);
  } finally {
    Date.now = original;
  }
});

test("a process that stood still longer than a limit: what was answered meanwhile is no timeout", async () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-blocked-"));
  const { onEvent, said } = listening();
  const llm = () => new Promise<string>((done) => void setTimeout(() => setImmediate(done, SUMMARY), 20));
  const storage = nodeStorage(folder);
  const conversation = await open({ storage, timeoutsMs: { storage: 1_000, model: 1_000 }, onEvent, llm });
  conversation.append(begin(8));
  const compacted = conversation.compact();
  await new Promise((done) => setImmediate(done));
  block(1_600);
  assert.equal((await compacted).status, "applied");
  conversation.append(begin());
  await new Promise((done) => setImmediate(done));
  block(1_600);
  assert.deepEqual([(await conversation.flush()).isStored, said()], [true, []]);
  // A storage that does not answer is one that failed, however busy the thread is.
  const mute = {
    ...memoryStorage(),
    append: () => new Promise<void>(() => {}),
    write: () => new Promise<void>(() => {}),
  };
  const deaf = await open({ storage: mute, timeoutsMs: { storage: 100 }, onEvent });
  deaf.append(begin());
  const flushed = deaf.flush();
  block(700);
  assert.equal((await flushed).isStored, false);
  assert.ok(said().every((what) => what.startsWith("storage:")) && said().length > 0);
  await conversation.dispose();
  rmSync(folder, { recursive: true });
});
