/**
 * Labelled cases: constraints found, requests with an outcome, errors in their true state, calls that change the world.
 * Scores the record, and the whole view.
 */

import { constraintCases, constraintTranscripts, followed, storyCases } from "./labels/cases.mjs";
import { plain, recordOf, restOf, shows } from "./labels/record.mjs";
import { requestTokens } from "./tokens.mjs";
import { textOf } from "./transcripts.mjs";

const HALVES = ["tune", "judge"];
const CASE_BUDGETS = [1_000, 2_000, 4_000];
const TRANSCRIPT_BUDGETS = [8_000, 16_000, 32_000];
/** Budgets of short transcripts, as shares of their tokens. */
const SHORT_SHARES = [0.4, 0.6];
const GROWTH = 3;
const SUPERSEDED = /superseded|replaced by|no longer/i;
/** In brackets, alone or after other notes: `[solved]`, `[3 times, solved]`, `(solved, m4)`. */
const SOLVED = /[[(](?:[^\])]*, )?solved\b[^\])]*[\])]/;
const FAILED = /fail|error|denied|refused|rejected|not done/i;

/**
 * Returns `{ half: { constraints, languages, outcomes, states, actions } }` of a view; each figure is `[part, whole]`.
 */
export async function labelled(view) {
  const scores = Object.fromEntries(HALVES.map((half) => [half, empty()]));
  for (const one of constraintCases()) {
    for (const budget of CASE_BUDGETS) {
      const isWork = one.domain === "coding";
      const made = await view(followed(one.messages, budget * GROWTH, { isWork, language: one.language }), budget);
      if (made) scoreConstraints(scores[one.half], one, made);
    }
  }
  for (const one of constraintTranscripts())
    for (const budget of budgetsOf(one.messages)) {
      const made = await view(one.messages, budget);
      if (made) scoreTranscript(scores[one.half].transcripts, one, made);
    }
  for (const one of storyCases()) {
    const runs = one.isOwn
      ? CASE_BUDGETS.slice(1).map((budget) => [followed(one.messages, budget * GROWTH, { isWork: true }), budget])
      : budgetsOf(one.messages).map((budget) => [one.messages, budget]);
    for (const [messages, budget] of runs) {
      const made = await view(messages, budget);
      if (made) scoreStory(scores[one.half], { ...one, budget }, made);
    }
  }
  return scores;
}

/** Returns the share of a figure, to a tenth of a percent; null if nothing was counted. */
export function rate([part, whole]) {
  return whole === 0 ? null : Math.round((1000 * part) / whole) / 1000;
}

const constraintSums = () => ({ precision: [0, 0], recall: [0, 0], inView: [0, 0], superseded: [0, 0] });

function empty() {
  return {
    languages: {},
    transcripts: constraintSums(),
    outcomes: { listed: [0, 0], any: [0, 0], right: [0, 0], inView: [0, 0] },
    states: { shown: [0, 0], right: [0, 0] },
    actions: { inView: [0, 0], at16k: [0, 0], listed: [0, 0], result: [0, 0], reads: [0, 0] },
  };
}

function add(sums, name, isTrue) {
  sums[name][0] += isTrue ? 1 : 0;
  sums[name][1]++;
}

function budgetsOf(messages) {
  const total = requestTokens(messages);
  const open = TRANSCRIPT_BUDGETS.filter((budget) => budget < total * 0.9);
  return open.length > 0 ? open : SHORT_SHARES.map((share) => Math.floor(total * share));
}

function scoreConstraints(score, { language, sentences }, view) {
  const sums = (score.languages[language] ??= constraintSums());
  const { constraints } = recordOf(view);
  const live = constraints.filter(({ line }) => !SUPERSEDED.test(line.split("\n")[0]));
  const seen = plain(view.map(textOf).join("\n"));
  const replaced = new Set(sentences.map(({ replaces }) => replaces));
  for (const { line } of live) {
    const matched = sentences.filter(({ text }) => shows(line, text));
    if (matched.length > 0 && matched.every(({ label }) => label === "either")) continue;
    add(
      sums,
      "precision",
      matched.some(({ text, label }) => label === "constraint" && !replaced.has(text)),
    );
  }
  for (const { text, label } of sentences) {
    if (label !== "constraint") continue;
    const isListed = live.some(({ line }) => shows(line, text));
    if (replaced.has(text)) add(sums, "superseded", isListed);
    else {
      add(sums, "recall", isListed);
      add(sums, "inView", seen.includes(plain(text)));
    }
  }
}

