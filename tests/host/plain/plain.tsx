/**
 * An extension whose author imports `espalier` and `espalier/prompt-tsx` by name, bundled for the browser as CommonJS:
 * there is no `import.meta.url`.
 */

import { count, init } from "espalier";
import { summarizeDocument } from "espalier/documents";
import { OutputMode, PromptElement, renderPrompt, UserMessage, VSCodeTokenizer } from "espalier/prompt-tsx";
import * as vscode from "vscode";
import { equal, failing, ok, run } from "../extension/src/check.ts";
import type { Cases } from "../extension/src/check.ts";

let context: vscode.ExtensionContext;
const asset = (name: string) => vscode.Uri.joinPath(context.extensionUri, "..", "extension", "assets", name);

class Ask extends PromptElement {
  override render() {
    return <UserMessage>Why?</UserMessage>;
  }
}
const rendered = () =>
  renderPrompt(
    Ask,
    {},
    { modelMaxPromptTokens: 100 },
    new VSCodeTokenizer(async (text) => String(text.value ?? text).length, OutputMode.VSCode),
  );

const cases: Cases = {
  "imported by its own name: what is missing is named, with both ways out": async () => {
    for (const work of [() => init(), () => rendered(), () => summarizeDocument("a", { path: "a.ts", budget: 10 })]) {
      const error = await failing(work);
      ok(
        error.code === "wasm_not_found" && /espalier\/inline/.test(error.message) && /init\(/.test(error.message),
        `${error.code}: ${error.message}`,
      );
    }
  },

  "imported by its own name: started with bytes of the extension's files": async () => {
    const read = async (name: string) => vscode.workspace.fs.readFile(asset(name));
    await init({ wasm: await read("espalier.wasm"), vocabulary: () => read("o200k_base.vocab") });
    equal(count("Hello world!"), 3);
    const { messages } = await rendered();
    ok((messages[0] as unknown) instanceof vscode.LanguageModelChatMessage, "the drop-in module found VS Code");
    const { basis, tokens } = await summarizeDocument("def a():\n    return 1\n".repeat(50), {
      path: "a.py",
      budget: 50,
    });
    ok(tokens <= 50 && basis.path !== "syntax", "grammars that are nowhere: by indentation");
  },
};

export async function activate(given: vscode.ExtensionContext) {
  context = given;
  return { check: () => run(cases, { context } as never) };
}
