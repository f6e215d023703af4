/** Paints the overview: a column for each message, as high as its tokens, in the colour of its fate. */

import { FATES } from "../worker/questions.ts";
import type { Next, Rows } from "../worker/questions.ts";
import { columnsOf } from "./columns.ts";

/** Names of colours by fate. */
const BY_FATE = ["--in", "--mid", "--out", "--out", "--new", "--out"];

export interface Colours {
  fates: readonly string[];
  next: string;
  frame: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name);
  return { fates: BY_FATE.map(colour), next: colour("--bad"), frame: colour("--text") };
}

export interface Marked {
  next?: Next | undefined;
  /** The rows that the list shows. */
  visible?: { first: number; last: number };
}

/** Paints into a box at the origin, in pixels of the canvas. */
export function paint(
  context: CanvasRenderingContext2D,
  { width, height, ratio }: { width: number; height: number; ratio: number },
  rows: Rows,
  colours: Colours,
  { next, visible }: Marked = {},
): void {
  const size = rows.index.length;
  const columns = columnsOf(rows, Math.min(width, size));
  const columnWidth = width / columns.length;
  const gap = columnWidth > 3 * ratio ? ratio : 0;
  const bar = (column: number, share: number, colour: string) => {
    const high = share > 0 ? Math.max(ratio, share * (height - 6 * ratio)) : 0;
    context.fillStyle = colour;
    context.fillRect(column * columnWidth, height - high, Math.max(1, columnWidth - gap), high);
  };
  columns.forEach(({ whole, sent, fate }, column) => {
    bar(column, whole, colours.fates[FATES.indexOf("dropped")]!);
    if (sent > 0) bar(column, sent, colours.fates[fate]!);
  });
  const x = (row: number) => (row / size) * width;
  if (next?.row !== undefined) {
    context.fillStyle = colours.next;
    context.fillRect(x(next.row), 0, Math.max(2 * ratio, x((next.last ?? 0) + 1 - next.row)), 4 * ratio);
  }
  if (!visible) return;
  const { first, last } = visible;
  context.strokeStyle = colours.frame;
  context.lineWidth = ratio;
  context.strokeRect(
    x(first) + ratio / 2,
    ratio / 2,
    Math.max(4 * ratio, x(last + 1) - x(first)) - ratio,
    height - ratio,
  );
}
