/**
 * A conversation that is disposed of while something runs: what runs is given up, nobody is asked, nothing is written
 * any more.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Conversation } from "../../../js/conversation/conversation.ts";
import { SUMMARY, begin, model, rest, round } from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage, openConversation } = espalier;

/** A storage, and whatever is written into it. */
function written(texts = new Map<string, string>()) {
  const base = memoryStorage(texts);
  const writes: string[] = [];
  const told =
    <A extends [string, ...unknown[]], R>(run: (...args: A) => R) =>
    (...args: A): R => (writes.push(args[0]), run(...args));
  const storage: ConversationStorage = {
    ...base,
    append: told(base.append.bind(base)),
    write: told(base.write.bind(base)),
    delete: told(base.delete.bind(base)),
  };
  return { storage, writes, texts };
}

interface Row {
  what: string;
  options?: Partial<ConversationOptions<Fields>>;
  /** How full the request is that runs. */
  ratio: number;
  run(conversation: Conversation<Fields>, fill: (ratio: number) => void): Promise<unknown>;
  /** What becomes of it. */
  ends?: string;
}

const hook: { go: () => void } = { go: () => {} };
const ROWS: Row[] = [
  { what: "a request waits for the model", ratio: 1.05, options: { background: false }, run: (it) => it.prepare() },
  {
    what: "a request and one behind it",
    ratio: 1.05,
    options: { background: false },
    run: (it) =>
      Promise.any([it.prepare(), it.prepare()]).catch((all: AggregateError) => {
        throw all.errors[1];
      }),
  },
  {
    what: "a request waits for the hook",
    ratio: 1.05,
    options: {
      background: false,
      hooks: { preCompact: () => new Promise<undefined>((done) => (hook.go = () => done(undefined))) },
    },
    run: (it) => it.prepare(),
  },
  {
    what: "a request waits for a file",
    ratio: 1.05,
    options: {
      background: false,
      compact: { readFile: () => new Promise<string>((done) => (hook.go = () => done("text"))) },
    },
    run: (it) => it.prepare(),
  },
  {
    what: "a request waits for a job",
    ratio: 0.85,
    async run(it, fill) {
      await it.prepare();
      await rest();
      fill(1.02);
      return it.prepare();
    },
  },
  { what: "a preview waits for the model", ratio: 0.7, run: (it) => it.preview({ model: true }) },
  { what: "a compaction by hand waits for the model", ratio: 0.7, run: (it) => it.compact(), ends: "cancelled" },
  { what: "a job by itself", ratio: 0.85, run: async (it) => (await it.prepare(), "sent"), ends: "sent" },
];

for (const { what, options, ratio, run, ends = "disposed" } of ROWS) {
  test(`disposed while ${what}`, async () => {
    const { llm, calls } = model();
    const { storage, writes, texts } = written();
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      model: { name: "gpt-4o", maxPromptTokens: 4_000 },
      entropy: 7,
      storage,
      llm,
      ...options,
    });
    conversation.append(begin());
    let number = 0;
    const fill = (to: number) => {
      while (conversation.usage().ratio < to) conversation.append(round(number++, 5));
    };
    fill(ratio);
    await conversation.flush();
    const running = run(conversation, fill).then(
      (done) => (done as { status?: string }).status ?? String(done),
      (error: { code: string }) => error.code,
    );
    await rest();
    const asked = calls.length;
    const seen = (it: typeof conversation) => JSON.stringify([it.log.originals, it.edits(), it.view().messages]);
    const before = seen(conversation);
    await conversation.dispose();
    assert.ok(
      calls.every(({ signal }) => signal.aborted),
      "the model goes on",
    );
    assert.equal(await running, ends);
    const last = writes.length;
    hook.go();
    calls.forEach(({ answer }) => answer(SUMMARY));
    await rest();
    assert.deepEqual([calls.length, writes.slice(last)], [asked, []], "something went on");
    assert.deepEqual(
      [...texts.keys()].filter((name) => /-[0-9a-f]+\.jsonl$/.test(name)),
      [],
    );
    const again = await openConversation<Fields>({
      format: "openai-chat",
      model: { name: "gpt-4o", maxPromptTokens: 4_000 },
      storage,
    });
    assert.equal(seen(again), before);
    await again.dispose();
  });
}
