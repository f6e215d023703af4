/** A compaction that is put off because shorter results make the request fit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY, begin, round } from "./support.ts";
import type { Fields } from "./support.ts";

const LIMIT = 4_000;
/** Rounds that leave about 1,200 tokens. */
const ROUNDS = 11;
/** A round whose result has 13 to 14 tokens a line, of which no line can be spared. */
function long(number: number, lines: number): Fields[] {
  return of(number, lines, (at) => `line ${at} of part${number} was ${hash(at)}`);
}

const hash = (at: number) => (Math.imul(at + 1, 2_654_435_761) >>> 0).toString(16);

function of(number: number, lines: number, line: (at: number) => string): Fields[] {
  const [call, result] = round(number);
  return [call!, { ...result, content: Array.from({ length: lines }, (_, at) => line(at)).join("\n") }];
}

async function opened(options: Partial<ConversationOptions<Fields>> = {}) {
  const conversation = await espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    ...options,
  });
  conversation.append([...begin(5), ...Array.from({ length: ROUNDS }, (_, at) => round(20 + at, 40)).flat()]);
  await conversation.prepare();
  return conversation;
}

/** The tokens over the limit if nothing changed. */
function over(conversation: Awaited<ReturnType<typeof opened>>): number {
  return conversation.usage().used - LIMIT;
}

test("a few lines of a long result go before everything is rewritten", async () => {
  const conversation = await opened();
  const { messages: first } = await conversation.prepare();
  conversation.append(long(9, 95));
  assert.ok(over(conversation) > 0 && over(conversation) < 300, `${over(conversation)} over`);
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(report.compactions, []);
  assert.equal(report.trimmed.length, 1);
  assert.match(String(messages.at(-1)!["content"]), /^line 0 [^]*\[cut: [^]*line 94 /);
  // What the provider has in its cache stays as it was, and the log has the whole result.
  assert.ok(first.every((message, at) => message === messages[at]));
  assert.match(String(conversation.log.view().messages.at(-1)!["content"]), /line 50 /);
  await conversation.dispose();
});

test("what was left out stays left out while that is enough, then a summary is made", async () => {
  const conversation = await opened();
  conversation.append(long(9, 95));
  const { messages: before } = await conversation.prepare();
  conversation.append(round(10, 5));
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(report.compactions, []);
  assert.ok(before.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at])));
  conversation.append(long(11, 60));
  const { report: later } = await conversation.prepare();
  assert.deepEqual(
    later.compactions.map(({ status }) => status),
    ["applied"],
  );
  await conversation.dispose();
});

test("a result of which much would go has a summary made for it", async () => {
  const conversation = await opened();
  conversation.append(long(9, 160));
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(
    report.compactions.map(({ status }) => status),
    ["applied"],
  );
  assert.match(String(messages.at(-1)!["content"]), /line 80 /);
  await conversation.dispose();
});

test("a result that loses only what it can spare needs no summary, however much that is", async () => {
  const conversation = await opened();
  const tests = (number: number) => of(number, 250, (at) => `test part${number}::case_${at} ... ok`);
  const said = (messages: Fields[]) => messages.map(({ content }) => content);
  conversation.append(tests(9));
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(report.compactions, []);
  assert.deepEqual(
    report.trimmed.map(({ rule }) => rule),
    ["reduced-result"],
  );
  assert.match(String(messages.at(-1)!["content"]), /case_1 [^]*\[247 more, counting on\]\n[^]*case_249 /);
  // It stays as it was sent, and so does the next one.
  conversation.append(tests(10));
  const { messages: later, report: next } = await conversation.prepare();
  assert.deepEqual(next.compactions, []);
  assert.deepEqual(said(later).slice(0, messages.length), said(messages));
  await conversation.dispose();
});

test("a result that no summary could show whole is shortened without one", async () => {
  const conversation = await opened();
  conversation.append(long(9, 600));
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(report.compactions, []);
  assert.ok(report.usage.used <= LIMIT);
  assert.ok(messages.length > 3);
  await conversation.dispose();
});

test("a model's summary is made beside the conversation meanwhile", async () => {
  let calls = 0;
  const llm = () => {
    calls += 1;
    return Promise.resolve(SUMMARY);
  };
  const conversation = await opened({ llm });
  conversation.append(long(9, 95));
  const { report } = await conversation.prepare();
  assert.deepEqual(report.compactions, []);
  assert.notEqual(report.job, undefined, "the request does not wait for it");
  while (conversation.usage().job === "running") await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(calls, 1);
  conversation.append(round(10, 60));
  const { report: next } = await conversation.prepare();
  assert.deepEqual(
    next.compactions.map(({ status }) => status),
    ["applied"],
  );
  await conversation.dispose();
});

test("a refused request is compacted, not shortened again", async () => {
  const conversation = await opened();
  conversation.append(long(9, 95));
  await conversation.prepare();
  const refusal = { status: 400, message: "This model's maximum context length is 3800 tokens." };
  assert.equal(conversation.contextRefused(refusal).action, "retry");
  const { report } = await conversation.prepare();
  assert.equal(report.compactions[0]?.trigger, "provider_error");
  await conversation.dispose();
});
