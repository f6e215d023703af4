/**
 * A read-only summary with a caret. A marker replaces each removed range; a click, or Enter within it, expands it and
 * shows the removed text.
 */

import { made } from "./dom.ts";
import type { Gap } from "./document-protocol.ts";

/** The place of the caret: in the summary, or in an expanded range, which is a place of the document. */
export type Place = { summary: number } | { document: number };

interface Told {
  moved(place: Place): void;
  /** Called when a marker was expanded or collapsed. */
  toggled(gap: Gap, open: boolean): void;
}

export class SummaryPane {
  readonly #box: HTMLElement;
  readonly #text: HTMLElement;
  readonly #told: Told;
  readonly #pointer = made("i", "pointer");
  #source = "";
  #gaps: Gap[] = [];
  /** Expanded markers, by their ranges. */
  readonly #open = new Set<string>();
  /** The caret's place after the last redraw. */
  #drawnAt: Place | undefined;

  constructor(box: HTMLElement, told: Told) {
    this.#box = box;
    this.#text = box.querySelector<HTMLElement>("[role=textbox]")!;
    this.#told = told;
    this.#pointer.hidden = true;
    box.append(this.#pointer);
    this.#text.addEventListener("beforeinput", (event) => event.preventDefault());
    this.#text.addEventListener("click", ({ target }) => {
      const marker = (target as Element).closest<HTMLElement>(".marker");
      if (marker) this.toggle(Number(marker.dataset["gap"]));
    });
    this.#text.addEventListener("keydown", (event) => {
      const gap = event.key === "Enter" ? this.#gapAtCaret() : undefined;
      if (gap === undefined) return;
      event.preventDefault();
      this.toggle(gap);
    });
    document.addEventListener("selectionchange", () => {
      const place = document.activeElement === this.#text ? this.#caret() : undefined;
      // After a redraw the caret is where it was: the user did not move it.
      const same = JSON.stringify(place) === JSON.stringify(this.#drawnAt);
      this.#drawnAt = undefined;
      if (place && !same) this.#told.moved(place);
    });
  }

  show(text: string, gaps: Gap[], source: string): void {
    if (source !== this.#source) this.#open.clear();
    this.#source = source;
    this.#gaps = gaps;
    const pieces: HTMLElement[] = [];
    let reached = 0;
    const plain = (to: number) => {
      if (to > reached) pieces.push(piece("kept", text.slice(reached, to), reached));
      reached = Math.max(reached, to);
    };
    gaps.forEach((gap, at) => {
      const [start, end] = gap.marker;
      plain(start);
      const marker = piece("marker", text.slice(start, end), start);
      marker.dataset["gap"] = String(at);
      marker.title = title(gap);
      // A range without a marker in the text is still clickable; its sign is drawn, and so not copied.
      if (start === end) marker.dataset["silent"] = `⋯ ${lines(gap)}`;
      pieces.push(marker);
      reached = end;
      if (!this.#open.has(key(gap))) return;
      // The line break after a marker belongs to it, so that the expanded text has its own lines.
      if (text[end] === "\n") plain(end + 1);
      pieces.push(this.#shown(gap));
    });
    plain(text.length);
    const { scrollTop, scrollLeft } = this.#box;
    const caret = document.activeElement === this.#text ? this.#caret() : undefined;
    this.#text.replaceChildren(...pieces);
    this.#box.scrollTo(scrollLeft, scrollTop);
    this.#pointer.hidden = true;
    if (caret) this.#putCaret(caret);
  }

  #putCaret(place: Place): void {
    const [name, offset] = "summary" in place ? (["at", place.summary] as const) : (["from", place.document] as const);
    const piece = this.#pieceAt(name, offset);
    const node = piece?.firstChild;
    if (!node) return;
    document
      .getSelection()
      ?.collapse(node, Math.min(offset - Number(piece.dataset[name]), node.textContent?.length ?? 0));
    this.#drawnAt = this.#caret();
  }

  /** Returns the last piece that begins at a place or before it. */
  #pieceAt(name: "at" | "from", offset: number): HTMLElement | undefined {
    return [...this.#text.querySelectorAll<HTMLElement>(`[data-${name}]`)].findLast(
      ({ dataset }) => Number(dataset[name]) <= offset,
    );
  }

  /** Points at a place of the summary and scrolls to it. */
  point(offset: number | undefined): void {
    this.#pointer.hidden = offset === undefined;
    if (offset === undefined) return;
    const at = this.#rectAt(offset);
    const box = this.#box.getBoundingClientRect();
    const top = at.top - box.top + this.#box.scrollTop;
    this.#pointer.style.top = `${top}px`;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop || top + 60 > scrollTop + clientHeight) this.#box.scrollTop = top - clientHeight / 3;
  }

  toggle(at: number): void {
    const gap = this.#gaps[at];
    if (!gap) return;
    const open = !this.#open.delete(key(gap));
    if (open) this.#open.add(key(gap));
    this.#told.toggled(gap, open);
    this.#text.querySelector(`[data-gap="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }

  #shown(gap: Gap): HTMLElement {
    const [start, end] = gap.range;
    const shown = made("span", "shown", this.#source.slice(start, end).replace(/\r?\n$/, ""));
    shown.dataset["from"] = String(start);
    return shown;
  }

  #gapAtCaret(): number | undefined {
    const place = this.#caret();
    if (!place || !("summary" in place)) return undefined;
    const at = this.#gaps.findIndex(({ marker: [start, end] }) => start <= place.summary && place.summary <= end);
    return at < 0 ? undefined : at;
  }

  #caret(): Place | undefined {
    const { focusNode, focusOffset } = document.getSelection() ?? {};
    if (!focusNode || focusOffset === undefined || !this.#text.contains(focusNode)) return undefined;
    // Between pieces: the next one begins there.
    const piece =
      focusNode === this.#text
        ? this.#text.children[focusOffset]
        : (focusNode instanceof Element ? focusNode : focusNode.parentElement)?.closest("[data-at], [data-from]");
    if (!(piece instanceof HTMLElement)) return undefined;
    const into = focusNode.nodeType === Node.TEXT_NODE ? focusOffset : 0;
    const { at, from } = piece.dataset;
    return at === undefined ? { document: Number(from) + into } : { summary: Number(at) + into };
  }

  #rectAt(offset: number): DOMRect {
    const found = this.#pieceAt("at", offset);
    const node = found?.firstChild;
    if (!node) return (found ?? this.#text).getBoundingClientRect();
    const range = document.createRange();
    const into = Math.min(offset - Number(found.dataset["at"]), node.textContent?.length ?? 0);
    range.setStart(node, into);
    range.setEnd(node, Math.min(into + 1, node.textContent?.length ?? 0));
    return range.getClientRects()[0] ?? found.getBoundingClientRect();
  }
}

function piece(className: string, text: string, at: number): HTMLElement {
  const made = Object.assign(document.createElement("span"), { className, textContent: text });
  made.dataset["at"] = String(at);
  return made;
}

const key = ({ range }: Gap) => range.join("-");

const lines = ({ lines: [first, last] }: Gap) => (first === last ? `line ${first}` : `lines ${first}-${last}`);

function title(gap: Gap): string {
  const names = gap.names.length > 0 ? `: ${gap.names.slice(0, 6).join(", ")}${gap.names.length > 6 ? ", …" : ""}` : "";
  return `${lines(gap)}, ${gap.tokens} tokens${names}. ${gap.handle}`;
}
