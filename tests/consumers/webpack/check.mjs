import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WANTED } from "../wanted.js";

export default async function check({ folder, ran, titleIn, filesIn }) {
  const build = async (entry, target = "web") => {
    const out = join(folder, "out", entry);
    mkdirSync(out, { recursive: true });
    await ran("node", ["build.js", entry, out, target]);
    if (target !== "node")
      writeFileSync(join(out, "index.html"), `<!doctype html><script type="module" src="main.js"></script>`);
    return out;
  };
  const names = (out) => Object.keys(filesIn(out)).filter((name) => !/\.(js|html)$/.test(name));
  const main = await build("main");
  assert.equal(await titleIn(main), WANTED);
  assert.equal(names(main).length, 4, "the engine, two vocabularies, one grammar");
  // A page that is an ES module: the build has no warning, and imports nothing of Node.
  assert.doesNotMatch(readFileSync(join(await build("main", "module"), "main.js"), "utf8"), /node:module/);
  const count = await build("count");
  assert.equal(await titleIn(count), "3");
  assert.equal(names(count).length, 3, "the engine and two vocabularies");

  const extension = await build("extension", "node");
  assert.equal(await ran("node", ["host.cjs", join(extension, "main.js")]), "true");

  const server = await build("server", "node");
  assert.deepEqual(names(server), []);
  const moved = join(folder, "..", "webpack-moved");
  cpSync(server, moved, { recursive: true });
  assert.match(await ran("node", ["main.js"], { cwd: moved }), /^3 3 true applied /);
}
