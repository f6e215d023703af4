/**
 * Tests the adapters of js/sdk on the real SDKs, with the packed package and the scripted model of tests/server.
 *
 *   node tests/sdk/run.mjs [NAME…]     all SDKs, or the named ones, such as `ai-sdk` or `langchain`
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packed } from "../../scripts/packed.mjs";
import { installSdks, linkPackages } from "./install.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..", "..");
const names = process.argv.slice(2);
const files = readdirSync(here).filter(
  (file) => file.endsWith(".test.mjs") && (names.length === 0 || names.some((name) => file.startsWith(name))),
);
if (files.length === 0) throw new Error(`There is no test of ${names.join(", ")}.`);

const { modules, ms } = installSdks();
console.log(ms > 0 ? `The SDKs were installed in ${(ms / 1000).toFixed(1)} s.` : "The SDKs are installed.");
const home = mkdtempSync(join(tmpdir(), "espalier-sdks-"));
try {
  const own = join(home, "node_modules");
  mkdirSync(join(own, "espalier"), { recursive: true });
  execFileSync("tar", ["-xzf", packed(), "-C", join(own, "espalier"), "--strip-components=1"]);
  linkPackages(modules, own);
  cpSync(here, join(home, "sdk"), { recursive: true });
  cpSync(join(root, "tests", "server"), join(home, "server"), { recursive: true });
  // Those of the package, for examples.test.mjs.
  cpSync(join(own, "espalier", "examples"), join(home, "examples"), { recursive: true });
  const types = names.length > 0 || typesFit(join(home, "sdk"));
  // In one process: it takes 3 s to load all SDKs, which most files do.
  const code = files.map((file) => `await import("./sdk/${file}");`).join("\n");
  const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: home,
    stdio: "inherit",
    env: { ...process.env, NODE_ENV: undefined, NODE_OPTIONS: undefined },
  });
  process.exitCode = types ? (status ?? 1) : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Type-checks types.ts against the SDKs. */
function typesFit(folder) {
  const options =
    "--noEmit --strict --target es2022 --lib es2023,dom,dom.iterable,esnext.disposable --module esnext --moduleResolution bundler";
  const flags = [...options.split(" "), "--skipLibCheck", "--types", "node"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), ...flags, join(folder, "types.ts")],
    { cwd: folder, encoding: "utf8" },
  );
  console.log(status === 0 ? "ok     types.ts" : `FAILED types.ts\n${stdout}`);
  return status === 0;
}
