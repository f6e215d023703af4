/** @jsxImportSource preact */
/**
 * A traced prompt: budget, icicle, outline, removals, and what became of one node. The playground and the page of
 * `HTMLTracer` show the same.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageCut } from "../../js/prompt/html-tracer-data.ts";
import { BudgetBar, nextBudget, outcomeOf } from "./budget-bar.tsx";
import { Detail } from "./detail.tsx";
import { Icicle } from "./icicle.tsx";
import { briefOf, budgetWithout, errorOf, find, neededFor, rowFor, sentenceOf, show, tokensAfter } from "./model.ts";
import type { Tree } from "./model.ts";
import { number } from "./number.ts";
import { Outline, Removals } from "./outline.tsx";

export interface TraceViewProps {
  tree: Tree;
  cut: PageCut;
  /** Tokens of the whole prompt. */
  whole: number;
  /** Tokens of each node of the whole prompt, if they are known. */
  wholeSizes?: readonly number[] | undefined;
  budget: number;
  /** Absent if nothing is known but this one budget. */
  onBudget?: ((budget: number, isSettled: boolean) => void) | undefined;
  budgets?: readonly number[] | undefined;
  asRendered?: number | undefined;
  /** Budgets that elements received, by id. */
  told?: ReadonlyMap<number, number>;
  /** Says something to screen readers, after a rest. */
  say(text: string): void;
  /** Shown below. */
  children?: ComponentChildren;
}

/** Milliseconds of a step of the replay. */
const STEP = 900;
const MAX_TRIES = 8;
const NOBODY: ReadonlyMap<number, number> = new Map();

export const KEYS = [
  ["[ and ]", "change the budget to the next removal, or put the last one back"],
  ["n and p", "go to the next or previous removed element"],
  ["r", "replays the removals one by one"],
  ["/", "finds an element by its name or text"],
  ["arrows", "move in the tree; left closes, right opens"],
] as const;

