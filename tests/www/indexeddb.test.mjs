/**
 * Conversations kept in the IndexedDB of a real Chromium: thousands of messages, a reload in the middle of a
 * compaction, two tabs.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/serve.mjs";
import { launch } from "./browser.mjs";

const MESSAGES = 5_000;
let server, browser, context;

before(async () => {
  server = await serve(join(root, "pkg"));
  browser = await launch();
  context = await browser.newContext();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page of the package's own origin, with what the tests need. */
async function tab() {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  await loaded(page);
  return page;
}
async function loaded(page) {
  await page.goto(`${server.url}package.json`);
  await page.evaluate(async () => {
    const [root, storage, log] = await Promise.all(
      ["index", "storage", "log"].map((name) => import(`/dist/${name}-web.js`)),
    );
    const espalier = { ...root, ...storage, ...log };
    await espalier.init();
    globalThis.round = (number) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `c${number}`,
            type: "function",
            function: { name: "bash", arguments: JSON.stringify({ command: `make part${number}` }) },
          },
        ],
      },
      { role: "tool", tool_call_id: `c${number}`, content: `Größe 😀 of part${number}\n`.repeat(4) },
    ];
    globalThis.warnings = [];
    globalThis.open = async (name, options) => {
      globalThis.conversation = await espalier.openConversation({
        format: "openai-chat",
        model: { name: "gpt-4o", maxPromptTokens: 1_000_000 },
        entropy: 7,
        storage: espalier.indexedDbStorage(name),
        onEvent: (event) => void (event.type === "warning" && warnings.push(event.message)),
        ...options,
      });
    };
    globalThis.state = () => ({
      isNew: conversation.opened.isNew,
      interrupted: conversation.opened.interrupted,
      problems: conversation.opened.log?.problems.length,
      originals: conversation.log.originals,
      hash: conversation.log.hash(),
      edits: conversation.edits().length,
      shown: conversation.view().messages.length,
      newest: conversation.view().messages.at(-1).content,
    });
  });
}

test(`${MESSAGES} messages, and a page that is left in the middle of a compaction`, async () => {
  const page = await tab();
  const before = await page.evaluate(async (count) => {
    await open("long", { llm: () => new Promise(() => {}) });
    conversation.append({ role: "user", content: "Fix the parser." });
    for (let number = 0; conversation.log.originals < count; number += 1) conversation.append(round(number));
    // Full enough for a summary to be begun beside it.
    const maxPromptTokens = Math.round(conversation.usage().used / 0.85);
    const { report } = await conversation.prepare({ model: { name: "gpt-4o", maxPromptTokens } });
    await conversation.flush();
    return { ...state(), job: report.job, maxPromptTokens };
  }, MESSAGES);
  assert.ok(before.originals >= MESSAGES && before.isNew);
  assert.equal(before.job, 1);
  await loaded(page);
  const now = await page.evaluate(async (maxPromptTokens) => {
    await open("long", { model: { name: "gpt-4o", maxPromptTokens } });
    const opened = state();
    const { messages } = await conversation.prepare();
    const { status } = await conversation.compact();
    await conversation.flush();
    return { opened, sent: messages.length, status, then: state() };
  }, before.maxPromptTokens);
  const { opened, then } = now;
  assert.deepEqual(
    [opened.isNew, opened.interrupted, opened.problems, opened.originals, opened.shown, opened.newest],
    [false, 1, 0, before.originals, before.shown, before.newest],
  );
  assert.equal(now.status, "applied");
  await loaded(page);
  const again = await page.evaluate(async () => {
    await open("long", {});
    return { ...state(), warnings };
  });
  assert.deepEqual(
    [again.problems, again.originals, again.edits, again.shown, again.warnings],
    [0, then.originals, then.edits, then.shown, []],
  );
  await page.close();
});

