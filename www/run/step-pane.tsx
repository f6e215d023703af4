/** @jsxImportSource preact */
/** What one request holds: the plan, the cache, and every message with its fate. */

import { computed, effect, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Failed } from "../talk.ts";
import { SUPERSEDED } from "../talk.ts";
import { failure } from "../app/state.ts";
import { Filter } from "../parts/filter.tsx";
import { Happened } from "./requests.tsx";
import { Reading } from "./said.tsx";
import { askRun, chosen, settings, sides, toggleUndo, version } from "./store.ts";
import { FATES } from "./types.ts";
import type { Fate, MessageRow, Shown, Step } from "./types.ts";
import { Cell, Windowed } from "./windowed.tsx";

const number = (value: number) => value.toLocaleString("en");

/** What is shown, by side. */
const steps = signal<readonly (Step | undefined)[]>([]);
type Shows = "all" | "gone" | "different";
const filter = signal<Shows>("all");

/** Numbers of requests that the shown run has already made. */
const isMade = (at: number) => sides.peek().some(({ requests }) => requests.length >= at);

effect(() => {
  version.value;
  const at = chosen.value;
  if (at === undefined || !isMade(at)) {
    steps.value = [];
    return;
  }
  const shown = steps.peek();
  const known = sides.peek().map(({ requests }) => requests.length >= at);
  const isShown = shown.length === known.length && shown.every((step, side) => (step?.request === at) === known[side]);
  if (isShown && shownOf === sides.peek()) return;
  const of = sides.peek();
  askRun("step", { number: at }).then(
    (answer) => {
      if (chosen.peek() !== at || sides.peek() !== of) return;
      shownOf = of;
      steps.value = answer;
    },
    (error: Failed) => {
      if (error.code !== SUPERSEDED) failure.value = error;
    },
  );
});
/** The run of the shown step. */
let shownOf: unknown;

/** A row: the index of a message, or `~index` of an inserted one in {@link insertions}. */
const insertions = computed(() =>
  steps.value.flatMap((step, side) => (step?.inserted ?? []).map((made) => ({ made, side }))),
);

const rows = computed(() => {
  const all = steps.value;
  const wanted = filter.value;
  const most = Math.max(0, ...all.map((step) => step?.fates.length ?? 0));
  const made = insertions.value.map(({ made: { before } }, at) => [Math.min(before, most), ~at] as const);
  made.sort(([a], [b]) => a - b);
  const list: number[] = [];
  let next = 0;
  for (let index = 0; index <= most; index += 1) {
    for (; next < made.length && made[next]![0] === index; next += 1) list.push(made[next]![1]);
    if (index === most) break;
    const first = all[0]?.fates[index];
    const isDifferent = all.length > 1 && first !== all[1]?.fates[index];
    const isGone = all.some((step) => (step?.fates[index] ?? 0) !== 0);
    if (wanted === "all" || (wanted === "gone" && isGone) || (wanted === "different" && isDifferent)) list.push(index);
  }
  return list;
});

const fateOf = (step: Step | undefined, index: number): Fate | undefined => {
  const fate = step?.fates[index];
  return fate === undefined ? undefined : FATES[fate];
};

export function StepPane() {
  const at = chosen.value;
  const all = steps.value;
  if (at === undefined)
    return (
      <section class="step empty">
        <p>Choose a request in the chart or in the list: its messages and the plan appear here.</p>
      </section>
    );
  return (
    <section class="step" aria-labelledby="run-step-title">
      <div class="title">
        <h2 id="run-step-title">Request {number(at)}</h2>
        <Filter
          id="run-fates"
          label="show"
          isSaid
          value={filter.value}
          of={[
            ["all", "all messages"],
            ["gone", "changed or gone"],
            all.length > 1 && ["different", "different in A and B"],
          ]}
          onChoose={(name) => (filter.value = name)}
        />
      </div>
      <Happened at={at} />
      {all.map((step, side) => step && <Facts key={side} step={step} side={side} />)}
      <Messages at={at} />
    </section>
  );
}

function Facts({ step, side }: { step: Step; side: number }) {
  version.value;
  const own = sides.value[side];
  const row = own?.requests[step.request - 1];
  if (!row) return null;
  const name = sides.value.length > 1 ? `${"AB"[side]}: ` : "";
  const made = own!.compactions.findLast(({ end }) => end === step.request);
  const undo = settings.value[side]?.undo ?? [];
  const isUndone = undo.includes(step.request);
  const canUndo = own!.compactions.some(
    ({ outcome, end = step.request }) => outcome === "applied" && end < step.request,
  );
  const marks = step.marks.map(({ why, message }) => (message ? `${why} (${message})` : why)).join(", ");
  return (
    <div class="facts">
      <p>
        {name}
        {row.sent === undefined
          ? "nothing was sent"
          : `${number(row.sent)} tokens in ${number(row.sentMessages)} messages, ${number(row.whole)} of them word for word`}
        . {row.sent !== undefined && row.number > 1 && cacheSentence(row.cached, row.lost, step)}
      </p>
      {(canUndo || isUndone) && (
        <button
          type="button"
          class="undo"
          id={`run-undo-${side}`}
          aria-pressed={isUndone}
          onClick={() => toggleUndo(side, step.request)}
        >
          {name}what if the newest compaction were undone before this request?
        </button>
      )}
      <details>
        <summary>
          {name}the plan: {step.editCount === 0 ? "no edits" : `${number(step.editCount)} edits`}
          {step.trimmed.length > 0 && `, ${step.trimmed.length} removals in this request only`}
        </summary>
        {made?.steps && (
          <p>
            Steps of compaction {made.number}:{" "}
            {made.steps.map(({ step: rung, outcome }) => `${rung} ${outcome}`).join(", ")}.
          </p>
        )}
        {marks && <p>Cache marks that a host would set: {marks}.</p>}
        <ul>
          {step.trimmed.map(({ rule, why, tokens }, index) => (
            <li key={`t${index}`}>
              {rule}: {why} ({number(tokens)} tokens)
            </li>
          ))}
          {step.edits.map(({ id, rule, trigger, before, after, messages }) => (
            <li key={id}>
              {id} {rule}
              {trigger && ` (${trigger})`}: {messages} {messages === 1 ? "message" : "messages"}, {number(before)} →{" "}
              {number(after)} tokens
            </li>
          ))}
          {step.editCount > step.edits.length && <li>and {number(step.editCount - step.edits.length)} older edits</li>}
        </ul>
      </details>
    </div>
  );
}

