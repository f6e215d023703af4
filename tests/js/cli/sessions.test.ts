/** Session files on the command line: every command opens them, says what they are, and never changes them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { CLI } from "../command.ts";
import { fixture } from "../sessions/sessions.ts";

const home = temporaryFolder();
const log = fixture("claude-code.jsonl");
writeFileSync(join(home, "s.jsonl"), log);

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    encoding: "utf8",
    cwd: home,
    input: log,
  });
  return { status, stdout, stderr };
}

test("count says which layout it is, by what, what was left out and how to have it", () => {
  const { status, stderr, stdout } = run("count", "s.jsonl");
  assert.equal(status, 0, stderr);
  assert.match(stderr, /session: Claude Code \(claude-code\), recognised by 17 lines of the types user and assistant/);
  assert.match(
    stderr,
    /4 turns of a user\n {2}live context: 4 messages; compacted 1 time \(--view history shows the whole history, 9 messages\)/,
  );
  assert.match(stderr, /2 side chains: ag1 \(subagent, 2\), branch:u2 \(branch, 2\) \(--side-chain ID opens one\)/);
  assert.match(stderr, /1 × file-history-snapshot, .*\n {2}line 23: the last line is incomplete/);
  assert.match(stdout, /4 messages$/m);
  assert.match(run("count", "s.jsonl", "--view", "history").stdout, /9 messages$/m);
  assert.match(run("count", "s.jsonl", "--side-chain", "ag1").stdout, /2 messages$/m);
  assert.equal(run("count", "-").stdout, stdout);
});

test("--json says what the session is", () => {
  const { session } = JSON.parse(run("count", "s.jsonl", "--json").stdout) as { session: Record<string, unknown> };
  assert.deepEqual(
    [session["layout"], session["turns"], session["live"], session["history"]],
    ["claude-code", 4, 4, 9],
  );
});

test("prune gives messages, or a file that the tool resumes from", () => {
  const messages = JSON.parse(run("prune", "s.jsonl", "--budget", "40").stdout) as { content: unknown }[];
  assert.equal(messages.at(-1)?.content, "And the docs.");
  const { stdout, stderr } = run("prune", "s.jsonl", "--budget", "40", "--to", "claude-code");
  writeFileSync(join(home, "shorter.jsonl"), stdout);
  assert.match(run("count", "shorter.jsonl").stdout, new RegExp(`${messages.length} messages$`, "m"), stderr);
});

test("convert writes another format, and messages back into the layout", () => {
  const chat = run("convert", "s.jsonl", "--to", "openai-chat").stdout;
  assert.equal((JSON.parse(chat) as unknown[]).length, 4);
  writeFileSync(join(home, "edited.json"), chat.replace("Now the tests.", "Now all tests."));
  const { stdout, stderr } = run("convert", "edited.json", "--to", "claude-code", "--session", "s.jsonl");
  assert.match(stdout, /Now all tests\./, stderr);
  assert.equal(run("convert", "edited.json", "--to", "claude-code").status, 2);
  assert.equal(run("convert", "s.jsonl", "--to", "claude").status, 2);
});

test("doctor finds a call without a result, and repairs a copy", () => {
  const open = log.split("\n").slice(0, 6).join("\n");
  writeFileSync(join(home, "dead.jsonl"), open);
  const found = run("doctor", "dead.jsonl");
  assert.equal(found.status, 6);
  assert.match(
    found.stdout,
    /anthropic would refuse this request: 1 reason\n {2}messages\[2\]\.content\[1\] \(line 5\): .*\(pending-call\)/,
  );
  assert.equal(run("doctor", "dead.jsonl", "--repair").status, 0);
  assert.equal(readFileSync(join(home, "dead.jsonl"), "utf8"), open);
  assert.equal(run("doctor", "dead.repaired.jsonl").status, 0);
  assert.match(run("doctor", "dead.jsonl", "--repair").stderr, /dead\.repaired\.jsonl already exists/);
});

test("doctor leaves a healthy session alone", () => {
  const { status, stdout } = run("doctor", "s.jsonl");
  assert.equal(status, 0);
  assert.match(stdout, /anthropic would accept this request\n44 tokens \(o200k_base, prior\), 0\.0 % of 200,000/);
  assert.match(run("doctor", "s.jsonl", "--repair").stderr, /nothing to repair/);
  assert.equal(existsSync(join(home, "s.repaired.jsonl")), false);
});

test("a file with several conversations names the flag that chooses one", () => {
  writeFileSync(join(home, "several.md"), fixture("aider.md"));
  assert.match(run("count", "several.md").stderr, /2 conversations of aider: .*Choose one with --conversation\./);
});

test("doctor examines a conversation that cannot be compacted to a third", () => {
  const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  const ask = {
    role: "user",
    content: [{ type: "text", text: "See." }, ...[1, 2, 3].map(() => ({ type: "image", source }))],
  };
  writeFileSync(join(home, "pictures.json"), JSON.stringify([ask]));
  const found = run("doctor", "pictures.json");
  assert.match(found.stdout, /anthropic would/, found.stderr);
  assert.doesNotMatch(found.stdout, /a compaction by rules/);
});

test("doctor accepts a session of gemini-cli that ends with the model", () => {
  const file = join(home, "gemini.jsonl");
  writeFileSync(file, fixture("gemini-stream.jsonl"));
  const found = run("doctor", file);
  assert.match(found.stdout, /gemini would accept this request/);
  assert.equal(found.status, 0);
});

test("log lists requests and compactions", () => {
  const { stdout } = run("log", "s.jsonl");
  assert.match(stdout, /request: 1,025 prompt tokens \(900 from the cache\), 12 written/);
  assert.match(stdout, /compaction at 19: replaced 7 messages, 1,031 -> 240 tokens/);
});

test("a file of no tool is refused with what was looked for, and secrets are not shown", () => {
  writeFileSync(join(home, "x.json"), JSON.stringify({ apiKey: "sk-secret-1234567890", rows: [] }));
  const { status, stderr } = run("count", "x.json");
  assert.equal(status, 3);
  assert.match(
    stderr,
    /not a session file of a known tool: it contains a JSON object with the fields apiKey, rows\..* Known tools: Claude Code/,
  );
  assert.doesNotMatch(stderr, /sk-secret/);
  assert.match(run("count", "missing.jsonl").stderr, /missing\.jsonl cannot be read/);
});
