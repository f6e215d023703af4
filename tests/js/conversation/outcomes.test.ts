/** How a compaction that came to nothing ends, and when the next one is tried by itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Trigger } from "../../../js/types/compact.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Llm } from "../../../js/types/llm.ts";
import { SUMMARY, begin, heard, model, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation } = espalier;
const LIMIT = 20_000;
const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    timeoutsMs: { model: 10, hook: 10 },
    ...options,
    compact: { ladder: ["summary", "offline", "fit"], verify: "never", ...options.compact },
  });
type Opened = Awaited<ReturnType<typeof open>>;
let next = 0;
function fill(conversation: Opened, ratio: number): void {
  while (conversation.usage().ratio < ratio) conversation.append(round(next++, 20));
}
/** One request, and whatever it began. */
async function request(conversation: Opened): Promise<void> {
  sound((await conversation.prepare()).messages, LIMIT);
  while (conversation.usage().job === "running") await new Promise((done) => setTimeout(done, 5));
  await rest();
}

/** What is answered, how it ends, how often the model is asked for it. */
const OUTCOMES: [string, Llm, string, number][] = [
  [
    "an error that another form might help",
    async () => {
      throw new Error("no");
    },
    "model_failed",
    2,
  ],
  [
    "nobody there",
    async () => {
      throw Object.assign(new Error("down"), { code: "overloaded" });
    },
    "model_failed",
    1,
  ],
  ["silence", () => new Promise(() => {}), "timeout", 1],
  ["nothing", async () => "", "empty_summary", 2],
  ["an empty block", async () => "<summary> </summary>", "empty_summary", 2],
  ["no block", async () => "I would rather not.", "no_summary_tag", 2],
  ["a call", async () => ({ text: "", finishReason: "tool_calls" }), "tool_call_instead", 2],
  ["rubbish", async () => ({ text: 7 }) as never, "model_failed", 2],
];

for (const [name, llm, status, calls] of OUTCOMES) {
  test(`${name}: ${status}, again after two requests, then by rules`, async () => {
    let asked = 0;
    const conversation = await open({ llm: (given, context) => ((asked += 1), llm(given, context)) });
    const events = heard(conversation);
    conversation.append(begin());
    fill(conversation, 0.84);
    const before = JSON.stringify(conversation.view().messages);
    const seen: number[] = [];
    for (let number = 1; number <= 5; number += 1) {
      await request(conversation);
      seen.push(asked);
      if (number <= 3) assert.equal(JSON.stringify(conversation.view().messages), before);
    }
    // One job, a pause of one request, another job, then one without the model, which is put to use by the request
    // after it.
    assert.deepEqual(seen, [calls, calls, 2 * calls, 2 * calls, 2 * calls], String(seen));
    const ends = events.flatMap((event) =>
      event.type === "compaction_complete" ? [[event.status, event.success]] : [],
    );
    assert.deepEqual(ends, [
      [status, false],
      [status, false],
      ["applied", true],
    ]);
    assert.deepEqual(
      conversation.edits().map(({ author }) => author),
      ["rule"],
    );
    // Failures are records, never summaries: the newest edit that was made counts.
    const failed = conversation.log
      .records("job")
      .map(({ data }) => data as Fields)
      .filter((data) => data["event"] === "settled");
    assert.deepEqual(
      failed.map((data) => data["status"]),
      [status, status, "applied"],
    );
    await conversation.dispose();
  });
}

test("after a failure, new messages of 0.05 A are as good as two requests", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.83);
  await conversation.prepare();
  await rest();
  calls[0]!.fail(Object.assign(new Error("down"), { code: "overloaded" }));
  await rest();
  await conversation.prepare();
  assert.equal(calls.length, 1);
  fill(conversation, 0.91);
  await conversation.prepare();
  await rest();
  assert.equal(calls.length, 2);
  await conversation.dispose();
});

test("a summary that is no gain is not made again until 0.10 A are new, or the model is another", async () => {
  for (const [change, again] of [
    ["nothing", false],
    ["less than 0.10 A", false],
    ["0.10 A", true],
    ["another model", true],
  ] as const) {
    let asked = 0;
    const conversation = await open({ llm: async () => ((asked += 1), SUMMARY), profile: { gain: { covered: 0.99 } } });
    const events = heard(conversation);
    conversation.append(begin());
    fill(conversation, 0.82);
    await request(conversation);
    assert.deepEqual(
      events.flatMap((event) => (event.type === "compaction_complete" ? [[event.status, event.edits]] : [])),
      [["no_gain", []]],
    );
    const before = asked;
    if (change === "less than 0.10 A") fill(conversation, 0.86);
    if (change === "0.10 A") fill(conversation, 0.94);
    for (let number = 0; number < 10; number += 1) await request(conversation);
    if (change === "another model")
      await conversation.prepare({ model: { name: "gpt-4o-mini", maxPromptTokens: LIMIT } }).then(rest);
    assert.equal(asked > before, again, change);
    await conversation.dispose();
  }
});

test("what was cancelled counts for nothing: the next request may begin again", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, timeoutsMs: {} });
  conversation.append(begin());
  fill(conversation, 0.84);
  for (let number = 1; number <= 4; number += 1) {
    assert.equal((await conversation.prepare()).report.job, number);
    await rest();
    assert.equal(calls.length, number);
    conversation.cancel();
  }
  await conversation.dispose();
});