function cacheSentence(cached: number, lost: number, { difference }: Step): string {
  const read = `${number(cached)} tokens can come from the cache.`;
  if (lost === 0) return read;
  const where = difference ? `: it differs from the request before at ${difference.id} (${difference.kind})` : "";
  return `${read} ${number(lost)} of the request before were lost${where}.`;
}

/** Messages that have been seen, by their index. They belong to the conversation, not to a run. */
const known = signal<ReadonlyMap<number, MessageRow>>(new Map());
export const forgetRows = () => (known.value = new Map());

/** Asks for the messages of the rows that can be seen. */
function seen(from: number, to: number): void {
  const indices = rows
    .peek()
    .slice(from, to)
    .filter((index) => index >= 0 && !known.peek().has(index));
  if (indices.length === 0) return;
  askRun("rows", { indices }).then(
    (answer) => (known.value = new Map([...known.peek(), ...answer.map((row, at) => [indices[at]!, row] as const)])),
    // A newer question asks for what can be seen now.
    () => undefined,
  );
}

function Messages({ at }: { at: number }) {
  const [current, setCurrent] = useState(-1);
  const list = rows.value;
  useEffect(() => setCurrent(-1), [at, filter.value]);
  const isTwo = steps.value.length > 1;
  const row = list[current];
  return (
    <>
      <Windowed
        id="run-messages"
        label={`Messages of request ${at}`}
        count={list.length}
        height={28}
        current={current}
        columns={["message", "role", "tokens", ...(isTwo ? ["A", "B"] : ["fate"]), "text"]}
        choose={setCurrent}
        seen={seen}
        state={(index) => stateOf(list[index]!)}
        row={(index) => <MessageCells row={list[index]!} isTwo={isTwo} />}
      />
      {row !== undefined && <Detail key={`${at} ${row}`} row={row} at={at} />}
    </>
  );
}

const stateOf = (row: number) =>
  row < 0 ? "inserted" : steps.value.every((step) => fateOf(step, row) !== "kept") ? "gone" : "";

function MessageCells({ row, isTwo }: { row: number; isTwo: boolean }) {
  if (row < 0) {
    const { made, side } = insertions.value[~row]!;
    const { id, role, tokens, peek } = made;
    return (
      <>
        <Cell>{id}</Cell>
        <Cell>{role}</Cell>
        <Cell>{number(tokens)}</Cell>
        <Cell>{!isTwo || side === 0 ? "inserted" : ""}</Cell>
        {isTwo && <Cell>{side === 1 ? "inserted" : ""}</Cell>}
        <Cell class="what">{peek}</Cell>
      </>
    );
  }
  const { id = `${row}`, role = "", tokens, peek = "" } = known.value.get(row) ?? {};
  return (
    <>
      <Cell>{id}</Cell>
      <Cell>{role}</Cell>
      <Cell>{tokens === undefined ? "" : number(tokens)}</Cell>
      {steps.value.map((step, side) => {
        const fate = fateOf(step, row);
        return (
          <Cell key={side} class={fate}>
            {fate}
          </Cell>
        );
      })}
      <Cell class="what">{peek}</Cell>
    </>
  );
}

function Detail({ row, at }: { row: number; at: number }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const inserted = row < 0 ? insertions.value[~row] : undefined;
  const id = inserted?.made.id ?? known.value.get(row)?.id;
  const count = steps.value.length;
  const only = inserted?.side;
  useEffect(() => {
    if (id === undefined) return;
    let isOver = false;
    const sidesOf = Array.from({ length: count }, (_, side) => side);
    const asked = sidesOf.map((side) =>
      only === undefined || only === side ? askRun("text", { side, number: at, id }) : ({} satisfies Shown),
    );
    Promise.all(asked).then(
      (texts) => !isOver && setShown(texts),
      () => undefined,
    );
    return () => void (isOver = true);
  }, [at, id, count, only]);
  const isTwo = count > 1;
  return (
    <div class="detail" id="run-detail">
      <h3>{id}</h3>
      {shown.map(
        ({ why }, side) =>
          why !== undefined && (
            <p key={side}>
              {isTwo && `${"AB"[side]}: `}
              {fateOf(steps.value[side], row)}. {why}
            </p>
          ),
      )}
      {shown[0]?.original !== undefined && (
        <>
          <h4>Original</h4>
          <Reading>{shown[0].original}</Reading>
        </>
      )}
      {shown.map(
        ({ sent }, side) =>
          sent !== undefined && (
            <div key={side}>
              <h4>{isTwo ? `As ${"AB"[side]} sends it` : "As sent"}</h4>
              <Reading>{sent}</Reading>
            </div>
          ),
      )}
    </div>
  );
}
