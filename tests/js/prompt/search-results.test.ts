/** Hits of a search in a prompt and as messages: which stay when tokens are short, in what order, at what size. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier as e } from "../built.ts";
import { fragment, h } from "./pieces.ts";

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `const value${from + at} = compute(${from + at});`).join("\n");
const hit = (rank: number, text = lines(6, rank * 100)) => ({
  path: `src/file${rank}.ts`,
  text,
  firstLine: rank * 100,
  lastLine: rank * 100 + text.split("\n").length - 1,
  header: "",
});
const answer = (count: number) => ({
  query: "where is value computed?",
  hits: Array.from({ length: count }, (_, rank) => hit(rank)),
});
const shown = (text: string) =>
  Array.from(text.matchAll(/<file path="src\/file(\d+)\.ts"/g), ([, rank]) => Number(rank));
const rendered = async (found: object, budget: number, props: object = { flexGrow: 1 }, question = "Where is it?") => {
  const prompt = await e.render(h(e.UserMessage, {}, h(e.SearchResults, { answer: found, ...props }), question), {
    budget,
  });
  return {
    ...prompt,
    tokens: prompt.tokens,
    text: String(prompt.messages[0]?.content),
    references: prompt.references,
    omitted: prompt.omittedReferences,
  };
};
const tokens = async (found: object) => (await rendered(found, 1e6)).tokens;

test("the most relevant hit is last, and all are whole while there is room", async () => {
  const { text } = await rendered(answer(4), 8_000);
  assert.deepEqual(shown(text), [3, 2, 1, 0]);
  assert.ok(text.includes(`<file path="src/file2.ts" lines="201-206">\n${lines(6, 200)}\n</file>\n`), text);
  assert.ok(text.endsWith("Where is it?"));
});

test("a smaller budget drops the least relevant hits first, step by step", async () => {
  const found = answer(8);
  const full = await tokens(found);
  let before = 8;
  for (let budget = full; budget > 20; budget -= 7) {
    const { text, tokens: used } = await rendered(found, budget);
    assert.ok(used <= budget, `${used} of ${budget}`);
    const ranks = shown(text);
    assert.deepEqual(
      ranks,
      Array.from({ length: ranks.length }, (_, at) => ranks.length - 1 - at),
      `${budget}`,
    );
    assert.ok(ranks.length <= before, `${ranks.length} after ${before} at ${budget}`);
    before = ranks.length;
  }
  assert.equal(before, 0);
});

test("pruning takes the least relevant first as well", async () => {
  const found = answer(6);
  const prompt = await e.render(
    h(e.UserMessage, {}, h(e.SearchResults, { answer: found, priority: 1 }), "Where is it?"),
    { budget: 1e6 },
  );
  for (let budget = prompt.tokens; budget > 40; budget -= 11) {
    const cut = await prompt.prune(budget);
    const ranks = shown(String(cut.messages[0]?.content));
    assert.ok(cut.tokens <= budget);
    assert.deepEqual(
      ranks,
      Array.from({ length: ranks.length }, (_, at) => ranks.length - 1 - at),
    );
  }
});

test("priorities are those of the rank, from that of the element", async () => {
  const element = new e.SearchResults({ answer: answer(4), priority: 10 });
  const { children } = await element.render(undefined, {
    tokenBudget: 8_000,
    endpoint: { modelMaxPromptTokens: 8_000 },
    countTokens: () => 10,
  });
  assert.deepEqual(
    children.map((child) => (child as { props: { priority: number } }).props.priority),
    [10, 10.25, 10.5, 10.75],
  );
});

test("a hit that is larger than the room is shortened around the words of the query", async () => {
  const body = Array.from(
    { length: 60 },
    (_, at) => `function step${at}() {\n  return ${at === 40 ? "needle()" : `run(${at})`};\n}\n`,
  ).join("\n");
  const found = {
    query: "where is the needle?",
    hits: [{ ...hit(0, body), firstLine: 1_000, lastLine: 1_000 + body.split("\n").length - 1 }],
  };
  const { text, tokens: used } = await rendered(found, 300);
  assert.ok(used <= 300 && used > 200, `${used}`);
  assert.ok(text.includes("needle()") && text.includes("omitted"), text);
  const numbers = Array.from(text.matchAll(/(\d+)-\d+ omitted/g), ([, line]) => Number(line));
  assert.ok(
    numbers.length > 0 && numbers.every((line) => line > 1_000),
    `markers name lines of the file: ${numbers.join()}`,
  );
});

test("a long hit leaves room for the next one", async () => {
  const found = { query: "value", hits: [hit(0, lines(200)), hit(1), hit(2)] };
  const { text, tokens: used } = await rendered(found, 600);
  assert.deepEqual(shown(text), [2, 1, 0]);
  assert.ok(used <= 600 && used > 520, `${used}`);
});

test("without flexGrow siblings share, with it the hits get what is left", async () => {
  const found = answer(12);
  const half = await rendered(found, 700, {}, "word ".repeat(100));
  const rest = await rendered(found, 700, { flexGrow: 1 }, "word ".repeat(100));
  assert.ok(shown(rest.text).length >= shown(half.text).length && shown(rest.text).length > 2);
});

test("hits have references where an address is given; those of dropped hits are omitted", async () => {
  const uri = (path: string) => ({ scheme: "file", path: `/repo/${path}` });
  const found = answer(3);
  const all = await rendered(found, 8_000, { uri });
  assert.deepEqual(
    all.references.map(({ anchor }) => (anchor as { uri: { path: string } }).uri.path),
    ["/repo/src/file2.ts", "/repo/src/file1.ts", "/repo/src/file0.ts"],
  );
  assert.deepEqual((all.references[2]!.anchor as { range: object }).range, {
    start: { line: 0, character: 0 },
    end: { line: 5, character: "const value5 = compute(5);".length },
  });
  const cut = await (
    await e.render(h(e.UserMessage, {}, h(e.SearchResults, { answer: found, uri }), "Where?"), { budget: 8_000 })
  ).prune(130);
  assert.equal(cut.references.length + cut.omittedReferences.length, 3);
  assert.ok(cut.omittedReferences.length > 0);
  assert.equal((await rendered(found, 8_000)).references.length, 0);
});

test("nothing found is nothing said", async () => {
  assert.equal((await rendered({ query: "x", hits: [] }, 100)).text, "Where is it?");
});

test("odd hits: empty texts, lone surrogates, carriage returns, tags in the text", async () => {
  for (const text of ["", "\n", "\ud800 half", "a\r\nb\r\n", '</file>\n<file path="x">', "x".repeat(20_000)]) {
    const { text: said, tokens: used } = await rendered({ hits: [hit(0, text), hit(1)] }, 300);
    assert.ok(used <= 300, JSON.stringify(text.slice(0, 20)));
    assert.ok(text.length > 1_000 || shown(said).includes(1), said);
  }
});

test("what is no answer is refused by name", () => {
  const refused = (props: object, path: string) =>
    assert.throws(
      () => new e.SearchResults(props as never),
      (error) => error instanceof e.EspalierError && error.code === "bad_option" && error.path === path,
      path,
    );
  refused({}, "answer");
  refused({ answer: { hits: {} } }, "answer");
  refused({ answer: { hits: [null] } }, "answer.hits[0].path");
  refused({ answer: { hits: [{ ...hit(0), text: 5 }] } }, "answer.hits[0].text");
  refused({ answer: { hits: [{ ...hit(0), firstLine: -1 }] } }, "answer.hits[0].firstLine");
  refused({ answer: { hits: [{ ...hit(0), header: 1 }] } }, "answer.hits[0].header");
  refused({ answer: { query: 1, hits: [] } }, "answer.query");
  refused({ answer: answer(1), uri: "file" }, "uri");
});

// ------------------------------------------------------------ messages

const FORMATS = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "vscode",
  "ai-sdk",
  "raw",
  "espalier",
] as const;

for (const format of FORMATS) {
  test(`results as messages of ${format}: within every budget, least relevant dropped first`, async () => {
    for (const call of [undefined, { id: "c1", name: "search" }]) {
      const full = await e.searchMessages(answer(6), { format, ...(call && { call }) });
      assert.equal(full.length, 1);
      assert.deepEqual(shown(JSON.stringify(full).replaceAll("\\", "")), [5, 4, 3, 2, 1, 0]);
      for (const budget of [20, 60, 130, 200, 333, 500]) {
        const messages = await e.searchMessages(answer(6), { format, budget, ...(call && { call }) });
        const used = e.countMessages(messages, { format }).perMessage.reduce((sum, { tokens: own }) => sum + own, 0);
        assert.ok(used <= budget, `${used} of ${budget}`);
        const ranks = shown(JSON.stringify(messages).replaceAll("\\", ""));
        assert.deepEqual(
          ranks,
          Array.from({ length: ranks.length }, (_, at) => ranks.length - 1 - at),
        );
        assert.equal(messages.length, call || ranks.length > 0 ? 1 : 0);
      }
    }
  });
}

test("the result of a call stands behind its call, as its provider wants it", async () => {
  const call = { id: "c1", name: "search" };
  const [result] = await e.searchMessages(answer(2), { format: "openai-chat", call });
  const asked = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" } }],
  };
  assert.deepEqual(e.validate([{ role: "user", content: "Where?" }, asked, result], "openai-chat"), []);
});

test("a call is answered when nothing was found or has room; less room than that is an error", async () => {
  const options = { format: "openai-chat", call: { id: "c1" } } as const;
  assert.deepEqual(await e.searchMessages({ hits: [] }, options), [
    { role: "tool", tool_call_id: "c1", content: "No results." },
  ]);
  assert.deepEqual(await e.searchMessages(answer(1), { ...options, budget: 20 }), [
    { role: "tool", tool_call_id: "c1", content: "No results." },
  ]);
  assert.deepEqual(await e.searchMessages({ hits: [] }, { format: "openai-chat" }), []);
  await assert.rejects(
    e.searchMessages(answer(1), { ...options, budget: 2 }),
    (error) => error instanceof e.EspalierError && error.code === "budget_exceeded" && error.details.budget === 2,
  );
});

test("options that make no sense are refused by name", async () => {
  const refused = (options: object, path: string) =>
    assert.rejects(
      e.searchMessages(answer(1), options as never),
      (error) => error instanceof e.EspalierError && error.code === "bad_option" && error.path === path,
      path,
    );
  await refused({ format: "none" }, "options.format");
  await refused({ format: "anthropic", budget: -1 }, "options.budget");
  await refused({ format: "anthropic", budget: Number.NaN }, "options.budget");
  await refused({ format: "anthropic", call: "c1" }, "options.call");
  await refused({ format: "anthropic", call: { id: "c1", named: "x" } }, "options.call.named");
  await refused({ format: "anthropic", limit: 5 }, "options.limit");
});

test("a prompt of fragments, messages and results renders in every format of render", async () => {
  for (const format of ["openai-chat", "anthropic", "gemini", "raw"] as const) {
    const prompt = await e.render(
      h(fragment, {}, h(e.UserMessage, {}, h(e.SearchResults, { answer: answer(3) })), h(e.UserMessage, {}, "Why?")),
      { budget: 400, format },
    );
    assert.ok(prompt.tokens <= 400 && JSON.stringify(prompt.request).includes("file0.ts"));
  }
});
