/**
 * The packed package inside a real VS Code: an extension with `espalier` in its bundle, activated in the web extension host, twice, the second
 * time with what the first one stored. What is built for it stays in `build/host`.
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { build as out, fail, root, run } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/serve.mjs";
import { codeOssFolder, setUpHost } from "../../scripts/setup.mjs";
import { launch } from "../www/browser.mjs";

const home = join(out, "host");
const here = join(root, "tests", "host");
const example = join(root, "examples", "vscode-extension");
const site = join(home, "site");
const source = join(home, "source");

/** The packed package beside copies of the sources, as in an author's folder; then types, then bundles. */
async function extensions() {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const packed = JSON.parse(npm(["pack", "--json", "--pack-destination", home], join(root, "pkg")));
  // npm 11 gives a list, older and newer ones an object by name.
  const { filename } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0];
  for (const name of ["extension", "plain"]) cpSync(join(here, name), join(source, name), { recursive: true });
  cpSync(example, join(source, "example"), { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "extensions", private: true }));
  npm(["install", "--offline", "--no-audit", "--no-fund", join(home, filename)], source);
  for (const name of ["extension", "example"]) run("tsc", ["--project", join(source, name, "tsconfig.json")]);
  run(process.execPath, ["build.mjs"], { cwd: join(source, "example") });

  const bundle = (entry, outfile, define = {}) => esbuild({
    absWorkingDir: source, entryPoints: [entry], outfile: join(site, "ext", outfile), bundle: true, format: "cjs", platform: "browser", target: "es2022", external: ["vscode"],
    jsx: "automatic", jsxImportSource: "espalier", logLevel: "error", define,
  });
  await bundle("extension/src/extension.ts", "extension/dist/extension.js");
  for (const suite of ["first", "second"]) await bundle("extension/src/run.ts", `extension/dist/${suite}.js`, { SUITE: JSON.stringify(suite) });
  // An ES module in a CommonJS bundle has no address of its own, of which esbuild warns; that is what is tried.
  await bundle("plain/plain.tsx", "plain/dist/plain.js", {});
  const bundled = readFileSync(join(site, "ext", "extension", "dist", "extension.js"), "utf8");
  const wanted = [...bundled.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name);
  if (wanted.some((name) => name !== "vscode")) fail(`the bundle asks for more than vscode: ${[...new Set(wanted)].join(", ")}`);
  if (/\beval\(|\bnew Function\(/.test(bundled)) fail("the bundle makes code of text");

  const assets = join(site, "ext", "extension", "assets");
  mkdirSync(assets, { recursive: true });
  const dist = join(source, "node_modules", "espalier", "dist");
  for (const name of ["espalier.wasm", "vocab/o200k_base.vocab", "grammars/tree-sitter-typescript.wasm", "grammars/tree-sitter-python.wasm"]) cpSync(join(dist, name), join(assets, name.split("/").at(-1)));
  for (const name of ["extension", "plain"]) cpSync(join(here, name, "package.json"), join(site, "ext", name, "package.json"));
  for (const name of ["dist", "assets", "package.json"]) cpSync(join(source, "example", name), join(site, "ext", "example", name), { recursive: true });
  symlinkSync(codeOssFolder, join(site, "oss"), "dir");
  writeFileSync(join(site, "index.html"), PAGE);
  return (bundled.length / 1e6).toFixed(2);
}

const PAGE = `<!doctype html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="/oss/out/vs/workbench/workbench.web.main.internal.css">
<script>globalThis._VSCODE_FILE_ROOT = location.origin + "/oss/out/";</script>
<script type="module" src="/oss/out/nls.messages.js"></script>
</head><body aria-label=""></body>
<script type="module">
  import create from "/oss/workbench.js";
  const at = (path) => ({ scheme: "http", authority: location.host, path });
  create(document.body, {
    productConfiguration: {
      nameShort: "Code", nameLong: "Code", applicationName: "code", quality: "stable", webEndpointUrlTemplate: location.origin + "/oss", extensionEnabledApiProposals: {},
    },
    developmentOptions: { extensions: [at("/ext/extension"), at("/ext/plain"), at("/ext/example")], extensionTestsPath: at("/ext/extension/dist/" + new URLSearchParams(location.search).get("suite") + ".js") },
  });
</script></html>`;

/** One window of VS Code, from its start to the report of its tests. */
async function window(context, { url, report }, suite) {
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  // VS Code waits for the page to take what its tests say.
  let exited;
  const exit = new Promise((resolve) => (exited = resolve));
  await page.exposeFunction("codeAutomationLog", () => undefined);
  await page.exposeFunction("codeAutomationExit", (code) => exited(code));
  const reported = report(suite);
  await page.goto(`${url}?suite=${suite}&folder=${encodeURIComponent("tmp:/work")}`);
  const late = new Promise((resolve) => setTimeout(resolve, 180_000, undefined).unref());
  const found = await Promise.race([reported, exit.then(() => undefined), late]);
  if (!found) {
    console.log(`VS Code told nothing. What its page said last:\n${said.slice(-40).join("\n")}`);
  }
  // What the extension stored is written when nobody is busy.
  await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, 5_000))]);
  await page.close({ runBeforeUnload: false });
  return found;
}

await setUpHost();
const waiting = new Map();
const start = Date.now();
const megabytes = await extensions();
console.log(`  the extension's bundle: ${megabytes} MB (${((Date.now() - start) / 1000).toFixed(1)} s for types and bundles)`);
const server = await serve(site, 0, (request, response) => {
  if (request.method !== "POST" || request.url !== "/report") return false;
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text)).on("end", () => {
    response.writeHead(204).end();
    const found = JSON.parse(body);
    waiting.get(found.suite)?.(found);
  });
  return true;
});
const report = (suite) => new Promise((resolve) => waiting.set(suite, resolve));
const browser = await launch();
const context = await browser.newContext();
const elsewhere = new Set();
context.on("request", (request) => {
  const { origin, protocol } = new URL(request.url());
  if (/^https?:|^wss?:/.test(protocol) && `${origin}/` !== server.url) elsewhere.add(request.url());
});
let failed = 0;
let passed = 0;
try {
  for (const suite of ["first", "second"]) {
    const begun = Date.now();
    const found = await window(context, { url: server.url, report }, suite);
    if (!found) {
      failed += 1;
      break;
    }
    const { version, cold, outcomes } = found;
    console.log(`\nVS Code ${version}, web extension host, ${suite} activation (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    if (cold) console.log(`  engine and vocabulary ready after ${cold.compiled.toFixed(0)} ms, the first count after ${cold.counting.toFixed(1)} ms more`);
    for (const { name, ms, notes, error } of outcomes) {
      console.log(`${error ? "FAIL" : "ok  "} ${name} (${ms} ms)${error ? `\n${error}` : ""}`);
      for (const note of notes) console.log(`     ${note}`);
      if (error) failed += 1;
      else passed += 1;
    }
  }
} finally {
  await browser.close();
  server.close();
}
if (elsewhere.size > 0) {
  failed += 1;
  console.log(`FAIL nothing is asked of other addresses\n${[...elsewhere].join("\n")}`);
} else {
  passed += 1;
  console.log("ok   nothing is asked of other addresses");
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
