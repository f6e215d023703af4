/** Opens things: examples, files that are picked, dropped or pasted, and what an address says. */

import { batch, signal } from "@preact/signals";
import { EXAMPLES, OUR_FOLDER } from "../examples.ts";
import type { Dropped, Given } from "../folder/given.ts";
import type { Readable } from "../reading.ts";
import { isUnreachable } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { OpenedConversation, Part } from "../worker/questions.ts";
import type { Address } from "./address.ts";
import { ask, openAside } from "./ask.ts";
import { autoBudget, budget, encoding, estimate, failure, opened, say, view, working } from "./state.ts";
import { logOf, logOfPart } from "./shared-log.ts";
import type { Alert, From, Opened, OpenedFile } from "./state.ts";
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
  /** The view that shows it, if it can. */
  view?: string | undefined;
  /** What it is opened as, whatever views claim. */
  kind?: OpenedFile["kind"] | undefined;
}

/** Opens one thing after the other; the newest wins. Returns false if it could not be opened. */
export function open(source: Readable | Given, from: From, options: Options = {}): Promise<boolean> {
  const number = ++newest;
  working.value++;
  const answer = last.then(() => number === newest && openNow(source, from, options));
  // One that fails in an unforeseen way does not keep the next from opening.
  last = answer.catch(() => undefined);
  return answer.finally(() => working.value--);
}

export const openFile = (file: File, options: Options = {}) => open(file, { file }, options);

export function openExample(key: string, options: Options = {}): Promise<boolean> {
  const example = EXAMPLES.find((one) => one.key === key) ?? EXAMPLES[0]!;
  const { name } = example;
  const source = "url" in example ? example : { name, folder: { kind: "repository" } as const };
  return open(source, { example: example.key }, options);
}

