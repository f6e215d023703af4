/** The messages between the view of tokens and its worker. Places in the text are UTF-16 units. */

import type { EncodingName } from "../../js/types/count.ts";

export interface Counted {
  tokens: number;
  /** Characters as people count them: a pair of surrogates is one. */
  characters: number;
  encoding: EncodingName;
  /** Duration of counting, in milliseconds. */
  ms: number;
  /** Only for a conversation. */
  request?: RequestTokens;
}

/** Tokens of a conversation as the engine counts it. */
export interface RequestTokens {
  total: number;
  sent: number;
  /** Tokens of what is sent that are drawn; the others are around the texts. */
  drawn: number;
}

/** A heading of a conversation. */
export interface Head {
  row: number;
  label: string;
  /** Absent for a part of a message. */
  note?: string;
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
  /** Only in a conversation: true if its message is not sent. */
  isGone?: boolean;
}

export interface Detail extends Token {
  start: number;
  end: number;
  /** From 1. */
  line: number;
  /** The character that the token is a part of, if it has several tokens. */
  partOf?: string;
  /** Only in a conversation: the heading above it. */
  under?: string;
}

export type Questions = {
  open: [asked: { file: File; encoding: EncodingName }, answer: Counted];
  /** Takes the rows of a run from the page's worker, which sends `HandedRows` through the port. */
  openRows: [asked: { port: MessagePort }, answer: Counted];
  /** The index of the first token of each row; a row without tokens is a heading. */
  layout: [asked: Width, answer: Uint32Array];
  /** The tokens and headings from one row to another. */
  see: [asked: { from: number; to: number }, answer: { tokens: Token[]; heads: Head[] }];
  /** The index of the first token of a message by its index; -1 if it is not here. */
  place: [asked: { message: number }, answer: number];
  detail: [asked: { index: number }, answer: Detail];
  /** The whole text, for editing it. */
  text: [asked: object, answer: string];
};
