/** The event log on the package as it is shipped: identity, formats, lines, crashes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { ConversationLog as Log } from "../../../js/log/log.ts";
import type { LogCheckpoint, LogEdit } from "../../../js/log/types.ts";
import { refused } from "../refused.ts";
import { runs } from "../runs.ts";

const { ConversationLog, EspalierError, countMessages } = espalier;

type Fields = Record<string, unknown>;

/** A clock that jumps. */
const now = () => [5, -3, 1_700_000_000_000, 0][Math.floor(Math.random() * 4)]!;

class Answer {
  role = "tool";
  tool_call_id: string;
  content: string;
  #secret = 7;
  constructor(id: string, content: string) {
    this.tool_call_id = id;
    this.content = content;
  }
  get seven() {
    return this.#secret;
  }
}

function agent(rounds = 4): Fields[] {
  const messages: Fields[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix the parser." },
  ];
  for (let round = 0; round < rounds; round++) {
    const call = {
      id: `c${round}`,
      type: "function",
      function: { name: "bash", arguments: JSON.stringify({ command: `make part${round}` }) },
    };
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push(new Answer(`c${round}`, `building part${round}\n`.repeat(20)) as unknown as Fields);
  }
  messages.push({ role: "user", content: "And the lexer?" });
  return messages;
}

const clear = (message: string, part = 0): LogEdit => ({
  kind: "clear_result",
  rule: "clear",
  targets: [{ message, part, to: { type: "text", text: "[cleared]" } }],
});
const range = (from: string, to: string): LogEdit => ({
  kind: "replace_range",
  rule: "summary",
  range: { from, to, summary: "What happened so far." },
});

test("untouched messages are the host's own objects", () => {
  const messages = agent();
  const log = new ConversationLog<Fields>({ format: "openai-chat", now });
  assert.deepEqual(log.append(messages.slice(0, 3)), ["m0", "m1", "m2"]);
  for (const message of messages.slice(3)) log.append(message);
  const same = (list: unknown[], expected: unknown[]) =>
    assert.ok(list.length === expected.length && list.every((m, at) => m === expected[at]));
  same(log.view().messages, messages);
  assert.equal(log.view().after.total, countMessages(messages).total);
  assert.notEqual(log.view().messages, messages, "the list is a new one");

  const cleared = log.edit(clear("m3"));
  const view = log.view();
  same(
    view.messages.filter((_, at) => at !== 3),
    messages.filter((_, at) => at !== 3),
  );
  assert.equal(view.messages[3]!["content"], "[cleared]");
  assert.ok(view.messages[3] instanceof Answer);
  assert.equal(messages[3]!["content"], "building part0\n".repeat(20), "the host's object is as it was");
  assert.equal(view.after.total, countMessages(view.messages).total);

  log.edit(range("m1", "m5"));
  const summarised = log.view().messages;
  assert.equal(summarised[1]!["content"], "What happened so far.");
  same(summarised.slice(2), messages.slice(6));
  assert.equal(log.undo(), "e12");
  assert.deepEqual(log.view(), { ...view, position: log.length });
  assert.equal(log.undo(cleared), cleared);
  same(log.view().messages, messages);
  assert.equal(log.undo(), undefined);
  assert.equal(log.redo(), cleared);
  assert.equal(log.redo(), "e12");
  assert.deepEqual(
    log.edits().map(({ id, kind, revokedBy }) => [id, kind, revokedBy]),
    [
      ["e11", "clear_result", undefined],
      ["e12", "replace_range", undefined],
    ],
  );
});

