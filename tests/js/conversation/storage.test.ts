/**
 * Keeping conversations: every adapter alike, reloading in the middle of anything, storages that fail, hang and lie.
 */

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { temporaryFolder } from "../folder.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import type { ConversationStorage, HostStorage } from "../../../js/conversation/storage.ts";
import { fakeIndexedDb } from "./indexeddb.ts";
import { SUMMARY, begin, clock, model, open, refused, rest, round, sound, text } from "./support.ts";

const { memoryStorage, nodeStorage, mementoStorage, workspaceStorage, indexedDbStorage } = espalier;

function memento() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) =>
      void (value === undefined ? values.delete(key) : values.set(key, value)),
    keys: () => [...values.keys()],
  };
}

/** `workspace.fs`, as far as it is used, over a map of files. */
function workspace() {
  type Uri = { path: string; with(change: { path: string }): Uri };
  const uri = (path: string): Uri => ({ path, with: (change) => uri(change.path) });
  const files = new Map<string, Uint8Array>();
  const folders = new Set<string>();
  const missing = () => Object.assign(new Error("EntryNotFound (FileSystemError)"), { code: "FileNotFound" });
  const fs = {
    readFile: async ({ path }: Uri) => files.get(path) ?? Promise.reject(missing()),
    writeFile: async ({ path }: Uri, content: Uint8Array) => {
      assert.ok(folders.has(path.slice(0, path.lastIndexOf("/"))), `${path} has a folder`);
      files.set(path, content);
    },
    readDirectory: async ({ path }: Uri): Promise<[string, number][]> => {
      if (!folders.has(path)) throw missing();
      const names = new Map<string, number>();
      for (const file of files.keys()) {
        if (!file.startsWith(`${path}/`)) continue;
        const [first, ...rest] = file.slice(path.length + 1).split("/");
        names.set(first!, rest.length > 0 ? 2 : 1);
      }
      return [...names];
    },
    createDirectory: async ({ path }: Uri) => {
      for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) folders.add(at);
    },
    delete: async ({ path }: Uri) => {
      if (!files.delete(path)) throw missing();
    },
    rename: async (from: Uri, to: Uri) => {
      files.set(to.path, files.get(from.path) ?? assert.fail());
      files.delete(from.path);
    },
  };
  return workspaceStorage(fs, uri("/state/session"));
}

const PLACES: [string, () => HostStorage][] = [
  ["memory", () => memoryStorage()],
  ["node", () => nodeStorage(join(temporaryFolder(), "deep", "session"))],
  ["memento", () => mementoStorage(memento(), "chat/7/")],
  ["workspace.fs", workspace],
  ["IndexedDB", () => indexedDbStorage("session", fakeIndexedDb())],
];

