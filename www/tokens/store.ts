/** What the view of tokens holds: the figures, the rows, the visible tokens, the chosen one. */

import { batch, computed, effect, signal } from "@preact/signals";
import { newestOf } from "../app/ask.ts";
import { editFile, startWith } from "../app/editing.ts";
import { encoding, failure, opened, params, progress, say, shown } from "../app/state.ts";
import type { OpenedFile } from "../app/state.ts";
import { count } from "../conversation/words.ts";
import { asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import { rowAt } from "./layout.ts";
import type { Counted, Detail, Questions, Token, Width } from "./protocol.ts";

/** Names in the address. */
export const IDS = "tokens.ids";
export const SPACES = "tokens.spaces";

/** Characters of a text that can be edited here: longer ones are slow to type into. */
export const MAX_EDITED = 200_000;
/** Bytes of a file for whose counting a line is shown. */
const LARGE = 2_000_000;
/** Milliseconds without a key after which an edited text is counted. */
const REST = 150;

const ask = asking<Questions>("./tokens-worker.js");

export const counted = signal<Counted | undefined>(undefined);
/** The index of the first token of each row. */
export const rows = signal<Uint32Array>(new Uint32Array());
export const tokens = signal<readonly Token[]>([]);
/** Index of the chosen token. */
export const chosen = signal(0);
export const detail = signal<Detail | undefined>(undefined);
export const isEditing = signal(false);
/** The text while it is edited. */
export const text = signal<string | undefined>(undefined);
export const hasIds = computed(() => params.value[IDS] === "1");
export const hasSpaces = computed(() => params.value[SPACES] === "1");
/** The columns of the list; 0 until it is measured. */
export const columns = signal(0);

/** What is counted. */
let current: { file: File; encoding: string } | undefined;
/** True while the worker counts a large text. */
let isBusy = false;

/** Follows what is open and the settings. Returns what ends it. */
export function followTokens(): () => void {
  const ends = [
    effect(() => {
      const thing = opened.value;
      const wanted = encoding.value;
      if (!thing || !("file" in thing)) return;
      if (current?.file !== thing.file || current.encoding !== wanted) void load(thing);
    }),
    effect(() => {
      const width = { columns: columns.value, hasIds: hasIds.value };
      if (counted.value && width.columns > 0) layOut(width);
    }),
    effect(() => {
      const index = chosen.value;
      if (counted.value && counted.value.tokens > 0) askDetail({ index }, (answer) => (detail.value = answer));
    }),
    effect(() => {
      if (isEditing.value && counted.value && text.peek() === undefined) void readText();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

async function load(thing: OpenedFile): Promise<void> {
  const mine = (current = { file: thing.file, encoding: encoding.peek() });
  const isEdit = isTyping;
  // Another text need not wait until a large one is counted.
  if (isBusy) ask.stop();
  isBusy = thing.file.size > LARGE;
  if (isBusy) progress.value = { label: `Counting ${thing.name} …`, cancel: () => ask.stop() };
  try {
    const answer = await ask("open", { file: thing.file, encoding: encoding.peek() });
    if (current !== mine) return;
    startWith(thing, Math.ceil(answer.tokens / 2));
    batch(() => {
      if (!isEdit) {
        chosen.value = 0;
        text.value = undefined;
      }
      chosen.value = Math.min(chosen.value, Math.max(0, answer.tokens - 1));
      detail.value = undefined;
      counted.value = answer;
    });
    shown.value = `${thing.name}, ${count(answer.tokens, "token")}`;
    say(`${count(answer.tokens, "token")}, ${count(answer.characters, "character")}.`);
  } catch (error) {
    const { code } = error as Failed;
    if (current === mine && code !== "stopped") failure.value = error as Failed;
  } finally {
    if (current === mine) {
      isBusy = false;
      progress.value = undefined;
    }
  }
}

const askLayout = newestOf((width: Width) => ask("layout", width));
const askTokens = newestOf((range: Questions["tokens"][0]) => ask("tokens", range));
const askDetail = newestOf((asked: Questions["detail"][0]) => ask("detail", asked));

function layOut(width: Width): void {
  const of = counted.peek();
  void askLayout(width, (answer) => {
    if (of !== counted.peek()) return;
    batch(() => {
      rows.value = answer;
      // Those of another text or width.
      tokens.value = [];
    });
  });
}

/** Asks for the tokens of rows. */
export function see(from: number, to: number): void {
  const starts = rows.peek();
  const of = starts;
  const range = { from: starts[from] ?? 0, to: starts[to] ?? counted.peek()?.tokens ?? 0 };
  void askTokens(range, (answer) => {
    if (of === rows.peek()) tokens.value = answer;
  });
}

/** Returns the range of the tokens in a row. */
export function rangeOf(row: number): [from: number, to: number] {
  return [rows.value[row] ?? 0, rows.value[row + 1] ?? counted.value?.tokens ?? 0];
}

export const rowOfToken = (index: number) => rowAt(rows.value, index);

async function readText(): Promise<void> {
  const of = current;
  const whole = await ask("text", {});
  if (current === of) text.value = whole;
}

let timer: ReturnType<typeof setTimeout> | undefined;
/** True while the opened file is replaced by the text that is typed. */
let isTyping = false;

/** Takes what is typed. */
export function type(content: string): void {
  text.value = content;
  clearTimeout(timer);
  const { file } = current ?? {};
  timer = setTimeout(() => {
    if (!file) return;
    isTyping = true;
    editFile(file, content);
    isTyping = false;
  }, REST);
}
