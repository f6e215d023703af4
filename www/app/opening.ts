/** Opens things: examples, files that are picked, dropped or pasted, and what an address says. */

import { batch, signal } from "@preact/signals";
import { EXAMPLES } from "../examples.ts";
import type { Readable } from "../reading.ts";
import type { Failed } from "../talk.ts";
import type { OpenedConversation, Part } from "../worker/questions.ts";
import type { Address } from "./address.ts";
import { ask, openAside } from "./ask.ts";
import { autoBudget, budget, encoding, estimate, failure, opened, say, view, working } from "./state.ts";
import type { From, Kind, Opened } from "./state.ts";
import { logOf, logOfPart } from "./shared-log.ts";
import { keptFile, saveFile } from "./store.ts";
import { VIEWS } from "./views.ts";
import type { View } from "./views.ts";

/** A file with several conversations, of which the reader chooses one. */
export const choice = signal<{ file: File; conversations: NonNullable<Failed["conversations"]> } | undefined>(
  undefined,
);

/** Tokens that the first example is fitted to: the window of a small model. */
const FIRST_BUDGET = 64_000;
/** Characters of a file by which views claim it. */
const HEAD = 4_000;

let last: Promise<unknown> = Promise.resolve();
let id = 0;
/** What the reader did last: an older opening that ends later is not shown. */
let newest = 0;

interface Options {
  /** One of a file with several, from 1. */
  conversation?: number | undefined;
  /** The budget of the address. */
  budget?: number | undefined;
  /** Edits of an earlier visit. */
  log?: string | undefined;
  part?: Part | undefined;
}

/** Opens one thing after the other; the newest wins. Returns false if it could not be opened. */
export function open(source: Readable, from: From, options: Options = {}): Promise<boolean> {
  const number = ++newest;
  working.value++;
  const answer = last.then(() => number === newest && openNow(source, from, options));
  last = answer;
  return answer.finally(() => working.value--);
}

export const openFile = (file: File, options: Options = {}) => open(file, { file }, options);

export function openExample(key: string, options: Options = {}): Promise<boolean> {
  const example = EXAMPLES.find((one) => one.key === key) ?? EXAMPLES[0]!;
  return open(example, { example: example.key }, options);
}

async function openNow(source: Readable, from: From, options: Options): Promise<boolean> {
  try {
    const file = await fileOf(source);
    const claimed = file && (await claimant(file));
    if (claimed) {
      const kind = claimed as "prompt";
      show({ kind, name: source.name, id: ++id, from, file, budget: options.budget }, options);
      if (source instanceof File) void saveFile({ name: source.name, file: source });
      return true;
    }
    const { conversation } = options;
    const log = options.log ?? (await logOf(from, conversation));
    const link = "words" in from ? ("words" as const) : "shape" in from ? ("shape" as const) : undefined;
    const asked = {
      source,
      encoding: encoding.value,
      conversation,
      log,
      link,
      estimate: opened.value ? undefined : budget.value,
    };
    const answer = await openAside(asked);
    show({ kind: "conversation", name: answer.name, id: ++id, from, conversation: answer }, options);
    if (source instanceof File) void saveFile({ name: source.name, file: source, conversation });
    tellLost(answer);
    say(`Opened ${answer.name}: ${answer.count} messages, ${answer.total.toLocaleString("en")} tokens.`, true);
    return true;
  } catch (error) {
    const { code, conversations } = error as Failed;
    if (code === "several_sessions" && source instanceof File)
      batch(() => {
        failure.value = undefined;
        choice.value = { file: source, conversations: conversations ?? [] };
      });
    else if (code !== "stopped") failure.value = { ...(error as Failed), path: undefined };
    return false;
  }
}

function tellLost({ lost }: OpenedConversation): void {
  if (!lost) return;
  const message = `The edits of your earlier visit do not match this file any more: ${lost}`;
  failure.value = { code: "lost_edits", message };
}

/** Returns what views may claim: a file of the reader, or an example that is one. */
async function fileOf(source: Readable): Promise<File | undefined> {
  if (source instanceof File) return source;
  if (!("isFile" in source && source.isFile && "url" in source)) return undefined;
  const response = await fetch(source.url);
  if (!response.ok) throw { code: "file_not_found", message: `${source.url} answered ${response.status}` };
  return new File([await response.blob()], source.url);
}

