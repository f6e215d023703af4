/**
 * The replay of the playground, with the built package: its figures against facts that are worked out apart from it.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { register } from "tsx/esm/api";

register();
const { espalier } = await import("../js/built.ts");
const { Replay } = await import("../../www/run/replay.ts");
const { DEFAULTS } = await import("../../www/run/settings.ts");
const { totalsOf } = await import("../../www/run/totals.ts");
const { requestEnds } = await import("../../js/bill/requests.ts");
const { rowsOf, sentAt, shownAt, stepOf } = await import("../../www/run/step.ts");
const { FATES } = await import("../../www/run/types.ts");
const { readConversation } = await import("../../js/formats/index.ts");

const FORMAT = { format: "espalier" };
const SETTINGS = { ...DEFAULTS, budget: 2_500, encoding: "o200k_base" };

const recording = (name) => {
  const { messages } = JSON.parse(
    readFileSync(new URL(`../fixtures/transcripts/${name}.json`, import.meta.url), "utf8"),
  );
  return readConversation(messages, {}).messages;
};
const TAU = recording("tau-airline-11");
const PI = recording("pi-refactor-long");
/** Half of it: a replay of all takes two seconds. */
const HALF = PI.slice(0, 500);

/** The replay of the long recording at its usual window, which several cases look at: it takes seconds. */
let usual;
const usualReplay = () => (usual ??= replayed(PI, { budget: 64_000 }));

async function replayed(messages, settings = {}, options = {}) {
  const replay = new Replay(espalier, { messages }, { ...SETTINGS, ...settings }, options);
  while (await replay.step());
  await replay.dispose();
  return replay;
}
const count = (messages) => espalier.countMessages(messages, FORMAT).total;

// ------------------------------------------------------------ requests

const message = (role, id) => ({ id, role, parts: [{ type: "text", text: id }] });
test("a request precedes every message of the model, and an unanswered end is the last one", () => {
  const list = (...roles) => roles.map((role, at) => message(role, `m${at}`));
  assert.deepEqual(requestEnds(list("system", "user", "assistant", "tool", "assistant")), [2, 4]);
  assert.deepEqual(requestEnds(list("user", "assistant", "assistant", "user")), [1, 4]);
  assert.deepEqual(requestEnds(list("assistant", "user", "assistant")), [2]);
  assert.deepEqual(requestEnds(list("system", "assistant")), []);
  assert.deepEqual(requestEnds([]), []);
});

for (const [name, messages, budgets, every] of [
  ["tau-airline-11", TAU, [2_500, 3_500], 1],
  ["pi-refactor-long", PI, [64_000], 15],
]) {
  for (const writer of ["rules", "scripted"]) {
    test(`${name}, ${writer}: each request has the tokens that countMessages counts, and fits`, async () => {
      for (const budget of budgets) {
        const replay = await replayed(messages, { budget, writer });
        assert.equal(replay.requests.length, requestEnds(messages).length);
        assert.ok(totalsOf(replay).summaries > 0);
        for (const { number, messages: end, sent, history, sentMessages } of replay.requests) {
          assert.ok(sent <= budget, `${number}: ${sent}`);
          if (number % every !== 0) continue;
          const request = sentAt(replay, number);
          assert.equal(request.length, sentMessages);
          assert.equal(count(request), sent, `request ${number}`);
          assert.equal(count(messages.slice(0, end)), history, `history at ${number}`);
        }
      }
    });
  }
}

test("tools are counted with every request", async () => {
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  const tools = [{ type: "function", function: { name: "read_file", description: "Reads a file.", parameters } }];
  const read = readConversation({ messages: [{ role: "user", content: "Read a.ts." }], tools }, {});
  const replay = new Replay(espalier, { messages: read.messages, tools: read.tools }, SETTINGS);
  assert.equal(await replay.step(), false);
  await replay.dispose();
  const { total, tools: own } = espalier.countMessages([{ role: "user", content: "Read a.ts." }], { tools });
  assert.ok(own > 20);
  assert.deepEqual([replay.requests[0].sent, replay.requests[0].history], [total, total]);
});

test("a conversation without a request makes none", async () => {
  const replay = await replayed([message("system", "only instructions")]);
  assert.deepEqual([replay.requests, replay.compactions], [[], []]);
});

test("the cache holds what two requests in a row share", async () => {
  const replay = await replayed(TAU);
  for (let number = 2; number <= replay.requests.length; number += 1) {
    const [before, now] = [sentAt(replay, number - 1), sentAt(replay, number)];
    let shared = 0;
    while (shared < before.length && JSON.stringify(before[shared]) === JSON.stringify(now[shared])) shared += 1;
    const { cached, cachedMessages, lost } = replay.requests[number - 1];
    assert.equal(cachedMessages, shared);
    const each = espalier.countMessages(now, FORMAT).perMessage.map(({ tokens }) => tokens);
    assert.equal(
      cached,
      each.slice(0, shared).reduce((sum, tokens) => sum + tokens, 0),
      `request ${number}`,
    );
    assert.equal(lost > 0, shared < before.length, `request ${number}`);
  }
});

