import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WANTED } from "../wanted.js";

export default async function check({ folder, dist, ran, titleIn }) {
  await ran("node", ["build.js"]);
  // Rollup leaves files to the host, or to a plugin.
  cpSync(join(folder, "index.html"), join(folder, "page", "index.html"));
  cpSync(join(dist, "espalier.wasm"), join(folder, "page", "espalier.wasm"));
  cpSync(join(dist, "vocab"), join(folder, "page", "vocab"), { recursive: true });
  cpSync(join(dist, "grammars", "tree-sitter-typescript.wasm"), join(folder, "page", "tree-sitter-typescript.wasm"));
  assert.equal(await titleIn(join(folder, "page")), WANTED);

  writeFileSync(join(folder, "alone", "index.html"), '<!doctype html><script type="module" src="alone.js"></script>');
  assert.match(await titleIn(join(folder, "alone")), /^3 3 true applied indentation/);

  const moved = join(folder, "..", "rollup-moved");
  mkdirSync(moved);
  cpSync(join(folder, "node", "server.js"), join(moved, "server.mjs"));
  assert.match(await ran("node", ["server.mjs"], { cwd: moved }), /^3 3 true applied /);
}
