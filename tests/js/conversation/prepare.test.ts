/** Requests of a conversation: what is sent, when a summary is begun, used, waited for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY, answered, begin, clock, heard, model, refused, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, EspalierError } = espalier;

const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    entropy: 7,
    ...options,
  });
type Opened = Awaited<ReturnType<typeof open>>;

/** Appends rounds until the next request is this full. */
function fill(conversation: Opened, ratio: number, from = 0): number {
  let number = from;
  while (conversation.usage().ratio < ratio) conversation.append(round(number++, 5));
  return number;
}
const types = (events: { type: string; stage?: unknown; status?: unknown }[]) =>
  events.flatMap(({ type, stage, status }) => (type === "context_usage" ? [] : [String(stage ?? status ?? type)]));

test("a request that fits is the host's own objects, and nothing happens", async () => {
  const conversation = await open();
  const events = heard(conversation);
  const messages = begin(3);
  conversation.append(messages);
  const { messages: sent, report } = await conversation.prepare();
  assert.equal(sent.length, messages.length);
  sent.forEach((message, at) => assert.equal(message, messages[at]));
  assert.deepEqual([report.compactions, report.trimmed, report.job, report.request], [[], [], undefined, 1]);
  assert.equal(report.usage.used, espalier.countMessages(messages).total);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["context_usage"],
  );
  assert.equal((events[0] as { isInitial: boolean }).isInitial, true);
  await conversation.prepare();
  assert.equal((events[1] as { isInitial: boolean }).isInitial, false);
});

test("tools of a request are counted, and may change", async () => {
  const conversation = await open();
  conversation.append(begin(1));
  const tools = [
    {
      type: "function",
      function: {
        name: "bash",
        description: "Runs a command.",
        parameters: { type: "object", properties: { command: { type: "string" } } },
      },
    },
  ];
  const { report } = await conversation.prepare({ tools });
  assert.equal(report.usage.tools, espalier.countTools(tools, { format: "openai-chat" }).total);
  assert.equal((await conversation.prepare({ tools: [] })).report.usage.tools, 0);
});

test("a system prompt apart is counted with every request", async () => {
  const plain = await open();
  const apart = await open({ system: "You are a careful engineer." });
  for (const conversation of [plain, apart]) conversation.append(begin());
  const [a, b] = [(await plain.prepare()).report.usage, (await apart.prepare()).report.usage];
  assert.ok(b.used > a.used && b.frame - a.frame === b.used - a.used);
});

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

test("with automatic compaction off the request is pruned, for itself only", async () => {
  const conversation = await open({ automatic: false });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 1.3);
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_000);
  assert.ok(report.trimmed.length > 0 && report.trimmed.every(({ ids }) => ids.every((id) => /^m\d+$/.test(id))));
  assert.equal(report.usage.used, espalier.countMessages(messages).total);
  const trimmed = events.find(({ type }) => type === "context_trimmed") as {
    tokensRemoved: number;
    before: { total: number };
    after: { total: number };
  };
  assert.equal(trimmed.before.total - trimmed.tokensRemoved, trimmed.after.total);
  assert.deepEqual(conversation.edits(), []);
  assert.equal(conversation.view().messages.length, conversation.log.originals);
  assert.equal((await conversation.compact()).status, "applied", "by hand it works all the same");
});

test("a pasted request larger than the window is shortened for the request, and whole in the log", async () => {
  const conversation = await open();
  const paste = { role: "user", content: "line of a log 12345\n".repeat(2_000) };
  conversation.append([...begin(2), paste]);
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_000);
  assert.ok(report.trimmed.length > 0);
  assert.equal(conversation.log.original("m6"), paste);
  assert.equal(conversation.log.view().messages.at(-1), paste);
});

test("what cannot be made to fit is an error that names the numbers, and nothing is lost", async () => {
  const conversation = await open({ model: { maxPromptTokens: 40 } });
  conversation.append([
    { role: "system", content: "be exact. ".repeat(100) },
    { role: "user", content: "hi" },
  ]);
  await refused(() => conversation.prepare(), "budget_exceeded");
  assert.equal(conversation.view().messages.length, 2);
  const { messages } = await conversation.prepare({ model: { maxPromptTokens: 4_000 } });
  assert.equal(messages.length, 2);
});

