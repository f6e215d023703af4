/** The part of the engine that comes late: for changed code, outlines and maps, and for nothing else. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Espalier from "../../../js/entries/node.ts";

const dist = fileURLToPath(new URL("../../../pkg/dist/", import.meta.url));
const CODE = "export function f() {\n  return 1;\n}\n";

/** The package's files without some, as a copy that goes with the test. */
function without(...missing: string[]): { folder: string; done(): void } {
  const folder = mkdtempSync(join(tmpdir(), "espalier-late-"));
  for (const name of readdirSync(dist)) {
    if (!missing.includes(name) && name !== "types") cpSync(join(dist, name), join(folder, name), { recursive: true });
  }
  return { folder, done: () => rmSync(folder, { recursive: true, force: true }) };
}

test("without it everything else works, and what needs it says so", async () => {
  const { folder, done } = without("late.js");
  try {
    const espalier = (await import(pathToFileURL(join(folder, "node.js")).href)) as typeof Espalier;
    const refused = { code: "wasm_not_found", message: /late\.js/ };
    await assert.rejects(espalier.outline(CODE, { language: "typescript" }), refused);
    await assert.rejects(espalier.repositoryMap([{ path: "a.ts", text: CODE }], { budget: 100 }), refused);
    await assert.rejects(espalier.reduceChanges({ files: [{ path: "a.ts", text: CODE, selections: [[0, 1]] }], budget: 100 }), refused);
    await assert.rejects(espalier.reduceCompatible({ files: [{ path: "a.ts", text: CODE, selections: [[0, 1]] }], budget: 100 }), refused);
    assert.equal((await espalier.summarizeDocument(CODE, { language: "typescript", budget: 100 })).text, CODE);
    assert.equal(espalier.parseDiff("--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n").length, 1);
    assert.ok(espalier.count(CODE) > 0);
  } finally {
    done();
  }
});

test("a host can pass it, compiled", async () => {
  const { folder, done } = without("late.js");
  try {
    const slim = (await import(pathToFileURL(join(folder, "slim.js")).href)) as typeof Espalier;
    const compiled = (name: string) => new WebAssembly.Module(readFileSync(join(folder, name)));
    const vocabulary = (name: string) => readFileSync(join(folder, "vocab", `${name}.vocab`));
    await assert.rejects(slim.init({ wasm: compiled("espalier.wasm"), late: new Uint8Array(9), vocabulary }), { code: "bad_wasm" });
    await assert.rejects(slim.outline(CODE, { language: "typescript" }), { code: "wasm_not_found" });
    await slim.init({ late: compiled("late.wasm"), vocabulary });
    assert.equal((await slim.outline(CODE, { path: "a.txt" })).basis.path, "indentation");
    // What is no such part, or of another build, is told when it is needed.
    const another = readFileSync(join(folder, "late.wasm"));
    const build = another.indexOf("~build-") + "~build-".length;
    another[build] = another[build] === 48 ? 49 : 48;
    for (const late of [compiled("grammars/tree-sitter-c.wasm"), another]) {
      const { folder: other, done: gone } = without("late.js");
      const wrong = (await import(pathToFileURL(join(other, "slim.js")).href)) as typeof Espalier;
      await wrong.init({ wasm: compiled("espalier.wasm"), late, vocabulary });
      await assert.rejects(wrong.outline(CODE, {}), { code: "bad_wasm", message: /one version/ });
      assert.ok(wrong.count(CODE) > 0);
      gone();
    }
  } finally {
    done();
  }
});

test("as CommonJS, and called by several at once", async () => {
  const espalier = createRequire(import.meta.url)(join(dist, "node.cjs")) as typeof Espalier;
  const made = await Promise.all([1, 2, 3].map(() => espalier.outline(CODE, { language: "typescript", lineNumbers: false })));
  assert.deepEqual(made.map(({ text }) => text.trim()), Array(3).fill("export function f()"));
});

test("it is one build with the engine: what it takes from it is there, and it takes nothing of JavaScript", () => {
  const names = (file: URL) => new WebAssembly.Module(readFileSync(file));
  const wasm = (name: string) => new URL(`../../../build/wasm/${name}.wasm`, import.meta.url);
  const given = new Set(WebAssembly.Module.exports(names(wasm("espalier"))).map(({ name }) => name));
  const taken = WebAssembly.Module.imports(names(wasm("late")));
  assert.ok(taken.length > 100);
  for (const { module, name } of taken) assert.ok(module === "core" && given.has(name), name);
});
