/**
 * The events of hosts: every trigger, with the fields that its events have; checkpoints; what a request costs and
 * shares.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { AnyEvent } from "../../../js/conversation/events.ts";
import type { Trigger } from "../../../js/types/compact.ts";
import type {
  CompactionComplete,
  CompactionStart,
  ContextUsageEvent,
  ConversationOptions,
} from "../../../js/conversation/types.ts";
import type { Llm } from "../../../js/types/llm.ts";
import type { ProfileFields } from "../../../js/types/profile.ts";
import { SUMMARY, begin, clock, heard, model, rest, round, sound, turns } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage } = espalier;
const LIMIT = 8_000;
const llm: Llm = async () => ({ text: SUMMARY, usage: { prompt_tokens: 5 }, finishReason: "stop", requestId: "req_1" });
const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    storage: memoryStorage(),
    ...options,
    compact: { ladder: ["summary", "offline", "fit"], verify: "never", ...options.compact },
  });
type Opened = Awaited<ReturnType<typeof open>>;
let next = 0;
function fill(conversation: Opened, ratio: number): void {
  while (conversation.usage().ratio < ratio) conversation.append(round(next++, 10));
}

// ------------------------------------------------------------ triggers

/** How full it is, what sets it off, and whether it is made beside the conversation. */
const TRIGGERS: [Trigger, number, (conversation: Opened) => unknown, boolean][] = [
  ["threshold", 0.83, (c) => c.prepare(), true],
  ["overflow", 1.05, (c) => c.prepare(), false],
  [
    "provider_error",
    0.6,
    async (c) => {
      await c.prepare();
      assert.equal(
        c.contextRefused({
          status: 400,
          message:
            "This model's maximum context length is 4000 tokens. However, your messages resulted in 4900 tokens.",
        }).action,
        "retry",
      );
      await c.prepare();
      assert.ok(c.usage().limit <= 4_000 && c.usage().limitSource === "learned");
    },
    false,
  ],
  ["manual", 0.5, (c) => c.compact({ focus: "the names" }), false],
  ["range", 0.5, (c) => c.compactRange("m3", "m12", { focus: "the names" }), false],
  ["model_switch", 0.7, (c) => c.prepare({ model: { name: "gpt-4o-mini", maxPromptTokens: 4_500 } }), false],
  ["memory_pressure", 0.5, (c) => assert.equal(c.memoryPressure(), 1), true],
  ["agent_request", 0.7, (c) => assert.equal(c.agentRequest("the names"), 1), true],
];
const START = ["type", "trigger", "model", "limit", "used", "frame", "conversation", "tools", "ratio"];
const COMPLETE = [
  "type",
  "success",
  "status",
  "trigger",
  "tokensBefore",
  "tokensAfter",
  "tokensRemoved",
  "messagesBefore",
  "messagesAfter",
  "messagesRemoved",
  "summary",
  "edits",
  "checkpoint",
  "duration",
  "quality",
  "limit",
  "frame",
  "conversation",
  "tools",
];
const ASKED = ["model", "llmModel", "requestId"];

