/**
 * Whatever waits for the outside, and all that can happen there, in every format: an abort, an error, silence, the end
 * of the process.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import { CALLS, FORMATS, LIMIT, PLACES, broken, filled, hang, host, open, pause, settled, text } from "./struck.ts";
import type { Effect } from "./struck.ts";
import { HOSTS, SUMMARY, heard, refused, rest, sound } from "./support.ts";
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

for (const [row, format] of FORMATS.entries())
  for (const [column, effect] of CALLS.entries()) {
    if (!isTried(5, row, column)) continue;
    const check = (messages: readonly Fields[]) => sound(messages, LIMIT, [], format);

    test(`${format}: aborted at ${effect}: the log is what it was, byte for byte, and the next request is made`, async () => {
      const controller = new AbortController();
      const { options, arm } = host(effect, async () => {
        controller.abort(new Error("Esc"));
        await hang();
      });
      const conversation = await filled({ ...options, format, background: false }, 1.02);
      const before = [conversation.log.export(), text(conversation)];
      arm();
      await refused(() => conversation.prepare({ signal: controller.signal }), "aborted");
      assert.deepEqual([conversation.log.export(), text(conversation)], before);
      const { messages, report } = await conversation.prepare();
      assert.deepEqual(
        report.compactions.map(({ status }) => status),
        ["applied"],
      );
      check(messages);
      await conversation.dispose();
    });

    test(`${format}: a compaction by hand, aborted at ${effect}, by its signal or by cancel()`, async () => {
      for (const way of ["signal", "cancel"]) {
        const controller = new AbortController();
        let cancel = () => {};
        const { options, arm } = host(effect, async () => {
          if (way === "signal") controller.abort();
          else cancel();
          await hang();
        });
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
      const { options, arm } = host(effect, async () => {
        cancel();
        await hang();
      });
      const conversation = await filled({ ...options, format }, 0.83);
      cancel = () => void conversation.cancel();
      const before = [text(conversation), conversation.edits().length, conversation.log.originals];
      arm();
      const {
        report: { job },
      } = await conversation.prepare();
      await settled(conversation);
      assert.deepEqual(
        [text(conversation), conversation.edits().length, conversation.log.originals, conversation.usage().job],
        [...before, "idle"],
      );
      const again = await conversation.prepare();
      assert.equal(again.report.job, job! + 1);
      await settled(conversation);
      assert.equal(conversation.usage().job, "ready");
      await conversation.dispose();
    });

    const strikes = { throws: broken, hangs: hang };
    for (const [at, way] of (["throws", "hangs"] as const).entries()) {
      for (const background of [false, true]) {
        // The two formats in which an effect is tried share the four cases between them.
        if (!isTried(2, row, at, Number(background))) continue;
        test(`${format}: ${effect} ${way}, ${background ? "beside the conversation" : "before a request"}: it ends, the request goes out, nothing is lost`, async () => {
          const { options, arm } = host(effect, strikes[way]);
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
          // Hooks and files are no reason not to compact, nor is a second look that does not come. A model that is not
          // there is stood in for.
          const isModel = effect === "the model";
          const failed = way === "hangs" ? "timeout" : "applied";
          assert.deepEqual(
            ends,
            !isModel
              ? ["applied"]
              : background
                ? [failed]
                : failed === "applied"
                  ? ["applied"]
                  : ["timeout", "applied"],
            String(ends),
          );
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
        const conversation = await filled(
          { ...options, format, background, timeoutsMs: { model: 60_000, hook: 60_000 } },
          background ? 0.83 : 1.02,
        );
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
        assert.deepEqual(
          [report.compactions.map(({ status }) => status), report.job],
          background ? [[], 2] : [["applied"], undefined],
        );
        await rest();
        controller.abort();
        await pending;
        await conversation.dispose();
        await again.dispose();
      }
    });
  }

// What is stored is stored when the result counts: an abort then comes too late, and takes nothing back.
for (const [row, format] of FORMATS.entries())
  for (const [column, place] of PLACES.entries()) {
    if (!isTried(5, row, column)) continue;
    const check = (messages: readonly Fields[]) => sound(messages, LIMIT, [], format);
    /** What was stored opens as what there is. */
    const opens = async (
      conversation: Awaited<ReturnType<typeof open>>,
      texts: ReadonlyMap<string, string>,
      what: string,
    ) => {
      await conversation.flush();
      const again = await open({ format, storage: memoryStorage(new Map(texts)) });
      assert.deepEqual(
        [again.opened.log!.problems, text(again), again.edits().length],
        [[], text(conversation), conversation.edits().length],
        what,
      );
      // Opened elsewhere a request goes on from there.
      check((await again.prepare()).messages);
      await again.dispose();
    };

    test(`${format}: aborted while the storage is asked to ${place}: what was made counts, is sent, and is stored whole`, async () => {
      for (const end of ["goes on", "hangs"]) {
        const controller = new AbortController();
        let isOver = false;
        let wasOver: boolean | undefined;
        const { options, texts, arm } = host(place, async () => {
          wasOver = isOver;
          controller.abort(new Error("Esc"));
          if (end === "hangs") await hang();
        });
        const conversation = await filled({ ...options, format, background: false }, 1.02);
        const before = conversation.edits().length;
        const originals = conversation.log.originalsFrom(0);
        conversation.on("compaction_complete", () => void (isOver = true));
        arm();
        const { messages, report } = await conversation.prepare({ signal: controller.signal });
        assert.deepEqual(
          report.compactions.map(({ status }) => status),
          ["applied"],
          end,
        );
        check(messages);
        assert.ok(
          conversation.edits().length > before && JSON.stringify(messages).includes("The parser is being fixed"),
          end,
        );
        await conversation.flush();
        assert.deepEqual([controller.signal.aborted, wasOver], [true, true], end);
        // What could not be written is written with what comes next.
        conversation.append([HOSTS[format].user("Go on, please.")]);
        await opens(conversation, texts, end);
        // A caller that aborted is refused the next time, and nothing changes by it.
        const [length, view] = [conversation.log.length, text(conversation)];
        await refused(() => conversation.prepare({ signal: controller.signal }), "aborted");
        assert.deepEqual([conversation.log.length, text(conversation)], [length, view]);
        check((await conversation.prepare()).messages);
        while (conversation.undo());
        assert.deepEqual(conversation.log.originalsFrom(0).slice(0, -1), originals, end);
        await conversation.dispose();
      }
    });

    test(`${format}: a compaction by hand, aborted while the storage is asked to ${place}, by its signal or by cancel(): applied`, async () => {
      for (const way of ["signal", "cancel"]) {
        const controller = new AbortController();
        let cancel = () => {};
        const { options, texts, arm } = host(place, () => {
          if (way === "signal") controller.abort();
          else cancel();
        });
        const conversation = await filled({ ...options, format, background: false }, 0.6);
        let met = 0;
        cancel = () => {
          met += 1;
          conversation.cancel();
        };
        const before = text(conversation);
        arm();
        const { status, edits } = await conversation.compact({ signal: controller.signal });
        assert.deepEqual([status, edits.length > 0], ["applied", true], way);
        await conversation.flush();
        assert.ok(way === "signal" ? controller.signal.aborted : met === 1, way);
        await opens(conversation, texts, way);
        conversation.undo();
        assert.equal(text(conversation), before, way);
        await opens(conversation, texts, way);
        await conversation.dispose();
      }
    });

    test(`${format}: a job beside the conversation, cancelled while the storage is asked to ${place}: all of it or nothing`, async () => {
      let cancel = () => {};
      let was: string | undefined;
      const { options, texts, arm } = host(place, () => cancel());
      const conversation = await filled({ ...options, format }, 0.83);
      cancel = () => {
        was = conversation.usage().job;
        conversation.cancel();
      };
      const [before, edits] = [text(conversation), conversation.edits().length];
      arm();
      check((await conversation.prepare()).messages);
      await settled(conversation);
      // A job may be given up until its result is in use.
      const { messages } = await conversation.prepare();
      check(messages);
      await settled(conversation);
      await conversation.flush();
      assert.ok(was !== undefined, "it was met");
      const isInUse = was === "idle";
      assert.deepEqual([text(conversation) === before, conversation.edits().length > edits], [!isInUse, isInUse], was);
      await opens(conversation, texts, was);
      await conversation.dispose();
    });
  }
