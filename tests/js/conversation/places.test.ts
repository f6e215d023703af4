/**
 * Where conversations are stored: files, what an extension of VS Code has, IndexedDB. Writes that end in the middle,
 * and what an addition costs.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs, { appendFileSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import type * as vscode from "vscode";
import { espalier } from "../built.ts";
import { temporaryFolder } from "../folder.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import { fakeIndexedDb } from "./indexeddb.ts";
import { LIMIT, begin, listening, model, open, round, sound, text } from "./support.ts";
import type { Fields } from "./support.ts";

const { nodeStorage, mementoStorage, workspaceStorage, indexedDbStorage } = espalier;

// ------------------------------------------------------------ files

const dist = new URL("../../../pkg/dist/", import.meta.url);

test("files: a process that is killed while it writes leaves a conversation that opens, with all that was promised", async () => {
  const folder = temporaryFolder();
  const script = `
    import { openConversation } from ${JSON.stringify(new URL("index-node.js", dist).href)};
    import { nodeStorage } from ${JSON.stringify(new URL("storage-node.js", dist).href)};
    const conversation = await openConversation({ format: "openai-chat", model: { name: "gpt-4o", maxPromptTokens: 4000 }, storage: nodeStorage(${JSON.stringify(folder)}) });
    if (conversation.opened.isNew) conversation.append([{ role: "user", content: "Fix the parser." }]);
    for (;;) {
      const number = conversation.log.originals;
      conversation.append([
        { role: "assistant", content: null, tool_calls: [{ id: "c" + number, type: "function", function: { name: "bash", arguments: '{"command":"make"}' } }] },
        { role: "tool", tool_call_id: "c" + number, content: ("Größe 😀 " + number + "\\n").repeat(40) },
      ]);
      await conversation.prepare();
      await conversation.flush();
      console.log(conversation.log.originals);
    }`;
  let promised = 0;
  for (const lines of [3, 9, 27]) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let heard = 0;
    await new Promise<void>((done) => {
      child.stdout.on("data", (chunk: Buffer) => {
        for (const line of String(chunk).trim().split("\n")) promised = Math.max(promised, Number(line));
        heard += 1;
        if (heard >= lines) child.kill("SIGKILL");
      });
      child.on("exit", () => done());
    });
    const conversation = await open({ storage: nodeStorage(folder) });
    assert.ok(conversation.log.originals >= promised, `${conversation.log.originals} of ${promised}`);
    assert.ok(conversation.opened.log!.problems.every(({ kind }) => kind === "cut"));
    sound((await conversation.prepare()).messages, LIMIT);
    await conversation.dispose();
    assert.equal(readFileSync(join(folder, "log.jsonl"), "utf8"), conversation.log.export());
  }
});

test("files: a last line that is torn in the middle of a letter", async () => {
  const folder = temporaryFolder();
  const first = await open({ storage: nodeStorage(folder) });
  first.append(begin(2));
  await first.dispose();
  appendFileSync(join(folder, "log.jsonl"), Buffer.from('{"seq":99,"v":1,"text":"ü').subarray(0, -1));
  appendFileSync(join(folder, "messages.jsonl"), Buffer.from('{"role":"user","content":"😀').subarray(0, -2));
  const second = await open({ storage: nodeStorage(folder) });
  assert.deepEqual([second.opened.log!.problems.map(({ kind }) => kind), text(second)], [["cut"], text(first)]);
  second.append(round(7));
  await second.dispose();
  const third = await open({ storage: nodeStorage(folder) });
  assert.deepEqual([third.opened.log!.problems, text(third)], [[], text(second)]);
});

// ------------------------------------------------------------ VS Code

/**
 * A `Memento` as VS Code's: values go through JSON, `get` tells what was updated last, all of it is written later, and
 * may fail.
 */
function memento(asked: string[] = []): vscode.Memento & { stored: string } {
  const cache = new Map<string, unknown>();
  return {
    stored: "{}",
    get: <T>(key: string, otherwise?: T) =>
      (asked.push(`read ${key}`), cache.has(key) ? (structuredClone(cache.get(key)) as T) : otherwise) as T,
    keys: () => (asked.push("list"), [...cache.keys()]),
    async update(key: string, value: unknown) {
      asked.push(`write ${key}`);
      const json = JSON.stringify(value);
      if (json === undefined) cache.delete(key);
      else cache.set(key, JSON.parse(json));
      await new Promise((done) => setImmediate(done));
      this.stored = JSON.stringify(Object.fromEntries(cache));
    },
  };
}

/**
 * `workspace.fs` as VS Code's on a disk: everything later, bytes copied, folders made with the file, no adding to a
 * file.
 */
