/** `espalier search` as it is shipped: a process of its own, over folders of the file system. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { CLI } from "../command.ts";
import { folder, write } from "../search/trees.ts";

function run(args: readonly string[], { input = "", cwd }: { input?: string; cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, "search", ...args], {
    input,
    encoding: "utf8",
    maxBuffer: 1e8,
    ...(cwd !== undefined && { cwd }),
  });
  return { status, stdout, stderr };
}

/** Runs a search that works. */
function check(
  args: readonly string[],
  { out, err, ...more }: { out?: RegExp; err?: RegExp; input?: string; cwd?: string } = {},
) {
  const done = run(args, more);
  assert.equal(done.status, 0, done.stderr);
  if (out) assert.match(done.stdout, out);
  if (err) assert.match(done.stderr, err);
  return done;
}

const refused = (status: number, args: readonly string[], message: RegExp, more: { input?: string } = {}) => {
  const done = run(args, more);
  assert.deepEqual([done.status, done.stdout], [status, ""], done.stderr);
  assert.match(done.stderr, message);
};

const FILES: Record<string, string | Uint8Array> = {
  "src/retry.ts":
    "/** Sends a request again when the server is overloaded. */\nexport class Retries {\n  retry(times: number, pause: number): void {\n    for (let turn = 0; turn < times; turn++) sleep(pause);\n  }\n}\n",
  "src/parse.ts": 'export function parse(text: string): string[] {\n  return text.split("\\n");\n}\n',
  "docs/tea.md": "# Tea\n\nBoil the water and wait.\n",
  "photo.png": Uint8Array.of(0x89, 0x50, 0, 1),
  "latin.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
  "node_modules/retry/index.js": "function retry() {}\n",
  ".gitignore": "out/\n",
  "out/retry.js": "function retry() {}\n",
};

test("a folder: hits with their place, the strategy, what is not searched", () => {
  const root = folder(FILES);
  const { stdout, stderr } = check([root, "how many times do we retry?", "--budget", "1k"]);
  assert.match(stdout, /^src\/retry\.ts:1-6 {2}score [\d.]+ {2}\d+ tokens\n\/\*\* Sends a request again/);
  assert.ok(!stdout.includes("node_modules") && !stdout.includes("out/"));
  assert.match(stderr, /^1 hit, \d+ of 1,000 tokens; strategy \w+.*; 4 files, \d+ chunks\n/);
  assert.match(stderr, /not searched: .*2 ignored/);
  assert.match(stderr, /not searched: .*1 encoding/);
  assert.match(stderr, /latin\.txt: encoding \(not UTF-8\)/);
});

test("the budget is that of the hits, counted exactly, and is never passed", () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `f${at}.ts`,
      `export function retry${at}() {\n  return "${"word ".repeat(at * 3)}";\n}\n`,
    ]),
  );
  const root = folder(many);
  for (const budget of [0, 1, 20, 60, 200, 1_000]) {
    const { hits, tokens, leftOut } = JSON.parse(check([root, "retry word", "--budget", `${budget}`, "--json"]).stdout);
    assert.ok(tokens <= budget, `${tokens} of ${budget}`);
    assert.ok(hits.length > 0 || budget <= 20, `nothing in ${budget}`);
    const counted = hits.reduce((sum: number, { text }: { text: string }) => sum + espalier.count(text), 0);
    assert.ok(counted <= budget, `${counted} of ${budget}`);
    if (budget === 20) assert.ok(leftOut.some(({ why }: { why: string }) => why === "budget"));
  }
});

test("JSON has the answer of the library and the notes", () => {
  const answer = JSON.parse(check([folder(FILES), "retry", "--budget", "500", "--json", "--contributions"]).stdout);
  assert.equal(answer.query, "retry");
  assert.equal(answer.hits[0].path, "src/retry.ts");
  assert.deepEqual(
    answer.hits[0].terms.map(({ term }: { term: string }) => term),
    ["retry"],
  );
  assert.ok(
    answer.notes.some(
      ({ path, reason }: { path: string; reason: string }) => path === "photo.png" && reason === "binary",
    ),
  );
  assert.equal(answer.state.files, 4);
});

test("further roots, fewer results, profiles, words, a file for the output", () => {
  const root = folder({ "one/a.ts": "export const retry = 1;\n", "two/a.ts": "export const retry = 2;\n" });
  const { stdout } = check([join(root, "one"), "retry", "--root", join(root, "two"), "--budget", "500"]);
  assert.ok(/^one\/a\.ts:1 /m.test(stdout) && /^two\/a\.ts:1 /m.test(stdout), stdout);
  assert.equal(
    JSON.parse(check([root, "retry", "--budget", "500", "--max-results", "1", "--json", "-q"]).stdout).hits.length,
    1,
  );
  check([root, "retry", "--budget", "500", "--profile", "copilot-chat"], { out: /retry/ });
  check([root, "retry", "--budget", "500", "--contributions"], { out: /\n {2}retry [\d.]+\n/ });
  assert.deepEqual(
    [
      check([root, "retry", "--budget", "500", "-q", "-o", join(root, "found.txt")]).stdout,
      /a\.ts:1/.test(readFileSync(join(root, "found.txt"), "utf8")),
    ],
    ["", true],
  );
});

test("--structure names the definitions around a hit", () => {
  const method = (name: string) =>
    `  ${name}(): void {\n${Array.from({ length: 30 }, (_, at) => `    this.step${at}("${name}");\n`).join("")}  }\n`;
  const root = folder({ "job.ts": `export class Job {\n${["start", "pause", "backoff"].map(method).join("")}}\n` });
  check([root, "backoff", "--budget", "500", "--structure"], {
    out: /^job\.ts:\d+-\d+ {2}Job > backoff {2}score|^job\.ts:\d+-\d+ {2}Job {2}score/,
  });
});