for (const [name, place] of PLACES) {
  test(`${name}: bytes are written, read, replaced, listed and deleted beside texts`, async () => {
    const storage = place();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256);
    assert.equal(await storage.readBytes("search/manifest"), undefined);
    await storage.writeBytes("search/manifest", bytes);
    await storage.append("log.jsonl", "{}\n");
    assert.deepEqual(await storage.readBytes("search/manifest"), bytes);
    await storage.writeBytes("search/manifest", new Uint8Array());
    await storage.writeBytes("search/segment-1", bytes.subarray(3, 9));
    assert.deepEqual(
      [await storage.readBytes("search/manifest"), await storage.readBytes("search/segment-1")],
      [new Uint8Array(), bytes.slice(3, 9)],
    );
    assert.deepEqual(
      [(await storage.list("search/")).toSorted(), (await storage.list("")).toSorted()],
      [
        ["search/manifest", "search/segment-1"],
        ["log.jsonl", "search/manifest", "search/segment-1"],
      ],
    );
    await storage.delete("search/manifest");
    await storage.delete("search/manifest");
    assert.deepEqual(
      [await storage.readBytes("search/manifest"), await storage.list("search/"), await storage.read("log.jsonl")],
      [undefined, ["search/segment-1"], "{}\n"],
    );
  });

  test(`${name}: texts are read, added to, replaced, listed, deleted`, async () => {
    const storage = place();
    assert.equal((await storage.read("log.jsonl")) ?? undefined, undefined);
    assert.deepEqual(await storage.list(""), []);
    await storage.delete("log.jsonl");
    await storage.append("log.jsonl", "one\n");
    await storage.append("log.jsonl", "zwei — 😀\n");
    assert.equal(await storage.read("log.jsonl"), "one\nzwei — 😀\n");
    const long = "x".repeat(70_000);
    await storage.append("log.jsonl", long);
    await storage.append("log.jsonl", "end");
    assert.equal(await storage.read("log.jsonl"), `one\nzwei — 😀\n${long}end`);
    await storage.write("checkpoints/001-a.md", "a");
    await storage.write("checkpoints/002-b.md", "b");
    assert.deepEqual((await storage.list("checkpoints/")).toSorted(), ["checkpoints/001-a.md", "checkpoints/002-b.md"]);
    await storage.write("log.jsonl", "new\n");
    assert.equal(await storage.read("log.jsonl"), "new\n");
    await storage.delete("checkpoints/001-a.md");
    assert.deepEqual((await storage.list("")).toSorted(), ["checkpoints/002-b.md", "log.jsonl"]);
  });

  test(`${name}: a conversation goes on where it was left`, async () => {
    const storage = place();
    const first = await open({ storage, background: true });
    first.append(begin());
    for (let number = 0; number < 45; number += 1) {
      first.append(round(number));
      await first.prepare();
      await rest();
    }
    assert.ok(first.edits().length > 0);
    const view = text(first);
    await first.dispose();
    const hash = first.log.hash();
    const second = await open({ storage, format: undefined as never });
    assert.deepEqual(
      [second.opened.isNew, second.opened.log!.problems, second.opened.interrupted],
      [false, [], undefined],
    );
    assert.equal(second.log.format, "openai-chat");
    assert.equal(second.log.hash(), hash);
    assert.equal(text(second), view);
    assert.ok(second.usage().requests > 30, "what was noted last");
    second.undo();
    second.append(round(99));
    sound((await second.prepare()).messages, 4_000);
    await second.flush();
    const third = await open({ storage });
    assert.equal(third.log.hash(), second.log.hash());
    assert.equal(text(third), text(second));
    const names = (await storage.list("checkpoints/")).toSorted();
    assert.match(names[0]!, /^checkpoints\/001-fix-the-parser-never-touch-the-lexer\.md$/);
    const index = (await storage.read("checkpoints/index.md"))!;
    assert.ok(
      names
        .filter((name) => !name.endsWith("index.md"))
        .every((name) => index.includes(name.slice("checkpoints/".length))),
    );
    assert.match((await storage.read(names[0]!))!, /# Fix the parser/);
  });
}

test("the host's own objects, when it has them; wrong ones are refused; missing ones at the end are added", async () => {
  const storage = memoryStorage();
  const messages = begin(5);
  const first = await open({ storage });
  first.append(messages);
  await first.flush();
  const again = await open({ storage, messages });
  again.view().messages.forEach((message, at) => assert.equal(message, messages[at]));
  await refused(
    () => open({ storage, messages: messages.map((message) => ({ ...message, content: "other" })) }),
    "bad_message",
    "options.messages[0]",
  );
  await refused(() => open({ storage, messages: messages.slice(1) }), "bad_message", "options.messages");
  const more = [...messages, ...round(77)];
  const longer = await open({ storage, messages: more });
  assert.equal(longer.log.originals, more.length);
});

test("only the newest checkpoints are kept as files, all of them in the log", async () => {
  const storage = memoryStorage();
  const conversation = await open({ storage, checkpoints: 2 });
  conversation.append(begin(10));
  for (let turn = 0; turn < 4; turn += 1) {
    conversation.append([0, 1, 2, 3, 4, 5, 6].flatMap((at) => round(100 + 10 * turn + at)));
    assert.equal((await conversation.compact()).checkpoint, turn + 1);
  }
  await conversation.flush();
  const numbers = (await storage.list("checkpoints/"))
    .map((name) => /\d+/.exec(name)?.[0])
    .filter(Boolean)
    .toSorted();
  assert.deepEqual(numbers, ["003", "004"]);
  assert.equal(
    (await storage.read("checkpoints/index.md"))!.split("\n").filter((line) => line.startsWith("- ")).length,
    2,
  );
  assert.deepEqual(
    conversation.log.checkpoints().map(({ number }) => number),
    [1, 2, 3, 4],
  );
});