test("by hand all of that is passed over, is said to be, and is never set", async () => {
  let isDown = true;
  let asked = 0;
  const conversation = await open({
    llm: async () => {
      asked += 1;
      if (isDown) throw Object.assign(new Error("down"), { code: "overloaded" });
      return SUMMARY;
    },
  });
  conversation.append(begin());
  fill(conversation, 0.84);
  for (let number = 0; number < 3; number += 1) {
    const { status, retryable, bypassed, error } = await conversation.compact();
    assert.deepEqual([status, retryable, bypassed, error], ["model_failed", true, undefined, "down"]);
  }
  assert.equal(asked, 3);
  await request(conversation);
  assert.equal(asked, 4, "three failures by hand are none");
  await request(conversation);
  assert.equal(asked, 4, "but one by itself is");
  const early = await conversation.compact();
  assert.deepEqual([early.status, early.bypassed], ["model_failed", "notYet"]);
  await request(conversation);
  assert.equal(asked, 6, "and the pause is no longer for it");
  isDown = false;
  const { status, bypassed } = await conversation.compact();
  assert.deepEqual([status, bypassed], ["applied", "offline"]);
});

test("statuses say what they are about: before, after, steps, whether to try again", async () => {
  const conversation = await open();
  const empty = await conversation.compact();
  assert.deepEqual([empty.status, empty.edits], ["not_ready", []]);
  conversation.append(begin());
  assert.equal((await conversation.compact()).status, "nothing_to_compact");
  fill(conversation, 0.5);
  const done = await conversation.compact();
  assert.deepEqual([done.status, done.retryable, done.before.total > done.after.total], ["applied", false, true]);
  assert.deepEqual(done.report!.steps.map(({ step }) => step).includes("offline"), true);
  assert.equal((await conversation.compact()).status, "nothing_to_compact", "twice without anything new");
  const alone = await open({ compact: { ladder: ["summary", "fit"] } });
  alone.append(begin());
  fill(alone, 0.5);
  assert.equal((await alone.compact()).status, "not_ready");
  assert.deepEqual(alone.edits(), []);
  fill(alone, 1.1);
  const { messages, report } = await alone.prepare();
  sound(messages, LIMIT);
  assert.deepEqual(
    report.compactions.map(({ status }) => status),
    ["not_ready"],
  );
  assert.ok(report.trimmed.length > 0, "the request goes out all the same");
});

test("a result that was put aside is replaced only when it is stale", async () => {
  for (const isStale of [false, true]) {
    const { llm, calls } = model();
    const conversation = await open({ llm, timeoutsMs: {} });
    conversation.append(begin());
    fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    calls[0]!.answer(SUMMARY);
    await rest();
    await conversation.prepare({ model: { name: "gpt-4o", maxPromptTokens: 2 * LIMIT } });
    assert.equal(conversation.usage().job, "parked");
    if (isStale) conversation.pin({ message: "m3" });
    const job = conversation.agentRequest();
    assert.deepEqual([job, conversation.usage().job], isStale ? [2, "running"] : [undefined, "parked"]);
    await conversation.dispose();
  }
});

test("a second compaction by hand is refused while one runs, whichever conversation asks", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, timeoutsMs: {} });
  conversation.append(begin());
  fill(conversation, 0.5);
  const first = conversation.compact();
  await rest();
  for (const second of [conversation.compact(), conversation.compactRange()])
    assert.equal((await second).status, "already_running");
  calls[0]!.answer(SUMMARY);
  assert.equal((await first).status, "applied");
});

test("the request that began a job may be stopped; a change of model keeps it, and its result is looked at anew", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, timeoutsMs: {} });
  conversation.append(begin());
  fill(conversation, 0.83);
  const controller = new AbortController();
  await conversation.prepare({ signal: controller.signal });
  controller.abort();
  await rest();
  assert.deepEqual([conversation.usage().job, calls[0]!.signal.aborted], ["running", false]);
  await conversation.prepare({ model: { name: "gpt-4o-mini", maxPromptTokens: 21_000 } });
  assert.deepEqual([conversation.usage().job, calls.length, calls[0]!.signal.aborted], ["running", 1, false]);
  calls[0]!.answer(SUMMARY);
  await rest();
  const { messages, report } = await conversation.prepare({ model: { name: "gpt-4o-mini", maxPromptTokens: LIMIT } });
  assert.deepEqual(
    report.compactions.map(({ status, trigger }) => [status, trigger]),
    [["applied", "threshold" satisfies Trigger]],
  );
  sound(messages, LIMIT);
});

test("no frame, no model, nothing at all: what is asked for ends, and says how", async () => {
  const bare = await open();
  assert.deepEqual([bare.memoryPressure(), (await bare.compactRange()).status], [undefined, "not_ready"]);
  assert.deepEqual((await bare.prepare()).messages, []);
  bare.append(begin());
  fill(bare, 1.2);
  const { messages, report } = await bare.prepare();
  sound(messages, LIMIT);
  assert.deepEqual(
    report.compactions.map(({ status, trigger, report: made }) => [status, trigger, made?.model]),
    [["applied", "overflow", undefined]],
  );
});
