/**
 * Reads large session files, beside a loop that only parses every line, which is the lower bound of any reader.
 *
 * Usage: node sessions/run.mjs [MB]. The logs are written to the system's folder for temporary files. Each run is a
 * process of its own.
 */

import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { once } from "node:events";

const TEXT = "the quick build fails when cart totals are rounded twice, see src/cart.ts line 42\n".repeat(30);
const time = "2026-01-05T10:00:00.000Z";

/** Lines as the tools write them: calls, results with copies for display, progress, usage, compactions. */
const LOGS = {
  *"claude-code"() {
    const base = {
      isSidechain: false,
      userType: "external",
      cwd: "/w",
      sessionId: "s",
      version: "2.1.0",
      timestamp: time,
    };
    let parentUuid = null;
    const line = (uuid, record) => {
      const made = { parentUuid, ...base, ...record, uuid };
      parentUuid = uuid;
      return made;
    };
    for (let at = 0; ; at++) {
      if (at % 20 === 0) yield line(`u${at}`, { type: "user", message: { role: "user", content: `Fix item ${at}.` } });
      const usage = {
        input_tokens: 3,
        cache_read_input_tokens: at * 10,
        cache_creation_input_tokens: 90,
        output_tokens: 61,
      };
      const content = [{ type: "tool_use", id: `t${at}`, name: "Read", input: { file_path: `/w/a${at}.ts` } }];
      yield line(`a${at}`, {
        type: "assistant",
        message: { id: `m${at}`, role: "assistant", model: "claude-sonnet-4-5", content, usage },
      });
      const result = [{ tool_use_id: `t${at}`, type: "tool_result", content: TEXT + at }];
      yield line(`r${at}`, {
        type: "user",
        message: { role: "user", content: result },
        toolUseResult: { file: { content: TEXT + at } },
      });
      yield line(`p${at}`, { type: "progress", data: { text: TEXT } });
      if (at % 3000 !== 2999) continue;
      parentUuid = null;
      yield line(`b${at}`, { type: "system", subtype: "compact_boundary", compactMetadata: { preTokens: 100_000 } });
      yield line(`c${at}`, {
        type: "user",
        isCompactSummary: true,
        message: { role: "user", content: "What was done." },
      });
    }
  },
  *codex() {
    yield { timestamp: time, type: "session_meta", payload: { id: "x", cwd: "/w", cli_version: "0.60.0" } };
    for (let at = 0; ; at++) {
      const item = (payload) => ({ timestamp: time, type: "response_item", payload });
      const event = (payload) => ({ timestamp: time, type: "event_msg", payload });
      if (at % 20 === 0)
        yield item({ type: "message", role: "user", content: [{ type: "input_text", text: `Fix item ${at}.` }] });
      yield item({ type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: `c${at}` });
      yield item({ type: "function_call_output", call_id: `c${at}`, output: TEXT + at });
      yield event({ type: "exec_command_end", call_id: `c${at}`, stdout: TEXT, aggregated_output: TEXT });
      const last = { input_tokens: 1_000 + at, cached_input_tokens: 500, output_tokens: 3 };
      yield event({
        type: "token_count",
        info: { total_token_usage: last, last_token_usage: last, model_context_window: 272_000 },
      });
    }
  },
};

async function write(file, records, size) {
  const out = createWriteStream(file);
  let written = 0;
  for (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    written += line.length;
    if (!out.write(line)) await once(out, "drain");
    if (written >= size) break;
  }
  out.end();
  await once(out, "finish");
}

const TASKS = {
  async espalier(file) {
    const { openSession } = await import("../../pkg/dist/sessions.js");
    return (await openSession(createReadStream(file, { highWaterMark: 1 << 20 }))).history.length;
  },
  async "espalier, live only"(file) {
    const { openSession } = await import("../../pkg/dist/sessions.js");
    return (await openSession(createReadStream(file, { highWaterMark: 1 << 20 }), { history: false })).history.length;
  },
  async "readline and JSON.parse"(file) {
    let lines = 0;
    for await (const line of createInterface({ input: createReadStream(file, { highWaterMark: 1 << 20 }) }))
      if (JSON.parse(line)) lines += 1;
    return lines;
  },
};

const [first = "100", task] = process.argv.slice(2);
if (task !== undefined) {
  const from = process.cpuUsage();
  const count = await TASKS[task](first);
  const { user, system } = process.cpuUsage(from);
  console.log(JSON.stringify({ count, seconds: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }));
} else {
  const folder = mkdtempSync(join(tmpdir(), "espalier-bench-"));
  try {
    console.log(`| ${first} MB | messages or lines | s of CPU | peak memory, MB |\n| --- | --- | --- | --- |`);
    for (const [name, records] of Object.entries(LOGS)) {
      const file = join(folder, `${name}.jsonl`);
      await write(file, records(), Number(first) * 1e6);
      for (const one of Object.keys(TASKS)) {
        const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), file, one], {
          encoding: "utf8",
        });
        if (stdout === "") throw new Error(stderr);
        const { count, seconds, peak } = JSON.parse(stdout);
        console.log(`| ${name}: ${one} | ${count.toLocaleString("en")} | ${seconds.toFixed(2)} | ${peak.toFixed(0)} |`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
