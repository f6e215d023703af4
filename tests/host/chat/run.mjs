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
import { runCases } from "./cases.mjs";
import { Model } from "./model.mjs";

// A webview has an origin of its own, below that of the page: then Chromium takes both for one site, and allows the
// service worker of webviews.
const PROPOSALS = { "espalier.chat-host": ["defaultChatParticipant", "chatParticipantAdditions"] };
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
      nameShort: "Code", nameLong: "Code", applicationName: "code", quality: "stable",
      webEndpointUrlTemplate: location.origin + "/oss",
      webviewContentExternalBaseUrlTemplate:
        "http://{{uuid}}." + location.host + "/oss/out/vs/workbench/contrib/webview/browser/pre/",
      extensionEnabledApiProposals: ${JSON.stringify(PROPOSALS)},
    },
    configurationDefaults: ${JSON.stringify({ "workbench.startupEditor": "none", "chat.commandCenter.enabled": true })},
    developmentOptions: { extensions: ["chat-host", "example"].map((name) => at("/ext/" + name)) },
  });
</script></html>`;

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
