/** Usage reports that do not go with their request: one never shrinks the window, and a conversation goes on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin, heard, round } from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage, openConversation } = espalier;
const LIMIT = 128_000;
type Usage = Record<string, number>;

const codes = (events: ReturnType<typeof heard>) =>
  events.flatMap((event) => (event.type === "warning" ? [(event as { code: string }).code] : []));

/** Rounds of about 1,000 tokens, each reported so; the limit after each. */
async function reported(
  reports: readonly ((used: number) => Usage)[],
  { name = "gpt-4o", limit = LIMIT, start = 0 } = {},
) {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name, maxPromptTokens: limit },
    entropy: 1,
  });
  const events = heard(conversation);
  const limits: number[] = [];
  conversation.append(begin(start));
  for (const [number, report] of reports.entries()) {
    conversation.append(round(start + number, 160));
    const {
      report: { usage },
    } = await conversation.prepare();
    conversation.reportUsage(report(usage.used));
    limits.push(conversation.usage().limit);
  }
  // The next request goes out whatever was reported.
  const next = await conversation.prepare();
  assert.ok(next.messages.length > 0);
  await conversation.dispose();
  return { limits, codes: codes(events), next };
}

const right = (used: number) => ({ prompt_tokens: used });

for (const [name, odd] of Object.entries<Usage>({
  "uncached tokens only": { prompt_tokens: 26 },
  "Anthropic without its cache fields": { input_tokens: 12 },
  "the total of a session": { prompt_tokens: 100 * LIMIT },
  "a wrong total within the window": { prompt_tokens: LIMIT - 1 },
})) {
  test(`one odd report shrinks nothing: ${name}`, async () => {
    for (const before of [0, 1, 2]) {
      const { limits, codes: said, next } = await reported([...Array(before).fill(right), () => odd], {});
      assert.equal(limits.at(-1), LIMIT);
      assert.equal(next.report.trimmed.length, 0);
      if (odd["prompt_tokens"] !== LIMIT - 1) assert.equal(said.length, 1);
    }
  });
}

test("servers that report what is new only never shrink it, and are warned of once", async () => {
  const { limits, codes: said } = await reported(
    Array.from({ length: 12 }, (_, number) => () => ({ prompt_tokens: 1_150 + number })),
    { start: 4 },
  );
  assert.deepEqual(new Set(limits), new Set([LIMIT]));
  assert.deepEqual(said, ["odd_usage"]);
});

test("two reports in a row that agree are a limit, until one contradicts it", async () => {
  const cut = () => ({ prompt_tokens: 4_096 });
  const { limits, codes: said } = await reported([cut, cut, right, () => ({ prompt_tokens: 9_000 })], { start: 200 });
  assert.deepEqual(limits, [LIMIT, 4_096, 4_096, LIMIT]);
  assert.deepEqual(said, ["odd_usage", "silent_overflow"]);
});

test("the total of a session, reported for each of its requests, leaves room for the next one", async () => {
  for (const limit of [8_000, 16_000, 64_000]) {
    let total = 0;
    const added = (used: number) => ({ prompt_tokens: (total += used) });
    const { codes: said } = await reported(Array<typeof added>(40).fill(added), { limit });
    assert.ok(said.includes("silent_overflow"), said.join());
  }
});

test("what providers reported is known after reopening, whichever part of it they report", async () => {
  const storage = memoryStorage();
  const open = () => openConversation<Fields>({ format: "openai-chat", model: "gpt-4o", storage });
  const conversation = await open();
  conversation.append(begin(0));
  for (const number of [0, 1, 2]) {
    conversation.append(round(number, 160));
    await conversation.prepare();
    // A stream reports the answer's tokens at its end.
    conversation.reportUsage({ prompt_tokens: 400, completion_tokens: 1 });
    conversation.reportUsage({
      prompt_tokens: 400,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 100 },
    });
  }
  const { requests, reported: before } = conversation.usage();
  assert.deepEqual([requests, before.output, before.cacheRead, before.promptTotal], [3, 90, 300, 1_200]);
  await conversation.dispose();
  const again = await open();
  assert.deepEqual([again.usage().requests, again.usage().reported], [requests, before]);
  await again.prepare();
  again.reportUsage({ prompt_tokens: 500, completion_tokens: 10 });
  assert.deepEqual([again.usage().requests, again.usage().reported.promptTotal], [4, 1_700]);
  await again.dispose();
});

