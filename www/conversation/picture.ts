/** The overview as a picture, with the sentence and the figures, in the colours of the shown theme. */

import { opened } from "../app/state.ts";
import { FATES } from "../worker/questions.ts";
import type { Ran } from "../worker/questions.ts";
import { gone } from "./items.ts";
import { sentInWords, wholeInWords } from "./sentence.ts";
import { next } from "./state.ts";
import { coloursOf, paint } from "./strip-paint.ts";
import { count, number } from "./words.ts";

/** Pixels. The width of a picture in most programs for messages; twice as many are drawn. */
const WIDTH = 1_000;
const HEIGHT = 330;
const RATIO = 2;
const MARGIN = 32;
const STRIP = { top: 122, height: 110 };
const BAR = { top: 252, height: 10 };

/** Draws a run. */
export function pictureOf(run: Ran): Promise<Blob> {
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH * RATIO, height: HEIGHT * RATIO });
  const style = getComputedStyle(document.getElementById("strip")!);
  const colour = (name: string) => style.getPropertyValue(name);
  const context = canvas.getContext("2d")!;
  context.scale(RATIO, RATIO);
  context.fillStyle = colour("--card");
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const inner = WIDTH - 2 * MARGIN;
  const write = (text: string, y: number, font: string, name: string, x = MARGIN) => {
    context.font = `${font} system-ui, sans-serif`;
    context.fillStyle = colour(name);
    context.fillText(fitted(context, text, inner), x, y);
  };
  write(opened.value?.name ?? "", 44, "15px", "--dim");
  write(wholeInWords(), 76, "bold 24px", "--text");
  write(sentInWords(), 102, "15px", "--dim");

  context.save();
  context.translate(MARGIN, STRIP.top);
  const soon = next.value?.run === run.run ? next.value : undefined;
  const box = { width: inner, height: STRIP.height, ratio: 1 };
  paint(context, box, run.rows, coloursOf(document.getElementById("strip")!), { next: soon });
  context.restore();

  const share = (tokens: number) => inner * Math.min(1, tokens / Math.max(1, run.before.total));
  context.fillStyle = colour("--out");
  context.fillRect(MARGIN, BAR.top, inner, BAR.height);
  context.fillStyle = colour("--in");
  context.fillRect(MARGIN, BAR.top, share(run.after.total), BAR.height);
  context.fillStyle = colour("--text");
  context.fillRect(MARGIN + share(run.budget) - 1, BAR.top - 4, 2, BAR.height + 8);

  const { out, shortened } = gone(run.rows);
  const added = run.rows.fates.reduce((sum, fate) => sum + Number(FATES[fate] === "inserted"), 0);
  const legend: readonly (readonly [shown: number | boolean, text: string, name: string])[] = [
    [true, `${count(run.rows.index.length - out - shortened - added, "message")} sent as they are`, "--in"],
    [shortened, `${number(shortened)} shortened`, "--mid"],
    [added, `${number(added)} added`, "--new"],
    [out, `${number(out)} not sent`, "--out"],
    [soon?.row !== undefined, "next to go", "--bad"],
    [true, "the line is the budget", "--text"],
  ];
  let x = MARGIN;
  for (const [isShown, text, name] of legend) {
    if (!isShown) continue;
    context.fillStyle = colour(name);
    context.fillRect(x, 285, 10, 10);
    write(text, 295, "13px", "--dim", x + 16);
    x += 16 + context.measureText(text).width + 24;
  }
  context.textAlign = "right";
  write("Espalier", 44, "bold 15px", "--in", WIDTH - MARGIN);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))), "image/png"),
  );
}

/** Cuts a text to a width. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 0 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