test("every format keeps its own objects and shows its edits", () => {
  const call = { type: "tool_use", id: "t1", name: "read", input: { path: "a.rs", text: "long ".repeat(50) } };
  const cases: {
    format: Parameters<typeof ConversationLog.from>[1] & object;
    messages: Fields[];
    result: [string, number];
    call: [string, number];
  }[] = [
    {
      format: { format: "anthropic" },
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "found" }] },
        { role: "user", content: "next" },
      ],
      result: ["m2", 0],
      call: ["m1", 0],
    },
    {
      format: { format: "gemini" },
      messages: [
        { role: "user", parts: [{ text: "go" }] },
        { role: "model", parts: [{ functionCall: { name: "read", args: call.input } }] },
        { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "found" } } }] },
        { role: "user", parts: [{ text: "next" }] },
      ],
      result: ["m2", 0],
      call: ["m1", 0],
    },
    {
      format: { format: "openai-responses" },
      messages: [
        { role: "user", content: "go" },
        { type: "function_call", call_id: "t1", name: "read", arguments: JSON.stringify(call.input) },
        { type: "function_call_output", call_id: "t1", output: "found" },
        { role: "user", content: "next" },
      ],
      result: ["m2", 0],
      call: ["m1", 0],
    },
    {
      format: { format: "ai-sdk" },
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "t1", toolName: "read", input: call.input }] },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "t1", toolName: "read", output: { type: "text", value: "found" } },
          ],
        },
        { role: "user", content: "next" },
      ],
      result: ["m2", 0],
      call: ["m1", 0],
    },
    {
      format: { format: "vscode" },
      messages: [
        { role: 1, content: [{ value: "go" }] },
        { role: 2, content: [{ callId: "t1", name: "read", input: call.input }] },
        { role: 1, content: [{ callId: "t1", content: [{ value: "found" }] }] },
        { role: 1, content: [{ value: "next" }] },
      ],
      result: ["m2", 0],
      call: ["m1", 0],
    },
  ];
  for (const {
    format,
    messages,
    result,
    call: [caller, part],
  } of cases) {
    const before = JSON.stringify(messages);
    const log = ConversationLog.from(messages, format);
    const name = log.format;
    assert.ok(
      log.view().messages.every((message, at) => message === messages[at]),
      name,
    );
    log.edit(clear(...result));
    log.edit({
      kind: "clear_arguments",
      rule: "clear",
      targets: [
        {
          message: caller,
          part,
          to: { type: "arguments", arguments: JSON.stringify({ path: "a.rs", text: "long …" }) },
        },
      ],
    });
    const view = log.view();
    const shown = JSON.stringify(view.messages);
    assert.ok(
      shown.includes("[cleared]") &&
        shown.includes("long …") &&
        !shown.includes("found") &&
        !shown.includes("long long"),
      `${name}: ${shown}`,
    );
    assert.equal(view.messages[0], messages[0], name);
    assert.equal(view.messages[3], messages[3], name);
    assert.equal(JSON.stringify(messages), before, name);
    assert.equal(view.after.total, countMessages(view.messages, format).total, name);
    log.undo();
    log.undo();
    assert.ok(
      log.view().messages.every((message, at) => message === messages[at]),
      name,
    );
    assert.equal(log.recall(result[0])[0]!.message, messages[2], name);
  }
});

test("recall gives the host's own object and says what hid it", () => {
  const messages = agent();
  const log = ConversationLog.from(messages);
  const id = log.edit(range("m1", "m5"));
  const [found] = log.recall("m3");
  assert.equal(found!.message, messages[3]);
  assert.deepEqual([found!.place, found!.by], ["covered", [id]]);
  assert.equal(log.recall(`${id}:summary`).length, 5);
  assert.deepEqual(
    log.recall({ query: "PART2 building", maxResults: 1 }).map(({ id, hits }) => [id, hits.length]),
    [["m7", 2]],
  );
  assert.deepEqual(log.recall({ query: "nowhere" }), []);
  refused(() => log.recall("m99"), "unknown_id", "id");
  refused(() => log.recall({ query: 7 as never }), "bad_input", "query");
  assert.equal(log.original("m3"), messages[3]);
});

