import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { WANTED } from "../wanted.js";

const WITHOUT_GRAMMAR =
  /^3 3 true applied indentation \(grammarFailed: grammar_not_found: The grammar of typescript was not found: .*import "espalier\/grammars\/typescript"/;

export default async function check({ folder, dist, ran, titleIn, filesIn }) {
  const bundle = (entry, out, options) =>
    build({
      absWorkingDir: folder,
      entryPoints: [entry],
      bundle: true,
      target: "es2022",
      outfile: join(folder, out),
      logLevel: "error",
      minify: true,
      ...options,
    });

  // A page: esbuild leaves files to the host.
  await bundle("main.js", "page/main.js", { format: "esm", platform: "browser" });
  cpSync(join(folder, "index.html"), join(folder, "page", "index.html"));
  cpSync(join(dist, "espalier.wasm"), join(folder, "page", "espalier.wasm"));
  cpSync(join(dist, "vocab"), join(folder, "page", "vocab"), { recursive: true });
  cpSync(join(dist, "grammars", "tree-sitter-typescript.wasm"), join(folder, "page", "tree-sitter-typescript.wasm"));
  assert.equal(await titleIn(join(folder, "page")), WANTED);

  // A classic script in another folder than its page. esbuild warns that it has no `import.meta`.
  const classic = join(folder, "page", "scripts");
  await bundle("script.js", "page/scripts/script.js", {
    platform: "browser",
    logOverride: { "empty-import-meta": "silent" },
  });
  cpSync(join(dist, "espalier.wasm"), join(classic, "espalier.wasm"));
  cpSync(join(dist, "vocab"), join(classic, "vocab"), { recursive: true });
  const grammar = "grammars/tree-sitter-typescript.wasm";
  cpSync(join(dist, grammar), join(classic, grammar));
  writeFileSync(join(folder, "page", "script.html"), '<!doctype html><script src="scripts/script.js"></script>');
  assert.equal(await titleIn(join(folder, "page"), { path: "script.html" }), WANTED);

  // One file for a page, as a classic script, under a policy that only allows WebAssembly, and under one that does not
  // allow it. Syntax is lowered as in Angular's builds.
  const supported = { "async-await": false, "object-rest-spread": false };
  await bundle("alone.js", "alone/alone.js", { format: "iife", platform: "browser", supported });
  writeFileSync(join(folder, "alone", "index.html"), '<!doctype html><script src="alone.js"></script>');
  assert.deepEqual(Object.keys(filesIn(join(folder, "alone"))), ["alone.js", "index.html"]);
  const alone = await titleIn(join(folder, "alone"), {
    headers: { "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" },
  });
  assert.match(alone, /^3 3 true applied indentation/);

  // A service worker cannot import anything later: a module knows where its files are, a classic script reports that it
  // does not.
  const serving = async (type, format) => {
    await bundle("service-worker.js", "page/service-worker.js", { format, platform: "browser" });
    writeFileSync(
      join(folder, "page", "index.html"),
      `<!doctype html><script type="module">
      const worker = navigator.serviceWorker;
      const controlled = new Promise((resolve) => worker.addEventListener("controllerchange", resolve));
      worker.register("/service-worker.js", { type: "${type}" }).then(() => controlled)
        .then(() => fetch("/answer")).then((response) => response.text()).catch(String).then((line) => (document.title = line));</script>`,
    );
    return titleIn(join(folder, "page"));
  };
  assert.equal(await serving("module", "esm"), WANTED);
  assert.match(await serving("classic", "iife"), /^wasm_not_found: .*import "espalier\/inline\/o200k_base"/i);

  // One file for Node, as a module and in CommonJS, moved, on a read-only disk.
  for (const [format, name] of [
    ["esm", "server.mjs"],
    ["cjs", "server.cjs"],
  ]) {
    const moved = join(folder, "..", `esbuild-${format}`);
    mkdirSync(moved);
    await bundle("server.js", name, { format, platform: "node" });
    cpSync(join(folder, name), join(moved, name));
    // Node itself refuses each write, even for root.
    const readOnly = [
      process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission",
      "--allow-fs-read=*",
    ];
    assert.match(await ran("node", [...readOnly, name], { cwd: moved }), WITHOUT_GRAMMAR);
    for (const place of ["grammars", "."]) {
      const grammar = join(moved, place, "tree-sitter-typescript.wasm");
      cpSync(join(dist, "grammars", "tree-sitter-typescript.wasm"), grammar);
      assert.equal((await ran("node", [...readOnly, name], { cwd: moved })).trim(), WANTED, `${format} ${place}`);
      rmSync(grammar);
    }
  }

  // An extension for the desktop: one copy of every class, and files of its own.
  await bundle("extension.js", "extension/extension.cjs", { format: "cjs", platform: "node", external: ["vscode"] });
  const use = `require("./extension.cjs").activate(__dirname).then((line) => console.log(line));`;
  writeFileSync(join(folder, "extension", "host.cjs"), use);
  assert.match(await ran("node", ["host.cjs"], { cwd: join(folder, "extension") }), / true true true$/);

  // An extension for the web: a worker that has no files. The error names the missing file; one import fixes it.
  await bundle("alone.js", "web/inline.js", { format: "cjs", platform: "browser" });
  await bundle("web-extension.js", "web/default.js", { format: "cjs", platform: "browser" });
  writeFileSync(
    join(folder, "web", "index.html"),
    `<!doctype html><script>
    const said = (file) => new Promise((resolve) => (new Worker(file).onmessage = ({ data }) => resolve(data)));
    Promise.all([said("inline.js"), said("default.js")]).then((lines) => (document.title = lines.join(" | ")));</script>`,
  );
  const [inline, byDefault] = (await titleIn(join(folder, "web"))).split(" | ");
  assert.match(inline, /^3 3 true applied indentation/);
  assert.match(byDefault, /^wasm_not_found: .*import "espalier\/inline\/o200k_base"/i);
}
