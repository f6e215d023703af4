/** @jsxImportSource preact */
/**
 * A read-only summary with a caret. A marker replaces each removed range; a click, or Enter within it, expands it and
 * shows the removed text.
 */

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Gap } from "./protocol.ts";

/** The place of the caret: in the summary, or in an expanded range, which is a place of the document. */
export type Place = { summary: number } | { document: number };

interface Props {
  text: string;
  gaps: readonly Gap[];
  source: string;
  /** Expanded markers, by {@link keyOf}. */
  open: ReadonlySet<string>;
  /** The place in the summary that is pointed at. */
  pointed: number | undefined;
  onMove(place: Place): void;
  onToggle(index: number): void;
}

/**
 * A stretch of the shown text: of the summary from `at` on, or of the source from `from` on. With `lines` it is this
 * number of whole lines, which the browser lays out when they can be seen.
 */
type Piece =
  | { kind: "kept"; text: string; at: number; lines?: number }
  | { kind: "marker"; text: string; at: number; index: number }
  | { kind: "shown"; text: string; from: number };

export const keyOf = ({ range }: Gap) => range.join("-");

/** Lines that are laid out together, and pixels of a line, as in `code.css`. */
const CHUNK = 50;
const ROW = 20;

/** Lines that stay visible below a place that is pointed at, in pixels. */
const BELOW = 60;

export function Summary({ text, gaps, source, open, pointed, onMove, onToggle }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const pointer = useRef<HTMLElement>(null);
  /** The caret's place before a redraw, which keeps it. */
  const caret = useRef<Place>(undefined);
  /** The caret's place after the last redraw: the user did not move it there. */
  const drawnAt = useRef<Place>(undefined);
  const pieces = useMemo(() => piecesOf(text, gaps, source, open), [text, gaps, source, open]);

  useLayoutEffect(() => {
    if (document.activeElement === field.current && caret.current) {
      putCaret(field.current!, caret.current);
      drawnAt.current = caretIn(field.current!);
    }
  }, [pieces]);
  useLayoutEffect(() => {
    if (pointed === undefined) return;
    const at = rectAt(field.current!, pointed);
    const outer = box.current!;
    const top = at.top - outer.getBoundingClientRect().top + outer.scrollTop;
    pointer.current!.style.top = `${top}px`;
    const { scrollTop, clientHeight } = outer;
    if (top < scrollTop || top + BELOW > scrollTop + clientHeight) outer.scrollTop = top - clientHeight / 3;
  }, [pieces, pointed]);
  useEffect(() => {
    const hear = () => {
      if (document.activeElement !== field.current) return;
      const place = caretIn(field.current!);
      const isSame = JSON.stringify(place) === JSON.stringify(drawnAt.current);
      caret.current = place;
      drawnAt.current = undefined;
      if (place && !isSame) onMove(place);
    };
    document.addEventListener("selectionchange", hear);
    return () => document.removeEventListener("selectionchange", hear);
  });
  const toggle = (index: number) => {
    onToggle(index);
    field.current!.querySelector(`[data-gap="${index}"]`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div class="code-box" id="summary-box" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a text area has no markers to press. */}
      <div
        id="summary"
        class="code"
        ref={field}
        role="textbox"
        aria-multiline="true"
        aria-readonly="true"
        aria-label="Summary"
        contentEditable
        inputMode="none"
        spellcheck={false}
        tabIndex={0}
        onBeforeInput={(event) => event.preventDefault()}
        onClick={({ target }) => {
          const marker = (target as Element).closest<HTMLElement>(".marker");
          if (marker) toggle(Number(marker.dataset["gap"]));
        }}
        onKeyDown={(event) => {
          const place = event.key === "Enter" ? caretIn(field.current!) : undefined;
          if (!place || !("summary" in place)) return;
          const index = gaps.findIndex(({ marker: [start, end] }) => start <= place.summary && place.summary <= end);
          if (index < 0) return;
          event.preventDefault();
          toggle(index);
        }}
      >
        {pieces.map((piece) => draw(piece, gaps))}
      </div>
      <i class="pointer" ref={pointer} hidden={pointed === undefined} aria-hidden="true" />
    </div>
  );
}

