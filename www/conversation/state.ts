/** What the view of conversations knows: the shown run, the edits, the chosen row. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ask, latest } from "../app/ask.ts";
import { autoBudget, budget, estimate, failure, mode, opened, params, say, shown, working } from "../app/state.ts";
import { followTabs } from "../app/shared-log.ts";
import { readProfileText } from "../parts/profile-text.ts";
import type { Failed } from "../talk.ts";
import { FATES } from "../worker/questions.ts";
import type { Detail, Edited, Next, Ran, Rows } from "../worker/questions.ts";
import { fateWord, REASONS } from "./fate-words.ts";
import { gone, itemsOf } from "./items.ts";
import type { Shows } from "./items.ts";
import { count, number } from "./words.ts";

/** The shown run. Everything on the page is of this run. */
export const ran = signal<Ran | undefined>(undefined);
/** True while a newer run is awaited. */
export const isBusy = signal(false);
export const edited = signal<Edited | undefined>(undefined);
/** Increases with every change of edits and pins. */
const version = signal(0);

export const filter = signal<Shows>("all");
export const words = signal("");
/** Indices of the messages that contain the words; undefined without words. */
export const matches = signal<ReadonlySet<number> | undefined>(undefined);
/** First messages of folded stretches that are open. */
export const unfolded = signal<ReadonlySet<number>>(new Set());
/** The chosen row of the run, or -1. */
export const chosen = signal(-1);
export const detail = signal<(Detail & { run: number; row: number }) | undefined>(undefined);
/** Tokens that the next request starts from, if the plan of that run is applied. */
export const recorded = signal<{ run: number; tokens: number } | undefined>(undefined);
/** What would go next if the budget fell. */
export const next = signal<(Next & { run: number }) | undefined>(undefined);

export const conversation = computed(() =>
  opened.value?.kind === "conversation" ? opened.value.conversation : undefined,
);
/** The number of an estimate, which is shown until the first run. */
export const ESTIMATED = -1;
effect(() => {
  const guess = estimate.value;
  if (!guess || opened.value) return;
  const { rows, total, sent, budget } = guess;
  const before = { total, frame: 0, tools: 0, conversation: total, messages: rows.index.length };
  const after = { ...before, total: sent, conversation: sent, messages: rows.after.filter(Boolean).length };
  const shape = { mode: "prune" as const, encoding: "", origin: "estimate" as const, isRemembered: false };
  ran.value = { ...shape, run: ESTIMATED, budget, low: budget, high: budget, rows, before, after };
});
export const items = computed(() => {
  const run = ran.value;
  return run ? itemsOf(run.rows, { filter: filter.value, matches: matches.value, unfolded: unfolded.value }) : [];
});
export const totals = computed(() => (ran.value ? gone(ran.value.rows) : undefined));

const askRun = latest("run");
const askDetail = latest("detail");
const askNext = latest("next");
const askRecorded = latest("recorded");
const askFind = latest("find");
/** The opened thing that is drawn. */
let drawn = -1;

const PROFILE = "conversation.profile";
/** The profile of the mode compact: a name, or JSON text. */
export const profile = computed(() => readProfileText(params.value[PROFILE]) ?? "espalier");
export function chooseProfile(given: string): void {
  const { [PROFILE]: _, ...others } = params.value;
  params.value = given === "espalier" ? others : { ...others, [PROFILE]: given };
}

effect(() => {
  const thing = opened.value;
  const asked = {
    mode: mode.value,
    budget: budget.value,
    ...(mode.value === "compact" && { profile: profile.value }),
  };
  void version.value;
  if (thing?.kind !== "conversation") return;
  isBusy.value = true;
  untracked(() => void askRun(asked, (answer, isNewest) => drawSoon(answer, isNewest, thing.id), fail));
});

/** The newest answer that is not drawn yet: answers may come faster than frames. */
let waiting: [answer: Ran, isNewest: boolean, id: number] | undefined;

function drawSoon(...drawing: NonNullable<typeof waiting>): void {
  if (!waiting) {
    // A page in the background has no frames.
    if (document.hidden) setTimeout(drawWaiting);
    else requestAnimationFrame(drawWaiting);
  }
  waiting = drawing;
}

function drawWaiting(): void {
  const drawing = waiting;
  waiting = undefined;
  if (drawing && drawing[2] === opened.value?.id) draw(...drawing);
}

function draw(answer: Ran, isNewest: boolean, id: number): void {
  batch(() => {
    if (drawn !== id) {
      drawn = id;
      chosen.value = -1;
      saidOf = undefined;
      detail.value = matches.value = undefined;
      unfolded.value = new Set();
      words.value = "";
    }
    if (chosen.value >= 0) chosen.value = rowIn(answer.rows, ran.value?.rows.index[chosen.value] ?? -1);
    ran.value = answer;
    isBusy.value = !isNewest;
    if (failure.value?.code === "budget_exceeded") failure.value = undefined;
    const name = opened.value?.name ?? "";
    shown.value = `${name}, fitted to ${number(answer.budget)} tokens`;
  });
  if (isNewest) rest(answer);
}

