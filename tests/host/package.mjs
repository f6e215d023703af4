/**
 * Packages the example with vsce, as for the marketplace: nothing to complain about, only the files that it needs, and
 * less than 3 MB. `node tests/host/package.mjs`, after `npm run build`.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, fail, root, run, tools } from "../../scripts/lib.mjs";
import { step } from "../../scripts/lib.mjs";
import { extensions } from "./extensions.mjs";

const MAX_BYTES = 3_000_000;
const FILES = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "assets/THIRD-PARTY.md",
  "assets/espalier.wasm",
  "assets/o200k_base.vocab",
  "assets/workspace.wasm",
  "dist/days.js",
  "dist/extension.js",
  "dist/web.js",
  "media/icon.png",
  "media/sent.css",
  "package.json",
];

const manifest = JSON.parse(readFileSync(join(root, "examples", "vscode-extension", "package.json"), "utf8"));
const version = manifest.devDependencies["@vscode/vsce"];
const prefix = join(tools, `vsce-${version}`);
await step(`vsce ${version} (130 MB from npm, once)`, () => {
  if (existsSync(join(prefix, "whole"))) return "current";
  mkdirSync(prefix, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save"];
  run("npm", ["install", "--prefix", prefix, ...flags, `@vscode/vsce@${version}`]);
  mkdirSync(join(prefix, "whole"));
  return undefined;
});

const made = await extensions("browser");
const folder = join(dirname(made), "source", "example");
const vsce = (...args) => {
  const found = spawnSync(process.execPath, [join(prefix, "node_modules", "@vscode", "vsce", "vsce"), ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (found.status !== 0) fail(`vsce ${args.join(" ")} failed:\n${found.stdout}${found.stderr}`);
  return found;
};

const listed = vsce("ls", "--no-dependencies").stdout.trim().split("\n").toSorted();
assert.deepEqual(listed, FILES, "the files of the package");
const file = join(build, "host", "espalier-example.vsix");
const { stdout, stderr } = vsce("package", "--no-dependencies", "--allow-missing-repository", "--out", file);
assert.doesNotMatch(`${stdout}${stderr}`, /warn|error/i, "vsce complains");
const { size } = statSync(file);
assert.ok(size < MAX_BYTES, `the package has ${size} bytes`);
console.log(`ok   packaged: ${(size / 1e6).toFixed(2)} MB, ${listed.length} files`);