test("left in the middle of a compaction: the job counts as failed, and everything is there", async () => {
  const storage = memoryStorage();
  const { llm, calls } = model();
  const first = await open({ storage, llm });
  first.append(begin());
  for (let number = 0; first.usage().job !== "running"; number += 1) {
    first.append(round(number));
    await first.prepare();
  }
  await first.flush();
  const view = text(first);
  const second = await open({ storage, llm });
  assert.equal(second.opened.interrupted, 1);
  assert.equal(text(second), view);
  calls[0]?.answer(SUMMARY);
  await rest();
  assert.equal(text(second), view);
  const { report } = await second.prepare();
  assert.equal(report.job, 2, "it is begun again, under a number of its own");
  await first.dispose();
  await second.dispose();
});

test("a finished summary that was not used yet is used after a reload", async () => {
  const storage = memoryStorage();
  const { llm, calls } = model();
  const first = await open({ storage, llm });
  first.append(begin());
  for (let number = 0; first.usage().job !== "running"; number += 1) {
    first.append(round(number));
    await first.prepare();
  }
  await rest();
  calls[0]!.answer(SUMMARY);
  await rest();
  await first.flush();
  const second = await open({ storage, llm });
  assert.equal(second.usage().job, "ready");
  const { report, messages } = await second.prepare();
  assert.deepEqual(
    report.compactions.map(({ status, job }) => [status, job]),
    [["applied", 1]],
  );
  assert.match(String(messages[2]!["content"]), /The parser is being fixed/);
  assert.equal(calls.length, 1);
});

/** A storage in which something goes wrong. */
function ill(what: Partial<ConversationStorage>, base = memoryStorage()): ConversationStorage {
  return { ...base, ...what };
}
const warnings = (events: AnyEvent[]) => events.flatMap((event) => (event.type === "warning" ? [event.code] : []));

test("a storage that throws, or is full, is warned of once; what is missing is written when it works again", async () => {
  const texts = new Map<string, string>();
  const base = memoryStorage(texts);
  let isFull = true;
  const full = (): void => {
    if (isFull) throw new Error("ENOSPC");
  };
  const storage = ill(
    {
      append: (name, added) => (full(), base.append(name, added)),
      write: (name, added) => (full(), base.write(name, added)),
    },
    base,
  );
  const events: AnyEvent[] = [];
  const conversation = await open({ storage, automatic: false, onEvent: (event) => void events.push(event) });
  conversation.append(begin(30));
  const { messages } = await conversation.prepare();
  sound(messages, 4_000);
  await conversation.flush();
  assert.equal((await conversation.compact()).status, "applied");
  await conversation.flush();
  assert.deepEqual([...new Set(warnings(events))], ["storage"]);
  assert.equal(texts.size, 0);
  isFull = false;
  conversation.append(round(50));
  await conversation.flush();
  assert.equal(texts.get("log.jsonl"), conversation.log.export());
  assert.equal(text(await open({ storage: base })), text(conversation));
});

test("a write that was cut half way is written anew", async () => {
  const texts = new Map<string, string>();
  const base = memoryStorage(texts);
  let isCut = false;
  const storage = ill(
    {
      append: (name, added) => {
        if (!isCut) return base.append(name, added);
        isCut = false;
        base.append(name, added.slice(0, added.length / 2));
        throw new Error("EIO");
      },
    },
    base,
  );
  const conversation = await open({ storage });
  conversation.append(begin(2));
  await conversation.flush();
  isCut = true;
  conversation.append(round(5));
  await conversation.flush();
  conversation.append(round(6));
  await conversation.flush();
  assert.equal(texts.get("log.jsonl"), conversation.log.export());
});

test("a storage that hangs holds nothing up", async () => {
  const time = clock();
  const events: AnyEvent[] = [];
  const storage = ill({ append: () => new Promise<void>(() => {}) });
  const conversation = await open({ storage, clock: time, onEvent: (event) => void events.push(event) });
  conversation.append(begin(5));
  const { messages } = await conversation.prepare();
  assert.equal(messages.length, 12);
  await rest();
  assert.deepEqual(warnings(events), []);
  time.turn(5_000);
  await rest();
  assert.deepEqual(warnings(events), ["storage"]);
});

test("a storage that cannot be read is never written to: nobody knows what it holds", async () => {
  for (const read of [
    () => {
      throw new Error("EACCES");
    },
    () => new Promise<string>(() => {}),
    () => 7 as never,
  ]) {
    const time = clock();
    const written: string[] = [];
    const events: AnyEvent[] = [];
    const storage = ill({ read, append: (name) => void written.push(name), write: (name) => void written.push(name) });
    const opening = open({ storage, clock: time, onEvent: (event) => void events.push(event) });
    await rest();
    time.turn(5_000);
    const conversation = await opening;
    conversation.append(begin(30));
    sound((await conversation.prepare()).messages, 4_000);
    let flushed: Awaited<ReturnType<typeof conversation.flush>> | undefined;
    void conversation.flush().then((report) => (flushed = report));
    while (!flushed) {
      await rest();
      time.turn(5_000);
    }
    assert.equal(flushed.isStored, false);
    assert.deepEqual(written, []);
  }
});

