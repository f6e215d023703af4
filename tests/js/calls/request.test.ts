/** Requests against providers that refuse: what is sent again, how much smaller, and what the host gets to know. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestEvent, RequestOptions } from "../../../js/calls/request.ts";
import { espalier } from "../built.ts";

const { EspalierError, Pruner, Recovery, countMessages, request } = espalier;

type Message = { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string };

function conversation(rounds: number): Message[] {
  const messages: Message[] = [{ role: "user", content: "Fix the parser." }];
  for (let at = 0; at < rounds; at++) {
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: "{}" } }],
    });
    messages.push({ role: "tool", tool_call_id: `c${at}`, content: `line of part ${at}\n`.repeat(30) });
  }
  return messages;
}

/** A provider with this token limit, by its own count, whose refusals have its own form. */
function provider({
  takes,
  scale = 1,
  named = true,
  code = "context_length",
}: {
  takes: number;
  scale?: number;
  named?: boolean;
  code?: string;
}) {
  const sizes: number[] = [];
  const send = (messages: Message[]) => {
    const ours = countMessages(messages).total;
    sizes.push(ours);
    const used = Math.round(ours * scale);
    if (used > takes)
      throw new EspalierError({
        code: code as "context_length",
        message: `prompt is too long: ${used} tokens > ${takes} maximum`,
        details: named ? { used, limit: takes } : {},
      });
    return { usage: { prompt_tokens: used } };
  };
  return { send, sizes };
}

async function run(
  messages: Message[],
  options: RequestOptions<unknown>,
  send: (messages: Message[], context: { outputReserve?: number; retry: number }) => unknown,
) {
  const events: RequestEvent[] = [];
  const result = await request(messages, { onEvent: (event) => events.push(event), ...options }, send);
  return { result, events };
}

const types = (events: RequestEvent[]) => events.map(({ type }) => type);

test("a request that is taken is sent once", async () => {
  const messages = conversation(5);
  const { send, sizes } = provider({ takes: 100_000 });
  const { result, events } = await run(messages, {}, send);
  assert.equal(result.messages, messages);
  assert.deepEqual([sizes.length, result.attempts, types(events)], [1, [], ["context_usage"]]);
  const [usage] = events as [Extract<RequestEvent, { type: "context_usage" }>];
  assert.deepEqual([usage.limit, usage.used, usage.isInitial, usage.retry], [128_000, sizes[0], true, 0]);
  assert.equal(usage.used, usage.frame + usage.conversation + usage.tools);
  assert.equal(result.report.limitSource, "assumedLimit");
});

test("a named limit is learned, and the next request keeps to it", async () => {
  const messages = conversation(25);
  const before = JSON.stringify(messages);
  const recovery = new Recovery();
  const { send, sizes } = provider({ takes: 3_000, scale: 1.2 });
  const { result, events } = await run(
    messages,
    { model: { name: "m", maxPromptTokens: 6_000 }, recovery, date: "2026-11-21" },
    send,
  );
  assert.equal(sizes.length, 2);
  assert.ok(sizes[1]! <= 2_500 && sizes[1]! > 2_200, String(sizes));
  assert.deepEqual(types(events), ["context_usage", "refused", "context_usage", "truncation"]);
  assert.deepEqual(
    events.flatMap((event) => (event.type === "context_usage" ? [event.isInitial] : [])),
    [true, false],
  );
  const { message, ...attempt } = result.attempts[0]!;
  assert.deepEqual(attempt, {
    limit: 6_000,
    sent: sizes[0],
    kind: "context_length",
    used: Math.round(sizes[0]! * 1.2),
    named: 3_000,
  });
  assert.match(message, /too long/);
  assert.equal(result.report.limitSource, "learned");
  // Nothing that was cut stays cut: the whole history is there, and is cut afresh.
  assert.equal(JSON.stringify(messages), before);
  const again = await run(
    messages,
    {
      model: { name: "m", maxPromptTokens: 6_000 },
      recovery: new Recovery(JSON.parse(JSON.stringify(recovery.state))),
    },
    send,
  );
  assert.deepEqual([sizes.length, again.result.attempts], [3, []]);
  recovery.clear("m");
  await run(messages, { model: { name: "m", maxPromptTokens: 6_000 }, recovery }, send);
  assert.equal(sizes.length, 5);
});