test("a frame that takes most of the window is warned of, with the largest tools, once", async () => {
  const conversation = await open({ model: { maxPromptTokens: 500 } });
  const events = heard(conversation);
  conversation.append(begin());
  const tools = ["small", "large"].map((name, at) => ({
    type: "function",
    function: { name, description: "does ".repeat(100 + 200 * at), parameters: {} },
  }));
  await conversation.prepare({ tools });
  await conversation.prepare({ tools });
  const warnings = events.filter((event) => event.type === "warning");
  assert.equal(warnings.length, 1);
  assert.deepEqual(
    (warnings[0] as { details: { largest: { name: string }[] } }).details.largest.map(({ name }) => name),
    ["large", "small"],
  );
});

test("the user's threshold is checked when it is set, and lowers the limit", async () => {
  for (const threshold of [2, 99, 1.0001])
    await refused(() => open({ threshold }), "bad_threshold", "options.threshold");
  const conversation = await open({ threshold: 0.5 });
  conversation.append(begin(20));
  const { report, messages } = await conversation.prepare();
  assert.deepEqual([report.usage.limit, report.usage.limitSource], [2_000, "threshold"]);
  sound(messages, 2_000);
  assert.throws(
    () => conversation.setThreshold(50),
    (error) => error instanceof EspalierError && error.code === "bad_threshold",
  );
  assert.equal(conversation.usage().limit, 2_000);
  conversation.setThreshold(3_000);
  assert.equal(conversation.usage().limit, 3_000);
  conversation.setThreshold(undefined);
  conversation.setMaxContextTokens(1_500);
  assert.deepEqual([conversation.usage().limit, conversation.usage().limitSource], [1_500, "maxContextTokens"]);
});

test("a model's default tier counts unless the user picked a size, or more is preferred and costs no more", async () => {
  for (const [surcharge, preferLongContext, contextSize, limit, source] of [
    [false, false, undefined, 4_000, "defaultTier"],
    [false, true, undefined, 8_000, "maxPromptTokens"],
    [true, true, undefined, 4_000, "defaultTier"],
    [true, false, undefined, 4_000, "defaultTier"],
    [true, false, 6_000, 6_000, "maxContextTokens"],
    [false, false, 0, 4_000, "defaultTier"],
    [false, false, Infinity, 4_000, "defaultTier"],
    [false, false, 9_000, 8_000, "maxPromptTokens"],
  ] as const) {
    for (const profile of ["espalier", "copilot-chat"] as const) {
      const conversation = await open({
        profile,
        model: { maxPromptTokens: 8_000, defaultTier: 4_000, surcharge },
        preferLongContext,
        ...(contextSize !== undefined && { maxContextTokens: contextSize }),
      });
      const usage = conversation.usage();
      assert.deepEqual(
        [usage.limit, usage.limitSource],
        [limit, source],
        JSON.stringify([surcharge, preferLongContext, contextSize]),
      );
    }
  }
  // One above the model's own means nothing.
  const wide = await open({ model: { maxPromptTokens: 8_000, defaultTier: 20_000 } });
  assert.deepEqual([wide.usage().limit, wide.usage().limitSource], [8_000, "maxPromptTokens"]);
  await refused(() => open({ model: { defaultTier: -1 } }), "bad_option", "options.model.defaultTier");
  await refused(() => open({ model: { surcharge: 1 as never } }), "bad_option", "options.model.surcharge");
  await refused(() => open({ preferLongContext: 1 as never }), "bad_option", "options.preferLongContext");
});

test("a refusal teaches the limit, from the text alone, and the next request is smaller", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 8_000 } });
  conversation.append(begin(38));
  await conversation.prepare();
  const next = conversation.contextRefused({
    status: 400,
    message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 6000 tokens.",
  });
  assert.equal(next.action, "retry");
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_096);
  assert.deepEqual(
    report.compactions.map(({ status, trigger }) => [status, trigger]),
    [["applied", "provider_error"]],
  );
  assert.ok(conversation.usage().limit <= 4_096);
  assert.equal(conversation.contextRefused(new Error("socket hang up")).action, "passOn");
});

