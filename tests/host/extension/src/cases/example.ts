/** The example of a chat participant, talked to as VS Code would. */

import type { Conversation } from "espalier/inline";
import * as vscode from "vscode";
import { equal, ok } from "../check.ts";
import type { Cases } from "../check.ts";
import { SUMMARY } from "./conversations.ts";
import { genuine } from "./messages.ts";

interface Example {
  handler: vscode.ChatRequestHandler;
  conversation(): Promise<Conversation<vscode.LanguageModelChatMessage>>;
}

export const example: Cases = {
  "the example: talks, calls a tool, summarises, and takes it back": async ({ context, model, scripted }) => {
    context.subscriptions.push(vscode.lm.registerTool("espalier_look", { invoke: (options: vscode.LanguageModelToolInvocationOptions<{ path: string }>) =>
      new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(`contents of ${options.input.path}\n${"a line of it\n".repeat(100)}`)]) }));
    const { handler, conversation } = (await vscode.extensions.getExtension<Example>("espalier.espalier-example")!.activate()) as Example;
    scripted.answer = ({ messages, options, say }) => {
      const last = messages.at(-1)!.content.at(-1);
      if (!options.tools?.length) return say(new vscode.LanguageModelTextPart(SUMMARY));
      if (last instanceof vscode.LanguageModelToolResultPart) return say(new vscode.LanguageModelTextPart("I see."));
      return say(new vscode.LanguageModelTextPart("I look."), new vscode.LanguageModelToolCallPart(`look${scripted.asked.length}`, "espalier_look", { path: "src/a.ts" }));
    };
    const shown: string[] = [];
    const response = { markdown: (text: string) => void shown.push(text), progress: (text: string) => void shown.push(`(${text})`) } as unknown as vscode.ChatResponseStream;
    const token = new vscode.CancellationTokenSource().token;
    const ask = (prompt: string, command?: string) => handler({ prompt, command, model, references: [], toolReferences: [{ name: "espalier_look" }], toolInvocationToken: undefined } as unknown as vscode.ChatRequest, { history: [] }, response, token);
    await ask("What is in src/a.ts?");
    equal(shown, ["I look.", "I see."]);
    for (let turn = 0; turn < 12; turn += 1) await ask(`And again, number ${turn}?`);
    const talk = await conversation();
    ok(shown.some((text) => text.startsWith("(Summarised")), "it was summarised on the way");
    genuine(talk.view().messages, "view");
    shown.length = 0;
    await ask("", "undo");
    ok(shown[0]?.includes("is back"), String(shown));
    await talk.dispose();
  },
};
