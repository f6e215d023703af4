/** Compactions that cross, are cancelled, settle twice or never: none of it changes what it must not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { Llm } from "../../../js/types/llm.ts";
import { isTried } from "../runs.ts";
import {
  LIMIT,
  SUMMARY,
  answered,
  begin,
  clock,
  fill,
  heard,
  model,
  open,
  refused,
  rest,
  round,
  sound,
  text,
  turns,
} from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage } = espalier;
type Opened = Awaited<ReturnType<typeof open>>;

/** Everything that can be done to two jobs, in every order. */
const OPS = ["start", "answer 1", "answer 2", "fail 1", "fail 2", "cancel", "request"] as const;
function* orders(length: number, done: readonly string[] = []): Generator<readonly string[]> {
  if (done.length === length) return yield done;
  for (const op of OPS) yield* orders(length, [...done, op]);
}

test("all orders of two jobs: only the one that runs can settle, once, and only its result is used", async () => {
  const first = await open({ background: false });
  first.append(begin());
  fill(first, 0.7);
  const log = first.log.export();
  const messages = first.log.originalsFrom(0);
  let count = 0;
  for (const order of orders(3)) {
    count += 1;
    if (!isTried(3, ...order.map((op) => (OPS as readonly string[]).indexOf(op)))) continue;
    const { llm, calls } = model();
    const conversation = await open({ llm, background: false, log, messages });
    // What is expected: the job that runs, what became of each, the summary that waits.
    let live: number | undefined;
    let held: number | undefined;
    let tried = false;
    const open_: boolean[] = [];
    for (const op of ["start", ...order]) {
      const [what, of] = op.split(" ");
      const number = Number(of);
      if (what === "start") {
        const job = conversation.agentRequest();
        const is: boolean = live === undefined && held === undefined && !tried;
        assert.equal(job !== undefined && job !== live, is, `${order}: ${op}`);
        if (is) {
          open_.push(true);
          live = open_.length;
        }
        await rest();
      } else if (what === "answer" || what === "fail") {
        const call = calls[number - 1];
        if (what === "answer") call?.answer(SUMMARY.replace("parser", `parser of ${number}`));
        // Nobody gets through: no other form of the request is tried.
        else call?.fail(Object.assign(new Error("down"), { code: "overloaded" }));
        await rest();
        if (live === number && call) {
          if (what === "answer") held = number;
          // It is not asked again at once.
          else tried = true;
          live = undefined;
        }
      } else if (what === "cancel") {
        assert.equal(conversation.cancel(), live !== undefined || held !== undefined, `${order}: ${op}`);
        [live, held] = [undefined, undefined];
      } else {
        const { report, messages: sent } = await conversation.prepare();
        assert.deepEqual(
          report.compactions.map(({ status }) => status),
          held === undefined ? [] : ["applied"],
          `${order}: ${op}`,
        );
        if (held !== undefined) assert.ok(JSON.stringify(sent).includes(`parser of ${held}`), `${order}`);
        if (held !== undefined) break;
      }
    }
    await conversation.dispose();
  }
  assert.equal(count, OPS.length ** 3);
});

test("a cancelled job stays dead, whatever it answers, and the next has its own number", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  assert.equal(conversation.cancel(), true);
  assert.equal(conversation.cancel(), false);
  assert.equal(calls[0]!.signal.aborted, true);
  const before = text(conversation);
  const { report } = await conversation.prepare();
  assert.equal(report.job, 2);
  await rest();
  calls[0]!.answer(SUMMARY.replace("parser", "PLANTED"));
  await rest();
  assert.equal(conversation.usage().job, "running");
  calls[1]!.answer(SUMMARY);
  calls[1]!.answer("twice");
  calls[1]!.fail(new Error("twice"));
  await rest();
  assert.equal(text(conversation), before);
  await conversation.prepare();
  assert.ok(!text(conversation).includes("PLANTED") && text(conversation).includes("The parser is being fixed"));
  assert.equal(events.filter(({ type }) => type === "compaction_complete").length, 1);
});

