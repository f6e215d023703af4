/** Asks the model, runs the tools that it calls, and shows what happens to the conversation on the way. */

import { recallTool, signalFrom, toolContent } from "espalier";
import type { Compacted, Prepared } from "espalier";
import { vscode as languageModel } from "espalier/providers";
import type { Answer, AnswerToolCall } from "espalier/providers";
import * as vscode from "vscode";
import { limitsOf } from "./conversations.ts";
import { messageOf } from "./errors.ts";
import { compacted, leftOut } from "./notes.ts";
import type { Message, Talk } from "./talk.ts";

/** Max requests for one question: a model that only calls tools is stopped. */
const MAX_ROUNDS = 30;
/** Share of the window for one result of a tool, or one attachment; min and max tokens of it. */
const PIECE_SHARE = 0.2;
const MIN_PIECE = 400;
const MAX_PIECE = 16_000;
/** Max tokens of an answer, and the characters of a token at most: a model that streams forever is stopped. */
const MAX_ANSWER = 32_768;
const CHARACTERS = 8;

/** Returns the max tokens for one piece of a request. */
export function pieceOf({ maxInputTokens }: vscode.LanguageModelChat): number {
  return Math.round(Math.min(MAX_PIECE, Math.max(MIN_PIECE, maxInputTokens * PIECE_SHARE || MIN_PIECE)));
}

/** The end of an answer that was not complete. */
export class Runaway extends Error {}

/** Shows "Compacting conversation…" while an answer waits for a summary. The returned function ends that. */
export function showProgress(talk: Talk, response: vscode.ChatResponseStream): () => void {
  return talk.conversation.on("compaction_progress", ({ stage, job }) => {
    if (stage === "waiting" || (stage === "asking" && job === undefined)) response.progress("Compacting conversation…");
  });
}

export class Answering {
  readonly #talk: Talk;
  readonly #request: vscode.ChatRequest;
  readonly #response: vscode.ChatResponseStream;
  readonly #token: vscode.CancellationToken;
  readonly #signal: AbortSignal;
  readonly #wanted: vscode.LanguageModelChatTool[];
  readonly #applied: Compacted[] = [];
  /** Text of the round that is being streamed. */
  #streamed = "";
  /** True if the model has said anything. */
  isAnswered = false;

  constructor(
    talk: Talk,
    request: vscode.ChatRequest,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ) {
    this.#talk = talk;
    this.#request = request;
    this.#response = response;
    this.#token = token;
    this.#signal = signalFrom(token);
    // The tools that the user asked for with #: all available ones would fill a small window by themselves.
    const names = new Set(request.toolReferences.map(({ name }) => name));
    this.#wanted = vscode.lm.tools
      .filter(({ name }) => names.has(name))
      .map(({ name, description, inputSchema }) => ({ name, description, ...(inputSchema && { inputSchema }) }));
  }

