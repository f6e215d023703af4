/**
 * A chat participant whose conversation goes on for days: kept in the workspace's storage, summarised beside the talk by whatever model the user has
 * picked, and always within that model's window. The same file runs on the desktop and in VS Code for the web.
 */

import { loadEncodingSync, openConversation, signalFrom, workspaceStorage } from "espalier/inline";
import type { Conversation, Llm } from "espalier/inline";
import { vscode as languageModel } from "espalier/providers";
import * as vscode from "vscode";

type Messages = vscode.LanguageModelChatMessage;

export async function activate(context: vscode.ExtensionContext) {
  loadEncodingSync("o200k_base", await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "assets", "o200k_base.vocab")));

  // Whoever answers the newest request also writes the summaries.
  let writer: Llm | undefined;
  let opened: Promise<Conversation<Messages>> | undefined;
  const conversation = () => (opened ??= openConversation<Messages>({
    format: "vscode",
    storage: workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "days")),
    llm: (request, options) => {
      if (!writer) throw new Error("no model has been picked yet");
      return writer(request, options);
    },
  }));

  const handler: vscode.ChatRequestHandler = async (request, _chat, response, token) => {
    const signal = signalFrom(token);
    const talk = await conversation();
    if (request.command === "undo") {
      response.markdown(talk.undo() ? "The newest summary is gone; what it stood for is back." : "There is no summary to take back.");
      return;
    }
    const { model } = request;
    const provider = languageModel({ model, api: vscode });
    writer = provider.llm;
    // Those that the user asked for with #: all that there are would fill a small window by themselves.
    const wanted = new Set(request.toolReferences.map(({ name }) => name));
    const tools = vscode.lm.tools.filter(({ name }) => wanted.has(name)).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    talk.append(vscode.LanguageModelChatMessage.User(request.prompt));
    for (;;) {
      const { messages, report } = await talk.prepare({ tools, model: { name: model.family, maxInputTokens: model.maxInputTokens }, signal });
      for (const { status, before, after } of report.compactions) {
        if (status === "applied") response.progress(`Summarised: ${before.total.toLocaleString()} tokens are ${after.total.toLocaleString()} now`);
      }
      const answer = await provider.send(provider.toRequest(messages, { tools }), { signal, onText: (text) => response.markdown(text) });
      talk.append(answer.messages as Messages[]);
      if (answer.toolCalls.length === 0) break;
      const results = answer.toolCalls.map(async ({ id, name, input }) => {
        const { content } = await vscode.lm.invokeTool(name, { input: (input ?? {}) as object, toolInvocationToken: request.toolInvocationToken }, token);
        return new vscode.LanguageModelToolResultPart(id, content);
      });
      talk.append(vscode.LanguageModelChatMessage.User(await Promise.all(results)));
    }
    await talk.flush();
  };

  context.subscriptions.push(vscode.chat.createChatParticipant("espalier.days", handler));
  context.subscriptions.push({ dispose: () => void opened?.then((talk) => talk.dispose()) });
  return { handler, conversation };
}
