/** The page of a search: files, a question, and the hits for a prompt. */

import type { FileSource, SearchAnswer, SearchHit } from "../js/search/types.ts";
import { browserFiles } from "../js/entries/search-list.ts";
import { element, made, number, remember, remembered } from "./dom.ts";
import { takeFolders } from "./folder.ts";
import { HitList, termsOf } from "./hit-list.ts";
import { keepFetched, stayOffline } from "./offline.ts";
import { repository, repositoryFiles } from "./repository.ts";
import {
  RANKINGS,
  showAnswer,
  showIndex,
  showLeftOut,
  showNoAnswer,
  showSkipped,
  showWarnings,
} from "./search-view.ts";
import { forgetStored, other, Workspace } from "./workspace.ts";
import type { Profile, Progress } from "./workspace.ts";

const place = element<HTMLSelectElement>("place");
const folder = element<HTMLInputElement>("folder");
const query = element<HTMLInputElement>("query");
const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");
const compare = element<HTMLInputElement>("compare");
const definitions = element<HTMLInputElement>("definitions");
const whole = element<HTMLInputElement>("whole");
const profiles = [...document.querySelectorAll<HTMLInputElement>("input[name=profile]")];

/** Suggested questions. */
const EXAMPLES = [
  "how are tool results shortened",
  "which files does .gitignore exclude",
  "retry after a rate limit",
  "encrypt, sign or hash the snapshot",
];

let workspace: Workspace | undefined;
let opened: { name: string; source: FileSource } | undefined;

const leave = () => query.focus();
const hits = new HitList({ list: element("hits"), more: element("more"), leave });
const others = new HitList({ list: element("other"), more: element("other-more"), leave, isCompact: true });

// ------------------------------------------------------------ opening

async function open(name: string, source: FileSource): Promise<void> {
  await workspace?.dispose();
  element("result").dataset["complete"] = "false";
  opened = { name, source };
  workspace = new Workspace({ name, source, definitions: definitions.checked }, heard);
  element("place-said").textContent = place.selectedOptions[0]!.text;
  element("examples").hidden = name !== REPOSITORY;
  await workspace.index(profile());
  want();
}

const REPOSITORY = "repository";

async function openRepository(): Promise<void> {
  const files = await repository();
  place.options[0]!.text = `sources of Espalier (${number(files.length)} files)`;
  element("again").hidden = true;
  await open(REPOSITORY, repositoryFiles(files));
  void keepFetched(["vocab/o200k_base.vocab"]);
}

async function openFolder(
  name: string,
  files: Parameters<typeof browserFiles>[0],
  canReadAgain: boolean,
): Promise<void> {
  const option = place.options[1]!;
  option.text = `${name} (your folder)`;
  option.disabled = false;
  place.selectedIndex = 1;
  element("again").hidden = !canReadAgain;
  await open(`folder ${name}`, browserFiles(files));
}

/** Opens one after the other; a folder that cannot be opened leaves the open one. */
let queue = Promise.resolve();
function attempt(action: () => Promise<void>): void {
  showError(undefined);
  document.body.classList.add("busy");
  queue = queue
    .then(action)
    .catch(showError)
    .finally(() => document.body.classList.remove("busy"));
}

/** Milliseconds between searches while files are indexed. */
const REFRESH = 1_000;
let refreshed = 0;

function heard(progress: Progress): void {
  if (progress.profile !== profile()) return void (compare.checked && !progress.working && want());
  showIndex(progress);
  showWarnings(progress);
  if (!progress.working) showSkipped(progress);
  const now = performance.now();
  if (progress.working && now - refreshed < REFRESH) return;
  refreshed = now;
  want();
}

// ------------------------------------------------------------ searching

let searching: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Milliseconds without a key before the index is searched. */
const REST = 60;

function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(want, REST);
}

/** Searches with the controls' state. Aborts an older search. */
function want(): void {
  clearTimeout(timer);
  searching?.abort();
  if (!workspace) return;
  const budget = budgetOf();
  if (budget === undefined)
    return showError({ code: "bad_option", message: "The budget must be a whole number of tokens, 0 or more." });
  remember(state);
  searching = new AbortController();
  void search(workspace, query.value, budget, searching.signal);
}

async function search(asked: Workspace, text: string, budget: number, signal: AbortSignal): Promise<void> {
  const chosen = profile();
  // Hits may change until all files are indexed.
  const isComplete = asked.isComplete(chosen) && (!compare.checked || asked.isComplete(other(chosen)));
  try {
    if (text.trim() === "") return clear();
    const start = performance.now();
    const answer = await find(asked, chosen, text, budget, signal);
    const ms = performance.now() - start;
    if (signal.aborted) return;
    const second = compare.checked ? await find(asked, other(chosen), text, budget, signal) : undefined;
    if (signal.aborted) return;
    showError(undefined);
    show(answer, second, chosen, budget, ms);
    element("result").dataset["complete"] = String(isComplete);
  } catch (error) {
    if (!signal.aborted) showError(error);
  }
}

async function find(
  asked: Workspace,
  chosen: Profile,
  text: string,
  budget: number,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const index = await asked.index(chosen);
  signal.throwIfAborted();
  return index.search(text, { budget, signal, contributions: true, ...(!whole.checked && { fullWorkspace: false }) });
}

function show(
  answer: SearchAnswer,
  second: SearchAnswer | undefined,
  chosen: Profile,
  budget: number,
  ms: number,
): void {
  const terms = termsOf(answer.hits);
  const note = second && ((hit: SearchHit) => alsoAt(hit, second.hits, RANKINGS[other(chosen)]));
  hits.show({ hits: answer.hits, terms, query: answer.query, note });
  showAnswer(answer, chosen, budget, ms);
  showLeftOut(answer.leftOut);
  showOther(second, answer.hits, terms, chosen);
  const result = element("result");
  result.dataset["query"] = answer.query;
  result.dataset["budget"] = String(budget);
  result.dataset["profile"] = chosen;
}