for (const [trigger, ratio, set, isBeside] of TRIGGERS) {
  test(`${trigger}: ${isBeside ? "beside the conversation" : "before it goes on"}; one beginning and one end, with all of their fields`, async () => {
    const conversation = await open({ llm, compact: { maxLlmTokens: 100_000 } });
    const events = heard(conversation);
    conversation.append(begin());
    fill(conversation, ratio);
    await set(conversation);
    const isOver = () => events.some(({ type }) => type === "compaction_complete");
    assert.equal(isOver(), !isBeside);
    await rest();
    if (isBeside) {
      fill(conversation, 0.66);
      sound((await conversation.prepare()).messages, LIMIT);
    }
    const starts = events.filter((event): event is CompactionStart => event.type === "compaction_start");
    const ends = events.filter((event): event is CompactionComplete => event.type === "compaction_complete");
    assert.deepEqual([starts.length, ends.length, starts[0]!.trigger, ends[0]!.trigger], [1, 1, trigger, trigger]);
    const [start, end] = [starts[0]!, ends[0]!];
    const job = isBeside ? ["job"] : [];
    const focus = ["manual", "range", "agent_request"].includes(trigger) ? ["focus"] : [];
    assert.deepEqual(Object.keys(start).toSorted(), [...START, ...job].toSorted());
    const asked = trigger === "memory_pressure" ? [] : ASKED;
    assert.deepEqual(Object.keys(end).toSorted(), [...COMPLETE, ...asked, ...focus, ...job].toSorted());
    assert.equal(start.used, start.frame + start.conversation + start.tools);
    assert.equal(start.ratio, start.used / start.limit);
    assert.deepEqual(
      [end.success, end.status, end.tokensBefore - end.tokensRemoved, end.messagesBefore - end.messagesRemoved],
      [true, "applied", end.tokensAfter, end.messagesAfter],
    );
    assert.ok(end.tokensRemoved > 0);
    assert.deepEqual(
      conversation.edits().map(({ id, trigger: of }) => [id, of]),
      end.edits.map((id) => [id, trigger]),
    );
    const title = focus.length > 0 ? "the-names" : "fix-the-parser-never-touch-the-lexer";
    const { title: own, ...checkpoint } = end.checkpoint!;
    assert.deepEqual(checkpoint, { number: 1, path: `checkpoints/001-${title}.md` });
    assert.equal(own, conversation.checkpoints()[0]!.title);
    if (asked.length > 0)
      assert.deepEqual([end.requestId, end.model!.usage, end.model!.calls], ["req_1", [{ prompt_tokens: 5 }], 1]);
    const stages = events.flatMap((event) => (event.type === "compaction_progress" ? [event.stage] : []));
    assert.deepEqual(stages, [
      ...(isBeside ? ["started"] : []),
      ...(asked.length > 0 ? ["asking", "answered"] : []),
      "applied",
    ]);
    await conversation.dispose();
  });
}

for (const profile of ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"] as const) {
  test(`${profile}, without a model: every trigger ends in a summary by rules`, async () => {
    for (const [trigger, ratio, set, isBeside] of TRIGGERS) {
      // The profile's own steps.
      const conversation = await openConversation<Fields>({
        format: "openai-chat",
        model: { name: "gpt-4o", maxPromptTokens: LIMIT },
        entropy: 7,
        storage: memoryStorage(),
        profile,
        // Rules begin beside the conversation only if the host says so.
        ...(profile !== "gemini-cli" && { background: true }),
      });
      const events = heard(conversation);
      conversation.append(begin());
      fill(conversation, ratio);
      await set(conversation);
      await rest();
      if (isBeside) {
        fill(conversation, 0.66);
        sound((await conversation.prepare()).messages, LIMIT);
      }
      const ends = events.filter((event): event is CompactionComplete => event.type === "compaction_complete");
      const own = ends.filter((end) => end.trigger === trigger);
      // gemini-cli begins at half, and begins again when it has been filled up again.
      const times = profile === "gemini-cli" && trigger === "threshold" ? 2 : 1;
      assert.equal(own.length, times, trigger);
      assert.equal(
        events.filter((event) => event.type === "compaction_start" && event.trigger === trigger).length,
        times,
        trigger,
      );
      for (const end of ends)
        assert.deepEqual(
          [end.success, end.status, end.model, end.tokensRemoved > 0],
          [true, "applied", undefined, true],
          `${trigger}: ${end.trigger}`,
        );
      const edits = conversation.edits().filter(({ trigger: of }) => of === trigger);
      assert.deepEqual(
        edits.map(({ id }) => id),
        own.flatMap((end) => end.edits),
        trigger,
      );
      assert.ok(
        edits.some(({ kind }) => kind === "replace_range") && edits.every(({ author }) => author === "rule"),
        trigger,
      );
      sound((await conversation.prepare()).messages, conversation.usage().limit);
      assert.ok(JSON.stringify(conversation.view().messages).includes("never touch the lexer"), trigger);
      while (conversation.undo());
      assert.deepEqual(conversation.view().messages, conversation.log.originalsFrom(0), trigger);
      await conversation.dispose();
    }
  });
}

