/** Whatever waits for the outside, and all that can happen there, in every format: an abort, an error, silence, the end of the process. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Format } from "../../../js/types.ts";
import { HOSTS, SUMMARY, heard, refused, rest, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage } = espalier;
const LIMIT = 6_000;
const FORMATS = Object.keys(HOSTS) as Format[];

/** Everything that a compaction waits for, in the order in which it does. */
const CALLS = ["the hook before", "the model", "the second look", "a file", "the hook after"] as const;
const PLACES = ["read", "append", "write", "list", "delete"] as const;
type Effect = (typeof CALLS)[number] | (typeof PLACES)[number];

/** A host in which `strike` happens at one effect, once. */
function host(effect: Effect, strike: (signal?: AbortSignal) => unknown) {
  const texts = new Map<string, string>();
  const seen: Effect[] = [];
  let isArmed = false;
  const at = async (name: Effect, signal?: AbortSignal) => {
    if (!isArmed) return;
    seen.push(name);
    if (name !== effect) return;
    isArmed = false;
    await strike(signal);
  };
  let looks = 0;
  const base = memoryStorage(texts);
  const struck = Object.fromEntries(PLACES.map((name) => [name, async (...given: [string, string]) => {
    await at(name);
    return base[name](...given);
  }])) as unknown as ConversationStorage;
  const options: Partial<ConversationOptions<Fields>> = {
    storage: struck,
    checkpoints: 1,
    timeouts: { model: 25, hook: 25, storage: 25, wait: 1_000 },
    llm: async (_, { signal }) => {
      looks += 1;
      await at(looks % 2 === 1 ? "the model" : "the second look", signal);
      return SUMMARY;
    },
    hooks: { preCompact: async (_, { signal }) => void (await at("the hook before", signal)), postCompact: (_, { signal }) => at("the hook after", signal) },
    compact: { ladder: ["summary", "offline", "fit"], verify: "always", llmBudget: 100_000, readFile: async (_, { signal }) => (await at("a file", signal), "let it = 1;\n") },
  };
  return { texts, base, options, seen, arm: () => { isArmed = true; looks = 0; } };
}
const open = (options: Partial<ConversationOptions<Fields>> & { format: Format }) =>
  openConversation<Fields>({ model: { name: "gpt-4o", maxPromptTokens: LIMIT }, entropy: 7, ...options });
type Opened = Awaited<ReturnType<typeof open>>;

/** A conversation with a file in use, this full, compacted once, so that there are checkpoints to list and to delete. */
async function filled(options: Partial<ConversationOptions<Fields>> & { format: Format }, ratio: number): Promise<Opened> {
  const { user, round } = HOSTS[options.format];
  const conversation = await open(options);
  conversation.append([user("Fix the parser, never touch the lexer.")]);
  let number = 0;
  const fill = (to: number) => {
    for (; conversation.usage().ratio < to; number += 1) {
      conversation.append([
        ...round({ id: `e${number}`, name: "edit_file", args: { path: `src/part${number}.ts`, new_string: "it" }, text: "done" }),
        ...round({ id: `c${number}`, name: "bash", args: { command: `make part${number}` }, text: `building part${number}\n`.repeat(5) }),
      ]);
    }
  };
  fill(0.7);
  assert.equal((await conversation.compact()).status, "applied");
  fill(ratio);
  await conversation.flush();
  return conversation;
}
const text = (conversation: Opened) => JSON.stringify(conversation.view().messages);
const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
/** Until the job that runs has ended, however slow the machine. */
async function settled(conversation: Opened): Promise<void> {
  for (let waited = 0; conversation.usage().job === "running" && waited < 2_000; waited += 1) await pause(5);
  await rest();
}
const hang = () => new Promise<never>(() => {});

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

// Neutral messages are in the log alone; those of the others are kept beside it.
for (const format of ["openai-chat", "espalier"] as const) for (const effect of PLACES) {
  for (const way of ["throws", "hangs", "ends"] as const) {
    test(`${format}: the storage ${way} at "${effect}" while a compaction is kept: it counts all the same`, async () => {
      let left: Map<string, string> | undefined;
      const { options, arm, texts, base } = host(effect, () => {
        left = new Map(texts);
        if (way === "throws") throw new Error("EIO");
        return hang();
      });
      const conversation = await filled({ ...options, format, background: false }, 1.02);
      const events = heard(conversation);
      const originals = conversation.log.originalsFrom(0);
      arm();
      const { messages, report } = await conversation.prepare();
      sound(messages, LIMIT, [], format);
      assert.deepEqual(report.compactions.map(({ status }) => status), ["applied"]);
      await conversation.flush();
      assert.ok(left, "it was met");
      assert.ok(events.some((event) => event.type === "warning" && event.code === "storage"));
      // As it stood when it went wrong, and as it stands when it works again.
      const stood = await open({ format, storage: memoryStorage(left) });
      assert.deepEqual([stood.opened.log!.problems, stood.log.originalsFrom(0)], [[], originals]);
      sound((await stood.prepare()).messages, LIMIT, [], format);
      conversation.append(HOSTS[format].round({ id: "c900", name: "bash", args: {}, text: "made" }));
      await conversation.flush();
      const later = await open({ format, storage: base });
      assert.deepEqual([later.opened.log!.problems, text(later)], [[], text(conversation)]);
      await later.dispose();
    });
  }
}
