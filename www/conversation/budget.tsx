/** @jsxImportSource preact */
/** The budget: a slider with marks, and the number. */

import { ask } from "../app/ask.ts";
import { budget, enterBudget, mode, refuseBudget } from "../app/state.ts";
import { TokensField } from "../parts/tokens-field.tsx";
import type { Ran } from "../worker/questions.ts";
import { conversation, isBusy, next, ran, totals } from "./state.ts";
import { count, number, short } from "./words.ts";

/** A slider's steps: fine enough that a step is less than a pixel. */
const STEPS = 2_000;

const step = (total: number) => Math.max(1, Math.round(total / STEPS));

export function Budget() {
  const total = conversation.value?.total ?? ran.value?.before.total ?? 1;
  const value = budget.value;
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
          aria-describedby="slider-marks"
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
      <TokensField id="tokens" tokens={value} onEnter={enterBudget} onRefuse={refuseBudget}>
        {" "}
        tokens
      </TokensField>
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
  const marks = marksOf(run);
  return (
    <div class="marks">
      {marks.map(({ name, tokens }) => (
        <i
          key={name}
          class={`tick ${name.replace(/ /g, "-")}`}
          style={{ left: `${Math.min(100, (100 * tokens) / total)}%` }}
        />
      ))}
      <span class="legend" aria-hidden="true">
        {marks.map(({ name, tokens }) => (
          <span key={name} class={name.replace(/ /g, "-")}>
            {name} {short(tokens)}
          </span>
        ))}
      </span>
      <span id="slider-marks" hidden>
        {marks.map(({ words, tokens }) => `${words} ${number(tokens)} tokens`).join("; ")}
      </span>
    </div>
  );
}

interface Mark {
  name: string;
  tokens: number;
  /** What a screen reader says before the figure. */
  words: string;
}

/**
 * What is sent; with a summary also what it aims at, what it cannot go below, and the sizes at which a conversation
 * with this window is compacted.
 */
function marksOf({ after, plan }: Ran): Mark[] {
  const marks: Mark[] = [{ name: "sent", tokens: after.total, words: "Sent:" }];
  if (!plan?.aim) return marks;
  const { target, floor, mustKeep } = plan.aim;
  const { background, trigger } = plan.lines;
  return [
    { name: "must stay", tokens: mustKeep, words: "What must stay needs" },
    { name: "floor", tokens: floor, words: "No summary goes below" },
    { name: "target", tokens: target, words: "The summary aims at" },
    ...marks,
    ...(background === undefined
      ? []
      : [{ name: "starts beside", tokens: background, words: "A summary is begun beside the conversation at" }]),
    ...(trigger === undefined
      ? []
      : [{ name: "trigger", tokens: trigger, words: "A request waits for its summary from" }]),
  ].sort((a, b) => a.tokens - b.tokens);
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