test("refusals without a number end after three retries", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 32_000 } });
  conversation.append(begin(150));
  const said: string[] = [];
  let last = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { report } = await conversation.prepare();
    if (said.length < 3) assert.ok(report.usage.used < last, `${report.usage.used} after ${last}`);
    last = report.usage.used;
    said.push(conversation.contextRefused({ code: "context_length", message: "too long" }).action);
    if (said.at(-1) !== "retry") break;
  }
  assert.deepEqual(said, ["retry", "retry", "retry", "giveUp"]);
});

test("a provider that read less than was sent is noticed", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 20_000 } });
  const events = heard(conversation);
  conversation.append(begin(60));
  for (const _ of [1, 2]) {
    await conversation.prepare();
    conversation.reportUsage({ prompt_tokens: 2_048 });
  }
  assert.deepEqual(
    events.filter((event) => event.type === "warning").map((event) => (event as { code: string }).code),
    ["odd_usage", "silent_overflow"],
  );
});

test("what a provider reports makes counts its own", async () => {
  const conversation = await open({ model: { name: "claude-sonnet-4", maxPromptTokens: 20_000 } });
  conversation.append(begin());
  for (let number = 0; number < 12; number += 1) {
    conversation.append(round(number));
    const { messages } = await conversation.prepare();
    conversation.reportUsage({ input_tokens: Math.round(espalier.countMessages(messages).total * 1.2) });
  }
  const { used, bound, origin } = conversation.usage();
  const truth = espalier.countMessages(conversation.view().messages).total * 1.2;
  assert.equal(origin, "calibrated");
  assert.ok(Math.abs(used - bound - truth) <= Math.max(bound, truth * 0.02), `${used} ${bound} ${truth}`);
});

test("a switch of model: told before, made by the next request", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 8_000 } });
  conversation.append(begin(38));
  const small = { name: "gpt-4", maxPromptTokens: 3_000 };
  const before = conversation.log.length;
  const { current, newLimit, fits, plan } = await conversation.modelSwitch(small);
  assert.deepEqual([newLimit, fits, plan!.status], [3_000, false, "applied"]);
  assert.ok(current > 3_000 && plan!.view.after.total < 3_000);
  assert.equal(conversation.log.length, before, "nothing is recorded");
  const { messages, report } = await conversation.prepare({ model: small });
  assert.deepEqual(
    report.compactions.map(({ trigger }) => trigger),
    ["model_switch"],
  );
  assert.ok(espalier.countMessages(messages, { model: "gpt-4" }).total <= 3_000);
  assert.equal((await conversation.modelSwitch({ name: "gpt-4", maxPromptTokens: 100_000 })).fits, true);
});

test("a switch to a model that nothing can be made to fit is an answer, with the reason", async () => {
  const check = async (
    messages: Fields[],
    options: Partial<ConversationOptions<Fields>>,
    expected: string | undefined,
  ) => {
    const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 8_000 }, ...options });
    if (messages.length > 0) conversation.append(messages);
    const { fits, newLimit, plan, reason } = await conversation.modelSwitch({ maxPromptTokens: 1_000 });
    assert.deepEqual(
      [fits, newLimit, plan?.status, reason?.code],
      [expected === undefined && messages.length === 0, 1_000, undefined, expected],
    );
    assert.equal(typeof reason?.message, expected === undefined ? "undefined" : "string");
  };
  await check([], {}, undefined);
  await check([{ role: "user", content: "word ".repeat(3_000) }], {}, "nothing_to_compact");
  await check(begin(38), { compact: { ladder: ["summary", "fit"] } }, "not_ready");
  await check(begin(38), { compact: { ladder: ["summary"] } }, "budget_exceeded");
});

