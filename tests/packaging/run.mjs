/**
 * The packed package, installed into throw-away folders and used the ways people use it. Every case is a function; the
 * last line counts.
 */

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { packed } from "../../scripts/packed.mjs";
import { serve } from "../../scripts/serve.mjs";
import { launch, titleAt } from "../www/browser.mjs";
import { bundleCases } from "./bundles.mjs";
import { cliCases } from "./cli.mjs";
import { contentCases } from "./contents.mjs";
import { countCases } from "./count.mjs";
import { downloadCases } from "./download.mjs";
import { exampleCases } from "./examples.mjs";
import { functionsCases } from "./functions.mjs";
import { nodeCases } from "./node.mjs";
import { readmeCases } from "./readme.mjs";
import { sdkCases } from "./sdks.mjs";
import { typeCases } from "./types.mjs";
import { workspaceCases } from "./workspace.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const transcripts = join(root, "tests", "fixtures", "transcripts");
const home = mkdtempSync(join(tmpdir(), "espalier-packaging-"));
const consumer = join(home, "consumer");
const browser = await launch();

/** Runs a command; gives exit code and output, whatever they are. */
function run(command, args, { cwd = consumer, input, env } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
    child.stdin.end(input ?? "");
  });
}

async function node(file, code) {
  writeFileSync(join(consumer, file), code);
  const { code: status, stdout, stderr } = await run(process.execPath, [file]);
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

async function tsc(args, what = "") {
  const { code, stdout } = await run(join(root, "node_modules", ".bin", "tsc"), args);
  assert.equal(code, 0, `${what} ${stdout}`);
}

/** Type-checks code, by file name without ending, as modules of `import` and of `require`, without skipLibCheck. */
async function checkTypes(codes, options = ["--lib", "es2022,dom", "--types", ""]) {
  const files = Object.keys(codes).flatMap((name) =>
    ["mts", "cts"].map((ending) => join(consumer, `${name}.${ending}`)),
  );
  mkdirSync(dirname(files[0]), { recursive: true });
  Object.values(codes).forEach((code, at) => [0, 1].forEach((ending) => writeFileSync(files[2 * at + ending], code)));
  await tsc(["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", ...options, ...files]);
}

const espalier = (args, options) => run(join(consumer, "node_modules", ".bin", "espalier"), args, options);

function install() {
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", packed()], { cwd: consumer, stdio: "pipe" });
  console.log(`  ${(statSync(packed()).size / 1e6).toFixed(2)} MB packed`);
}

/** The title that a folder's page gives itself in Chromium. */
async function titleIn(folder) {
  const { url, close } = await serve(folder);
  return titleAt(url, browser).finally(close);
}

const tools = { browser, checkTypes, consumer, espalier, home, node, root, run, titleIn, transcripts, tsc };
const cases = Object.assign(
  {},
  ...[
    contentCases,
    nodeCases,
    typeCases,
    bundleCases,
    cliCases,
    countCases,
    downloadCases,
    exampleCases,
    functionsCases,
    readmeCases,
    sdkCases,
    workspaceCases,
  ].map((casesOf) => casesOf(tools)),
);

const only = process.argv.slice(2);
let failed = 0;
let passed = 0;
try {
  console.log("installing the packed package");
  install();
  for (const [name, work] of Object.entries(cases)) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    const start = Date.now();
    try {
      await work();
      passed += 1;
      console.log(`ok   ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
