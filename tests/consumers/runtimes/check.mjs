import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { WANTED } from "../wanted.js";

export default async function check({ folder, bin, ran, run }) {
  assert.equal(
    await ran("deno", ["run", "--no-prompt", "--allow-read", "--node-modules-dir=manual", "server.js"]),
    WANTED,
  );
  const denied = await run(bin("deno"), ["run", "--no-prompt", "--node-modules-dir=manual", "server.js"], {
    cwd: folder,
  });
  assert.match(denied.stderr, /Deno has no permission to read it: pass --allow-read/);

  assert.equal(await ran("bun", ["server.js"]), WANTED);
  const alone = join(folder, "..", "bun-alone");
  mkdirSync(alone);
  await ran("bun", ["build", "--compile", "server.js", "--outfile", join(alone, "server")]);
  const { stdout, stderr } = await run(join(alone, "server"), [], { cwd: alone });
  assert.match(stdout, /^3 3 true applied /, stderr);

  assert.equal(await inWorkerd("worker.js", ["espalier.wasm", "tree-sitter-typescript.wasm"]), WANTED);
  assert.equal(await inWorkerd("count-worker.js", ["count.wasm"]), "3 3");

  /** Returns a worker's answer, bundled as wrangler does it: the modules of wasm stay beside the script. */
  async function inWorkerd(entry, modules) {
    const out = join(folder, entry.replace(".js", ""));
    const wasm = {
      name: "wasm",
      setup(b) {
        b.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
          cpSync(join(resolveDir, path), join(out, basename(path)));
          return { path: `./${basename(path)}`, external: true };
        });
      },
    };
    mkdirSync(out);
    await build({
      absWorkingDir: folder,
      entryPoints: [entry],
      bundle: true,
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      outfile: join(out, "worker.js"),
      plugins: [wasm],
      logLevel: "error",
    });
    writeFileSync(
      join(out, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [(name = "main", worker = (compatibilityDate = "2026-01-01", modules = [
          (name = "worker.js", esModule = embed "worker.js"),
          ${modules.map((name) => `(name = "${name}", wasm = embed "${name}"),`).join("\n          ")}
        ]))],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
      );`,
    );
    const server = spawn(bin("workerd"), ["serve", "config.capnp", "--control-fd=3"], {
      cwd: out,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    try {
      const port = await new Promise((resolve, reject) => {
        let said = "";
        server.stdio[3].on("data", (text) => /"port":(\d+)/.test(text) && resolve(/"port":(\d+)/.exec(text)[1]));
        server.stderr.on("data", (text) => (said += text));
        server.once("exit", () => reject(new Error(said)));
      });
      return await (await fetch(`http://127.0.0.1:${port}/`)).text();
    } finally {
      server.kill();
    }
  }
}