  /** Answers the request, whose messages have been appended. Whatever it throws, complete rounds are kept. */
  async run(): Promise<void> {
    const stop = showProgress(this.#talk, this.#response);
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) if (await this.#round()) return;
      this.#response.markdown(`\n\n*Stopped after ${MAX_ROUNDS} rounds of tools. Say "go on" to continue.*`);
    } catch (error) {
      if (this.#streamed !== "")
        this.#talk.append(vscode.LanguageModelChatMessage.Assistant(this.#streamed) as Message);
      if (error instanceof Runaway) this.#response.markdown(`\n\n*${error.message}*`);
      throw error;
    } finally {
      stop();
      this.#tell();
    }
  }

  /** Sends one request; returns true if its answer calls no tool. */
  async #round(): Promise<boolean> {
    const { answer, recall } = await this.#ask();
    const results = await Promise.all(answer.toolCalls.map((call) => this.#result(call, recall)));
    // Together: a call without its result must not stay behind if the user cancels.
    const messages = answer.messages as Message[];
    this.#streamed = "";
    this.#talk.append(
      results.length > 0 ? [...messages, vscode.LanguageModelChatMessage.User(results) as Message] : messages,
    );
    return results.length === 0;
  }

  async #ask(): Promise<{ answer: Answer; recall: ReturnType<typeof recallTool> | undefined }> {
    const { conversation, isCompacted } = this.#talk;
    const { model } = this.#request;
    const provider = languageModel({ model, api: vscode });
    for (;;) {
      const maxTokens = pieceOf(model);
      const recall = isCompacted ? recallTool(conversation, { format: "vscode", maxTokens }) : undefined;
      const tools = recall ? [...this.#wanted, recall.definition] : this.#wanted;
      const prepared = await conversation.prepare({ tools, model: limitsOf(model), signal: this.#signal });
      this.#remember(prepared, tools);
      try {
        const answer = await this.#send(provider, provider.toRequest(prepared.messages, { tools }));
        if (answer.usage) conversation.reportUsage(answer.usage);
        return { answer, recall };
      } catch (error) {
        // The model takes less than it said: the conversation has learned that, and the next request is smaller.
        const isTooLarge = this.#streamed === "" && conversation.contextRefused(error).action === "retry";
        if (!isTooLarge || this.#signal.aborted) throw error;
      }
    }
  }

  async #send(provider: ReturnType<typeof languageModel>, request: Parameters<typeof provider.send>[0]) {
    const max = CHARACTERS * Math.min(MAX_ANSWER, Math.max(1_000, this.#request.model.maxInputTokens || 0));
    const own = new AbortController();
    const abort = () => own.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort, { once: true });
    if (this.#signal.aborted) abort();
    let isRunaway = false;
    try {
      return await provider.send(request, {
        signal: own.signal,
        onText: (text) => {
          if (isRunaway) return;
          this.isAnswered = true;
          this.#streamed += text;
          this.#response.markdown(text);
          if (this.#streamed.length <= max) return;
          isRunaway = true;
          own.abort();
        },
      });
    } catch (error) {
      if (!isRunaway) throw error;
      throw new Runaway(`The answer was stopped: it is longer than ${(max / CHARACTERS).toLocaleString("en")} tokens.`);
    } finally {
      this.#signal.removeEventListener("abort", abort);
    }
  }

  #remember({ messages, report }: Prepared<Message>, tools: readonly { name: string }[]): void {
    const { model } = this.#request;
    const { split } = this.#talk.conversation.view();
    this.#talk.sent = { messages, report, split, model: model.name, tools: tools.map(({ name }) => name) };
    this.#applied.push(...report.compactions.filter(({ status }) => status === "applied"));
  }

  /** Shows what was done to make the requests fit: at the end, since VS Code folds what precedes the answer's text. */
  #tell(): void {
    const { sent } = this.#talk;
    if (this.#applied.length > 0) compacted(this.#response, this.#talk, this.#applied);
    else if (sent && sent.report.trimmed.length > 0) leftOut(this.#response, this.#talk, sent.report);
  }

  /** Calls a tool. If it fails, the model reads why. */
  async #result(
    { id, name, input }: AnswerToolCall,
    recall: ReturnType<typeof recallTool> | undefined,
  ): Promise<vscode.LanguageModelToolResultPart> {
    const result = (text: string) =>
      new vscode.LanguageModelToolResultPart(id, [new vscode.LanguageModelTextPart(text)]);
    if (name === recall?.name) {
      this.#response.progress("Reading earlier messages");
      return result(await recall.handle(input));
    }
    try {
      const output = await vscode.lm.invokeTool(
        name,
        { input: (input ?? {}) as object, toolInvocationToken: this.#request.toolInvocationToken },
        this.#token,
      );
      const maxTokens = pieceOf(this.#request.model);
      const { content } = await toolContent(output, { maxTokens, keep: "errors", signal: this.#signal });
      return new vscode.LanguageModelToolResultPart(id, partsOf(content, output.content));
    } catch (error) {
      if (this.#signal.aborted) throw error;
      return result(`The tool failed: ${messageOf(error)}`);
    }
  }
}

type Content = Awaited<ReturnType<typeof toolContent>>["content"];

/** Converts the content of a result to VS Code's classes. Of the pictures, the last ones of the tool's output stay. */
function partsOf(content: Content, output: readonly unknown[]): unknown[] {
  const kept = content.filter(({ type }) => type === "image").length;
  const pictures = output.filter(isPicture).slice(-kept);
  return content.flatMap((part): unknown[] => {
    if (part.type === "text") return [new vscode.LanguageModelTextPart(part.text)];
    return part.type === "image" ? [pictures.shift() ?? new vscode.LanguageModelTextPart("[a picture]")] : [];
  });
}

/** VS Code before 1.106 has no class for pictures, and the types of this example are older. */
function isPicture(part: unknown): boolean {
  const { mimeType } = part as { mimeType?: unknown };
  return typeof mimeType === "string" && mimeType.startsWith("image/");
}
