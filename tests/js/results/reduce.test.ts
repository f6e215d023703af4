/** Outputs of tools, reduced when they are made: by themselves, before a cut, as content of a result, in a budget. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { budgetResults, count, reduceOutput, toolContent, truncate } = espalier;

const samples: { command: string; text: string; keeps: string[] }[] = JSON.parse(
  readFileSync(new URL("../../fixtures/outputs.json", import.meta.url), "utf8"),
);
const LOG = [
  "running 301 tests",
  ...Array.from({ length: 300 }, (_, at) => `test parser::case_${at} ... ok`),
  "test parser::last ... FAILED",
  "error: test failed",
].join("\n");

test("each sample keeps what matters in fewer tokens, and says which", () => {
  for (const { command, text, keeps } of samples) {
    const done = reduceOutput(text, { command, recall: "m4" });
    assert.ok(done.tokens < done.before, command);
    assert.deepEqual([done.tokens, done.before], [count(done.text), count(text)], command);
    for (const keep of keeps) assert.ok(done.text.includes(keep), `${command}: ${keep} in\n${done.text}`);
  }
});

test("a text that no reducer knows is the very same one", () => {
  const text = "nothing to leave out\n";
  assert.deepEqual(reduceOutput(text), { text, tokens: count(text), before: count(text), rules: [], leftOut: [] });
  assert.equal(reduceOutput(LOG.replace(/ok$/gm, "fine"), { command: "make" }).leftOut.length, 0);
});

test("a cut comes after the reducer, and only if it must", () => {
  const short = truncate(LOG, { maxTokens: 60, command: "cargo test", recall: "m4" });
  assert.equal(
    short.text,
    "running 301 tests\ntest parser::last ... FAILED\nerror: test failed\n[left out: 300 passed tests; recall m4]",
  );
  assert.deepEqual(short.leftOut, [{ what: "passed tests", lines: 300 }]);
  assert.equal(short.tokens, count(short.text));
  const whole = count(LOG);
  assert.equal(truncate(LOG, { maxTokens: whole, command: "cargo test" }).text, LOG);
  const cut = truncate(`${LOG}\n${"and a line that stays\n".repeat(50)}${LOG}`, {
    maxTokens: 40,
    command: "cargo test",
  });
  assert.ok(cut.tokens <= 40);
  assert.ok(truncate(LOG, { maxTokens: 60 }).leftOut === undefined);
});

test("content of a result is reduced at birth, and stored whole if it is still long", async () => {
  const result = { content: [{ type: "text", text: LOG }] };
  const { text } = await toolContent(result, { command: "cargo test", recall: "m4" });
  assert.match(text, /\[left out: 300 passed tests; recall m4\]$/);
  assert.equal((await toolContent(result)).text, LOG);

  const stored: string[] = [];
  const store = ({ content }: { content: string }) => `/results/${stored.push(content)}`;
  await toolContent(result, { command: "cargo test", store, maxInlineTokens: 100 });
  assert.deepEqual(stored, []);
  const squares = Array.from({ length: 300 }, (_, n) => `part ${n * n} is built`).join("\n");
  const built = { content: [{ type: "text", text: squares }] };
  const long = await toolContent(built, { command: "make", store, maxInlineTokens: 100 });
  assert.deepEqual(stored, [squares]);
  assert.match(long.text, /stored in \/results\/1/);
});

test("a budget for all results reduces outputs of commands before it cuts them, and no files", async () => {
  const call = (id: string, name: string, input: object) => ({
    role: "assistant" as const,
    content: null,
    tool_calls: [{ id, type: "function" as const, function: { name, arguments: JSON.stringify(input) } }],
  });
  const messages = [
    { role: "user" as const, content: "Why does it fail?" },
    call("c1", "bash", { command: "cd app && cargo test" }),
    { role: "tool" as const, tool_call_id: "c1", content: LOG },
    call("c2", "read_file", { path: "log.txt" }),
    { role: "tool" as const, tool_call_id: "c2", content: LOG },
    { role: "user" as const, content: "Well?" },
  ];
  const { messages: fitting } = await budgetResults(messages, { budget: 600 });
  assert.match(String(fitting[2]!.content), /FAILED\nerror: test failed\n\[left out: 300 passed tests; recall m2\]$/);
  assert.match(String(fitting[4]!.content), /case_0 \.\.\. ok[^]*\[cut: [^]*error: test failed$/);
});

test("lines that an earlier result has are not repeated", async () => {
  const body = Array.from({ length: 30 }, (_, at) => `  const value${at} = compute(${at});`);
  const text = ["import a;", ...body].join("\n");
  const earlier = [{ name: "read a.ts", text: body.join("\n") }];
  const wanted = 'import a;\n[30 lines from "const value0 = compute(0);" on: as in `read a.ts` above]';
  const done = reduceOutput(text, { command: "cat a.ts", earlier });
  assert.equal(done.text, `${wanted}\n[left out: 30 repeated lines]`);
  assert.deepEqual([done.rules, done.leftOut], [["repeats"], [{ what: "repeated lines", lines: 30 }]]);
  assert.deepEqual([done.tokens, done.before], [count(done.text), count(text)]);
  const { text: content } = await toolContent(text, { command: "cat a.ts", recall: "m7", earlier });
  assert.equal(content, `${wanted}\n[left out: 30 repeated lines; recall m7]`);
  // The same object if nothing repeats, and a note is no repetition of itself.
  assert.ok(reduceOutput(text, { command: "cat a.ts", earlier: [{ name: "a", text: done.text }] }).text === text);
});

test("binary data and one line of 100 MB stay as they are, and a cut of them holds its limit", () => {
  let state = 7;
  const noise = Uint8Array.from(
    { length: 200_000 },
    () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16,
  );
  const line = "word ".repeat(20_000_000);
  for (const [what, text] of [
    ["binary data", Buffer.from(noise).toString("utf8")],
    ["bytes as characters", Buffer.from(noise).toString("latin1")],
    ["one line", line],
  ] as const) {
    for (const command of what === "one line" ? ["cargo test"] : ["cargo test", "git log", "cat a.out", ""]) {
      const { text: same, tokens, before, rules, leftOut } = reduceOutput(text, { command });
      assert.ok(same === text, `${what} of ${command}`);
      assert.deepEqual([before, rules, leftOut], [tokens, [], []], `${what} of ${command}`);
    }
    const cut = truncate(text, { maxTokens: 500, command: "cargo test", keep: "errors" });
    assert.ok(cut.tokens <= 500 && count(cut.text) === cut.tokens, `${what}: ${cut.tokens}`);
  }
  assert.ok(reduceOutput(LOG, { command: "cargo test" }).tokens < 60, "and the engine goes on");
});

test("bad input is named", () => {
  const refused = (run: () => unknown, code: string, path: string) => assert.throws(run, { code, path });
  refused(() => reduceOutput(1 as never), "bad_input", "text");
  refused(() => reduceOutput("x", { comand: "ls" } as never), "bad_option", "options.comand");
  refused(() => reduceOutput("x", { command: 1 as never }), "bad_option", "options.command");
  refused(() => reduceOutput("x", { earlier: {} as never }), "bad_option", "options.earlier");
  refused(() => reduceOutput("x", { earlier: [1 as never] }), "bad_option", "options.earlier[0]");
  refused(() => reduceOutput("x", { earlier: [{ name: "a" } as never] }), "bad_option", "options.earlier[0].text");
  refused(() => truncate("x", { maxTokens: 1, command: 1 as never }), "bad_option", "options.command");
});
