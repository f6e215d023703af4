/** The messages between the view of tokens and its worker. Places in the text are UTF-16 units. */

import type { EncodingName } from "../../js/types/count.ts";

export interface Counted {
  tokens: number;
  /** Characters as people count them: a pair of surrogates is one. */
  characters: number;
  encoding: EncodingName;
  /** Duration of counting, in milliseconds. */
  ms: number;
}

/** How tokens are laid out. */
export interface Width {
  /** Characters of a line. */
  columns: number;
  /** True if every token has its id below it. */
  hasIds: boolean;
}

export interface Token {
  index: number;
  id: number;
  /** Empty for all but the last token of a character that has several. */
  text: string;
}

export interface Detail extends Token {
  start: number;
  end: number;
  /** From 1. */
  line: number;
  /** The character that the token is a part of, if it has several tokens. */
  partOf?: string;
}

export type Questions = {
  open: [asked: { file: File; encoding: EncodingName }, answer: Counted];
  /** The index of the first token of each row. */
  layout: [asked: Width, answer: Uint32Array];
  /** The tokens from one index to another. */
  tokens: [asked: { from: number; to: number }, answer: Token[]];
  detail: [asked: { index: number }, answer: Detail];
  /** The whole text, for editing it. */
  text: [asked: object, answer: string];
};
