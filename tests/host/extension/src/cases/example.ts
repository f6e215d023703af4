/**
 * The example: the test talks to its chat participant as VS Code would, and uses the search of the workspace and inline
 * completions.
 */

import type { Conversation } from "espalier/inline";
import * as vscode from "vscode";
import { equal, ok, until } from "../check.ts";
import type { Cases } from "../check.ts";
import { SUMMARY } from "./conversations.ts";
import { textOf } from "../model.ts";
import { genuine } from "./messages.ts";

interface Hit {
  path: string;
  firstLine: number;
}

/** The parts of the example. */
interface Days {
  handler: vscode.ChatRequestHandler;
  conversations: {
    find(id: string): Promise<{ conversation: Conversation<vscode.LanguageModelChatMessage> }>;
    folderOf(id: string): vscode.Uri;
    deleteOld(now?: number): Promise<string[]>;
  };
  completions: vscode.InlineCompletionItemProvider & {
    complete: (prompt: { context: string; prefix: string }) => Promise<string>;
  };
  search: { search(query: string, options?: object): Promise<{ hits: Hit[]; strategy: string; tokens: number }> };
}

export const activated = async () =>
  ((await vscode.extensions.getExtension("espalier.espalier-example")!.activate()) as { load(): Promise<Days> }).load();
const uriOf = (path: string) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, path);
const write = (path: string, text: string) =>
  vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));

/** A chat with the example: what it shows for the newest question, whose exchange is the history of the next one. */
export function chatWith(handler: vscode.ChatRequestHandler, model: vscode.LanguageModelChat | undefined) {
  let history: object[] = [];
  const chat = {
    shown: "",
    /** Asks, and returns the id of the conversation. */
    async ask(prompt: string): Promise<string> {
      chat.shown = "";
      const response = { markdown: (text: string) => void (chat.shown += text), progress() {}, button() {} };
      const result = await handler(
        { prompt, model, references: [], toolReferences: [] } as unknown as vscode.ChatRequest,
        { history } as unknown as vscode.ChatContext,
        response as unknown as vscode.ChatResponseStream,
        new vscode.CancellationTokenSource().token,
      );
      history = [
        { prompt, participant: "espalier.days" },
        { response: [], result },
      ];
      return result!.metadata!["espalier"].conversation;
    },
  };
  return chat;
}

