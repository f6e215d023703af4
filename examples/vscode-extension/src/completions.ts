/**
 * Inline completions: `espalier/inline-context` chooses the model's context; any function from a prompt to a text
 * completes it.
 */

import { InlineContext, vscodeInlineContext } from "espalier/inline-context";
import type { InlineComplete, InlinePrompt } from "espalier/inline-context";
import * as vscode from "vscode";
import { startSearch } from "./engine.ts";

export class Completions implements vscode.InlineCompletionItemProvider, vscode.Disposable {
  /** Completes a prompt. */
  complete: InlineComplete = completeWithModel;
  readonly #context: vscode.ExtensionContext;
  #started: Promise<ReturnType<typeof vscodeInlineContext>> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return (await this.#started).provideInlineCompletionItems(document, position, context, token);
  }

  async #start() {
    await startSearch(this.#context.extensionUri);
    const session = new InlineContext({ window: 4_096, outputReserve: 300 });
    const provider = vscodeInlineContext(vscode, session, (prompt, options) => this.complete(prompt, options));
    return {
      ...provider,
      dispose() {
        provider.dispose();
        session.free();
      },
    };
  }

  /** Releases the session, until the next completion. */
  stop(): void {
    void this.#started?.then(
      (provider) => provider.dispose(),
      () => undefined,
    );
    this.#started = undefined;
  }

  dispose(): void {
    this.stop();
  }
}

const TASK =
  "Continue the code where it ends. Answer with the text to insert alone: no explanation, no code fence, nothing that is there already.";

/** Asks the first model that VS Code offers; without one, {@link completeLine}. */
async function completeWithModel(
  prompt: InlinePrompt,
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const [model] = await vscode.lm.selectChatModels();
  if (!model) return completeLine(prompt);
  const { context, prefix, restOfLine, suffix, path } = prompt;
  const behind = [restOfLine, suffix].filter((text) => text !== "").join("\n");
  const parts = [
    TASK,
    context && `Context:\n${context}`,
    behind && `What follows in ${path}:\n${behind}`,
    `${path}, up to the cursor:\n${prefix}`,
  ];
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const response = await model.sendRequest(
      [vscode.LanguageModelChatMessage.User(parts.filter((part) => part !== "").join("\n\n"))],
      {},
      source.token,
    );
    let text = "";
    for await (const piece of response.text) text += piece;
    return text.replace(/^```\w*\n|\n?```\s*$/g, "");
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}

/** The demonstration: completes a line like the newest line of the prompt with the same beginning. */
export function completeLine({ context, prefix }: InlinePrompt): string | undefined {
  const lines = `${context}${prefix}`.split("\n");
  const begun = (lines.pop() ?? "").trimStart();
  if (begun.length < 3) return undefined;
  const like = lines.findLast((line) => line.trimStart().startsWith(begun) && line.trimStart().length > begun.length);
  return like?.trimStart().slice(begun.length);
}