async function openNow(source: Readable | Given, from: From, options: Options): Promise<boolean> {
  try {
    if ("folder" in source) {
      show(
        { kind: "folder", name: source.name, id: ++id, from, folder: source.folder, budget: options.budget },
        options,
      );
      const { kind } = source.folder;
      if (kind === "handle" || kind === "files")
        void import("../folder/keep.tsx").then((one) => one.keepFolder(source));
      return true;
    }
    const file = await fileOf(source);
    const kind = options.kind ?? (file && (await kindIn(file)));
    if (file && kind) {
      await VIEWS.find(({ kinds }) => kinds[0] === kind)?.check?.(file);
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
    say(
      `Opened ${answer.name}: ${answer.count.toLocaleString("en")} messages, ${answer.total.toLocaleString("en")} tokens.`,
      true,
    );
    return true;
  } catch (error) {
    const { code, conversations } = error as Failed;
    if (code === "several_sessions" && source instanceof File)
      batch(() => {
        failure.value = undefined;
        choice.value = { file: source, conversations: conversations ?? [] };
      });
    else if (typeof code !== "string" || isUnreachable(code)) {
      // What throws without a code here is an import.
      const again = { label: "Try again", run: () => void open(source, from, options) };
      failure.value = { code: code ?? "unreachable", message: "", action: again };
    } else if (code !== "stopped")
      failure.value = { ...(error as Failed), path: undefined, ...(await asText(source, error as Failed)) };
    return false;
  }
}

function tellLost({ lost }: OpenedConversation): void {
  if (!lost) return;
  const message = `The edits of your earlier visit do not match this file any more: ${lost}`;
  failure.value = { code: "lost_edits", message };
}

/** Returns the way out for a file that is no conversation: its text has tokens all the same. */
async function asText(source: Readable | Given, { code }: Failed): Promise<Pick<Alert, "action"> | undefined> {
  if (!(source instanceof File) || !(await import("./claims.ts")).hasText(code, await headOf(source))) return undefined;
  return { action: { label: "Show its tokens", run: () => void openFile(source, { kind: "text", view: "tokens" }) } };
}

/** Returns what views may claim: a file of the reader, or an example that is one. */
async function fileOf(source: Readable): Promise<File | undefined> {
  if (source instanceof File) return source;
  if (!("file" in source && source.file && "url" in source)) return undefined;
  const response = await fetch(source.url);
  if (!response.ok) throw { code: "file_not_found", message: `${source.url} answered ${response.status}` };
  return new File([await response.blob()], source.file as string);
}

/** Opens a text without a name. It gets one that tells what the text is. */
export async function openText(text: string, options: Options = {}): Promise<boolean> {
  const { pastedName } = await import("../source/guess.ts");
  return openFile(new File([text], pastedName(text)), options);
}

/** Shows a view, and its example if it cannot show what is open. */
export function chooseView({ name, kinds, example }: View): void {
  const { kind } = opened.value ?? {};
  if (kind && kinds.includes(kind)) view.value = name;
  else void openExample(example, { view: name });
}

/** Returns the first characters of a file. */
const headOf = (file: File): Promise<string> =>
  file
    .slice(0, HEAD)
    .text()
    .catch(() => "");

async function kindIn(file: File): Promise<OpenedFile["kind"] | undefined> {
  const [{ kindOf }, head] = await Promise.all([import("./claims.ts"), headOf(file)]);
  return kindOf(file.name, head);
}

function show(thing: Opened, options: Options): void {
  const before = opened.value?.kind;
  batch(() => {
    estimate.value = undefined;
    // A view that could not be loaded is still not there.
    if (failure.value?.code !== "not_loaded") failure.value = undefined;
    // The other conversations of the file stay on offer.
    if (options.conversation === undefined) choice.value = undefined;
    // A view stays for the next thing of the same kind; another kind is shown in its own view.
    const wanted = options.view ?? (before === undefined || before === thing.kind ? view.value : undefined);
    opened.value = thing;
    const able = VIEWS.filter(({ kinds }) => kinds.includes(thing.kind));
    const own = able.find(({ kinds }) => kinds[0] === thing.kind);
    view.value = (able.find(({ name }) => name === wanted) ?? own ?? able[0])?.name ?? view.value;
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

/** Returns the example that an address names: that of its view, if it only names a view. */
const exampleOf = ({ example, view }: Address): string =>
  example ?? VIEWS.find(({ name }) => name === view)?.example ?? EXAMPLES[0]!.key;

/** Returns true if an address names what is open. */
export function isOpen(address: Address): boolean {
  const { file, folder, words, shape } = address;
  const from = opened.value?.from;
  if (!from) return false;
  if (words !== undefined) return "words" in from && from.words === words;
  if (shape !== undefined) return "shape" in from && from.shape === shape;
  if (file !== undefined) return "file" in from && from.file.name === file;
  if (folder !== undefined) return "folder" in from && from.folder === folder;
  return "example" in from && from.example === exampleOf(address);
}

/** Opens what an address names, unless it is open. */
export async function arrive(address: Address): Promise<void> {
  if (isOpen(address)) return;
  const { file, folder, words, shape, budget: wanted, view: shownIn } = address;
  if (words !== undefined || shape !== undefined) {
    const text = words ?? shape!;
    const from = words !== undefined ? { words: text } : { shape: text };
    const isShown = await open({ text, name: "A shared conversation" }, from, { budget: wanted });
    if (isShown || opened.value) return;
    // Something to look at beside the sentence.
    const failed = failure.value!;
    await openInstead(EXAMPLES[0]!.key, failed);
    return;
  }
  if (folder !== undefined) {
    const kept = await (await import("../folder/keep.tsx")).keptFolder(folder);
    if (kept) {
      await open(kept, { folder }, { budget: wanted, view: shownIn });
      return;
    }
    const message = `This link was made with the folder ${folder}, which is not in it. Open or drop that folder to see it.`;
    await openInstead(OUR_FOLDER, { code: "no_file", message }, { budget: wanted, view: shownIn });
    return;
  }
  if (file === undefined) {
    const example = exampleOf(address);
    if (EXAMPLES.some(({ key }) => key === example)) await openExample(example, { budget: wanted, view: shownIn });
    else {
      const message = `This link names the example “${example}”, which this version of the page does not have.`;
      // Its budget is for what it names.
      await openInstead(EXAMPLES[0]!.key, { code: "no_example", message }, { view: shownIn });
    }
    return;
  }
  const kept = await keptFile(file);
  if (kept) {
    await openFile(kept.file, { conversation: kept.conversation, budget: wanted, view: shownIn });
    return;
  }
  const message = `This link was made with the file ${file}, which is not in it. Open that file to see it.`;
  if (opened.value) failure.value = { code: "no_file", message };
  else await openInstead(EXAMPLES[0]!.key, { code: "no_file", message });
}

/** Opens an example instead of what an address names, and says why. */
async function openInstead(example: string, why: Failed, options: Options = {}): Promise<void> {
  const isReplaced = await openExample(example, options);
  failure.value = { ...why, isReplaced };
}

type WithHandle = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** Returns what was dropped. At once, all of it: items can only be read during the event. */
function droppedBy(data: DataTransfer): Dropped {
  const items = [...data.items].filter(({ kind }) => kind === "file") as WithHandle[];
  return {
    files: [...data.files],
    entries: items.flatMap((item) => item.webkitGetAsEntry() ?? []),
    handles: items.map((item) => item.getAsFileSystemHandle?.().catch(() => null)),
  };
}

/** Opens what was dropped, or the files of a chosen folder; without either it asks for a folder. */
export async function openGiven(from?: Dropped | readonly File[]): Promise<void> {
  try {
    const { givenBy, chosenFolder, pickFolder } = await import("../folder/given.ts");
    const given = await (!from ? pickFolder() : "handles" in from ? givenBy(from) : chosenFolder(from));
    if (given instanceof File) void openFile(given);
    else if (given) void open(given, { folder: given.name });
  } catch (error) {
    failure.value = error as Failed;
  }
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
    void openGiven(droppedBy(event.dataTransfer!));
  });
  addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    if ((target as HTMLElement).closest?.("input, textarea, [contenteditable=true], .cm-editor")) return;
    const [file] = clipboardData?.files ?? [];
    const text = clipboardData?.getData("text/plain") ?? "";
    if (file) void openFile(file);
    else if (text.trim()) void openText(text);
  });
}