test("two tabs: the one that wrote last has the conversation, the other says so and loses nothing", async () => {
  const [first, second] = [await tab(), await tab()];
  await first.evaluate(async () => {
    await open("shared", {});
    conversation.append([{ role: "user", content: "Fix the parser." }, ...round(0)]);
    await conversation.flush();
  });
  // A tab that is only looked at takes nothing.
  const looks = await tab();
  await looks.evaluate(async () => {
    await open("shared", {});
    await conversation.prepare();
    await conversation.dispose();
  });
  await looks.close();
  await second.evaluate(() => open("shared", {}));
  const add = (page, number) =>
    page.evaluate(async (given) => {
      conversation.append(round(given));
      await conversation.flush();
    }, number);
  await add(second, 2);
  await add(first, 1);
  await Promise.all([add(second, 3), add(first, 4)]);
  const [a, b] = [
    await first.evaluate(() => ({ ...state(), warnings })),
    await second.evaluate(() => ({ ...state(), warnings })),
  ];
  assert.deepEqual([a.originals, b.originals, b.warnings], [7, 7, []]);
  const [, name] = /continues as (log-\w+\.jsonl)$/.exec(a.warnings[0]);
  const third = await tab();
  const kept = await third.evaluate(async (file) => {
    await open("shared", {});
    const own = state();
    const [{ indexedDbStorage }, { ConversationLog }] = await Promise.all([
      import("/dist/storage-web.js"),
      import("/dist/log-web.js"),
    ]);
    const log = await indexedDbStorage("shared").read(file);
    const { log: apart, report } = ConversationLog.import(log);
    return { own, hash: apart.hash(), problems: report.problems.length };
  }, name);
  assert.deepEqual([kept.own.problems, kept.own.originals, kept.problems, kept.hash], [0, 7, 0, a.hash]);
  for (const page of [first, second, third]) await page.close();
});

test("a connection that the browser closes is opened again", async () => {
  const page = await tab();
  const { flushed, warned, again } = await page.evaluate(async () => {
    const { open: own } = IDBFactory.prototype;
    let database;
    IDBFactory.prototype.open = function (...given) {
      const asked = own.apply(this, given);
      asked.addEventListener("success", () => (database = asked.result));
      return asked;
    };
    await open("closed", {});
    const flushed = [];
    for (const isTold of [false, true]) {
      conversation.append({ role: "user", content: "before" });
      flushed.push(await conversation.flush());
      database.close();
      if (isTold) database.dispatchEvent(new Event("close"));
      conversation.append({ role: "user", content: "after" });
      flushed.push(await conversation.flush());
    }
    const warned = [...warnings];
    await conversation.dispose();
    await open("closed", {});
    return { flushed, warned, again: state() };
  });
  assert.deepEqual(flushed, Array(4).fill({ isStored: true, missing: [], isTaken: false }));
  assert.deepEqual([warned, again.problems, again.originals], [[], 0, 4]);
  await page.close();
});

test("a database that is full: the warning says so, and no error reaches the page", async () => {
  const page = await tab();
  const { flushed, warned, later } = await page.evaluate(async () => {
    await open("full", {});
    const { add } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.add = () => {
      throw new DOMException("Quota exceeded", "QuotaExceededError");
    };
    conversation.append({ role: "user", content: "Fix the parser." });
    const { isStored } = await conversation.flush();
    const warned = [...warnings];
    IDBObjectStore.prototype.add = add;
    return { flushed: isStored, warned, later: (await conversation.flush()).isStored };
  });
  // The write is tried once more, as a whole.
  const told = ["append", "write"].map((what) => `${what} messages.jsonl: Quota exceeded`);
  assert.deepEqual([flushed, [...new Set(warned)], later], [false, told, true]);
  await page.close();
});

test("a page that may not even ask for IndexedDB gets an error of the package", async () => {
  const page = await context.newPage();
  await page.addInitScript(() =>
    Object.defineProperty(globalThis, "indexedDB", {
      get: () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    }),
  );
  await page.goto(`${server.url}package.json`);
  const error = await page.evaluate(async () => {
    const { indexedDbStorage } = await import("/dist/storage-web.js");
    try {
      indexedDbStorage("x");
    } catch ({ name, code, path, cause }) {
      return { name, code, path, cause: cause.name };
    }
  });
  assert.deepEqual(error, { name: "EspalierError", code: "bad_option", path: "factory", cause: "SecurityError" });
  await page.close();
});
