/** Finding messages of a conversation by words: what a user does, what holds for any conversation, and odd input. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { espalier as e } from "../built.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/search-node.js";
import type * as Search from "../../../js/entries/search.ts";

const s = bundle as typeof Search;
const fixture = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8")) as any;
const transcript = (name: string): any[] =>
  fixture(`transcripts/${name}.json`).messages.map((message: object) =>
    Object.fromEntries(Object.entries(message).filter(([key]) => !key.startsWith("x_"))),
  );

const round = (at: number, result: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `c${at}`, type: "function", function: { name: "bash", arguments: `{"command":"make part${at}"}` } },
    ],
  },
  { role: "tool", tool_call_id: `c${at}`, content: result },
];
const story = () => [
  { role: "system", content: "You are a careful agent." },
  { role: "user", content: "Never touch the file settings.toml. Fix the parser." },
  ...round(1, "error: unexpected token at line 7 of grammar.txt"),
  { role: "assistant", content: "The tokenizer dropped the last character. I fixed it." },
  { role: "user", content: "Now the printer, please." },
  ...round(2, "warning: printer.c compiled with an unused variable"),
  { role: "assistant", content: "The printer compiles. One warning remains." },
  { role: "user", content: "What is next?" },
];
const open = (messages: unknown[] = story(), options: object = {}) =>
  e.openConversation({
    format: "openai-chat",
    messages,
    entropy: 1,
    clock: { now: () => 0 },
    model: "gpt-4o",
    ...options,
  } as never) as Promise<any>;
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const refused = (code: string, path?: string) => (error: unknown) => {
  assert.ok(error instanceof e.EspalierError, String(error));
  assert.deepEqual(
    [error.code, ...(path === undefined ? [] : [error.path])],
    [code, ...(path === undefined ? [] : [path])],
  );
  return true;
};

// ------------------------------------------------------------ what a user does

test("a compaction hides messages; a search finds them, and recall brings them back", async () => {
  const messages = story();
  const conversation = await open(messages);
  const before = await conversation.search("Which token was unexpected in the grammar?");
  assert.deepEqual([before[0].id, before[0].role, before[0].isVisible, before[0].place], ["m3", "tool", true, "shown"]);
  assert.deepEqual(before[0].with, ["m2"]);
  assert.match(before[0].excerpt, /unexpected token at line 7/);

  conversation.importSummaries([{ upTo: "m4", text: "The parser was repaired. settings.toml is not to be touched." }]);
  const [found] = await conversation.search("Which token was unexpected in the grammar?");
  assert.deepEqual([found.id, found.isVisible, found.place], ["m3", false, "covered"]);
  assert.equal(found.by.length, 1);
  assert.equal(conversation.recall(found.id)[0].message, messages[3]);

  conversation.undo();
  const [again] = await conversation.search("Which token was unexpected in the grammar?");
  assert.deepEqual([again.id, again.isVisible, again.place], ["m3", true, "shown"]);
  await conversation.dispose();
  await assert.rejects(conversation.search("token"), refused("disposed"));
});

test("only hidden messages are found where they alone are asked for", async () => {
  const conversation = await open();
  assert.deepEqual(await conversation.search("printer tokenizer", { onlyHidden: true }), []);
  conversation.importSummaries([{ upTo: "m4", text: "All went well." }]);
  const found = await conversation.search("printer tokenizer", { onlyHidden: true });
  assert.deepEqual(ids(found), ["m4"]);
  await conversation.dispose();
});

test("results that were cleared are found with their whole text", async () => {
  const log = e.ConversationLog.from(story(), { now: () => 0 });
  log.edit({
    kind: "clear_result",
    rule: "test",
    targets: [{ message: "m3", part: 0, to: { type: "text", text: "[cleared]" } }],
  });
  const [found] = await log.search("grammar.txt unexpected");
  assert.deepEqual([found!.id, found!.isVisible, found!.place, found!.part], ["m3", false, "changed", 0]);
  assert.match(found!.excerpt, /grammar\.txt/);
  log.close();
});

test("the lines of a summary and pinned facts are found, too", async () => {
  const conversation = await open();
  conversation.importSummaries([{ upTo: "m4", text: "Decision: serialisation uses bincode, not JSON." }]);
  const pin = conversation.pin({ fact: "The release is on Thursday at noon." });
  const [summary] = await conversation.search("bincode decision");
  assert.equal(summary.kind, "summary");
  assert.ok(conversation.recall(summary.id).length >= 3, "recall of a summary gives what it covers");
  const [fact] = await conversation.search("Thursday release");
  assert.deepEqual([fact.kind, fact.id, fact.excerpt], ["fact", pin, "The release is on Thursday at noon."]);
  conversation.unpin(pin);
  assert.deepEqual(await conversation.search("Thursday"), []);
  conversation.undo();
  assert.deepEqual(await conversation.search("bincode"), []);
  await conversation.dispose();
});

test("rewound messages vanish, and come back with an undo", async () => {
  const conversation = await open();
  const printer = async () => ids(await conversation.search("printer compiled"));
  assert.ok((await printer()).includes("m7"));
  const rewind = conversation.rewind("m4");
  assert.deepEqual(await printer(), []);
  conversation.undo(rewind);
  assert.ok((await printer()).includes("m7"));
  conversation.rewind("m4");
  conversation.append({ role: "user", content: "The printer again, from the start." });
  assert.deepEqual(await printer(), ["m10"]);
  await conversation.dispose();
});

test("what is appended later is found, and a log that was closed is searched again", async () => {
  const log = new e.ConversationLog<any>({ format: "openai-chat", now: () => 0 });
  assert.deepEqual(await log.search("anything"), []);
  log.append({ role: "user", content: "The harbour is closed." });
  assert.deepEqual(ids(await log.search("harbour")), ["m0"]);
  log.append({ role: "user", content: "The harbour is open again." });
  assert.deepEqual(ids(await log.search("open harbour")), ["m1", "m0"]);
  log.close();
  assert.deepEqual(ids(await log.search("open harbour")), ["m1", "m0"]);
  log.close();
});

test("a text that repeats is found once, with the others named", async () => {
  const text = "The configuration file sets the timeout of the scheduler to forty seconds by default.";
  const read = [1, 2, 3].flatMap((at) => round(at, text));
  const log = e.ConversationLog.from([{ role: "user", content: "Read it." }, ...read], { now: () => 0 });
  const found = await log.search("scheduler timeout");
  assert.deepEqual([found.length, found[0]!.id, found[0]!.repeats], [1, "m6", ["m4", "m2"]]);
  log.close();
});

test("every format is searched: text, calls, results", async () => {
  const messages = story();
  for (const format of ["openai-responses", "anthropic", "gemini", "vscode", "ai-sdk", "espalier"] as const) {
    const converted = e.convert(messages, format, { from: "openai-chat" }).messages;
    const log = e.ConversationLog.from(converted, { format, now: () => 0 });
    const [found] = await log.search("unexpected token grammar");
    assert.match(found!.excerpt, /unexpected token/, format);
    assert.equal(log.recall(found!.id)[0]!.message, log.original(found!.id), format);
    log.close();
  }
});

// ------------------------------------------------------------ the engine

test("the host can pass the module; without one the error says so", async () => {
  let loads = 0;
  const conversation = await open(story(), { search: async () => ((loads += 1), s) });
  await conversation.search("parser");
  await conversation.search("printer");
  assert.equal(loads, 1);
  await conversation.dispose();

  const failing = await open(story(), { search: () => Promise.reject(new Error("offline")) });
  await assert.rejects(failing.search("parser"), refused("search_not_loaded", "options.search"));
  await failing.dispose();
  const wrong = await open(story(), { search: async () => ({}) });
  await assert.rejects(wrong.search("parser"), refused("search_not_loaded", "options.search"));
  await wrong.dispose();
  await assert.rejects(open(story(), { search: "espalier/search" }), refused("bad_option", "options.search"));
});

/** Runs a module in a process of its own: what entries register is shared by all of them in one process. */
const alone = async (source: string, kind: "module" | "commonjs") => {
  const dist = new URL("../../../pkg/dist/", import.meta.url);
  const code = source.replaceAll("DIST", fileURLToPath(dist).replaceAll("\\", "/"));
  const { stdout } = await promisify(execFile)(process.execPath, [`--input-type=${kind}`, "-e", code]);
  return stdout.trim();
};