test("pins, rewinds, checkpoints, comparisons", () => {
  const messages = agent();
  const log = ConversationLog.from(messages, { now });
  const pin = log.pin({ message: "m3", part: 0, range: [0, 8], reason: "needed" });
  assert.deepEqual(
    log.pins().map(({ id, text, reason }) => [id, text, reason]),
    [[pin, "building", "needed"]],
  );
  refused(() => log.edit(clear("m3")), "bad_edit", "edit.targets[0]");
  log.unpin(pin);
  const start = log.length;
  log.edit(clear("m3"));
  assert.equal(log.checkpoint({ title: "Parser", path: (number) => `checkpoints/00${number}-parser.md` }), 1);
  log.rewind("m5");
  assert.deepEqual(
    log.view().messages.map((message) => messages.indexOf(message)),
    [0, 1, 2, -1, 4, 5],
  );
  const [{ time, ...stored }, ...others] = log.checkpoints() as [LogCheckpoint];
  assert.ok(Number.isSafeInteger(time));
  assert.deepEqual(
    [stored, others],
    [
      {
        number: 1,
        title: "Parser",
        path: "checkpoints/001-parser.md",
        edits: [],
        messages: 0,
        tokens: 0,
        orphaned: true,
      },
      [],
    ],
  );
  const { lost, changed, after } = log.compare(start, log.length);
  assert.deepEqual([lost.length, changed.map(({ id }) => id), after.total], [5, ["m3"], log.totals().total]);
  log.undo();
  assert.equal(log.view().messages.length, messages.length);
  log.record("usage", { input: 1_000, cached: 0.1 });
  log.record("note", { lone: "\ud800", deep: [[[]]] });
  const { log: again } = ConversationLog.import(log.export(), { messages });
  assert.equal(again.export(), log.export());
});

test("an exported log comes back with the same view, on the host's objects or on neutral ones", () => {
  const messages = agent();
  const log = ConversationLog.from(messages);
  log.edit(clear("m3"));
  log.edit(range("m4", "m7"));
  const written = log.export(3);
  assert.equal(
    log.export(),
    log
      .export(0)
      .split("\n")
      .slice(0, 3)
      .map((line) => `${line}\n`)
      .join("") + written,
  );
  const own = ConversationLog.import(log.export(), { messages });
  assert.deepEqual([own.report.problems, own.report.left], [[], 0]);
  assert.equal(own.log.format, "openai-chat");
  assert.deepEqual(own.log.view(), log.view());
  assert.equal(own.log.view().messages.at(-1), messages.at(-1));
  assert.equal(own.log.hash(), log.hash());

  const neutral = ConversationLog.import(log.export()).log;
  assert.equal(neutral.format, "espalier");
  assert.deepEqual(neutral.view().plan, log.view().plan);
  assert.deepEqual(
    neutral.view().messages.map(({ id }) => id),
    ["m0", "m1", "m2", "m3", "e12:summary", "m8", "m9", "m10"],
  );
  assert.deepEqual(neutral.append({ id: "x", role: "user", parts: [{ type: "text", text: "more" }] }), ["x"]);

  refused(() => ConversationLog.import(log.export(), { format: "gemini" }), "bad_option", "options.messages");
  refused(
    () => ConversationLog.import(log.export(), { messages: messages.slice(1), format: "openai-chat" }),
    "bad_message",
    "options.messages",
  );
  const other = messages.with(3, { role: "tool", tool_call_id: "c0", content: "another" });
  refused(() => ConversationLog.import(log.export(), { messages: other }), "bad_message", "options.messages[3]");
});

