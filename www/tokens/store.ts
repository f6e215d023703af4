/** What the view of tokens holds: the figures, the rows, the visible tokens, the chosen one. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { newestOf, ask as askPage } from "../app/ask.ts";
import { editFile, startWith } from "../app/editing.ts";
import { autoBudget, budget, encoding, failure, mode, opened, params, progress, say, shown } from "../app/state.ts";
import type { Opened, OpenedFile } from "../app/state.ts";
import { count, number } from "../conversation/words.ts";
import { readProfileText } from "../parts/profile-text.ts";
import { asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import { rowAt } from "./layout.ts";
import type { Questions as PageQuestions } from "../worker/questions.ts";
import type { Counted, Detail, Head, Questions, Token, Width } from "./protocol.ts";

/** Names in the address. */
export const IDS = "tokens.ids";
export const SPACES = "tokens.spaces";
/** Of a conversation: `1` for nothing but what is sent, and the number of the message that is looked at. */
export const SENT = "tokens.sent";
export const MESSAGE = "tokens.message";

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
/** Headings of a conversation that can be seen. */
export const heads = signal<readonly Head[]>([]);
/** Index of the chosen token. */
export const chosen = signal(0);
export const detail = signal<Detail | undefined>(undefined);
export const isEditing = signal(false);
/** The text while it is edited. */
export const text = signal<string | undefined>(undefined);
export const hasIds = computed(() => params.value[IDS] === "1");
export const hasSpaces = computed(() => params.value[SPACES] === "1");
export const isSentOnly = computed(() => params.value[SENT] === "1");
/** The number of the message that is looked at, from 1. */
export const message = computed(() => {
  const text = params.value[MESSAGE] ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
});
/** The columns of the list; 0 until it is measured. */
export const columns = signal(0);

/** What is counted: a file, or a conversation by its id. */
let current: { file: File | number; encoding: string } | undefined;
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
      const thing = opened.value;
      if (thing?.kind !== "conversation") return;
      const asked = {
        mode: mode.value,
        budget: budget.value,
        profile: readProfileText(params.value["conversation.profile"]) ?? "espalier",
        isSentOnly: isSentOnly.value,
      };
      untracked(() => void loadRows(thing, asked));
    }),
    effect(() => {
      const wanted = message.value;
      if (wanted !== undefined && rows.value.length > 0 && counted.value?.request) void lookAt(wanted);
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

type Rows = Omit<PageQuestions["handRows"][0], "port">;
/** Runs in the page's worker, which hands the messages to ours. */
const askRows = newestOf(async (asked: Rows & { id: number }) => {
  const { port1, port2 } = new MessageChannel();
  await askPage("handRows", { ...asked, port: port1 }, [port1]);
  // Meanwhile something else may have been opened, which the worker has now.
  if (current?.file !== asked.id) throw { code: "stopped", message: "Something else is open now." } satisfies Failed;
  return { id: asked.id, answer: await ask("openRows", { port: port2 }, [port2]) };
});

function loadRows(thing: Opened & { kind: "conversation" }, asked: Rows): Promise<void> {
  const isNew = current?.file !== thing.id;
  current = { file: thing.id, encoding: encoding.peek() };
  if (isNew)
    batch(() => {
      chosen.value = 0;
      lookedAt = text.value = counted.value = undefined;
      rows.value = new Uint32Array();
    });
  return askRows(
    { ...asked, id: thing.id },
    ({ id, answer }, isNewest) => {
      if (current?.file !== id) return;
      batch(() => {
        chosen.value = Math.min(chosen.value, Math.max(0, answer.tokens - 1));
        detail.value = undefined;
        counted.value = answer;
        if (failure.value?.code === "budget_exceeded") failure.value = undefined;
      });
      const { total, sent } = answer.request!;
      shown.value = `${thing.name}, ${count(total, "token")}`;
      if (isNewest) say(`${number(sent)} of ${count(total, "token")} are sent.`);
    },
    failRows,
  );
}

function failRows(error: Failed): void {
  const { code, needed } = error;
  if (code !== "budget_exceeded" || needed === undefined) failure.value = error;
  else if (budget.value === autoBudget.value) autoBudget.value = budget.value = needed;
  else
    failure.value = {
      ...error,
      action: { label: `Use ${count(needed, "token")}`, run: () => (budget.value = needed) },
    };
}

/** The message that was looked at last. */
let lookedAt: number | undefined;

/** Chooses the first token of a message, once. */
async function lookAt(wanted: number): Promise<void> {
  if (lookedAt === wanted) return;
  lookedAt = wanted;
  const index = await ask("place", { message: wanted - 1 });
  if (index >= 0) chosen.value = index;
  else say(`Message ${number(wanted)} is not ${isSentOnly.value ? "sent" : "there"}.`, true);
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
const askSee = newestOf((range: Questions["see"][0]) => ask("see", range));
const askDetail = newestOf((asked: Questions["detail"][0]) => ask("detail", asked));

function layOut(width: Width): void {
  const of = counted.peek();
  void askLayout(width, (answer) => {
    if (of !== counted.peek()) return;
    batch(() => {
      rows.value = answer;
      // Those of another text or width.
      tokens.value = [];
      heads.value = [];
    });
  });
}

/** Asks for the tokens of rows. */
export function see(from: number, to: number): void {
  const of = rows.peek();
  void askSee({ from, to }, (answer) => {
    if (of !== rows.peek()) return;
    batch(() => {
      tokens.value = answer.tokens;
      heads.value = answer.heads;
    });
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
    if (!(file instanceof File)) return;
    isTyping = true;
    editFile(file, content);
    isTyping = false;
  }, REST);
}