/** Shows a view, and its example if it cannot show what is open. */
export function chooseView({ name, kinds, example }: View): void {
  const { kind } = opened.value ?? {};
  if (kind && kinds.includes(kind)) view.value = name;
  else
    void openExample(example).then((isOpen) => {
      if (isOpen) view.value = name;
    });
}

/** Returns the kind of the view that claims a file. */
async function claimant(file: File): Promise<Kind | undefined> {
  const claims = VIEWS.filter(({ takes }) => takes);
  if (claims.length === 0) return undefined;
  const head = await file
    .slice(0, HEAD)
    .text()
    .catch(() => "");
  return claims.find(({ takes }) => takes!(file.name, head))?.kinds[0];
}

function show(thing: Opened, options: Options): void {
  batch(() => {
    failure.value = estimate.value = undefined;
    // The other conversations of the file stay on offer.
    if (options.conversation === undefined) choice.value = undefined;
    opened.value = thing;
    if (!VIEWS.some(({ name, kinds }) => name === view.value && kinds.includes(thing.kind)))
      view.value = VIEWS.find(({ kinds }) => kinds.includes(thing.kind))?.name ?? view.value;
    if (options.budget !== undefined) budget.value = options.budget;
    else if (thing.kind === "conversation") autoBudget.value = budget.value = firstBudget(thing.conversation);
  });
}

function firstBudget({ total }: OpenedConversation): number {
  return total > 2 * FIRST_BUDGET ? FIRST_BUDGET : Math.round(total / 2);
}

/** Shows another part of the open conversation, or counts it with another encoding. */
export async function showPart(part: Part): Promise<void> {
  const thing = opened.value;
  if (thing?.kind !== "conversation") return;
  working.value++;
  try {
    const log = await logOfPart(part);
    const conversation = await ask("show", { part, encoding: encoding.value, log });
    batch(() => {
      failure.value = undefined;
      opened.value = { ...thing, id: ++id, conversation };
      // A budget that the reader chose stays.
      if (budget.value === autoBudget.value) autoBudget.value = budget.value = firstBudget(conversation);
    });
    tellLost(conversation);
  } catch (error) {
    failure.value = error as Failed;
  } finally {
    working.value--;
  }
}

/** Returns true if an address names what is open. */
export function isOpen({ example, file, words, shape }: Address): boolean {
  const from = opened.value?.from;
  if (!from) return false;
  if (words !== undefined) return "words" in from && from.words === words;
  if (shape !== undefined) return "shape" in from && from.shape === shape;
  if (file !== undefined) return "file" in from && from.file.name === file;
  return "example" in from && from.example === (example ?? EXAMPLES[0]!.key);
}

/** Opens what an address names, unless it is open. */
export async function arrive(address: Address): Promise<void> {
  if (isOpen(address)) return;
  const { example, file, words, shape, budget: wanted } = address;
  if (words !== undefined || shape !== undefined) {
    const text = words ?? shape!;
    const from = words !== undefined ? { words: text } : { shape: text };
    const isShown = await open({ text, name: "A shared conversation" }, from, { budget: wanted });
    if (isShown || opened.value) return;
    // Something to look at beside the sentence.
    const failed = failure.value;
    await openExample(EXAMPLES[0]!.key);
    failure.value = failed;
    return;
  }
  if (file === undefined) {
    await openExample(example ?? EXAMPLES[0]!.key, { budget: wanted });
    return;
  }
  const kept = await keptFile(file);
  if (kept) {
    await openFile(kept.file, { conversation: kept.conversation, budget: wanted });
    return;
  }
  if (!opened.value) await openExample(EXAMPLES[0]!.key);
  const message = `This link was made with the file ${file}, which is not in it. Open that file to see it.`;
  failure.value = { code: "no_file", message };
}

/** Takes files that are dropped or pasted anywhere, and pasted text that is not meant for a field. */
export function listenForFiles(isOver: (over: boolean) => void): void {
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver(true);
  });
  addEventListener("dragleave", ({ relatedTarget }) => !relatedTarget && isOver(false));
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void openFile(file);
  });
  addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    if ((target as HTMLElement).closest?.("input, textarea, [contenteditable=true], .cm-editor")) return;
    const [file] = clipboardData?.files ?? [];
    const text = clipboardData?.getData("text/plain") ?? "";
    if (file) void openFile(file);
    else if (text.trim()) void openFile(new File([text], "pasted.json"));
  });
}