test("an entry without files loads no engine by itself, and takes one", async () => {
  const said = await alone(
    `import { readFileSync } from "node:fs";
    import { ConversationLog, initSync, loadEncodingSync } from "DISTslim.js";
    initSync(readFileSync("DISTespalier.wasm"));
    loadEncodingSync("o200k_base", readFileSync("DISTvocab/o200k_base.vocab"));
    const messages = [{ role: "user", content: "Fix the parser." }];
    await ConversationLog.from(messages).search("parser").catch(({ code }) => console.log(code));
    const log = ConversationLog.from(messages, { search: () => import("DISTsearch-inline.js") });
    console.log((await log.search("parser"))[0].id);`,
    "module",
  );
  assert.deepEqual(said.split("\n"), ["search_not_loaded", "m0"]);
});

test("CommonJS loads the engine by itself", async () => {
  const source = `const { ConversationLog } = require("DISTlog-node.cjs");
    const log = ConversationLog.from([{ role: "user", content: "Fix the parser." }]);
    log.search("parser").then(([{ id }]) => console.log(id));`;
  assert.equal(await alone(source, "commonjs"), "m0");
});

test("a load that failed is tried again", async () => {
  let isThere = false;
  const conversation = await open(story(), {
    search: async () => (isThere ? s : Promise.reject(new Error("offline"))),
  });
  await assert.rejects(conversation.search("parser"), refused("search_not_loaded"));
  isThere = true;
  assert.ok((await conversation.search("parser")).length > 0);
  await conversation.dispose();
});

