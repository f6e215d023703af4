/** The tokens of a run's messages, one after the other, with their headings. */

import { EspalierError } from "../../js/errors/errors.ts";
import type { HandedRows } from "../worker/questions.ts";
import { blocksOf, noteOf } from "./blocks.ts";
import type { Tokens } from "./layout.ts";

export interface Heading {
  /** The token before which it is. */
  start: number;
  label: string;
  note?: string;
  /** What it is called where it is not above its tokens. */
  name: string;
  /** Index of the message, for its first heading. */
  message?: number;
  isGone: boolean;
}

type Encoded = Pick<Tokens, "ids" | "ends">;

/** Tokens of the texts of the newest conversation: a drag changes few of them. */
let known = new Map<string, Encoded>();

/** `drawn`: the number of tokens whose messages are sent. */
export function readRows(
  { rows }: HandedRows,
  maxLength: number,
  encode: (text: string) => Encoded,
): { tokens: Tokens; headings: Heading[]; drawn: number } {
  const texts: string[] = [];
  const pieces: Encoded[] = [];
  const headings: Heading[] = [];
  const used = new Map<string, Encoded>();
  let length = 0;
  let start = 0;
  let drawn = 0;
  for (const row of rows) {
    const isGone = row.after === 0;
    const blocks = blocksOf(row);
    const first = headings.length;
    const before = start;
    for (const { label, name = label, texts: own } of blocks) {
      headings.push({ start, label, name, isGone });
      for (const text of own) {
        length += text.length;
        if (length > maxLength) throw tooLong(maxLength);
        const piece = used.get(text) ?? known.get(text) ?? encode(text);
        used.set(text, piece);
        texts.push(text);
        pieces.push(piece);
        start += piece.ids.length;
      }
    }
    if (!isGone) drawn += start - before;
    const head = headings[first]!;
    head.note = noteOf(row, start - before);
    if (row.index >= 0) head.message = row.index;
    for (const part of headings.slice(first + 1)) part.name = `${head.name}, ${part.label}`;
  }
  known = used;
  return { tokens: joined(texts, pieces, start), headings, drawn };
}

function joined(texts: readonly string[], pieces: readonly Encoded[], size: number): Tokens {
  const ids = new Uint32Array(size);
  const ends = new Uint32Array(size);
  let token = 0;
  let offset = 0;
  for (const [at, piece] of pieces.entries()) {
    ids.set(piece.ids, token);
    for (const [index, end] of piece.ends.entries()) ends[token + index] = offset + end;
    token += piece.ids.length;
    offset += texts[at]!.length;
  }
  return { text: texts.join(""), ids, ends };
}

function tooLong(maxLength: number): EspalierError {
  const message = `This conversation has more than ${maxLength / 1e6} million characters. Show only what is sent.`;
  return new EspalierError({ code: "bad_input", message });
}
