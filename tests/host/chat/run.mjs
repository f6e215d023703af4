/**
 * Types into the chat view of a real VS Code for the web, with the example installed and a model by script.
 * Screenshots are in `build/host/chat-shots`.
 */

import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { serve } from "../../../scripts/serve.mjs";
import { codeOssFolder, setUpHost } from "../../../scripts/setup.mjs";
import { launch } from "../../www/browser.mjs";
import { extensions } from "../extensions.mjs";
import { workbench } from "../workbench.mjs";
import { runCases } from "./cases.mjs";
import { Model } from "./model.mjs";

const PAGE = workbench({
  extensions: ["chat-host", "example"],
  proposals: { "espalier.chat-host": ["defaultChatParticipant", "chatParticipantAdditions"] },
  defaults: { "workbench.startupEditor": "none", "chat.commandCenter.enabled": true },
  hasWebviews: true,
});

await setUpHost();
const site = dirname(await extensions("browser"));
symlinkSync(codeOssFolder, join(site, "oss"), "dir");
writeFileSync(join(site, "index.html"), PAGE);

const model = new Model();
const server = await serve(site, 0, (request, response) => model.serve(request, response));
const browser = await launch();
let failed = 1;
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const { port } = new URL(server.url);
  await page.goto(`http://vscode.localhost:${port}/?folder=${encodeURIComponent("tmp:/work")}`);
  failed = await runCases({ page, model, host: "web extension host" });
} finally {
  await browser.close();
  server.close();
}
process.exit(failed > 0 ? 1 : 0);
