/** Starts the engine of search and inline context on first use: its bytes are files of the extension. */

import { init } from "espalier/search";
import * as vscode from "vscode";

let started: Promise<void> | undefined;

/** Loads the engine and the vocabulary. After a failure it can be retried. */
export function startEngine(extension: vscode.Uri): Promise<void> {
  const read = async (name: string) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "assets", name));
  started ??= init({ wasm: read("workspace.wasm"), vocabulary: () => read("o200k_base.vocab") }).catch(
    (error: unknown) => {
      started = undefined;
      throw error;
    },
  );
  return started;
}