function clear(): void {
  hits.show({ hits: [], terms: [] });
  showOther(undefined, [], [], profile());
  showLeftOut([]);
  showNoAnswer();
  element("result").dataset["query"] = "";
}

const overlaps = (one: SearchHit, another: SearchHit) =>
  one.path === another.path && one.firstLine <= another.lastLine && another.firstLine <= one.lastLine;

function alsoAt(hit: SearchHit, hits: readonly SearchHit[], ranking: string): string {
  const at = hits.find((other) => overlaps(hit, other));
  return at ? `${ranking}: ${at.rank + 1}` : `not in ${ranking}`;
}

/** Shows the column of the other ranking: places, each with its rank in the first column. */
function showOther(
  second: SearchAnswer | undefined,
  first: readonly SearchHit[],
  terms: readonly string[],
  chosen: Profile,
): void {
  element("other-pane").hidden = !second;
  element("panes").classList.toggle("two", second !== undefined);
  const found = second?.hits ?? [];
  const isShared = (hit: SearchHit) => first.some((one) => overlaps(hit, one));
  const own = found.filter((hit) => !isShared(hit));
  element("other-title").textContent = `Hits of ${RANKINGS[other(chosen)]}`;
  element("other-said").textContent =
    `${number(found.length - own.length)} of its ${number(found.length)} hits are also hits of ${RANKINGS[chosen]}.`;
  others.show({
    hits: found,
    terms: [...terms, ...termsOf(own).filter((term) => !terms.includes(term))],
    query: second?.query,
    note: (hit) => alsoAt(hit, first, RANKINGS[chosen]),
  });
}

// ------------------------------------------------------------ controls

const profile = (): Profile =>
  profiles.find(({ checked }) => checked)?.value === "copilot-chat" ? "copilot-chat" : "espalier";

function budgetOf(): number | undefined {
  const value = Number(tokens.value);
  return tokens.value.trim() !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function setBudget(value: number): void {
  tokens.value = slider.value = String(value);
  element("percent").textContent = number(value);
}

const state = (): Record<string, string> => ({
  q: query.value,
  profile: profile(),
  budget: tokens.value,
  ...(compare.checked && { compare: "1" }),
  ...(definitions.checked && { definitions: "1" }),
});

function showError(error: unknown): void {
  const box = element("alert");
  box.hidden = error === undefined;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  box.textContent = error === undefined ? "" : `${message ?? String(error)}${code ? ` [${code}]` : ""}`;
}

query.addEventListener("input", soon);
query.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown") return;
  event.preventDefault();
  hits.focus();
});
element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  want();
});
slider.addEventListener("input", () => {
  setBudget(Number(slider.value));
  soon();
});
tokens.addEventListener("change", () => {
  setBudget(Number(tokens.value));
  want();
});
for (const radio of profiles)
  radio.addEventListener("change", () => {
    const progress = workspace?.progress(profile());
    if (progress) heard(progress);
    want();
  });
for (const control of [compare, whole]) control.addEventListener("change", want);
definitions.addEventListener("change", () =>
  attempt(async () => {
    if (opened) await open(opened.name, opened.source);
  }),
);
place.addEventListener("change", () => attempt(openRepository));
folder.addEventListener("change", () => {
  const files = [...(folder.files ?? [])];
  if (files.length > 0) attempt(() => openFolder(files[0]!.webkitRelativePath.split("/")[0] || "files", files, false));
});
takeFolders((dropped) =>
  attempt(async () => {
    const { name, what, canReadAgain } = await dropped;
    await openFolder(name, what, canReadAgain);
  }),
);
element("again").addEventListener("click", () => attempt(async () => workspace?.again()));
element("forget").addEventListener("click", () =>
  attempt(async () => {
    const count = await forgetStored();
    element("status").textContent =
      `${count === 1 ? "One stored index is" : `${number(count)} stored indexes are`} deleted.`;
  }),
);
if ("showDirectoryPicker" in globalThis) {
  element("handle").hidden = false;
  element("handle").addEventListener("click", () => void choose());
}

async function choose(): Promise<void> {
  const picker = globalThis as unknown as {
    showDirectoryPicker(options: { mode: "read" }): Promise<FileSystemDirectoryHandle>;
  };
  const handle = await picker.showDirectoryPicker({ mode: "read" }).catch((error: unknown) => {
    // An aborted search is not an error.
    if ((error as Error).name !== "AbortError") showError(error);
  });
  if (handle) attempt(() => openFolder(handle.name, handle, true));
}

for (const text of EXAMPLES) {
  const button = made("button", "", text);
  button.type = "button";
  button.addEventListener("click", () => {
    query.value = text;
    query.focus();
    want();
  });
  element("examples").append(button);
}
place.add(new Option("sources of Espalier", REPOSITORY));
place.add(new Option("your own folder", "folder"));
place.options[1]!.disabled = true;
const said = remembered();
query.value = said.get("q") ?? EXAMPLES[0]!;
for (const radio of profiles)
  radio.checked = radio.value === (said.get("profile") === "copilot-chat" ? "copilot-chat" : "espalier");
compare.checked = said.get("compare") === "1";
definitions.checked = said.get("definitions") === "1";
const budget = Number(said.get("budget") ?? slider.value);
setBudget(Number.isSafeInteger(budget) && budget >= 0 ? budget : 4_000);
attempt(openRepository);
stayOffline();
