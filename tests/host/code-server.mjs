/** A served VS Code (code-server), whose extensions run in the Node extension host, that of the desktop. */

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { env, fail } from "../../scripts/lib.mjs";
import { codeServer } from "../../scripts/setup.mjs";

/** Max half seconds until it serves. */
const TRIES = 240;

/** Starts a server on a free port, and returns the port that it has. */
export const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));

/**
 * Starts it with the extensions of a folder. `reportPort`: where extensions post to; `proposals`: ids of extensions
 * that may use the API proposals of their manifest.
 */
export async function startCodeServer({ extensions, data, workspace, reportPort, proposals = [] }) {
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
    extensions,
    "--user-data-dir",
    data,
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    ...proposals.flatMap((id) => ["--enable-proposed-api", id]),
    workspace,
  ];
  const server = spawn(codeServer.node, [codeServer.entry, ...args], {
    env: { ...env, ESPALIER_REPORT: `http://127.0.0.1:${reportPort}/`, XDG_CONFIG_HOME: join(data, "config") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
  for (let tries = 0; !log.includes("HTTP server listening"); tries += 1) {
    if (tries > TRIES || server.exitCode !== null) fail(`code-server did not start:\n${log.slice(-3_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return {
    url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`,
    log: () => log.slice(-3_000),
    stop: () => server.kill(),
  };
}
