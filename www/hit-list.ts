/**
 * A list of hits: the place of each, its score by term, and its text with the terms marked. It is one tab stop; arrow
 * keys move within.
 */

import type { SearchHit } from "../js/search/types.ts";
import { made, number } from "./dom.ts";
import { marksOf, pieces, wordOf } from "./marks.ts";
import type { Mark } from "./marks.ts";
import { Rows } from "./rows.ts";

/** Number of hits that are drawn before the user asks for more. */
const FIRST = 25;
/** Lines of a hit that is not expanded. */
const EXCERPT = 8;
/** Max terms of a hit that are named. */
const NAMED = 6;

export interface Shown {
  hits: readonly SearchHit[];
  /** All terms of the hits; the index in this list chooses the colour. */
  terms: readonly string[];
  /** The query; its words are used as labels of the terms. */
  query?: string | undefined;
  /** Returns a note on a hit. */
  note?: ((hit: SearchHit) => string) | undefined;
}

export interface HitListOptions {
  list: HTMLElement;
  more: HTMLButtonElement;
  /** Called when the user moves up from the first hit. */
  leave: () => void;
  /** Shows only places; the text of a hit appears when it is expanded. */
  isCompact?: boolean;
}

/** Returns the terms of the hits, the one that contributes most first. */
export function termsOf(hits: readonly SearchHit[]): string[] {
  const sums = new Map<string, number>();
  for (const { terms = [] } of hits) for (const { term, score } of terms) sums.set(term, (sums.get(term) ?? 0) + score);
  return [...sums].sort(([, one], [, other]) => other - one).map(([term]) => term);
}

export const placeOf = ({ path, firstLine, lastLine }: Pick<SearchHit, "path" | "firstLine" | "lastLine">) =>
  `${path}:${firstLine + 1}${lastLine > firstLine ? `-${lastLine + 1}` : ""}`;

export class HitList {
  readonly #more: HTMLButtonElement;
  readonly #rows: Rows;
  readonly #isCompact: boolean;
  /** Places of the hits that are shown with all their lines. */
  readonly #open = new Set<string>();
  #shown: Shown = { hits: [], terms: [] };
  #limit = FIRST;

  constructor({ list, more, leave, isCompact = false }: HitListOptions) {
    this.#more = more;
    this.#isCompact = isCompact;
    this.#rows = new Rows(list, leave);
    more.addEventListener("click", () => {
      const first = this.#limit;
      this.#limit = Infinity;
      this.#draw();
      this.#rows.focus(first);
    });
  }

  show(shown: Shown): void {
    this.#shown = shown;
    this.#limit = FIRST;
    this.#draw();
  }

  /** Moves the focus to a hit, the first by default, and draws it if needed. */
  focus(index = 0): void {
    if (index >= this.#limit) {
      this.#limit = Infinity;
      this.#draw();
    }
    this.#rows.focus(index);
  }

  #draw(): void {
    const { hits } = this.#shown;
    const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
    const shown = hits.slice(0, this.#limit);
    this.#rows.replace(shown.map((hit) => this.#item(hit, best)));
    const rest = hits.length - shown.length;
    this.#more.hidden = rest === 0;
    this.#more.textContent = `Show ${number(rest)} more`;
  }