test("what a switch would mean is what the other model would count, whatever the encoding, and whoever looks at pictures", async () => {
  const picture = {
    role: "user",
    content: [
      { type: "text", text: "Look." },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ],
  };
  const tools = [
    {
      type: "function",
      function: { name: "bash", description: "Runs a command.", parameters: { type: "object", properties: {} } },
    },
  ];
  for (const messages of [begin(12), [...begin(12), picture]]) {
    for (const reopened of [false, true]) {
      const storage = espalier.memoryStorage();
      const options = { model: { name: "gpt-4o", maxPromptTokens: 80_000 }, storage, tools };
      let conversation = await open(options);
      conversation.append(messages);
      if (reopened) {
        await conversation.dispose();
        conversation = await open(options);
      }
      for (const name of ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "o4-mini", "gpt-4"]) {
        const { current } = await conversation.modelSwitch({ name, maxPromptTokens: 80_000 });
        const truth = espalier.countMessages(conversation.log.neutral(), {
          format: "espalier",
          model: name,
          tools: conversation.log.counted({}).tools,
        }).total;
        assert.equal(current, truth, `${name}, ${messages.length} messages`);
      }
      await conversation.dispose();
    }
  }
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

test("two requests at once are served one after the other", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, background: false });
  conversation.append(begin());
  fill(conversation, 1.05);
  const both = Promise.all([conversation.prepare(), conversation.prepare()]);
  await rest();
  assert.equal(calls.length, 1);
  const [first, second] = await answered(calls, both);
  assert.deepEqual([first.report.request, second.report.request], [1, 2]);
  assert.deepEqual(first.messages, second.messages);
  assert.equal(conversation.edits().length, 1);
});

test("bad options are named", async () => {
  const cases: [Partial<ConversationOptions<Fields>>, string][] = [
    [{ llm: 3 as never }, "options.llm"],
    [{ storage: {} as never }, "options.storage.read"],
    [{ profile: "other" as never }, "options.profile"],
    [{ timeoutsMs: { wait: -1 } }, "options.timeoutsMs.wait"],
    [{ eventProfile: "x" as never }, "options.eventProfile"],
    [{ checkpoints: 0.5 }, "options.checkpoints"],
    [{ format: "x" as never }, "options.format"],
    [{ entropy: Number.NaN }, "options.entropy"],
    [{ model: { maxPromptTokens: -4 } }, "options.model.maxPromptTokens"],
    [{ messages: 3 as never }, "options.messages"],
    [{ automatic: 1 as never }, "options.automatic"],
  ];
  for (const [options, path] of cases) await refused(() => open(options), "bad_option", path);
  await refused(() => openConversation({}), "bad_option", "options.format");
});

test("copilot-cli's names of events, beside ours or alone", async () => {
  for (const eventProfile of ["copilot-cli", "both"] as const) {
    const conversation = await open({ eventProfile, automatic: false });
    const events = heard(conversation);
    conversation.append(begin(40));
    await conversation.prepare();
    await conversation.compact({ focus: "names" });
    const names = events.map(({ type }) => type);
    for (const name of [
      "session.usage_info",
      "session.truncation",
      "session.compaction_start",
      "session.compaction_complete",
    ])
      assert.ok(names.includes(name as never), name);
    assert.equal(names.includes("context_usage"), eventProfile === "both");
    const complete = events.find(({ type }) => type === "session.compaction_complete") as { data: Fields };
    assert.deepEqual(
      [complete.data["success"], complete.data["trigger"], complete.data["customInstructions"]],
      [true, "manual", "names"],
    );
  }
});

test("listeners that throw harm nobody", async () => {
  const conversation = await open({
    onEvent: () => {
      throw new Error("mine");
    },
  });
  conversation.on("*", async () => {
    throw new Error("mine, later");
  });
  const off = conversation.on("context_usage", () => assert.fail("was taken off"));
  off();
  conversation.append(begin(40));
  sound((await conversation.prepare()).messages, 4_000);
  await rest();
});

test("after dispose nothing works, and nothing is left running", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.85);
  await conversation.prepare();
  await rest();
  await conversation.dispose();
  await conversation.dispose();
  assert.equal(calls[0]!.signal.aborted, true);
  await refused(() => conversation.prepare(), "disposed");
  assert.throws(
    () => conversation.append(begin()),
    (error) => error instanceof EspalierError && error.code === "disposed",
  );
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

test("a range that a request before it has hidden is the summary that stands for it", async () => {
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
