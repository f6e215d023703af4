/**
 * `compact --log`: the same result as without, and a log that belongs to one conversation and gives its messages back.
 */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { CLI } from "../command.ts";

const home = temporaryFolder();

interface Message {
  role: string;
  content: unknown;
}

const transcript = (name: string): Message[] => {
  const file = new URL(`../../fixtures/transcripts/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { messages: Message[] }).messages;
};
const written = (name: string, messages: readonly unknown[]) =>
  writeFileSync(join(home, name), JSON.stringify(messages));
const text = (name: string) => readFileSync(join(home, name), "utf8");
const messagesOf = (name: string): unknown => JSON.parse(text(name));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], { encoding: "utf8", cwd: home });
  return { status, stdout, stderr };
}

// The recording ends with a call that nobody answered.
const WORK = transcript("openhands-ponyc-4593").slice(0, -1);
/** A listing of files: all of it cannot stay. */
const PASTE = Array.from({ length: 3_000 }, (_, at) => `./src/libponyc/pass/file${at}.o`).join("\n");
const PASTED = [...WORK, { role: "user", content: `Which of these can go?\n${PASTE}` }];
/** Many changed files, and little room. */
const CHANGES: unknown[] = [
  { role: "user", content: "Rename the helper everywhere. Never touch vendor/." },
  ...Array.from({ length: 20 }, (_, at) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${at}`,
          type: "function",
          function: {
            name: "write_file",
            arguments: JSON.stringify({
              path: `src/part${at}/module${at}.ts`,
              content: `export const n${at} = 1;\n`.repeat(60),
            }),
          },
        },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: "ok" },
  ]).flat(),
  { role: "assistant", content: "Done so far." },
  { role: "user", content: "Now go on." },
];

for (const [name, messages, budget] of [
  ["a paste", PASTED, "9k"],
  ["many files", CHANGES, "3k"],
  ["a talk", transcript("tau-airline-0"), "1500"],
  ["work", transcript("sweagent-marshmallow-1867"), "3k"],
] as const) {
  test(`a log changes neither the result nor the report: ${name}`, () => {
    written("in.json", messages);
    rmSync(join(home, "log"), { force: true });
    const plain = run("compact", "in.json", "-b", budget, "-o", "plain.json");
    const logged = run("compact", "in.json", "-b", budget, "-o", "logged.json", "--log", "log");
    assert.equal(logged.status, 0, logged.stderr);
    assert.equal(text("logged.json"), text("plain.json"));
    assert.equal(logged.stderr.replace(/^applied.*\n/m, ""), plain.stderr);
    const after = /-> ([\d,]+) tokens/.exec(logged.stderr)![1]!;
    assert.ok(run("count", "logged.json").stdout.includes(`\n${after} tokens`), logged.stderr);
  });
}

test("undo takes back a whole compaction and returns the messages as they were", () => {
  const odd = [...WORK.slice(0, 6), { role: "assistant", content: "" }, ...WORK.slice(6)];
  written("odd.json", odd);
  run("compact", "odd.json", "-b", "6k", "--log", "odd.log", "-q");
  assert.match(run("log", "odd.log").stdout, /replace range/);
  const undone = run("compact", "odd.json", "--log", "odd.log", "--undo", "-o", "whole.json");
  assert.match(undone.stderr, /\nundone: /);
  assert.deepEqual(messagesOf("whole.json"), odd);
  // With a budget they are pruned, and the report says so.
  const pruned = run("compact", "odd.json", "-b", "6k", "--log", "odd.log", "--undo", "-o", "pruned.json");
  assert.match(pruned.stderr, /-> [\d,]+ tokens of 6,000.*\nstatus: applied\n[^]*nothing_to_undo/);
  assert.ok((messagesOf("pruned.json") as unknown[]).length < odd.length);
  assert.match(run("compact", "odd.json", "--log", "odd.log", "--redo", "-q").stdout, /conversation-summary/);
});

test("a compaction of several edits is undone and redone as one", () => {
  const twice = [...PASTED.slice(0, -1), ...WORK.slice(1, -1), { role: "user", content: "Go on." }];
  written("several.json", twice);
  run("compact", "several.json", "-b", "9k", "--log", "several.log", "-q");
  const edits = run("log", "several.log").stdout.match(/ edit /g) ?? [];
  const undone = run("compact", "several.json", "--log", "several.log", "--undo");
  assert.deepEqual(JSON.parse(undone.stdout), twice);
  assert.equal(/undone: (.*)/.exec(undone.stderr)![1]!.split(", ").length, edits.length);
  const redone = run("compact", "several.json", "--log", "several.log", "--redo");
  assert.equal(/redone: (.*)/.exec(redone.stderr)![1]!.split(", ").length, edits.length);
});

test("a log is refused with the messages of another conversation, or with edited ones", () => {
  written("one.json", WORK);
  written("more.json", [...WORK, { role: "user", content: "And now the tests." }]);
  written("other.json", [...transcript("tau-airline-0"), ...WORK]);
  written(
    "edited.json",
    WORK.map((message, at) => (at === 2 ? { ...message, content: "Something else." } : message)),
  );
  run("compact", "one.json", "-b", "6k", "--log", "one.log", "-q");
  const before = text("one.log");
  for (const [file, at] of [
    ["other.json", 0],
    ["edited.json", 2],
  ] as const) {
    const refused = run("compact", file, "-b", "6k", "--log", "one.log", "-o", "refused.json");
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, new RegExp(`messages\\[${at}\\] is not the message that one\\.log has there.*--log`));
    assert.equal(text("one.log"), before);
    assert.equal(existsSync(join(home, "refused.json")), false);
  }
  written("shorter.json", WORK.slice(0, 4));
  assert.match(
    run("compact", "shorter.json", "-b", "6k", "--log", "one.log").stderr,
    /one\.log has \d+ messages, but messages has 4/,
  );
  assert.equal(run("compact", "more.json", "-b", "6k", "--log", "one.log", "-q").status, 0);
});

for (const log of [[], ["--log", "interrupted.log"]]) {
  test(`an interrupted compaction writes nothing${log.length > 0 ? " to a log" : ""}`, async () => {
    written("asked.json", WORK);
    const server = createServer(() => undefined).listen(0);
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/v1`;
    const args = [
      "compact",
      "asked.json",
      "-b",
      "6k",
      "--llm",
      "openai:m",
      "--base-url",
      url,
      "-o",
      "none.json",
      ...log,
    ];
    const child = spawn(process.execPath, [...CLI, ...args], { cwd: home });
    await once(server, "request");
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number];
    server.closeAllConnections();
    server.close();
    assert.equal(code, 130);
    assert.equal(existsSync(join(home, "none.json")), false);
    assert.equal(existsSync(join(home, "interrupted.log")), false);
  });
}

test("a log and another format are combined", () => {
  written("both.json", WORK);
  const { stdout } = run("compact", "both.json", "-b", "6k", "--log", "both.log", "--to", "anthropic", "-q");
  const { messages } = JSON.parse(stdout) as { messages: Message[] };
  assert.ok(messages.some(({ content }) => JSON.stringify(content).includes("tool_use")));
});