test("with automatic compaction off no trigger of its own does anything; stored summaries and those by hand count", async () => {
  const conversation = await open({ llm, automatic: false });
  conversation.append(begin());
  fill(conversation, 0.9);
  assert.deepEqual((await conversation.prepare()).report.compactions, []);
  assert.deepEqual(
    [conversation.agentRequest(), conversation.memoryPressure(), conversation.memoryPressure({ model: true })],
    [undefined, undefined, undefined],
  );
  await conversation.prepare({ model: { name: "gpt-4o-mini", maxPromptTokens: LIMIT / 2 } });
  await conversation.prepare({ model: { name: "gpt-4o", maxPromptTokens: LIMIT } });
  assert.deepEqual(conversation.edits(), []);
  fill(conversation, 1.1);
  const { messages, report } = await conversation.prepare();
  sound(messages, LIMIT);
  assert.deepEqual([report.compactions, report.trimmed.length > 0, report.job], [[], true, undefined]);
  assert.equal((await conversation.compact()).status, "applied");
  fill(conversation, 1.1);
  assert.ok(JSON.stringify((await conversation.prepare()).messages).includes("The parser is being fixed"));
});

test("a failure is reported with its reason and what is known", async () => {
  const conversation = await open({
    llm: async () => {
      throw new Error("down");
    },
  });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 0.5);
  await conversation.compact();
  const end = events.find((event): event is CompactionComplete => event.type === "compaction_complete")!;
  assert.deepEqual(
    [end.success, end.status, end.error, end.tokensRemoved, end.edits],
    [false, "model_failed", "down", 0, []],
  );
  assert.ok(!("summary" in end) && !("checkpoint" in end));
});

test("Copilot CLI's names carry the provider's name for the request, too", async () => {
  const conversation = await open({ llm, eventProfile: "copilot-cli" });
  const events: AnyEvent[] = heard(conversation);
  conversation.append(begin());
  fill(conversation, 0.5);
  await conversation.compact();
  const end = events.find((event) => event.type === "session.compaction_complete") as { data: Fields };
  assert.equal(end.data["requestId"], "req_1");
});

// ------------------------------------------------------------ what a request costs, and shares

test("a request's usage adds up by category, and says what it shares with the one before", async () => {
  const conversation = await open({ llm });
  const events = heard(conversation);
  const usage = () => events.findLast((event): event is ContextUsageEvent => event.type === "context_usage")!;
  conversation.append(begin(4));
  const first = await conversation.prepare();
  assert.equal(usage().shared, undefined);
  const { total, frame, user, assistant, tool, inserted, tools } = usage().split;
  assert.deepEqual(
    [frame + user + assistant + tool + inserted + tools, total, inserted, tools],
    [total, usage().used, 0, 0],
  );
  conversation.append(round(50));
  await conversation.prepare();
  const list = espalier.countMessages([]).total;
  assert.deepEqual(usage().shared, {
    messages: first.messages.length,
    tokens: espalier.countMessages(first.messages).total - list,
  });
  const definitions = [{ type: "function", function: { name: "bash", parameters: {} } }];
  await conversation.prepare({ tools: definitions });
  assert.deepEqual(usage().shared, { messages: 0, tokens: 0 });
  await conversation.prepare({ tools: structuredClone(definitions) });
  assert.equal(usage().shared!.messages, first.messages.length + 2, "the same tools");
  fill(conversation, 0.5);
  await conversation.prepare();
  await conversation.compact();
  const { messages } = await conversation.prepare();
  assert.ok(usage().split.inserted > 0);
  assert.deepEqual(
    usage().shared,
    { messages: 2, tokens: espalier.countMessages(messages.slice(0, 2)).total - list },
    "the system message and the request: the record stands behind them",
  );
  conversation.append(round(51));
  await conversation.prepare();
  assert.equal(usage().shared!.messages, messages.length, "a summary is frozen");
});

// ------------------------------------------------------------ checkpoints

