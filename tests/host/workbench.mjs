/** A VS Code for the web that is served from `/oss`, with extensions from `/ext`. */

import { dirname } from "node:path";
import { serve, under } from "../../scripts/serve.mjs";
import { codeOssFolder, setUpHost } from "../../scripts/setup.mjs";
import { extensions } from "./extensions.mjs";

/** Serves it; `how` as for its page, `answer` as for `serve`. */
export async function serveWorkbench(how, answer) {
  await setUpHost();
  const page = pageOf(how);
  const sendOss = under("/oss/", codeOssFolder);
  return serve(dirname(await extensions("browser")), 0, (request, response) => {
    if (answer(request, response) || sendOss(request, response)) return true;
    if (!request.url.startsWith("/?")) return false;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    return true;
  });
}

/**
 * @param {object} how
 *   `extensions`: names of folders below `/ext`; `proposals`: API proposals by extension id; `defaults`: settings;
 *   `hasWebviews`: webviews get an origin of their own, below that of the page: Chromium then takes both for one site,
 *   and allows the service worker of webviews; `runsTests`: runs the suite that the address names
 */
const pageOf = ({
  extensions,
  proposals = {},
  defaults = {},
  hasWebviews = false,
  runsTests = false,
}) => `<!doctype html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="/oss/out/vs/workbench/workbench.web.main.internal.css">
<script>globalThis._VSCODE_FILE_ROOT = location.origin + "/oss/out/";</script>
<script type="module" src="/oss/out/nls.messages.js"></script>
</head><body aria-label=""></body>
<script type="module">
  import create from "/oss/workbench.js";
  const at = (path) => ({ scheme: "http", authority: location.host, path });
  const webviews = "http://{{uuid}}." + location.host + "/oss/out/vs/workbench/contrib/webview/browser/pre/";
  const suite = "/ext/extension/dist/" + new URLSearchParams(location.search).get("suite") + ".js";
  create(document.body, {
    productConfiguration: {
      nameShort: "Code", nameLong: "Code", applicationName: "code", quality: "stable",
      webEndpointUrlTemplate: location.origin + "/oss",
      extensionEnabledApiProposals: ${JSON.stringify(proposals)},
      ...(${hasWebviews} && { webviewContentExternalBaseUrlTemplate: webviews }),
    },
    // It has the themes.
    additionalBuiltinExtensions: [at("/oss/extensions/theme-defaults")],
    configurationDefaults: ${JSON.stringify(defaults)},
    developmentOptions: {
      extensions: ${JSON.stringify(extensions)}.map((name) => at("/ext/" + name)),
      ...(${runsTests} && { extensionTestsPath: at(suite) }),
    },
  });
</script></html>`;
