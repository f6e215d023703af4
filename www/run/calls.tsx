/** @jsxImportSource preact */
/** The requests to the model that writes summaries: what it was asked, and what it wrote. */

import { useEffect, useState } from "preact/hooks";
import type { CallTexts } from "./questions.ts";
import { Reading, SaidText } from "./said.tsx";
import { askRun, sides, stop, version, writing } from "./store.ts";
import type { RunCall } from "./types.ts";

const number = (value: number) => value.toLocaleString("en");
/** Characters of the end of a text that is being written. */
const TAIL = 600;

export function Calls() {
  version.value;
  const all = sides.value.flatMap(({ calls }, side) => calls.map((call) => ({ call, side })));
  if (all.length === 0) return null;
  const isTwo = sides.value.length > 1;
  return (
    <section class="calls" aria-labelledby="run-calls-title">
      <h2 id="run-calls-title">Requests to the model ({number(all.length)})</h2>
      <ol id="run-calls">
        {all.map(({ call, side }) => (
          <Call key={`${side} ${call.number}`} call={call} side={side} name={isTwo ? `${"AB"[side]} ` : ""} />
        ))}
      </ol>
    </section>
  );
}

function Call({ call, side, name }: { call: RunCall; side: number; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { at, purpose, shape, promptTokens, took, outcome, error } = call;
  const time = took === undefined ? "" : `, ${(took / 1_000).toFixed(1)} s`;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {name}
          {call.number}. at request {Math.floor(at)}: {purpose}, {number(promptTokens)} tokens as {shape}; {outcome}
          {time}
          {error && `: ${error.what}`}
        </summary>
        {error && <SaidText said={error} />}
        {isOpen && <Texts side={side} call={call} />}
      </details>
    </li>
  );
}

function Texts({ side, call: { number: at, outcome } }: { side: number; call: RunCall }) {
  const [texts, setTexts] = useState<CallTexts>();
  useEffect(() => {
    let isOver = false;
    askRun("call", { side, number: at }).then(
      (answer) => !isOver && setTexts(answer),
      () => undefined,
    );
    return () => void (isOver = true);
  }, [side, at, outcome]);
  if (!texts) return <p>…</p>;
  return (
    <div class="texts">
      {texts.params && <p>{texts.params}</p>}
      {texts.messages.map(({ role, text }, index) => (
        <div key={index}>
          <h3>{role}</h3>
          <Reading>{text}</Reading>
        </div>
      ))}
      <h3>The answer</h3>
      <Reading>{texts.reply || "(none)"}</Reading>
    </div>
  );
}

/** What the model is writing now. */
export function Writing() {
  const now = writing.value;
  const [time, setTime] = useState(0);
  const isOn = now !== undefined;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setTime(performance.now()), 500);
    return () => clearInterval(timer);
  }, [isOn]);
  if (!now) return null;
  const { text, since } = now;
  return (
    <div class="notice writing" id="run-writing">
      <p>
        The model is writing: {number(text.length)} characters, {Math.max(0, (time - since) / 1_000).toFixed(0)} s.
      </p>
      <pre aria-hidden="true">{text.slice(-TAIL)}</pre>
      <button type="button" id="run-abort" onClick={stop}>
        Stop
      </button>
    </div>
  );
}
