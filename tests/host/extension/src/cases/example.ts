/**
 * The example: the test talks to its chat participant as VS Code would, and uses the search of the workspace and inline
 * completions.
 */

import type { Conversation } from "espalier/inline";
import * as vscode from "vscode";
import { equal, ok, until } from "../check.ts";
import type { Cases } from "../check.ts";
import { SUMMARY } from "./conversations.ts";
import { genuine } from "./messages.ts";

interface Hit {
  path: string;
  firstLine: number;
}

interface Example {
  handler: vscode.ChatRequestHandler;
  conversation(): Promise<Conversation<vscode.LanguageModelChatMessage>>;
  completions: vscode.InlineCompletionItemProvider & {
    complete: (prompt: { context: string; prefix: string }) => Promise<string>;
  };
  search: { search(query: string, options?: object): Promise<{ hits: Hit[]; strategy: string; tokens: number }> };
}

const activated = async () =>
  (await vscode.extensions.getExtension<Example>("espalier.espalier-example")!.activate()) as Example;
const uriOf = (path: string) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, path);
const write = (path: string, text: string) =>
  vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));

export const example: Cases = {
  "the example: searches the workspace, follows its changes, and opens what is chosen": async ({ note }) => {
    await write(
      "src/cart.ts",
      "export function totalOfCart(items: number[]): number {\n  return items.reduce((sum, price) => sum + price, 0);\n}\n",
    );
    await write(
      "src/mail.ts",
      "import { post } from './post';\n\nexport function sendReceipt(address: string): void {\n  post(address);\n}\n",
    );
    let start = performance.now();
    const { search } = await activated();
    note(`activation: ${Math.round(performance.now() - start)} ms`);
    start = performance.now();
    const { hits, strategy, tokens } = await search.search("send a receipt", { fullWorkspace: false, budget: 1_000 });
    note(`the first search, engine and index included: ${Math.round(performance.now() - start)} ms`);
    equal([hits[0]?.path, strategy], ["src/mail.ts", "lexical"]);
    ok(tokens > 0 && tokens <= 1_000, `${tokens} tokens`);
    await write("src/refund.ts", "export function refundOrder(id: string): void {}\n");
    let found: string[] = [];
    for (let tries = 0; !found.includes("src/refund.ts"); tries += 1) {
      if (tries > 50) throw new Error(`a new file is not found: ${found}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      found = (await search.search("refund order", { fullWorkspace: false })).hits.map(({ path }) => path);
    }
    let isDone = false;
    const picked = vscode.commands.executeCommand<Hit | undefined>("espalier.searchWorkspace", "send a receipt");
    void picked.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    // The list is drawn, and its first row chosen, some time after the command.
    for (let tries = 0; !isDone && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    }
    ok(isDone, "the first hit is chosen");
    equal((await picked)?.path, "src/mail.ts", "the chosen file");
    ok(vscode.window.activeTextEditor?.document.uri.path.endsWith("src/mail.ts"), "the chosen file is open");
  },

  "the example: answers with what the workspace has": async ({ model, scripted }) => {
    const { handler } = await activated();
    scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart("In src/mail.ts."));
    const references: vscode.Location[] = [];
    const response = {
      markdown() {},
      progress() {},
      reference: (location: vscode.Location) => void references.push(location),
    } as unknown as vscode.ChatResponseStream;
    const request = {
      prompt: "Who sends the receipt?",
      command: "search",
      model,
      references: [],
      toolReferences: [],
    } as unknown as vscode.ChatRequest;
    await handler(request, { history: [] }, response, new vscode.CancellationTokenSource().token);
    ok(scripted.heard.includes("sendReceipt") && scripted.heard.includes("Who sends the receipt?"), scripted.heard);
    ok(
      references.some(({ uri }) => uri.path.endsWith("src/mail.ts")),
      "the answer refers to the file",
    );
  },

  "the example: completes with the context of open files, and only when the setting is on": async () => {
    const { completions } = await activated();
    const prompts: { context: string; prefix: string }[] = [];
    completions.complete = async (prompt) => (prompts.push(prompt), "(12, 30);");
    await vscode.workspace.openTextDocument(uriOf("src/cart.ts"));
    await write("src/bill.ts", "import { totalOfCart } from './cart';\n\nexport const bill = totalOfCart\n");
    const editor = await vscode.window.showTextDocument(uriOf("src/bill.ts"));
    const end = editor.document.lineAt(2).range.end;
    editor.selection = new vscode.Selection(end, end);
    const trigger = () => vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
    await trigger();
    await new Promise((resolve) => setTimeout(resolve, 300));
    equal(prompts.length, 0, "requests while the setting is off");
    const settings = vscode.workspace.getConfiguration("espalier");
    await settings.update("completions.enabled", true, vscode.ConfigurationTarget.Global);
    try {
      await trigger();
      await until("the model is asked", () => prompts.length > 0);
      const { context, prefix } = prompts.at(-1)!;
      ok(prefix.endsWith("export const bill = totalOfCart"), prefix);
      ok(context.includes("src/cart.ts") && context.includes("return items.reduce"), context);
      const token = new vscode.CancellationTokenSource().token;
      const items = (await completions.provideInlineCompletionItems(
        editor.document,
        end,
        {} as vscode.InlineCompletionContext,
        token,
      )) as vscode.InlineCompletionItem[];
      equal(
        items.map(({ insertText }) => insertText),
        ["(12, 30);"],
      );
    } finally {
      await settings.update("completions.enabled", undefined, vscode.ConfigurationTarget.Global);
    }
  },

  "the example: talks, calls a tool, summarises, and takes it back": async ({ context, model, scripted }) => {
    context.subscriptions.push(
      vscode.lm.registerTool("espalier_look", {
        invoke: (options: vscode.LanguageModelToolInvocationOptions<{ path: string }>) =>
          new vscode.LanguageModelToolResult([
            new vscode.LanguageModelTextPart(`contents of ${options.input.path}\n${"a line of it\n".repeat(100)}`),
          ]),
      }),
    );
    const { handler, conversation } = await activated();
    scripted.answer = ({ messages, options, say }) => {
      const last = messages.at(-1)!.content.at(-1);
      if (!options.tools?.length) return say(new vscode.LanguageModelTextPart(SUMMARY));
      if (last instanceof vscode.LanguageModelToolResultPart) return say(new vscode.LanguageModelTextPart("I see."));
      return say(
        new vscode.LanguageModelTextPart("I look."),
        new vscode.LanguageModelToolCallPart(`look${scripted.asked.length}`, "espalier_look", { path: "src/a.ts" }),
      );
    };
    const shown: string[] = [];
    const response = {
      markdown: (text: string) => void shown.push(text),
      progress: (text: string) => void shown.push(`(${text})`),
    } as unknown as vscode.ChatResponseStream;
    const token = new vscode.CancellationTokenSource().token;
    const ask = (prompt: string, command?: string) =>
      handler(
        {
          prompt,
          command,
          model,
          references: [],
          toolReferences: [{ name: "espalier_look" }],
          toolInvocationToken: undefined,
        } as unknown as vscode.ChatRequest,
        { history: [] },
        response,
        token,
      );
    await ask("What is in src/a.ts?");
    equal(shown, ["I look.", "I see."]);
    for (let turn = 0; turn < 12; turn += 1) await ask(`And again, number ${turn}?`);
    const talk = await conversation();
    ok(
      shown.some((text) => text.startsWith("(Summarised")),
      "it was summarised on the way",
    );
    genuine(talk.view().messages, "view");
    shown.length = 0;
    await ask("", "undo");
    ok(shown[0]?.includes("is back"), String(shown));
    shown.length = 0;
    await ask("", "context");
    ok(/^\d+ % of [\d.,\s]+ tokens: /.test(shown.join("\n")), String(shown));
    shown.length = 0;
    await ask("the paths", "compact");
    ok(shown.includes("(Compacting conversation…)") && shown.at(-1)!.startsWith("Summarised: "), String(shown));
    await talk.dispose();
  },
};
