/** Draws what uPlot has no series for: limits, compactions, lost caches, the chosen request. */

import type uPlot from "uplot";
import type { Side } from "./store.ts";
import type { Lines, RunCompaction } from "./types.ts";

export interface Colours {
  text: string;
  dim: string;
  line: string;
  card: string;
  area: string;
  bad: string;
  mid: string;
  /** Of A and B. */
  sides: readonly [string, string];
}

/** CSS pixels of the lane of one side, above the plot. */
export const LANE = 18;
const NAMES: readonly (readonly [keyof Lines, string])[] = [
  ["window", "window"],
  ["trigger", "trigger"],
  ["background", "background start"],
  ["target", "target"],
];
/** CSS pixels below which only the windows are labelled. */
const NARROW = 500;
/** Dashes of B, in CSS pixels. */
export const DASH = [6, 4];

export function drawMarks(u: uPlot, sides: readonly Side[], colours: Colours, chosen: number | undefined): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.lineWidth = ratio;
  const [left, right] = [bbox.left, bbox.left + bbox.width];
  const inside = (x: number) => x >= left - 1 && x <= right + 1;
  const x = (at: number) => u.valToPos(at, "x", true);
  const y = (tokens: number) => u.valToPos(tokens, "y", true);

  const boxes: { from: number; to: number; base: number }[] = [];
  const isNarrow = bbox.width / ratio < NARROW;
  drawLimits();
  drawHistory();
  for (const [number, side] of sides.entries()) drawSide(side, number);
  if (chosen !== undefined && inside(x(chosen))) {
    ctx.strokeStyle = colours.text;
    line(x(chosen), bbox.top - sides.length * LANE * ratio, x(chosen), bbox.top + bbox.height);
  }
  ctx.restore();

  function line(x1: number, y1: number, x2: number, y2: number): void {
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
    ctx.stroke();
  }

  function drawLimits(): void {
    for (const [number, { lines }] of sides.entries()) {
      if (!lines) continue;
      for (const [field, name] of NAMES) {
        const tokens = lines[field];
        if (tokens === undefined || (number > 0 && sides[0]!.lines?.[field] === tokens)) continue;
        const at = y(tokens);
        if (at < bbox.top) continue;
        ctx.strokeStyle = field === "window" ? colours.bad : colours.dim;
        ctx.setLineDash((field === "window" ? [] : number > 0 ? DASH : [2, 3]).map((part) => part * ratio));
        line(left, at, right, at);
        ctx.setLineDash([]);
        if (isNarrow && field !== "window") continue;
        const owner = sides.length > 1 ? `${"AB"[number]} ` : "";
        label(`${owner}${name} ${compact(tokens)}`, left + 4 * ratio, at - 3 * ratio, colours.dim);
      }
    }
  }

  /** Says how far the history goes on above the chart. */
  function drawHistory(): void {
    const history = Math.max(0, ...sides.map(({ requests }) => requests.at(-1)?.history ?? 0));
    if (history > (u.scales["y"]!.max ?? 0))
      label(`the whole history: ${compact(history)} ↑`, right - 4 * ratio, bbox.top + 12 * ratio, colours.dim, "right");
  }

  /** Writes a text, unless it would lie on another one: the list has all figures. */
  function label(text: string, at: number, base: number, colour: string, align: CanvasTextAlign = "left"): void {
    const width = ctx.measureText(text).width;
    const box = { from: align === "left" ? at : at - width, to: align === "left" ? at + width : at, base };
    const isFree = boxes.every(
      (other) => box.from > other.to || box.to < other.from || Math.abs(box.base - other.base) > 12 * ratio,
    );
    if (!isFree) return;
    boxes.push(box);
    ctx.textAlign = align;
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = colours.card;
    ctx.strokeText(text, at, base);
    ctx.fillStyle = colour;
    ctx.fillText(text, at, base);
    ctx.lineWidth = ratio;
  }

  function drawSide({ requests, compactions }: Side, number: number): void {
    const lane = bbox.top - (sides.length - number - 0.5) * LANE * ratio;
    const colour = colours.sides[number]!;
    if (sides.length > 1) label("AB"[number]!, left - 6 * ratio, lane + 4 * ratio, colour, "right");
    for (const made of compactions) {
      if (!made) continue;
      drawLane(made, lane, colour);
      const { end, outcome, before = 0, after = 0 } = made;
      if (outcome !== "applied" || end === undefined || !inside(x(end))) continue;
      const [now, previous] = [requests[end - 1], requests[end - 2]];
      if (now?.sent === undefined || previous?.sent === undefined) continue;
      ctx.strokeStyle = colour;
      ctx.lineWidth = 3 * ratio;
      ctx.setLineDash(number > 0 ? DASH.map((part) => (part / 2) * ratio) : []);
      line(x(end), y(previous.sent), x(end), y(now.sent));
      ctx.setLineDash([]);
      ctx.lineWidth = ratio;
      if (isNarrow) continue;
      const text = `−${compact(before - after)}`;
      const from = x(end) + 5 * ratio;
      if (from + ctx.measureText(text).width > right) continue;
      label(text, from, (y(previous.sent) + y(now.sent)) / 2 + (number - 0.5) * 12 * ratio, colour);
    }
    const foot = bbox.top + bbox.height;
    ctx.strokeStyle = colours.bad;
    ctx.lineWidth = 2 * ratio;
    for (const { number: at, lost } of requests)
      if (lost > 0 && inside(x(at))) line(x(at), foot - number * 7 * ratio, x(at), foot - (number * 7 + 6) * ratio);
    for (const { number: at, waited } of requests) {
      if (waited === 0 || !inside(x(at))) continue;
      ctx.fillStyle = colours.bad;
      ctx.fillRect(x(at) - 2 * ratio, lane - 6 * ratio, 4 * ratio, 12 * ratio);
    }
    ctx.lineWidth = ratio;
  }

  function drawLane(
    { start, ready, end, outcome, isBackground, undone }: RunCompaction,
    lane: number,
    colour: string,
  ): void {
    const last = requestsEnd();
    const [from, to] = [x(start), x(end ?? last)];
    if (!inside(from) && !inside(to)) return;
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 2 * ratio;
    if (isBackground) line(from, lane, x(ready ?? end ?? last), lane);
    ctx.lineWidth = ratio;
    // From ready to used it only lies there.
    if (ready !== undefined && end !== undefined && end > ready) line(x(ready), lane, to, lane);
    const radius = 3.5 * ratio;
    if (isBackground) {
      dot(from, lane, radius, false, colour);
      if (ready !== undefined) dot(x(ready), lane, radius, true, colour);
    }
    if (end === undefined) return;
    if (outcome === "applied") {
      ctx.lineWidth = 3 * ratio;
      line(to, lane - 6 * ratio, to, lane + 6 * ratio);
    } else cross(to, lane, radius);
    if (undone !== undefined) cross(x(undone), lane, radius);
    ctx.lineWidth = ratio;
  }

  function cross(at: number, middle: number, radius: number): void {
    ctx.strokeStyle = colours.bad;
    ctx.lineWidth = 2 * ratio;
    line(at - radius, middle - radius, at + radius, middle + radius);
    line(at - radius, middle + radius, at + radius, middle - radius);
  }

  function requestsEnd(): number {
    return Math.max(1, ...sides.map(({ requests }) => requests.length));
  }

  function dot(at: number, middle: number, radius: number, isFilled: boolean, colour: string): void {
    ctx.beginPath();
    ctx.arc(at, middle, radius, 0, 2 * Math.PI);
    ctx.fillStyle = isFilled ? colour : colours.card;
    ctx.fill();
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * ratio;
    ctx.stroke();
    ctx.lineWidth = ratio;
  }
}

/** Writes tokens as people say them: 402k, 25.4k, 950. */
export function compact(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const thousands = tokens / 1_000;
  return `${thousands < 100 ? thousands.toFixed(1).replace(/\.0$/, "") : Math.round(thousands)}k`;
}