export function TraceView(props: TraceViewProps) {
  const { tree, cut, whole, wholeSizes, budget, onBudget, budgets, asRendered, told = NOBODY, say, children } = props;
  const shown = useMemo(() => show(tree, cut, wholeSizes), [tree, cut, wholeSizes]);
  const { steps } = shown;
  const [selectedId, setSelected] = useState<number>();
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  /** Steps of the replay that have been made; all of them without a replay. */
  const [replayed, setReplayed] = useState<number>();
  const [isPlaying, setPlaying] = useState(false);
  const [words, setWords] = useState("");
  /** The node that is brought back, and how many budgets were tried for it. */
  const returning = useRef<{ id: number; tries: number }>(undefined);
  const finder = useRef<HTMLInputElement>(null);
  const count = Math.min(replayed ?? steps.length, steps.length);
  const indices = useMemo(() => new Map(tree.nodes.map(({ id }, index) => [id, index])), [tree]);
  const selected = selectedId === undefined ? -1 : rowOrNone(indices.get(selectedId));
  const hits = useMemo(() => find(tree, words), [tree, words]);

  function rowOrNone(index: number | undefined): number {
    return index === undefined ? -1 : rowFor(tree, index);
  }

  function select(index: number): void {
    const row = rowFor(tree, index);
    setSelected(tree.nodes[row]!.id);
    // The chosen row is in view.
    const open = new Set(closed);
    for (let at = tree.nodes[row]!.parent; at >= 0; at = tree.nodes[at]!.parent) open.delete(tree.nodes[at]!.id);
    if (open.size !== closed.size) setClosed(open);
  }

  function step(to: number, isAlone = true): void {
    const next = Math.max(0, Math.min(steps.length, to));
    if (isAlone) setPlaying(false);
    setReplayed(next);
    if (next > 0) {
      select(steps[next - 1]!.victim);
      say(`Removal ${next} of ${steps.length}: ${sentenceOf(shown, steps[next - 1]!.victim)}`);
    } else say(`Before the first removal: ${number(tokensAfter(shown, 0))} tokens.`);
  }

  function play(): void {
    if (isPlaying) return setPlaying(false);
    if (count === steps.length) step(0, false);
    setPlaying(true);
  }

  function nextVictim(direction: -1 | 1): void {
    if (steps.length === 0) return say("Nothing was removed.");
    const current = selected < 0 ? -1 : shown.stepOf[selected]!;
    const next = current < 0 ? (direction > 0 ? 0 : steps.length - 1) : current + direction;
    if (next < 0 || next >= steps.length) return say(`That was the ${next < 0 ? "first" : "last"} removal.`);
    select(steps[next]!.victim);
    say(sentenceOf(shown, steps[next]!.victim));
  }

  function bringBack(to: number): void {
    returning.current = { id: selectedId!, tries: 0 };
    onBudget?.(to, true);
  }

  function nextHit(): void {
    const next = hits.find((row) => row > selected) ?? hits[0];
    if (next === undefined) return say(`Nothing contains “${words}”.`);
    select(next);
    say(`${hits.indexOf(next) + 1} of ${hits.length}: ${briefOf(tree, next)}`);
  }

  // Another budget has other removals.
  useEffect(() => {
    const back = returning.current;
    const step = back && shown.stepOf[indices.get(back.id) ?? -1];
    // What removals free together is not always the sum of what each freed: a little more may be needed.
    if (back && step !== undefined && step >= 0 && back.tries < MAX_TRIES)
      onBudget?.(Math.max(cut.budget + 2 ** back.tries++, budgetWithout(shown, step)), true);
    else returning.current = undefined;
    setReplayed(undefined);
    setPlaying(false);
    say(outcomeOf(shown, whole));
  }, [shown]);
  useEffect(() => {
    if (!isPlaying) return;
    if (count >= steps.length) return setPlaying(false);
    const timer = setTimeout(() => step(count + 1, false), STEP);
    return () => clearTimeout(timer);
  }, [isPlaying, count, steps]);

  const keys = useRef<(event: KeyboardEvent) => void>(() => {});
  keys.current = (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const isField = (target as Element).closest?.("input:not([type=range]), textarea, select, dialog");
    if (isField || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
    if (key === "/") finder.current?.focus();
    else if (key === "n") nextVictim(1);
    else if (key === "p") nextVictim(-1);
    else if (key === "r") play();
    else if ((key === "[" || key === "]") && onBudget)
      onBudget(nextBudget({ cut, shown, budgets, whole }, key === "[" ? -1 : 1), true);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => keys.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  const { error } = cut;
  const needed = neededFor(shown);
  return (
    <div class="trace">
      <section class="top" aria-label="Budget">
        {onBudget ? (
          <BudgetBar {...{ shown, whole, budget, onBudget, budgets, asRendered }} />
        ) : (
          <p class="fixed">This trace holds one budget: {number(budget)} tokens. Its removals can be replayed.</p>
        )}
        {error === undefined ? (
          <p class="outcome">
            {steps.length === 0 ? (
              outcomeOf(shown, whole)
            ) : (
              <>
                {count === steps.length ? (
                  <>
                    <b>{number(cut.tokens)}</b> of {number(cut.budget)} tokens, {number(steps.length)} removed.
                  </>
                ) : (
                  <>
                    <b>{number(tokensAfter(shown, count))}</b> tokens after {number(count)} of {number(steps.length)}{" "}
                    removals; the budget is {number(cut.budget)}.
                  </>
                )}{" "}
                First to go:{" "}
                <button type="button" class="link" id="first" onClick={() => select(steps[0]!.victim)}>
                  {briefOf(tree, rowFor(tree, steps[0]!.victim))}
                </button>
              </>
            )}
          </p>
        ) : (
          <p class="outcome bad" role="alert">
            A budget of {number(cut.budget)} tokens cannot be met: {errorOf(cut)}{" "}
            {needed !== undefined && onBudget && (
              <button type="button" id="use" onClick={() => onBudget(needed, true)}>
                Use {number(needed)}
              </button>
            )}
          </p>
        )}
        <Icicle {...{ shown, count, selected, onSelect: select, whole, budget }} isStepping={replayed !== undefined} />
      </section>
      <section class="tree" aria-labelledby="tree-title">
        <div class="head">
          <h2 id="tree-title">Elements</h2>
          <search class="find">
            <input
              type="search"
              id="find"
              ref={finder}
              value={words}
              placeholder="Find ( / )"
              aria-label="Find an element by its name or text"
              onInput={({ currentTarget }) => setWords(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter") nextHit();
                else if (event.key === "Escape") document.getElementById("outline")?.focus();
                else return;
                event.preventDefault();
              }}
            />
            {words.trim() !== "" && <output for="find">{hits.length}</output>}
          </search>
        </div>
        <Outline {...{ shown, count, selected, closed, told }} onSelect={select} onClosed={setClosed} />
      </section>
      <section class="side" aria-label="Removals and the chosen element">
        <div class="head">
          <h2>Removed, in order</h2>
          <div class="replay">
            <button
              type="button"
              id="back"
              aria-label="One removal back"
              disabled={count === 0}
              onClick={() => step(count - 1)}
            >
              ◂
            </button>
            <button type="button" id="replay" aria-pressed={isPlaying} disabled={steps.length === 0} onClick={play}>
              {isPlaying ? "Pause" : "Replay"}
            </button>
            <button
              type="button"
              id="forward"
              aria-label="One removal on"
              disabled={count === steps.length}
              onClick={() => step(count + 1)}
            >
              ▸
            </button>
            <span class="position">
              {count}/{steps.length}
            </span>
          </div>
        </div>
        <Removals {...{ shown, count, selected }} onSelect={select} />
        <div class="detail" id="detail">
          <Detail {...{ shown, count, selected, told }} onReturn={onBudget && bringBack} />
        </div>
        {children}
      </section>
    </div>
  );
}
