/** `espalier bill`: what a session costs, for people and for programs. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CLI } from "../command.ts";
import { temporaryFolder } from "../folder.ts";

const pathOf = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const run = pathOf("fixtures/transcripts/openhands-ponyc-4593.json");
const session = pathOf("fixtures/sessions/claude-code.jsonl");

function bill(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, "bill", ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the table has a row for each way, with its tokens and what it saves", () => {
  const { status, stdout } = bill(run, "--model", "gpt-4.1", "--budget", "5k", "-q");
  assert.equal(status, 0);
  assert.match(stdout, /^gpt-4\.1: dollars per million tokens: input 2, cache read 0\.5, .*genai-prices/m);
  assert.match(stdout, /^cache of openai: automatic, from 1,024 tokens, 5 minutes \(assumed\) \(https:/m);
  assert.match(stdout, /^times: none in the file/m);
  assert.match(stdout, /^without +\$0\.\d{4} +0 /m);
  for (const way of ["prune", "conversation"])
    assert.match(stdout, new RegExp(`^${way} +\\$0\\.\\d{4} +-\\d+\\.\\d % `, "m"));
  assert.match(
    stdout,
    /^prune: \d+ removals cost \$0\.\d{4} of cache writes; \d+ paid before the end; half of them pay/m,
  );
  assert.match(stdout, /^conversation: rules write the summaries, which costs nothing/m);
});

test("for programs it is one object; summaries of a model and the refused request are in it", () => {
  const { stdout } = bill(
    run,
    "--model",
    "gpt-4.1",
    "--window",
    "8k",
    "--budget",
    "6k",
    "--summary-tokens",
    "400",
    "--json",
  );
  const { window, budget, ways, hasTimes } = JSON.parse(stdout);
  assert.deepEqual([window, budget, hasTimes], [8_000, 6_000, false]);
  assert.ok(ways[0].refused.request > 1 && ways[0].refused.tokens > 8_000);
  assert.ok(ways[2].summaries.calls > 0 && ways[2].summaries.cost > 0);
});

test("a session brings its model, its window and its times", () => {
  const { stdout, stderr } = bill(session);
  assert.match(stdout, /^claude-sonnet-4-5: dollars/m);
  assert.match(stdout, /^times: those of the file/m);
  assert.match(stderr, /whole history: 9 messages/);
  const { ways, hasTimes } = JSON.parse(bill(session, "--json").stdout);
  assert.equal(hasTimes, true);
  const times = ways[0].rows.map(({ time }: { time: number }) => time);
  assert.ok(times[0] > 1_600_000_000_000 && times.at(-1) > times[0]);
});

test("what the provider reported is shown beside the bill, with what the file lacks", () => {
  const { stdout } = bill(session);
  assert.match(
    stdout,
    /\nrecorded: \d+ requests? with [\d,]+ prompt tokens and \d+ written, \$[\d.]+ at these prices; that is [\d,]+ prompt tokens a request, and \d+ are billed: what Claude Code sends beside the messages/,
  );
  const { recorded, ways } = JSON.parse(bill(session, "--json").stdout);
  assert.ok(recorded.requests > 0 && recorded.cost > ways[0].cost, JSON.stringify(recorded));
  assert.equal(JSON.parse(bill(run, "--json").stdout).recorded, undefined);
});

test("usage of the newest request alone is not compared with the mean of all", () => {
  const { stdout } = bill(new URL("../../fixtures/sessions/otel.json", import.meta.url).pathname);
  assert.match(stdout, /\nrecorded: 1 of 2 requests with 120 prompt tokens and 7 written, \$[\d.]+ at these prices$/m);
});

test("a pause, a lifetime and the view change the bill", () => {
  const cost = (...args: string[]) =>
    JSON.parse(bill(run, "--model", "claude-sonnet-4-5", "--json", ...args).stdout).ways[0].cost;
  const [warm, cold, hour] = [cost(), cost("--pace", "600"), cost("--pace", "600", "--ttl", "1h")];
  assert.ok(cold > 2 * warm && hour > warm && hour < cold, `${warm} ${cold} ${hour}`);
  const live = JSON.parse(bill(session, "--view", "live", "--json").stdout);
  assert.ok(live.requests < JSON.parse(bill(session, "--json").stdout).requests);
});

test("wrong flags and files are refused with their names", () => {
  const empty = join(temporaryFolder(), "empty.json");
  writeFileSync(empty, JSON.stringify([{ role: "system", content: "s" }]));
  const table: [args: string[], status: number, words: RegExp][] = [
    [[run, "--ttl", "2h"], 2, /--ttl must be one of 5m, 1h, and is "2h"/],
    [[run, "--budget", "9k", "--window", "8k"], 2, /--budget must be at most the window of 8000 tokens.*bad_option/],
    [[run, "--pace", "soon"], 2, /--pace must be a whole number/],
    [[run, "--profile", "nobody"], 2, /no profile "nobody".*bad_option/],
    [[run, "--llm", "openai:gpt-4o"], 2, /--llm is for espalier compact/],
    [[empty], 3, /no message of a user.*no_conversation/],
    [[`${empty}.gone`], 3, /file_not_found/],
  ];
  for (const [args, status, words] of table) {
    const result = bill(...args);
    assert.deepEqual([result.status, words.test(result.stderr)], [status, true], `${args.join(" ")}: ${result.stderr}`);
  }
});
