/** The test file that VS Code runs. `SUITE` is put in by the bundler. */

import * as vscode from "vscode";
import type { Outcome } from "./check.ts";
import type { Api } from "./extension.ts";

declare const SUITE: "first" | "second";

export async function run(): Promise<void> {
  const tell = (body: unknown) => fetch(new URL("/report", `http://${vscode.extensions.getExtension("espalier.host")!.extensionUri.authority}`), { method: "POST", body: JSON.stringify(body) });
  try {
    const { cold, check } = (await vscode.extensions.getExtension<Api>("espalier.host")!.activate()) as Api;
    const outcomes: Outcome[] = await check(SUITE);
    if (SUITE === "first") {
      const plain = await vscode.extensions.getExtension<{ check(): Promise<Outcome[]> }>("espalier.plain")!.activate();
      outcomes.push(...(await plain.check()));
    }
    await tell({ suite: SUITE, version: vscode.version, cold, outcomes });
  } catch (error) {
    await tell({ suite: SUITE, version: vscode.version, outcomes: [{ name: "activation", ms: 0, notes: [], error: String((error as Error)?.stack ?? error) }] });
  }
}
