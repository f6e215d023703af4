/** What the view of inline context holds: the folder, the open files, the prompt of the newest cursor. */

import { batch, computed, effect, signal } from "@preact/signals";
import { newestOf } from "../app/ask.ts";
import { startWith } from "../app/editing.ts";
import { readProfile } from "../app/knobs.tsx";
import { budget, encoding, failure, opened, params, say, setParam, shown } from "../app/state.ts";
import type { Opened } from "../app/state.ts";
import { count, number } from "../conversation/words.ts";
import type { Folder } from "../folder/given.ts";
import { isSource } from "../source/is-source.ts";
import { SUPERSEDED, asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { Answer, EditForm, OpenText, Questions, Settings } from "./protocol.ts";

/** Names in the address. */
export const FILE = "inline.file";
export const PROFILE = "inline.profile";
export const SUFFIX = "inline.suffix";
export const EDITS = "inline.edits";

export const EDIT_FORMS: readonly (readonly [EditForm, string])[] = [
  ["unified", "a unified diff"],
  ["searchReplace", "search and replace"],
  ["plain", "plain text"],
];
export const DEFAULT_SUFFIX = 15;
/** A window of 8,192 tokens, of which 500 are left for the completion. */
const FIRST_BUDGET = 7_692;
/** Files of our own sources that are open at first; the last one has the focus. */
const FIRST = [
  "js/sessions/aider.ts",
  "js/sessions/amp.ts",
  "js/sessions/cline.ts",
  "js/sessions/kimi.ts",
  "js/sessions/goose.ts",
];
/** Max files that stay open. */
const MAX_OPEN = 20;
/** Milliseconds after which a change is a recent edit. */
const SETTLED = 550;

export interface OpenFile extends OpenText {
  cursor: number;
}

const ask = asking<Questions>("./inline-worker.js");

export const paths = signal<readonly string[]>([]);
/** Open files; the newest one is last. */
export const files = signal<readonly OpenFile[]>([]);
export const current = computed(() => files.value.at(-1));
export const answer = signal<Answer | undefined>(undefined);
export const profile = computed(() => readProfile(params.value[PROFILE]));
export const suffix = computed(() => {
  const text = params.value[SUFFIX] ?? "";
  return /^\d{1,2}$/.test(text) ? Number(text) : DEFAULT_SUFFIX;
});
export const editForm = computed<EditForm>(
  () => EDIT_FORMS.find(([name]) => name === params.value[EDITS])?.[0] ?? "unified",
);
const settings = computed<Settings>(() => ({
  profile: profile.value,
  budget: budget.value,
  suffixShare: suffix.value / 100,
  editForm: editForm.value,
  encoding: encoding.value,
}));

/** The opened thing whose files are shown: its file, which another view may edit, or its id. */
let of: File | number | undefined;
/** The alert that this view has raised. */
let own: Failed | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

const fail = (error: Failed) => (failure.value = own = error);

export const folderOf = (thing: Opened): Folder | undefined =>
  thing.kind === "folder"
    ? thing.folder
    : "file" in thing
      ? { kind: "files", files: [{ path: thing.file.name.split("/").at(-1)!, file: thing.file }] }
      : undefined;

/** Follows what is open and the settings. Returns what ends it. */
export function followInline(): () => void {
  const ends = [
    effect(() => {
      const thing = opened.value;
      if (thing && keyOf(thing) !== of) void load(thing);
    }),
    effect(() => {
      // Back, or another address.
      const wanted = params.value[FILE];
      if (wanted !== undefined && paths.value.includes(wanted) && wanted !== current.peek()?.path)
        void openFile(wanted);
    }),
    effect(() => {
      const wanted = settings.value;
      if (paths.value.length > 0) void restart(wanted);
    }),
  ];
  return () => {
    for (const end of ends) end();
    clearTimeout(timer);
  };
}

const keyOf = (thing: Opened) => ("file" in thing ? thing.file : thing.id);

async function load(thing: Opened): Promise<void> {
  const folder = folderOf(thing);
  if (!folder || thing.kind === "conversation") return;
  const key = (of = keyOf(thing));
  try {
    const all = await ask("folder", { folder });
    const wanted = params.peek()[FILE];
    const first = firstOf(all);
    if (wanted !== undefined && all.includes(wanted)) first.push(wanted);
    const texts = await Promise.all(first.map((path) => ask("text", { path })));
    if (of !== key) return;
    startWith(thing, FIRST_BUDGET);
    batch(() => {
      answer.value = undefined;
      const opening = first.map((path, at) => fileOf(path, texts[at]!));
      files.value = opening.filter(({ path }, at) => first.lastIndexOf(path) === at);
      paths.value = all;
    });
  } catch (error) {
    if (of === key) fail(error as Failed);
  }
}

/** Returns the files that are open at first. */
function firstOf(all: readonly string[]): string[] {
  const ours = FIRST.filter((path) => all.includes(path));
  if (ours.length > 0) return ours;
  const code = all.filter((path) => isSource(path, ""));
  return (code.length > 0 ? code : all).slice(0, FIRST.length);
}

const fileOf = (path: string, text: string): OpenFile => ({ path, original: text, text, cursor: middleOf(text) });

/** Returns the end of a line near the middle, within code. */
function middleOf(text: string): number {
  const at = text.indexOf("{\n", text.length >> 1);
  return at < 0 ? text.length : at + 1;
}

/** Starts a new session for other settings. */
async function restart(wanted: Settings): Promise<void> {
  try {
    const asked = ask("start", { settings: wanted, files: files.peek() });
    want();
    await asked;
    if (failure.value === own) failure.value = undefined;
  } catch (error) {
    if ((error as Failed).code !== SUPERSEDED) fail(error as Failed);
  }
  settle();
}

const askContext = newestOf((place: Questions["context"][0]) => ask("context", place));

/** Asks for the prompt at the cursor. */
function want(): void {
  const now = current.peek();
  if (!now) return;
  void askContext(
    { path: now.path, cursor: now.cursor },
    (made) => {
      if (made.path !== current.peek()?.path) return;
      answer.value = made;
      const { tokens } = made;
      const used = tokens.budget - tokens.free;
      shown.value = `the prompt at the cursor, ${count(used, "token")}`;
      say(`${number(used)} of ${count(tokens.budget, "token")} are sent.`);
    },
    // A session that could not start has said so.
    ({ code, message }) => code !== "bad_input" && fail({ code, message }),
  );
}

function settle(): void {
  clearTimeout(timer);
  timer = setTimeout(want, SETTLED);
}

/** Opens a file of the folder, or gives the focus to an open one. */
export async function openFile(path: string): Promise<void> {
  try {
    const known = files.peek().find((one) => one.path === path);
    const file = known ?? fileOf(path, await ask("text", { path }));
    const others = files.peek().filter((one) => one.path !== path);
    const gone = others.slice(0, Math.max(0, others.length + 1 - MAX_OPEN));
    for (const one of gone) void ask("close", { path: one.path });
    files.value = [...others.slice(gone.length), file];
    setParam(FILE, path);
    void ask("focus", { path, text: file.text });
    want();
  } catch (error) {
    fail(error as Failed);
  }
}

export function closeFile(path: string): void {
  const others = files.peek().filter((one) => one.path !== path);
  if (others.length === 0) return;
  files.value = others;
  setParam(FILE, others.at(-1)!.path);
  void ask("close", { path });
  want();
}

function update(change: Partial<OpenFile>): OpenFile {
  const next = { ...current.peek()!, ...change };
  files.value = [...files.peek().slice(0, -1), next];
  return next;
}

export function type(text: string, cursor: number): void {
  const { path } = update({ text, cursor });
  void ask("change", { path, text });
  want();
  settle();
}

export function moveTo(cursor: number): void {
  const { path } = update({ cursor });
  void ask("move", { path, cursor });
  want();
}
