/** The common part of the editors' adapters. */

import { badInput } from "../../errors/errors.ts";
import type { InlineContext } from "../session.ts";
import type { InlineContextAnswer } from "../types.ts";

/** The prompt for a model. */
export interface InlinePrompt extends InlineContextAnswer {
  path: string;
  language: string;
  cursor: number;
}

/**
 * Asks a model for the text after `prefix`; returns a text, several, or nothing. `context` goes before the prefix or
 * into a message of its own. `signal` is aborted when the editor no longer needs the answer.
 */
export type InlineComplete = (prompt: InlinePrompt, options: { signal: AbortSignal }) => Completed | Promise<Completed>;

type Completed = string | readonly string[] | undefined | null;

/**
 * Returns the text that an editor inserts at its cursor. A model continues the prompt's prefix, which lacks `trailing`;
 * white space at the beginning of its completion is not repeated.
 *
 * ```ts
 * import { insertion } from "espalier/inline-context";
 *
 * insertion("  ", "  return stock;"); // => "return stock;"
 * insertion("\t", "return stock;"); // => "return stock;"
 * insertion("", " + 1"); // => " + 1"
 * ```
 *
 * @throws EspalierError `bad_input`
 */
export function insertion(trailing: string, completion: string): string {
  if (typeof trailing !== "string") throw badInput("trailing", "a text", trailing);
  if (typeof completion !== "string") throw badInput("completion", "a text", completion);
  if (trailing === "") return completion;
  return completion.startsWith(trailing) ? completion.slice(trailing.length) : completion.replace(/^[\t ]+/, "");
}

/** A place where an editor wants completions. */
export interface Place {
  path: string;
  language: string;
  cursor: number;
}

/**
 * Returns the texts to insert: the rest of a completion that the user is typing, else the model's, which are
 * remembered.
 */
export async function completionsAt(
  session: InlineContext,
  { path, language, cursor }: Place,
  complete: InlineComplete,
  signal: AbortSignal,
): Promise<string[]> {
  const typed = session.completion(path, cursor);
  if (typed !== undefined) return [typed];
  const answer = await session.contextFor({ file: path, cursor, signal });
  if (answer.isTooShort || answer.isExcluded || signal.aborted) return [];
  // The text may change while the model works.
  const text = session.file(path)?.text;
  if (text === undefined) return [];
  const found = await complete({ ...answer, path, language, cursor }, { signal });
  const all = typeof found === "string" ? [found] : Array.isArray(found) ? (found as readonly string[]) : [];
  const texts = [
    ...new Set(all.filter((one) => typeof one === "string").map((one) => insertion(answer.trailing, one))),
  ].filter((one) => one !== "");
  // In reverse order, because the newest is found first.
  for (const one of texts.toReversed()) session.remember({ path, text, language }, cursor, one);
  return signal.aborted ? [] : texts;
}

/** An object that ends a subscription. */
export interface DisposableLike {
  dispose(): unknown;
}
