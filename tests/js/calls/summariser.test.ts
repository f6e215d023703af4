/**
 * What the model that summarises is shown: the whole history if it takes it, and the report says what it was not shown.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { heard, SUMMARY } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { LlmRequest } from "../../../js/types/llm.ts";

const { budgetResults, compact, countMessages, openConversation, summarize } = espalier;
const WORDS = "parser lexer token error the of return const path file".split(" ");
const text = (words: number, seed: number) =>
  Array.from({ length: words }, (_, at) => WORDS[(at * 7 + seed) % WORDS.length]).join(" ");
const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }];
const MESSAGES: Fields[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Fix the parser." },
];
for (let number = 0; number < 40; number += 1) {
  MESSAGES.push(
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${number}`,
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: `make part${number}` }) },
        },
      ],
    },
    { role: "tool", tool_call_id: `c${number}`, content: text(900, number) },
  );
}
const WHOLE = countMessages(MESSAGES).total;

/** A model with this token limit, which its refusals name or not. */
async function asked(options: Partial<CompactOptions> & { takes?: number; names?: boolean } = {}) {
  const { takes = Number.POSITIVE_INFINITY, names = false, ...others } = options;
  const requests: LlmRequest[] = [];
  const result = await compact(MESSAGES, {
    budget: 8_000,
    tools,
    ladder: ["summary", "fit"],
    verify: "never",
    llm: async (request) => {
      requests.push(request);
      if (request.promptTokens <= takes) return SUMMARY;
      throw Object.assign(new Error("too long"), {
        code: "context_length",
        ...(names && { details: { limit: takes } }),
      });
    },
    ...others,
  });
  return { ...result, requests, model: result.report.model! };
}

test("without a limit the whole history is shown, and nothing is reduced", async () => {
  const { status, requests, model } = await asked();
  assert.equal(status, "applied");
  assert.equal(requests.length, 1);
  assert.ok(requests[0]!.promptTokens > 0.9 * WHOLE, `${requests[0]!.promptTokens} of ${WHOLE}`);
  assert.equal(model.reduced, undefined);
  assert.equal(requests[0]!.tag, "conversation-compaction");
});

test("after refusals less is shown, and the report says what was not", async () => {
  for (const names of [true, false]) {
    const { status, requests, model } = await asked({ takes: 12_000, names });
    assert.equal(status, "applied");
    assert.ok(requests.length <= 4 && requests.at(-1)!.promptTokens <= 12_000);
    assert.ok(
      model.reduced!.tokens > 0 && model.reduced!.shortened + model.reduced!.leftOut > 0,
      JSON.stringify(model.reduced),
    );
    assert.deepEqual(model.asked.at(-1)!.reduced, model.reduced);
  }
});

test("a limit that is known is kept from the first request on", async () => {
  const within = async (options: Partial<CompactOptions>) => {
    const { requests, model } = await asked(options);
    assert.ok(
      requests.every(({ promptTokens }) => promptTokens <= 9_000),
      requests.map(({ promptTokens }) => promptTokens).join(),
    );
    assert.ok(model.reduced!.tokens > 0);
  };
  await within({ maxLlmTokens: 9_000 });
  await within({ llmModel: { name: "gpt-4o-mini", maxPromptTokens: 9_000 } });
  await assert.rejects(asked({ llmModel: { maxPromptTokens: -1 } }), {
    code: "bad_option",
    path: "options.llmModel.maxPromptTokens",
  });
});

test("a model that is only named gets no more than its window, which its name has", async () => {
  const asked: number[] = [];
  const llm = async ({ promptTokens }: LlmRequest) => {
    asked.push(promptTokens);
    return SUMMARY;
  };
  const messages = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: text(900, at),
  }));
  const options = { llm, llmModel: "gpt-3.5-turbo", verify: "never" } as const;
  await compact(messages, { ...options, budget: 8_000, ladder: ["summary", "fit"] });
  await summarize(messages, { ...options, purpose: "handoff" });
  assert.equal(asked.length, 2);
  assert.ok(
    asked.every((tokens) => tokens <= 16_385),
    asked.join(),
  );
  asked.length = 0;
  await summarize(messages, { ...options, purpose: "handoff", llmModel: "a-model-of-ours" });
  assert.ok(asked[0]! > 16_385, asked.join());
});

// ------------------------------------------------------------ a model that is not asked

const summaries = (steps: { step: string; outcome: string; why: string }[]) =>
  steps.filter(({ step }) => step === "summary");

