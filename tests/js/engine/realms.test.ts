/** Bytes of another realm, as in the test environment jsdom, whose classes are not those of Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { espalier } from "../built.ts";

test("the engine and a grammar may be compiled modules of another realm", async () => {
  const dist = new URL("../../../pkg/dist/", import.meta.url);
  const compiled = (name: string) =>
    runInNewContext("new WebAssembly.Module(bytes)", {
      bytes: readFileSync(new URL(name, dist)),
    }) as WebAssembly.Module;
  const engine = compiled("espalier.wasm");
  assert.equal(engine instanceof WebAssembly.Module, false);
  const loads: ((core: typeof espalier) => unknown)[] = [
    (core) => core.initFrom(engine),
    (core) => core.initSync(engine),
    (core) => core.init({ wasm: engine, encodings: [] }),
  ];
  for (const [number, load] of loads.entries()) {
    const core = (await import(`${new URL("core.js", dist).href}?realm=${number}`)) as typeof espalier;
    await load(core);
    assert.equal(core.isReady(), true);
  }
  espalier.loadGrammarSync("python", compiled("grammars/tree-sitter-python.wasm"));
  const { root } = espalier.documentStructureSync("def f():\n    pass\n", { path: "a.py" });
  assert.equal(root.children[0]?.kind, "function_definition");
});

test("a vocabulary and a picture may be bytes of another realm", async () => {
  const file = new URL("../../../pkg/dist/vocab/cl100k_base.vocab", import.meta.url);
  const copied = (bytes: Uint8Array) =>
    runInNewContext("Uint8Array.from(bytes)", { bytes: Array.from(bytes) }) as Uint8Array;
  const bytes = copied(readFileSync(file));
  assert.equal(bytes instanceof Uint8Array, false);
  espalier.loadEncodingSync("cl100k_base", bytes);
  await espalier.loadEncoding("cl100k_base", bytes.buffer as ArrayBuffer);
  assert.equal(espalier.count("Hello world!", { encoding: "cl100k_base" }), 3);
  const picture = { type: "file", mediaType: "image/png", data: copied(new Uint8Array(64)) };
  const counted = (data: Uint8Array) =>
    espalier.countMessages([{ role: "user", content: [{ ...picture, data }] }], { format: "ai-sdk" }).total;
  assert.equal(counted(picture.data), counted(new Uint8Array(64)));
});