test("what happened meanwhile decides: edits, pins and rewinds of what is covered make a plan stale, others do not", async () => {
  const doings: [string, (conversation: Opened) => unknown, boolean][] = [
    ["append", (c) => c.append(round(900, 3)), true],
    ["pin of a covered message", (c) => c.pin({ message: "m3" }), false],
    ["pin of the tail", (c) => c.pin({ message: `m${c.log.originals - 1}` }), true],
    ["a fact", (c) => c.pin({ fact: "Use tabs." }), true],
    [
      "an edit of a covered message",
      (c) =>
        c.log.edit({
          kind: "clear_result",
          rule: "mine",
          targets: [{ message: "m3", part: 0, to: { type: "text", text: "gone" } }],
        }),
      false,
    ],
    [
      "an edit of the tail",
      (c) =>
        c.log.edit({
          kind: "truncate",
          rule: "mine",
          targets: [{ message: `m${c.log.originals - 1}`, part: 0, to: { type: "text", text: "short" } }],
        }),
      true,
    ],
    ["a rewind", (c) => c.rewind("m9"), false],
    [
      "a rewind and its undoing",
      (c) => {
        c.rewind("m9");
        c.undo();
      },
      false,
    ],
    ["a pin taken off again", (c) => c.unpin(c.pin({ message: "m3" })), false],
  ];
  for (const [name, doing, applies] of doings) {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    conversation.append(begin());
    fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    doing(conversation);
    const view = text(conversation);
    calls[0]!.answer(SUMMARY);
    await rest();
    if (name === "a rewind") fill(conversation, 0.7, 950);
    const now = text(conversation);
    const { report, messages } = await conversation.prepare();
    assert.deepEqual(
      report.compactions.map(({ status }) => status),
      [applies ? "applied" : "stale_plan"],
      name,
    );
    if (!applies && conversation.usage().ratio < 0.78) assert.equal(JSON.stringify(messages), now, name);
    if (!applies && name !== "a rewind") {
      assert.equal(text(conversation), view, name);
      await rest();
      assert.equal(calls.length, 2, `${name}: once more by itself`);
    }
    sound(messages, LIMIT);
    await conversation.dispose();
  }
});

test("an abort ends the wait, not the job; before, while waiting, while the model is asked", async () => {
  const reason = new Error("Esc");
  {
    const conversation = await open();
    conversation.append(begin(3));
    const length = conversation.log.length;
    await refused(() => conversation.prepare({ signal: AbortSignal.abort(reason) }), "aborted");
    assert.equal(conversation.log.length, length);
  }
  {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    conversation.append(begin());
    const next = fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    fill(conversation, 0.96, next);
    const controller = new AbortController();
    const pending = conversation.prepare({ signal: controller.signal });
    const queued = conversation.prepare({ signal: controller.signal });
    await rest();
    controller.abort(reason);
    await refused(() => pending, "aborted");
    await refused(() => queued, "aborted");
    assert.equal(conversation.usage().job, "running");
    assert.equal(calls[0]!.signal.aborted, false);
    calls[0]!.answer(SUMMARY);
    await rest();
    assert.equal((await conversation.prepare()).report.compactions[0]?.status, "applied");
  }
  {
    const { llm, calls } = model();
    const conversation = await open({ llm, background: false });
    conversation.append(begin());
    fill(conversation, 1.05);
    const before = text(conversation);
    const controller = new AbortController();
    const pending = conversation.prepare({ signal: controller.signal });
    await rest();
    controller.abort(reason);
    await refused(() => pending, "aborted");
    assert.equal(calls[0]!.signal.aborted, true);
    calls[0]!.answer(SUMMARY);
    await rest();
    assert.deepEqual([text(conversation), conversation.edits()], [before, []]);
    // Nothing was counted against the model.
    const again = conversation.prepare();
    await rest();
    // What does not fit into one request is summarised piece by piece.
    for (let at = 1; at < calls.length; at += 1) {
      calls[at]!.answer(SUMMARY);
      await rest();
    }
    assert.equal((await again).report.compactions[0]?.status, "applied");
  }
});

test("a compaction by hand: one at a time, abortable, instead of the job that runs", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  const before = text(conversation);
  const controller = new AbortController();
  const first = conversation.compact({ signal: controller.signal });
  const second = await conversation.compact();
  assert.deepEqual([second.status, second.retryable], ["already_running", true]);
  await rest();
  assert.equal(calls[0]!.signal.aborted, true, "the job is given up");
  controller.abort();
  assert.equal((await first).status, "cancelled");
  assert.equal(text(conversation), before);
  const third = conversation.compact({ focus: "the tests" });
  await rest();
  assert.match(calls.at(-1)!.prompt, /the tests/);
  assert.equal(conversation.cancel(), true);
  assert.equal((await third).status, "cancelled");
  const fourth = conversation.compact();
  await rest();
  calls.at(-1)!.answer(SUMMARY);
  assert.equal((await fourth).status, "applied");
  assert.equal(await conversation.compact().then((done) => done.status), "nothing_to_compact");
});

