/**
 * Measures what the example's activation costs: CPU time to load its main file and to call `activate`, with an object
 * instead of VS Code's API, median of ten processes. `node tests/host/activation.mjs`, after `node tests/host/run.mjs`
 * has built it. VS Code's own figure ("Developer: Startup Performance") contains waiting for all else that starts.
 */

import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../scripts/lib.mjs";

const PROCESSES = 10;
const FILES = ["extension.js", "web.js"];

const measure = (file) => `
  const Module = require("node:module");
  const anything = () => new Proxy(function () {}, {
    get: (_, key) => (key === "then" ? undefined : key === Symbol.iterator ? function* () {} : anything()),
    apply: anything,
    construct: anything,
  });
  const names = ["chat", "commands", "languages", "lm", "window", "workspace", "EventEmitter", "Uri"];
  const vscode = Object.fromEntries(names.map((name) => [name, anything()]));
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  const start = process.cpuUsage();
  require(${JSON.stringify(file)}).activate(anything());
  const { user, system } = process.cpuUsage(start);
  console.log((user + system) / 1_000);
  process.exit(0);`;

for (const name of FILES) {
  const file = join(build, "host", "browser", "ext", "example", "dist", name);
  const runs = Array.from({ length: PROCESSES }, () =>
    Number(execFileSync(process.execPath, ["-e", measure(file)], { encoding: "utf8" })),
  );
  const median = runs.toSorted((a, b) => a - b)[PROCESSES / 2];
  console.log(`${name}: ${statSync(file).size} bytes, ${median.toFixed(1)} ms`);
}
