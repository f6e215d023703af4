/** The page of inline context: a file with a cursor, its neighbours, and the prompt for a completion. */

import "../js/entries/engines/workspace-web.ts";
import { init, InlineContext } from "../js/entries/inline-context.ts";
import type { InlineContextItem, InlineContextResult, InlineReason } from "../js/entries/inline-context.ts";
import { element, made, number, remember, remembered } from "./dom.ts";
import { showCandidates, showFacts, showPrompt } from "./inline-view.ts";
import type { Part } from "./inline-view.ts";
import { keepFetched, stayOffline } from "./offline.ts";
import { repository } from "./repository.ts";
import { SourcePane } from "./source-pane.ts";

const file = element<HTMLSelectElement>("file");
const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");
const share = element<HTMLInputElement>("suffix-share");
const form = element<HTMLSelectElement>("edit-form");
const profiles = [...document.querySelectorAll<HTMLInputElement>("input[name=profile]")];
const source = new SourcePane(element("source-box"));

/** Files that are open at first; the last one has the focus. */
const FIRST = [
  "js/sessions/aider.ts",
  "js/sessions/amp.ts",
  "js/sessions/cline.ts",
  "js/sessions/kimi.ts",
  "js/sessions/goose.ts",
];
/** Max files that stay open. */
const MAX_OPEN = 20;

const LANGUAGES: Record<string, string> = {
  ts: "typescript",
  tsx: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  rs: "rust",
  py: "python",
  md: "markdown",
  toml: "toml",
  json: "json",
  css: "css",
};
const languageOf = (path: string) => LANGUAGES[path.slice(path.lastIndexOf(".") + 1)] ?? "plaintext";

type EditForm = "unified" | "searchReplace" | "plain";

interface Open {
  path: string;
  /** The text without the user's changes. */
  original: string;
  text: string;
  cursor: number;
}

const texts = new Map<string, string>();
/** Open files; the newest one is last. */
let opened: Open[] = [];
let session: InlineContext | undefined;
let shown: InlineContextResult | undefined;
const current = () => opened.at(-1);

// ------------------------------------------------------------ files

function open(path: string, cursor?: number): void {
  const known = opened.find((one) => one.path === path);
  const text = known?.text ?? texts.get(path);
  if (text === undefined) return showError({ message: `There is no file ${path}.` });
  const one = known ?? { path, original: text, text, cursor: cursor ?? middleOf(text) };
  opened = [...opened.filter((other) => other !== one), one];
  while (opened.length > MAX_OPEN) forget(opened.shift()!);
  session?.open({ path, text: one.text, language: languageOf(path) });
  session?.focus(path);
}

function forget({ path }: Open): void {
  session?.close(path);
}

function close(path: string): void {
  const at = opened.findIndex((one) => one.path === path);
  if (at < 0 || opened.length === 1) return;
  forget(opened.splice(at, 1)[0]!);
  show();
}

/** Returns the end of a line near the middle, within code. */
function middleOf(text: string): number {
  const at = text.indexOf("{\n", text.length >> 1);
  return at < 0 ? text.length : at + 1;
}

/** Shows the newest file, with its cursor. */
function show(): void {
  const { path, text, cursor } = current()!;
  source.text = text;
  source.select([cursor, cursor]);
  // A text area without the focus shows no caret.
  source.point([cursor, cursor]);
  selected = cursor;
  file.value = path;
  element("source-title").textContent = path;
  showTabs();
  want();
}

function showTabs(): void {
  element("tabs").replaceChildren(
    ...opened.toReversed().map(({ path }, at) => {
      const item = made("li");
      const choose = made("button", "", path);
      const end = made("button", "", "×");
      end.ariaLabel = `close ${path}`;
      for (const button of [choose, end]) button.type = "button";
      if (at === 0) item.ariaCurrent = "true";
      choose.addEventListener("click", () => {
        open(path);
        show();
        source.area.focus();
      });
      end.addEventListener("click", () => close(path));
      end.hidden = opened.length === 1;
      item.append(choose, end);
      return item;
    }),
  );
}

