/** What the example loads, and when. */

import * as vscode from "vscode";
import { equal } from "../check.ts";
import type { Cases } from "../check.ts";
import { activated, chatWith } from "./example.ts";

export const activation: Cases = {
  "the example: activation reads no engine, no vocabulary, and on the desktop no library; the first use does": async ({
    model,
    scripted,
    reads,
  }) => {
    const example = vscode.extensions.getExtension("espalier.espalier-example")!;
    await example.activate();
    equal(await reads(), [], "read by activation");
    scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart("Yes."));
    const { handler } = await activated();
    // VS Code for the web has read the only bundle.
    const library = example.extensionUri.scheme === "file" ? ["days.js"] : [];
    equal(await reads(), library, "read by the first use");
    await chatWith(handler, model).ask("hello");
    // The engine of search stays unread until the case that searches.
    equal(await reads(), [...library, "espalier.wasm", "o200k_base.vocab"], "read after the first question");
  },
};
