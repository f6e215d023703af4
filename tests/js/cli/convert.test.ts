/** `convert`, and how files of other tools are opened: batches, compressed files, pictures, recalled messages. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { temporaryFolder } from "../folder.ts";
import { CLI } from "../command.ts";
import { fixture } from "../sessions/sessions.ts";

const home = temporaryFolder();
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(home, name), content);
const text = (name: string) => readFileSync(join(home, name), "utf8");

function run(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    encoding: "utf8",
    cwd: home,
    input,
  });
  return { status, stdout, stderr };
}

write("codex.jsonl", fixture("codex.jsonl"));
write("claude-code.jsonl", fixture("claude-code.jsonl"));
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("a session of Codex becomes a request with instructions and input", () => {
  const { stdout } = run(["convert", "codex.jsonl", "--to", "openai-responses"]);
  const request = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(request), ["instructions", "input"]);
  const list = JSON.parse(run(["convert", "codex.jsonl", "--to", "openai-chat"]).stdout) as { role: string }[];
  assert.equal(list[0]?.role, "system");
});

test("convert says what it left out and what it changed, for people and as JSON", () => {
  write(
    "answered.json",
    JSON.stringify([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
    ]),
  );
  const { stderr, stdout } = run(["convert", "answered.json", "--to", "gemini"]);
  assert.match(stderr, /repaired for gemini: 1 change\n {2}last-role: /);
  const { messages, conversion, ...others } = JSON.parse(
    run(["convert", "answered.json", "--to", "gemini", "--json"]).stdout,
  ) as Record<string, unknown>;
  assert.deepEqual(others, {});
  assert.deepEqual(messages, JSON.parse(stdout));
  const change = (conversion as { changes: { rule: string }[] }).changes[0];
  assert.equal(change?.rule, "last-role");
  const pruned = run(["prune", "answered.json", "-b", "100", "--to", "anthropic", "--json"]).stdout;
  assert.deepEqual(Object.keys(JSON.parse(pruned) as object), ["report", "messages", "conversion"]);
});

test("pictures survive the formats that the command line writes", () => {
  const content = [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
  ];
  write("picture.json", JSON.stringify([{ role: "user", content }]));
  for (const format of ["vscode", "openai-agents", "openai-responses", "anthropic", "gemini", "ai-sdk"]) {
    run(["convert", "picture.json", "--to", format, "-o", "there.json"]);
    const back = run(["convert", "there.json", "--to", "openai-chat"]);
    assert.match(back.stderr, new RegExp(`format: ${format}`));
    assert.ok(back.stdout.includes(PNG), `${format}: ${back.stderr}`);
    run(["prune", "there.json", "-b", "5k", "-o", "pruned.json"]);
    assert.ok(text("pruned.json").includes(PNG), format);
  }
  // What JSON makes of bytes by itself.
  const bytes = Buffer.from(PNG, "base64");
  for (const data of [new Uint8Array(bytes), bytes]) {
    write("own.json", JSON.stringify([{ role: 1, content: [{ data, mimeType: "image/png" }] }]));
    assert.ok(run(["convert", "own.json", "--to", "openai-chat"]).stdout.includes(PNG));
  }
});

test("langchain is a format to convert to, though a layout has the same name", () => {
  const { status, stdout } = run(["convert", "claude-code.jsonl", "--to", "langchain"]);
  assert.equal(status, 0);
  assert.equal((JSON.parse(stdout) as { type: string }[])[0]?.type, "human");
});

test("a line of a batch file is a request, and several lines are refused with advice that works", () => {
  const messages = [{ role: "user", content: "one" }];
  const openai = {
    custom_id: "r1",
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "gpt-4o-mini", messages },
  };
  const anthropic = { custom_id: "r1", params: { model: "claude-sonnet-4-5", max_tokens: 9, messages } };
  for (const [name, line, format] of [
    ["openai.jsonl", openai, "openai-chat"],
    ["anthropic.jsonl", anthropic, "anthropic"],
  ] as const) {
    write(name, `${JSON.stringify(line)}\n${JSON.stringify(line)}\n`);
    const refused = run(["count", name]);
    assert.equal(refused.status, 3);
    assert.ok(refused.stderr.includes(`head -n 1 ${name} | espalier … -`), refused.stderr);
    const counted = run(["count", "-"], text(name).split("\n")[0]);
    assert.match(counted.stderr, new RegExp(`format: ${format}`));
    assert.match(counted.stdout, /1 message$/m);
  }
});

test("a compressed file is named as one", () => {
  write("session.jsonl.gz", gzipSync(fixture("claude-code.jsonl")));
  for (const command of ["count", "log"]) {
    const { status, stderr } = run([command, "session.jsonl.gz"]);
    assert.equal(status, 3);
    assert.match(
      stderr,
      /session\.jsonl\.gz is compressed with gzip; unpack it first: gunzip -c session\.jsonl\.gz \|/,
    );
  }
});

test("a log of Inspect AI names the command that unpacks it", () => {
  write("log.eval", Buffer.from("504b03040a000000", "hex"));
  assert.match(run(["count", "log.eval"]).stderr, /unpack it first: inspect log dump log\.eval \| espalier … -/);
});

test("a log whose lines have roles is no list of messages", () => {
  const line = (role: string) => JSON.stringify({ role, id: 1, message: { content: [{ type: "text", text: "Hi" }] } });
  write("transcript.jsonl", `${line("user")}\n${line("assistant")}\n`);
  const { status, stderr } = run(["count", "transcript.jsonl"]);
  assert.equal(status, 3);
  assert.match(
    stderr,
    /transcript\.jsonl is not a session file of a known tool: .* Nor is it a conversation: messages\[0\]\.content must be/,
  );
  write("list.json", `[${line("user")}]`);
  assert.match(run(["count", "list.json"]).stderr, /^espalier: messages\[0\]\.content must be/);
});

test("a database is named as one", () => {
  write("state.vscdb", Buffer.from("SQLite format 3\0\u0010\0\u0001\u0001\0@  \u00ff", "latin1"));
  const { status, stderr } = run(["count", "state.vscdb"]);
  assert.equal(status, 3);
  assert.match(stderr, /state\.vscdb is a SQLite database, which is not read; export the session from it/);
});

test("log --recall prints messages of a session file by the ids of its view", () => {
  const recall = (...args: string[]) => run(["log", "claude-code.jsonl", "--recall", ...args]);
  const shown = JSON.parse(recall("m1").stdout) as { message: unknown; place: string }[];
  const chosen = JSON.parse(recall("m0..m8", "--view", "history").stdout) as { place: string }[];
  assert.deepEqual([shown.length, shown[0]?.place, chosen.length], [1, "shown", 9]);
  assert.ok(chosen.some(({ place }) => place === "covered"));
  const { status, stderr } = recall("m99");
  assert.equal(status, 3);
  assert.match(stderr, /"m99" is no message of the live view, which has m0 to m3; --view chooses the view/);
});
