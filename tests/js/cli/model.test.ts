/** `compact --llm` against a server: what the model is sent, and what the report says of it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { CLI } from "../command.ts";
import { temporaryFolder } from "../folder.ts";

const home = temporaryFolder();
const words = (seed: number) => Array.from({ length: 900 }, (_, at) => `word${(at * 7 + seed) % 97}`).join(" ");

/** Compacts with a model of this name, and returns the size of its requests and the report. */
async function compacted(model: string): Promise<{ sizes: number[]; stderr: string }> {
  const sizes: number[] = [];
  const server = createServer(async (request, response) => {
    let size = 0;
    for await (const piece of request) size += (piece as Buffer).length;
    sizes.push(size);
    const message = { role: "assistant", content: "<summary>Words were said.</summary>" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  }).listen(0);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const flags = [
    "-b",
    "8k",
    "--llm",
    `openai:${model}`,
    "--base-url",
    `http://127.0.0.1:${port}/v1`,
    "-o",
    "short.json",
  ];
  const child = spawn(process.execPath, [...CLI, "compact", "long.json", ...flags], { cwd: home });
  let stderr = "";
  child.stderr.on("data", (piece) => {
    stderr += String(piece);
  });
  await once(child, "close");
  server.close();
  return { sizes, stderr };
}

test("a model gets what its window holds, and the report says what it was not shown", async () => {
  const messages = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: words(at),
  }));
  writeFileSync(join(home, "long.json"), JSON.stringify(messages));
  const whole = JSON.stringify(messages).length;
  const named = await compacted("gpt-3.5-turbo");
  assert.ok(
    named.sizes.length > 0 && named.sizes.every((size) => size < whole / 2),
    `${named.sizes.join()} of ${whole}: ${named.stderr}`,
  );
  assert.match(named.stderr, /\n {2}model: .*\n {2}not shown to the model: [\d,]+ tokens \(\d+ messages left out\)/);
  const unknown = await compacted("a-model-of-ours");
  assert.ok(unknown.sizes[0]! > whole * 0.8, unknown.sizes.join());
  assert.doesNotMatch(unknown.stderr, /not shown/);
});
