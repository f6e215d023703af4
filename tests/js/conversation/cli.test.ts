/** `espalier compact` with a log: plan, compact, undo. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { begin, round } from "./support.ts";

const cli = fileURLToPath(new URL("../../../pkg/dist/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "espalier-cli-"));
const file = join(folder, "messages.json");
const log = join(folder, "log.jsonl");

function espalier(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a plan is shown, and nothing is written", () => {
  writeFileSync(file, JSON.stringify(begin(20)));
  const { status, stdout } = espalier("compact", file, "--budget", "2k", "--plan", "--log", log);
  assert.equal(status, 0);
  for (const expected of ["edits:", "replace_range", "covered", "summary:", "status: applied"]) assert.ok(stdout.includes(expected), expected);
  assert.equal(existsSync(log), false);
});

test("what was done is in the log, goes on from there, and can be undone", () => {
  const messages = begin(20);
  writeFileSync(file, JSON.stringify(messages));
  const first = espalier("compact", file, "--budget", "2k", "--log", log);
  assert.equal(first.status, 0, first.stderr);
  assert.ok(JSON.parse(first.stdout).length < messages.length);
  messages.push(...Array.from({ length: 20 }, (_, at) => round(30 + at)).flat());
  writeFileSync(file, JSON.stringify(messages));
  const second = espalier("compact", file, "--budget", "2k", "--log", log, "--json");
  assert.equal(JSON.parse(second.stdout).status, "applied", second.stderr);
  assert.equal(espalier("compact", file, "--undo", "--log", log).status, 0);
  const undone = espalier("compact", file, "--undo", "--log", log);
  assert.deepEqual(JSON.parse(undone.stdout), messages);
  assert.match(espalier("compact", file, "--undo", "--log", log).stderr, /nothing_to_undo/);
  assert.ok(readFileSync(log, "utf8").split("\n").length > messages.length);
});

test("a plan as JSON, and of standard input; nothing of it is coloured", () => {
  writeFileSync(file, JSON.stringify(begin(20)));
  const { status, report, edits, messages } = JSON.parse(espalier("compact", file, "--budget", "2k", "--plan", "--json").stdout);
  assert.deepEqual([status, messages, edits.length > 0], ["applied", undefined, true]);
  assert.ok(report.after.total <= 2_000);
  const piped = spawnSync(process.execPath, [cli, "compact", "-", "--budget", "2k", "--plan"], { encoding: "utf8", input: JSON.stringify(begin(20)) });
  assert.equal(piped.stdout, espalier("compact", file, "--budget", "2k", "--plan").stdout);
  assert.doesNotMatch(piped.stdout + piped.stderr, /\x1b/);
});

test("a plan that cannot be had, files that cannot be written, options of other commands", () => {
  const nowhere = join(folder, "no", "such", "folder");
  const table: [args: string[], status: number, words: RegExp][] = [
    [["compact", file, "--budget", "10", "--plan"], 4, /budget_exceeded/],
    [["compact", file, "--plan"], 2, /needs --budget/],
    [["compact", file, "--budget", "2k", "--plan", "--undo", "--log", log], 2, /one of them/],
    [["compact", file, "--budget", "2k", "--log", nowhere], 3, /^espalier: ENOENT.*folder/],
    [["compact", file, "--budget", "2k", "--log", folder], 3, /^espalier: EISDIR/],
    [["prune", file, "--budget", "2k", "-o", nowhere], 3, /ENOENT/],
    [["count", file, "--plan"], 2, /--plan is for espalier compact/],
    [["count", file, "--budget", "2k"], 2, /--budget is for espalier prune, compact, summarize, outline/],
    [["prune", file, "--budget", "2k", "--selection", "1"], 2, /--selection is for espalier summarize/],
    [["summarize", cli, "--budget", "2k", "--llm", "x:y"], 2, /--llm is for espalier compact/],
    [["outline", folder, "--budget", "2k", "--lines"], 2, /--lines is for espalier summarize/],
  ];
  for (const [args, status, words] of table) {
    const result = espalier(...args);
    assert.equal(result.status, status, `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, words, args.join(" "));
    assert.doesNotMatch(result.stderr, /^ +at /m);
  }
});

test("what makes no sense is said", () => {
  assert.equal(espalier("compact", file, "--undo").status, 2);
  assert.equal(espalier("prune", file, "--budget", "2k", "--log", log).status, 2);
  assert.equal(espalier("compact", file, "--undo", "--log", join(folder, "none.jsonl")).status, 3);
  writeFileSync(log, readFileSync(log, "utf8").replace("building", "BUILDING"));
  const damaged = espalier("compact", file, "--budget", "2k", "--log", log);
  assert.equal(damaged.status, 3);
  assert.match(damaged.stderr, /bad_log/);
});
