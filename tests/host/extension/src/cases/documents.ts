import { loadGrammar, outline, reduceChanges, summarizeDocument } from "espalier/inline";
import * as vscode from "vscode";
import { equal, ok } from "../check.ts";
import type { Cases } from "../check.ts";

const source = ["one", "two", "three"]
  .map((name) => `export function ${name}(a: number): number {\n${"  a += 1;\n".repeat(20)}  return a;\n}\n`)
  .join("\n");

export const documents: Cases = {
  "summaries with a grammar of the extension's own files": async ({ context }) => {
    const wasm = await vscode.workspace.fs.readFile(
      vscode.Uri.joinPath(context.extensionUri, "assets", "tree-sitter-typescript.wasm"),
    );
    await loadGrammar("typescript", { wasm });
    const { text, basis, tokens } = await summarizeDocument(source, {
      path: "src/app.ts",
      budget: 120,
      selection: source.indexOf("two"),
    });
    ok(
      basis.path === "syntax" && tokens <= 120 && /function two/.test(text) && /omitted/.test(text),
      `${basis.path}, ${tokens}: ${text}`,
    );
    const { files } = await reduceChanges({
      files: [
        {
          path: "src/app.ts",
          text: source,
          diff: "--- a/src/app.ts\n+++ b/src/app.ts\n@@ -1,0 +1,1 @@\n+export function one(a: number): number {\n",
        },
      ],
      budget: 150,
    });
    ok(files[0]!.text.includes("one"), "changes");
    ok((await outline(source, { path: "src/app.ts" })).text.includes("three"), "outline");
  },

  "a grammar by its address, and a document of the editor": async ({ context }) => {
    const at = vscode.Uri.joinPath(context.extensionUri, "assets", "tree-sitter-python.wasm");
    // Files of an extension on a desktop have no address that can be fetched.
    await loadGrammar("python", {
      wasm: at.scheme === "file" ? await vscode.workspace.fs.readFile(at) : at.toString(true),
    });
    const document = await vscode.workspace.openTextDocument({
      language: "python",
      content: "def one():\n    return 1\n\n\ndef two():\n    return 2\n".repeat(20),
    });
    const { basis } = await summarizeDocument(document.getText(), {
      language: document.languageId,
      budget: 100,
      selection: document.offsetAt(new vscode.Position(3, 0)),
    });
    equal(basis.path, "syntax");
  },

  "without a grammar a document is folded by its indentation, and says so": async () => {
    const { basis, tokens } = await summarizeDocument(source.replaceAll("function", "fn"), {
      path: "src/app.rs",
      budget: 120,
    });
    ok(basis.path !== "syntax" && tokens <= 120, basis.path);
  },
};
