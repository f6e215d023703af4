/**
 * `npm test`: set-up, then every check, each a script of its own in `.ci/`. `npm run check` and `node scripts/test.mjs
 * NAME…` run some. Cargo's checks run beside those of the package, one of each at a time. A check's output appears when
 * it ends, or at once if no check runs beside it. All checks run even if one fails; the summary at the end lists the
 * outcome of each.
 */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./build.mjs";
import { env, fail, root, step } from "./lib.mjs";
import { buildPage } from "./page.mjs";
import { findBrowser, setUp, setUpTests } from "./setup.mjs";

/**
 * In the order of their cost. `built` needs the package, `browser` Chromium, `cargo` the lock on Cargo's target folder.
 */
const CHECKS = {
  fmt: { cargo: true },
  lint: {},
  clippy: { cargo: true },
  types: { built: true },
  rust: { cargo: true },
  js: { built: true },
  docs: { built: true },
  "wasm-node": { browser: true, cargo: true },
  "wasm-chrome": { browser: true, cargo: true },
  packaging: { built: true, browser: true },
  // Tests other projects' builds: only by its name, or with --all.
  consumers: { built: true, browser: true, onRequest: true },
  page: { built: true, browser: true },
  host: { built: true, browser: true },
};

/** `--all` is for checks with a slow half: consumers that download some hundred MB. */
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
if (flags.some((flag) => flag !== "--all"))
  fail(`There is no flag ${flags.find((flag) => flag !== "--all")}; there is --all.`, 2);
const unknown = names.find((name) => !(name in CHECKS));
if (unknown) fail(`There is no check ${JSON.stringify(unknown)}; there are ${Object.keys(CHECKS).join(", ")}.`, 2);
const isDefault = (name) => flags.includes("--all") || !CHECKS[name].onRequest;
const chosen = names.length > 0 ? names : Object.keys(CHECKS).filter(isDefault);

await setUp();
if (chosen.some((name) => CHECKS[name].browser)) {
  await setUpTests();
  const { chromium, chromedriver } = findBrowser();
  Object.assign(env, { CHROMIUM: chromium, CHROMEDRIVER: chromedriver });
  writeFileSync(join(root, "webdriver.json"), JSON.stringify(capabilities(chromium), null, 2));
}
if (chosen.some((name) => CHECKS[name].built)) {
  await buildPackage();
  await step("The playground in build/www", buildPage);
}

const lanes = [chosen.filter((name) => CHECKS[name].cargo), chosen.filter((name) => !CHECKS[name].cargo)].filter(
  (lane) => lane.length > 0,
);
const results = (await Promise.all(lanes.map(runInTurn))).flat();

process.stdout.write("\n===== summary\n");
for (const { name, ok, seconds } of results)
  process.stdout.write(`${ok ? "ok    " : "FAILED"} ${name} (${seconds.toFixed(1)} s)\n`);
const failed = results.filter(({ ok }) => !ok).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);

async function runInTurn(names) {
  const results = [];
  for (const name of names) results.push(await runCheck(name));
  return results;
}

async function runCheck(name) {
  const start = Date.now();
  const isAlone = lanes.length === 1;
  process.stdout.write(isAlone ? `\n===== ${name}\n` : `> ${name} runs\n`);
  const check = spawn(join(root, ".ci", name), flags, {
    cwd: root,
    env,
    stdio: isAlone ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const output = [];
  check.stdout?.on("data", (chunk) => output.push(chunk));
  check.stderr?.on("data", (chunk) => output.push(chunk));
  check.on("error", (error) => output.push(`${error.message}\n`));
  const status = await new Promise((resolve) => check.on("close", resolve));
  if (!isAlone) process.stdout.write(`\n===== ${name}\n${Buffer.concat(output.map((chunk) => Buffer.from(chunk)))}`);
  return { name, ok: status === 0, seconds: (Date.now() - start) / 1000 };
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
