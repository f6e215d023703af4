/** @jsxImportSource preact */
/** A source file with its summary beside it, and the links between both. */

import { useEffect, useRef } from "preact/hooks";
import { Details } from "../app/details.tsx";
import { Fit } from "../app/fit.tsx";
import { EncodingChoice, ProfileChoice, Switch } from "../app/knobs.tsx";
import { openText } from "../app/opening.ts";
import { budget, opened, setParam } from "../app/state.ts";
import { CodeField } from "../code/field.tsx";
import type { FieldHandle } from "../code/field.tsx";
import { Lines } from "../code/lines.ts";
import type { Range } from "../code/lines.ts";
import { count, number } from "../conversation/words.ts";
import { Change, Gaps, Outline, outlineTitle } from "./details.tsx";
import { basisOf, outcomeOf } from "./facts.ts";
import * as store from "./store.ts";
import { Summary, keyOf } from "./summary.tsx";

export default function SourceView() {
  useEffect(store.followSource, []);
  const field = useRef<FieldHandle>(null);
  const { text, known, made, selection, pointed } = store;
  const gaps = made.value?.gaps ?? [];

  function placeCursor([start, end]: Range): void {
    pointed.value = undefined;
    selection.value = [start, end];
  }
  function toggle(index: number): void {
    const gap = gaps[index]!;
    const open = new Set(store.expanded.value);
    const isOpen = !open.delete(keyOf(gap));
    if (isOpen) open.add(keyOf(gap));
    store.expanded.value = open;
    pointed.value = isOpen ? gap.range : undefined;
  }
  return (
    <div class="view" id="source-view" data-budget={made.value?.wanted.budget}>
      <div class="view-top">
        <Headline />
        <Fit max={known.value?.tokens ?? budget.value} inWords={inWords()} />
      </div>
      <Knobs />
      <div class="code-panes">
        <section class="code-pane" aria-labelledby="source-title">
          <div class="pane-head">
            <h3 id="source-title">Source</h3>
            <span class="note" id="cursor">
              {cursorInWords()}
            </span>
          </div>
          <CodeField
            handle={field}
            text={text.value}
            shaded={gaps.map(({ range }) => range)}
            pointed={pointed.value}
            onText={store.type}
            onSelect={placeCursor}
            onPasteAll={(pasted) => {
              if (pasted.trim()) void openText(pasted, { view: "source" });
              return pasted.trim() !== "";
            }}
          />
          <p class="note">
            <span class="key out" /> missing in the summary. The code around the cursor is kept first.
          </p>
        </section>
        <section class="code-pane" aria-labelledby="summary-title">
          <div class="pane-head">
            <h3 id="summary-title">Summary</h3>
            <button type="button" id="copy" onClick={() => void navigator.clipboard.writeText(made.value?.text ?? "")}>
              Copy
            </button>
          </div>
          <Summary
            text={made.value?.text ?? ""}
            gaps={gaps}
            source={text.value}
            open={store.expanded.value}
            pointed={made.value?.cursor}
            onMove={(place) => {
              if ("document" in place) pointed.value = [place.document, place.document];
              else void store.pointFrom(place.summary);
            }}
            onToggle={toggle}
          />
          <p class="note">
            Choose a marker, or press Enter in it, to expand the removed code. The caret shows its place in the source.
          </p>
        </section>
      </div>
      <div class="below">
        <Details
          id="gaps"
          title={`What is missing (${number(gaps.length)})`}
          isOpen={store.isGapsOpen.value}
          onToggle={(isOpen) => (store.isGapsOpen.value = isOpen)}
        >
          <Gaps gaps={gaps} choose={toggle} />
        </Details>
        <Details
          id="outline"
          title={outlineTitle(store.outlined.value)}
          isOpen={store.isOutlineOpen.value}
          onToggle={(isOpen) => (store.isOutlineOpen.value = isOpen)}
        >
          {store.outlined.value && (
            <Outline
              outlined={store.outlined.value}
              gaps={gaps}
              choose={({ start }) => {
                field.current!.select([start, start]);
                field.current!.focus();
                placeCursor([start, start]);
              }}
            />
          )}
        </Details>
        <Details
          id="change"
          title="Changed code"
          isOpen={store.isChangeOpen.value}
          onToggle={(isOpen) => (store.isChangeOpen.value = isOpen)}
        >
          <Change
            diff={store.diff.value}
            onDiff={(diff) => (store.diff.value = diff)}
            pretend={() => (store.diff.value = pretended(field.current!.selection))}
            reduced={store.reduced.value}
            wrong={store.wrongDiff.value}
            budget={budget.value}
            onBudget={(tokens) => (budget.value = tokens)}
          />
        </Details>
      </div>
    </div>
  );
}

