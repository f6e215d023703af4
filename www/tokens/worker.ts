/** Counts a text and keeps its tokens, of which the page asks for those that can be seen. */

import "../../js/entries/engines/count-web.ts";
import { EspalierError, decode, encode, init, tokenOffsets } from "../../js/entries/count.ts";
import { keepFetched } from "../offline.ts";
import { textOfFile } from "../source/text-file.ts";
import { answering, moving } from "../talk.ts";
import type { HandedRows } from "../worker/questions.ts";
import { headRowsOf, rowAt, rowsOf } from "./layout.ts";
import type { Tokens } from "./layout.ts";
import type { Counted, Detail, Questions, Token } from "./protocol.ts";
import { readRows } from "./rows.ts";
import type { Heading } from "./rows.ts";

/** Larger files need more memory than a tab has. */
const MAX_BYTES = 50_000_000;

/** What takes the place of bytes that are no character. */
const BROKEN = "\uFFFD";

let encoding: Counted["encoding"] = "o200k_base";
let held: Tokens = { text: "", ids: new Uint32Array(), ends: new Uint32Array() };
/** Headings of a conversation, and the tokens before which they are. */
let heads: readonly Heading[] = [];
let headAt: Uint32Array = new Uint32Array();
/** The newest layout: the first token of each row, and the rows of headings. */
let rows: Uint32Array = new Uint32Array();
let headRows: readonly number[] = [];

async function open(asked: Questions["open"][0]): Promise<Counted> {
  const [text] = await Promise.all([textOfFile(asked.file, MAX_BYTES), init({ encodings: [asked.encoding] })]);
  ({ encoding } = asked);
  void keepFetched();
  const started = performance.now();
  keep({ text, ids: encode(text, { encoding }), ends: tokenOffsets(text, { encoding }) });
  const ms = performance.now() - started;
  return { tokens: held.ids.length, characters: charactersIn(text), encoding, ms };
}

function keep(tokens: Tokens, headings: readonly Heading[] = []): void {
  held = tokens;
  heads = headings;
  headAt = Uint32Array.from(headings, ({ start }) => start);
  rows = new Uint32Array();
  headRows = [];
}

async function openRows({ port }: Questions["openRows"][0]): Promise<Counted> {
  const handed = await new Promise<HandedRows>((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  port.close();
  await init({ encodings: [handed.encoding] });
  ({ encoding } = handed);
  void keepFetched();
  const started = performance.now();
  const { tokens, headings, drawn } = readRows(handed, MAX_BYTES, (text) => ({
    ids: encode(text, { encoding }),
    ends: tokenOffsets(text, { encoding }),
  }));
  keep(tokens, headings);
  const ms = performance.now() - started;
  const request = { total: handed.before, sent: handed.after, drawn };
  return { tokens: held.ids.length, characters: charactersIn(held.text), encoding, ms, request };
}

function charactersIn(text: string): number {
  let pairs = 0;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++;
  return text.length - pairs;
}

function layout({ columns, hasIds }: Questions["layout"][0]): Uint32Array {
  rows = rowsOf(held, columns, hasIds, headAt);
  headRows = headRowsOf(rows, held.ids.length);
  const copy = rows.slice();
  return moving(copy, [copy.buffer as ArrayBuffer]);
}

const startOf = (index: number) => (index > 0 ? held.ends[index - 1]! : 0);
/** Returns the newest heading before a token. */
const headOf = (index: number) => (heads.length > 0 ? heads[rowAt(headAt, index)] : undefined);
const tokenAt = (index: number): Token => ({
  index,
  id: held.ids[index]!,
  text: held.text.slice(startOf(index), held.ends[index]),
  ...(headOf(index)?.isGone && { isGone: true }),
});

function see({ from, to }: Questions["see"][0]): Questions["see"][1] {
  const first = rows[from] ?? 0;
  const last = rows[to] ?? held.ids.length;
  const tokens = Array.from({ length: Math.max(0, last - first) }, (_, at) => tokenAt(first + at));
  const own = headRows.flatMap((row, at) => (row >= from && row < to ? [{ row, ...heads[at]! }] : []));
  return { tokens, heads: own };
}

function place({ message }: Questions["place"][0]): number {
  return heads.find((head) => head.message === message)?.start ?? -1;
}

function detail({ index }: Questions["detail"][0]): Detail {
  const { text, ids, ends } = held;
  if (index >= ids.length)
    throw new EspalierError({ code: "bad_input", message: `There are only ${ids.length} tokens.` });
  const start = startOf(index);
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) line++;
  const under = headOf(index)?.name;
  return { ...tokenAt(index), start, end: ends[index]!, line, ...partOf(index), ...(under && { under }) };
}

/** Returns the character of a token that has only some of its bytes. */
function partOf(index: number): Pick<Detail, "partOf"> {
  const { text, ids, ends } = held;
  const [start, end] = [startOf(index), ends[index]!];
  const own = decode([ids[index]!], { encoding });
  // A lone surrogate is such a character, too, and so are invalid bytes.
  if (!own.includes(BROKEN) || own === text.slice(start, end)) return {};
  // The bytes come first if an earlier token has begun the character.
  return { partOf: String.fromCodePoint(text.codePointAt(own.startsWith(BROKEN) ? start : end) ?? 0xfffd) };
}

answering<Questions>({ open, openRows, layout, see, place, detail, text: () => held.text }, [
  "layout",
  "see",
  "detail",
]);
