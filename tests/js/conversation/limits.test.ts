/** Limits of a conversation: what the host sets, what a provider teaches, and what another model would have. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { CompactHooks } from "../../../js/types/compact.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { begin, heard, open, refused, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { EspalierError } = espalier;

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

test("more output than the model can write is no reason to cut the conversation", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 32_000 } });
  conversation.append(begin(60));
  const before = await conversation.prepare();
  const message = "max_tokens is too large: 200000. This model supports at most 16384 completion tokens.";
  const next = conversation.contextRefused({ status: 400, message });
  assert.deepEqual(next, { action: "passOn", why: "the request asks for more output than the model can write" });
  const after = await conversation.prepare();
  assert.deepEqual(after.messages, before.messages);
  assert.equal(after.report.usage.limit, before.report.usage.limit);
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

test("a question about another model can be aborted", async () => {
  let given: AbortSignal | undefined;
  const preCompact: CompactHooks["preCompact"] = (_, { signal }) => {
    given = signal;
    return new Promise(() => {});
  };
  const hooks = { preCompact };
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 8_000 }, hooks });
  conversation.append(begin(38));
  const stop = new AbortController();
  const asked = conversation.modelSwitch({ maxPromptTokens: 3_000 }, { signal: stop.signal });
  while (!given) await new Promise((done) => setTimeout(done, 1));
  stop.abort(new Error("another one was picked"));
  await assert.rejects(asked, { code: "aborted" });
  assert.ok(given.aborted);
  const late = conversation.modelSwitch({ maxPromptTokens: 100_000 }, { signal: stop.signal });
  await assert.rejects(late, { code: "aborted" });
  assert.equal((await conversation.modelSwitch({ maxPromptTokens: 100_000 })).fits, true);
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

test("what a switch would mean is what the other model would count, whatever the encoding, and whichever model sees pictures", async () => {
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