test("searches at the same time share one index", async () => {
  const log = e.ConversationLog.from(story(), { now: () => 0 });
  const all = await Promise.all(["parser", "printer", "parser"].map((query) => log.search(query)));
  assert.deepEqual(all[0], all[2]);
  log.close();
});

// ------------------------------------------------------------ what always holds

test("answers are those of a fresh index, whatever happened, and their ids can be recalled", async () => {
  const messages = transcript("tau-airline-11").slice(1);
  const log = e.ConversationLog.from(messages.slice(0, 10), { format: "openai-chat", now: () => 0 });
  const queries = [
    "certificate balance",
    "Which flights are booked?",
    "insurance and baggage",
    "HAT097",
    "summary of the trip",
  ];
  let random = 7;
  const next = (count: number) => (random = (random * 48_271) % 2_147_483_647) % count;
  let [added, edits] = [10, [] as string[]];
  for (let step = 0; step < 40; step += 1) {
    try {
      const what = next(6);
      if (what < 2 && added < messages.length) log.append(messages.slice(added, (added += 1 + next(3))));
      else if (what === 2) {
        const from = next(added);
        edits.push(
          log.edit({
            kind: "replace_range",
            rule: "summary",
            range: {
              from: `m${from}`,
              to: `m${Math.min(added - 1, from + next(6))}`,
              summary: `summary of the trip ${step}`,
            },
          }),
        );
      } else if (what === 3) log.undo();
      else if (what === 4) log.rewind(`m${next(added)}`);
      else log.pin({ fact: `insurance fact ${step}` });
    } catch (error) {
      assert.ok(error instanceof e.EspalierError, String(error));
    }
    added = log.originals;
    if (step % 4 !== 3) continue;
    const { log: fresh } = e.ConversationLog.import(log.export(), {
      format: "openai-chat",
      messages: log.originalsFrom(0),
      now: () => 0,
    });
    for (const query of queries) {
      const found = await log.search(query);
      assert.deepEqual(found, await fresh.search(query), `${step}: ${query}`);
      assert.deepEqual(found, await log.search(query));
      for (const { id, kind, place } of found) {
        if (kind === "fact") continue;
        assert.ok(log.recall(id).length > 0);
        assert.notEqual(place, "rewound");
      }
    }
    fresh.close();
  }
  log.close();
});

