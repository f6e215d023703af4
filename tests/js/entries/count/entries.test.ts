/** The entries of `espalier/count`: what each finds by itself, and that its engine is its own. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dist, entry } from "./built.ts";
import type { Count } from "./built.ts";

const bytes = (name: string) => new Uint8Array(readFileSync(new URL(name, dist)));

/** What a script prints in a process of its own; `reads` are the files that it read with `readFileSync`. */
function run(code: string): unknown {
  const watch = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    const reads = []; const real = fs.readFileSync; fs.readFileSync = (...given) => (reads.push(String(given[0]).split("/").pop()), real(...given)); syncBuiltinESMExports();
    const load = (file) => import(new URL(file, ${JSON.stringify(dist.href)}));
    const code = async (work) => { try { return await work(); } catch (error) { return error.code; } };\n`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", watch + code], { encoding: "utf8" }));
}

test("Node reads the small engine and one vocabulary, when they are first used", () => {
  const answer = run(`const { count, isReady } = await load("count-node.js"); const before = [isReady(), ...reads];
    console.log(JSON.stringify([before, count("Hello world!"), reads]));`);
  assert.deepEqual(answer, [[false], 3, ["count.wasm", "o200k_base.vocab"]]);
});

test("an entry with a vocabulary reads nothing at all; another vocabulary is named where it is missing", () => {
  const answer = run(`const { count, encode, init } = await load("count-o200k_base.js"); await init();
    const missing = await code(() => count("x", { model: "gpt-4" }));
    const other = await load("count-cl100k_base.js");
    console.log(JSON.stringify([count("Hello world!"), [...encode("Hello")], missing, other.count("Hello world!", { model: "gpt-4" }), count("x", { encoding: "cl100k_base" }), reads]));`);
  assert.deepEqual(answer, [3, [13225], "encoding_not_loaded", 3, 1, []]);
});

test("a platform that compiles no bytes takes a compiled module, and the vocabulary is inside", () => {
  const answer = run(`const wasm = await WebAssembly.compile(real(new URL("count.wasm", ${JSON.stringify(dist.href)})));
    void Response; const refuse = () => { throw new WebAssembly.CompileError("Wasm code generation disallowed by embedder"); };
    WebAssembly.compile = refuse; WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: refuse });
    const { count, init } = await load("count-o200k_base.js"); const alone = await code(() => count("x"));
    await init({ wasm }); console.log(JSON.stringify([alone, count("Hello world!")]));`);
  assert.deepEqual(answer, ["wasm_blocked", 3]);
});

test("the entry without files takes vocabularies as bytes", () => {
  const answer =
    run(`const { count, loadEncodingSync } = await load("count-inline.js"); const missing = await code(() => count("x"));
    loadEncodingSync("o200k_base", real(new URL("vocab/o200k_base.vocab", ${JSON.stringify(dist.href)})));
    console.log(JSON.stringify([missing, count("Hello world!"), reads]));`);
  assert.deepEqual(answer, ["encoding_not_loaded", 3, []]);
});

test("the web entry fetches its own two files unless they are given", () => {
  const answer =
    run(`const asked = []; globalThis.fetch = async (url) => { asked.push(String(url).split("/").pop()); return new Response(real(new URL(url))); };
    process.getBuiltinModule = undefined;
    const { count, init } = await load("count-web.js"); const early = await code(() => count("x"));
    await init(); await init({ encodings: ["cl100k_base"] });
    console.log(JSON.stringify([early, count("Hello world!"), count("Hello world!", { model: "gpt-4" }), asked]));`);
  assert.deepEqual(answer, ["not_initialized", 3, 3, ["o200k_base.vocab", "count.wasm", "cl100k_base.vocab"]]);
});

test("the two engines share nothing: what one loads, the other lacks", () => {
  const answer = run(`const small = await load("count-inline.js"); const whole = await load("slim.js");
    small.loadEncodingSync("o200k_base", real(new URL("vocab/o200k_base.vocab", ${JSON.stringify(dist.href)})));
    console.log(JSON.stringify([small.count("Hello world!"), await code(() => whole.count("x")), whole.isReady(), small.hasEncoding("o200k_base"), whole.hasEncoding("o200k_base")]));`);
  assert.deepEqual(answer, [3, "not_initialized", false, true, false]);
});

test("a crash costs one call; the next one finds the same vocabularies", async () => {
  type Core = Count & { call<T>(run: () => T): T; wasm(): { __panicForTests(): void } };
  const core = (await entry("count-core.js", "crash")) as Core;
  core.initSync(bytes("count.wasm"));
  core.loadEncodingSync("o200k_base", bytes("vocab/o200k_base.vocab"));
  assert.equal(core.count("Hello world!"), 3);
  assert.throws(() => core.call(() => core.wasm().__panicForTests()), { code: "engine_crashed" });
  assert.deepEqual([...core.encode("Hello world!")], [13225, 2375, 0]);
});

test("the wrong engine is refused, and the error names the way out", async () => {
  const core = await entry("count-core.js", "wrong");
  assert.throws(() => core.initSync(bytes("espalier.wasm")), { code: "bad_wasm" });
  await assert.rejects(core.initFrom("http://127.0.0.1:9/count.wasm"), {
    code: "wasm_not_found",
    message: /"espalier\/count\/o200k_base"/,
  });
  core.initSync(bytes("count.wasm"));
  assert.ok(core.isReady());
});
