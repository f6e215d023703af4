/**
 * One failure of a storage, at each of its operations, never ends the storing of a session; callbacks that call back
 * get an answer.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { Conversation } from "../../../js/conversation/conversation.ts";
import { Inside } from "../../../js/conversation/inside.ts";
import { begin, clock, rest, round, SUMMARY } from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage, openConversation } = espalier;
const MODEL = { name: "gpt-4o", maxPromptTokens: 4_000 };

const KINDS: Record<string, () => unknown> = {
  throws: () => {
    throw new Error("EIO");
  },
  rejects: () => Promise.reject(new Error("EIO")),
  hangs: () => new Promise(() => {}),
  "gives what is no text": () => ({}),
};

/** A storage whose operations `from`..`from + count` go wrong. */
function failing(texts: Map<string, string>, from: number, count: number, fault: () => unknown) {
  const base = memoryStorage(texts);
  const state = { operations: 0 };
  const wrap =
    (name: keyof ConversationStorage) =>
    (...args: [string, string]) => {
      const number = state.operations++;
      // What is no text can only be given by who reads.
      const isStruck =
        number >= from && number < from + count && (name === "read" || fault !== KINDS["gives what is no text"]);
      return isStruck ? fault() : (base[name] as (...args: [string, string]) => unknown)(...args);
    };
  const storage = Object.fromEntries(
    (["read", "append", "write", "list", "delete"] as const).map((name) => [name, wrap(name)]),
  );
  return { storage: storage as unknown as ConversationStorage, state };
}

/** Turns the clock on until it is over. */
async function over<R>(time: ReturnType<typeof clock>, pending: Promise<R>): Promise<R> {
  let isOver = false;
  pending.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  for (let turn = 0; !isOver && turn < 50; turn += 1) {
    await rest();
    if (!isOver && time.waiting > 0) time.turn(5_000);
  }
  return pending;
}

/**
 * A session of six messages over a storage, in which something goes wrong. Returns how many operations it had, and
 * whether all was stored by its own account.
 */
async function session(texts: Map<string, string>, from: number, count: number, kind: string) {
  const { storage, state } = failing(texts, from, count, KINDS[kind]!);
  const time = clock();
  const conversation = await over(
    time,
    openConversation<Fields>({ format: "openai-chat", model: MODEL, entropy: 1, storage, clock: time }),
  );
  for (const messages of [begin(), round(0), round(1)]) {
    conversation.append(messages);
    await over(time, conversation.flush());
  }
  const { isStored } = await over(time, conversation.dispose());
  return { all: state.operations, isStored };
}

for (const kind of Object.keys(KINDS)) {
  for (const count of [1, 5]) {
    test(`a new session is stored whole though an operation ${kind}, ${count} in a row`, async () => {
      const { all } = await session(new Map(), Number.POSITIVE_INFINITY, 0, kind);
      for (let from = 0; from < all; from += 1) {
        const texts = new Map<string, string>();
        const { isStored } = await session(texts, from, count, kind);
        // Of a longer failure at the very end it is said.
        if (!isStored && count > 1 && from + count >= all - 2) continue;
        const again = await openConversation<Fields>({ format: "openai-chat", storage: memoryStorage(texts) });
        assert.equal(again.log.originals, 6, `operation ${from}: ${[...texts.keys()]}`);
        await again.dispose();
      }
    });
  }
}

test("what could not be read when it was opened stays, and the session is kept beside it", async () => {
  const texts = new Map<string, string>();
  await session(texts, Number.POSITIVE_INFINITY, 0, "throws");
  const before = texts.get("log.jsonl");
  await session(texts, 0, 4, "throws");
  assert.equal(texts.get("log.jsonl"), before);
  const beside = [...texts.keys()].find((name) => /^log-\w+\.jsonl$/.test(name))!;
  assert.match(texts.get(beside)!, /Fix the parser/);
  // A single failure is read over.
  await session(texts, 0, 1, "throws");
  const again = await openConversation<Fields>({ format: "openai-chat", storage: memoryStorage(texts) });
  assert.equal(again.log.originals, 12);
  await again.dispose();
});

test("what is not stored is reported", async () => {
  const { storage } = failing(new Map(), 0, Number.POSITIVE_INFINITY, KINDS["throws"]!);
  const conversation = await openConversation<Fields>({ format: "openai-chat", storage });
  conversation.append(begin());
  const flushed = await conversation.flush();
  assert.equal(flushed.isStored, false);
  assert.deepEqual(
    flushed.missing.map(({ name }) => name),
    ["messages.jsonl", "log.jsonl"],
  );
  assert.equal((await conversation.dispose()).isStored, false);
});

