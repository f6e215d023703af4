/**
 * Runs the same extension in VS Code's Node extension host, that of the desktop, in a served VS Code (code-server):
 * before a release, by hand. `node tests/host/node.mjs`, after `npm run build`.
 */

import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setUpNodeHost } from "../../scripts/setup.mjs";
import { launch } from "../www/browser.mjs";
import { listening, startCodeServer } from "./code-server.mjs";
import { extensions, print } from "./extensions.mjs";

await setUpNodeHost();
const made = await extensions("node");
const [data, workspace] = ["data", "workspace"].map((name) => join(made, "..", name));
for (const folder of [data, workspace]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}

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
const server = await startCodeServer({ extensions: made, data, workspace, reportPort: await listening(reports) });

const total = { passed: 0, failed: 0 };
const browser = await launch();
try {
  const context = await browser.newContext();
  for (let window = 0; window < 2; window += 1) {
    const start = Date.now();
    const page = await context.newPage();
    const report = new Promise((resolve) => (told = resolve));
    await page.goto(server.url);
    const found = await Promise.race([report, after(240_000)]);
    if (!found) console.log(`VS Code told nothing.\n${server.log()}`);
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
  server.stop();
  reports.close();
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
