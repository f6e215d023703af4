/** What the view of a source file holds: the text, its summary, the cursor. The worker keeps the same document. */

import { batch, computed, effect, signal } from "@preact/signals";
import { newestOf } from "../app/ask.ts";
import { editFile, startWith } from "../app/editing.ts";
import { readProfile } from "../app/knobs.tsx";
import { budget, encoding, failure, opened, params, say, shown } from "../app/state.ts";
import type { OpenedFile } from "../app/state.ts";
import type { Range } from "../code/lines.ts";
import { count, number } from "../conversation/words.ts";
import { asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { GrammarState, News, Opened, Outlined, Questions, Reduced, Summarized } from "./protocol.ts";
import { textOfFile } from "./text-file.ts";

/** Names in the address. */
export const PROFILE = "source.profile";
export const NUMBERS = "source.numbers";
export const MARKER = "source.marker";
export const FOLLOW = "source.follow";

export const DEFAULT_MARKER = "… {lines} omitted";
/** Budget of a short text, in tokens; below it nothing can be saved. */
const SHORT = 60;
/** Milliseconds without typing before the text is read again, and before it is kept for a reload. */
const REST = 150;
const SETTLED = 1_000;

const ask = asking<Questions, News>("./source-worker.js", ({ grammar: state }) => (grammar.value = state));

export const name = signal("");
export const text = signal("");
/** What the worker knows of the text. */
export const known = signal<Opened | undefined>(undefined);
export const grammar = signal<GrammarState>({ state: "none" });
/** The language that the reader chose. */
export const language = signal<string | undefined>(undefined);
export const made = signal<Summarized | undefined>(undefined);
/** The cursor or selection, once the reader has placed it. */
export const selection = signal<Range | undefined>(undefined);
/** The place in the source that is pointed at. */
export const pointed = signal<Range | undefined>(undefined);
/** Expanded markers. */
export const expanded = signal<ReadonlySet<string>>(new Set());
export const outlined = signal<Outlined | undefined>(undefined);
export const isOutlineOpen = signal(false);
export const isGapsOpen = signal(false);
export const isChangeOpen = signal(false);
export const diff = signal("");
export const reduced = signal<Reduced | undefined>(undefined);
export const wrongDiff = signal<string | undefined>(undefined);

export const profile = computed(() => readProfile(params.value[PROFILE]));
export const hasNumbers = computed(() => params.value[NUMBERS] === "1");
export const marker = computed(() => params.value[MARKER] ?? DEFAULT_MARKER);
export const follows = computed(() => params.value[FOLLOW] !== "0");

/** The file whose text is shown. */
let file: File | undefined;
/** Counts what the worker was given: answers about an earlier text are not drawn. */
let version = 0;
/** The alert that this view has raised. */
let own: Failed | undefined;

let rest: ReturnType<typeof setTimeout> | undefined;
let settled: ReturnType<typeof setTimeout> | undefined;
/** True while the opened file is replaced by the text that is shown already. */
let isKeeping = false;

const fail = (error: Failed) => (failure.value = own = error);
const isStale = ({ code }: Failed) => code === "stopped";

/** Follows what is open, the budget and the settings. Returns what ends it. */
export function followSource(): () => void {
  const ends = [
    effect(() => {
      const thing = opened.value;
      if (!thing || !("file" in thing) || thing.file === file) return;
      if (isKeeping) file = thing.file;
      else void load(thing);
    }),
    effect(() => {
      // A tokenizer that is asked for later counts the same text.
      if (known.value && known.value.encoding !== encoding.value) void know();
    }),
    effect(() => {
      const wanted = {
        budget: budget.value,
        profile: profile.value,
        lineNumbers: hasNumbers.value,
        marker: marker.value,
        selection: follows.value ? selection.value : undefined,
      };
      // Another grammar makes another summary.
      void grammar.value;
      if (known.value) summarize(wanted);
    }),
    effect(() => {
      if (known.value && isOutlineOpen.value) void outline();
    }),
    effect(() => {
      void grammar.value;
      const question = { diff: diff.value, budget: budget.value };
      if (known.value && isChangeOpen.value) reduce(question);
    }),
  ];
  return () => {
    keep();
    for (const end of ends) end();
  };
}

async function load(thing: OpenedFile): Promise<void> {
  const mine = (file = thing.file);
  // What was typed last belongs to the file before.
  clearTimeout(rest);
  clearTimeout(settled);
  settled = undefined;
  try {
    const content = await textOfFile(mine);
    if (file !== mine) return;
    batch(() => {
      known.value = made.value = selection.value = pointed.value = language.value = outlined.value = undefined;
      expanded.value = new Set();
      name.value = mine.name;
      text.value = content;
    });
    const answer = await know();
    if (!answer || file !== mine) return;
    // A quarter; for a short text the tokens of one or two markers.
    startWith(thing, Math.max(Math.round(answer.tokens / 4), Math.min(answer.tokens, SHORT)));
    known.value = answer;
  } catch (error) {
    if (file === mine) fail(error as Failed);
  }
}

/** Gives the worker the text: a new or an edited one. */
async function know(): Promise<Opened | undefined> {
  const mine = ++version;
  try {
    const answer = await ask("open", {
      name: name.value,
      text: text.value,
      encoding: encoding.value,
      language: language.value,
    });
    if (mine !== version) return undefined;
    batch(() => {
      outlined.value = undefined;
      grammar.value = answer.grammar;
      // The first answer about a file waits for its budget.
      if (known.value) known.value = answer;
    });
    return answer;
  } catch (error) {
    if (mine === version && !isStale(error as Failed)) fail(error as Failed);
    return undefined;
  }
}

const askSummary = newestOf((wanted: Questions["summarize"][0]) => ask("summarize", wanted));

function summarize(wanted: Questions["summarize"][0]): void {
  const of = known.peek();
  void askSummary(
    wanted,
    (answer) => {
      if (of !== known.peek()) return;
      batch(() => {
        made.value = answer;
        if (failure.value === own) failure.value = undefined;
      });
      const { tokens, gaps } = answer;
      shown.value = `${name.value}, cut to ${number(answer.wanted.budget)} tokens`;
      say(`${number(tokens)} of ${count(of!.tokens, "token")}; ${count(gaps.length, "stretch", "stretches")} missing.`);
    },
    (error) => {
      const { needed } = error;
      const action = needed && { label: `Use ${number(needed)} tokens`, run: () => (budget.value = needed) };
      fail({ ...error, ...(action && { action }) });
      // The old summary must not be taken for one of the new text.
      if (of !== known.peek()) made.value = undefined;
    },
  );
}

async function outline(): Promise<void> {
  const of = known.peek();
  try {
    const answer = await ask("outline", {});
    if (of === known.peek()) outlined.value = answer;
  } catch (error) {
    fail(error as Failed);
  }
}

const askReduced = newestOf((asked: Questions["reduce"][0]) => ask("reduce", asked));

function reduce(asked: Questions["reduce"][0]): void {
  if (asked.diff.trim() === "") {
    batch(() => (reduced.value = wrongDiff.value = undefined));
    return;
  }
  void askReduced(
    asked,
    (answer) =>
      batch(() => {
        reduced.value = answer;
        wrongDiff.value = undefined;
      }),
    ({ message }) =>
      batch(() => {
        reduced.value = undefined;
        wrongDiff.value = message;
      }),
  );
}

export async function retryGrammar(): Promise<void> {
  grammar.value = await ask("retry", {});
}

/** Shows the place of the summary in the source. */
export async function pointFrom(offset: number): Promise<void> {
  const { start, end } = await ask("place", { at: offset });
  pointed.value = [start, end];
}

export function chooseLanguage(chosen: string | undefined): void {
  language.value = chosen;
  void know();
}

/** Takes what is typed into the source. */
export function type(content: string): void {
  text.value = content;
  clearTimeout(rest);
  clearTimeout(settled);
  rest = setTimeout(() => void know(), REST);
  settled = setTimeout(keep, SETTLED);
}

/** Makes the edited text the opened file, which other views show and a reload brings back. */
function keep(): void {
  if (settled === undefined) return;
  clearTimeout(settled);
  settled = undefined;
  if (!file) return;
  isKeeping = true;
  editFile(file, text.value);
  isKeeping = false;
}
