/** Counts a text and keeps its tokens, of which the page asks for those that can be seen. */

import "../../js/entries/engines/count-web.ts";
import { EspalierError, decode, encode, init, tokenOffsets } from "../../js/entries/count.ts";
import { keepFetched } from "../offline.ts";
import { textOfFile } from "../source/text-file.ts";
import { answering, moving } from "../talk.ts";
import { rowsOf } from "./layout.ts";
import type { Tokens } from "./layout.ts";
import type { Counted, Detail, Questions, Token } from "./protocol.ts";

/** Larger files need more memory than a tab has. */
const MAX_BYTES = 50_000_000;

/** What takes the place of bytes that are no character. */
const BROKEN = "\uFFFD";

let encoding: Counted["encoding"] = "o200k_base";
let held: Tokens = { text: "", ids: new Uint32Array(), ends: new Uint32Array() };

async function open(asked: Questions["open"][0]): Promise<Counted> {
  const [text] = await Promise.all([textOfFile(asked.file, MAX_BYTES), init({ encodings: [asked.encoding] })]);
  ({ encoding } = asked);
  void keepFetched();
  const started = performance.now();
  held = { text, ids: encode(text, { encoding }), ends: tokenOffsets(text, { encoding }) };
  const ms = performance.now() - started;
  return { tokens: held.ids.length, characters: charactersIn(text), encoding, ms };
}

function charactersIn(text: string): number {
  let pairs = 0;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++;
  return text.length - pairs;
}

function layout({ columns, hasIds }: Questions["layout"][0]): Uint32Array {
  const rows = rowsOf(held, columns, hasIds);
  return moving(rows, [rows.buffer as ArrayBuffer]);
}

const startOf = (index: number) => (index > 0 ? held.ends[index - 1]! : 0);
const tokenAt = (index: number): Token => ({
  index,
  id: held.ids[index]!,
  text: held.text.slice(startOf(index), held.ends[index]),
});

function tokens({ from, to }: Questions["tokens"][0]): Token[] {
  const last = Math.min(to, held.ids.length);
  return Array.from({ length: Math.max(0, last - from) }, (_, at) => tokenAt(from + at));
}

function detail({ index }: Questions["detail"][0]): Detail {
  const { text, ids, ends } = held;
  if (index >= ids.length)
    throw new EspalierError({ code: "bad_input", message: `There are only ${ids.length} tokens.` });
  const start = startOf(index);
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) line++;
  return { ...tokenAt(index), start, end: ends[index]!, line, ...partOf(index) };
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

answering<Questions>({ open, layout, tokens, detail, text: () => held.text }, ["layout", "tokens", "detail"]);
