/** Error messages for people: what happened, and what to do. */

import { isEspalierError } from "espalier";
import * as vscode from "vscode";

/** Returns what to show for an error. */
export function explain(error: unknown, model: string): string {
  const message = messageOf(error);
  const code = languageModelCode(error);
  const known = code === undefined ? undefined : refusals(model)[code];
  if (known !== undefined) return `${known} (${message})`;
  if (!isEspalierError(error)) return `Something went wrong: ${message}`;
  if (error.code === "budget_exceeded") {
    const { needed, budget } = error.details;
    return `Your message and what must go with it need ${count(needed)} tokens, and ${model} takes ${count(budget)}. Shorten the message, attach less, or pick a model with a larger window.`;
  }
  return `${sentences(model)[error.code] ?? "Something went wrong."} (${message})`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const count = (tokens: number) => tokens.toLocaleString("en");

/** Sentences by code of an EspalierError. */
const sentences = (model: string): Partial<Record<string, string>> => ({
  aborted: "The request was cancelled.",
  auth: `${model} refused access. Sign in, or allow this extension to use it: command "Manage Language Model Access".`,
  rate_limited: `${model} has had too many requests. Wait a little, or pick another model.`,
  overloaded: `${model} is overloaded. Retry in a moment.`,
  content_filter: `${model} refuses to answer this.`,
  context_length: `${model} says that the request is too large, even after it was made smaller three times. Try /compact, or pick a model with a larger window.`,
  network: `${model} could not be reached. Check the connection, then retry.`,
  timeout: `${model} did not answer in time. Retry, or pick another model.`,
  bad_response: `${model} returned an answer that cannot be read.`,
  bad_request: `${model} did not accept the request.`,
  pin_budget_exceeded: "The pins would leave no room for a request. Remove one: /pin lists them.",
  log_version: "This conversation was stored by a newer version of the extension. Update the extension.",
  bad_log: "The stored conversation cannot be read. /new begins another one.",
});

/** Sentences by code of a LanguageModelError. */
const refusals = (model: string): Partial<Record<string, string>> => ({
  NotFound: `${model} is not available any more. Pick another model; the conversation continues with it.`,
  NoPermissions: `This extension may not use ${model}. Allow it with the command "Manage Language Model Access".`,
  Blocked: `${model} does not take this request: a quota or a filter.`,
});

/** Returns the code of VS Code's error, also if it is the cause of another one. */
function languageModelCode(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one instanceof vscode.LanguageModelError) return one.code;
  return undefined;
}
