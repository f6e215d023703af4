/** `espalier summarize` as it is shipped. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { espalier } from "../built.ts";
import { CLI } from "../command.ts";

const folder = temporaryFolder();

const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const body = (name: string, count: number) =>
  `export function ${name}(x: number) {\n${Array.from({ length: count }, (_, at) => `  x += ${at};\n`).join("")}  return x;\n}\n`;
const one = file("one.ts", `${body("first", 10)}\n${body("second", 10)}\n${body("third", 10)}`);
const two = file("two.ts", body("fourth", 30));
const python =
  "def one():\n    a = 1\n    b = 2\n    c = 3\n    return a\n\n\ndef two():\n    a = 1\n    b = 2\n    c = 3\n    return b\n";
const binary = file("binary.ts", new Uint8Array([102, 0, 111]));

function run(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, "summarize", ...args], {
    encoding: "utf8",
    input,
  });
  // Nobody watches a pipe, so nothing is coloured.
  assert.doesNotMatch(stdout + stderr, /\x1b/);
  return { status, stdout, stderr };
}

/** Of files `1:` to `n:` as --lines numbers them. */
const numbers = (text: string) => Array.from(text.matchAll(/^(\d+): /gm), ([, line]) => Number(line));

test("a file is cut to its budget, and what is missing is said beside it", () => {
  const { status, stdout, stderr } = run([one, "--budget", "100"]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /… \d+-\d+ omitted/);
  const used = espalier.count(stdout);
  assert.ok(used <= 100, String(used));
  assert.match(
    stderr,
    new RegExp(`^[\\d,]+ -> ${used} tokens of 100\\n  .*one\\.ts: \\d+ lines left out, [\\d,]+ tokens\\n$`),
  );
  assert.deepEqual(run([one, "--budget", "10k"]).stdout, readFileSync(one, "utf8"));
});

test("selected lines stay, and what is around a cursor comes first", () => {
  const { stdout } = run([one, "--budget", "120", "--selection", "18:20", "--lines"]);
  assert.deepEqual(
    [18, 19, 20].filter((line) => !numbers(stdout).includes(line)),
    [],
  );
  assert.ok(!numbers(stdout).includes(5));
  assert.ok(numbers(run([one, "--budget", "120", "--selection", "33", "--lines"]).stdout).includes(33));
  assert.ok(
    numbers(run([one, "--budget", "120", "--selection", "40:999", "--lines"]).stdout).includes(40),
    "an end behind the last line is the last line",
  );
});

test("several files share a budget, under their names", () => {
  const { status, stdout, stderr } = run([one, two, "--budget", "200"]);
  assert.equal(status, 0, stderr);
  for (const path of [one, two]) assert.ok(stdout.includes(`==> ${path} <==\n`) && stderr.includes(path), path);
  const { summaries, tokens, lost } = JSON.parse(run([one, two, "--budget", "200", "--json"]).stdout);
  assert.ok(tokens <= 200);
  assert.equal(
    tokens,
    summaries.reduce((sum: number, { text }: { text: string }) => sum + espalier.count(text), 0),
  );
  assert.deepEqual(
    lost.map(({ path }: { path: string }) => path),
    [one, two],
  );
});

test("standard input, with a language or without", () => {
  assert.match(run(["-", "--budget", "40", "--language", "python"], python).stdout, /# … \d+-\d+ omitted$/m);
  const { status, stdout } = run(["-", "--budget", "40"], python);
  assert.equal(status, 0);
  assert.match(stdout, /omitted/);
  assert.equal(run(["-", "--budget", "40"], "").stdout.trim(), "");
  assert.match(run([one, "-", "--budget", "200"], python).stdout, /==> - <==\n/);
});

test("the result goes into a file", () => {
  const out = join(folder, "out.txt");
  const { stdout } = run([one, "--budget", "100", "-o", out]);
  assert.equal(stdout, "");
  assert.equal(readFileSync(out, "utf8"), run([one, "--budget", "100"]).stdout);
});

const REFUSED: readonly (readonly [args: string[], status: number, words: RegExp])[] = [
  [[], 2, /needs a FILE/],
  [[one], 2, /needs --budget/],
  [[one, "--budget", "some"], 2, /whole number/],
  [[one, "--budget", "-1"], 2, /budget/],
  [[one, "--budget", "100", "--bogus"], 2, /--bogus/],
  [[one, "--budget", "100", "--selection", "0"], 2, /--selection/],
  [[one, "--budget", "100", "--selection", "9:3"], 2, /--selection/],
  [[one, "--budget", "100", "--selection", "a"], 2, /--selection/],
  [[one, "--budget", "100", "--selection", "999"], 2, /line 999, but .*one\.ts has only 42/],
  [[one, "--budget", "100", "--encoding", "p50k"], 2, /unknown_encoding/],
  [["-", "-", "--budget", "100"], 2, /once/],
  [[join(folder, "none.ts"), "--budget", "100"], 3, /none\.ts cannot be read.*file_not_found/],
  [[one, join(folder, "none.ts"), "--budget", "100"], 3, /none\.ts/],
  [[folder, "--budget", "100"], 3, /is a folder.*espalier outline/],
  [[binary, "--budget", "100"], 3, /binary\.ts is a binary file \[binary_file\]/],
  [[one, "--budget", "3"], 4, /^espalier: (?!.*options\.).*--budget.* \[budget_exceeded\]/],
  [[one, "--budget", "30", "--selection", "1:42"], 4, /budget_exceeded/],
];
for (const [args, status, words] of REFUSED) {
  test(`${args.map((arg) => arg.replace(folder, "")).join(" ") || "nothing"}: exit code ${status}, in words`, () => {
    const result = run(args);
    assert.equal(result.status, status, result.stderr);
    assert.match(result.stderr, words);
    assert.equal(result.stdout, "");
    assert.doesNotMatch(result.stderr, /^\s+at /m, "no stack");
  });
}
