/** Starts the checks if VS Code runs no test file: in its Node extension host, once for each window. */

import type * as vscode from "vscode";
import { checked } from "../extension/src/run.ts";

declare const process: { env: Record<string, string | undefined> };

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const suite = context.globalState.get("runs") ? "second" : "first";
  await context.globalState.update("runs", 1);
  await fetch(process.env["ESPALIER_REPORT"]!, { method: "POST", body: JSON.stringify(await checked(suite)) });
}
