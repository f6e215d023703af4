/** Storages that lie, and storages that two conversations share. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import { LIMIT, SUMMARY, begin, listening, model, open, rest, round, sound, text } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage } = espalier;

// ------------------------------------------------------------ lies

/** A storage that keeps to its word until `lies` is set. */
function liar(
  lie: Partial<Record<keyof ConversationStorage, (name: string, text: string, base: ConversationStorage) => unknown>>,
) {
  const texts = new Map<string, string>();
  const base = memoryStorage(texts);
  const state = { lies: false };
  const storage = Object.fromEntries(
    (["read", "append", "write", "list", "delete"] as const).map((method) => [
      method,
      (name: string, given: string) => {
        const how = state.lies ? lie[method] : undefined;
        return how ? how(name, given, base) : (base[method] as (name: string, text: string) => unknown)(name, given);
      },
    ]),
  ) as unknown as ConversationStorage;
  return { storage, base, texts, state };
}
const isLog = (name: string) => /^(log|messages)/.test(name);
const LIES: [string, Parameters<typeof liar>[0]][] = [
  [
    "says it wrote and did not",
    { append: (name, added, base) => (isLog(name) ? undefined : base.append(name, added)) },
  ],
  [
    "writes half of it",
    { append: (name, added, base) => base.append(name, isLog(name) ? added.slice(0, added.length / 2) : added) },
  ],
  ["writes it twice", { append: (name, added, base) => base.append(name, isLog(name) ? added + added : added) }],
  ["writes other bytes", { append: (name, added, base) => base.append(name, added.replaceAll("e", "é")) }],
  [
    "gives back what was there before",
    { read: (name, _, base) => (isLog(name) ? String(base.read(name)).slice(0, 400) : base.read(name)) },
  ],
  ["gives back another's", { read: (name, _, base) => (isLog(name) ? "nothing of yours\n" : base.read(name)) }],
  ["gives back what is no text", { read: () => ({}) }],
  ["forgets everything", { read: () => undefined }],
  ["lists what is not there, and not what is", { list: () => ["checkpoints/900-x.md", "../etc/passwd", ""] }],
];

for (const [name, lie] of LIES) {
  test(`a storage that ${name}: the conversation goes on, and what it has is stored once the storage is honest`, async () => {
    const { storage, base, texts, state } = liar(lie);
    const { onEvent, said } = listening();
    const conversation = await open({ storage, onEvent });
    conversation.append(begin(8));
    await conversation.flush();
    state.lies = true;
    conversation.append(round(20));
    assert.equal((await conversation.compact()).status, "applied");
    await conversation.flush();
    if (!name.startsWith("lists"))
      assert.ok(
        said().some((what) => what.startsWith("storage:")),
        name,
      );
    state.lies = false;
    conversation.append(round(21));
    sound((await conversation.prepare()).messages, LIMIT);
    const [view, originals] = [text(conversation), conversation.log.originalsFrom(0)];
    await conversation.dispose();
    // Under the name of the conversation, or under one of its own where somebody else seemed to have it.
    const own = [...texts.keys()].find((file) => /^log-\w+\.jsonl$/.test(file));
    const log = own === undefined ? undefined : texts.get(own);
    const again = await open(log === undefined ? { storage: base } : { log, messages: originals });
    assert.deepEqual([again.opened.log!.problems, text(again), again.log.originalsFrom(0)], [[], view, originals]);
    await again.dispose();
  });
}

// ------------------------------------------------------------ two conversations, one storage

test("two conversations over one storage: the one that was opened last has it, the other goes on beside it, and neither loses anything", async () => {
  const texts = new Map<string, string>();
  const storage = memoryStorage(texts);
  const [a, b] = [listening(), listening()];
  const first = await open({ storage, onEvent: a.onEvent });
  first.append(begin(3));
  await first.flush();
  const second = await open({ storage, onEvent: b.onEvent });
  assert.equal(text(second), text(first));
  // Before it has anything of its own to store, too.
  assert.deepEqual(
    [(await first.flush()).isTaken, (await second.flush()).isTaken],
    [true, false],
    "who has lost the storage",
  );
  second.append(round(50));
  first.append(round(60));
  second.append(round(51));
  first.append(round(61));
  await Promise.all([first.flush(), second.flush()]);
  sound((await first.prepare()).messages, LIMIT);
  sound((await second.prepare()).messages, LIMIT);
  const views = [text(first), text(second)];
  await Promise.all([first.dispose(), second.dispose()]);
  assert.deepEqual(b.said(), []);
  const [said, ...others] = a.said();
  assert.deepEqual(others, []);
  const [, name] = /continues as (log-\w+\.jsonl)$/.exec(said!)!;
  const again = await open({ storage });
  assert.deepEqual([again.opened.log!.problems, text(again)], [[], views[1]]);
  const apart = await openConversation<Fields>({
    log: texts.get(name!)!,
    messages: texts
      .get(name!.replace("log", "messages"))!
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Fields),
    model: "gpt-4o",
  });
  assert.deepEqual([apart.opened.log!.problems, text(apart)], [[], views[0]]);
});