test("lines that something happened to are reported, and nothing is lost", () => {
  const log = ConversationLog.from(agent());
  log.edit(clear("m3"));
  const text = log.export();
  const cut = ConversationLog.import(text.slice(0, -30));
  assert.deepEqual(
    cut.report.problems.map(({ line, kind }) => [line, kind]),
    [[12, "cut"]],
  );
  assert.deepEqual([cut.report.entries, cut.report.left, cut.log.length], [11, 1, 11]);
  const lied = text.replace("building part1", "building part9");
  assert.deepEqual(
    ConversationLog.import(lied).report.problems.map(({ line, kind }) => [line, kind]),
    [[6, "changed"]],
  );
  const salvaged = ConversationLog.import(lied, { salvage: true });
  assert.deepEqual(
    [salvaged.log.view().messages.length, salvaged.report.left, salvaged.report.salvaged.length],
    [11, 7, 7],
  );
  assert.ok(salvaged.log.export().endsWith(`${salvaged.report.salvaged.join("\n")}\n`));
  refused(() => ConversationLog.import(text.replace('"v":1', '"v":9')), "log_version", "line 1");
  refused(() => ConversationLog.import(undefined as never), "bad_input", "text");
  assert.deepEqual(ConversationLog.import("").report, { entries: 0, problems: [], left: 0, salvaged: [] });
});

test("a crash of the engine loses nothing", () => {
  const messages = agent();
  const log = ConversationLog.from(messages);
  log.edit(clear("m3"));
  const [view, text] = [log.view(), log.export()];
  const deep: { type: string; content: unknown[] } = { type: "toolResult", content: [] };
  for (let inner = deep, depth = 0; depth < 200_000; depth++)
    inner.content.push((inner = { type: "toolResult", content: [] }));
  const neutral = new ConversationLog({ format: "espalier" });
  assert.throws(() => neutral.append({ id: "a", role: "user", parts: [deep] } as never));
  assert.deepEqual(log.view(), view);
  assert.equal(log.view().messages[4], messages[4]);
  assert.equal(log.export(), text);
  assert.deepEqual(log.append({ role: "user", content: "go on" }), ["m11"]);
  log.close();
  assert.equal(log.view().messages.length, 12);
  assert.deepEqual(neutral.append({ id: "a", role: "user", parts: [] } as never), ["a"]);
});

test("several messages are a list, not arguments", async () => {
  const log = new ConversationLog({ format: "openai-chat" });
  const conversation = await espalier.openConversation({ format: "openai-chat", model: "gpt-4o" });
  for (const one of [log, conversation] as { append(...messages: unknown[]): string[] }[]) {
    const said = (content: string) => ({ role: "user", content });
    const wanted = { code: "bad_input", path: "messages", message: /append\(\[first, second\]\)/ };
    assert.throws(() => one.append(said("a"), said("b")), wanted);
    assert.throws(() => one.append([said("a")], [said("b")]), wanted);
    // A callback of `forEach` gets a number, too.
    assert.deepEqual([one.append(said("a"), 0), one.append([said("b")])], [["m0"], ["m1"]]);
  }
  await conversation.dispose();
});

