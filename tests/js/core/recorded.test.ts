/**
 * What the package returns for the calls in `tests/fixtures/functions.json`, as hashes. `tests/web_functions.rs` makes
 * the same calls to the core's functions in Chrome and in Node, and compares. `ESPALIER_UPDATE=1` records anew.
 */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { core, neutral } from "./raw.ts";

interface Call {
  call: "prune" | "compact" | "render";
  /** The name of a conversation in `tests/fixtures/neutral`, or a tree. */
  input: any;
  options: Record<string, unknown>;
  /** What the model answers, if there is one. */
  reply?: string;
  hash?: string;
}

const FILE = new URL("../../fixtures/functions.json", import.meta.url);
const calls = JSON.parse(readFileSync(FILE, "utf8")) as Call[];

/** FNV-1a of the bytes, in 64 bits. */
function hash(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum.toString(16).padStart(16, "0");
}

async function result({ call, input, options, reply }: Call, side: "core" | "package"): Promise<unknown> {
  const llm = reply === undefined ? undefined : async () => reply;
  if (call === "render") {
    if (side === "core") return core.render(input, options);
    const { request, tokens, budget, format, removed } = await espalier.render(input, options as never);
    return { request, tokens, budget, format, removed };
  }
  const messages = neutral(input as string);
  if (call === "prune")
    return side === "core"
      ? core.prune(messages, options)
      : espalier.prune(messages, { format: "espalier", ...options });
  return side === "core"
    ? core.compact(messages, options, llm)
    : espalier.compact(messages, { format: "espalier", ...options, ...(llm && { llm }) } as never);
}

test("both sides return what is recorded", async () => {
  const hashes = await Promise.all(calls.map(async (call) => hash(JSON.stringify(await result(call, "package")))));
  if (process.env["ESPALIER_UPDATE"]) {
    const lines = calls.map((call, at) => `  ${JSON.stringify({ ...call, hash: hashes[at] })}`);
    writeFileSync(FILE, `[\n${lines.join(",\n")}\n]\n`);
    return;
  }
  for (const [at, call] of calls.entries()) {
    assert.equal(hashes[at], call.hash, `the package, ${JSON.stringify(call)}`);
    assert.equal(hash(JSON.stringify(await result(call, "core"))), call.hash, `the core, ${JSON.stringify(call)}`);
  }
});