test("without a number each retry is smaller, and three are all", async () => {
  const messages = conversation(40);
  const { send, sizes } = provider({ takes: 10, named: false });
  await assert.rejects(run(messages, { budget: 4_000 }, send), (error: unknown) => {
    assert.ok(error instanceof EspalierError && error.cause instanceof EspalierError);
    const { attempts } = error.details as { attempts: { sent: number }[] };
    assert.equal(error.code, "context_length");
    assert.deepEqual(
      attempts.map(({ sent }) => sent),
      sizes,
    );
    return true;
  });
  assert.equal(sizes.length, 4);
  sizes.slice(1).forEach((size, at) => assert.ok(size <= sizes[at]! * 0.95, String(sizes)));
});

test("where nothing smaller is possible the error says so, with all tries", async () => {
  const { send, sizes } = provider({ takes: 10 });
  await assert.rejects(run(conversation(40), { budget: 4_000 }, send), (error: unknown) => {
    assert.ok(error instanceof EspalierError);
    const { attempts, needed } = error.details as { attempts: unknown[]; needed: number };
    assert.deepEqual([error.code, attempts.length, needed > 10], ["budget_exceeded", 1, true]);
    return true;
  });
  assert.equal(sizes.length, 1);
});

test("rate limits and other errors are passed on as they are", async () => {
  for (const error of [
    Object.assign(new Error("slow down"), { code: "rate_limited", details: { retryAfterMs: 5_000, limit: 10 } }),
    new TypeError("x"),
    "text",
    undefined,
    Object.freeze({ code: 7 }),
  ]) {
    let times = 0;
    const recovery = new Recovery();
    await assert.rejects(
      run(conversation(3), { recovery }, () => {
        times++;
        throw error;
      }),
      (thrown: unknown) => thrown === error,
    );
    assert.equal(times, 1);
    assert.deepEqual(recovery.state, { models: {} });
  }
  // After a retry the host gets to know of both.
  let times = 0;
  const failing = () => {
    throw times++ === 0
      ? Object.assign(new Error("too long"), { kind: "context_length", limit: 1_000 })
      : Object.assign(new Error("overloaded"), { code: "overloaded" });
  };
  await assert.rejects(run(conversation(40), {}, failing), (error: unknown) => {
    assert.ok(error instanceof EspalierError);
    assert.deepEqual(
      [error.code, (error.cause as Error).message, (error.details as { attempts: unknown[] }).attempts.length],
      ["overloaded", "overloaded", 2],
    );
    return true;
  });
});

test("numbers that make no sense are no numbers", async () => {
  for (const odd of [{ limit: -5 }, { limit: "many" }, { used: Number.NaN }, { limit: 1e300, used: null }]) {
    let times = 0;
    const { result } = await run(conversation(40), { budget: 3_000 }, () => {
      if (times++ === 0) throw Object.assign(new Error("too long"), { code: "context_length", details: odd });
      return {};
    });
    assert.ok(result.report.after.total <= 3_000 * 0.95);
  }
});