  #item(hit: SearchHit, best: number): HTMLLIElement {
    const item = made("li", "hit");
    const place = placeOf(hit);
    item.dataset["key"] = place;
    const button = made("button");
    button.type = "button";
    const note = this.#shown.note?.(hit) ?? "";
    button.append(made("span", "rank", String(hit.rank + 1)), where(hit, this.#isCompact));
    if (this.#isCompact) button.append(made("span", "note", note));
    else button.append(this.#bar(hit, best), made("span", "count", `${number(hit.tokens)} tokens`));
    const names = this.#names(hit, this.#isCompact ? "" : note);
    const code = made("div", "lines");
    const draw = () => {
      const isOpen = this.#open.has(place);
      button.ariaExpanded = String(isOpen);
      names.hidden = code.hidden = this.#isCompact && !isOpen;
      if (!code.hidden) code.replaceChildren(...this.#lines(hit, isOpen));
    };
    button.addEventListener("click", () => {
      if (!this.#open.delete(place)) this.#open.add(place);
      draw();
    });
    draw();
    item.append(button, names, code);
    return item;
  }

  /** Returns the score as a bar, one piece for each term, scaled to the best score. */
  #bar({ score, terms = [] }: SearchHit, best: number): HTMLElement {
    const bar = made("span", "scores");
    bar.role = "img";
    bar.ariaLabel = bar.title = `score ${score.toFixed(2)}`;
    const filled = made("span", "filled");
    filled.style.width = `${(100 * Math.max(score, 0)) / best}%`;
    for (const { term, score: part } of terms) {
      const piece = made("i");
      piece.style.flexGrow = String(Math.max(part, 0));
      piece.style.setProperty("--term", String(this.#shown.terms.indexOf(term)));
      filled.append(piece);
    }
    bar.append(filled);
    return bar;
  }

  #names(hit: SearchHit, note: string): HTMLElement {
    const { score, terms = [], isCut } = hit;
    const line = made("p", "terms");
    const sorted = [...terms].sort((one, other) => other.score - one.score);
    line.append(made("span", "", `score ${score.toFixed(2)}`));
    for (const { term, score: part } of sorted.slice(0, NAMED)) {
      const name = made("span", "term", `${wordOf(term, this.#shown.query ?? "")} ${part.toFixed(2)}`);
      name.style.setProperty("--term", String(this.#shown.terms.indexOf(term)));
      line.append(" ", name);
    }
    if (sorted.length > NAMED) line.append(` and ${sorted.length - NAMED} more words`);
    if (isCut) line.append(made("span", "note", " cut to its share of the budget"));
    if (note) line.append(made("span", "note", ` ${note}`));
    return line;
  }

  #lines({ text, firstLine, terms = [] }: SearchHit, isOpen: boolean): HTMLElement[] {
    const lines = linesOf(text);
    const found = terms.map(({ term }) => term);
    const marks = marksOf(text, found).map((mark) => ({
      ...mark,
      term: this.#shown.terms.indexOf(found[mark.term]!),
    }));
    const [from, to] = isOpen ? [0, lines.length] : densest(lines, marks);
    const rows = lines.slice(from, to).map(({ start, end }, at) => {
      const row = made("div", "line");
      const code = made("code");
      for (const { text: piece, term } of pieces(text, start, end, marks)) {
        if (term === undefined) {
          code.append(piece);
          continue;
        }
        const mark = made("mark", "", piece);
        mark.style.setProperty("--term", String(term));
        code.append(mark);
      }
      const label = made("span", "no", String(firstLine + from + at + 1));
      row.append(label, code);
      return row;
    });
    const hidden = lines.length - (to - from);
    return hidden > 0
      ? [...rows, made("p", "rest", `${number(hidden)} more ${hidden === 1 ? "line" : "lines"}`)]
      : rows;
  }
}

function where({ path, firstLine, lastLine, header }: SearchHit, isCompact: boolean): HTMLElement {
  const box = made("span", "where");
  const slash = path.lastIndexOf("/") + 1;
  const lines = lastLine > firstLine ? `${firstLine + 1}-${lastLine + 1}` : `${firstLine + 1}`;
  const place = made("span", "path");
  place.append(path.slice(0, slash), made("b", "", path.slice(slash)), `:${lines}`);
  box.append(place);
  if (header && !isCompact) box.append(made("span", "header", header));
  return box;
}

/** Returns the places of the lines, without the empty one after a last line feed. */
function linesOf(text: string): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let start = 0;
  for (const { 0: found, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: index });
    start = index + found.length;
  }
  if (start < text.length || lines.length === 0) lines.push({ start, end: text.length });
  return lines;
}

/** Returns the window of lines with the largest number of different terms, and then of marks. */
function densest(lines: readonly { start: number; end: number }[], marks: readonly Mark[]): [from: number, to: number] {
  if (lines.length <= EXCERPT + 1) return [0, lines.length];
  let best = { from: 0, value: -1 };
  for (let from = 0; from + EXCERPT <= lines.length; from++) {
    const [start, end] = [lines[from]!.start, lines[from + EXCERPT - 1]!.end];
    const within = marks.filter((mark) => mark.start >= start && mark.end <= end);
    const value = 100 * new Set(within.map(({ term }) => term)).size + within.length;
    if (value > best.value) best = { from, value };
  }
  return [best.from, best.from + EXCERPT];
}
