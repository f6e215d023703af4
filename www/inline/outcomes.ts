/** Parts of a prompt and candidates for it, in words. */

import type { InlineContextItem, InlineReason } from "../../js/entries/inline-context.ts";
import type { Answer } from "./protocol.ts";

/** A part of the prompt. */
export interface Part {
  kind: string;
  /** The file or provider of the part. */
  from: string;
  /** Absent if it was not counted on its own. */
  tokens: number | undefined;
  text: string;
}

export const KINDS: Record<InlineContextItem["kind"], string> = {
  marker: "path",
  trait: "trait",
  diagnostic: "diagnostic",
  snippet: "snippet",
  similarSnippet: "similar code",
  recentEdits: "recent edits",
  neighbour: "open file",
};

const REASONS: Record<InlineReason, string> = {
  noRoom: "no room in the budget",
  poolUsedUp: "no room in its pool",
  duplicate: "there already",
  empty: "empty",
  excluded: "excluded",
  pending: "not arrived yet",
  late: "too late",
  currentFile: "the file itself",
  otherScheme: "another kind of address",
  otherLanguage: "another language",
  tooLarge: "too large",
  tooMany: "enough files precede it, or are more similar",
  notCompared: "not compared: empty, too large, or preceded by too many files",
  notSimilar: "not similar to the text before the cursor",
  notReached: "not read in time",
  snippetsInstead: "providers have snippets",
};

export function fromOf({ id, firstLine, endLine }: InlineContextItem): string {
  return firstLine === undefined ? id : `${id}:${firstLine + 1}-${endLine ?? firstLine + 1}`;
}

export function outcomeOf({ dropped, isCut, score }: InlineContextItem): string {
  if (dropped) return `not sent: ${REASONS[dropped]}`;
  return `sent${isCut ? ", only its end" : ""}${score === undefined ? "" : `, similarity ${score.toFixed(2)}`}`;
}

/** Returns the parts in the order of the prompt: context, suffix, rest of the line, prefix. */
export function partsOf({ items, prefix, restOfLine, suffix, tokens }: Answer): Part[] {
  const sent = items.filter(({ dropped }) => !dropped);
  const line = { kind: "rest of the line", from: "behind the cursor", tokens: tokens.restOfLine, text: restOfLine };
  return [
    ...sent.map((item) => ({ kind: KINDS[item.kind], from: fromOf(item), tokens: item.tokens, text: item.text })),
    { kind: "suffix", from: "after the cursor's line", tokens: tokens.suffix, text: suffix },
    ...(restOfLine ? [line] : []),
    { kind: "prefix", from: "up to the cursor", tokens: tokens.prefix, text: prefix },
  ];
}

/** Returns the ranges of the file's text that are not in the prompt. */
export function missingFrom(text: string, { prefix, trailing, suffix, cursor }: Answer): [number, number][] {
  const first = cursor - trailing.length - prefix.length;
  const after = text.indexOf("\n", cursor);
  // A reused suffix may belong to an older text, and is then nowhere in this one.
  const at = after < 0 ? -1 : text.indexOf(suffix.slice(0, 200), after);
  const last = at < 0 ? text.length : at + suffix.length;
  const ranges: [number, number][] = [
    [0, first],
    [last, text.length],
  ];
  return ranges.filter(([from, to]) => to > from);
}
