/** When a summary is begun, used, parked, waited for, or made by rules. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY, answered, begin, clock, fill, heard, model, open, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const types = (events: { type: string; stage?: unknown; status?: unknown }[]) =>
  events.flatMap(({ type, stage, status }) => (type === "context_usage" ? [] : [String(stage ?? status ?? type)]));

test("warm, a job starts between 0.78 and 0.82; cold, at 0.90", async () => {
  for (const [entropy, isWarm] of [
    [1, true],
    [2, true],
    ["c", true],
    [1, false],
  ] as const) {
    const { llm, calls } = model();
    const conversation = await open({ llm, entropy, model: { name: "gpt-4o", maxPromptTokens: 20_000 } });
    conversation.append(begin());
    let at = 0;
    for (let number = 0; calls.length === 0; number += 1) {
      conversation.append(isWarm ? round(number, 10) : [{ role: "user", content: "and then? ".repeat(20) }]);
      at = (await conversation.prepare()).report.usage.ratio;
      await rest();
    }
    assert.ok(isWarm ? at >= 0.78 && at < 0.83 : at >= 0.9 && at < 0.92, `${at}`);
    await conversation.dispose();
  }
});

test("a finished summary is used from 0.65 on, and parked below", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  const events = heard(conversation);
  conversation.append(begin());
  const next = fill(conversation, 0.83);
  const {
    report: { job },
  } = await conversation.prepare();
  assert.equal(job, 1);
  await rest();
  calls[0]!.answer(SUMMARY);
  await rest();
  assert.equal(conversation.usage().job, "ready");
  // The window grows: it is not needed now.
  await conversation.prepare({ model: { name: "gpt-4o", maxPromptTokens: 8_000 } });
  assert.equal(conversation.usage().job, "parked");
  const { messages, report } = await conversation.prepare({ model: { name: "gpt-4o", maxPromptTokens: 5_000 } });
  assert.deepEqual(
    report.compactions.map(({ status, trigger, job }) => [status, trigger, job]),
    [["applied", "threshold", 1]],
  );
  assert.match(String(messages[2]!["content"]), /The parser is being fixed/);
  assert.equal(calls.length, 1);
  sound(messages, 4_000);
  assert.deepEqual(types(events), [
    "compaction_start",
    "started",
    "asking",
    "answered",
    "parked",
    "applied",
    "applied",
  ]);
  fill(conversation, 0.5, next);
  assert.ok((await conversation.prepare()).report.usage.ratio < 0.65);
});

test("messages that came while the model wrote stay behind the summary", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  const next = fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  const late = round(next, 5);
  conversation.append(late);
  calls[0]!.answer(SUMMARY);
  await rest();
  const { messages, report } = await conversation.prepare();
  assert.equal(report.compactions[0]?.status, "applied");
  assert.deepEqual(messages.slice(-2), late);
  assert.equal(messages.at(-1), late[1]);
});

test("from 0.95 on a request waits for the job, at most a minute; in browsers too", async () => {
  const { getBuiltinModule } = process;
  for (const [answers, isBrowser] of [
    [true, false],
    [false, false],
    [true, true],
    [false, true],
  ]) {
    const { llm, calls } = model();
    const time = clock();
    // Browsers cannot tell which callback a call comes from.
    if (isBrowser) process.getBuiltinModule = undefined as never;
    const conversation = await open({ llm, clock: time }).finally(() => (process.getBuiltinModule = getBuiltinModule));
    const events = heard(conversation);
    conversation.append(begin());
    const next = fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    fill(conversation, 0.955, next);
    assert.ok(conversation.usage().ratio < 1);
    let done = false;
    const pending = conversation.prepare().then((prepared) => ((done = true), prepared));
    await rest();
    assert.equal(done, false);
    assert.ok(types(events).includes("waiting"));
    if (answers) calls[0]!.answer(SUMMARY);
    else time.turn(60_000);
    const { messages, report } = await pending;
    assert.deepEqual(
      report.compactions.map(({ status }) => status),
      answers ? ["applied"] : [],
    );
    sound(messages, 4_000);
    await conversation.dispose();
  }
});

test("what does not fit after the wait is summarised by rules, and the late answer does no harm", async () => {
  const { llm, calls } = model();
  const time = clock();
  const conversation = await open({ llm, clock: time });
  conversation.append(begin());
  const next = fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  fill(conversation, 1.05, next);
  const pending = conversation.prepare();
  await rest();
  time.turn(60_000);
  const { messages, report } = await pending;
  assert.deepEqual(
    report.compactions.map(({ status, trigger, report }) => [status, trigger, report?.model]),
    [["applied", "overflow", undefined]],
  );
  sound(messages, 4_000);
  const view = JSON.stringify(conversation.view().messages);
  calls[0]!.answer(SUMMARY);
  await rest();
  assert.equal(JSON.stringify((await conversation.prepare()).messages), view);
  assert.equal(conversation.usage().job, "parked");
  fill(conversation, 0.7, 500);
  const { report: later } = await conversation.prepare();
  assert.deepEqual(
    later.compactions.map(({ status }) => status),
    ["stale_plan"],
  );
  await conversation.dispose();
});

test("what does not fit is compacted in the foreground, by the model", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, background: false });
  conversation.append(begin());
  fill(conversation, 1.05);
  const pending = conversation.prepare();
  await rest();
  assert.equal(calls.length, 1);
  const { messages, report } = await answered(calls, pending, { text: SUMMARY, usage: { prompt_tokens: 5 } });
  assert.deepEqual(
    report.compactions.map(({ status, trigger }) => [status, trigger]),
    [["applied", "overflow"]],
  );
  sound(messages, 4_000);
});

test("a model that fails in the foreground is followed by rules; the request goes out", async () => {
  const conversation = await open({
    background: false,
    llm: async () => {
      throw new Error("down");
    },
  });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 1.05);
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(
    report.compactions.map(({ status }) => status),
    ["model_failed", "applied"],
  );
  assert.match(report.compactions[0]!.error!, /down/);
  sound(messages, 4_000);
  assert.equal(events.filter(({ type }) => type === "compaction_complete").length, 2);
});

test("memory pressure asks no model, and needs four messages", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  assert.equal(conversation.memoryPressure(), undefined);
  conversation.append(begin(10).slice(2));
  assert.equal(conversation.memoryPressure(), 1);
  await rest();
  assert.equal(calls.length, 0);
  assert.equal(conversation.usage().job, "ready");
  conversation.memoryPressure();
  assert.deepEqual(
    conversation.edits().map(({ trigger }) => trigger),
    ["memory_pressure"],
  );
});

test("the agent may ask for it", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin(15));
  assert.equal(conversation.agentRequest("keep the names"), 1);
  assert.equal(conversation.agentRequest(), 1);
  await rest();
  assert.match(calls[0]!.prompt, /keep the names/);
  await conversation.dispose();
});

test("what is too small to compact is not begun again at every request", async () => {
  const rows: [what: string, options: Partial<ConversationOptions<Fields>>][] = [
    ...(["espalier", "copilot-chat", "copilot-cli", "gemini-cli"] as const).map((profile): (typeof rows)[number] => [
      `one pasted request, ${profile}`,
      { profile },
    ]),
    ["in the foreground", { background: false }],
  ];
  for (const [what, options] of rows) {
    const conversation = await open({ llm: async () => assert.fail("asked for nothing"), ...options });
    conversation.append([
      { role: "system", content: "s" },
      { role: "user", content: "word ".repeat(3_700) },
    ]);
    const events = heard(conversation);
    const before = conversation.log.length;
    for (let request = 0; request < 20; request += 1) {
      await conversation.prepare();
      await rest();
    }
    assert.deepEqual([types(events), conversation.log.length - before], [[], 0], what);
  }
  // Nobody can make a summary: more has to be said before it is looked at again.
  const nobody = await open({ compact: { ladder: ["summary", "fit"] }, background: true });
  nobody.append(begin());
  fill(nobody, 0.95);
  const events = heard(nobody);
  for (let request = 0; request < 20; request += 1) {
    nobody.append([
      { role: "assistant", content: "yes" },
      { role: "user", content: "go on" },
    ]);
    if (nobody.usage().ratio < 1) await nobody.prepare();
    await rest();
  }
  assert.deepEqual(
    events.flatMap(({ type }) => (type === "compaction_start" ? [type] : [])),
    ["compaction_start"],
  );
});

test("a range that a request before it has hidden is the summary that replaces it", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, background: false });
  conversation.append(begin());
  fill(conversation, 1.05);
  const events = heard(conversation);
  const request = conversation.prepare();
  const range = conversation.compactRange("m2", "m9");
  const both = await answered(calls, Promise.all([request, range]));
  assert.deepEqual(
    both[0].report.compactions.map(({ status }) => status),
    ["applied"],
  );
  const begun = events.filter(({ type }) => type === "compaction_start").length;
  assert.equal(events.filter(({ type }) => type === "compaction_complete").length, begun, "what began has an end");
  assert.ok(["applied", "nothing_to_compact", "no_gain", "inflated"].includes(both[1].status), both[1].status);
});
