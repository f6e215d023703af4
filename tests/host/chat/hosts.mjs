/**
 * The two VS Codes whose chat the tests type into: extensions run in the web extension host, or in that of the desktop.
 */

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { setUpNodeHost } from "../../../scripts/setup.mjs";
import { listening, startCodeServer } from "../code-server.mjs";
import { extensions } from "../extensions.mjs";
import { serveWorkbench } from "../workbench.mjs";

const EXTENSIONS = ["chat-host", "example"];
const ID = "espalier.chat-host";
/** The settings of a user who runs these tests. */
export const SETTINGS = {
  "workbench.startupEditor": "none",
  "chat.commandCenter.enabled": true,
  // Its question about the repository around the workspace would cover the chat.
  "git.openRepositoryInParentFolders": "never",
};

/** Serves VS Code for the web; `model` answers the posts of the extension `chat-host`. */
export async function webHost(model) {
  const how = {
    extensions: EXTENSIONS,
    proposals: { [ID]: ["defaultChatParticipant", "chatParticipantAdditions"] },
    defaults: SETTINGS,
    hasWebviews: true,
  };
  const server = await serveWorkbench(how, (request, response) => model.serve(request, response));
  const { port } = new URL(server.url);
  return {
    name: "web extension host",
    url: `http://vscode.localhost:${port}/?folder=${encodeURIComponent("tmp:/work")}`,
    stop: () => server.close(),
  };
}

/** Starts a served VS Code, whose extensions run in Node. */
export async function nodeHost(model) {
  await setUpNodeHost();
  const made = await extensions("node");
  const home = join(dirname(made), "chat");
  rmSync(home, { recursive: true, force: true });
  const [installed, data, workspace] = ["extensions", "data", "workspace"].map((name) => join(home, name));
  for (const name of EXTENSIONS) cpSync(join(made, name), join(installed, name), { recursive: true });
  mkdirSync(join(data, "User"), { recursive: true });
  mkdirSync(workspace);
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify(SETTINGS));
  const posts = createServer((request, response) => model.serve(request, response));
  const server = await startCodeServer({
    extensions: installed,
    data,
    workspace,
    reportPort: await listening(posts),
    proposals: [ID],
  });
  return {
    name: "Node extension host",
    url: server.url,
    stop: () => {
      server.stop();
      posts.close();
      posts.closeAllConnections();
    },
  };
}
