/** The page of a document: a source file with its summary beside it, and the links between both. */

import type { Profile, News, Opened, Outlined, Questions, Summarized } from "./document-protocol.ts";
import type { GrammarState } from "./document-protocol.ts";
import { showError, showFacts, showGaps, showOutline, showReduced } from "./document-view.ts";
import { element, number, remember, remembered, takeDrops } from "./dom.ts";
import { guess } from "./guess.ts";
import { stayOffline } from "./offline.ts";
import { SAMPLES, sampleUrl } from "./samples.ts";
import { SourcePane } from "./source-pane.ts";
import { textOfFile } from "./text-file.ts";
import { SummaryPane } from "./summary-pane.ts";
import { asking } from "./talk.ts";
import type { Failed } from "./talk.ts";

const sample = element<HTMLSelectElement>("sample");
const file = element<HTMLInputElement>("file");
const language = element<HTMLSelectElement>("language");
const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");
const marker = element<HTMLInputElement>("marker");
const lines = element<HTMLInputElement>("lines");
const follow = element<HTMLInputElement>("follow");
const diff = element<HTMLTextAreaElement>("diff");
const profiles = [...document.querySelectorAll<HTMLInputElement>("input[name=profile]")];

const ask = asking<Questions, News>("./document-worker.js", ({ grammar: state }) => {
  grammar = state;
  want();
});

let name = "";
let opened: Opened | undefined;
let grammar: GrammarState = { state: "none" };
let outlined: Outlined | undefined;
let shown: Summarized | undefined;
/** The document whose summary is shown. */
let shownOf: Opened | undefined;
/** True once the user has placed the cursor. */
let placed = false;
/** The last reported selection. */
let selected = "";

const source = new SourcePane(element("source-box"));
const summary = new SummaryPane(element("summary-box"), {
  moved(place) {
    if ("document" in place) return source.point([place.document, place.document]);
    ask("place", { at: place.summary }).then(({ start, end }) => source.point([start, end]), fail);
  },
  toggled({ range }, open) {
    if (shown) summary.show(shown.text, shown.gaps, source.text);
    source.point(open ? range : undefined);
  },
});

const fail = (error: Failed) => showError(error);

// ------------------------------------------------------------ opening

/** Min budget in tokens; below it nothing can be saved. */
const SHORT = 60;

async function open(text: string, called: string, chosen?: string): Promise<void> {
  name = called;
  placed = false;
  source.text = text;
  selected = source.selection.join("-");
  element("cursor").textContent = "no cursor yet";
  await know(chosen);
  // A quarter; for a short text the tokens of one or two markers.
  setBudget(Math.max(Math.round(opened!.tokens / 4), Math.min(opened!.tokens, SHORT)));
  want();
}

/** Sends the document to the worker: a new or an edited one. */
async function know(chosen?: string): Promise<void> {
  const { text } = source;
  // Without a name the text decides.
  const guessed = chosen ?? (name === "" ? guess(text) : undefined);
  const answer = await ask("open", { name: name || "untitled", text, language: guessed });
  opened = answer;
  grammar = answer.grammar;
  outlined = undefined;
  showLanguages(answer, chosen, guessed);
  slider.max = String(answer.tokens);
  setBudget(budgetOf() ?? 0);
}

function knowAgain(): void {
  attempt(async () => {
    await know(language.value || undefined);
    want();
  });
}

/** Fills the list of languages; the first choice lets the name decide. */
function showLanguages(
  { languages, language: found }: Opened,
  chosen: string | undefined,
  guessed: string | undefined,
): void {
  const how = chosen
    ? "by the name"
    : found === undefined
      ? "not known"
      : `${found}, ${guessed ? "guessed" : "by the name"}`;
  language.replaceChildren(new Option(how, ""), ...languages.map((each) => new Option(each, each)));
  language.value = chosen ?? "";
}

async function openSample(path: string): Promise<void> {
  const response = await fetch(sampleUrl(path));
  if (!response.ok) throw { code: "file_not_found", message: `${path} answered ${response.status}` } satisfies Failed;
  await open(await response.text(), path);
}

