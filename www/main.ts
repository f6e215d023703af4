/** The page of conversations: sends the controls' state to the worker, and draws its answers. */

import { ask } from "./client.ts";
import { EXAMPLES } from "./examples.ts";
import { element, number, remember, remembered, takeDrops } from "./dom.ts";
import { stayOffline } from "./offline.ts";
import { endProgress } from "./progress.ts";
import type { Mode, Opened, View } from "./protocol.ts";
import type { Source } from "./reading.ts";
import { offerConversations, onSessionChoice, showSession } from "./session-pane.ts";
import type { Failed } from "./talk.ts";
import { hideError, showError, showResult } from "./view.ts";
import type { EncodingName } from "../js/types/count.ts";

const example = element<HTMLSelectElement>("example");
const file = element<HTMLInputElement>("file");
const encoding = element<HTMLSelectElement>("encoding");
const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");
const percent = element<HTMLOutputElement>("percent");
const modes = [...document.querySelectorAll<HTMLInputElement>("input[name=mode]")];

let opened: Opened | undefined;
/** Only the newest run may be drawn. */
let newest = 0;
/** True once the user set the budget: it then stays when another view is chosen. */
let isOwnBudget = false;

for (const { name, url } of EXAMPLES) example.add(new Option(name, url));
example.add(new Option("my own file", "", false, false));
example.options[EXAMPLES.length]!.disabled = true;

/** Returns the state to keep in the address; the user's own file is not part of it. */
function state(): Record<string, string> {
  return {
    mode: mode(),
    encoding: encoding.value,
    budget: tokens.value,
    ...(example.value && { example: example.value }),
  };
}

function mode(): Mode {
  return modes.find(({ checked }) => checked)?.value === "compact" ? "compact" : "prune";
}

/** Opens a file or an example; `conversation` selects one of a file with several. */
async function open(source: Source, budget?: number, conversation?: number): Promise<void> {
  const which = conversation === undefined ? {} : { conversation };
  const error = await display(() => ask("open", { source, encoding: chosen(), ...which }), budget);
  if (!error) isOwnBudget = budget !== undefined;
  if (!(source instanceof File)) return;
  if (!error) example.selectedIndex = EXAMPLES.length;
  if (error?.code === "several_sessions") {
    hideError();
    offerConversations(source, error.conversations ?? []);
  }
  const answer = ["alert", "choice", "session", "result"].map((id) => element(id)).find(({ hidden }) => !hidden);
  const top = answer?.getBoundingClientRect().top ?? 0;
  // The file may have been dropped far below.
  if (top < 0 || top > innerHeight) answer?.scrollIntoView();
}

/** Shows another view of the open conversation, or another encoding. */
async function show(view: View): Promise<void> {
  await display(() => ask("show", { view, encoding: chosen() }), isOwnBudget ? Number(tokens.value) : undefined);
}

const chosen = () => encoding.value as EncodingName;

let last: Promise<unknown> = Promise.resolve();

/** Runs one after the other, so that the page always shows the worker's open conversation. */
function display(question: () => Promise<Opened>, budget?: number): Promise<Failed | undefined> {
  const answer = last.then(() => displayNow(question, budget));
  last = answer;
  return answer;
}

/** Draws the conversation that the worker opens. If it fails, the previous one stays on the page. */
async function displayNow(question: () => Promise<Opened>, budget: number | undefined): Promise<Failed | undefined> {
  document.body.classList.add("busy");
  try {
    opened = await question();
    hideError();
    showSession({ ...opened, encoding: chosen() });
    setBudget(budget ?? Math.round(opened.total / 2));
    // The page itself chose half as the budget: if that is too small, the smallest possible budget replaces it.
    const needed = await run(budget === undefined);
    if (needed !== undefined) {
      setBudget(needed);
      await run();
    }
    return undefined;
  } catch (error) {
    if (!opened) element("result").hidden = true;
    // The card that offers the conversations already says so.
    if ((error as Failed).code !== "several_sessions") showError(error as Failed);
    return error as Failed;
  } finally {
    endProgress();
    document.body.classList.remove("busy");
  }
}

/**
 * Runs with the controls' state. With `asksBack` a budget that is too small is not an error: the smallest possible one
 * is returned.
 */
async function run(asksBack = false): Promise<number | undefined> {
  if (!opened) return undefined;
  remember(state);
  const budget = Number(tokens.value);
  if (tokens.value.trim() === "" || !Number.isSafeInteger(budget) || budget < 0) {
    showError({ code: "bad_option", message: "The budget must be a whole number of tokens, 0 or more." });
    return undefined;
  }
  const number = ++newest;
  const conversation = opened;
  try {
    const ran = await ask("run", { mode: mode(), budget, encoding: chosen() });
    if (number === newest) {
      hideError();
      showResult(conversation, ran);
    }
    return undefined;
  } catch (error) {
    const { needed } = error as Failed;
    if (asksBack && needed !== undefined) return needed;
    if (number === newest) showError(error as Failed);
    return undefined;
  }
}

function setBudget(budget: number): void {
  tokens.value = String(budget);
  const share = opened && opened.total > 0 ? (100 * budget) / opened.total : 100;
  slider.value = String(Math.min(100, Math.max(1, Math.round(share))));
  percent.value = `${Math.round(share)} % of ${number(opened?.total ?? 0)}`;
}

slider.addEventListener("input", () => {
  if (!opened) return;
  isOwnBudget = true;
  setBudget(Math.ceil((opened.total * Number(slider.value)) / 100));
  void run();
});
tokens.addEventListener("change", () => {
  isOwnBudget = true;
  setBudget(Number(tokens.value));
  void run();
});
for (const radio of modes) radio.addEventListener("change", () => void run());
encoding.addEventListener("change", () => opened && void show(opened.view));

example.addEventListener("change", () => void open(EXAMPLES[example.selectedIndex] ?? EXAMPLES[0]!));
file.addEventListener("change", () => file.files?.[0] && void open(file.files[0]));
// The same file can be chosen again, after its agent wrote more of it.
file.addEventListener("click", () => (file.value = ""));
takeDrops((dropped) => {
  // It would show the name of another file.
  file.value = "";
  void open(dropped);
});
onSessionChoice({
  view: (view) => void show(view),
  conversation: (source, number) => void open(source, undefined, number),
});

// Applies the state in the address.
const said = remembered();
const wanted = said.get("mode");
for (const radio of modes) radio.checked = wanted === null ? radio.checked : radio.value === wanted;
if ([...encoding.options].some(({ value }) => value === said.get("encoding"))) encoding.value = said.get("encoding")!;
const start = EXAMPLES.find(({ url }) => url === said.get("example")) ?? EXAMPLES[0]!;
example.value = start.url;
const budget = Number(said.get("budget"));
void open(start, said.get("budget") && Number.isSafeInteger(budget) && budget >= 0 ? budget : undefined);
stayOffline();