function draw(piece: Piece, gaps: readonly Gap[]) {
  if (piece.kind === "shown")
    return (
      <span key={`from${piece.from}`} class="shown" data-from={piece.from}>
        {piece.text}
      </span>
    );
  if (piece.kind === "kept")
    return (
      <span
        key={`kept${piece.at}`}
        class={piece.lines === undefined ? "kept" : "kept lines"}
        style={piece.lines === undefined ? {} : { containIntrinsicHeight: `${piece.lines * ROW}px` }}
        data-at={piece.at}
      >
        {piece.text}
      </span>
    );
  const gap = gaps[piece.index]!;
  // A range without a marker in the text is still clickable; its sign is drawn, and so not copied.
  const silent = piece.text === "" ? `⋯ ${lines(gap)}` : undefined;
  return (
    <span
      key={`gap${keyOf(gap)}`}
      class="marker"
      data-at={piece.at}
      data-gap={piece.index}
      data-silent={silent}
      title={title(gap)}
    >
      {piece.text}
    </span>
  );
}

function piecesOf(text: string, gaps: readonly Gap[], source: string, open: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  let reached = 0;
  const plain = (to: number) => {
    if (to > reached) pieces.push(...chunksOf(text, reached, to));
    reached = Math.max(reached, to);
  };
  gaps.forEach((gap, index) => {
    const [start, end] = gap.marker;
    plain(start);
    pieces.push({ kind: "marker", text: text.slice(start, end), at: start, index });
    reached = end;
    if (!open.has(keyOf(gap))) return;
    // The line break after a marker belongs to it, so that the expanded text has its own lines.
    if (text[end] === "\n") plain(end + 1);
    const [from, to] = gap.range;
    pieces.push({ kind: "shown", text: source.slice(from, to).replace(/\r?\n$/, ""), from });
  });
  plain(text.length);
  return pieces;
}

/** Cuts a long stretch into chunks of whole lines; what is before the first and after the last is beside a marker. */
function* chunksOf(text: string, from: number, to: number): Generator<Piece> {
  const kept = (start: number, end: number): Piece => ({ kind: "kept", text: text.slice(start, end), at: start });
  let start = from;
  let lines = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    lines++;
    // The line of a marker stays in one piece.
    if (start === from && lines === 1 && from > 0) {
      yield kept(start, at + 1);
      [start, lines] = [at + 1, 0];
    } else if (lines === CHUNK) {
      yield { ...kept(start, at + 1), lines } as Piece;
      [start, lines] = [at + 1, 0];
    }
  }
  if (start < to) yield kept(start, to);
}

function putCaret(field: HTMLElement, place: Place): void {
  const [name, offset] = "summary" in place ? (["at", place.summary] as const) : (["from", place.document] as const);
  const piece = pieceAt(field, name, offset);
  const node = piece?.firstChild;
  if (!node) return;
  const into = Math.min(offset - Number(piece.dataset[name]), node.textContent?.length ?? 0);
  document.getSelection()?.collapse(node, into);
}

/** Returns the last piece that begins at a place or before it. */
function pieceAt(field: HTMLElement, name: "at" | "from", offset: number): HTMLElement | undefined {
  return [...field.querySelectorAll<HTMLElement>(`[data-${name}]`)].findLast(
    ({ dataset }) => Number(dataset[name]) <= offset,
  );
}

function caretIn(field: HTMLElement): Place | undefined {
  const { focusNode, focusOffset } = document.getSelection() ?? {};
  if (!focusNode || focusOffset === undefined || !field.contains(focusNode)) return undefined;
  // Between pieces: the next one begins there.
  const piece =
    focusNode === field
      ? field.children[focusOffset]
      : (focusNode instanceof Element ? focusNode : focusNode.parentElement)?.closest("[data-at], [data-from]");
  if (!(piece instanceof HTMLElement)) return undefined;
  const into = focusNode.nodeType === Node.TEXT_NODE ? focusOffset : 0;
  const { at, from } = piece.dataset;
  return at === undefined ? { document: Number(from) + into } : { summary: Number(at) + into };
}

function rectAt(field: HTMLElement, offset: number): DOMRect {
  const found = pieceAt(field, "at", offset);
  const node = found?.firstChild;
  if (!node) return (found ?? field).getBoundingClientRect();
  const length = node.textContent?.length ?? 0;
  const into = Math.min(offset - Number(found.dataset["at"]), length);
  const range = document.createRange();
  range.setStart(node, into);
  range.setEnd(node, Math.min(into + 1, length));
  return range.getClientRects()[0] ?? found.getBoundingClientRect();
}

const lines = ({ lines: [first, last] }: Gap) => (first === last ? `line ${first}` : `lines ${first}-${last}`);

function title(gap: Gap): string {
  const names = gap.names.length > 0 ? `: ${gap.names.slice(0, 6).join(", ")}${gap.names.length > 6 ? ", …" : ""}` : "";
  return `${lines(gap)}, ${gap.tokens} tokens${names}. ${gap.handle}`;
}