/** The one sentence that says what is to be seen, and how it came about. */
function Headline() {
  const { known, made, grammar } = store;
  return (
    <div class="lead">
      <h2 id="headline">
        {known.value && made.value
          ? `${count(known.value.tokens, "token")}; ${number(made.value.tokens)} are kept.`
          : (opened.value?.name ?? "…")}
      </h2>
      <p id="outcome">{known.value && made.value && outcomeOf(made.value, known.value)}</p>
      <p id="structure" class="note">
        <span id="basis">{known.value && made.value && basisOf(made.value, known.value, grammar.value)}</span>{" "}
        {grammar.value.state === "failed" && (
          <button type="button" id="retry" onClick={() => void store.retryGrammar()}>
            Load the grammar
          </button>
        )}
      </p>
    </div>
  );
}

function Knobs() {
  const { known, language, profile, hasNumbers, follows, marker, name } = store;
  const found = known.value?.language;
  const how = language.value
    ? "by name"
    : found === undefined
      ? "not known"
      : `${found}, ${name.value.startsWith("pasted.") ? "guessed" : "by name"}`;
  return (
    <div class="view-knobs knobs">
      <ProfileChoice
        name={store.PROFILE}
        value={profile.value}
        hints={{ espalier: "Every gap is marked.", "copilot-chat": "As Copilot Chat." }}
      />
      <label>
        Language{" "}
        <select
          id="language"
          value={language.value ?? ""}
          onChange={({ currentTarget }) => store.chooseLanguage(currentTarget.value || undefined)}
        >
          <option value="">{how}</option>
          {(known.value?.languages ?? []).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <Switch id="numbers" name={store.NUMBERS} isOn={hasNumbers.value}>
        line numbers
      </Switch>
      <Switch id="follow" name={store.FOLLOW} isOn={follows.value} isOnByDefault>
        around the cursor
      </Switch>
      <label>
        Marker{" "}
        <input
          type="text"
          id="marker"
          spellcheck={false}
          disabled={profile.value === "copilot-chat"}
          value={marker.value}
          onInput={({ currentTarget: { value } }) =>
            setParam(store.MARKER, value === store.DEFAULT_MARKER ? undefined : value)
          }
        />
      </label>
      <EncodingChoice />
    </div>
  );
}

function inWords(): string {
  const { known, made } = store;
  const missing = made.value ? `, ${count(made.value.gaps.length, "stretch", "stretches")} missing` : "";
  return `${number(budget.value)} of ${count(known.value?.tokens ?? 0, "token")}${missing}`;
}

function cursorInWords(): string {
  const range = store.selection.value;
  if (!range) return "no cursor yet";
  const [start, end] = range;
  const lines = new Lines(store.text.value);
  const [first, last] = [lines.lineAt(start) + 1, lines.lineAt(Math.max(start, end - 1)) + 1];
  if (start === end) return `cursor in line ${number(first)}`;
  return first === last ? `selection in line ${number(first)}` : `lines ${number(first)}-${number(last)} selected`;
}

/** Returns a diff that marks the selected lines, or the line of the cursor, as new. */
function pretended([start, end]: Range): string {
  const text = store.text.value;
  const lines = new Lines(text);
  const rows = text.split(/\r\n|\n|\r/);
  const [first, last] = [lines.lineAt(start), lines.lineAt(Math.max(start, end - 1))];
  const from = Math.max(0, first - 3);
  const to = Math.min(rows.length - 1, last + 3);
  const added = last - first + 1;
  const body = rows
    .slice(from, to + 1)
    .map((row, at) => `${from + at >= first && from + at <= last ? "+" : " "}${row}`);
  const path = store.name.value;
  const place = `@@ -${from + 1},${body.length - added} +${from + 1},${body.length} @@`;
  return [`--- a/${path}`, `+++ b/${path}`, place, ...body, ""].join("\n");
}
