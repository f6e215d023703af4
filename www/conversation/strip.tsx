/** @jsxImportSource preact */
/**
 * The overview, which scrolls the list: a column for each message, as high as its tokens, in the colour of its fate.
 */

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../app/state.ts";
import { scrollToRow, visible } from "./list.tsx";
import { next, ran, totals } from "./state.ts";
import { coloursOf, paint } from "./strip-paint.ts";
import { count, number } from "./words.ts";

const HEIGHT = 56;
export function Strip() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => canvas.current && redraw(canvas.current));
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

function redraw(canvas: HTMLCanvasElement): void {
  const run = ran.value;
  if (!run) return;
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.round(HEIGHT * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d")!;
  context.clearRect(0, 0, width, height);
  const soon = next.value?.run === run.run ? next.value : undefined;
  paint(context, { width, height, ratio }, run.rows, coloursOf(canvas), { next: soon, visible: visible.value });
}
