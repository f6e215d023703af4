/** Finds the words of a search in a text: whole, or as a part of a name. */

const WORD = /[\p{L}\p{N}_$]+/gu;
/** Parts of a name: `HTMLParser2` has `HTML`, `Parser` and `2`. */
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+|\p{N}+|[$_]+/gu;

/** A range of text; `term` is the index of the term that it matches. */
export interface Mark {
  start: number;
  end: number;
  term: number;
}

/** Returns the places of the terms, in order. A whole word takes precedence over its parts. */
export function marksOf(text: string, terms: readonly string[]): Mark[] {
  const at = new Map(terms.map((term, index) => [term, index]));
  const marks: Mark[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const whole = termOf(word, at);
    if (whole !== undefined) marks.push({ start: index, end: index + word.length, term: whole });
    else marks.push(...partsOf(word, index, at));
  }
  return marks;
}

/** The index stores English words without their endings: `parsing` as `pars`, `queries` as `query`. */
const ENDINGS: [ending: string, stem: string][] = [
  ["", ""],
  ["e", ""],
  ["s", ""],
  ["es", ""],
  ["ed", ""],
  ["ing", ""],
  ["ies", "y"],
  ["ied", "y"],
];

function termOf(word: string, at: ReadonlyMap<string, number>): number | undefined {
  const lower = word.toLowerCase();
  for (const [ending, stem] of ENDINGS) {
    if (!lower.endsWith(ending) || lower.length - ending.length + stem.length < Math.min(lower.length, 3)) continue;
    const found = at.get(lower.slice(0, lower.length - ending.length) + stem);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the word of a question that a term comes from: for `files`, the index stores `fil`. */
export function wordOf(term: string, question: string): string {
  const [mark] = marksOf(question, [term]);
  return mark === undefined ? term : question.slice(mark.start, mark.end).toLowerCase();
}

/** Returns parts of a word, and sequences of parts: the term `max_results` is in `max_results2`. */
function partsOf(word: string, offset: number, at: ReadonlyMap<string, number>): Mark[] {
  const parts = [...word.matchAll(PART)];
  const marks: Mark[] = [];
  for (let first = 0; first < parts.length; first++) {
    for (let last = parts.length - 1; last >= first; last--) {
      const start = parts[first]!.index;
      const end = parts[last]!.index + parts[last]![0].length;
      const term = termOf(word.slice(start, end), at);
      if (term === undefined) continue;
      marks.push({ start: offset + start, end: offset + end, term });
      first = last;
      break;
    }
  }
  return marks;
}

/** Cuts a line into pieces with and without a mark. `marks` are those of the whole text. */
export function pieces(
  text: string,
  start: number,
  end: number,
  marks: readonly Mark[],
): { text: string; term?: number }[] {
  const out: { text: string; term?: number }[] = [];
  let done = start;
  for (const mark of marks) {
    if (mark.end <= start || mark.start >= end) continue;
    if (mark.start > done) out.push({ text: text.slice(done, mark.start) });
    out.push({ text: text.slice(mark.start, mark.end), term: mark.term });
    done = mark.end;
  }
  if (done < end) out.push({ text: text.slice(done, end) });
  return out;
}
