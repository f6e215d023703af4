/** @jsxImportSource preact */
/** The overview, which scrolls the list: a column for each message, as high as its tokens, in the colour of its fate. */

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../app/state.ts";
import { FATES } from "../worker/questions.ts";
import type { Rows } from "../worker/questions.ts";
import { scrollToRow, visible } from "./list.tsx";
import { next, ran, totals } from "./state.ts";
import { count, number } from "./words.ts";

const HEIGHT = 56;
/** Names of colours by fate. */
const COLOURS = ["--in", "--mid", "--out", "--out", "--new", "--out"];

export function Strip() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => canvas.current && ran.value && paint(canvas.current, ran.value.rows));
  };
  useSignalEffect(() => {
    void [ran.value, visible.value, next.value, theme.value];
    draw();
  });
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", draw);
    return () => {
      observer.disconnect();
      media.removeEventListener("change", draw);
    };
  }, []);
  const scroll = (event: PointerEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    const share = Math.max(0, Math.min(0.9999, (event.clientX - left) / width));
    scrollToRow(Math.floor(share * (ran.value?.rows.index.length ?? 0)));
  };
  const { out = 0 } = totals.value ?? {};
  const size = ran.value?.rows.index.length ?? 0;
  return (
    <canvas
      id="strip"
      ref={canvas}
      height={HEIGHT}
      role="img"
      aria-label={`Overview: ${count(size, "message")}, ${number(out)} of them not sent`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scroll(event);
      }}
      onPointerMove={(event) => event.buttons > 0 && scroll(event)}
    />
  );
}

/** Tokens of a column: what is not sent, and what is sent as it is, shortened, or added. */
function paint(canvas: HTMLCanvasElement, rows: Rows): void {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.round(HEIGHT * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const style = getComputedStyle(canvas);
  const context = canvas.getContext("2d")!;
  context.clearRect(0, 0, width, height);
  const size = rows.index.length;
  const columns = Math.min(width, size);
  const columnWidth = width / columns;
  const gap = columnWidth > 3 * ratio ? ratio : 0;
  const sent = new Float64Array(columns);
  const whole = new Float64Array(columns);
  const fates = new Uint8Array(columns);
  let largest = 1;
  for (let row = 0; row < size; row++) {
    const column = Math.floor((row * columns) / size);
    const [before, after] = [rows.before[row]!, rows.after[row]!];
    whole[column]! += Math.max(before, after);
    sent[column]! += after;
    if (after > 0) fates[column] = Math.max(fates[column]!, rows.fates[row]!);
    if (whole[column]! > largest) largest = whole[column]!;
  }
  // A square root shows small messages beside results of ten thousand tokens.
  const tall = (tokens: number) =>
    tokens > 0 ? Math.max(ratio, Math.sqrt(tokens / largest) * (height - 6 * ratio)) : 0;
  const colours = COLOURS.map((name) => style.getPropertyValue(name));
  const bar = (column: number, tokens: number, colour: string) => {
    const high = tall(tokens);
    context.fillStyle = colour;
    context.fillRect(column * columnWidth, height - high, Math.max(1, columnWidth - gap), high);
  };
  for (let column = 0; column < columns; column++) {
    bar(column, whole[column]!, colours[FATES.indexOf("dropped")]!);
    if (sent[column]! > 0) bar(column, sent[column]!, colours[fates[column]!]!);
  }
  const x = (row: number) => (row / size) * width;
  if (next.value?.run === ran.value?.run && next.value?.row !== undefined) {
    context.fillStyle = style.getPropertyValue("--bad");
    context.fillRect(
      x(next.value.row),
      0,
      Math.max(2 * ratio, x((next.value.last ?? 0) + 1 - next.value.row)),
      4 * ratio,
    );
  }
  const { first, last } = visible.value;
  context.strokeStyle = style.getPropertyValue("--text");
  context.lineWidth = ratio;
  context.strokeRect(
    x(first) + ratio / 2,
    ratio / 2,
    Math.max(4 * ratio, x(last + 1) - x(first)) - ratio,
    height - ratio,
  );
}