/** Marks the shown text as the user's own, not a sample. */
function mine(called: string): void {
  sample.options[SAMPLES.length]!.text = called;
  sample.selectedIndex = SAMPLES.length;
}

async function openFile(chosen: File): Promise<void> {
  let text: string;
  try {
    text = await textOfFile(chosen);
  } catch (error) {
    // Allows choosing the same file again.
    file.value = "";
    throw error;
  }
  mine(chosen.name);
  await open(text, chosen.name);
}

/** Opens one after the other; a failure leaves the open document. */
let queue = Promise.resolve();
function attempt(action: () => Promise<void>): void {
  showError(undefined);
  document.body.classList.add("busy");
  queue = queue
    .then(action)
    .catch(fail)
    .finally(() => document.body.classList.remove("busy"));
}

// ------------------------------------------------------------ summarising

let wanted = false;
let busy = false;

/** Asks for a summary of the current text. The page stays usable meanwhile; then only the newest request counts. */
function want(): void {
  wanted = true;
  if (!busy) void work();
}

async function work(): Promise<void> {
  busy = true;
  while (wanted && opened) {
    wanted = false;
    const budget = budgetOf();
    if (budget === undefined) {
      showError({ code: "bad_option", message: "The budget must be a whole number of tokens, 0 or more." });
      continue;
    }
    remember(state);
    const document = opened;
    try {
      const made = await ask("summarize", {
        budget,
        profile: profile(),
        lineNumbers: lines.checked,
        marker: marker.value,
        selection: selection(),
      });
      if (document !== opened) continue;
      showError(undefined);
      show(made);
      shownOf = document;
    } catch (error) {
      fail(error as Failed);
      // The old summary must not be taken for one of the new document.
      if (shownOf !== document) clear();
    }
    await showChanged(budget);
    await new Promise(requestAnimationFrame);
  }
  busy = false;
}

function show(made: Summarized): void {
  shown = made;
  summary.show(made.text, made.gaps, source.text);
  summary.point(made.cursor);
  source.shade(made.gaps.map(({ range }) => range));
  showFacts(made, opened!, grammar);
  drawGaps();
  void drawOutline();
  element("result").dataset["budget"] = String(made.wanted.budget);
}

function clear(): void {
  shown = undefined;
  summary.show("", [], source.text);
  source.shade([]);
  drawGaps();
}

function drawGaps(): void {
  showGaps(shown?.gaps ?? [], (at) => {
    const gap = shown!.gaps[at]!;
    element("panes").scrollIntoView({ block: "nearest" });
    summary.toggle(at);
    source.point(gap.range);
  });
}

async function drawOutline(): Promise<void> {
  if (!element<HTMLDetailsElement>("outline-card").open) return;
  try {
    outlined ??= await ask("outline", {});
    showOutline(outlined, shown?.gaps ?? [], ({ start }) => {
      placed = true;
      source.select([start, start]);
      source.area.focus();
      cursorMoved();
    });
  } catch (error) {
    fail(error as Failed);
  }
}

async function showChanged(budget: number): Promise<void> {
  if (!element<HTMLDetailsElement>("changed-card").open) return;
  if (diff.value.trim() === "") {
    element("diff-status").textContent = "";
    element("ladder").replaceChildren();
    element("reduced").hidden = true;
    return;
  }
  try {
    showReduced(await ask("reduce", { diff: diff.value, budget }), budget, (needed) => {
      setBudget(needed);
      want();
    });
  } catch (error) {
    element("diff-status").textContent = (error as Failed).message;
    element("ladder").replaceChildren();
    element("reduced").hidden = true;
  }
}

