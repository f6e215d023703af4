/** The test file that VS Code runs. The bundler inserts `SUITE`. */

import * as vscode from "vscode";
import type { Outcome } from "./check.ts";
import type { Api } from "./extension.ts";

type Suite = "first" | "second";
declare const SUITE: Suite;

/** Returns the report of a suite. `reads`: see `Host`. */
export async function checked(suite: Suite, reads: () => Promise<string[]>) {
  const about = { suite, version: vscode.version };
  try {
    const { cold, check } = (await vscode.extensions.getExtension<Api>("espalier.host")!.activate()) as Api;
    const outcomes = await check(suite, reads);
    const plain =
      suite === "first" ? vscode.extensions.getExtension<{ check(): Promise<Outcome[]> }>("espalier.plain") : undefined;
    if (plain) outcomes.push(...(await (await plain.activate()).check()));
    return { ...about, cold, outcomes };
  } catch (error) {
    return {
      ...about,
      outcomes: [{ name: "activation", ms: 0, notes: [], error: String((error as Error)?.stack ?? error) }],
    };
  }
}

export async function run(): Promise<void> {
  const { authority } = vscode.extensions.getExtension("espalier.host")!.extensionUri;
  const reads = async () => (await (await fetch(`http://${authority}/reads`)).json()) as string[];
  await fetch(`http://${authority}/report`, { method: "POST", body: JSON.stringify(await checked(SUITE, reads)) });
}