test("a compaction by hand that waits for another call: aborted, it ends at once and nothing has begun", async () => {
  for (const way of ["signal", "cancel"] as const) {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    conversation.append(begin());
    fill(conversation, 0.7);
    const preview = conversation.preview({ model: true });
    await rest();
    const events = heard(conversation);
    const controller = new AbortController();
    for (const asked of [
      () => conversation.compact({ signal: controller.signal }),
      () => conversation.compactRange("m2", "m9", { signal: controller.signal }),
    ]) {
      const waiting = asked();
      await rest();
      if (way === "signal") controller.abort();
      else assert.equal(conversation.cancel(), true);
      const { status, retryable, edits } = await waiting;
      assert.deepEqual([status, retryable, edits], ["cancelled", true, []], way);
    }
    assert.deepEqual(
      events.map(({ type }) => type),
      [],
    );
    assert.equal((await answered(calls, preview)).status, "applied");
    assert.equal((await answered(calls, conversation.compact())).status, "applied");
  }
});

test("a compaction by hand that was aborted before it began leaves the job alone", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  const { status } = await conversation.compact({ signal: AbortSignal.abort() });
  assert.deepEqual([status, calls[0]!.signal.aborted, conversation.usage().job], ["cancelled", false, "running"]);
});

test("a preview that is aborted while the model is asked throws, as one that was aborted before", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.7);
  const controller = new AbortController();
  const reason = new Error("the user closed the dialog");
  const preview = conversation.preview({ model: true, signal: controller.signal });
  await rest();
  controller.abort(reason);
  await assert.rejects(preview, { code: "aborted", cause: reason });
  assert.equal(calls[0]!.signal.aborted, true);
  await assert.rejects(conversation.preview({ signal: controller.signal }), { code: "aborted", cause: reason });
  assert.equal((await conversation.preview()).status, "applied");
});

test("a range of the user's: bounds grow to rounds and around summaries, and undo brings it back", async () => {
  const conversation = await open();
  conversation.append([...begin(20), { role: "user", content: "And the lexer?" }, ...round(50)]);
  const before = text(conversation);
  const done = await conversation.compactRange("m8", "m30");
  assert.equal(done.status, "applied");
  const ids = conversation.view().plan.map((item) => (item.type === "insert" ? item.message.id : item.id));
  assert.ok((ids.includes("m7") === false && ids.includes("m6") === false) || ids.includes("m7"), "whole rounds");
  assert.ok(!ids.includes("m8") && !ids.includes("m30") && ids.includes("m1") && ids.includes("m40"));
  sound(conversation.view().messages, 100_000);
  const wider = await conversation.compactRange("m20", "m36");
  assert.equal(wider.status, "applied");
  sound(conversation.view().messages, 100_000);
  conversation.undo();
  conversation.undo();
  assert.equal(text(conversation), before);
  assert.equal((await conversation.compactRange(undefined, "m30")).status, "applied", "everything above here");
  await refused(() => conversation.compactRange("m999"), "unknown_id", "id");
  await refused(() => conversation.compactRange("m42", "m40"), "bad_input", "from");
});

test("a preview records nothing, its text may be edited, and a stale one is refused", async () => {
  const conversation = await open();
  conversation.append(begin(20));
  const [length, before] = [conversation.log.length, text(conversation)];
  const plan = await conversation.preview({ summary: "## Conversation Overview\nMine." });
  assert.deepEqual([conversation.log.length, text(conversation)], [length, before]);
  assert.ok(plan.view.messages.length < conversation.view().messages.length);
  const [edit] = plan.edits;
  const part = edit!.message!.parts[0] as { text: string };
  part.text = part.text.replace("Mine.", "Edited by hand.");
  edit!.author = "user" as never;
  conversation.apply(plan);
  assert.ok(text(conversation).includes("Edited by hand."));
  assert.equal(conversation.edits()[0]!.author, "user");
  assert.throws(
    () => conversation.apply(plan),
    (error) => error instanceof espalier.EspalierError && ["stale_plan", "bad_edit"].includes(error.code),
  );
  conversation.undo();
  assert.equal(text(conversation), before);
});

