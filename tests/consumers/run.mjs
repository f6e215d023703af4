/**
 * Tests the packed package in other projects' builds. Each folder here is a project with exact versions; its
 * `check.mjs` builds and runs the project, and throws if a result is wrong.
 *
 *   node tests/consumers/run.mjs [--all] [NAME…]
 *
 * Without a name the consumers run that install little; `--all` adds the rest (Next.js, runtimes), which download some
 * hundred MB.
 */

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packed } from "../../scripts/packed.mjs";
import { serve } from "../../scripts/serve.mjs";
import { titleAt } from "../www/browser.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..", "..");
const home = mkdtempSync(join(tmpdir(), "espalier-consumers-"));
const args = process.argv.slice(2);
const chosen = args.filter((arg) => !arg.startsWith("--"));
const projects = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, ...manifest(name).espalier }));
const unknown = chosen.find((name) => !projects.some((project) => project.name === name));
if (unknown)
  throw new Error(`There is no consumer ${unknown}; there are ${projects.map(({ name }) => name).join(", ")}.`);

function manifest(name) {
  return JSON.parse(readFileSync(join(here, name, "package.json"), "utf8"));
}

function run(command, list, { cwd, env, input } = {}) {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...process.env, NODE_ENV: undefined, NODE_OPTIONS: undefined, ...env },
      maxBuffer: 1 << 28,
      timeout: 300_000,
    };
    const child = execFile(command, list, options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr }),
    );
    child.stdin.end(input ?? "");
  });
}

/**
 * Returns the title that a served page sets in Chromium. `headers` are sent with every file; `html` is the page, if the
 * folder has none.
 */
async function titleIn(folder, { headers = {}, path = "" } = {}) {
  const { url, close } = await serve(folder, 0, (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return false;
  });
  try {
    return await titleAt(url + path);
  } finally {
    close();
  }
}

/** Returns the files below a folder, with `/`, and their bytes. */
function filesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [name.replaceAll("\\", "/"), statSync(join(folder, name)).size]).sort(),
  );
}

function npm(list, cwd) {
  return execFileSync("npm", list, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Copies the project into a folder of its own, with its dependencies and the packed package. */
function install(name) {
  const folder = join(home, name);
  cpSync(join(here, name), folder, { recursive: true });
  for (const file of ["use.js", "wanted.js"]) cpSync(join(here, file), join(folder, file));
  const wanted = manifest(name);
  wanted.dependencies = { ...wanted.dependencies, espalier: `file:${packed()}` };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted, null, 2));
  const scripts = wanted.espalier?.scripts ? [] : ["--ignore-scripts"];
  npm(["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", ...scripts], folder);
  return folder;
}

let failed = 0;
let passed = 0;
try {
  for (const { name, slow } of projects) {
    if (chosen.length > 0 ? !chosen.includes(name) : slow && !args.includes("--all")) continue;
    const start = Date.now();
    try {
      const folder = install(name);
      const installed = Date.now();
      const bin = (command) =>
        [join(folder, "node_modules", ".bin"), join(root, "node_modules", ".bin")]
          .map((path) => join(path, command))
          .find(existsSync);
      const { default: check } = await import(new URL(`${name}/check.mjs`, import.meta.url));
      /** Runs a command of the project and returns its output; a failure throws with all its output. */
      const ran = async (command, list, options) => {
        const { code, stdout, stderr } = await run(command === "node" ? process.execPath : bin(command), list, {
          cwd: folder,
          ...options,
        });
        assert.equal(code, 0, `${command} ${list.join(" ")}: ${stdout}${stderr}`);
        return stdout.trim();
      };
      await check({
        folder,
        dist: join(folder, "node_modules", "espalier", "dist"),
        bin,
        run,
        ran,
        titleIn,
        titleAt,
        filesIn,
      });
      passed += 1;
      console.log(`ok   ${name} (installed in ${installed - start} ms, checked in ${Date.now() - installed} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack}${error.stderr ? `\n${error.stderr}` : ""}`);
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