// ------------------------------------------------------------ the prompt

/** Starts a new session for other options; each file's edit is the change from its original text to the current one. */
function restart(): void {
  const budget = numberOf(tokens);
  if (budget === undefined) return showError({ message: "The window must be a whole number of tokens, 0 or more." });
  const previous = session;
  try {
    session = new InlineContext({
      profile: profile(),
      window: budget,
      suffixShare: (numberOf(share) ?? 15) / 100,
      editForm: form.value as EditForm,
    });
  } catch (error) {
    return showError(error);
  }
  previous?.free();
  for (const { path, original, text } of opened) {
    session.open({ path, text: original, language: languageOf(path) });
    session.focus(path);
    if (text !== original) session.change(path, text);
  }
  want();
  settle();
}

/** Milliseconds after which a change is a recent edit. */
const SETTLED = 550;
let timer: ReturnType<typeof setTimeout> | undefined;
function settle(): void {
  clearTimeout(timer);
  timer = setTimeout(want, SETTLED);
}

let frame = 0;
/** Makes the prompt for the current state, at most once a frame. */
function want(): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => {
    try {
      work();
      showError(undefined);
    } catch (error) {
      showError(error);
    }
  });
}

function work(): void {
  const now = current();
  if (!session || !now) return;
  remember(state);
  now.cursor = source.selection[0];
  element("cursor").textContent = `cursor in line ${number(source.lineAt(now.cursor) + 1)}`;
  const start = performance.now();
  const result = session.context({ file: now.path, cursor: now.cursor });
  const ms = performance.now() - start;
  shown = result;
  const { prefix, trailing, suffix, items, tokens: spent, isSuffixReused, isTooShort } = result;
  showFacts({ ...spent, limit: spent.budget, isSuffixReused, isTooShort, ms });
  showPrompt(partsOf(result));
  showCandidates(
    items.map((item) => ({
      kind: KINDS[item.kind],
      from: fromOf(item),
      weight: item.weight,
      tokens: item.tokens,
      outcome: outcomeOf(item),
      isSent: !item.dropped,
    })),
  );
  const first = now.cursor - trailing.length - prefix.length;
  const after = now.text.indexOf("\n", now.cursor);
  // A reused suffix may belong to an older text, and is then nowhere in this one.
  const at = after < 0 ? -1 : now.text.indexOf(suffix.slice(0, 200), after);
  const last = at < 0 ? now.text.length : at + suffix.length;
  source.shade([[0, first] as const, [last, now.text.length] as const].filter(([from, to]) => to > from));
  const data = element("result").dataset;
  data["file"] = now.path;
  data["cursor"] = String(now.cursor);
  data["budget"] = String(spent.budget);
}

const KINDS: Record<InlineContextItem["kind"], string> = {
  marker: "path",
  trait: "trait",
  diagnostic: "diagnostic",
  snippet: "snippet",
  similarSnippet: "similar code",
  recentEdits: "recent edits",
  neighbour: "open file",
};

const REASONS: Record<InlineReason, string> = {
  noRoom: "no room in the budget",
  poolUsedUp: "no room in its pool",
  duplicate: "there already",
  empty: "empty",
  excluded: "excluded",
  pending: "not arrived yet",
  late: "too late",
  currentFile: "the file itself",
  otherScheme: "another kind of address",
  otherLanguage: "another language",
  tooLarge: "too large",
  tooMany: "enough files precede it",
  notCompared: "not compared: empty, too large, or preceded by too many files",
  notSimilar: "not similar to the text before the cursor",
  notReached: "not read in time",
  snippetsInstead: "providers have snippets",
};

function fromOf({ id, firstLine, endLine }: InlineContextItem): string {
  return firstLine === undefined ? id : `${id}:${firstLine + 1}-${endLine ?? firstLine + 1}`;
}

