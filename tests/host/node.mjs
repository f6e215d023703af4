/**
 * Runs the same extension in VS Code's Node extension host, that of the desktop, in a served VS Code (code-server):
 * before a release, by hand. `node tests/host/node.mjs`, after `npm run build`.
 */

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { env, fail } from "../../scripts/lib.mjs";
import { codeServer, setUpNodeHost } from "../../scripts/setup.mjs";
import { launch } from "../www/browser.mjs";
import { extensions, print } from "./extensions.mjs";

await setUpNodeHost();
const made = await extensions("node");
const home = dirname(dirname(made));
const [data, workspace] = ["data", "workspace"].map((name) => join(home, name));
for (const folder of [data, workspace]) mkdirSync(folder);

let told;
const reports = createServer((request, response) => {
  let body = "";
  request
    .setEncoding("utf8")
    .on("data", (text) => (body += text))
    .on("end", () => {
      response.writeHead(204).end();
      told(JSON.parse(body));
    });
});
const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
const reportPort = await listening(reports);
// A port that is free now.
const probe = createServer();
const port = await listening(probe);
await new Promise((resolve) => probe.close(resolve));

const args = [
  "--auth",
  "none",
  "--bind-addr",
  `127.0.0.1:${port}`,
  "--extensions-dir",
  made,
  "--user-data-dir",
  data,
  "--disable-telemetry",
  "--disable-update-check",
  "--disable-workspace-trust",
  workspace,
];
const server = spawn(codeServer.node, [codeServer.entry, ...args], {
  env: { ...env, ESPALIER_REPORT: `http://127.0.0.1:${reportPort}/`, XDG_CONFIG_HOME: join(data, "config") },
  stdio: ["ignore", "pipe", "pipe"],
});
let log = "";
for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
for (let tries = 0; !log.includes("HTTP server listening"); tries += 1) {
  if (tries > 240 || server.exitCode !== null) fail(`code-server did not start:\n${log.slice(-3_000)}`);
  await after(500);
}

const total = { passed: 0, failed: 0 };
const browser = await launch();
try {
  const context = await browser.newContext();
  for (let window = 0; window < 2; window += 1) {
    const start = Date.now();
    const page = await context.newPage();
    const report = new Promise((resolve) => (told = resolve));
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
    const found = await Promise.race([report, after(240_000)]);
    if (!found) console.log(`VS Code told nothing.\n${log.slice(-3_000)}`);
    const { passed, failed } = found
      ? print(found, "Node extension host", Date.now() - start)
      : { passed: 0, failed: 1 };
    total.passed += passed;
    total.failed += failed;
    // VS Code writes storage when idle, and closing a window ends its host.
    await after(4_000);
    await page.close();
    await after(4_000);
  }
} finally {
  await browser.close();
  server.kill();
  reports.close();
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
