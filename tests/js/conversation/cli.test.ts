/** `espalier compact` with a log: plan, compact, undo. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CLI } from "../command.ts";
import { temporaryFolder } from "../folder.ts";
import { begin, round } from "./support.ts";

const folder = temporaryFolder();
const file = join(folder, "messages.json");
const log = join(folder, "log.jsonl");

function espalier(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a plan is shown, and nothing is written", () => {
  writeFileSync(file, JSON.stringify(begin(20)));
  const { status, stdout } = espalier("compact", file, "--budget", "2k", "--plan", "--log", log);
  assert.equal(status, 0);
  for (const expected of ["edits:", "replace_range", "covered", "summary:", "status: applied"])
    assert.ok(stdout.includes(expected), expected);
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

test("what is pinned stays word for word; undone is redone; the log tells all of it, and gives back what is hidden", () => {
  const kept = join(folder, "kept.jsonl");
  const messages = begin(20);
  writeFileSync(file, JSON.stringify(messages));
  const pin = espalier("compact", file, "--log", kept, "--pin", "m2,m3");
  assert.deepEqual([pin.status, JSON.parse(pin.stdout)], [0, messages], pin.stderr);
  const { stdout, stderr } = espalier("compact", file, "--budget", "2k", "--log", kept, "--profile", "espalier");
  assert.ok(
    JSON.parse(stdout).some((message: unknown) => JSON.stringify(message) === JSON.stringify(messages[3])),
    "a pinned message is the message",
  );
  assert.match(stderr, /still in view: .*commands \d+ of \d+/);
  assert.match(stderr, /kept by rule: /);
  for (const [way, status] of [
    ["--undo", "undone"],
    ["--redo", "redone"],
    ["--redo", "nothing_to_redo"],
  ] as const) {
    assert.match(espalier("compact", file, "--log", kept, way).stderr, new RegExp(`^${status}`, "m"), way);
  }
  assert.equal(espalier("compact", file, "--log", kept, "--unpin", "m2").status, 0);
  assert.match(espalier("compact", file, "--log", kept, "--unpin", "m2").stderr, /"m2" is not pinned.*unknown_id/);
  const told = espalier("log", kept);
  assert.match(
    told.stdout,
    /e0 +messages m0 to m\d+\n.*pin m2\n.*pin m3\n.*edit replace range .*by rule.*tokens\n.*revoke e\d+\n.*revoke e\d+\n.*unpin e\d+\n\d+ messages; \d+ are sent, .*pinned: m3\n$/s,
  );
  const [hidden] = JSON.parse(espalier("log", kept, "--recall", "m5").stdout);
  assert.deepEqual([hidden.place, hidden.message.id], ["covered", "m5"]);
  const without = espalier("compact", file, "--budget", "2k", "--pin", "m3");
  assert.ok(
    JSON.parse(without.stdout).some((message: unknown) => JSON.stringify(message) === JSON.stringify(messages[3])),
    "without a log too",
  );
});

test("a newest request that is too long is shortened in the output, not in the log", () => {
  const long = join(folder, "long.jsonl");
  writeFileSync(file, JSON.stringify([...begin(20), { role: "user", content: "Read all of this. ".repeat(2_000) }]));
  const { status, stdout, stderr } = espalier("compact", file, "--budget", "2k", "--log", long);
  assert.equal(status, 0, stderr);
  assert.ok(stdout.length < 20_000);
  assert.equal(
    espalier("compact", file, "--budget", "2k", "--log", long, "--undo").status,
    0,
    "and what is undone fits as well",
  );
});

test("a plan as JSON, and of standard input; nothing of it is coloured", () => {
  writeFileSync(file, JSON.stringify(begin(20)));
  const { status, report, edits, messages } = JSON.parse(
    espalier("compact", file, "--budget", "2k", "--plan", "--json").stdout,
  );
  assert.deepEqual([status, messages, edits.length > 0], ["applied", undefined, true]);
  assert.ok(report.after.total <= 2_000);
  const piped = spawnSync(process.execPath, [...CLI, "compact", "-", "--budget", "2k", "--plan"], {
    encoding: "utf8",
    input: JSON.stringify(begin(20)),
  });
  assert.equal(piped.stdout, espalier("compact", file, "--budget", "2k", "--plan").stdout);
  assert.doesNotMatch(piped.stdout + piped.stderr, /\x1b/);
});

test("a plan that cannot be had, files that cannot be written, options of other commands", () => {
  const nowhere = join(folder, "no", "such", "folder");
  const table: [args: string[], status: number, words: RegExp][] = [
    [["compact", file, "--budget", "10", "--plan"], 4, /budget_exceeded/],
    [["compact", file, "--plan"], 2, /needs --budget/],
    [["compact", file, "--budget", "2k", "--plan", "--undo", "--log", log], 2, /one of them/],
    [["compact", file, "--budget", "2k", "--log", nowhere], 3, /there is no folder/],
    [["compact", file, "--budget", "2k", "--log", folder], 3, /it is a folder; name a file/],
    [["prune", file, "--budget", "2k", "-o", nowhere], 3, /there is no folder/],
    [["compact", file, "--undo", "--redo", "--log", log], 2, /one of them/],
    [["compact", file, "--unpin", "m1"], 2, /--unpin needs --log/],
    [["compact", file, "--budget", "2k", "--profile", "nobody"], 2, /no profile "nobody".*bad_option/],
    [["compact", file, "--log", join(folder, "new.jsonl"), "--pin", "m99"], 3, /unknown_id/],
    [["log", join(folder, "none.jsonl")], 3, /file_not_found/],
    [["log", file], 3, /bad_log/],
    [["log", log, "--recall", "m999"], 3, /unknown_id/],
    [["log", log, "--json"], 2, /--json is for/],
    [["prune", file, "--budget", "2k", "--pin", "m1"], 2, /--pin is for espalier compact/],
    [["count", file, "--plan"], 2, /--plan is for espalier compact/],
    [["count", file, "--budget", "2k"], 2, /--budget is for espalier prune, compact, bill, summarize, outline/],
    [["prune", file, "--budget", "2k", "--selection", "1"], 2, /--selection is for espalier summarize/],
    [["summarize", CLI[1]!, "--budget", "2k", "--llm", "x:y"], 2, /--llm is for espalier compact/],
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
