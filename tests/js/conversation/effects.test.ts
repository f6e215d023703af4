/** Whatever waits for the outside, and all that can happen there, in every format: an abort, an error, silence, the end of the process. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { CALLS, FORMATS, LIMIT, PLACES, filled, hang, host, open, pause, settled, text } from "./struck.ts";
import type { Effect } from "./struck.ts";
import { SUMMARY, heard, refused, rest, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage } = espalier;

test("a compaction meets every effect there is", async () => {
  // Armed for something that never comes: all are only written down.
  const { options, seen, arm } = host("nothing" as Effect, () => {});
  const conversation = await filled({ ...options, format: "openai-chat", background: false }, 1.02);
  arm();
  await conversation.prepare();
  await conversation.flush();
  assert.deepEqual([...new Set(seen)].toSorted(), [...CALLS, ...PLACES].toSorted());
  const calls = seen.filter((name, at) => (CALLS as readonly string[]).includes(name) && seen.indexOf(name) === at);
  assert.deepEqual(calls, CALLS, "in this order");
  await conversation.dispose();
});

for (const format of FORMATS) for (const effect of CALLS) {
  const check = (messages: readonly Fields[]) => sound(messages, LIMIT, [], format);

  test(`${format}: aborted at ${effect}: the log is what it was, byte for byte, and the next request is made`, async () => {
    const controller = new AbortController();
    const { options, arm } = host(effect, async () => { controller.abort(new Error("Esc")); await hang(); });
    const conversation = await filled({ ...options, format, background: false }, 1.02);
    const before = [conversation.log.export(), text(conversation)];
    arm();
    await refused(() => conversation.prepare({ signal: controller.signal }), "aborted");
    assert.deepEqual([conversation.log.export(), text(conversation)], before);
    const { messages, report } = await conversation.prepare();
    assert.deepEqual(report.compactions.map(({ status }) => status), ["applied"]);
    check(messages);
    await conversation.dispose();
  });

  test(`${format}: a compaction by hand, aborted at ${effect}, by its signal or by cancel()`, async () => {
    for (const way of ["signal", "cancel"]) {
      const controller = new AbortController();
      let cancel = () => {};
      const { options, arm } = host(effect, async () => { if (way === "signal") controller.abort(); else cancel(); await hang(); });
      const conversation = await filled({ ...options, format, background: false }, 0.6);
      cancel = () => void conversation.cancel();
      const before = [conversation.log.export(), text(conversation)];
      arm();
      const { status, retryable } = await conversation.compact({ signal: controller.signal });
      assert.deepEqual([status, retryable], ["cancelled", true]);
      assert.deepEqual([conversation.log.export(), text(conversation)], before);
      assert.equal((await conversation.compact()).status, "applied");
      await conversation.dispose();
    }
  });

  test(`${format}: a job that is cancelled at ${effect}: the view is what it was, and the next has its own number`, async () => {
    let cancel = () => {};
    const { options, arm } = host(effect, async () => { cancel(); await hang(); });
    const conversation = await filled({ ...options, format }, 0.83);
    cancel = () => void conversation.cancel();
    const before = [text(conversation), conversation.edits().length, conversation.log.originals];
    arm();
    const { report: { job } } = await conversation.prepare();
    await settled(conversation);
    assert.deepEqual([text(conversation), conversation.edits().length, conversation.log.originals, conversation.usage().job], [...before, "idle"]);
    const again = await conversation.prepare();
    assert.equal(again.report.job, job! + 1);
    await settled(conversation);
    assert.equal(conversation.usage().job, "ready");
    await conversation.dispose();
  });

  for (const [way, strike] of [["throws", () => { throw new Error("broken"); }], ["hangs", hang]] as const) {
    for (const background of [false, true]) {
      test(`${format}: ${effect} ${way}, ${background ? "beside the conversation" : "before a request"}: it ends, the request goes out, nothing is lost`, async () => {
        const { options, arm } = host(effect, strike);
        const conversation = await filled({ ...options, format, background }, background ? 0.83 : 1.02);
        const events = heard(conversation);
        const originals = conversation.log.originalsFrom(0);
        arm();
        check((await conversation.prepare()).messages);
        await settled(conversation);
        const { messages } = await conversation.prepare();
        check(messages);
        assert.deepEqual(conversation.log.originalsFrom(0), originals);
        const ends = events.flatMap((event) => (event.type === "compaction_complete" ? [event.status] : []));
        // Hooks and files are no reason not to compact, nor is a second look that does not come. A model that is not there is stood in for.
        const isModel = effect === "the model";
        const failed = way === "hangs" ? "timeout" : "applied";
        assert.deepEqual(ends, !isModel ? ["applied"] : background ? [failed] : failed === "applied" ? ["applied"] : ["timeout", "applied"], String(ends));
        while (conversation.undo());
        assert.deepEqual(conversation.view().messages, originals);
        await conversation.dispose();
      });
    }
  }

  test(`${format}: the process ends at ${effect}: what was stored opens, nothing is lost, and it is compacted again`, async () => {
    for (const background of [false, true]) {
      let left: Map<string, string> | undefined;
      const { options, arm, texts } = host(effect, async () => {
        await pause(5);
        left = new Map(texts);
        await hang();
      });
      const conversation = await filled({ ...options, format, background, timeouts: { model: 60_000, hook: 60_000 } }, background ? 0.83 : 1.02);
      const before = text(conversation);
      const originals = conversation.log.originals;
      arm();
      const controller = new AbortController();
      const pending = conversation.prepare({ signal: controller.signal }).catch(() => undefined);
      for (let waited = 0; !left && waited < 400; waited += 1) await pause(5);
      assert.ok(left, "it was met");
      const again = await open({ format, storage: memoryStorage(left), llm: async () => SUMMARY, background });
      assert.deepEqual([again.opened.log!.problems, again.log.originals, text(again)], [[], originals, before]);
      assert.equal(again.opened.interrupted, background ? 1 : undefined);
      const { messages, report } = await again.prepare();
      check(messages);
      assert.deepEqual([report.compactions.map(({ status }) => status), report.job], background ? [[], 2] : [["applied"], undefined]);
      await rest();
      controller.abort();
      await pending;
      await conversation.dispose();
      await again.dispose();
    }
  });
}