export const example: Cases = {
  "the example: searches the workspace, follows its changes, and opens what is chosen": async ({ note, reads }) => {
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
    note(`loaded: ${Math.round(performance.now() - start)} ms`);
    start = performance.now();
    const { hits, strategy, tokens } = await search.search("send a receipt", { fullWorkspace: false, budget: 1_000 });
    note(`the first search, engine and index included: ${Math.round(performance.now() - start)} ms`);
    equal([hits[0]?.path, strategy], ["src/mail.ts", "lexical"]);
    ok((await reads()).includes("workspace.wasm"), "the first search has read its engine");
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

  "the example: two chats that continue one conversation, and a chat whose conversation is lost": async ({
    model,
    scripted,
  }) => {
    const { handler } = await activated();
    scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart(`Answer ${scripted.asked.length}.`));
    const first = scripted.asked.length + 1;
    const response = { markdown() {}, progress() {}, button() {} } as unknown as vscode.ChatResponseStream;
    const ask = async (prompt: string, ...history: object[]) => {
      const request = { prompt, model, references: [], toolReferences: [] } as unknown as vscode.ChatRequest;
      const { token } = new vscode.CancellationTokenSource();
      const result = await handler(request, { history } as unknown as vscode.ChatContext, response, token);
      return [
        { prompt, participant: "espalier.days" },
        { response: [{ value: { value: `Answer ${scripted.asked.length}.` } }], result },
      ];
    };
    const heard = () => scripted.asked.at(-1)!.messages.map(textOf);
    const answer = (number: number) => `Answer ${first + number}.`;
    const one = await ask("one");
    const two = await ask("two", ...one);
    await ask("forked", ...one);
    equal(heard(), ["one", answer(0), "forked"], "the fork");
    await ask("three", ...one, ...two);
    equal(heard(), ["one", answer(0), "two", answer(1), "three"], "the chat that was forked");
    // VS Code passes the history of others to participants that may see it.
    const other = [
      { prompt: "Where is main?", participant: "workspace" },
      { response: [{ value: { value: "In main.ts." } }], result: { metadata: one[1]!.result!.metadata } },
    ];
    await ask("and then?", ...one, ...other);
    equal(
      heard(),
      ["one", answer(0), "(Asked of @workspace) Where is main?", "In main.ts.", "and then?"],
      "another participant's exchange",
    );
    const lost = { metadata: { espalier: { conversation: "../../elsewhere", turn: "x" } } };
    await ask("go on", one[0]!, { ...one[1], result: lost });
    equal(heard(), ["one", answer(0), "go on"], "a conversation that is lost");
  },

  "the example: settings apply from the next request on": async ({ model, scripted }) => {
    const { handler, conversations } = await activated();
    const settings = vscode.workspace.getConfiguration("espalier.compaction");
    const set = (name: string, value: unknown) => settings.update(name, value, vscode.ConfigurationTarget.Global);
    const long = `It began. ${"The fox crossed the river. ".repeat(60)}`;
    scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart(long));
    const chat = chatWith(handler, model);
    const ask = async (prompt: string) => (await conversations.find(await chat.ask(prompt))).conversation;
    try {
      await set("threshold", 0.5);
      await set("model", "rules");
      equal((await ask("story")).usage().limit, 2_000, "half of the window");
      await set("threshold", 1_500);
      equal((await ask("story 0")).usage().limit, 1_500, "tokens");
      await set("threshold", 7);
      equal((await ask("story 1")).usage().limit, 4_000, "a threshold that cannot be");
      const asked = scripted.asked.length;
      for (let turn = 2; !chat.shown.includes("Conversation compacted"); turn += 1) {
        ok(turn < 20, "rules write a summary");
        await ask(`story ${turn}`);
      }
      ok(
        scripted.asked.slice(asked).every(({ messages }) => textOf(messages.at(-1)!).startsWith("story ")),
        "no model is asked for a summary",
      );
      await set("enabled", false);
      let conversation = await ask("story");
      const edits = conversation.edits().length;
      for (let turn = 0; !chat.shown.includes("Not everything fits"); turn += 1) {
        ok(turn < 20, "the chat says that something is left out");
        conversation = await ask(`off ${turn}`);
      }
      equal(conversation.edits().length, edits, "nothing is compacted while it is off");
    } finally {
      for (const name of ["threshold", "model", "enabled"]) await set(name, undefined);
    }
  },

  "the example: a model to try it with, while there is no other or when the setting asks for it": async ({
    model: other,
  }) => {
    const { handler } = await activated();
    const demo = async () => (await vscode.lm.selectChatModels({ vendor: "espalier-demo" }))[0];
    ok(other && !(await demo()), "there is another model");
    const settings = vscode.workspace.getConfiguration("espalier");
    await settings.update("demoModel", "on", vscode.ConfigurationTarget.Global);
    try {
      let model = await demo();
      for (let tries = 0; !model && tries < 50; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        model = await demo();
      }
      ok(model, "the demonstration model is listed");
      const chat = chatWith(handler, model);
      for (let turn = 0; !chat.shown.includes("Conversation compacted"); turn += 1) {
        ok(turn < 20, "it is compacted soon");
        await chat.ask(`Question ${turn}?`);
        ok(chat.shown.includes(`“Question ${turn}?”`), chat.shown);
      }
      ok(!chat.shown.includes("so rules made it"), chat.shown);
    } finally {
      await settings.update("demoModel", undefined, vscode.ConfigurationTarget.Global);
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
    const { handler, conversations } = await activated();
    scripted.answer = ({ messages, options, say }) => {
      const last = messages.at(-1)!.content.at(-1);
      if (!options.tools?.some(({ name }) => name === "espalier_look"))
        return say(new vscode.LanguageModelTextPart(SUMMARY));
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
      button() {},
    } as unknown as vscode.ChatResponseStream;
    const token = new vscode.CancellationTokenSource().token;
    // VS Code returns the metadata of the newest answer with the history.
    let result: Awaited<ReturnType<vscode.ChatRequestHandler>>;
    const ask = async (prompt: string, command?: string) => {
      const history = result
        ? [
            { prompt: "", participant: "espalier.days" },
            { response: [], result },
          ]
        : [];
      const request = {
        prompt,
        command,
        model,
        references: [],
        toolReferences: [{ name: "espalier_look" }],
        toolInvocationToken: undefined,
      } as unknown as vscode.ChatRequest;
      result = await handler(request, { history } as unknown as vscode.ChatContext, response, token);
    };
    await ask("What is in src/a.ts?");
    equal(shown, ["I look.", "I see."]);
    for (let turn = 0; turn < 12; turn += 1) await ask(`And again, number ${turn}?`);
    ok(
      shown.some((text) => text.includes("**Conversation compacted**")),
      "it was compacted on the way",
    );
    const { conversation } = await conversations.find(result!.metadata!["espalier"].conversation);
    genuine(conversation.view().messages, "view");
    shown.length = 0;
    await ask("", "undo");
    ok(shown[0]?.startsWith("Undone."), String(shown));
    shown.length = 0;
    await ask("", "context");
    ok(/^\*\*\d+ % of [\d,]+ tokens\*\*/.test(shown[0] ?? ""), String(shown));
    shown.length = 0;
    await ask("the paths", "compact");
    ok(shown.includes("(Compacting conversation…)") && shown.at(-1)!.includes("compacted"), String(shown));
    const id = result!.metadata!["espalier"].conversation;
    for (const [file, words] of [
      ["said.md", "What is in src/a.ts?"],
      ["said.jsonl", '"type":"message"'],
    ] as const) {
      await vscode.commands.executeCommand("espalier.exportConversation", id, uriOf(file));
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(file)));
      ok(text.includes(words) && text.includes("And again, number 0?"), `${file}: ${text.slice(0, 200)}`);
    }
  },
};