test("checkpoints: the title is the summary's own, numbers are never used again, those behind a rewind are orphans", async () => {
  const storage = memoryStorage();
  const titled = SUMMARY.replace(
    "<summary>",
    "<summary>\n## Title\nÄndern der Parser's Größe/Breite: a title that is much too long to be the name of any file\n",
  );
  const conversation = await open({ llm: async () => titled, storage });
  conversation.append(begin());
  for (let turn = 0; turn < 3; turn += 1) {
    fill(conversation, 0.6);
    if (turn === 2) conversation.rewind("m3");
    fill(conversation, 0.6);
    const { checkpoint } = await conversation.compact();
    assert.equal(checkpoint, turn + 1);
  }
  await conversation.flush();
  const rows = conversation.log.checkpoints();
  assert.deepEqual(
    rows.map(({ number, orphaned }) => [number, orphaned]),
    [
      [1, true],
      [2, true],
      [3, false],
    ],
  );
  for (const { title, time, edits, messages, tokens } of rows) {
    assert.match(title, /^Ändern der Parser's/);
    assert.ok(Number.isSafeInteger(time) && edits.length > 0 && tokens > 100, JSON.stringify({ time, edits, tokens }));
    const [summary] = edits.flatMap((id) =>
      conversation.edits().filter((edit) => edit.id === id && edit.kind === "replace_range"),
    );
    assert.ok(messages > 0 && messages <= conversation.recall(summary!.id).length, String(messages));
  }
  const names = (await storage.list("checkpoints/")).filter((name) => !name.endsWith("index.md")).toSorted();
  assert.deepEqual(
    names.map((name) => /^checkpoints\/00\d-[a-z0-9-]{1,40}\.md$/.test(name)),
    [true, true, true],
    names.join(),
  );
  assert.deepEqual(
    rows.map(({ path }) => path),
    names,
  );
  assert.match(names[0]!, /001-andern-der-parser-s-gro/);
  const text = String(await storage.read(names[2]!));
  for (const part of [
    "# Ändern",
    "Checkpoint 3, edits e",
    "messages covered: m",
    "Tokens before",
    "The parser is being fixed",
  ])
    assert.ok(text.includes(part), part);
});

test("without a storage summaries have numbers and titles, and no files", async () => {
  const conversation = await open({ llm: async () => SUMMARY, storage: undefined });
  const completed: { checkpoint?: object }[] = [];
  conversation.on("compaction_complete", (event) => void completed.push(event));
  conversation.append(begin());
  fill(conversation, 0.6);
  assert.equal((await conversation.compact()).checkpoint, 1);
  const rows = conversation.checkpoints();
  assert.deepEqual(
    rows.map(({ number, path, orphaned }) => [number, path, orphaned]),
    [[1, undefined, false]],
  );
  assert.deepEqual(completed[0]!.checkpoint, { number: 1, title: rows[0]!.title });
});

// ------------------------------------------------------------ profiles

test("how long things wait is the profile's to say, unless the host says it", async () => {
  const profile: ProfileFields = { timeoutsMs: { wait: 7 } };
  for (const [options, wait] of [
    [{ profile }, 7],
    [{ profile, timeoutsMs: { wait: 5 } }, 5],
    [{ profile, timeoutsMs: { wait: undefined } as never }, 7],
    [{}, 60_000],
  ] as const) {
    const time = clock();
    const conversation = await open({ ...options, llm: () => new Promise(() => {}), clock: time });
    conversation.append(begin());
    fill(conversation, 0.83);
    await conversation.prepare();
    fill(conversation, 0.96);
    let isDone = false;
    const pending = conversation.prepare().then(() => (isDone = true));
    await rest();
    time.turn(wait - 1);
    await rest();
    assert.equal(isDone, false);
    time.turn(1);
    await pending;
    await conversation.dispose();
  }
  const hung = await open({
    profile: { timeoutsMs: { model: 11, hook: 13 } },
    clock: turns(),
    llm: () => new Promise(() => {}),
    hooks: { preCompact: () => new Promise(() => {}) },
  });
  hung.append(begin());
  fill(hung, 0.5);
  const { status, error, report } = await hung.compact();
  assert.deepEqual([status, error], ["timeout", "the model did not answer within 11 ms"]);
  assert.match(report!.hooks![0]!.why!, /13 ms/);
});

test("a profile's limits: its own where nothing is known of the model, and never more than it has for all", async () => {
  const limit = async (profile: ConversationOptions<Fields>["profile"], of: ConversationOptions<Fields>["model"]) =>
    (await open({ profile: profile!, model: of! })).usage().limit;
  assert.equal(await limit("espalier", "my-own-model"), 128_000);
  assert.equal(await limit({ limit: { fallback: 32_000 } }, "my-own-model"), 32_000);
  assert.equal(await limit({ limit: { fallback: 32_000 } }, "gpt-4o"), 128_000 - 4_096);
  assert.equal(await limit({ limit: { fallback: 32_000 } }, { maxPromptTokens: 64_000 }), 64_000);
  assert.equal(await limit("gemini-cli", "gemini-2.5-pro"), 1_048_576);
  assert.equal(await limit("gemini-cli", { maxPromptTokens: 2_000_000 }), 1_048_576);
  assert.equal(
    await limit("gemini-cli", { maxPromptTokens: 20_000 }),
    20_000,
    "no request may be larger than the model takes",
  );
});

test("what is left free below a limit that a refusal did not name is the profile's", async () => {
  for (const [profile, share] of [
    [undefined, 0.05],
    [{ limit: { retryBuffer: 0.2 } }, 0.2],
  ] as const) {
    const conversation = await open({ ...(profile && { profile }) });
    conversation.append(begin());
    fill(conversation, 0.6);
    await conversation.prepare();
    const next = conversation.contextRefused({ code: "context_length", message: "too long" });
    const used = conversation.usage().used;
    assert.ok(next.action === "retry" && Math.abs(next.limit - used * (1 - share)) <= 2, JSON.stringify([next, used]));
  }
});

test("a profile with a flag asks no model after a summary that was too long, until one is put in place; results are still cut", async () => {
  let asked = 0;
  const conversation = await open({
    profile: {
      ...espalier.profile("gemini-cli"),
      gain: { ...espalier.profile("gemini-cli").gain, covered: 0.99 },
      protect: { results: 0, rounds: 0, tokens: { share: 0, minTokens: 0, maxTokens: 0 }, turn: false },
    },
    llm: async () => ((asked += 1), SUMMARY),
    compact: { ladder: ["summary", "offline", "fit"], verify: "never" },
  });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 0.52);
  await conversation.prepare();
  const ends = () => events.flatMap((event) => (event.type === "compaction_complete" ? [event.status] : []));
  assert.deepEqual([asked, ends()[0]], [1, "no_gain"]);
  for (let number = 0; number < 5; number += 1) {
    fill(conversation, 0.55 + number * 0.1);
    sound((await conversation.prepare()).messages, LIMIT);
  }
  assert.equal(asked, 1, String(ends()));
  assert.equal(conversation.edits().filter(({ kind }) => kind === "replace_range").length, 0);
  // By hand it is asked all the same.
  await conversation.compact();
  assert.equal(asked, 2);
});