function scoreTranscript(sums, one, view) {
  const { constraints, either, messages, shift, from } = one;
  const to = one.to;
  const { constraints: listed } = recordOf(view);
  const verbatim = contents(view);
  const quotes = (list, id) => list.filter(({ message }) => id === undefined || message === id + shift);
  for (const { ids, line } of listed) {
    const known = ids.filter((id) => id + shift >= from && id + shift <= to);
    if (ids.length > 0 && known.length === 0) continue;
    const has = (list) =>
      (known.length > 0 ? known : [undefined]).some((id) => quotes(list, id).some(({ text }) => isQuoted(line, text)));
    if (has(constraints)) add(sums, "precision", true);
    else if (!has(either)) add(sums, "precision", false);
  }
  const seen = plain(view.map(textOf).join("\n"));
  for (const { message, text } of constraints) {
    const whole = textOf(messages[message - shift]);
    add(sums, "inView", seen.includes(plain(text)));
    if (!verbatim.has(whole))
      add(
        sums,
        "recall",
        listed.some(({ line }) => isQuoted(line, text)),
      );
  }
}

const isQuoted = (line, quote) => plain(line).includes(plain(quote));
const contents = (view) => new Set(restOf(view).map(textOf));

function scoreStory(score, one, view) {
  const record = recordOf(view);
  const verbatim = contents(view);
  const rest = plain(
    restOf(view)
      .filter(({ role }) => role !== "user")
      .map(textOf)
      .join("\n"),
  );
  scoreOutcomes(score.outcomes, one, { record, rest, verbatim });
  scoreStates(score.states, one, { record, verbatim });
  scoreActions(score.actions, one, { record, view });
}

/** `listed`, `any` and `right` are of requests that the view does not contain verbatim. */
function scoreOutcomes(sums, { messages, outcomes, shift = 0 }, { record, rest, verbatim }) {
  for (const { message, accepted } of outcomes) {
    const asked = textOf(messages[message - shift]);
    const isAccepted = (text) => accepted.some((string) => text.includes(plain(string)));
    const entry = record.requests.find(({ ids, asked: shown }) =>
      ids.length > 0 ? ids.includes(message - shift) : shows(shown, asked),
    );
    const isRight = entry !== undefined && isAccepted(plain(entry.outcome));
    add(sums, "inView", isRight || isAccepted(rest));
    if (verbatim.has(asked)) continue;
    add(sums, "listed", entry !== undefined);
    if (entry === undefined) continue;
    add(sums, "any", entry.outcome !== "");
    add(sums, "right", isRight);
  }
}

/** `right` is of the lines that claim a state; a line that is not an error has none. */
function scoreStates(sums, { messages, states, isOwn, shift = 0 }, { record, verbatim }) {
  if (record.text === "") return;
  const claimed = [...record.errors, ...record.claims];
  const matches = (line, label) => plain(line).includes(plain(label)) || shows(line, label);
  for (const { message, line: label, state } of states) {
    if (state === "either") continue;
    if (message !== undefined && verbatim.has(textOf(messages[message - shift]))) continue;
    const found = claimed.filter(({ line }) => matches(line, label));
    if (state !== "none") add(sums, "shown", found.length > 0);
    for (const { line } of found) add(sums, "right", state === (SOLVED.test(line) ? "solved" : "open"));
    if (state === "none" && found.length === 0) add(sums, "right", true);
  }
  // Every error of an own conversation is labelled.
  if (isOwn)
    for (const { line } of record.errors)
      if (!states.some(({ line: label }) => matches(line, label))) add(sums, "right", false);
}

function scoreActions(sums, { messages, actions, budget, shift = 0 }, { record, view }) {
  const made = new Set(view.flatMap(({ tool_calls: calls = [] }) => calls.map(signature)));
  const lines = record.text.split("\n");
  for (const { message, name, key, result } of actions) {
    const call = messages[message - shift].tool_calls?.find(({ function: asked }) => asked.name === name);
    const names = (line) =>
      plain(line).includes(plain(key).slice(0, 24)) && (name === "bash" || plain(line).includes(plain(name)));
    if (result === "reads") {
      add(
        sums,
        "reads",
        record.actions.some(({ line }) => names(line)),
      );
      continue;
    }
    const isVerbatim = call !== undefined && made.has(signature(call));
    const isInView = isVerbatim || lines.some(names);
    add(sums, "inView", isInView);
    if (budget === 16_000) add(sums, "at16k", isInView);
    if (isVerbatim) continue;
    const listed = record.actions.filter(({ line }) => names(line));
    const own = listed.filter(({ ids }) => ids.includes(message - shift));
    add(sums, "listed", listed.length > 0);
    const isRight = ({ line }) => (result === "failed") === hasFailed(line.replace(key, ""));
    if (listed.length > 0) add(sums, "result", (own.length > 0 ? own : listed).some(isRight));
  }
}

/** A line without a stated outcome may quote an error. */
const hasFailed = (line) => /\bfailed\b/.test(line) || (!/\bdone\b/.test(line) && FAILED.test(line));
const signature = ({ function: { name, arguments: given } }) => name + given;
