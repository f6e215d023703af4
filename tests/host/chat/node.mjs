/**
 * Types into the chat view of a served VS Code, with the example in the Node extension host, that of the desktop:
 * before a release, by hand. `node tests/host/chat/node.mjs`, after `npm run build`.
 */

import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { setUpNodeHost } from "../../../scripts/setup.mjs";
import { launch } from "../../www/browser.mjs";
import { listening, startCodeServer } from "../code-server.mjs";
import { extensions } from "../extensions.mjs";
import { runCases } from "./cases.mjs";
import { Model } from "./model.mjs";

await setUpNodeHost();
const made = await extensions("node", ["chat-host", "example"]);
const [data, workspace] = ["chat-data", "chat-workspace"].map((name) => join(dirname(dirname(made)), name));
for (const folder of [data, workspace]) mkdirSync(folder);
const model = new Model();
const reports = createServer((request, response) => void model.serve(request, response));
const server = await startCodeServer({ extensions: made, data, workspace, reportPort: await listening(reports) });
const browser = await launch();
let failed = 1;
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  // Allows the proposals of the test's default participant.
  await page.goto(`${server.url}&payload=${encodeURIComponent(JSON.stringify([["enableProposedApi", ""]]))}`);
  failed = await runCases({ page, model, host: "Node extension host" });
} finally {
  await browser.close();
  server.stop();
  reports.close();
}
process.exit(failed > 0 ? 1 : 0);
