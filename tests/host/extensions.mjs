/** Builds the packed package into extensions, as their authors would. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { build, cached, fail, hash, root, run } from "../../scripts/lib.mjs";
import { packed } from "../../scripts/packed.mjs";

const here = join(root, "tests", "host");
const SOURCES = ["extension", "plain", "driver", "chat-host"];
/** What is written last. */
const LAST = "example/package.json";
const INPUTS = ["pkg", "package-lock.json", "examples/vscode-extension", "tests/host/extensions.mjs"];

/**
 * Builds them into folders of `build/host/NAME`, for the web or for Node, and checks types, unless they are current;
 * returns the folder that contains them, by name.
 */
export async function extensions(platform) {
  const home = join(build, "host", platform);
  const made = join(home, "ext");
  const inputs = hash([...INPUTS, ...SOURCES.map((name) => `tests/host/${name}`)]);
  await cached(`host-${platform}`, inputs, [join(made, LAST)], () => buildInto(home, made, platform));
  return made;
}

async function buildInto(home, made, platform) {
  const source = join(home, "source");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });

  // The packed package beside copies of the sources, as in an author's folder.
  for (const name of SOURCES) cpSync(join(here, name), join(source, name), { recursive: true });
  cpSync(join(root, "examples", "vscode-extension"), join(source, "example"), { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "extensions", private: true }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", packed()], {
    cwd: source,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const name of ["extension", "example"]) run("tsc", ["--project", join(source, name, "tsconfig.json")]);
  run(process.execPath, ["build.mjs"], { cwd: join(source, "example") });

  await bundles(platform, source, made);
}

async function bundles(platform, source, made) {
  const bundle = (entry, outfile, define = {}) =>
    esbuild({
      absWorkingDir: source,
      entryPoints: [entry],
      outfile: join(made, outfile),
      bundle: true,
      format: "cjs",
      platform,
      target: "es2022",
      external: ["vscode"],
      jsx: "automatic",
      jsxImportSource: "espalier",
      logLevel: "error",
      define,
    });
  const file = "extension/dist/extension.js";
  await bundle("extension/src/extension.ts", file);
  const code = readFileSync(join(made, file), "utf8");
  if (/\beval\(|\bnew Function\(/.test(code)) fail("the bundle makes code of text");
  if (platform === "browser") {
    const wanted = [...code.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name);
    if (wanted.some((name) => name !== "vscode"))
      fail(`the bundle asks for more than vscode: ${[...new Set(wanted)].join(", ")}`);
    for (const suite of ["first", "second"])
      await bundle("extension/src/run.ts", `extension/dist/${suite}.js`, { SUITE: JSON.stringify(suite) });
    await bundle("plain/plain.tsx", "plain/dist/plain.js");
    cpSync(join(here, "plain", "package.json"), join(made, "plain", "package.json"));
  } else {
    await bundle("driver/driver.ts", "driver/dist/driver.js", { SUITE: "undefined" });
    cpSync(join(here, "driver", "package.json"), join(made, "driver", "package.json"));
  }
  writeManifest("extension", "extension", platform, made);
  await bundle("chat-host/src/chat-host.ts", "chat-host/dist/chat-host.js");
  writeManifest("chat-host", "chat-host", platform, made);
  const dist = join(source, "node_modules", "espalier", "dist");
  for (const name of [
    "espalier.wasm",
    "vocab/o200k_base.vocab",
    "grammars/tree-sitter-typescript.wasm",
    "grammars/tree-sitter-python.wasm",
  ]) {
    cpSync(join(dist, name), join(made, "extension", "assets", name.split("/").at(-1)));
  }
  for (const name of ["dist", "assets", "media", "package.json"])
    cpSync(join(source, "example", name), join(made, "example", name), { recursive: true });
  console.log(`  the extension's bundle: ${(code.length / 1e6).toFixed(2)} MB`);
}

/** Writes the manifest of an extension whose bundle is for one kind of host. */
function writeManifest(name, file, platform, made) {
  const manifest = JSON.parse(readFileSync(join(here, name, "package.json"), "utf8"));
  const entry = { [platform === "browser" ? "browser" : "main"]: `./dist/${file}.js` };
  writeFileSync(join(made, name, "package.json"), JSON.stringify({ ...manifest, ...entry }));
}

/** Prints a window's report; returns how many cases passed and failed. */
export function print({ suite, version, cold, outcomes }, host, ms) {
  console.log(`\nVS Code ${version}, ${host}, ${suite} activation (${(ms / 1000).toFixed(1)} s)`);
  if (cold)
    console.log(
      `  engine and vocabulary ready after ${cold.compiled.toFixed(0)} ms, the first count after ${cold.counting.toFixed(1)} ms more`,
    );
  for (const { name, ms, notes, error } of outcomes) {
    console.log(`${error ? "FAIL" : "ok  "} ${name} (${ms} ms)${error ? `\n${error}` : ""}`);
    for (const note of notes) console.log(`     ${note}`);
  }
  const failed = outcomes.filter(({ error }) => error).length;
  return { passed: outcomes.length - failed, failed };
}
