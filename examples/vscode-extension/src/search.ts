/** Searches the workspace: an index in the extension's storage, a command that shows hits as you type. */

import { openIndex, vscodeFiles, workspaceStorage } from "espalier/search";
import type { SearchAnswer, SearchHit, SearchOptions, WorkspaceIndex } from "espalier/search";
import * as vscode from "vscode";
import { startSearch } from "./engine.ts";

/** Milliseconds without a key before the index is searched. */
const REST = 150;

export class WorkspaceSearch implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  #opened: Promise<WorkspaceIndex> | undefined;
  #end: (() => void) | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  /** Returns the index, complete and up to date. The first call opens it; after a failure it can be retried. */
  index(): Promise<WorkspaceIndex> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    return (await this.index()).search(query, options);
  }

  /** Returns the location of a hit. With several folders its path begins with the name of one. */
  locationOf({ path, firstLine, lastLine }: SearchHit): vscode.Location | undefined {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = folders.length === 1 ? folders[0] : folders.find(({ name }) => path.startsWith(`${name}/`));
    if (!folder) return undefined;
    const uri = vscode.Uri.joinPath(folder.uri, folders.length === 1 ? path : path.slice(folder.name.length + 1));
    return new vscode.Location(uri, new vscode.Range(firstLine, 0, lastLine, Number.MAX_SAFE_INTEGER));
  }

  dispose(): void {
    this.#end?.();
    void this.#opened?.then(
      (index) => index.dispose(),
      () => undefined,
    );
  }

  async #open(): Promise<WorkspaceIndex> {
    await startSearch(this.#context.extensionUri);
    const { storageUri } = this.#context;
    const storage = storageUri && workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(storageUri, "search"));
    const index = await openIndex({ source: vscodeFiles(vscode), storage });
    const title = "Espalier: indexing the workspace";
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async (progress) => {
      await index.sync({
        onProgress: ({ done, total }) =>
          progress.report({ message: total ? `${done} of ${total} files` : `${done} files` }),
      });
    });
    this.#end = index.watch({
      onError: (error) => console.warn("espalier: changes of the workspace are not followed", error),
    });
    return index;
  }
}

interface Item extends vscode.QuickPickItem {
  hit: SearchHit;
}

/** Shows hits while a question is typed, opens the chosen one, and returns it. */
export async function pickHit(search: WorkspaceSearch, query = ""): Promise<SearchHit | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.placeholder = "Ask about the workspace";
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.value = query;
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    running?.abort();
    const { signal } = (running = new AbortController());
    pick.busy = true;
    try {
      const { hits } = await search.search(pick.value, { signal, fullWorkspace: false, maxResults: 30 });
      if (!signal.aborted) pick.items = hits.map(itemOf);
    } catch (error) {
      if (!signal.aborted) void vscode.window.showErrorMessage(`Espalier: ${(error as Error).message}`);
    } finally {
      if (running.signal === signal) pick.busy = false;
    }
  };
  pick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(ask, REST);
  });
  const chosen = await new Promise<SearchHit | undefined>((resolve) => {
    pick.onDidAccept(() => pick.activeItems[0] && resolve(pick.activeItems[0].hit));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
    void ask();
  });
  clearTimeout(timer);
  running?.abort();
  pick.dispose();
  const location = chosen && search.locationOf(chosen);
  if (location) await vscode.window.showTextDocument(location.uri, { selection: location.range });
  return chosen;
}

function itemOf(hit: SearchHit): Item {
  const { path, firstLine, lastLine, header, text } = hit;
  // VS Code filters items by the typed text; `alwaysShow` leaves the choice to the search.
  return {
    hit,
    label: `${path}:${firstLine + 1}-${lastLine + 1}`,
    description: header,
    detail: text.trim().split("\n", 1)[0] ?? "",
    alwaysShow: true,
  };
}