/** The beginning of a picture: other data is no picture, and would become a note at once. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

test("pictures go before words when the body is too large", async () => {
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}${"A".repeat(4_000)}` } };
  const messages = [
    { role: "user", content: [{ type: "text", text: "Look" }, picture] },
    { role: "assistant", content: "I see." },
    { role: "user", content: "Go on." },
  ];
  let times = 0;
  const { result, events } = await run(messages, {}, (sent) => {
    times++;
    if (JSON.stringify(sent).length > 3_000)
      throw Object.assign(new Error("413 Payload Too Large"), { code: "body_size" });
    return {};
  });
  assert.equal(times, 2);
  assert.match(JSON.stringify(result.messages), /image left out/);
  assert.equal(result.messages[1], messages[1]);
  assert.deepEqual(
    result.report.removed.map(({ rule }) => rule),
    ["media"],
  );
  assert.deepEqual(types(events), ["context_usage", "refused", "context_usage", "truncation"]);
});

test("the output gives way first where the host allows it", async () => {
  const refuse = () =>
    Object.assign(new Error("input length and max_tokens exceed context limit"), {
      code: "context_length",
      details: { kind: "output_reserve", used: 5_000, limit: 10_000 },
    });
  const reserves: unknown[] = [];
  const send = (_: Message[], { outputReserve, retry }: { outputReserve?: number; retry: number }) => {
    reserves.push(outputReserve);
    if (retry === 0) throw refuse();
    return {};
  };
  const model = { name: "m", maxContextWindowTokens: 16_000, outputReserve: 8_000 };
  const { result } = await run(conversation(20), { model, lowerOutput: true }, send);
  assert.deepEqual(reserves, [undefined, 5_000]);
  assert.equal(result.report.removed.length, 0);
  const kept = await run(conversation(60), { model }, send);
  assert.equal(reserves[3], undefined);
  assert.ok(kept.result.report.removed.length > 0);
});

test("an output that is too long for the model is lowered to what it can write, and no message goes", async () => {
  const reserves: unknown[] = [];
  const send = (_: Message[], { outputReserve, retry }: { outputReserve?: number; retry: number }) => {
    reserves.push(outputReserve);
    if (retry === 0) throw new Error("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]");
    return {};
  };
  const model = { name: "m", maxContextWindowTokens: 16_000, outputReserve: 8_000 };
  const { result } = await run(conversation(20), { model, lowerOutput: true }, send);
  assert.deepEqual(reserves, [undefined, 2_048]);
  assert.equal(result.report.removed.length, 0);
  await assert.rejects(run(conversation(20), { model }, send), /the valid range of max_tokens/);
  assert.equal(reserves.length, 3);
});

test("a request above the tokens of a minute fits after one refusal, its output included", async () => {
  // As the SDK of OpenAI throws it. "Requested" is input and output together.
  const [takes, output] = [4_000, 1_500];
  const send = (messages: Message[]) => {
    const requested = countMessages(messages).total + output;
    if (requested > takes)
      throw Object.assign(
        new Error(
          `429 Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit ${takes}, Requested ${requested}. The input or output tokens must be reduced in order to run successfully.`,
        ),
        { status: 429, code: "rate_limit_exceeded", type: "tokens" },
      );
    return {};
  };
  const recovery = new Recovery();
  const { result, events } = await run(conversation(60), { model: "gpt-4o", recovery }, send);
  const { total } = result.report.after;
  assert.equal(result.attempts.length, 1);
  assert.ok(total <= takes - output && total > 0.8 * (takes - output), `${total}`);
  const refused = events.find((event) => event.type === "refused")!;
  assert.deepEqual(
    [refused.kind, refused.limit, refused.total, refused.nextLimit],
    ["context_length", takes, refused.sent + output, takes - output],
  );
  // The next request fits at once.
  assert.equal((await run(conversation(60), { model: "gpt-4o", recovery }, send)).result.attempts.length, 0);

  // No input is small enough for an output that is above the limit by itself.
  const none = run(conversation(60), { model: "gpt-4o" }, (messages) => {
    if (messages.length > 0)
      throw Object.assign(new Error(`Request too large for x on tokens per min (TPM): Limit 100, Requested 9999999.`), {
        status: 429,
      });
  });
  await assert.rejects(none, /Request too large/);
});

test("servers that cut in silence are noticed", async () => {
  const recovery = new Recovery();
  const low = () => run(conversation(60), { model: "m", recovery }, () => ({ usage: { prompt_tokens: 2_048 } }));
  const first = await low();
  assert.deepEqual(first.result.silentOverflow, {
    kind: "odd",
    reported: 2_048,
    expected: first.result.report.after.total,
  });
  const { result, events } = await low();
  assert.deepEqual(result.silentOverflow, {
    kind: "truncated",
    reported: 2_048,
    expected: result.report.after.total,
    limit: 2_048,
  });
  assert.deepEqual(types(events), ["context_usage", "silent_overflow"]);
  const next = await run(conversation(60), { model: "m", recovery }, () => ({}));
  assert.ok(next.result.report.after.total <= 2_048);
  // Ollama reports it beside the message of its answer.
  const local = new Recovery();
  for (const kind of ["odd", "truncated"]) {
    const reply = () => ({ message: { role: "assistant", content: "ok" }, prompt_eval_count: 2_048, eval_count: 1 });
    assert.equal(
      (await run(conversation(60), { model: "m", recovery: local }, reply)).result.silentOverflow?.kind,
      kind,
    );
  }
  // A prediction says how sure it is; caches are part of the prompt.
  const sure = await run(
    conversation(60),
    { predict: (sent) => ({ tokens: sent, bound: 10 }), promptTokens: () => 5_000 },
    () => ({}),
  );
  assert.equal(sure.result.silentOverflow?.kind, "odd");
  const cached = await run(conversation(60), { predict: (sent) => ({ tokens: sent, bound: 10 }) }, (messages) => ({
    usage: { input_tokens: 5, cache_read_input_tokens: countMessages(messages).total - 5 },
  }));
  assert.equal(cached.result.silentOverflow, undefined);
});

test("an abort ends it before, during and between tries", async () => {
  const controller = new AbortController();
  let times = 0;
  const refusing = () => {
    times++;
    throw Object.assign(new Error("too long"), { code: "context_length" });
  };
  await assert.rejects(run(conversation(9), { signal: AbortSignal.abort() }, refusing), { code: "aborted" });
  assert.equal(times, 0);
  const onEvent = (event: RequestEvent) => event.type === "refused" && controller.abort();
  await assert.rejects(run(conversation(9), { signal: controller.signal, onEvent }, refusing), { code: "aborted" });
  assert.equal(times, 1);
  const reason = new Error("mine");
  for (const send of [
    () => Promise.reject(new Error("a callback that listens")),
    () => new Promise<never>(() => undefined),
  ]) {
    const during = new AbortController();
    const sent = () => (during.abort(reason), send());
    await assert.rejects(
      run(conversation(9), { signal: during.signal }, sent),
      (error) => error instanceof EspalierError && error.code === "aborted" && error.cause === reason,
    );
  }
});

test("a pruner makes each request begin like the one before", async () => {
  const pruner = new Pruner();
  const all = conversation(80);
  let whole = 0;
  const initial: boolean[] = [];
  for (let rounds = 20; rounds < 80; rounds++) {
    const { result, events } = await run(
      all.slice(0, 1 + 2 * rounds),
      { budget: 5_000, cacheStepShare: 0.2, pruner },
      () => ({}),
    );
    initial.push(...events.flatMap((event) => (event.type === "context_usage" ? [event.isInitial] : [])));
    whole += result.report.shared && !result.report.shared.differs ? 1 : 0;
  }
  assert.deepEqual([initial.filter(Boolean).length, initial[0]], [1, true]);
  assert.ok(whole > 45, String(whole));
  pruner.free();
});

test("what makes no sense is refused by name", async () => {
  await assert.rejects(request(conversation(1), {}, "send" as never), { code: "bad_input", path: "send" });
  await assert.rejects(
    request(conversation(1), null as never, () => 1),
    { code: "bad_option", path: "options" },
  );
  await assert.rejects(
    request(conversation(1), { budget: -1 }, () => 1),
    { code: "bad_option", path: "options.budget" },
  );
  assert.throws(() => new Recovery("old").begin("m", 10), { code: "bad_input" });
  assert.throws(() => new Recovery().begin(7 as never, 10), { code: "bad_option", path: "options.model" });
  assert.throws(() => new Recovery().begin("m", 0.5), { code: "bad_option", path: "options.base" });
  const tries = new Recovery().begin("m", 10);
  assert.throws(() => new Recovery().refused(tries, { kind: "context_length", sent: -1 }), {
    code: "bad_option",
    path: "refusal.sent",
  });
  assert.throws(() => new Recovery().refused(tries, { kind: "tired" as never, sent: 1 }), { code: "bad_input" });
  assert.throws(() => new Recovery().accepted("m", { sent: 1, reported: 1.5 }), {
    code: "bad_option",
    path: "answer.reported",
  });
});

const LONG = "This model's maximum context length is 2000 tokens. However, your messages resulted in 4200 tokens.";
const SDKS: Record<string, object> = {
  OpenAI: { status: 400, code: "context_length_exceeded", type: "invalid_request_error", message: `400 ${LONG}` },
  Anthropic: {
    status: 400,
    message:
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 4200 tokens > 2000 maximum"}}',
  },
};
for (const [sdk, fields] of Object.entries(SDKS))
  test(`the error of ${sdk}'s SDK leads to a smaller request`, async () => {
    let asked = 0;
    const { result } = await run(conversation(25), { model: { name: "m", maxPromptTokens: 6_000 } }, (messages) => {
      asked += 1;
      if (countMessages(messages).total > 2_000) throw Object.assign(new Error("x"), fields);
      return {};
    });
    assert.equal(asked, 2);
    assert.deepEqual([result.attempts[0]!.kind, result.attempts[0]!.named], ["context_length", 2_000]);
  });

test("an error that is about something else is passed on", async () => {
  for (const fields of [
    { status: 401, message: "Invalid API key" },
    { status: 400, message: "Unknown parameter: 'x'" },
  ]) {
    const error = Object.assign(new Error("x"), fields);
    const failing = () => Promise.reject(error);
    await assert.rejects(run(conversation(3), {}, failing), (thrown) => thrown === error);
  }
});