test("pins survive compactions; facts are said again; too many pins are refused by name", async () => {
  const conversation = await open();
  conversation.append(begin(20));
  conversation.pin({ message: "m6", reason: "the error" });
  conversation.pin({ fact: "Use tabs, never spaces." });
  assert.equal((await conversation.compact()).status, "applied");
  const ids = conversation.view().plan.map((item) => (item.type === "insert" ? item.message.id : item.id));
  assert.ok(ids.includes("m6") || ids.includes("m5"));
  assert.ok(text(conversation).includes("Use tabs, never spaces."));
  conversation.append({ role: "user", content: "word ".repeat(5_000) });
  assert.throws(
    () => conversation.pin({ message: `m${conversation.log.originals - 1}` }),
    (error) => error instanceof espalier.EspalierError && error.code === "pin_budget_exceeded",
  );
  assert.equal(conversation.pins().length, 2);
});

test("a model that disappoints: a hundred requests cause at most the calls that are allowed", async () => {
  const bad: [string, Llm][] = [
    [
      "fails",
      async () => {
        throw new Error("down");
      },
    ],
    ["answers nothing", async () => ({ text: "" })],
    ["forgets the block", async () => ({ text: "I would rather not." })],
    ["inflates", async () => `<summary>${"and so on ".repeat(20_000)}</summary>`],
    ["calls a tool", async () => ({ text: "", finishReason: "tool_calls" })],
    ["gives rubbish", async () => 7 as never],
    ["hangs", () => new Promise(() => {})],
  ];
  for (const background of [true, false]) {
    for (const [number, [name, llm]] of bad.entries()) {
      if (!isTried(2, number, Number(background))) continue;
      let calls = 0;
      const conversation = await open({
        llm: (request, context) => ((calls += 1), llm(request, context)),
        background,
        timeoutsMs: { model: 5, wait: 50 },
        clock: turns(),
      });
      conversation.append(begin());
      for (let number = 0; number < 100; number += 1) {
        conversation.append(round(number, 10));
        const { messages } = await conversation.prepare();
        sound(messages, LIMIT);
        if (background) await rest();
      }
      const episodes = conversation.edits().length + 1;
      // Two tries for an episode of pressure, each with at most one repetition; then rules.
      assert.ok(calls <= episodes * 4, `${name}: ${calls} calls, ${episodes} episodes`);
      assert.ok(name === "inflates" || episodes > 1, name);
      assert.equal(conversation.log.originals, 202);
      await conversation.dispose();
    }
  }
});

test("the same log and entropy decide alike, whatever the clock says", async () => {
  const run = async (now: () => number) => {
    const conversation = await open({ clock: { now }, llm: async () => SUMMARY });
    const said: unknown[] = [];
    conversation.append(begin());
    for (let number = 0; number < 60; number += 1) {
      conversation.append(round(number, 5 + (number % 7)));
      const { report } = await conversation.prepare();
      await rest();
      said.push([report.usage.used, report.compactions.map(({ status, trigger }) => [status, trigger]), report.job]);
    }
    return [said, text(conversation), conversation.log.length];
  };
  const jumps = [5, -3, Number.NaN, 1e300, 0];
  let at = 0;
  const [a, b] = [await run(() => 1_700_000_000_000), await run(() => jumps[at++ % jumps.length]!)];
  assert.deepEqual(a, b);
});

