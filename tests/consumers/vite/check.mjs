import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { WANTED } from "../wanted.js";

export default async function check({ folder, bin, ran, titleIn, titleAt, filesIn }) {
  await ran("vite", ["build", "--logLevel", "warn"]);
  assert.equal(await titleIn(join(folder, "dist")), WANTED);
  assert.deepEqual(
    grammarsIn(filesIn(join(folder, "dist"))),
    ["tree-sitter-typescript"],
    "only the grammar that was imported is emitted",
  );

  // A page that only counts.
  cpSync(join(folder, "count.html"), join(folder, "count", "index.html"));
  cpSync(join(folder, "count.js"), join(folder, "count", "count.js"));
  await ran("vite", ["build", "count", "--outDir", "out", "--logLevel", "warn"]);
  assert.equal(await titleIn(join(folder, "count", "out")), "3");
  assert.deepEqual(grammarsIn(filesIn(join(folder, "count", "out"))), [], "no grammar is emitted");

  // A server in one file, moved to a folder of its own.
  await ran("vite", ["build", "--ssr", "server.js", "--outDir", "ssr", "--logLevel", "warn"], {
    env: { VITE_SSR_ALL: "1" },
  });
  const alone = join(folder, "..", "vite-moved");
  mkdirSync(alone);
  cpSync(join(folder, "ssr"), alone, { recursive: true });
  assert.match(await ran("node", ["server.js"], { cwd: alone }), /^3 3 true applied /);

  assert.equal(await dev(bin("vite"), folder, titleAt), WANTED);
}

const grammarsIn = (files) => Object.keys(files).flatMap((name) => /tree-sitter-[a-z-]+(?=-)/.exec(name)?.[0] ?? []);

/** Loads the page from the development server, with dependencies bundled beforehand. */
async function dev(vite, folder, titleAt) {
  const server = spawn(vite, ["--port", "0", "--strictPort", "false"], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1" },
  });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = "";
      const read = (text) => {
        said += text;
        const found = /http:\/\/localhost:\d+\//.exec(said);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.once("exit", () => reject(new Error(said)));
    });
    return await titleAt(url);
  } finally {
    server.kill();
  }
}