test("why a model was not asked is a step", async () => {
  const {
    report: { steps },
  } = await asked({ maxLlmTokens: 900, ladder: ["summary", "offline", "fit"] });
  assert.deepEqual(
    summaries(steps).map(({ outcome }) => outcome),
    ["skipped"],
  );
  assert.match(summaries(steps)[0]!.why, /900 tokens/);
  const cleared = await asked({ ladder: ["clear", "summary", "offline", "fit"], budget: 24_000, targetShare: 0.4 });
  assert.deepEqual(
    summaries(cleared.report.steps).map(({ outcome }) => outcome),
    ["skipped"],
  );
  assert.match(summaries(cleared.report.steps)[0]!.why, /enough/);
});

test("a ladder without rules and an empty model: no event says again and again that there is nobody to ask", async () => {
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    entropy: 1,
    llm: async () => "",
    compact: { ladder: ["summary", "fit"] },
  });
  const events = heard(conversation);
  conversation.append(MESSAGES.slice(0, 2));
  for (let number = 0; number < 80; number += 1) {
    conversation.append([
      { role: "assistant", content: text(60, number) },
      { role: "user", content: text(40, number) },
    ]);
    await conversation.prepare();
    await new Promise((done) => setImmediate(done));
  }
  const ended = events.flatMap((event) =>
    event.type === "compaction_complete" ? [(event as { status: string }).status] : [],
  );
  assert.ok(!ended.includes("not_ready"), ended.join());
  await conversation.dispose();
});

test("the model is asked for no more tokens than it can write", async () => {
  const most = async (options: Partial<CompactOptions>) => {
    const { requests } = await asked({ budget: 200_000, force: true, ...options });
    return requests[0]!.params.maxTokens;
  };
  const wanted = await most({});
  assert.ok(wanted! > 4_096, String(wanted));
  assert.equal(await most({ llmModel: "claude-3-haiku-20240307" }), 4_096);
  assert.equal(await most({ model: "claude-3-haiku-20240307" }), 4_096);
  assert.equal(await most({ model: "claude-3-haiku-20240307", llmModel: "gpt-4.1" }), wanted);
  assert.equal(await most({ llmModel: { name: "claude-3-haiku-20240307", maxOutputTokens: 4_200 } }), 4_200);
});

test("results that are over the budget together, and under the cap each, are no results within budget", async () => {
  const list = MESSAGES.slice(0, 20);
  const outcome = async (budget: number) =>
    (await budgetResults(list, { profile: "gemini-cli", budget, maxResultTokens: 40_000 })).report.outcome;
  assert.deepEqual([await outcome(1_000), await outcome(1_000_000)], ["under_cap", "within_budget"]);
});

// ------------------------------------------------------------ events in Copilot CLI's names

test("Copilot CLI's events have the provider's tokens, the model, the status of a failure, and a cleared context", async () => {
  const end = async (llm: CompactOptions["llm"]) => {
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      model: { name: "gpt-4o", maxPromptTokens: 100_000 },
      eventProfile: "copilot-cli",
      llm: llm!,
      compact: { ladder: ["summary", "fit"], verify: "never" },
    });
    const events = heard(conversation) as unknown as { type: string; data: Fields }[];
    conversation.append(MESSAGES.slice(0, 30));
    await conversation.compact();
    conversation.rewind();
    await conversation.dispose();
    const of = (type: string) => events.find((event) => event.type === type)!.data;
    return { complete: of("session.compaction_complete"), cleared: of("session.context_cleared") };
  };
  const usage = { prompt_tokens: 9_000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 8_000 } };
  const { complete, cleared } = await end(async () => ({
    text: SUMMARY,
    usage,
    requestId: "r1",
    serviceRequestId: "s1",
  }));
  const { duration, ...used } = complete["compactionTokensUsed"] as Fields;
  assert.equal(typeof duration, "number");
  assert.deepEqual(used, {
    inputTokens: 9_000,
    outputTokens: 50,
    cacheReadTokens: 8_000,
    cacheWriteTokens: 0,
    model: "gpt-4o",
  });
  assert.deepEqual(
    [complete["requestId"], complete["serviceRequestId"], complete["statusCode"]],
    ["r1", "s1", undefined],
  );
  assert.equal(cleared["initialMessage"], "Fix the parser.");
  assert.ok((cleared["messagesCleared"] as number) > 0);
  const failed = await end(async () => {
    throw Object.assign(new Error("overloaded"), { status: 529 });
  });
  assert.equal(failed.complete["statusCode"], 529);
});
