/**
 * A chat view to type into: a default participant, and a model with a window of 4,000 tokens. The test decides what
 * the model says: every request is posted to it, and its reply is a list of steps.
 */

import * as vscode from "vscode";

/** One step of an answer. */
type Step =
  | { text: string }
  | { waitMs: number }
  | { call: string; input: object }
  | { error: string; code?: "Blocked" | "NotFound" | "NoPermissions" }
  /** Repeats the text until the request is cancelled. */
  | { forever: string }
  /** Removes the model from VS Code for a second. */
  | { vanish: true };

declare const process: { env: Record<string, string | undefined> } | undefined;

const VENDOR = "espalier-chat";

/** The workspace. */
const FILES = {
  "notes.md": "# Notes\n\nThe ferry leaves at seven.\nThe fox pays nothing.\n",
  "src/mail.ts": "export function sendReceipt(address: string): void {\n  post(address);\n}\n",
  "src/cart.ts": "export function totalOfCart(items: number[]): number {\n  return items.length;\n}\n",
};

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const { scheme, authority } = context.extensionUri;
  const base = scheme === "http" ? `http://${authority}/` : process!.env["ESPALIER_REPORT"]!;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  for (const [path, text] of folder ? Object.entries(FILES) : [])
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder!, path), new TextEncoder().encode(text));
  const post = async (path: string, body: unknown) =>
    (await fetch(`${base}${path}`, { method: "POST", body: JSON.stringify(body) })).text();

  let isThere = true;
  const changed = new vscode.EventEmitter<void>();
  const returns = async () => {
    isThere = true;
    changed.fire();
    await vscode.lm.selectChatModels({ vendor: VENDOR });
    await post("returned", {});
  };
  const model: vscode.LanguageModelChatProvider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: () => (isThere ? [about("four", 4_000), about("liar", 0)] : []),
    async provideLanguageModelChatResponse({ id }, messages, options, progress, token) {
      const asked = {
        model: id,
        messages: messages.map(({ role, content }) => ({ role, text: textOf(content) })),
        tools: (options.tools ?? []).map(({ name }) => name),
      };
      token.onCancellationRequested(() => void post("cancelled", asked.messages.length));
      for (const step of JSON.parse(await post("asked", asked)) as Step[]) {
        if (token.isCancellationRequested) return;
        if ("text" in step) progress.report(new vscode.LanguageModelTextPart(step.text));
        else if ("waitMs" in step) await after(step.waitMs);
        else if ("call" in step)
          progress.report(new vscode.LanguageModelToolCallPart(crypto.randomUUID(), step.call, step.input));
        else if ("vanish" in step) {
          isThere = false;
          changed.fire();
          setTimeout(returns, 1_000);
          throw vscode.LanguageModelError.NotFound("the model is gone");
        } else if ("error" in step)
          throw step.code ? vscode.LanguageModelError[step.code](step.error) : new Error(step.error);
        else
          while (!token.isCancellationRequested) {
            progress.report(new vscode.LanguageModelTextPart(step.forever));
            await after(1);
          }
      }
    },
    provideTokenCount: async (_, text) =>
      Math.ceil((typeof text === "string" ? text : textOf(text.content)).length / 4),
  };
  const chat = vscode.chat.createChatParticipant("espalier.default", async (request, _, response) => {
    response.markdown(`The default participant heard: ${request.prompt}`);
  });
  context.subscriptions.push(
    changed,
    chat,
    vscode.lm.registerLanguageModelChatProvider(VENDOR, model),
    vscode.lm.registerTool("espalier_look", {
      invoke: ({ input }: vscode.LanguageModelToolInvocationOptions<{ path: string }>) =>
        new vscode.LanguageModelToolResult([
          new vscode.LanguageModelTextPart(`contents of ${input.path}\n${"a line of it\n".repeat(300)}`),
        ]),
    }),
  );
}

function about(id: string, maxInputTokens: number): vscode.LanguageModelChatInformation {
  const capabilities = { toolCalling: true, imageInput: true };
  const name = `Fake ${id}`;
  // Shown in the picker; `isDefault` is not in the types of the stable API.
  const shown = { isUserSelectable: true, isDefault: id === "four" };
  return { id, name, family: "gpt-4o", version: "1", maxInputTokens, maxOutputTokens: 1_000, capabilities, ...shown };
}

function textOf(content: readonly unknown[]): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolResultPart) return `[result ${textOf(part.content)}]`;
      if (part instanceof vscode.LanguageModelToolCallPart) return `[call ${part.name}]`;
      return "";
    })
    .join("");
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