/** Returns the row of a message, or -1. A row is at most as far behind its message as rows were inserted. */
function rowIn({ index }: Rows, message: number): number {
  return message < 0 ? -1 : index.indexOf(message, message);
}

function fail(error: Failed): void {
  isBusy.value = false;
  const { code, needed } = error;
  if (code === "budget_exceeded" && needed !== undefined) {
    // The page chose this budget itself, or nothing of the conversation is drawn yet: the smallest possible one
    // replaces it.
    if (budget.value === autoBudget.value || drawn !== opened.value?.id) {
      const asked = number(budget.value);
      autoBudget.value = budget.value = needed;
      say(`A budget of ${asked} tokens is too small: ${number(needed)} is the least.`, true);
      return;
    }
    const action = { label: `Use ${number(needed)} tokens`, run: () => (budget.value = needed) };
    failure.value = { ...error, action };
  } else failure.value = error;
}

/** Milliseconds without a new run after which the page says more about the shown one. */
const REST = 120;
let resting: ReturnType<typeof setTimeout> | undefined;

function rest(answer: Ran): void {
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (ran.value?.run !== answer.run) return;
    if (answer.mode === "prune")
      void askNext({ run: answer.run }, (found) => (next.value = { ...found, run: answer.run }), ignore);
    else if (answer.plan?.status === "applied")
      void askRecorded({ run: answer.run }, (tokens) => (recorded.value = { run: answer.run, tokens }), ignore);
    const { out } = gone(answer.rows);
    say(
      `${number(answer.after.total)} of ${number(answer.before.total)} tokens are sent; ${count(out, "message")} out.`,
    );
  }, REST);
}

const ignore = () => undefined;

effect(() => {
  document.body.classList.toggle("busy", isBusy.value || working.value > 0);
});

// The reason that is shown is always that of the shown run.
effect(() => {
  const run = ran.value?.run;
  const row = chosen.value;
  if (run === undefined || run === ESTIMATED || row < 0) return;
  void askDetail(
    { run, row },
    (found) => {
      detail.value = { ...found, run, row };
      sayWhy(found, row);
    },
    ignore,
  );
});

/** The message whose fate was said last: it is not said again for every budget. */
let saidOf: string | undefined;

/** Says what a list of options cannot: why the chosen message stays or goes. */
function sayWhy({ id, index, reasons }: Detail, row: number): void {
  const { rows, run } = ran.value ?? {};
  if (!rows || id === saidOf) return;
  saidOf = id;
  const fate = rows.fates[row]!;
  const name = index < 0 ? "The added message" : `Message ${index + 1}`;
  const why = reasons.length > 0 ? `: ${reasons.map(({ why }) => why).join("; ")}.` : `. ${REASONS[FATES[fate]!]}`;
  const soon = next.value?.run === run && next.value?.row === row ? " It is the next to go." : "";
  say(`${name} is ${fateWord(fate, rows.before[row]!, rows.after[row]!)}${why}${soon}`);
}

effect(() => {
  const wanted = words.value.trim();
  if (!wanted) {
    matches.value = undefined;
    return;
  }
  void askFind({ words: wanted }, (found) => {
    matches.value = new Set(found);
    say(`${count(found.length, "message contains", "messages contain")} “${wanted}”.`);
  });
});

// Edits of an earlier visit may have come with the file.
effect(() => {
  if (conversation.value) void ask("edited", {}).then((answer) => (edited.value = answer), ignore);
});

/** Shows edits that were changed. */
export function showEdits(answer: Edited): void {
  batch(() => {
    edited.value = answer;
    failure.value = undefined;
    version.value++;
  });
}

export const BY_ANOTHER = "Another tab has changed the edits of this conversation; they are shown here now.";

followTabs(async (log) => {
  try {
    showEdits(await ask("takeUp", { log }));
    say(BY_ANOTHER, true);
  } catch (error) {
    failure.value = error as Failed;
  }
});

/** Shows or hides the rows of a folded stretch. */
export function toggleFold(row: number): void {
  const start = ran.value?.rows.index[row] ?? -1;
  const all = new Set(unfolded.value);
  if (!all.delete(start)) all.add(start);
  unfolded.value = all;
}

/** The tab of the pane beside the list. */
export const tab = signal<"message" | "result" | "file" | "log">("result");
/** True while the pane covers the list on narrow screens. */
export const isPaneOpen = signal(false);
effect(() => {
  if (chosen.value >= 0) tab.value = "message";
});