function disk(asked: string[] = []) {
  type Uri = Pick<vscode.Uri, "path" | "scheme"> & { with(change: { path: string }): Uri };
  const uri = (path: string): Uri => ({ scheme: "vscode-remote", path, with: (change) => uri(change.path) });
  const files = new Map<string, Uint8Array>();
  const folders = new Set<string>(["/"]);
  const state = { torn: false };
  const later = () => new Promise((done) => setImmediate(done));
  const missing = (path: string) =>
    Object.assign(new Error(`Unable to read file '${path}'`), {
      name: "EntryNotFound (FileSystemError)",
      code: "FileNotFound",
    });
  const fs = {
    async readFile({ path }: Uri) {
      asked.push(`read ${path}`);
      await later();
      const found = files.get(path);
      if (!found) throw missing(path);
      return found.slice();
    },
    async writeFile({ path }: Uri, content: Uint8Array) {
      asked.push(`write ${path}`);
      assert.ok(content instanceof Uint8Array);
      // Truncated first, filled later: a window that closes in between leaves half a file.
      files.set(path, new Uint8Array());
      await later();
      files.set(path, state.torn ? content.slice(0, content.length >> 1) : content.slice());
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.add(path.slice(0, at));
    },
    async readDirectory({ path }: Uri): Promise<[string, number][]> {
      asked.push("list");
      await later();
      if (!folders.has(path)) throw missing(path);
      const names = new Map<string, number>();
      for (const file of files.keys()) {
        if (!file.startsWith(`${path}/`)) continue;
        const [first, ...inside] = file.slice(path.length + 1).split("/");
        names.set(first!, inside.length > 0 ? 2 : 1);
      }
      return [...names];
    },
    async createDirectory({ path }: Uri) {
      asked.push(`folder ${path}`);
      await later();
      folders.add(path);
    },
    async delete({ path }: Uri) {
      await later();
      if (!files.delete(path)) throw missing(path);
    },
    async rename(from: Uri, to: Uri, { overwrite }: { overwrite: boolean }) {
      asked.push(`rename ${to.path}`);
      await later();
      assert.ok(overwrite);
      // The window is gone before it comes to this.
      if (state.torn) throw new Error("the window is closed");
      const found = files.get(from.path);
      if (!found) throw missing(from.path);
      files.set(to.path, found);
      files.delete(from.path);
    },
  };
  return { storage: () => workspaceStorage(fs, uri("/home/me/.config/Code/session 7")), files, state };
}

// The shapes that are taken are those of VS Code.
const typed: [
  (memento: vscode.Memento) => ConversationStorage,
  (fs: vscode.FileSystem, folder: vscode.Uri) => ConversationStorage,
] = [(given) => mementoStorage(given, "chat/"), (fs, folder) => workspaceStorage(fs, folder)];

test("VS Code: its own types fit", () => assert.equal(typed.length, 2));

test("VS Code's memento: a conversation, the window reloaded in the middle of a compaction, and what was stored is JSON", async () => {
  const first = memento();
  const { llm } = model();
  const conversation = await open({ storage: mementoStorage(first, "chat/7/"), llm });
  conversation.append(begin());
  for (let number = 0; conversation.usage().job !== "running"; number += 1) {
    conversation.append(round(number));
    await conversation.prepare();
  }
  await conversation.flush();
  const window = memento();
  for (const [key, value] of Object.entries(JSON.parse(first.stored) as Fields)) await window.update(key, value);
  const again = await open({ storage: mementoStorage(window, "chat/7/") });
  assert.deepEqual([again.opened.interrupted, again.opened.log!.problems, text(again)], [1, [], text(conversation)]);
  assert.equal((await again.compact()).status, "applied");
  await again.dispose();
  await conversation.dispose();
  assert.ok(window.keys().every((key) => key.startsWith("chat/7/")));
});

test("VS Code's file system: a window that closes in the middle of a write loses at most what was not promised", async () => {
  const { storage, files, state } = disk();
  const conversation = await open({ storage: storage() });
  conversation.append(begin(3));
  for (let number = 0; number < 12; number += 1) {
    conversation.append(round(number, 200));
    await conversation.flush();
  }
  const promised = conversation.log.originals;
  const pieces = [...files.keys()].filter((name) => name.includes("log.jsonl~"));
  assert.ok(pieces.length >= 1);
  state.torn = true;
  conversation.append(round(99, 200));
  await conversation.flush();
  state.torn = false;
  const { onEvent } = listening();
  const again = await open({ storage: storage(), onEvent });
  assert.ok(again.log.originals >= promised, `${again.log.originals} of ${promised}`);
  sound((await again.prepare()).messages, LIMIT);
  await again.dispose();
  const third = await open({ storage: storage() });
  assert.deepEqual([third.opened.log!.problems, text(third)], [[], text(again)]);
});

// ------------------------------------------------------------ what an addition costs