test("random doings: requests stay valid and on budget, and undoing everything gives the plain history", async () => {
  const runs = { plain: 0, rewound: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(
        fc.oneof(
          {
            weight: 6,
            arbitrary: fc.record({ op: fc.constant("round" as const), lines: fc.integer({ min: 0, max: 60 }) }),
          },
          { weight: 4, arbitrary: fc.constant({ op: "prepare" as const }) },
          fc.record({ op: fc.constant("user" as const), words: fc.integer({ min: 1, max: 400 }) }),
          fc.constantFrom(
            { op: "compact" as const },
            { op: "undo" as const },
            { op: "redo" as const },
            { op: "cancel" as const },
            { op: "pressure" as const },
            { op: "answer" as const },
            { op: "fail" as const },
          ),
          fc.record({ op: fc.constant("pin" as const), at: fc.nat(50) }),
          fc.record({ op: fc.constant("rewind" as const), at: fc.nat(50) }),
        ),
        { minLength: 5, maxLength: 60 },
      ),
      async (rounds, doings) => {
        const { llm, calls } = model();
        const time = clock();
        const conversation = await open({ llm, clock: time });
        conversation.append(begin(rounds));
        let number = rounds;
        const hidden: [from: number, to: number][] = [];
        for (const doing of doings) {
          const ids = conversation.view().plan.flatMap((item) => (item.type === "insert" ? [] : [item.id]));
          if (doing.op === "round") conversation.append(round(number++, doing.lines));
          else if (doing.op === "user") conversation.append({ role: "user", content: "word ".repeat(doing.words) });
          else if (doing.op === "pin") {
            try {
              conversation.pin({ message: ids[doing.at % ids.length]! });
            } catch {}
          } else if (doing.op === "rewind" && ids.length > 4) {
            const to = ids[Math.max(2, doing.at % ids.length)]!;
            hidden.push([Number(to.slice(1)), conversation.log.originals]);
            conversation.rewind(to);
          } else if (doing.op === "undo") {
            try {
              conversation.undo();
            } catch {}
          } else if (doing.op === "redo") {
            try {
              conversation.redo();
            } catch {}
          } else if (doing.op === "cancel") conversation.cancel();
          else if (doing.op === "pressure") conversation.memoryPressure();
          else if (doing.op === "answer") calls.forEach(({ answer }) => answer(SUMMARY));
          else if (doing.op === "fail") calls.forEach(({ fail }) => fail(new Error("down")));
          else if (doing.op === "compact") {
            const pending = conversation.compact();
            await rest();
            calls.forEach(({ answer }) => answer(SUMMARY));
            await pending;
          } else if (doing.op === "prepare") {
            const pending = conversation.prepare();
            for (let turn = 0; turn < 4; turn += 1) {
              await rest();
              calls.forEach(({ answer }) => answer(SUMMARY));
            }
            const { messages, report } = await pending;
            sound(messages, LIMIT);
            assert.equal(espalier.countMessages(messages, { format: "openai-chat" }).total, report.usage.used);
          }
        }
        await rest();
        // The log says the same when it is read again.
        const again = espalier.ConversationLog.import<Fields>(conversation.log.export(), {
          messages: conversation.log.originalsFrom(0),
          format: "openai-chat",
          model: "gpt-4o",
        });
        assert.deepEqual(again.report.problems, []);
        assert.equal(JSON.stringify(again.log.view().messages), text(conversation));
        const edits = conversation.edits().length;
        while (conversation.undo() !== undefined);
        const originals = conversation.log.originalsFrom(0);
        const { messages } = conversation.view();
        // A rewind that messages followed stays; what it hides is gone, and nothing else.
        const isHidden = (at: number) => hidden.some(([from, to]) => from < at && at < to);
        if (hidden.length === 0) assert.deepEqual(messages, originals);
        const shown = messages.filter((message) => originals.includes(message));
        assert.ok(hidden.length > 0 || shown.length === messages.length, "the caller's own objects");
        const places = shown.map((message) => originals.indexOf(message));
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        assert.deepEqual(
          originals.flatMap((_, at) => (isHidden(at) || places.includes(at) ? [] : [at])),
          [],
        );
        // Where a rewind cut a round in two, its calls are answered for it.
        for (const message of messages)
          assert.ok(
            originals.includes(message) || (hidden.length > 0 && message["role"] === "tool"),
            JSON.stringify(message),
          );
        if (edits > 0) runs[hidden.length === 0 ? "plain" : "rewound"] += 1;
        await conversation.dispose();
      },
    ),
    { numRuns: 40, seed: 11 },
  );
  assert.ok(runs.plain >= 5 && runs.rewound >= 5, JSON.stringify(runs));
});

test("ten compactions in a row keep what must be kept, and the record stays small", async () => {
  const conversation = await open({ storage: memoryStorage(), model: { name: "gpt-4o", maxPromptTokens: 16_000 } });
  conversation.append(begin(12));
  for (let turn = 0; turn < 10; turn += 1) {
    conversation.append([
      ...[0, 1, 2, 3, 4, 5].flatMap((at) => round(100 + 10 * turn + at, 60)),
      { role: "user", content: `Go on with step ${turn}.` },
    ]);
    const { status } = await conversation.compact();
    assert.equal(status, "applied", String(turn));
    assert.ok(conversation.usage().ratio < 0.65, `${conversation.usage().ratio}`);
    assert.ok(text(conversation).includes("never touch the lexer"), String(turn));
  }
});
