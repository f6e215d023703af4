/** @jsxImportSource preact */
/** The conversation: which messages stay within a budget, which go, and why. */

import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Mode } from "../app/address.ts";
import { showPart } from "../app/opening.ts";
import { encoding, keys, mode } from "../app/state.ts";
import type { EncodingName } from "../../js/types/count.ts";
import { Budget, stepBudget } from "./budget.tsx";
import { Filter } from "../parts/filter.tsx";
import type { Shows } from "./items.ts";
import { List, focusList, goTo } from "./list.tsx";
import { Pane } from "./pane.tsx";
import { sentInWords, wholeInWords } from "./sentence.ts";
import { Share } from "./share.tsx";
import { ESTIMATED, conversation, filter, isBusy, isPaneOpen, matches, next, ran, tab, words } from "./state.ts";
import { Strip } from "./strip.tsx";
import { count, number } from "./words.ts";

const KEYS = [
  ["↑ ↓ PageUp PageDown Home End", "choose a message in the list"],
  ["Enter or Space", "opens the chosen message, or a folded block"],
  ["← →", "fold and unfold a block; on the slider they change the budget"],
  ["[ ]", "to the next budget at which something changes"],
  ["n", "goes to the message that is next to go"],
  ["/", "finds words in messages"],
] as const;

function press(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  const isField = (target as HTMLElement).closest?.("input:not([type=range]), textarea, select");
  if (isField || ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return;
  if (key === "/") document.getElementById("words")?.focus();
  else if (key === "[" || key === "]") stepping = stepBudget(key === "]");
  else if (key === "n") void stepping.then(goToNext);
  else if (key === "Escape" && isPaneOpen.value) {
    isPaneOpen.value = false;
    focusList();
  } else return;
  event.preventDefault();
}

/** The step of the budget that was asked for last. */
let stepping: Promise<void> = Promise.resolve();
let stopWaiting: () => void = () => undefined;

/** Goes to the message that is next to go, as soon as the newest run is drawn and the worker has found it. */
function goToNext(): void {
  stopWaiting();
  const stop = effect(() => {
    const [run, found] = [ran.value, next.value];
    if (isBusy.value || (run?.mode === "prune" && found?.run !== run.run)) return;
    queueMicrotask(() => {
      stop();
      if (found?.run === run?.run && found?.row !== undefined) goTo(found.row);
    });
  });
  stopWaiting = stop;
}

export default function Conversation() {
  useEffect(() => {
    keys.value = KEYS;
    addEventListener("keydown", press);
    return () => {
      keys.value = [];
      removeEventListener("keydown", press);
    };
  }, []);
  return (
    <div id="conversation" data-estimate={ran.value?.run === ESTIMATED || undefined}>
      <div class="top">
        <Headline />
        <Strip />
        <Budget />
        <Controls />
      </div>
      <div class="split">
        <List />
        <Pane />
      </div>
    </div>
  );
}

/** The one sentence that says what is to be seen. */
function Headline() {
  const open = conversation.value;
  const run = ran.value;
  if (run?.run === ESTIMATED)
    return (
      <div class="headline">
        <h2 id="headline">
          {count(run.rows.index.length, "message")}, about {number(1_000 * Math.round(run.before.total / 1_000))}{" "}
          tokens.
        </h2>
        <p id="sent-line">Counting exactly …</p>
      </div>
    );
  if (!open || !run) return <h2 id="headline">…</h2>;
  return (
    <div class="headline">
      <h2 id="headline">
        {wholeInWords()} <span class="call">Drag.</span>
      </h2>
      <p id="sent-line">{sentInWords()}</p>
    </div>
  );
}

const MODES: readonly (readonly [Mode, string, string])[] = [
  ["prune", "prune", "removes the oldest"],
  ["compact", "compact", "summarises them by rules"],
];

const SHOWN: readonly (readonly [Shows, string])[] = [
  ["all", "all messages"],
  ["sent", "sent"],
  ["gone", "removed or changed"],
];

function Controls() {
  return (
    <div class="controls">
      <fieldset id="mode">
        <legend>How</legend>
        {MODES.map(([name, title, what]) => (
          <label key={name} title={what}>
            <input
              type="radio"
              name="mode"
              value={name}
              checked={mode.value === name}
              onChange={() => {
                mode.value = name;
                tab.value = "result";
              }}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <select
        id="encoding"
        aria-label="Encoding"
        value={encoding.value}
        onChange={({ currentTarget }) => {
          encoding.value = currentTarget.value as EncodingName;
          void showPart(conversation.value?.part ?? "live");
        }}
      >
        <option value="o200k_base">o200k_base: gpt-4o and newer</option>
        <option value="cl100k_base">cl100k_base: gpt-4, gpt-3.5</option>
      </select>
      <Filter
        id="filter"
        label="Shown rows"
        value={filter.value}
        of={SHOWN}
        onChoose={(name) => (filter.value = name)}
      />
      <label class="find">
        <input
          type="search"
          id="words"
          placeholder="Find (/)"
          aria-label="Find words in messages"
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Escape") words.value = currentTarget.value = "";
            if (key === "Escape" || key === "Enter") focusList();
          }}
        />
        {matches.value && <small>{number(matches.value.size)}</small>}
      </label>
      <button
        type="button"
        id="details"
        onClick={() => {
          isPaneOpen.value = true;
          document.getElementById(`tab-${tab.value}`)?.focus();
        }}
      >
        Details
      </button>
      <Share />
    </div>
  );
}
