/** @jsxImportSource preact */
/** The chosen message: what is sent of it, and why it stays or goes. */

import { batch, useSignal } from "@preact/signals";
import { setParam, view } from "../app/state.ts";
import { FATES, ROLES } from "../worker/questions.ts";
import { fateWord, REASONS } from "./fate-words.ts";
import { chosen, detail, next, ran } from "./state.ts";
import { setPin } from "./edits.ts";
import { number } from "./words.ts";

/** Characters that are shown at once: more would hold up the page. */
const MAX_TEXT = 20_000;

export function MessageTab() {
  const run = ran.value;
  const found = detail.value;
  if (!run || chosen.value < 0)
    return <p class="dim">Choose a row to read its message, what is sent of it, and why it stays or goes.</p>;
  const row = chosen.value;
  const { rows } = run;
  const index = rows.index[row]!;
  // A message stays in the pane while a newer run is asked about it; its reason is never that of an older run.
  if (!found || found.index !== index || (index < 0 && found.run !== run.run)) return <p class="dim">…</p>;
  const isCurrent = found.run === run.run && found.row === row;
  const { id, original, isPinned } = found;
  const { sent, reasons } = isCurrent ? found : { sent: undefined, reasons: [] };
  const fate = FATES[rows.fates[row]!]!;
  const [before, after] = [rows.before[row]!, rows.after[row]!];
  return (
    <div id="message">
      <h2>
        {index >= 0 ? `${index + 1}. ` : ""}
        {ROLES[rows.roles[row]!]} <small>{id}</small>
      </h2>
      <p id="why">
        <strong class={`fate ${fate}`}>{fateWord(rows.fates[row]!, before, after)}</strong>{" "}
        {before === after ? `${number(before)} tokens` : `${number(before)} → ${number(after)} tokens`}
        {reasons.map(({ rule, why }) => (
          <span key={rule} class="reason">
            {why} <small>({rule})</small>
          </span>
        ))}
        {isCurrent && reasons.length === 0 && <span class="reason">{REASONS[fate]}</span>}
        {next.value?.run === run.run && next.value.row === row && <span class="reason">It is the next to go.</span>}
      </p>
      {index >= 0 && (
        <div class="actions">
          <button type="button" id="pin" aria-pressed={isPinned} onClick={() => void setPin(index, !isPinned)}>
            {isPinned ? "Unpin" : "Pin: it stays whatever the budget"}
          </button>
          <button type="button" id="its-tokens" onClick={() => showTokens(index)}>
            Its tokens
          </button>
        </div>
      )}
      {sent !== undefined && <Text key={`s${id}`} title="As sent" text={sent} id="sent" />}
      <Text
        key={`o${id}`}
        title={index < 0 ? "What is added" : sent === undefined ? "Text" : "Original"}
        text={original}
        id="original"
      />
    </div>
  );
}

/** Shows a message in the view of tokens. */
function showTokens(index: number): void {
  batch(() => {
    setParam("tokens.message", String(index + 1));
    view.value = "tokens";
  });
}

function Text({ title, text, id }: { title: string; text: string; id: string }) {
  const isWhole = useSignal(false);
  const isLong = text.length > MAX_TEXT && !isWhole.value;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <pre id={id}>{isLong ? `${text.slice(0, MAX_TEXT)}…` : text || "(empty)"}</pre>
      {isLong && (
        <button type="button" onClick={() => (isWhole.value = true)}>
          Show all {number(text.length)} characters
        </button>
      )}
    </section>
  );
}
