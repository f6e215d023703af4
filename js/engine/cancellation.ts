/** Converts VS Code's cancellation tokens to `AbortSignal`s, which all calls here take. */

import { EspalierError } from "../errors/errors.ts";

/** The used part of VS Code's `CancellationToken`. */
export interface CancellationTokenLike {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

/**
 * Returns a signal that is aborted when the token is cancelled, at once if it already is.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { openConversation, signalFrom } from "espalier";
 *
 * const conversation = await openConversation({ format: "vscode" });
 * const handler: vscode.ChatRequestHandler = async ({ prompt, model }, context, response, token) => {
 *   conversation.append(vscode.LanguageModelChatMessage.User(prompt));
 *   const { messages } = await conversation.prepare({ model, signal: signalFrom(token) });
 *   response.markdown(`${messages.length} messages`);
 * };
 *
 * const source = new vscode.CancellationTokenSource();
 * const signal = signalFrom(source.token);
 * source.cancel();
 * signal.aborted; // => true
 * ```
 *
 * @throws EspalierError `bad_input` if `token` is not a cancellation token
 */
export function signalFrom(token: CancellationTokenLike): AbortSignal {
  if (typeof token?.onCancellationRequested !== "function") {
    throw new EspalierError({
      code: "bad_input",
      message: "signalFrom needs a CancellationToken of VS Code",
      path: "token",
    });
  }
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