test("--index: the next search reads what has changed; a damaged index is made anew", () => {
  const root = folder(FILES);
  const kept = join(root, "kept");
  const find = (query: string) => check([root, query, "--budget", "500", "--index", kept]);
  find("retry");
  assert.ok(readdirSync(join(kept, "search")).length > 0);
  write(root, { "src/new.ts": "export function backoff() {}\n" });
  const second = find("backoff");
  assert.match(second.stdout, /^src\/new\.ts:1 /);
  assert.match(second.stderr, /index: 1 added, 0 changed, 0 removed, 4 unchanged/);
  unlinkSync(join(root, "src/new.ts"));
  assert.match(find("backoff").stderr, /nothing found[\s\S]*1 removed/);
  for (const name of readdirSync(join(kept, "search"))) {
    const bytes = readFileSync(join(kept, "search", name));
    bytes[bytes.length >> 1]! ^= 0xff;
    writeFileSync(join(kept, "search", name), bytes);
  }
  const damaged = find("retry");
  assert.match(damaged.stdout, /^src\/retry\.ts/);
  assert.match(damaged.stderr, /damaged/);
  assert.match(find("retry").stderr, /4 unchanged/);
  // The index is no part of what is searched.
  assert.ok(!check([root, "manifest segment", "--budget", "500", "--index", kept]).stderr.includes("kept/"));
});

test("an index that cannot be written: the search goes on, and says so", () => {
  const root = folder(FILES);
  writeFileSync(join(root, "plain"), "a file\n");
  const { stdout, stderr } = check([root, "retry", "--budget", "500", "--index", join(root, "plain")]);
  assert.match(stdout, /^src\/retry\.ts/);
  assert.match(stderr, /plain/);
});

test("empty and odd folders", () => {
  check([folder(), "retry", "--budget", "500"], { out: /^$/, err: /^nothing found; strategy .*; 0 files, 0 chunks/ });
  check([folder(), "retry", "--budget", "500", "--json"], { out: /"hits": \[\]/ });
  check([folder({ "empty.ts": "", "blank.ts": "\n\n" }), "retry", "--budget", "500"], { err: /nothing found/ });
  const loops = folder({ "a.ts": "retry\n" });
  symlinkSync(loops, join(loops, "loop"));
  check([loops, "retry", "--budget", "500"], { out: /^a\.ts:1 /, err: /1 loop/ });
  const odd = folder({
    "a\x1b[2J.ts": "retry \x1b[31m\n",
    "b\nc.ts": "retry\n",
    "ü ö.ts": "retry\n",
    "huge.ts": "retry\n".repeat(300_000),
  });
  const { stdout, stderr } = check([odd, "retry", "--budget", "500"], { err: /huge\.ts: too large/ });
  assert.doesNotMatch(stdout + stderr, /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  assert.match(stdout, /^b\\nc\.ts:1 /m);
});

test("queries: from standard input, of 1 MB, without words, in other scripts", () => {
  const root = folder({ ...FILES, "ru.md": "Повторить запрос позже.\n" });
  check([root, "-", "--budget", "500"], { input: "retry\n", out: /^src\/retry\.ts/ });
  check([root, "-", "--budget", "500"], {
    input: `${"zebra quagga okapi ".repeat(60_000)} retry`,
    out: /^src\/retry\.ts/,
  });
  check([root, "...", "--budget", "500"], { err: /^nothing found/ });
  check([root, "запрос", "--budget", "500"], { out: /^ru\.md:1 / });
  check([root, "--budget", "500", "--", "-retry"], { out: /^src\/retry\.ts/ });
});

test("without a budget the default of the library applies", () => {
  const root = folder(FILES);
  const { stdout, stderr } = check([root, "retry"], { err: /hits?, \d+ tokens;/ });
  assert.equal(stdout, check([root, "retry", "--budget", "32000"]).stdout, stderr);
});

test("exit codes", () => {
  const root = folder(FILES);
  refused(2, [root], /needs a DIR and a QUERY/);
  refused(2, [root, "two", "words", "--budget", "9"], /only one QUERY is accepted/);
  refused(2, [root, " ", "--budget", "9"], /QUERY is empty/);
  refused(2, [root, "-", "--budget", "9"], /QUERY is empty/, { input: "" });
  refused(
    2,
    [root, "retry", "--budget", "9", "--profile", "gemini-cli"],
    /--profile must be one of espalier, copilot-chat/,
  );
  refused(2, [root, "retry", "--budget", "9", "--encoding", "p50k"], /unknown_encoding/);
  refused(2, [root, "retry", "--budget", "9", "--llm", "openai:gpt-4o"], /--llm is for espalier compact/);
  refused(2, [root, "retry", "--budget", "9", "--root", root], /same folder/);
  refused(3, [join(root, "missing"), "retry", "--budget", "9"], /missing cannot be read.*file_not_found/);
  refused(3, [join(root, "src/retry.ts"), "retry", "--budget", "9"], /not a folder.*file_not_found/);
});

test("nothing is written without --index", () => {
  const root = folder(FILES);
  const before = readdirSync(root, { recursive: true }).sort();
  const time = statSync(root).mtimeMs;
  check([root, "retry", "--budget", "500", "--structure"], { cwd: root });
  assert.deepEqual([readdirSync(root, { recursive: true }).sort(), statSync(root).mtimeMs], [before, time]);
});