test("two compactions at once, of two conversations over one storage", async () => {
  const texts = new Map<string, string>();
  const storage = memoryStorage(texts);
  const one = model();
  const two = model();
  const first = await open({
    storage,
    llm: one.llm,
    compact: { verify: "never", ladder: ["summary", "offline", "fit"] },
  });
  first.append(begin(15));
  await first.flush();
  const second = await open({
    storage,
    llm: two.llm,
    compact: { verify: "never", ladder: ["summary", "offline", "fit"] },
  });
  const both = [first.compact(), second.compact()];
  await rest();
  two.calls[0]!.answer(SUMMARY.replace("parser", "second"));
  await rest();
  one.calls[0]!.answer(SUMMARY.replace("parser", "first"));
  for (const done of both) assert.equal((await done).status, "applied");
  await Promise.all([first.flush(), second.flush()]);
  for (const conversation of [first, second]) {
    conversation.append(round(70));
    sound((await conversation.prepare()).messages, LIMIT);
  }
  assert.ok(text(first).includes("The first is being fixed") && text(second).includes("The second is being fixed"));
  await second.dispose();
  const again = await open({ storage });
  assert.deepEqual([again.opened.log!.problems, text(again)], [[], text(second)]);
  assert.equal([...texts.keys()].filter((name) => /^log-/.test(name)).length, 1);
});

test("one that only ends beside another leaves nothing behind", async () => {
  const texts = new Map<string, string>();
  const { llm } = model();
  const first = await open({ storage: memoryStorage(texts), llm });
  first.append(begin(15));
  first.agentRequest();
  await first.flush();
  const second = await open({ storage: memoryStorage(texts) });
  const { onEvent, said } = listening();
  first.on("*", onEvent);
  await first.dispose();
  assert.deepEqual([said(), [...texts.keys()].filter((name) => /^log-/.test(name))], [[], []]);
  await second.dispose();
});

test("lines that were only restored make no side log; a side log is listed when the storage is opened", async () => {
  const texts = new Map<string, string>();
  const first = await open({ storage: memoryStorage(texts) });
  first.append(begin(2));
  await first.flush();
  assert.equal(first.opened.sideLogs, undefined);
  const sideLogs = () => [...texts.keys()].filter((name) => /^log-/.test(name));
  // A window that opens while another writes: the log is behind the messages, and its last line is cut.
  const cut = texts.get("log.jsonl")!.slice(0, -30);
  for (const says of [undefined, "And the tests."]) {
    texts.set("log.jsonl", cut);
    const second = await open({ storage: memoryStorage(texts) });
    assert.equal(second.log.originals, first.log.originals);
    // The other window signs after it.
    texts.set("owner", "another");
    if (says !== undefined) second.append({ role: "user", content: says });
    const { isTaken, sideLog } = await second.dispose();
    assert.equal(isTaken, true);
    assert.deepEqual(sideLogs(), says === undefined ? [] : [sideLog]);
  }
  const third = await open({ storage: memoryStorage(texts) });
  assert.deepEqual(third.opened.sideLogs, sideLogs());
  await third.dispose();
});

for (const [options, code] of [
  [{ messages: [{ role: "user", content: "another conversation" }] }, "bad_message"],
  [{ tools: [null] }, "bad_option"],
] as [Fields, string][])
  test(`an opening that fails gives the storage back: ${code}`, async () => {
    const texts = new Map<string, string>();
    const storage = memoryStorage(texts);
    const first = await open({ storage });
    first.append(begin(2));
    await first.flush();
    await assert.rejects(() => open({ storage, ...options }), { code });
    first.append(round(9));
    await first.flush();
    assert.equal(texts.get("log.jsonl"), first.log.export());
  });