// ------------------------------------------------------------ time

test("a summary of 20 s beside the conversation is ready after two and a half requests of 8 s, and then applied", async () => {
  const { compactions, requests } = await usualReplay();
  const [first] = compactions;
  assert.deepEqual(
    { ...first, before: 0, after: 0, steps: [] },
    {
      number: 1,
      trigger: "threshold",
      isBackground: true,
      job: 1,
      start: 12,
      ready: 14.5,
      end: 15,
      outcome: "applied",
      status: "applied",
      before: 0,
      after: 0,
      author: "model",
      steps: [],
      calls: [1],
    },
  );
  assert.ok(first.before > first.after);
  // It began as soon as a request was as large as the profile says, and not before.
  const { background } = { background: 0.78 * 64_000 };
  assert.ok(requests[11].sent >= background && requests[10].sent < background * 1.06);
  // The drop is that of the requests' own counts.
  assert.ok(requests[14].sent < requests[13].sent - (first.before - first.after) / 2);
});

test("a summary that takes no time is there at the next request, and nobody waits", async () => {
  const { compactions, requests } = await replayed(HALF, { budget: 64_000, latency: 0 });
  for (const { isBackground, start, end, outcome } of compactions)
    if (isBackground && outcome === "applied") assert.equal(end, start + 1);
  assert.ok(requests.every(({ waited }) => waited === 0));
});

test("a request waits only while a summary is being made, and until it is ready", async () => {
  const { compactions, requests } = await replayed(HALF, { budget: 64_000, latency: 60 });
  const waits = requests.filter(({ waited }) => waited > 0);
  assert.ok(waits.length > 0);
  for (const { number, time, waited } of waits) {
    const made = compactions.filter(({ end }) => end === number);
    assert.ok(made.length > 0, `request ${number}`);
    const began = Math.min(...made.map(({ start }) => requests[Math.floor(start) - 1].time));
    assert.ok(time + waited >= began + 60_000 && waited <= 60_000, `request ${number}: ${waited} ms`);
  }
  // The clock is the replay's own: all requests and waits, and not more.
  const last = requests.at(-1);
  const waited = requests.slice(0, -1).reduce((sum, row) => sum + row.waited, 0);
  assert.equal(last.time, (requests.length - 1) * 8_000 + waited);
});

test("the same settings lead to the same run", async () => {
  const [a, b] = [await replayed(TAU), await replayed(TAU)];
  assert.deepEqual(
    [a.requests, a.compactions, a.calls.map(({ reply }) => reply)],
    [b.requests, b.compactions, b.calls.map(({ reply }) => reply)],
  );
});

test("a compaction that is undone brings its messages back, until one is needed again", async () => {
  const [as, undone] = [await replayed(TAU), await replayed(TAU, { undo: [10] })];
  const before = (replay) => replay.requests.slice(0, 9).map(({ sent }) => sent);
  assert.deepEqual(before(undone), before(as), "nothing differs before it");
  const [first, second] = undone.compactions;
  assert.deepEqual([first.outcome, first.undone], ["applied", 10]);
  assert.ok(first.end < 10 && second.start >= 10 && second.outcome === "applied");
  assert.deepEqual(
    undone.requests.map(({ sent }) => sent <= 2_500),
    undone.requests.map(() => true),
  );
  const none = await replayed(TAU, { undo: [1] });
  assert.deepEqual(none.requests, as.requests, "there is nothing to undo before the first");
});

// ------------------------------------------------------------ failures

test("a model that always fails is asked, and rules take its place", async () => {
  const { compactions, requests, calls } = await replayed(HALF, { budget: 64_000, failures: "always" });
  assert.ok(calls.length > 0);
  for (const { outcome, error } of calls)
    assert.deepEqual([outcome, error.what], ["failed", "The scripted model is told to fail."]);
  const applied = compactions.filter(({ outcome }) => outcome === "applied");
  assert.ok(applied.length > 0 && applied.every(({ author }) => author === "rule"));
  assert.ok(compactions.some(({ outcome, error }) => outcome === "failed" && error.includes("told to fail")));
  assert.ok(requests.every(({ sent }) => sent <= 64_000));
});

test("of a model that fails every second time, each second answer is a failure", async () => {
  const { calls } = await replayed(HALF, { budget: 64_000, failures: "second" });
  assert.ok(calls.length > 3);
  for (const { number, outcome } of calls.slice(0, -1))
    assert.equal(outcome, number % 2 === 0 ? "failed" : "answered", `call ${number}`);
});