test("a request counts once, however often its usage is reported", async () => {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
  });
  const events = heard(conversation);
  conversation.append(begin(200));
  for (let number = 0; number < 4; number++) {
    conversation.append(round(200 + number, 160));
    await conversation.prepare();
    // A stream: nothing yet, then the beginning, then the end.
    conversation.reportUsage({ prompt_tokens: 0, completion_tokens: 0 });
    conversation.reportUsage({ prompt_tokens: 20_000 + 900 * number, completion_tokens: 1 });
    conversation.reportUsage({ prompt_tokens: 20_000 + 900 * number, completion_tokens: 50 });
    assert.equal(conversation.usage().limit, LIMIT);
  }
  const { promptTotal, output } = conversation.usage().reported;
  assert.deepEqual([promptTotal, output], [85_400, 200]);
  assert.deepEqual(codes(events), ["odd_usage"]);
  await conversation.dispose();
});

for (const name of ["gpt-4o", "claude-sonnet-4"]) {
  test(`a host that reports what the meter shows does not run out of room: ${name}`, async () => {
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      model: { name, maxPromptTokens: 2_000 },
      entropy: 1,
    });
    const events = heard(conversation);
    conversation.append(begin());
    const own = espalier.countMessages(conversation.view().messages, { format: "openai-chat" }).total;
    for (let request = 0; request < 400; request += 1) {
      const {
        messages,
        report: { usage },
      } = await conversation.prepare();
      assert.equal(messages.length, 2);
      assert.ok(usage.bound <= Math.max(16, 0.3 * own + 1), `request ${request}: ${usage.bound}`);
      conversation.reportUsage(usage.used);
    }
    assert.ok(codes(events).includes("odd_usage"), "it is said");
    await conversation.dispose();
  });
}

test("a report that is no count of tokens is ignored", async () => {
  const conversation = await openConversation<Fields>({ format: "openai-chat", model: { maxPromptTokens: 2_000 } });
  const events = heard(conversation);
  conversation.append(begin());
  await conversation.prepare();
  const before = conversation.usage();
  for (const odd of [1e308, 2 ** 53, -5, Number.NaN, { prompt_tokens: 1e300 }, { prompt_tokens: -1 }])
    conversation.reportUsage(odd);
  assert.deepEqual([conversation.usage(), codes(events)], [before, []]);
  conversation.reportUsage(Number.MAX_SAFE_INTEGER);
  assert.ok((await conversation.prepare()).messages.length > 0);
  await conversation.dispose();
});

test("a report without a field that is known is warned of once; one that reports nothing is not", async () => {
  const conversation = await openConversation<Fields>({ format: "openai-chat", model: { maxPromptTokens: 2_000 } });
  const events = heard(conversation);
  conversation.append(begin());
  await conversation.prepare();
  // Nothing yet, or a piece of a stream.
  for (const usage of [undefined, null, {}, { inputTokens: undefined }, { id: "1", choices: [], usage: null }, "none"])
    conversation.reportUsage(usage);
  assert.deepEqual(codes(events), []);
  const unread = { billed_units: { input_tokens: 7 }, tokens: { input_tokens: 70, output_tokens: 3 } };
  conversation.reportUsage(unread);
  conversation.reportUsage(unread);
  assert.deepEqual(codes(events), ["odd_usage"]);
  const [warning] = events.filter((event) => event.type === "warning") as { message?: string; details?: unknown }[];
  assert.match(warning!.message!, /no field that is known \(billed_units, tokens\)/);
  assert.deepEqual(warning!.details, { fields: ["billed_units", "tokens"] });
  assert.equal(conversation.usage().reported.promptTotal, 0);
  await conversation.dispose();
});