/** What of Node's files is called; `restore` gives the functions back. */
function nodeFiles(asked: string[]) {
  const own = { ...fs.promises };
  for (const [method, what] of [
    ["readFile", "read"],
    ["readdir", "list"],
    ["stat", "read"],
    ["rename", "rename"],
  ] as const) {
    (fs.promises as Record<string, unknown>)[method] = (path: string, ...more: unknown[]) => (
      asked.push(`${what} ${path}`), (own[method] as (...all: unknown[]) => unknown)(path, ...more)
    );
  }
  fs.promises.open = (path, ...more) => (asked.push(`write ${String(path)}`), own.open(path, ...more));
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs.promises, own);
    syncBuiltinESMExports();
  };
}
const COSTS: [string, (asked: string[]) => { storage: ConversationStorage; restore?: () => void }, string[]][] = [
  [
    "workspace.fs",
    (asked) => ({ storage: disk(asked).storage() }),
    [
      "read owner~000000",
      "write messages.jsonl~000000.new",
      "rename messages.jsonl~000000",
      "write log.jsonl~000000.new",
      "rename log.jsonl~000000",
    ],
  ],
  [
    "a memento",
    (asked) => ({ storage: mementoStorage(memento(asked), "") }),
    ["read owner~000000", "write messages.jsonl~000000", "write log.jsonl~000000"],
  ],
  [
    "IndexedDB",
    (asked) => ({ storage: indexedDbStorage("session", fakeIndexedDb(asked)) }),
    ["read owner", "add messages.jsonl", "add log.jsonl"],
  ],
  [
    "files",
    (asked) => ({ storage: nodeStorage(temporaryFolder()), restore: nodeFiles(asked) }),
    ["read owner", "write messages.jsonl", "write log.jsonl"],
  ],
];
for (const [place, made, cost] of COSTS) {
  test(`${place}: an addition reads whose the storage is, and nothing of what is there`, async () => {
    const asked: string[] = [];
    const { storage, restore } = made(asked);
    try {
      const conversation = await open({ storage });
      conversation.append(begin(3));
      await conversation.flush();
      for (let number = 10; number < 13; number += 1) {
        asked.length = 0;
        conversation.append(round(number));
        await conversation.flush();
        assert.deepEqual(
          asked.map((what) => what.replace(/ \/.*\//, " ")),
          cost,
        );
      }
      // Far more than a piece holds: what is full is neither read nor written again.
      for (let number = 20; number < 50; number += 1) {
        conversation.append(round(number, 400));
        await conversation.flush();
      }
      asked.length = 0;
      conversation.append(round(99));
      await conversation.flush();
      assert.deepEqual(
        asked.filter((what) => !what.includes("owner")).filter((what) => /^(read|list)/.test(what)),
        [],
      );
      await conversation.dispose();
      const again = await open({ storage });
      assert.deepEqual([again.opened.log!.problems, text(again)], [[], text(conversation)]);
      await again.dispose();
    } finally {
      restore?.();
    }
  });
}

test("VS Code's file system: two windows over one folder: the first one notices, and neither writes into the other's lines", async () => {
  const { storage, files } = disk();
  const { onEvent, said } = listening();
  const first = await open({ storage: storage(), onEvent });
  first.append(begin(3));
  await first.flush();
  const second = await open({ storage: storage() });
  for (let number = 50; number < 60; number += 1) {
    second.append(round(number, 200));
    first.append(round(number + 100, 200));
    await Promise.all([first.flush(), second.flush()]);
  }
  const views = [text(first), text(second)];
  await Promise.all([first.dispose(), second.dispose()]);
  assert.equal(said().length, 1);
  const again = await open({ storage: storage() });
  assert.deepEqual([again.opened.log!.problems, text(again)], [[], views[1]]);
  const [, apart] = /continues as (log-\w+\.jsonl)$/.exec(said()[0]!)!;
  const pieces = [...files].filter(([path]) => path.includes(`${apart}~`)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const other = await open({
    log: pieces.map(([, bytes]) => new TextDecoder().decode(bytes)).join(""),
    messages: first.log.originalsFrom(0),
  });
  assert.deepEqual([other.opened.log!.problems, text(other)], [[], views[0]]);
});

test("VS Code's file system: what another made of a piece is put right with what comes next; a piece that is gone is noticed", async () => {
  for (const damage of ["other", "gone"]) {
    const { storage, files } = disk();
    const { onEvent, said } = listening();
    const conversation = await open({ storage: storage(), onEvent, automatic: false });
    conversation.append(begin(8));
    for (let number = 20; number < 70; number += 1) {
      conversation.append(round(number, 400));
      await conversation.flush();
    }
    const pieces = [...files.keys()].filter((path) => path.includes("/log.jsonl~")).toSorted();
    assert.ok(pieces.length > 2);
    if (damage === "other") files.set(pieces.at(-1)!, new TextEncoder().encode("somebody's own lines\n"));
    else files.delete(pieces[0]!);
    conversation.append(round(99));
    await conversation.dispose();
    assert.deepEqual([damage, said().length], [damage, damage === "gone" ? 1 : 0], said().join());
    const again = await open({ storage: storage() });
    assert.deepEqual([again.opened.log!.problems, text(again)], [[], text(conversation)]);
    await again.dispose();
  }
});