// ------------------------------------------------------------ callbacks that call back

const CALLS: Record<string, (conversation: Conversation<Fields>) => Promise<unknown>> = {
  prepare: async (conversation) => (await conversation.prepare()).messages.length > 0,
  preview: async (conversation) => (await conversation.preview()).view.messages.length > 0,
  "preview with the model": (conversation) =>
    conversation.preview({ model: true }).catch((error: { code: string }) => error.code),
  compact: async (conversation) => (await conversation.compact()).status,
  "a switch of model": async (conversation) => (await conversation.modelSwitch({ maxPromptTokens: 100_000 })).fits,
};
const ANSWERS: Record<string, unknown> = { "preview with the model": "already_running", compact: "already_running" };

for (const trigger of ["by hand", "before a request"]) {
  for (const [name, call] of Object.entries(CALLS)) {
    test(`an llm callback that calls back gets an answer: ${name}, compacted ${trigger}`, async () => {
      const time = clock();
      const answers: unknown[] = [];
      const conversation: Conversation<Fields> = await openConversation<Fields>({
        format: "openai-chat",
        model: MODEL,
        entropy: 1,
        clock: time,
        background: false,
        llm: async () => {
          await rest();
          answers.push(await call(conversation));
          return SUMMARY;
        },
      });
      conversation.append(begin(20));
      for (let number = 20; conversation.usage().ratio < 1.1; number += 1) conversation.append(round(number, 40));
      const done = trigger === "by hand" ? conversation.compact() : conversation.prepare();
      await done;
      assert.ok(answers.length > 0);
      assert.deepEqual(new Set(answers), new Set([ANSWERS[name] ?? true]));
      await conversation.dispose();
    });
  }
}

test("callers are distinguished if the platform can, and none is held up where it cannot", async () => {
  for (const inside of [
    new Inside(),
    new Inside({ run: (_, work) => work(), getStore: () => undefined }),
    Reflect.construct(Inside, [null]) as Inside,
  ]) {
    let seen: boolean | undefined;
    const work = inside.wrap(async () => {
      await rest();
      seen = inside.isInside;
    });
    const pending = work();
    await pending;
    assert.equal(typeof seen, "boolean");
    assert.equal(inside.isInside, false);
  }
});

test("a callback of one conversation within a callback of another is inside of both, and of no third", async () => {
  const [outer, inner, other] = [new Inside(), new Inside(), new Inside()];
  const seen = () => [outer, inner, other].map(({ isInside }) => isInside);
  let within: boolean[] = [];
  let after: boolean[] = [];
  let left: Promise<boolean[]> | undefined;
  const work = outer.wrap(async () => {
    await inner.wrap(async () => {
      await rest();
      within = seen();
      left = rest().then(rest).then(rest).then(rest).then(seen);
    })();
    after = seen();
  });
  await work();
  assert.deepEqual(within, [true, true, false]);
  assert.deepEqual(after, [true, false, false]);
  assert.deepEqual(await left, [false, false, false], "callbacks that have settled hold nobody");
});

test("all conversations share one storage of Node: every promise of the process pays for each", () => {
  const source = `
    const hooks = process.getBuiltinModule("node:async_hooks");
    let made = 0;
    class Counted extends hooks.AsyncLocalStorage { constructor() { super(); made++; } }
    const real = process.getBuiltinModule;
    process.getBuiltinModule = (name) => (name === "node:async_hooks" ? { ...hooks, AsyncLocalStorage: Counted } : real(name));
    const { openConversation } = await import(${JSON.stringify(new URL("../../../pkg/dist/index-node.js", import.meta.url).href)});
    for (let at = 0; at < 5; at++) {
      const conversation = await openConversation({ messages: [{ role: "user", content: "Fix it." }], format: "openai-chat", model: "gpt-4o" });
      await conversation.prepare();
      await conversation.dispose();
    }
    console.log(made);`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  assert.equal(out.trim(), "1");
});

test("if callers cannot be distinguished, a job beside the conversation makes no caller one of its own", async () => {
  const inside = Reflect.construct(Inside, [null]) as Inside;
  const seen: boolean[] = [];
  const callback = async () => void seen.push(inside.isInside);
  await inside.wrap(callback, true)();
  await inside.wrap(callback)();
  assert.deepEqual(seen, [false, true]);
});
