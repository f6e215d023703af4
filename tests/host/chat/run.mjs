/**
 * Types into the chat view of a real VS Code, with the example installed and a model by script:
 * `node tests/host/chat/run.mjs WORDS`, with `--node` in the Node extension host. Screenshots are in
 * `build/host/chat-shots`.
 */

import { launch } from "../../www/browser.mjs";
import { runCases } from "./cases.mjs";
import { nodeHost, webHost } from "./hosts.mjs";
import { Model } from "./model.mjs";

const [only] = process.argv.slice(2).filter((word) => word !== "--node");
const model = new Model();
const host = await (process.argv.includes("--node") ? nodeHost : webHost)(model);
const browser = await launch();
let failed = 1;
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    // A fifth less to draw.
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(host.url);
  failed = await runCases({ page, model, host: host.name, only });
} finally {
  await browser.close();
  host.stop();
}
process.exit(failed > 0 ? 1 : 0);