test("questions about real sessions are answered in the first five", async () => {
  const logs = new Map<string, any>();
  const questions = fixture("conversation-search/questions.json") as {
    transcript: string;
    set: string;
    ask: string;
    answers: number[];
  }[];
  const shares: Record<string, [hits: number, asked: number]> = {};
  for (const { transcript: name, set, ask, answers } of questions) {
    if (!logs.has(name))
      logs.set(name, e.ConversationLog.from(transcript(name), { format: "openai-chat", now: () => 0 }));
    const found = await logs.get(name).search(ask, { maxResults: 5 });
    const all = new Set(found.flatMap(({ id, with: others, repeats }: any) => [id, ...others, ...repeats]));
    const share = (shares[set] ??= [0, 0]);
    share[0] += Number(answers.some((number) => all.has(`m${number}`)));
    share[1] += 1;
  }
  for (const [set, [hits, asked]] of Object.entries(shares))
    assert.ok(hits / asked >= 0.9, `${set}: ${hits} of ${asked}`);
  for (const log of logs.values()) log.close();
});

// ------------------------------------------------------------ odd input

test("odd queries: empty, blank, huge, half characters, no words", async () => {
  const log = e.ConversationLog.from(story(), { now: () => 0 });
  for (const query of ["", " \n", "!?", "a b", "\ud800"])
    assert.deepEqual(await log.search(query), [], JSON.stringify(query));
  assert.ok((await log.search(`parser ${"filler words to make it long ".repeat(36_000)}`)).length > 0);
  assert.ok((await log.search("parser \udc00\ud800")).length > 0);
  assert.equal((await log.search("parser printer", { maxResults: 1 })).length, 1);
  assert.deepEqual(await log.search("parser", { maxResults: 0 }), []);
  log.close();
});

test("odd messages: half characters, binary results, huge lines, no content", async () => {
  const binary = Array.from({ length: 20_000 }, (_, at) => String.fromCharCode((at * 7919) % 65_536)).join("");
  const messages = [
    { role: "user", content: "\ud800 lighthouse \udc00" },
    ...round(1, binary),
    ...round(2, `${"x".repeat(300_000)} lighthouse ${"y ".repeat(100_000)}`),
    ...round(3, ""),
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
  ];
  const log = e.ConversationLog.from(messages, { format: "openai-chat", now: () => 0 });
  const found = await log.search("lighthouse");
  assert.deepEqual(ids(found).sort(), ["m0", "m4"]);
  for (const { excerpt } of found)
    assert.ok(excerpt.includes("lighthouse") && excerpt.length < 500, excerpt.slice(0, 80));
  log.close();
});

test("options that make no sense are refused by name", async () => {
  const log = e.ConversationLog.from(story(), { now: () => 0 });
  const bad = (options: unknown, path: string) =>
    assert.rejects(log.search("parser", options as never), refused("bad_option", path));
  await bad({ maxResults: -1 }, "options.maxResults");
  await bad({ maxResults: 1.5 }, "options.maxResults");
  await bad({ onlyHidden: "yes" }, "options.onlyHidden");
  await bad({ onlyhidden: true }, "options.onlyhidden");
  await assert.rejects(log.search(5 as never), refused("bad_input", "query"));
  log.close();
});

test("10,000 messages", async () => {
  const log = new e.ConversationLog<any>({ format: "openai-chat", now: () => 0 });
  log.append(
    Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: `Step ${at}: the module alpha${at} calls beta${at % 97}.`,
    })),
  );
  assert.equal((await log.search("module alpha7777"))[0]!.id, "m7777");
  log.rewind("m5000");
  assert.notEqual((await log.search("module alpha7777"))[0]?.id, "m7777");
  log.close();
});
