/** @jsxImportSource preact */
/** The settings of one side or two. */

import type { ComponentChildren } from "preact";
import { opened, params, say } from "../app/state.ts";
import { ProfileChoice, ProfileEditor } from "../parts/profile-editor.tsx";
import { TokensField } from "../parts/tokens-field.tsx";
import { Profiles } from "./profiles.tsx";
import { DEFAULTS, FAILURES, LIMITS, WRITERS, differencesOf, withB } from "./settings.ts";
import { askRun, change, settings } from "./store.ts";
import type { Settings } from "./types.ts";

export function Knobs({ children }: { children?: ComponentChildren }) {
  const [a, b] = settings.value;
  const toggle = (hasB: boolean) => (params.value = withB(params.value, hasB, a!.budget));
  return (
    <form class="knobs" aria-label="Settings of the run" onSubmit={(event) => event.preventDefault()}>
      <SideKnobs side={0} own={a!} title={b ? "A" : "Run"} />
      {b && <SideKnobs side={1} own={b} title="B" />}
      <div class="knobs-end">
        <label class="check">
          <input
            type="checkbox"
            id="run-two"
            checked={b !== undefined}
            onChange={({ currentTarget }) => toggle(currentTarget.checked)}
          />
          compare with a second run
        </label>
        {b && <small class="differs">{differencesOf(a!, b).join(", ") || "A and B are alike"}</small>}
        {children}
      </div>
      <Editor side={0} own={a!} of={b ? "A" : ""} />
      {b && <Editor side={1} own={b} of="B" />}
      {b && a!.profile !== b.profile && <Profiles a={a!.profile} b={b.profile} />}
    </form>
  );
}

function Editor({ side, own, of }: { side: number; own: Settings; of: string }) {
  return (
    <ProfileEditor
      id={`run-${side === 0 ? "" : "b-"}profile-json`}
      given={own.profile}
      of={of}
      onChange={(given) => change(side, "profile", given)}
      say={say}
      read={(text) => askRun("profile", { text })}
    />
  );
}

function SideKnobs({ side, own, title }: { side: number; own: Settings; title: string }) {
  const id = (field: string) => `run-${side === 0 ? "" : "b-"}${field}`;
  const thing = opened.value;
  const total = thing?.kind === "conversation" ? thing.conversation.total : own.budget;
  const most = Math.max(total, own.budget, 1_000);
  const isScripted = own.writer === "scripted";
  return (
    <fieldset class={`side side-${"ab"[side]}`}>
      <legend>{title}</legend>
      <div class="field budget">
        <span>
          window <small>tokens</small>
        </span>
        <span class="pair">
          <input
            type="range"
            id={id("slider")}
            min={Math.min(1_000, own.budget)}
            max={most}
            step={Math.max(1, Math.round(most / 400))}
            value={own.budget}
            aria-valuetext={`${own.budget.toLocaleString("en")} of ${total.toLocaleString("en")} tokens`}
            aria-label={`window of ${title}`}
            onInput={({ currentTarget }) => change(side, "budget", currentTarget.value)}
          />
          <TokensField
            id={id("budget")}
            tokens={own.budget}
            label={`window of ${title}, in tokens`}
            onEnter={(tokens) => tokens >= 1 && change(side, "budget", String(tokens))}
          />
        </span>
      </div>
      <label for={id("profile")}>
        <span>profile</span>
        <ProfileChoice id={id("profile")} given={own.profile} onChange={(given) => change(side, "profile", given)} />
      </label>
      <Choice id={id("writer")} label="summaries by" value={own.writer} of={WRITERS} field="writer" side={side} />
      {isScripted && (
        <>
          <Amount id={id("latency")} label="latency" side={side} field="latency" value={own.latency} />
          <Choice
            id={id("failures")}
            label="it fails"
            value={own.failures}
            of={FAILURES}
            field="failures"
            side={side}
          />
        </>
      )}
      {side === 0 && <Amount id={id("pace")} label="between requests" side={side} field="pace" value={own.pace} />}
    </fieldset>
  );
}

interface ChoiceProps {
  id: string;
  label: string;
  value: string;
  of: readonly (readonly [string, string])[];
  field: keyof Settings;
  side: number;
}

function Choice({ id, label, value, of, field, side }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select id={id} value={value} onChange={({ currentTarget }) => change(side, field, currentTarget.value)}>
        {of.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Amount(props: { id: string; label: string; side: number; field: "latency" | "pace"; value: number }) {
  const { id, label, side, field, value } = props;
  const [min, max] = LIMITS[field];
  return (
    <label>
      <span>
        {label} <small>s</small>
      </span>
      <input
        type="number"
        id={id}
        min={min}
        max={max}
        step="any"
        value={value}
        onChange={({ currentTarget }) => {
          const given = currentTarget.value === "" ? DEFAULTS[field] : Number(currentTarget.value);
          change(side, field, String(Math.min(max, Math.max(min, given))));
          currentTarget.value = String(Math.min(max, Math.max(min, given)));
        }}
      />
    </label>
  );
}
