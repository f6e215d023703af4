/** Starts the checks if VS Code runs no test file: in its Node extension host, once for each window. */

import * as vscode from "vscode";
import { checked } from "../extension/src/run.ts";
import { recordReads } from "./reads.ts";

declare const process: { env: Record<string, string | undefined> };

/** Begins with the window, before VS Code activates the example, to see what that reads. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const reads = recordReads();
  const suite = context.globalState.get("runs") ? "second" : "first";
  await context.globalState.update("runs", 1);
  void started().then(async () => {
    const body = JSON.stringify(await checked(suite, async () => reads()));
    await fetch(process.env["ESPALIER_REPORT"]!, { method: "POST", body });
  });
}

/** Waits until VS Code has activated the example. */
async function started(): Promise<void> {
  while (!vscode.extensions.getExtension("espalier.espalier-example")?.isActive)
    await new Promise((resolve) => setTimeout(resolve, 100));
}