function outcomeOf({ dropped, isCut, score }: InlineContextItem): string {
  if (dropped) return `not sent: ${REASONS[dropped]}`;
  return `sent${isCut ? ", only its end" : ""}${score === undefined ? "" : `, similarity ${score.toFixed(2)}`}`;
}

/** Returns the parts in the order of the prompt: context, suffix, prefix. */
function partsOf({ items, prefix, suffix, tokens: spent }: InlineContextResult): Part[] {
  const sent = items.filter(({ dropped }) => !dropped);
  const context = sent.map(
    (item): Part => ({
      kind: KINDS[item.kind],
      from: fromOf(item),
      tokens: item.tokens,
      text: item.text,
    }),
  );
  return [
    ...context,
    { kind: "suffix", from: "after the cursor's line", tokens: spent.suffix, text: suffix },
    { kind: "prefix", from: "up to the cursor", tokens: spent.prefix, text: prefix },
  ];
}

// ------------------------------------------------------------ controls

const profile = () => (profiles.find(({ checked }) => checked)?.value === "copilot-chat" ? "copilot-chat" : "espalier");

function numberOf(input: HTMLInputElement): number | undefined {
  const value = Number(input.value);
  return input.value.trim() !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function setWindow(value: number): void {
  tokens.value = slider.value = String(value);
  element("percent").textContent = number(value);
}

const state = (): Record<string, string> => ({
  file: current()?.path ?? "",
  profile: profile(),
  window: tokens.value,
  suffix: share.value,
  edits: form.value,
});

function showError(error: unknown): void {
  const box = element("alert");
  box.hidden = error === undefined;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  box.textContent = error === undefined ? "" : `${message ?? String(error)}${code ? ` [${code}]` : ""}`;
}

/** The last reported cursor. */
let selected = -1;
document.addEventListener("selectionchange", () => {
  const [at] = source.selection;
  const now = current();
  if (document.activeElement !== source.area || at === selected || !now) return;
  selected = at;
  source.point(undefined);
  session?.moveCursor({ path: now.path, cursor: at });
  want();
});

source.area.addEventListener("input", () => {
  const now = current();
  if (!now) return;
  now.text = source.text;
  session?.change(now.path, now.text);
  want();
  settle();
});
slider.addEventListener("input", () => {
  setWindow(Number(slider.value));
  restart();
});
tokens.addEventListener("change", () => {
  setWindow(Number(tokens.value));
  restart();
});
for (const control of [...profiles, share, form]) control.addEventListener("change", restart);
file.addEventListener("change", () => {
  open(file.value);
  show();
});
element("copy").addEventListener(
  "click",
  () => void navigator.clipboard.writeText(shown ? `${shown.context}${shown.prefix}` : ""),
);

for (const [value, text] of [
  ["unified", "a unified diff"],
  ["searchReplace", "search and replace"],
  ["plain", "plain text"],
] as const)
  form.add(new Option(text, value));
const said = remembered();
for (const radio of profiles)
  radio.checked = radio.value === (said.get("profile") === "copilot-chat" ? "copilot-chat" : "espalier");
if (["unified", "searchReplace", "plain"].includes(said.get("edits") ?? "")) form.value = said.get("edits")!;
share.value = /^\d{1,2}$/.test(said.get("suffix") ?? "") ? said.get("suffix")! : "15";
setWindow(/^\d{3,6}$/.test(said.get("window") ?? "") ? Number(said.get("window")) : 8_192);

async function start(): Promise<void> {
  const [files] = await Promise.all([repository(), init()]);
  void keepFetched();
  for (const { path, text } of files) texts.set(path, text);
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const group = groups.get(folder) ?? Object.assign(made("optgroup"), { label: folder });
    groups.set(folder, group);
    group.append(new Option(path.slice(folder.length + 1), path));
  }
  file.append(...groups.values());
  const asked = said.get("file");
  for (const path of FIRST) if (texts.has(path)) open(path);
  if (asked && texts.has(asked)) open(asked);
  restart();
  show();
}

start().catch(showError);
stayOffline();
