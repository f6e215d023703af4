/** The page: controls in, questions to the worker, answers drawn. */

import { ask } from "./client.ts";
import { EXAMPLES } from "./examples.ts";
import { element, number, remember, remembered, takeDrops } from "./dom.ts";
import { stayOffline } from "./offline.ts";
import type { Mode, Opened } from "./protocol.ts";
import type { Source } from "./reading.ts";
import type { Failed } from "./talk.ts";
import { hideError, showError, showResult } from "./view.ts";
import type { EncodingName } from "../js/types.ts";

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

for (const { name, url } of EXAMPLES) example.add(new Option(name, url));
example.add(new Option("a file of mine", "", false, false));
example.options[EXAMPLES.length]!.disabled = true;

/** What the address keeps; a file of one's own is not in it. */
function state(): Record<string, string> {
  return { mode: mode(), encoding: encoding.value, budget: tokens.value, ...(example.value && { example: example.value }) };
}

function mode(): Mode {
  return modes.find(({ checked }) => checked)?.value === "compact" ? "compact" : "prune";
}

async function open(source: Source, budget?: number): Promise<void> {
  document.body.classList.add("busy");
  try {
    const next = await ask("open", { source, encoding: encoding.value as EncodingName });
    opened = next;
    hideError();
    setBudget(budget ?? Math.round(next.total / 2));
    const failed = await run();
    // Nobody asked for half: where that is too little, begin with the least that is possible.
    if (budget === undefined && failed?.needed !== undefined) {
      setBudget(failed.needed);
      await run();
    }
  } catch (error) {
    // What was open before stays on the page.
    if (!opened) element("result").hidden = true;
    showError(error as Failed);
  } finally {
    document.body.classList.remove("busy");
  }
}

/** Runs with what the controls say; gives the reason if it was refused. */
async function run(): Promise<Failed | undefined> {
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
    const ran = await ask("run", { mode: mode(), budget, encoding: encoding.value as EncodingName });
    if (number === newest) {
      hideError();
      showResult(conversation, ran);
    }
    return undefined;
  } catch (error) {
    if (number === newest) showError(error as Failed);
    return error as Failed;
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
  setBudget(Math.ceil((opened.total * Number(slider.value)) / 100));
  void run();
});
tokens.addEventListener("change", () => {
  setBudget(Number(tokens.value));
  void run();
});
for (const radio of modes) radio.addEventListener("change", () => void run());
encoding.addEventListener("change", () => {
  if (lastSource) void open(lastSource, Number(tokens.value));
});

let lastSource: Source | undefined;
function choose(source: Source, budget?: number): void {
  lastSource = source;
  if (source instanceof File) example.selectedIndex = EXAMPLES.length;
  void open(source, budget);
}

example.addEventListener("change", () => choose(EXAMPLES[example.selectedIndex] ?? EXAMPLES[0]!));
file.addEventListener("change", () => file.files?.[0] && choose(file.files[0]));

takeDrops(choose);

// Takes up what the address says.
const said = remembered();
const wanted = said.get("mode");
for (const radio of modes) radio.checked = wanted === null ? radio.checked : radio.value === wanted;
if ([...encoding.options].some(({ value }) => value === said.get("encoding"))) encoding.value = said.get("encoding")!;
const start = EXAMPLES.find(({ url }) => url === said.get("example")) ?? EXAMPLES[0]!;
example.value = start.url;
const budget = Number(said.get("budget"));
choose(start, said.get("budget") && Number.isSafeInteger(budget) && budget >= 0 ? budget : undefined);
stayOffline();