test("hooks get the trigger as the profile names it, and where nothing comes of it only if the profile says so", async () => {
  for (const [profile, wanted] of [
    [undefined, ["threshold", "manual", "range"]],
    [{ hook: { twoTriggers: true } }, ["auto", "manual", "manual"]],
  ] as [ProfileFields | undefined, string[]][]) {
    const told: string[] = [];
    const after: string[] = [];
    const conversation = await open({
      llm,
      ...(profile && { profile }),
      hooks: {
        preCompact: ({ trigger }) => void told.push(trigger),
        postCompact: ({ trigger }) => void after.push(trigger),
      },
    });
    conversation.append(begin());
    fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    await conversation.prepare();
    fill(conversation, 0.6);
    await conversation.compact();
    fill(conversation, 0.7);
    const ids = conversation.view().plan.flatMap((item) => (item.type === "insert" ? [] : [item.id]));
    await conversation.compactRange(ids[2], ids[12]);
    assert.deepEqual(told, wanted);
    assert.deepEqual(after, wanted);
  }
  const told: string[] = [];
  const conversation = await open({
    profile: { hook: { onNoop: true } },
    hooks: { preCompact: ({ trigger, covered }) => void told.push(`${trigger} ${covered.length}`) },
  });
  conversation.append(begin());
  assert.equal((await conversation.compact()).status, "nothing_to_compact");
  assert.deepEqual(told, ["manual 0"]);
});

test("a job that waits for its model is reported while others go on", async () => {
  const { llm: slow, calls } = model();
  const conversation = await open({ llm: slow });
  conversation.append(begin());
  fill(conversation, 0.83);
  const { report } = await conversation.prepare();
  assert.equal(report.job, 1);
  await rest();
  calls[0]!.answer(SUMMARY);
  await rest();
  conversation.append(round(next++, 40));
  const events = heard(conversation);
  await conversation.prepare();
  const end = events.find((event): event is CompactionComplete => event.type === "compaction_complete")!;
  assert.ok(
    end.tokensRemoved > 0 && end.tokensBefore - end.tokensRemoved === end.tokensAfter,
    "what came meanwhile is in both",
  );
});
