/** @jsxImportSource preact */
/** The budget: a slider with marks, and the number. */

import { useSignal } from "@preact/signals";
import { ask } from "../app/ask.ts";
import { readBudget } from "../app/address.ts";
import { budget, failure, mode } from "../app/state.ts";
import type { Ran } from "../worker/questions.ts";
import { conversation, isBusy, next, ran, totals } from "./state.ts";
import { count, number, short } from "./words.ts";

/** A slider's steps: fine enough that a step is less than a pixel. */
const STEPS = 2_000;

const step = (total: number) => Math.max(1, Math.round(total / STEPS));

export function Budget() {
  // What is typed stays while results arrive, until it is entered.
  const draft = useSignal<string | undefined>(undefined);
  const total = conversation.value?.total ?? ran.value?.before.total ?? 1;
  const value = budget.value;
  const set = (text: string) => {
    const wanted = readBudget(text);
    if (wanted === undefined) {
      failure.value = { code: "bad_option", message: "The budget must be a whole number of tokens, 0 or more." };
    } else {
      if (failure.value?.code === "bad_option") failure.value = undefined;
      budget.value = wanted;
    }
  };
  return (
    <div class="budget">
      <div class="track">
        <input
          type="range"
          id="slider"
          aria-label="Budget"
          min={0}
          max={total}
          step={step(total)}
          value={Math.min(value, total)}
          aria-valuetext={inWords()}
          onInput={({ currentTarget }) => (budget.value = Number(currentTarget.value))}
          ref={(element) => {
            if (!element || document.activeElement !== document.body || hasFocused) return;
            hasFocused = true;
            element.focus({ preventScroll: true });
          }}
        />
        <Marks total={total} />
        {isBusy.value && <i class="busy" />}
      </div>
      <label class="tokens">
        <input
          type="number"
          id="tokens"
          min={0}
          step={1}
          inputMode="numeric"
          value={draft.value ?? value}
          onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            draft.value = undefined;
            set(value);
          }}
        />{" "}
        tokens
      </label>
    </div>
  );
}

/** The first thing that a reader does is to drag. */
let hasFocused = false;

function inWords(): string {
  const total = conversation.value?.total ?? 0;
  const { out = 0 } = totals.value ?? {};
  const soon = next.value && next.value.run === ran.value?.run ? `, ${nextInWords()}` : "";
  return `${number(budget.value)} of ${number(total)} tokens, ${count(out, "message")} out${soon}`;
}

export function nextInWords(): string {
  const found = next.value;
  if (!found || !ran.value || found.run !== ran.value.run) return "";
  if (found.row === undefined && !found.isLeast) return "next, results get shorter";
  if (found.row === undefined) return `nothing more can go; the least is ${number(found.budget)} tokens`;
  const { index } = ran.value.rows;
  const [first, last] = [index[found.row]! + 1, index[found.last ?? found.row]! + 1];
  const isStretch = last - first + 1 === found.count;
  const which =
    found.count === 1
      ? `message ${first}`
      : isStretch
        ? `messages ${first} to ${last}`
        : `${count(found.count, "message")} from ${first} on`;
  return `next to go: ${which}, ${count(found.tokens, "token")}`;
}

function Marks({ total }: { total: number }) {
  const run = ran.value;
  if (!run) return null;
  return (
    <div class="marks">
      {marksOf(run).map(({ name, tokens }) => (
        <i
          key={name}
          class={`tick ${name.replace(" ", "-")}`}
          style={{ left: `${Math.min(100, (100 * tokens) / total)}%` }}
        />
      ))}
      <span class="legend">
        {marksOf(run)
          .map(({ name, tokens }) => `${name} ${short(tokens)}`)
          .join(" · ")}
      </span>
    </div>
  );
}

/** What is sent; with a summary also what it aims at, and what it cannot go below. */
function marksOf({ after, plan }: Ran): { name: string; tokens: number }[] {
  const marks = [{ name: "sent", tokens: after.total }];
  if (!plan?.aim) return marks;
  const { target, floor, mustKeep } = plan.aim;
  return [
    { name: "must stay", tokens: mustKeep },
    { name: "floor", tokens: floor },
    { name: "target", tokens: target },
    ...marks,
  ];
}

/** Sets the budget to the nearest one with another result. */
export async function stepBudget(up: boolean): Promise<void> {
  try {
    const { budget: to } = await ask("step", { mode: mode.value, budget: budget.value, up });
    budget.value = to;
  } catch {
    // Nothing more can go: the status line says so already.
  }
}
