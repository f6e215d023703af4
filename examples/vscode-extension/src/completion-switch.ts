/** Registers the inline completions while their setting is on. */

import * as vscode from "vscode";
import type { Days } from "./days.ts";

const SETTING = "completions.enabled";

export class CompletionSwitch implements vscode.Disposable, vscode.InlineCompletionItemProvider {
  readonly #load: () => Promise<Days>;
  readonly #loaded: () => Promise<Days> | undefined;
  readonly #listener: vscode.Disposable;
  #registered: vscode.Disposable | undefined;

  /** `load` loads what completes, `loaded` returns it if that has happened. */
  constructor(load: () => Promise<Days>, loaded: () => Promise<Days> | undefined) {
    this.#load = load;
    this.#loaded = loaded;
    this.#listener = vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration(`espalier.${SETTING}`) && this.#obey(),
    );
    this.#obey();
  }

  async provideInlineCompletionItems(
    ...asked: Parameters<vscode.InlineCompletionItemProvider["provideInlineCompletionItems"]>
  ): Promise<vscode.InlineCompletionItem[]> {
    return (await this.#load()).completions.provideInlineCompletionItems(...asked);
  }

  #obey(): void {
    if (vscode.workspace.getConfiguration("espalier").get(SETTING, false))
      this.#registered ??= vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, this);
    else this.#stop();
  }

  #stop(): void {
    this.#registered?.dispose();
    this.#registered = undefined;
    void this.#loaded()?.then(({ completions }) => completions.stop());
  }

  dispose(): void {
    this.#listener.dispose();
    this.#stop();
  }
}
