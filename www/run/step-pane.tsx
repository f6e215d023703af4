/** @jsxImportSource preact */
/** What one request holds: the plan, the cache, and every message with its fate. */

import { effect, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Failed } from "../talk.ts";
import { SUPERSEDED } from "../talk.ts";
import { failure } from "../app/state.ts";
import { Happened } from "./requests.tsx";
import { Reading } from "./said.tsx";
import { askRun, chosen, sides, version } from "./store.ts";
import type { FateRow, Inserted, Shown, Step } from "./types.ts";
import { Cell, Windowed } from "./windowed.tsx";

const number = (value: number) => value.toLocaleString("en");

/** What is shown, by side. */
const steps = signal<readonly (Step | undefined)[]>([]);
type Filter = "all" | "gone" | "different";
const filter = signal<Filter>("all");

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

/** One row: a message of the conversation, or one that a side put in. */
type Row = { index: number; fates: (FateRow | undefined)[] } | { inserted: Inserted; side: number };

function rowsOf(all: readonly (Step | undefined)[], wanted: Filter): Row[] {
  const lengths = all.map((step) => (step?.fates.findLastIndex(({ fate }) => fate !== "later") ?? -1) + 1);
  const most = Math.max(0, ...lengths);
  const rows: Row[] = [];
  for (let index = 0; index <= most; index += 1) {
    for (const [side, step] of all.entries())
      for (const inserted of step?.inserted ?? [])
        if (inserted.before === index || (index === most && inserted.before > most)) rows.push({ inserted, side });
    if (index === most) break;
    const fates = all.map((step) => step?.fates[index]);
    const isDifferent = fates.some((fate) => fate?.fate !== fates[0]?.fate);
    const isGone = fates.some((fate) => fate && fate.fate !== "kept" && fate.fate !== "later");
    if (wanted === "all" || (wanted === "gone" && isGone) || (wanted === "different" && isDifferent))
      rows.push({ index, fates });
  }
  return rows;
}

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
        <label>
          show{" "}
          <select
            id="run-fates"
            value={filter.value}
            onChange={({ currentTarget }) => (filter.value = currentTarget.value as Filter)}
          >
            <option value="all">all messages</option>
            <option value="gone">changed or gone</option>
            {all.length > 1 && <option value="different">different in A and B</option>}
          </select>
        </label>
      </div>
      <Happened at={at} />
      {all.map((step, side) => step && <Facts key={side} step={step} side={side} />)}
      <Messages all={all} at={at} />
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
      <details>
        <summary>
          {name}the plan: {step.edits.length === 0 ? "no edits" : `${number(step.edits.length)} edits`}
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
          {step.edits
            .slice(-MAX_EDITS)
            .toReversed()
            .map(({ id, rule, trigger, before, after, messages }) => (
              <li key={id}>
                {id} {rule}
                {trigger && ` (${trigger})`}: {messages} {messages === 1 ? "message" : "messages"}, {number(before)} →{" "}
                {number(after)} tokens
              </li>
            ))}
          {step.edits.length > MAX_EDITS && <li>and {number(step.edits.length - MAX_EDITS)} older edits</li>}
        </ul>
      </details>
    </div>
  );
}

/** Edits that are listed. */
const MAX_EDITS = 100;

function cacheSentence(cached: number, lost: number, { difference }: Step): string {
  const read = `${number(cached)} tokens can come from the cache.`;
  if (lost === 0) return read;
  const where = difference ? `: it differs from the request before at ${difference.id} (${difference.kind})` : "";
  return `${read} ${number(lost)} of the request before were lost${where}.`;
}

/** Beginnings of messages by their index. They belong to the conversation, not to a run. */
const peeks = signal<ReadonlyMap<number, string>>(new Map());
export const forgetPeeks = () => (peeks.value = new Map());

function Messages({ all, at }: { all: readonly (Step | undefined)[]; at: number }) {
  const [current, setCurrent] = useState(-1);
  const rows = rowsOf(all, filter.value);
  useEffect(() => setCurrent(-1), [at, filter.value]);
  const isTwo = all.length > 1;
  const seen = (from: number, to: number) => {
    const wanted = rows
      .slice(from, to)
      .flatMap((row) => ("index" in row && !peeks.peek().has(row.index) ? [row.index] : []));
    if (wanted.length === 0) return;
    const [low, high] = [Math.min(...wanted), Math.max(...wanted) + 1];
    // Rows of a filter can lie far apart.
    if (high - low > MAX_PEEKS) return;
    askRun("peeks", { from: low, to: high }).then(
      (texts) =>
        (peeks.value = new Map([...peeks.peek(), ...texts.map((text, index) => [low + index, text] as const)])),
      () => undefined,
    );
  };
  const row = rows[current];
  return (
    <>
      <Windowed
        id="run-messages"
        label={`Messages of request ${at}`}
        count={rows.length}
        height={28}
        current={current}
        columns={["message", "role", "tokens", ...(isTwo ? ["A", "B"] : ["fate"]), "text"]}
        choose={setCurrent}
        seen={seen}
        state={(index) => stateOf(rows[index]!)}
        row={(index) => <MessageRow row={rows[index]!} isTwo={isTwo} />}
      />
      {row && <Detail key={`${at} ${current}`} row={row} at={at} />}
    </>
  );
}

/** Messages between the first and the last visible row whose beginnings are asked for at once. */
const MAX_PEEKS = 2_000;

const stateOf = (row: Row) =>
  "inserted" in row ? "inserted" : row.fates.every((fate) => fate?.fate !== "kept") ? "gone" : "";

function MessageRow({ row, isTwo }: { row: Row; isTwo: boolean }) {
  if ("inserted" in row) {
    const { id, role, tokens, peek } = row.inserted;
    return (
      <>
        <Cell>{id}</Cell>
        <Cell>{role}</Cell>
        <Cell>{number(tokens)}</Cell>
        <Cell>{!isTwo || row.side === 0 ? "inserted" : ""}</Cell>
        {isTwo && <Cell>{row.side === 1 ? "inserted" : ""}</Cell>}
        <Cell class="what">{peek}</Cell>
      </>
    );
  }
  const [a, b] = row.fates;
  const { id, role, tokens } = (a ?? b)!;
  return (
    <>
      <Cell>{id}</Cell>
      <Cell>{role}</Cell>
      <Cell>{number(tokens)}</Cell>
      <Cell class={a?.fate}>{a?.fate}</Cell>
      {isTwo && <Cell class={b?.fate}>{b?.fate}</Cell>}
      <Cell class="what">{peeks.value.get(row.index) ?? ""}</Cell>
    </>
  );
}

function Detail({ row, at }: { row: Row; at: number }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const id = "inserted" in row ? row.inserted.id : (row.fates[0] ?? row.fates[1])!.id;
  const count = sides.value.length;
  const only = "inserted" in row ? row.side : undefined;
  useEffect(() => {
    let isOver = false;
    // One after the other: of questions at the same time only the newest is answered.
    void (async () => {
      const texts: Shown[] = [];
      for (let side = 0; side < count; side += 1)
        texts.push(only === undefined || only === side ? await askRun("text", { side, number: at, id }) : {});
      if (!isOver) setShown(texts);
    })().catch(() => undefined);
    return () => void (isOver = true);
  }, [at, id, count, only]);
  const isTwo = count > 1;
  return (
    <div class="detail" id="run-detail">
      <h3>{id}</h3>
      {"fates" in row &&
        row.fates.map(
          (fate, side) =>
            fate?.why && (
              <p key={side}>
                {isTwo && `${"AB"[side]}: `}
                {fate.fate}. {fate.why}
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
