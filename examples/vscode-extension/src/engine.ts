/**
 * Starts the engines on first use. Their bytes are files of the extension, so that activation does not load them: as
 * part of the bundle they would double its size.
 */

import { init as initChat } from "espalier";
import { init as initSearch } from "espalier/search";
import * as vscode from "vscode";

type Init = typeof initChat | typeof initSearch;

/** Returns a function that loads an engine and the vocabulary once. After a failure it can be retried. */
function starting(init: Init, wasm: string): (extension: vscode.Uri) => Promise<void> {
  let started: Promise<void> | undefined;
  return (extension) => {
    const read = async (name: string) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "assets", name));
    started ??= init({ wasm: read(wasm), vocabulary: () => read("o200k_base.vocab") }).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}

/** Starts the engine of conversations. */
export const startChat = starting(initChat, "espalier.wasm");

/** Starts the engine of search and inline context. */
export const startSearch = starting(initSearch, "workspace.wasm");
