/** The command line, as a process. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { modelServer } from "../server/model.mjs";

export function cliCases({ consumer, espalier, home, root, transcripts }) {
  return {
    async "the command line: counts, prunes, compacts"() {
      const file = join(transcripts, "pi-refactor-long.json");
      const counted = await espalier(["count", join(transcripts, "tau-airline-0.json")]);
      assert.match(counted.stdout, /4,635 tokens \(o200k_base, exact\): system 1,255, conversation 3,380/);
      const pruned = await espalier(["prune", file, "--budget", "64k", "--json"]);
      assert.ok(JSON.parse(pruned.stdout).report.after.total <= 64_000);
      const start = Date.now();
      const compacted = await espalier(["compact", file, "--budget", "20000"]);
      console.log(`  393k-token transcript compacted to 20,000 in ${Date.now() - start} ms, the process included`);
      assert.equal(compacted.code, 0, compacted.stderr);
      const again = await espalier(["count", "-", "--json"], { input: compacted.stdout });
      const total = JSON.parse(again.stdout).report.total;
      assert.ok(total <= 20_000 && total > 5_000, String(total));
    },

    async "the command line: help, version, exit codes"() {
      const airline = join(transcripts, "tau-airline-0.json");
      const { version } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
      const table = [
        [["--version"], 0, version],
        [["--help"], 0, "espalier compact"],
        [[], 2, "espalier compact"],
        [["shrink", airline], 2, "unknown command"],
        [["prune", airline], 2, "--budget"],
        [["prune", airline, "--budget", "-1"], 2, "--budget"],
        [["prune", airline, "--budget", "lots"], 2, "whole number"],
        [["prune", airline, "--bugdet", "1"], 2, "bugdet"],
        [["count", airline, "--encoding", "p50k"], 2, "unknown_encoding"],
        [["count", "nowhere.json"], 3, "file_not_found"],
        [["count", join(root, "README.md")], 3, "bad_json"],
        [["count", join(root, "tsconfig.json")], 3, "unknown_session"],
        [["count", join(root, "tests", "fixtures", "sessions", "claude-code.jsonl")], 0, "Claude Code (claude-code)"],
        [["doctor", join(root, "tests", "fixtures", "sessions", "pi.jsonl")], 6, "would refuse"],
        [["prune", airline, "--budget", "100"], 4, "budget_exceeded"],
        [["compact", airline, "--budget", "2000", "--llm", "parrot"], 2, "openai:MODEL"],
        [["compact", airline, "--budget", "2000", "--llm", "openai:gpt-4o"], 2, "OPENAI_API_KEY"],
        [["compact", airline, "--budget", "2000", "--llm", "anthropic:claude-sonnet-4-5"], 2, "ANTHROPIC_API_KEY"],
      ];
      for (const [args, code, words] of table) {
        const {
          code: status,
          stdout,
          stderr,
        } = await espalier(args, { env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" } });
        assert.equal(status, code, `${args.join(" ")}: ${stderr}`);
        assert.ok((stdout + stderr).includes(words), `${args.join(" ")}: ${stdout}${stderr}`);
      }
      const out = join(home, "out.json");
      await espalier(["prune", airline, "--budget", "3000", "-o", out]);
      assert.ok(existsSync(out) && JSON.parse(readFileSync(out, "utf8")).messages.length > 0);
    },

    async "the command line: a model that answers, fails, hangs, babbles"() {
      const file = join(transcripts, "sweagent-marshmallow-1867.json");
      const whole = JSON.parse(readFileSync(file, "utf8"));
      const { url, script, seen, close } = await modelServer();
      const ask = (...more) =>
        espalier(
          ["compact", file, "--budget", "4000", "--llm", "openai:test", "--base-url", `${url}/v1`, "--json", ...more],
          { env: { OPENAI_API_KEY: "k" } },
        );
      try {
        script("good");
        const good = await ask();
        assert.equal(good.code, 0, good.stderr);
        assert.match(good.stdout, /The record of a scripted model/);
        assert.equal(seen.at(-1).headers.authorization, "Bearer k");
        assert.deepEqual(
          seen.at(-1).body.messages.map(({ role }) => role),
          ["system", "user"],
        );
        // Ids that are used twice get others, in whatever is to be sent.
        const { messages } = JSON.parse((await ask("--budget", "1000000")).stdout);
        assert.equal(messages.length, whole.length);
        for (const [behaviour, status, ...more] of [
          ["500", "model_failed"],
          ["401", "model_failed"],
          ["429", "model_failed"],
          ["malformed", "model_failed"],
          ["empty-choices", "model_failed"],
          ["cut", "model_failed"],
          ["no-tag", "no_summary_tag"],
          ["empty", "empty_summary"],
          ["tool-call", "tool_call_instead"],
          ["hang", "timeout", "--timeout-ms", "1000"],
        ]) {
          script(behaviour);
          // What fits stays as it is if nobody but the model may summarise.
          const { code, stdout, stderr } = await ask("--budget", "10000", "--force", "--on-failure", "leave", ...more);
          assert.equal(code, 5, `${behaviour}: ${stderr}`);
          const result = JSON.parse(stdout);
          assert.equal(result.status, status, behaviour);
          assert.deepEqual(result.messages, whole, `${behaviour}: the conversation changed`);
        }
        script("500");
        const offline = await ask();
        assert.deepEqual([offline.code, JSON.parse(offline.stdout).status], [0, "applied"]);
        const left = await ask("--on-failure", "leave");
        assert.ok(left.code === 5 && left.stderr.includes("compaction_failed"), `${left.code}: ${left.stderr}`);
        script("no-max-tokens");
        assert.equal((await ask()).code, 0, "a model that takes no max_tokens");
        script("good");
        for (const [model, variable, header] of [
          ["anthropic:test", "ANTHROPIC_API_KEY", "x-api-key"],
          ["gemini:test", "GEMINI_API_KEY", "x-goog-api-key"],
          ["openai-responses:test", "OPENAI_API_KEY", "authorization"],
        ]) {
          const other = await espalier(
            ["compact", file, "--budget", "4000", "--llm", model, "--base-url", `${url}/v1`, "--json"],
            { env: { [variable]: "key-1" } },
          );
          assert.equal(JSON.parse(other.stdout).status, "applied", other.stderr);
          assert.match(seen.at(-1).headers[header], /key-1$/);
        }
        script("hang");
        const child = spawn(
          join(consumer, "node_modules", ".bin", "espalier"),
          ["compact", file, "--budget", "4000", "--llm", "openai:test", "--base-url", `${url}/v1`],
          { stdio: "ignore" },
        );
        const before = seen.length;
        while (seen.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
        child.kill("SIGINT");
        assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 130);
      } finally {
        close();
      }
    },
  };
}
