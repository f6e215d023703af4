/**
 * The provider for a `LanguageModelChat` of VS Code. Nothing of `vscode` is imported: the host passes the model and, if
 * messages must be created, the module itself.
 */

import { messageOf, partOf, usageIn } from "../formats/vscode/answers.ts";
import { CLOCK } from "./clock.ts";
import { NO_SECRETS } from "./failure.ts";
import { Guard } from "./guard.ts";
import { provider } from "./provider.ts";
import { patience, retrying } from "./retry.ts";
import type { AttemptState, Patience } from "./retry.ts";
import { checkRules } from "./refusals.ts";
import type { RefusalRule } from "./refusal-rules.ts";
import { thrown } from "./thrown.ts";
import type { Answer, Clock, Provider, ProviderRequest, SendOptions, StreamPart, AnswerToolCall } from "./types.ts";
import type { Reported } from "./usage.ts";
import { string } from "./wire.ts";
import { toVscode } from "../formats/vscode/request.ts";
import type { VscodeApi } from "../formats/vscode/request.ts";
import { check } from "../options/check.ts";
import { VSCODE } from "../options/schemas/providers.ts";

export type { VscodeApi } from "../formats/vscode/request.ts";

/** The used part of a `LanguageModelChat`. */
export interface VscodeModel {
  readonly id: string;
  sendRequest(messages: never, options?: never, token?: never): PromiseLike<{ stream: AsyncIterable<unknown> }>;
}

export interface VscodeOptions extends Patience {
  /** A model from `vscode.lm.selectChatModels`, or a chat request's `model`. */
  model: VscodeModel;
  /**
   * The module `vscode`. It is needed if messages are converted and it cannot be found (ES modules), since VS Code
   * requires instances of its own classes.
   */
  api?: VscodeApi;
  /** Why the model is used; VS Code shows it when it asks for permission. */
  justification?: string;
  /** Rules for refusals that this package does not know; they are tried first. Default: none. */
  refusals?: readonly RefusalRule[];
  /** Max tokens of an answer if the request sets no limit. Default: the model's. */
  maxTokens?: number;
  /** Clock and random numbers, for tests. Default: the system's. */
  clock?: Partial<Clock>;
}

/**
 * Returns a provider for a model of VS Code.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { compact } from "espalier";
 * import * as providers from "espalier/providers";
 *
 * const [model] = await vscode.lm.selectChatModels({ family: "gpt-4o" });
 * if (!model) throw new Error("There is no such model.");
 * const texts = Array.from({ length: 9 }, (_, at) => `${at}: ${"word ".repeat(900)}`);
 * const messages = texts.map((text) => vscode.LanguageModelChatMessage.User(text));
 * const { llm } = providers.vscode({ model, api: vscode });
 * const { status } = await compact(messages, { budget: 4_000, llm });
 * status; // => "applied"
 * ```
 *
 * VS Code itself reports no usage and no reason for stopping: `usage` is absent unless the model reports it in its
 * stream, `finish` is `stop` or `tool_calls`.
 *
 * @throws EspalierError `bad_option`
 */
export function vscode(options: VscodeOptions): Provider {
  const { model, api } = check(options, VSCODE);
  checkRules(options.refusals);
  const about = {
    name: "vscode",
    format: "vscode" as const,
    model: string(model.id),
    maxTokens: options.maxTokens,
    onEvent: options.onEvent,
  };
  const clock: Clock = { ...CLOCK, ...options.clock };
  return provider(
    about,
    (conversation) => toVscode(conversation, api, options.justification),
    (request, how) =>
      retrying(
        { provider: "vscode", model: about.model, clock, host: options, options: how, hide: NO_SECRETS },
        (state) => attempt(options, clock, request, how, state),
      ),
  );
}

async function* attempt(
  options: VscodeOptions,
  clock: Clock,
  request: ProviderRequest,
  how: SendOptions,
  state: AttemptState,
): AsyncGenerator<StreamPart, void, void> {
  const { model, refusals } = options;
  const { timeout, idle } = patience(options, how);
  const guard = new Guard(clock, how.signal, timeout);
  const failed = (error: unknown) => thrown("vscode", error, refusals, clock.now());
  let parts: AsyncIterator<unknown> | undefined;
  let finished = false;
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: AnswerToolCall[] = [];
  const raw: unknown[] = [];
  let reported: Reported | undefined;
  try {
    const token = tokenOf(guard.signal);
    const send = () =>
      model.sendRequest(request["messages"] as never, (request["options"] ?? {}) as never, token as never);
    const response = await guard.race(Promise.resolve().then(send), failed);
    parts = response.stream[Symbol.asyncIterator]();
    guard.idle(idle);
    for (;;) {
      const { done, value } = await guard.race(parts.next(), failed);
      guard.idle(0);
      if (done) break;
      raw.push(value);
      const record = usageIn(value);
      if (record) reported = record;
      const part = partOf(value);
      if (part?.type === "call") calls.push(part.call);
      if (part && part.type !== "call") {
        state.answered = true;
        (part.type === "text" ? texts : thoughts).push(part.text);
        yield part;
      }
      guard.idle(idle);
    }
    finished = true;
    state.answered = true;
    for (const call of calls) yield { type: "toolCall", call };
    const reasoning = thoughts.join("");
    const answer: Answer = {
      text: texts.join(""),
      toolCalls: calls,
      ...(reasoning && { reasoning }),
      finish: calls.length > 0 ? "tool_calls" : "stop",
      ...(reported && { usage: reported.usage }),
      raw,
      // Usage is not part of the message.
      messages: messageOf(
        raw.filter((value) => !usageIn(value)),
        request,
        options.api,
      ),
      warnings: reported?.warnings ?? [],
    };
    yield { type: "done", answer };
  } finally {
    guard.end();
    // The token cancels the request in VS Code; not every provider behind it then ends its stream.
    if (!finished) {
      guard.abort();
      void Promise.resolve(parts?.return?.()).catch(() => undefined);
    }
  }
}

/** Returns a `CancellationToken` that an abort cancels. */
function tokenOf(signal: AbortSignal): unknown {
  return {
    get isCancellationRequested() {
      return signal.aborted;
    },
    onCancellationRequested(listener: (event: undefined) => void, self?: unknown) {
      const run = () => listener.call(self, undefined);
      signal.addEventListener("abort", run, { once: true });
      return { dispose: () => signal.removeEventListener("abort", run) };
    },
  };
}