/** Writes a diff that marks the selected lines, or the line of the cursor, as new. */
function pretend(): void {
  const { text } = source;
  const rows = text.split(/\r\n|\n|\r/);
  const [start, end] = source.selection;
  const [first, last] = [source.lineAt(start), source.lineAt(Math.max(start, end - 1))];
  const from = Math.max(0, first - 3);
  const to = Math.min(rows.length - 1, last + 3);
  const count = last - first + 1;
  const body = rows
    .slice(from, to + 1)
    .map((row, at) => `${from + at >= first && from + at <= last ? "+" : " "}${row}`);
  const path = name || "untitled";
  diff.value = [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${from + 1},${body.length - count} +${from + 1},${body.length} @@`,
    ...body,
    "",
  ].join("\n");
  want();
}

// ------------------------------------------------------------ controls

function profile(): Profile {
  return profiles.find(({ checked }) => checked)?.value === "copilot-chat" ? "copilot-chat" : "espalier";
}

function selection(): readonly [number, number] | undefined {
  return placed && follow.checked ? source.selection : undefined;
}

function budgetOf(): number | undefined {
  const value = Number(tokens.value);
  return tokens.value.trim() !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function setBudget(value: number): void {
  tokens.value = String(value);
  slider.value = String(value);
  element("percent").textContent = opened
    ? `${opened.tokens > 0 ? Math.round((100 * value) / opened.tokens) : 100} % of ${number(opened.tokens)}`
    : "";
}

function state(): Record<string, string> {
  return {
    ...(sample.value && { sample: sample.value }),
    profile: profile(),
    budget: tokens.value,
    ...(lines.checked && { lines: "1" }),
  };
}

function cursorMoved(): void {
  const [start, end] = source.selection;
  const [first, last] = [source.lineAt(start) + 1, source.lineAt(Math.max(start, end - 1)) + 1];
  element("cursor").textContent =
    start === end
      ? `cursor in line ${first}`
      : first === last
        ? `selection in line ${first}`
        : `lines ${first}-${last} selected`;
  source.point(undefined);
  want();
}

document.addEventListener("selectionchange", () => {
  const at = source.selection.join("-");
  if (document.activeElement !== source.area || at === selected) return;
  selected = at;
  placed = true;
  cursorMoved();
});
/** Milliseconds without typing before the text is read again. */
const REST = 150;
let timer: ReturnType<typeof setTimeout>;
source.area.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(knowAgain, REST);
});
source.area.addEventListener("paste", () => {
  // Text that replaces everything is another document without a name.
  const { selectionStart, selectionEnd, value } = source.area;
  if (selectionStart > 0 || selectionEnd < value.length) return;
  name = "";
  language.value = "";
  mine("pasted text");
});
slider.addEventListener("input", () => {
  setBudget(Number(slider.value));
  want();
});
tokens.addEventListener("change", () => {
  setBudget(Number(tokens.value));
  want();
});
for (const control of [...profiles, lines, follow]) control.addEventListener("change", want);
marker.addEventListener("input", want);
diff.addEventListener("input", want);
language.addEventListener("change", knowAgain);
sample.addEventListener("change", () => attempt(() => openSample(sample.value)));
file.addEventListener("change", () => {
  const chosen = file.files?.[0];
  if (chosen) attempt(() => openFile(chosen));
});
takeDrops((dropped) => attempt(() => openFile(dropped)));
element("retry").addEventListener("click", () =>
  attempt(async () => {
    grammar = await ask("retry", {});
    want();
  }),
);
element("pretend").addEventListener("click", pretend);
element("copy").addEventListener("click", () => void navigator.clipboard.writeText(shown?.text ?? ""));
element("gaps-card").addEventListener("toggle", drawGaps);
element("outline-card").addEventListener("toggle", () => void drawOutline());
element("changed-card").addEventListener("toggle", want);

for (const path of SAMPLES) sample.add(new Option(path, path));
sample.add(new Option("my own source", ""));
sample.options[SAMPLES.length]!.disabled = true;
const said = remembered();
for (const radio of profiles)
  radio.checked = radio.value === (said.get("profile") === "copilot-chat" ? "copilot-chat" : "espalier");
lines.checked = said.get("lines") === "1";
const start = SAMPLES.find((path) => path === said.get("sample")) ?? SAMPLES[0]!;
sample.value = start;
attempt(async () => {
  await openSample(start);
  const budget = said.get("budget");
  if (budget && Number.isSafeInteger(Number(budget)) && Number(budget) >= 0) setBudget(Number(budget));
  want();
});
stayOffline();
