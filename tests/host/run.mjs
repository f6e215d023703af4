/**
 * Runs the packed package inside a real VS Code: an extension with `espalier` in its bundle, activated in the web
 * extension host twice; the second time with the data of the first. The builds stay in `build/host`.
 */

import { launch } from "../www/browser.mjs";
import { print } from "./extensions.mjs";
import { serveWorkbench } from "./workbench.mjs";

let told;
const assets = new Set();
const how = { extensions: ["extension", "plain", "example"], runsTests: true };
const server = await serveWorkbench(how, (request, response) => {
  if (request.url === "/reads") {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify([...assets].toSorted()));
    return true;
  }
  if (request.url.startsWith("/ext/example/assets/")) assets.add(request.url.split("/").at(-1));
  if (request.method !== "POST" || request.url !== "/report") return false;
  let body = "";
  request
    .setEncoding("utf8")
    .on("data", (text) => (body += text))
    .on("end", () => {
      response.writeHead(204).end();
      told(JSON.parse(body));
    });
  return true;
});
const browser = await launch();
const context = await browser.newContext();
const elsewhere = new Set();
context.on("request", (request) => {
  const { origin, protocol } = new URL(request.url());
  if (/^(https?|wss?):/.test(protocol) && `${origin}/` !== server.url) elsewhere.add(request.url());
});

/** Opens one window of VS Code and waits for the report of its tests; returns nothing if it never arrives. */
async function opened(suite) {
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  const report = new Promise((resolve) => (told = resolve));
  // VS Code's test mode requires both. It ends when everything is stored.
  let ended;
  const end = new Promise((resolve) => (ended = resolve));
  await page.exposeFunction("codeAutomationLog", () => undefined);
  await page.exposeFunction("codeAutomationExit", () => ended());
  await page.goto(`${server.url}?suite=${suite}&folder=${encodeURIComponent("tmp:/work")}`);
  const found = await Promise.race([report, end.then(() => undefined), after(240_000)]);
  if (found) await Promise.race([end, after(10_000)]);
  else console.log(`VS Code told nothing. What its page said last:\n${said.slice(-40).join("\n")}`);
  await page.close();
  return found;
}

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

const total = { passed: 0, failed: 0 };
try {
  for (const suite of ["first", "second"]) {
    const start = Date.now();
    const found = await opened(suite);
    const { passed, failed } = found
      ? print(found, "web extension host", Date.now() - start)
      : { passed: 0, failed: 1 };
    total.passed += passed;
    total.failed += failed;
    if (!found) break;
  }
} finally {
  await browser.close();
  server.close();
}
console.log(
  `${elsewhere.size === 0 ? "ok  " : "FAIL"} nothing is asked of other addresses\n${[...elsewhere].join("\n")}`,
);
total[elsewhere.size === 0 ? "passed" : "failed"] += 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
