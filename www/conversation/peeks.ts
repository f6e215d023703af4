/** The beginnings of messages, asked from the worker when their rows are seen. */

import { effect, signal } from "@preact/signals";
import { ask } from "../app/ask.ts";
import { estimate, opened } from "../app/state.ts";
import { ESTIMATED, ran } from "./state.ts";

/** By message; those of inserted rows by `run:row`. */
const texts = new Map<number | string, string>();
/** Increases when texts arrive. */
export const arrived = signal(0);
/** Max texts that are kept. */
const MAX = 20_000;

let of: number | undefined;
let asking = false;
let wanted: { messages: Set<number>; inserted: Set<number> } = { messages: new Set(), inserted: new Set() };

effect(() => {
  const id = opened.value?.id;
  if (id === of) return;
  of = id;
  texts.clear();
});

const keyOf = (run: number, row: number, message: number) => (message >= 0 ? message : `${run}:${row}`);

/** Returns the beginning of a row's message, or undefined while it is on its way. */
export function peek(run: number, row: number, message: number): string | undefined {
  if (run === ESTIMATED) return estimate.value?.peeks[message - estimate.value.first] ?? "";
  const text = texts.get(keyOf(run, row, message));
  if (text === undefined) {
    if (message >= 0) wanted.messages.add(message);
    else wanted.inserted.add(row);
    void fetchTexts();
  }
  return text;
}

async function fetchTexts(): Promise<void> {
  if (asking) return;
  asking = true;
  // Rows of one frame are asked for together.
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const run = ran.value?.run ?? -1;
  const asked = { messages: [...wanted.messages], inserted: [...wanted.inserted] };
  wanted = { messages: new Set(), inserted: new Set() };
  const id = of;
  try {
    const found = await ask("peeks", { run, ...asked });
    if (id !== of) return;
    if (texts.size > MAX) texts.clear();
    asked.messages.forEach((message, at) => texts.set(message, found[at]!));
    asked.inserted.forEach((row, at) => texts.set(`${run}:${row}`, found[asked.messages.length + at]!));
  } catch {
    // A newer question replaced it; what is drawn next asks again.
  } finally {
    asking = false;
    arrived.value++;
  }
}
