/**
 * Sizes at which the cost per item used to grow with the number of items, or at which a list passed as arguments
 * exceeded the stack. Each case took minutes, or threw, before; none has a time limit of its own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic, gemini, openai } from "../../../js/providers/index.ts";
import { espalier } from "../built.ts";
import { size } from "../runs.ts";

const { compact, ConversationLog, prune, repair, toolContent } = espalier;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

test("toolContent: 300,000 parts, some of them for others", async () => {
  const content = many(300_000, (at) => ({
    type: "text",
    text: String(at),
    ...(at % 3 === 0 && { annotations: { audience: ["user"] } }),
  }));
  const result = await toolContent({ content });
  assert.equal(result.withheld, 100_000);
});

test("gemini: 60,000 messages of one role become one", () => {
  const contents = many(60_000, (at) => ({ role: "user", parts: [{ text: `line ${at}` }] }));
  const { messages } = repair({ contents } as never, { provider: "gemini" });
  const [first, ...others] = (messages as unknown as { contents: { parts: unknown[] }[] }).contents;
  assert.deepEqual([others.length, first!.parts.length, first!.parts[59_999]], [0, 60_000, { text: "line 59999" }]);
});

test("gemini: prune of many rounds", () => {
  const contents = many(size(25_000), (at) => [
    { role: "user", parts: [{ text: `Question ${at}` }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: { at } } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: `content ${at}` } } }] },
  ]).flat();
  const { report } = prune({ contents } as never, { budget: 1_000_000, format: "gemini" } as never) as {
    report: { removed: unknown[] };
  };
  assert.ok(report.removed.length >= 0);
});

test("repair: 150,000 changes", () => {
  const messages = many(150_000, (at) => ({ role: "tool", tool_call_id: `lost${at}`, content: "x" }));
  const { report } = repair([{ role: "user", content: "Hello." }, ...messages], { provider: "openai-chat" });
  assert.ok(report.changes.length >= 150_000);
});

test("requests with 200,000 parts in one message", () => {
  const messages = [{ role: "user", content: many(200_000, (at) => ({ type: "text", text: `${at}` })) }];
  for (const make of [openai, anthropic, gemini]) {
    const request = make({ model: "test", apiKey: "sk-0123456789" }).toRequest(messages, { maxTokens: 10 });
    assert.ok(JSON.stringify(request).includes("199999"), make.name);
  }
});

/** A round with `count` calls in one message, and the messages after it. */
function round(count: number, id: (at: number) => string, results: (all: object[]) => object[]): object[] {
  const calls = many(count, (at) => ({
    id: id(at),
    type: "function",
    function: { name: "read", arguments: `{"path":"f${at}"}` },
  }));
  const answers = many(count, (at) => ({ role: "tool", tool_call_id: id(at), content: `content ${at}` }));
  return [
    { role: "user", content: "Read all." },
    { role: "assistant", content: null, tool_calls: calls },
    ...results(answers),
    { role: "assistant", content: "Read." },
    { role: "user", content: "Next." },
  ];
}

test("prune: many calls in one message", () => {
  const count = size(50_000);
  const check = (messages: object[]) =>
    assert.ok(prune(messages, { budget: 1_000, format: "openai-chat" }).messages.length < 5);
  check(
    round(
      count,
      (at) => `c${at}`,
      (all) => all,
    ),
  );
  check(
    round(
      count,
      (at) => `c${at}`,
      (all) => all.toReversed(),
    ),
  );
  check(
    round(
      count,
      () => "c",
      (all) => all,
    ),
  );
  check(
    round(
      count,
      (at) => `c${at}`,
      () => [],
    ),
  );
});

test("prune: the newest round has many results, which are cut now and again", () => {
  const count = size(20_000);
  const long = "All work and no play. ".repeat(50);
  const messages = round(
    count,
    (at) => `c${at}`,
    (all) => all.map((one) => ({ ...one, content: long })),
  ).slice(0, -2);
  const options = { budget: 275 * count, format: "openai-chat" } as const;
  const first = prune(messages, options);
  assert.ok(first.report.removed.length > count / 2);
  const again = prune(messages, { ...options, previous: first.report.cut });
  assert.deepEqual(again.messages, first.messages);
});

test("compact: a model that repeats itself, and one that does not end", async () => {
  const messages = many(60, (at) => [
    { role: "user", content: `Request ${at}: ${"mend the parser, please. ".repeat(12)}` },
    { role: "assistant", content: "I looked at it. ".repeat(30) },
  ]).flat();
  const options = { budget: 6_000, format: "openai-chat", verify: "never" } as const;
  const section = "## Conversation Overview\n- x\n";
  const repeated = await compact(messages, {
    ...options,
    llm: async () => `<summary>\n${section.repeat(65_000)}</summary>`,
  });
  assert.deepEqual([repeated.report.status, repeated.report.model?.error], ["applied", undefined]);
  assert.ok(repeated.report.after.total <= 6_000);
  let asked = 0;
  const endless = await compact(messages, { ...options, llm: async () => (asked++, section.repeat(70_000)) });
  // Rules write the summary instead.
  assert.deepEqual([endless.report.status, endless.report.model?.failure], ["applied", "model_failed"]);
  assert.ok(endless.report.after.total <= 6_000);
  assert.match(
    String(endless.report.model?.error),
    /^the reply has 20\d{5} characters; a summary of more than 2000000 is not read$/,
  );
  assert.ok(asked < 5);
});

const says = (at: number) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `message ${at}` });

test("a log: many rewinds, each of two messages", () => {
  const count = size(30_000);
  const log = new ConversationLog({ format: "openai-chat" });
  log.append(says(0));
  for (let at = 0; at < count; at += 1) {
    log.append([says(1), says(2)]);
    log.rewind("m0");
  }
  assert.deepEqual([log.originals, log.view().messages.length], [2 * count + 1, 1]);
  log.close();
});

test("a log: many edits of separate ranges, taken back one by one", () => {
  const count = size(30_000);
  const messages = many(4 * count, says);
  const log = ConversationLog.from(messages);
  const ids = many(count - 1, (at) => {
    const range = { from: `m${4 * at + 1}`, to: `m${4 * at + 2}`, summary: `summary ${at}` };
    return log.edit({ kind: "replace_range", rule: "summary", range });
  });
  assert.equal(log.view().messages.length, 3 * count + 1);
  for (const id of ids.toReversed()) log.undo(id);
  assert.deepEqual(log.view().messages, messages);
  log.close();
});

test("a log: 100,000 checkpoints", () => {
  const log = new ConversationLog({ format: "openai-chat" });
  for (let at = 1; at <= 100_000; at += 1) assert.equal(log.checkpoint({ title: "t" }), at);
  log.close();
});

test("repair: 150,000 results without calls become texts", () => {
  const results = many(150_000, (at) => ({ role: "tool", tool_call_id: `x${at}`, content: `result ${at}` }));
  const { report } = repair([says(0), ...results], { provider: "anthropic", format: "openai-chat", orphans: "text" });
  assert.ok(report.changes.length >= 150_000);
});
