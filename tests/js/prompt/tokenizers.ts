/** Tokenizers with simple arithmetic, for both modules. */

import type { Subject } from "./subject.ts";

export type CountText = (text: string) => number;

/** Additive: one token a UTF-16 unit. */
export const letters: CountText = (text) => text.length;

/** The usual estimate. Almost additive: joining texts saves up to one token a joint. */
export const quarters: CountText = (text) => Math.ceil(text.length / 4);

/**
 * Not additive: a run of letters is one token for every six, a run of line breaks one, spaces belong to the next token.
 * Joints merge.
 */
export const words: CountText = (text) => {
  let tokens = 0;
  for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}]+|\n+|[^\s\p{L}\p{M}\p{N}]/gu))
    tokens += /^[\p{L}\p{M}\p{N}]/u.test(run) ? Math.ceil(run.length / 6) : 1;
  return tokens;
};

export interface TokenizerOptions {
  count: CountText;
  mode?: "Raw" | "OpenAI";
  /** Tokens of an empty message. */
  base?: number;
  /** Tokens of a picture inside a message. */
  image?: number;
  document?: number;
  /** The result of `tokenLength` for pictures and documents; absent, the same. */
  alone?: number;
  /** True to answer with promises. */
  later?: boolean;
}

/** The questions to a tokenizer. */
export interface Tally {
  tokenLength: number;
  countMessageTokens: number;
  characters: number;
}

/** Returns an `ITokenizer` of the given module, with a tally of its questions. */
export function tokenizerOf(
  s: Subject,
  { count, mode = "Raw", base = 3, image = 20, document = 11, alone, later = false }: TokenizerOptions,
): any {
  const tally: Tally = { tokenLength: 0, countMessageTokens: 0, characters: 0 };
  const answer = (tokens: number): number | Promise<number> => (later ? Promise.resolve().then(() => tokens) : tokens);
  const counted = (text: string): number => {
    tally.characters += text.length;
    return count(text);
  };
  const kinds = s.Raw.ChatCompletionContentPartKind;
  const part = (part: any): number => {
    if (part.type === kinds.Text || part.type === "text") return counted(part.text);
    if (part.type === kinds.Image || part.type === "image_url") return image;
    if (part.type === kinds.Document) return document;
    if (part.type === kinds.Opaque) return part.value?.cost ?? 0;
    return part.type === kinds.CacheBreakpoint ? 0 : (part.cost ?? 0);
  };
  const message = (message: any): number => {
    let tokens = base;
    if (message.name) tokens += 1 + counted(message.name);
    if (message.toolCallId ?? message.tool_call_id) tokens += 1;
    for (const call of message.toolCalls ?? message.tool_calls ?? [])
      tokens += 2 + counted(call.function.name) + counted(call.function.arguments);
    if (typeof message.content === "string") return tokens + counted(message.content);
    for (const each of message.content) tokens += part(each);
    return tokens;
  };
  return {
    mode: s.OutputMode[mode],
    tally,
    tokenLength(piece: any): number | Promise<number> {
      tally.tokenLength += 1;
      const flat = alone !== undefined && (piece.type === kinds.Image || piece.type === kinds.Document);
      return answer(flat ? alone : part(piece));
    },
    countMessageTokens(each: any): number | Promise<number> {
      tally.countMessageTokens += 1;
      return answer(message(each));
    },
  };
}
