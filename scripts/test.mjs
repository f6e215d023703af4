/**
 * `npm test`: set-up, then every check, each a script of its own in `.ci/`. `npm run check` and
 * `node scripts/test.mjs NAME…` run some. Two checks run side by side, as soon as what they need is there. A check's
 * output appears when it ends, or at once if there is only one. All checks run even if one fails; the end repeats what
 * failed, and lists the outcome of each.
 */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, fail, root } from "./lib.mjs";
import { findBrowser, setUp, setUpTests } from "./setup.mjs";
import { whatFailed } from "./what-failed.mjs";

/**
 * In the order in which they start: of those that need the package the longest first, so that both lanes end together.
 * `needsPackage`: it runs after `package`; `onTypes`: an engine that is not optimised
 * is enough. `usesBrowser`: Chromium. `usesCargo`: it holds the lock on cargo's target folder, so one of them runs at a
 * time, beside the package and its checks.
 */
const CHECKS = {
  fmt: { usesCargo: true },
  lint: {},
  package: {},
  clippy: { usesCargo: true },
  rust: { usesCargo: true },
  "wasm-node": { usesBrowser: true, usesCargo: true },
  "wasm-chrome": { usesBrowser: true, usesCargo: true },
  types: { needsPackage: true, onTypes: true, usesCargo: true },
  js: { needsPackage: true },
  page: { needsPackage: true, usesBrowser: true },
  host: { needsPackage: true, usesBrowser: true },
  docs: { needsPackage: true },
  packaging: { needsPackage: true, usesBrowser: true },
  sdks: { needsPackage: true },
  // Tests other projects' builds: only by its name, or with --all.
  consumers: { needsPackage: true, usesBrowser: true, onRequest: true },
};

/** `--all` is for checks with a slow half: consumers that download some hundred MB. */
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
if (flags.some((flag) => flag !== "--all"))
  fail(`There is no flag ${flags.find((flag) => flag !== "--all")}; there is --all.`, 2);
const unknown = names.find((name) => !(name in CHECKS));
if (unknown) fail(`There is no check ${JSON.stringify(unknown)}; there are ${Object.keys(CHECKS).join(", ")}.`, 2);
const isDefault = (name) => flags.includes("--all") || !CHECKS[name].onRequest;
const chosen = new Set(names.length > 0 ? names : Object.keys(CHECKS).filter(isDefault));
const packaged = [...chosen].filter((name) => CHECKS[name].needsPackage);
const checks = Object.keys(CHECKS).filter((name) => chosen.has(name) || (name === "package" && packaged.length > 0));
const isQuick = !chosen.has("package") && packaged.every((name) => CHECKS[name].onTypes);
const isOne = chosen.size === 1;

await setUp();
if (checks.some((name) => CHECKS[name].usesBrowser)) {
  await setUpTests();
  const { chromium, chromedriver } = findBrowser();
  Object.assign(env, { CHROMIUM: chromium, CHROMEDRIVER: chromedriver });
  writeFileSync(join(root, "webdriver.json"), JSON.stringify(capabilities(chromium), null, 2));
}

const results = await runAll(checks);
// A log that is cut in its middle still says what failed.
for (const { name, output } of results.filter(({ ok, output }) => !ok && output))
  process.stdout.write(`\n===== what failed in ${name}\n${whatFailed(output)}\n`);
process.stdout.write("\n===== summary\n");
for (const { name, ok, seconds } of results)
  process.stdout.write(`${ok ? "ok    " : "FAILED"} ${name} (${seconds.toFixed(1)} s)\n`);
const failed = results.filter(({ ok }) => !ok).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);

async function runAll(checks) {
  const waiting = new Set(checks);
  const running = new Map();
  const results = [];
  const isPending = (name) => waiting.has(name) || running.has(name);
  const canStart = ({ usesCargo, needsPackage }) =>
    !(usesCargo && [...running.keys()].some((name) => CHECKS[name].usesCargo)) &&
    !(needsPackage && isPending("package"));
  while (waiting.size + running.size > 0) {
    for (const name of waiting) {
      if (running.size === (isOne ? 1 : 2) || !canStart(CHECKS[name])) continue;
      waiting.delete(name);
      running.set(name, runCheck(name));
    }
    const result = await Promise.race(running.values());
    running.delete(result.name);
    results.push(result);
    if (result.name !== "package" || result.ok) continue;
    for (const name of waiting) {
      if (!CHECKS[name].needsPackage) continue;
      waiting.delete(name);
      results.push({ name, ok: false, seconds: 0 });
    }
  }
  return results;
}

async function runCheck(name) {
  const start = Date.now();
  process.stdout.write(isOne ? `\n===== ${name}\n` : `> ${name} runs\n`);
  const check = spawn(join(root, ".ci", name), flags, {
    cwd: root,
    env: isQuick ? { ...env, ESPALIER_QUICK: "1" } : env,
    stdio: isOne ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const output = [];
  check.stdout?.on("data", (chunk) => output.push(chunk));
  check.stderr?.on("data", (chunk) => output.push(chunk));
  check.on("error", (error) => output.push(Buffer.from(`${error.message}\n`)));
  const status = await new Promise((resolve) => check.on("close", resolve));
  const text = Buffer.concat(output).toString();
  if (!isOne) process.stdout.write(`\n===== ${name}\n${text}`);
  return { name, ok: status === 0, seconds: (Date.now() - start) / 1000, output: text };
}

/**
 * The capabilities that wasm-pack's test runner requests from chromedriver. A browser run by root has no sandbox; the
 * other flags keep it off the network.
 */
function capabilities(binary) {
  const args = [
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return { "goog:chromeOptions": { binary, args } };
}
