/**
 * A chat participant whose conversation goes on for days: kept in the workspace's storage, summarised beside the talk by whatever model the user has
 * picked, and always within that model's window. `/search` adds what the workspace has about a question.
 */

import { loadEncodingSync, openConversation, searchMessages, signalFrom, workspaceStorage } from "espalier/inline";
import type { Conversation, Llm } from "espalier/inline";
import { vscode as languageModel } from "espalier/providers";
import * as vscode from "vscode";
import type { WorkspaceSearch } from "./search.ts";

type Messages = vscode.LanguageModelChatMessage;

export class Participant implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #search: WorkspaceSearch;
  /** Whoever answers the newest request also writes the summaries. */
  #writer: Llm | undefined;
  #opened: Promise<Conversation<Messages>> | undefined;

  constructor(context: vscode.ExtensionContext, search: WorkspaceSearch) {
    this.#context = context;
    this.#search = search;
  }

  conversation(): Promise<Conversation<Messages>> {
    return (this.#opened ??= this.#open());
  }

  async #open(): Promise<Conversation<Messages>> {
    const { extensionUri, storageUri, globalStorageUri } = this.#context;
    loadEncodingSync(
      "o200k_base",
      await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, "assets", "o200k_base.vocab")),
    );
    return openConversation<Messages>({
      format: "vscode",
      storage: workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(storageUri ?? globalStorageUri, "days")),
      llm: (request, options) => {
        if (!this.#writer) throw new Error("no model has been picked yet");
        return this.#writer(request, options);
      },
    });
  }

  readonly handler: vscode.ChatRequestHandler = async (request, _chat, response, token) => {
    const signal = signalFrom(token);
    const talk = await this.conversation();
    if (request.command === "undo") {
      response.markdown(
        talk.undo() ? "The newest summary is gone; what it stood for is back." : "There is no summary to take back.",
      );
      return;
    }
    const { model } = request;
    const provider = languageModel({ model, api: vscode });
    this.#writer = provider.llm;
    if (request.command === "search")
      talk.append((await this.#found(request.prompt, response, signal)) as Messages[]);
    // Those that the user asked for with #: all that there are would fill a small window by themselves.
    const wanted = new Set(request.toolReferences.map(({ name }) => name));
    const tools = vscode.lm.tools
      .filter(({ name }) => wanted.has(name))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    talk.append(vscode.LanguageModelChatMessage.User(request.prompt));
    for (;;) {
      const { messages, report } = await talk.prepare({
        tools,
        model: { name: model.family, maxInputTokens: model.maxInputTokens },
        signal,
      });
      for (const { status, before, after } of report.compactions) {
        if (status === "applied")
          response.progress(
            `Summarised: ${before.total.toLocaleString()} tokens are ${after.total.toLocaleString()} now`,
          );
      }
      const answer = await provider.send(provider.toRequest(messages, { tools }), {
        signal,
        onText: (text) => response.markdown(text),
      });
      talk.append(answer.messages as Messages[]);
      if (answer.toolCalls.length === 0) break;
      const results = answer.toolCalls.map(async ({ id, name, input }) => {
        const { content } = await vscode.lm.invokeTool(
          name,
          { input: (input ?? {}) as object, toolInvocationToken: request.toolInvocationToken },
          token,
        );
        return new vscode.LanguageModelToolResultPart(id, content);
      });
      talk.append(vscode.LanguageModelChatMessage.User(await Promise.all(results)));
    }
    await talk.flush();
  };

  /** What the workspace has about a question, as a message; each hit is a reference of the answer. */
  async #found(question: string, response: vscode.ChatResponseStream, signal: AbortSignal): Promise<unknown[]> {
    const budget = vscode.workspace.getConfiguration("espalier").get("search.budget", 4_000);
    const answer = await this.#search.search(question, { budget, signal });
    response.progress(
      `Found ${answer.hits.length} places in ${answer.state.files} files (${answer.strategy}, ${answer.tokens} tokens)`,
    );
    for (const hit of answer.hits) {
      const location = this.#search.locationOf(hit);
      if (location) response.reference(location);
    }
    return searchMessages(answer, { format: "vscode", budget });
  }

  dispose(): void {
    void this.#opened?.then((talk) => talk.dispose());
  }
}
