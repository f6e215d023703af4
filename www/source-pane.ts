/** A text area with line numbers, in which ranges are shaded and one place can be pointed at. Its lines never wrap. */

import { made } from "./dom.ts";

export type Range = readonly [start: number, end: number];

export class SourcePane {
  readonly area: HTMLTextAreaElement;
  readonly #numbers = made("div", "numbers");
  readonly #shades = made("div", "shades");
  #text = "";
  /** Start of each line in the text. */
  #starts: number[] = [0];
  /** Places of the line feeds that a text area joins with the preceding carriage return. */
  #returns: number[] = [];
  #shaded: Range[] = [];
  #pointed: Range | undefined;
  #frame = 0;

  constructor(box: HTMLElement) {
    this.area = box.querySelector("textarea")!;
    for (const layer of [this.#shades, this.#numbers]) layer.ariaHidden = "true";
    box.append(this.#shades, this.#numbers);
    this.area.addEventListener("scroll", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.area);
    this.area.addEventListener("input", () => this.#know(this.area.value));
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTo(0, 0);
    this.#know(text);
  }

  /** The selection as a range of the text, whatever its line ends. */
  get selection(): Range {
    return [this.#outward(this.area.selectionStart), this.#outward(this.area.selectionEnd)];
  }

  /** Moves the cursor there and scrolls to it. */
  select([start, end]: Range): void {
    this.area.setSelectionRange(this.#inward(start), this.#inward(end));
    this.reveal(start);
  }

  /** Shades ranges, in order. */
  shade(ranges: Range[]): void {
    this.#shaded = ranges;
    this.#draw();
  }

  /** Points at a place, or at none. */
  point(range: Range | undefined): void {
    this.#pointed = range;
    if (range) this.reveal(range[0]);
    this.#draw();
  }

  /** Scrolls the minimum to show a place. */
  reveal(offset: number): void {
    const { area } = this;
    const top = this.lineAt(offset) * this.#row;
    if (top < area.scrollTop || top + 3 * this.#row > area.scrollTop + area.clientHeight)
      area.scrollTop = top - area.clientHeight / 3;
  }

  /** Returns the line of a place, from 0. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #know(text: string): void {
    this.#text = text;
    this.#starts = [0];
    this.#returns = [];
    for (const { index, 0: found } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#starts.push(index + found.length);
      if (found.length === 2) this.#returns.push(index + 1);
    }
    this.#shaded = [];
    this.#pointed = undefined;
    this.area.style.setProperty("--gutter", `${String(this.#starts.length).length + 2}ch`);
    this.#numbers.style.width = this.#shades.style.left = "";
    this.#draw();
  }

  #outward(offset: number): number {
    let moved = 0;
    while (moved < this.#returns.length && this.#returns[moved]! - moved <= offset) moved++;
    return offset + moved;
  }

  #inward(offset: number): number {
    const at = this.#returns.findIndex((place) => place > offset);
    return offset - (at < 0 ? this.#returns.length : at);
  }

  get #row(): number {
    return Number.parseFloat(getComputedStyle(this.area).lineHeight);
  }

  /** Draws the visible part; at most once a frame. */
  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const { area } = this;
      const row = this.#row;
      const padding = Number.parseFloat(getComputedStyle(area).paddingTop);
      const first = Math.max(0, Math.floor((area.scrollTop - padding) / row));
      const last = Math.min(this.#starts.length - 1, Math.ceil((area.scrollTop + area.clientHeight) / row));
      const top = (line: number) => padding + line * row - area.scrollTop;
      const gutter = Number.parseFloat(getComputedStyle(area).paddingInlineStart) - 6;
      this.#numbers.style.width = `${gutter}px`;
      this.#numbers.style.height = this.#shades.style.height = `${area.clientHeight}px`;
      this.#shades.style.width = `${area.clientWidth}px`;
      const numbers = made(
        "pre",
        "",
        Array.from({ length: last - first + 1 }, (_, at) => String(first + at + 1)).join("\n"),
      );
      numbers.style.top = `${top(first)}px`;
      this.#numbers.replaceChildren(numbers);
      const bands = this.#shaded.flatMap((range) => this.#band(range, first, last, "shade", top) ?? []);
      const pointer = this.#pointed && this.#band(this.#pointed, first, last, "pointer", top);
      this.#shades.replaceChildren(...bands, ...(pointer ? [pointer] : []));
    });
  }

  #band(
    [start, end]: Range,
    first: number,
    last: number,
    className: string,
    top: (line: number) => number,
  ): HTMLElement | undefined {
    const from = Math.max(this.lineAt(start), first - 1);
    const to = Math.min(this.lineAt(Math.max(start, end - 1)), last + 1);
    if (from > to) return undefined;
    const band = made("i", className);
    band.style.top = `${top(from)}px`;
    band.style.height = `${(to - from + 1) * this.#row}px`;
    return band;
  }
}