test("a refusal changes nothing", () => {
  const log = ConversationLog.from(agent());
  const text = log.export();
  const edit = (fields: Partial<LogEdit>) => () => log.edit({ kind: "clear_result", rule: "r", ...fields } as LogEdit);
  refused(edit({}), "bad_edit", "edit.targets");
  refused(edit({ targets: {} as never }), "bad_edit", "edit.targets");
  refused(edit({ targets: [{ message: "m3", part: 0.5 }] }), "bad_edit", "edit.targets[0].part");
  refused(edit({ targets: [{ message: "m3", part: -1 }] }), "bad_edit", "edit.targets[0].part");
  refused(
    edit({ targets: [{ message: "m0", part: 0, to: { type: "text", text: "" } }] }),
    "bad_edit",
    "edit.targets[0].message",
  );
  refused(edit({ kind: "vanish" as never }), "bad_edit", "edit.kind");
  refused(edit({ kind: "replace_range", range: 7 as never }), "bad_edit", "edit.range");
  refused(edit({ data: 1n }), "bad_edit", "edit.data");
  refused(() => log.edit(null as never), "bad_edit", "edit");
  refused(() => log.append({ role: "alien", content: "x" }), "bad_message", "messages[0].role");
  refused(() => log.append([{ role: "user", content: "x" }, null as never]), "bad_message", "messages[1]");
  refused(() => log.pin({ message: "m3", range: [0] as never }), "bad_input", "pin.range");
  refused(() => log.pin({ message: "m3", part: 0, range: [0, Number.NaN] }), "bad_input", "pin.range[1]");
  refused(() => log.undo("e99"), "unknown_id", "target");
  refused(() => log.undo(7 as never), "bad_input", "id");
  refused(() => log.rewind("m99"), "unknown_id", "to");
  refused(() => log.compare(0, 1e12), "bad_input", "b");
  refused(() => log.compare(-1, 1), "bad_input", "a");
  refused(() => log.record("rumour" as never, {}), "bad_input", "kind");
  refused(() => log.record("note", undefined), "bad_input", "data");
  refused(() => new ConversationLog({ format: "morse" as never }), "bad_option", "options.format");
  refused(() => new ConversationLog(undefined as never), "bad_option", "options");
  refused(
    () => new ConversationLog({ format: "gemini", encoding: "p50k_base" as never }),
    "unknown_encoding",
    "options.encoding",
  );
  assert.equal(log.export(), text);
  assert.deepEqual(log.append({ role: "tool", tool_call_id: "c9", content: "late" }), ["m11"]);
  assert.deepEqual(log.append([]), []);
  const stopped = new ConversationLog({ format: "openai-chat", now: () => Number.NaN });
  refused(() => stopped.append({ role: "user", content: "x" }), "bad_option", "options.now");
  const twice = new ConversationLog({ format: "espalier" });
  const message = { id: "a", role: "user" as const, parts: [] };
  refused(() => twice.append([message, message]), "duplicate_id", "messages[1].id");
  assert.deepEqual(twice.append(message), ["a"]);
});

test("random edits and undoing on real transcripts", () => {
  const file = new URL("../../fixtures/transcripts/sweagent-marshmallow-1867.json", import.meta.url);
  const { messages } = JSON.parse(readFileSync(file, "utf8")) as { messages: Fields[] };
  const step = fc.record({
    a: fc.nat(messages.length),
    b: fc.nat(messages.length),
    what: fc.constantFrom("range", "clear", "undo", "redo", "pin", "rewind", "append"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 5, max: messages.length }), (steps, first) => {
      const log: Log<Fields> = ConversationLog.from(messages.slice(0, first), { format: "openai-chat" });
      let next = first;
      for (const { a, b, what } of steps) {
        const before = JSON.stringify(log.view().messages);
        const at = log.length;
        try {
          if (what === "range") log.edit(range(`m${Math.min(a, b)}`, `m${Math.max(a, b)}`));
          if (what === "clear") log.edit(clear(`m${a}`));
          if (what === "undo") log.undo();
          if (what === "redo") log.redo();
          if (what === "pin") log.pin({ message: `m${a}` });
          if (what === "rewind" && b % 5 === 0) log.rewind(`m${a}`);
          if (what === "append" && next < messages.length) log.append(messages[next++]!);
        } catch (error) {
          assert.ok(error instanceof EspalierError && ["bad_edit", "unknown_id"].includes(error.code), String(error));
          assert.equal(log.length, at);
        }
        const view = log.view();
        assert.equal(view.after.total, countMessages(view.messages, { format: "openai-chat" }).total);
        if ((what === "range" || what === "clear") && log.length > at) {
          log.undo();
          assert.equal(JSON.stringify(log.view().messages), before);
          log.redo();
          assert.deepEqual(log.view().messages, view.messages);
        }
      }
      const again = ConversationLog.import(log.export(), { messages: messages.slice(0, next), format: "openai-chat" });
      assert.deepEqual(again.report.problems, []);
      assert.deepEqual(again.log.view(), log.view());
      assert.equal(again.log.hash(), log.hash());
    }),
    { numRuns: runs(60) },
  );
});
