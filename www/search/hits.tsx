/** @jsxImportSource preact */
/**
 * A list of hits: the place of each, its score by term, and its text with the terms marked. It is one tab stop; arrow
 * keys move within.
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Ref } from "preact";
import type { SearchHit } from "../../js/search/types.ts";
import { useRoving } from "../app/roving.ts";
import { count, number } from "../conversation/words.ts";
import { marksOf, pieces, wordOf } from "./marks.ts";
import type { Mark } from "./marks.ts";
import { placeOf } from "./words.ts";

/** Number of hits that are drawn before the reader asks for more. */
const FIRST = 25;
/** Lines of a hit that is not expanded. */
const EXCERPT = 8;
/** Max terms of a hit that are named. */
const NAMED = 6;

interface Props {
  id: string;
  labelledBy: string;
  hits: readonly SearchHit[];
  /** All terms of the hits; the index in this list chooses the colour. */
  terms: readonly string[];
  /** Its words are used as labels of the terms. */
  query: string;
  /** Returns a note on a hit. */
  note?: ((hit: SearchHit) => string) | undefined;
  /** Called when the reader moves up from the first hit. */
  leave(): void;
  /** Receives what moves the focus to the first hit. */
  focusFirst?: Ref<() => void>;
  /** Shows only places; the text of a hit appears when it is expanded. */
  isCompact?: boolean;
}

export function Hits(props: Props) {
  const { id, labelledBy, hits, leave, focusFirst, isCompact = false } = props;
  const [limit, setLimit] = useState(FIRST);
  /** Places of the hits that are shown with all their lines. */
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setLimit(FIRST), [hits]);
  const visible = hits.slice(0, limit);
  const { tabIndex, list, focus } = useRoving(visible.length, leave);
  if (focusFirst) (focusFirst as { current: () => void }).current = () => focus(0);
  const afterMore = useRef<number>(undefined);
  useEffect(() => {
    if (afterMore.current === undefined) return;
    focus(afterMore.current);
    afterMore.current = undefined;
  }, [limit]);
  const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const toggle = (place: string) => {
    const next = new Set(open);
    if (!next.delete(place)) next.add(place);
    setOpen(next);
  };
  return (
    <>
      <ol id={id} class="hits" aria-labelledby={labelledBy} {...list}>
        {visible.map((hit, index) => {
          const place = placeOf(hit);
          const isOpen = open.has(place);
          return (
            <Hit
              key={place}
              {...props}
              {...{ hit, place, best, isOpen, isCompact }}
              tabIndex={tabIndex(index)}
              toggle={() => toggle(place)}
            />
          );
        })}
      </ol>
      {hits.length > limit && (
        <button
          type="button"
          id={`${id}-more`}
          onClick={() => {
            afterMore.current = limit;
            setLimit(Infinity);
          }}
        >
          Show {number(hits.length - limit)} more
        </button>
      )}
    </>
  );
}

interface HitProps extends Pick<Props, "terms" | "query" | "note"> {
  hit: SearchHit;
  place: string;
  best: number;
  isOpen: boolean;
  isCompact: boolean;
  tabIndex: 0 | -1;
  toggle(): void;
}

function Hit({ hit, place, best, isOpen, isCompact, tabIndex, toggle, terms, query, note }: HitProps) {
  const said = note?.(hit) ?? "";
  return (
    <li class="hit" data-key={place}>
      <button type="button" tabIndex={tabIndex} aria-expanded={isOpen} onClick={toggle}>
        <span class="rank">{hit.rank + 1}</span>
        <Where hit={hit} isCompact={isCompact} />
        {isCompact ? (
          <span class="said">{said}</span>
        ) : (
          <>
            <Scores hit={hit} best={best} terms={terms} />
            <span class="size">{count(hit.tokens, "token")}</span>
          </>
        )}
      </button>
      {(isOpen || !isCompact) && (
        <>
          <Terms hit={hit} terms={terms} query={query} note={isCompact ? "" : said} />
          <Text hit={hit} terms={terms} isOpen={isOpen} />
        </>
      )}
    </li>
  );
}

function Where({ hit, isCompact }: { hit: SearchHit; isCompact: boolean }) {
  const { path, firstLine, lastLine, header } = hit;
  const slash = path.lastIndexOf("/") + 1;
  const lines = lastLine > firstLine ? `${firstLine + 1}-${lastLine + 1}` : `${firstLine + 1}`;
  return (
    <span class="where">
      <span class="path">
        {path.slice(0, slash)}
        <b>{path.slice(slash)}</b>:{lines}
      </span>
      {header && !isCompact && <span class="header">{header}</span>}
    </span>
  );
}

/** The score as a bar, one piece for each term, scaled to the best score. */
function Scores({ hit: { score, terms: own = [] }, best, terms }: Pick<HitProps, "hit" | "best" | "terms">) {
  return (
    <span class="scores" aria-hidden="true" title={`score ${score.toFixed(2)}`}>
      <span class="filled" style={{ width: `${(100 * Math.max(score, 0)) / best}%` }}>
        {own.map(({ term, score: part }) => (
          <i key={term} style={{ flexGrow: Math.max(part, 0), "--term": terms.indexOf(term) }} />
        ))}
      </span>
    </span>
  );
}

function Terms({ hit, terms, query, note }: { hit: SearchHit; terms: readonly string[]; query: string; note: string }) {
  const { score, terms: own = [], isCut } = hit;
  const sorted = [...own].sort((one, other) => other.score - one.score);
  const rest = sorted.length - NAMED;
  return (
    <p class="terms">
      <span>score {score.toFixed(2)}</span>
      {sorted.slice(0, NAMED).map(({ term, score: part }) => (
        <span key={term} class="term" style={{ "--term": terms.indexOf(term) }}>
          {wordOf(term, query)} {part.toFixed(2)}
        </span>
      ))}
      {rest > 0 && <span>and {number(rest)} more words</span>}
      {isCut && <span class="said">cut to its share of the budget</span>}
      {note && <span class="said">{note}</span>}
    </p>
  );
}

function Text({ hit, terms, isOpen }: { hit: SearchHit; terms: readonly string[]; isOpen: boolean }) {
  const { text, firstLine } = hit;
  const { lines, marks } = useMemo(() => {
    const found = (hit.terms ?? []).map(({ term }) => term);
    const own = marksOf(text, found).map((mark) => ({ ...mark, term: terms.indexOf(found[mark.term]!) }));
    return { lines: linesOf(text), marks: own };
  }, [hit, terms]);
  const [from, to] = isOpen ? [0, lines.length] : densest(lines, marks);
  const hidden = lines.length - (to - from);
  return (
    <div class="lines">
      {lines.slice(from, to).map(({ start, end }, at) => (
        <div class="line" key={start}>
          <span class="no">{firstLine + from + at + 1}</span>
          <code>
            {pieces(text, start, end, marks).map(({ text: piece, term }, index) =>
              term === undefined ? (
                piece
              ) : (
                <mark key={index} style={{ "--term": term }}>
                  {piece}
                </mark>
              ),
            )}
          </code>
        </div>
      ))}
      {hidden > 0 && <p class="rest">{count(hidden, "more line")}</p>}
    </div>
  );
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