test("a model slower than the profile's patience times out on the replay's clock", async () => {
  const { compactions } = await replayed(HALF, { budget: 64_000, latency: 130 });
  assert.ok(compactions.some(({ status, error }) => status === "timeout" && error.includes("120000 ms")));
});

test("a window that is too small for what must stay gives the request no tokens, and says why", async () => {
  const { requests } = await replayed(TAU, { budget: 1_000 });
  const [failed] = requests.filter(({ error }) => error);
  assert.equal(failed.sent, undefined);
  assert.match(failed.error, /What must be kept needs [\d,]+ tokens, the budget allows 1000/);
});

// ------------------------------------------------------------ what a request holds

test("the fates of a request add up to its messages, and each message that is gone has its reason", async () => {
  const replay = await replayed(TAU);
  const seen = new Set();
  for (const { number, whole, messages } of replay.requests) {
    const { fates, inserted } = stepOf(espalier, replay, number);
    assert.equal(fates.length, messages);
    const named = TAU.slice(0, messages).map((message, at) => ({ ...message, at, fate: FATES[fates[at]] }));
    const of = (...wanted) => named.filter(({ fate }) => wanted.includes(fate));
    const ids = [...of("kept", "changed").map(({ id }) => id), ...inserted.map(({ id }) => id)];
    assert.deepEqual(new Set(ids), new Set(sentAt(replay, number).map(({ id }) => id)));
    assert.equal(
      whole,
      of("kept").reduce((sum, { at }) => sum + rowsOf(replay, [at])[0].tokens, 0),
      `request ${number}`,
    );
    for (const { id, fate } of of("changed", "covered", "dropped"))
      assert.ok(shownAt(replay, number, id).why, `${number}: ${id} ${fate}`);
    for (const { id } of of("kept")) assert.equal(shownAt(replay, number, id).why, undefined);
    for (const { fate } of named) seen.add(fate);
  }
  assert.ok(seen.has("kept") && seen.has("covered"));
});

test("a request's marks, its difference and the texts of its messages can be looked up", async () => {
  const replay = await usualReplay();
  const applied = replay.compactions.find(({ outcome }) => outcome === "applied");
  const { marks, difference, inserted, edits } = stepOf(espalier, replay, applied.end);
  assert.ok(marks.some(({ why }) => why === "newest"));
  assert.ok(difference.kind);
  assert.match(inserted[0].peek, /conversation-summary/);
  assert.match(shownAt(replay, applied.end, inserted[0].id).sent, /The scripted model wrote this/);
  assert.ok(edits.some(({ rule }) => rule === "summary"));
  assert.deepEqual(Object.keys(shownAt(replay, applied.end, PI.at(-1).id)), ["original"]);
  assert.equal(stepOf(espalier, replay, 5).difference, undefined);
  assert.equal(stepOf(espalier, replay, 9_999), undefined);
});

// ------------------------------------------------------------ a real model

test("while a real model writes, the replay's clock stands still; then as much time has passed there", async () => {
  let real = 0;
  const texts = [];
  const ask = async ({ messages }, _signal, write) => {
    for (const word of ["<summary>## Conversation ", "Overview\n", `${messages.length}</summary>`]) {
      write(word);
      real += 4_000;
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { text: texts.at(-1) };
  };
  const wrote = (_, text) => texts.push(text);
  const settings = { budget: 64_000, writer: "endpoint" };
  const { calls, compactions, requests } = await replayed(HALF, settings, { ask, wrote, now: () => real });
  assert.ok(calls.length > 0 && calls.every(({ outcome }) => ["answered", "running"].includes(outcome)));
  assert.deepEqual(new Set(calls.flatMap(({ took = [] }) => took)), new Set([12_000]));
  // Twelve seconds of a call are one and a half requests.
  const [first] = compactions;
  assert.ok(first.isBackground && first.calls.length > 0);
  assert.ok(Math.abs(first.ready - first.start - 1.5 * first.calls.length) < 0.02, JSON.stringify(first));
  assert.match(calls[0].reply, /^<summary>## Conversation Overview\n\d+<\/summary>$/);
  assert.ok(requests.every(({ sent }) => sent <= 64_000));
});

test("a replay that is stopped asks nothing more", async () => {
  const controller = new AbortController();
  let signalled;
  const ask = (_, signal) => {
    signalled = signal;
    setTimeout(() => controller.abort(new Error("stopped")), 5);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const replay = new Replay(espalier, { messages: TAU }, { ...SETTINGS, writer: "endpoint" }, { ask });
  await assert.rejects(async () => {
    while (await replay.step(controller.signal));
  });
  await replay.dispose();
  assert.ok(signalled.aborted);
  assert.equal(replay.calls.length, 1);
});
