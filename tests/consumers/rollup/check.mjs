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

  // A worker without `require`, which Rollup's CommonJS calls to find the address of a module that asks for it.
  writeFileSync(
    join(folder, "web", "index.html"),
    `<!doctype html><script>
    const said = (file) => new Promise((resolve) => {
      const worker = new Worker(file);
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => resolve(message);
    });
    Promise.all([said("alone.js"), said("web-extension.js")]).then((lines) => (document.title = lines.join(" | ")));
    </script>`,
  );
  const [inline, byDefault] = (await titleIn(join(folder, "web"))).split(" | ");
  assert.match(inline, /^3 3 true applied indentation/);
  assert.match(byDefault, /^wasm_not_found: .*import "espalier\/inline\/o200k_base"/i);

  const moved = join(folder, "..", "rollup-moved");
  mkdirSync(moved);
  cpSync(join(folder, "node", "server.js"), join(moved, "server.mjs"));
  assert.match(await ran("node", ["server.mjs"], { cwd: moved }), /^3 3 true applied /);
}
