/**
 * A chat participant whose conversation continues for days: stored in the workspace's storage, summarised in the
 * background by the model that the user has picked, and always within that model's window. The settings that control
 * Copilot Chat's compaction apply here, too. `/search` adds the workspace's hits for a question.
 */

import {
  loadEncodingSync,
  openConversation,
  searchMessages,
  settingsFrom,
  signalFrom,
  workspaceStorage,
} from "espalier/inline";
import type { Conversation, Llm, Totals } from "espalier/inline";
import { vscode as languageModel } from "espalier/providers";
import * as vscode from "vscode";
import type { WorkspaceSearch } from "./search.ts";

type Messages = vscode.LanguageModelChatMessage;

export class Participant implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #search: WorkspaceSearch;
  readonly #log = vscode.window.createOutputChannel("Espalier", { log: true });
  /** The model of the newest request also writes the summaries. */
  #writer: Llm | undefined;
  #opened: Promise<Conversation<Messages>> | undefined;

  constructor(context: vscode.ExtensionContext, search: WorkspaceSearch) {
    this.#context = context;
    this.#search = search;
  }

  conversation(model?: vscode.LanguageModelChat): Promise<Conversation<Messages>> {
    return (this.#opened ??= this.#open(model));
  }

  async #open(model?: vscode.LanguageModelChat): Promise<Conversation<Messages>> {
    const { extensionUri, storageUri, globalStorageUri } = this.#context;
    loadEncodingSync(
      "o200k_base",
      await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, "assets", "o200k_base.vocab")),
    );
    const { options, ignored } = settingsFrom("copilot-chat", vscode.workspace.getConfiguration());
    for (const { key, why } of ignored) this.#log.info(`${key} has no effect. ${why}`);
    return openConversation<Messages>({
      ...options,
      format: "vscode",
      ...(model && { model: limitsOf(model) }),
      storage: workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(storageUri ?? globalStorageUri, "days")),
      llm: (request, options) => {
        if (!this.#writer) throw new Error("no model has been picked yet");
        return this.#writer(request, options);
      },
    });
  }

  readonly handler: vscode.ChatRequestHandler = async (request, _chat, response, token) => {
    const signal = signalFrom(token);
    const talk = await this.conversation(request.model);
    if (request.command === "undo") {
      response.markdown(
        talk.undo() ? "The newest summary is gone; what it stood for is back." : "There is no summary to take back.",
      );
      return;
    }
    const { model } = request;
    const provider = languageModel({ model, api: vscode });
    this.#writer = provider.llm;
    if (request.command === "context") return response.markdown(meter(talk));
    // A background summary shows nothing; one that the answer waits for does.
    const stop = talk.on("compaction_progress", ({ stage, job }) => {
      if (stage === "waiting" || (stage === "asking" && job === undefined))
        response.progress("Compacting conversation…");
    });
    try {
      if (request.command === "compact") {
        const { status, before, after, error } = await talk.compact({ focus: request.prompt, signal });
        response.markdown(
          status === "applied" ? summarised(before, after) : (error ?? "There is nothing to summarise yet."),
        );
        await talk.flush();
        return;
      }
      await this.#answer(talk, provider, request, response, token, signal);
    } finally {
      stop();
    }
    await talk.flush();
  };

  /** Asks the model, and runs the tools that it calls, until it has answered. */
  async #answer(
    talk: Conversation<Messages>,
    provider: ReturnType<typeof languageModel>,
    request: vscode.ChatRequest,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
    signal: AbortSignal,
  ): Promise<void> {
    const { model } = request;
    if (request.command === "search") talk.append((await this.#found(request.prompt, response, signal)) as Messages[]);
    // The tools that the user asked for with #: all available ones would fill a small window by themselves.
    const wanted = new Set(request.toolReferences.map(({ name }) => name));
    const tools = vscode.lm.tools
      .filter(({ name }) => wanted.has(name))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    talk.append(vscode.LanguageModelChatMessage.User(request.prompt));
    for (;;) {
      const { messages, report } = await talk.prepare({
        tools,
        model: limitsOf(model),
        signal,
      });
      for (const { status, before, after } of report.compactions) {
        if (status === "applied") response.progress(summarised(before, after));
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
  }

  /** Returns the workspace's hits for a question as a message; each hit becomes a reference of the answer. */
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
    this.#log.dispose();
  }
}

const limitsOf = ({ family, maxInputTokens }: vscode.LanguageModelChat) => ({ name: family, maxInputTokens });

const tokens = (count: number) => count.toLocaleString();

const summarised = (before: Totals, after: Totals) =>
  `Summarised: ${tokens(before.total)} tokens are ${tokens(after.total)} now`;

/** Describes how full the next request is, and its content. */
function meter(talk: Conversation<Messages>): string {
  const { used, limit, ratio, conversation, tools, frame, job } = talk.usage();
  return [
    `${Math.round(100 * ratio)} % of ${tokens(limit)} tokens: ${tokens(used)}\n`,
    "| part | tokens |\n|---|---:|",
    `| conversation | ${tokens(conversation)} |\n| tools | ${tokens(tools)} |\n| other | ${tokens(frame)} |\n`,
    job === "idle" ? "" : `A summary is ${job}.`,
  ].join("\n");
}
