/**
 * A chat participant whose conversations continue for days: stored in the workspace's storage, compacted in the
 * background, always within the window of the model that the user has picked.
 */

import { signalFrom, truncate } from "espalier";
import * as vscode from "vscode";
import { Answering, pieceOf, Runaway, showProgress } from "./answer.ts";
import { attached } from "./attachments.ts";
import type { Conversations } from "./conversations.ts";
import { explain } from "./errors.ts";
import { exchangesOf, isOurs, resultOf } from "./history.ts";
import type { Exchange } from "./history.ts";
import { compactedByHand, contextText, COMMANDS, undoneText } from "./notes.ts";
import { pin } from "./pins.ts";
import { placeOf } from "./place.ts";
import type { WorkspaceSearch } from "./search.ts";
import type { Message, Talk } from "./talk.ts";
import { writeTranscript } from "./transcript.ts";
import type { Turn } from "./turns.ts";

export class Participant {
  readonly #conversations: Conversations;
  readonly #search: WorkspaceSearch;
  readonly #changed = new vscode.EventEmitter<Talk>();
  /** Fires when a request has ended, with its conversation. */
  readonly onDidChange = this.#changed.event;

  constructor(conversations: Conversations, search: WorkspaceSearch) {
    this.#conversations = conversations;
    this.#search = search;
  }

  readonly handler: vscode.ChatRequestHandler = async (request, chat, response, token) => {
    this.#conversations.model = request.model;
    try {
      const { talk, missing } = await this.#place(request, chat);
      talk.isBusy = true;
      let stored = talk;
      try {
        const { turn, result } = await this.#run(talk, missing, request, response, token);
        stored = await this.#conversations.stored(talk, turn);
        return resultOf({ conversation: stored.id, turn: turn.key }, result);
      } finally {
        talk.isBusy = false;
        this.#changed.fire(stored);
        await writeTranscript(stored, this.#conversations.transcriptOf(stored.id));
      }
    } catch (error) {
      return { errorDetails: { message: explain(error, request.model.name) } };
    }
  };

  async #place(request: vscode.ChatRequest, chat: vscode.ChatContext) {
    if (request.command === "new") return { talk: await this.#conversations.begin(), missing: [] };
    return placeOf(exchangesOf(chat.history), this.#conversations, request.prompt);
  }

  /** Answers a request, and ends its turn whatever happens. */
  async #run(
    talk: Talk,
    missing: readonly Exchange[],
    request: vscode.ChatRequest,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<{ turn: Turn; result: vscode.ChatResult }> {
    const { prompt, command } = request;
    const ended = (more: { isStopped?: boolean; isAnswered?: boolean } = {}, result: vscode.ChatResult = {}) => ({
      turn: talk.finish({ prompt, ...(command !== undefined && { command }), ...more }),
      result,
    });
    let answering: Answering | undefined;
    try {
      this.#takeIn(talk, missing, request.model);
      if (command === undefined || command === "search") {
        await this.#ask(talk, request, response, token);
        answering = new Answering(talk, request, response, token);
        await answering.run();
      } else await this.#obey(talk, request, response, token);
      return ended();
    } catch (error) {
      const stopped = { isStopped: true, isAnswered: answering?.isAnswered ?? false };
      if (token.isCancellationRequested || error instanceof Runaway) return ended(stopped);
      return ended(stopped, { errorDetails: { message: explain(error, request.model.name) } });
    }
  }

  /** Appends the exchanges of the session that the conversation does not have. */
  #takeIn(talk: Talk, missing: readonly Exchange[], model: vscode.LanguageModelChat): void {
    const { User, Assistant } = vscode.LanguageModelChatMessage;
    const maxTokens = pieceOf(model);
    for (const exchange of missing) {
      const { prompt, answer, participant } = exchange;
      const asked = isOurs(exchange) ? prompt : `(Asked of @${participant}) ${prompt}`;
      talk.append(User(truncate(asked, { maxTokens }).text));
      if (answer.trim() !== "") talk.append(Assistant(truncate(answer, { maxTokens }).text));
    }
  }

  /** Appends the question, with what it refers to. */
  async #ask(
    talk: Talk,
    request: vscode.ChatRequest,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { prompt, command, references, model } = request;
    const messages = await attached(references, pieceOf(model));
    if (command === "search") messages.push(...(await this.#found(prompt, response, signalFrom(token))));
    talk.append([...messages, vscode.LanguageModelChatMessage.User(prompt)]);
  }

  async #obey(
    talk: Talk,
    request: vscode.ChatRequest,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { command, prompt } = request;
    if (command === "new") {
      response.markdown("A new conversation begins here. Earlier messages of this chat are not sent any more.");
    } else if (command === "undo") {
      const undone = talk.undo();
      response.markdown(undoneText(undone));
      if (undone) response.button({ command: COMMANDS.showSent, title: "Show what is sent", arguments: [talk.id] });
    } else if (command === "context") {
      response.markdown(contextText(talk));
      response.button({ command: COMMANDS.showSent, title: "Show what is sent", arguments: [talk.id] });
    } else if (command === "pin") {
      pin(talk, prompt, response);
    } else if (command === "compact") {
      const stop = showProgress(talk, response);
      try {
        const focus = prompt.trim();
        const result = await talk.conversation.compact({ ...(focus && { focus }), signal: signalFrom(token) });
        if (result.status === "applied") talk.sent = undefined;
        compactedByHand(response, talk, result);
      } finally {
        stop();
      }
    }
  }

  /** Returns the workspace's hits for a question as a message; each hit becomes a reference of the answer. */
  async #found(question: string, response: vscode.ChatResponseStream, signal: AbortSignal): Promise<Message[]> {
    const budget = vscode.workspace.getConfiguration("espalier").get("search.budget", 4_000);
    const answer = await this.#search.search(question, { budget, signal });
    response.progress(
      `Found ${answer.hits.length} places in ${answer.state.files} files (${answer.strategy}, ${answer.tokens} tokens)`,
    );
    for (const hit of answer.hits) {
      const location = this.#search.locationOf(hit);
      if (location) response.reference(location);
    }
    const { searchMessages } = await import("espalier/prompt");
    return (await searchMessages(answer, { format: "vscode", budget })) as Message[];
  }
}