test("a line that was changed, cut or lost: told, kept aside, and no message is lost that can be read", async () => {
  const doings: [string, (lines: string[]) => string, boolean][] = [
    [
      "changed",
      (lines) => `${lines.map((line, at) => (at === 4 ? line.replace("building", "BUILDING") : line)).join("\n")}\n`,
      true,
    ],
    ["lost", (lines) => `${lines.filter((_, at) => at !== 6).join("\n")}\n`, true],
    ["cut", (lines) => lines.join("\n").slice(0, -30), false],
    ["twice", (lines) => `${[...lines.slice(0, 5), lines[4], ...lines.slice(5)].join("\n")}\n`, true],
    ["rubbish", (lines) => `${[...lines.slice(0, 5), "\u0000\u0000rubbish", ...lines.slice(5)].join("\n")}\n`, true],
  ];
  for (const [name, doing, aside] of doings) {
    const texts = new Map<string, string>();
    const storage = memoryStorage(texts);
    const first = await open({ storage });
    first.append(begin(5));
    await first.dispose();
    const damaged = doing(texts.get("log.jsonl")!.trimEnd().split("\n"));
    texts.set("log.jsonl", damaged);
    const events: AnyEvent[] = [];
    const second = await open({ storage, onEvent: (event) => void events.push(event) });
    assert.deepEqual(
      warnings(events).filter((code) => code === "bad_log"),
      ["bad_log"],
      name,
    );
    assert.equal(
      [...texts].some(([file, kept]) => file.startsWith("damaged-") && kept === damaged),
      aside,
      name,
    );
    assert.ok(second.log.originals >= 10, `${name}: ${second.log.originals}`);
    second.append(round(50));
    sound((await second.prepare()).messages, 4_000);
    await second.flush();
    const third = await open({ storage });
    assert.deepEqual(third.opened.log!.problems, [], name);
    assert.equal(text(third), text(second), name);
  }
});

test("a log of a newer version is not touched", async () => {
  const texts = new Map<string, string>();
  const storage = memoryStorage(texts);
  const first = await open({ storage });
  first.append(begin(2));
  await first.dispose();
  const newer = texts.get("log.jsonl")!.replaceAll('"v":1', '"v":99');
  texts.set("log.jsonl", newer);
  await assert.rejects(
    () => open({ storage }),
    (error) => error instanceof espalier.EspalierError && error.code === "log_version",
  );
  assert.equal(texts.get("log.jsonl"), newer);
});

test("host messages that do not belong to the log are made again from it", async () => {
  const texts = new Map<string, string>();
  const storage = memoryStorage(texts);
  const first = await open({ storage });
  first.append(begin(3));
  const view = text(first);
  await first.dispose();
  for (const messages of [
    "",
    "not json\n",
    texts.get("messages.jsonl")!.split("\n").toReversed().join("\n"),
    texts.get("messages.jsonl")!.split("\n").slice(0, 3).join("\n"),
  ]) {
    texts.set("messages.jsonl", messages);
    const again = await open({ storage });
    assert.equal(again.log.originals, 8);
    sound(again.view().messages, 4_000);
    assert.equal(JSON.parse(text(again)).at(-1).content, JSON.parse(view).at(-1).content);
    await again.dispose();
  }
});

test("files: a cut last line is survived, and a folder that goes away is made again", async () => {
  const path = temporaryFolder();
  const first = await open({ storage: nodeStorage(path) });
  first.append(begin(4));
  await first.dispose();
  const file = join(path, "log.jsonl");
  truncateSync(file, readFileSync(file).length - 10);
  appendFileSync(file, "");
  const second = await open({ storage: nodeStorage(path) });
  assert.ok(second.log.originals >= 9);
  rmSync(path, { recursive: true });
  second.append(round(9));
  await second.flush();
  second.append(round(10));
  await second.flush();
  writeFileSync(join(path, "other.txt"), "not ours");
  assert.ok(readdirSync(path).includes("log.jsonl"));
  await refused(() => nodeStorage(path).read("../outside"), "bad_input", "name");
});
