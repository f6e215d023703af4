/** @jsxImportSource preact */
/** The edits that were applied, and the log that holds them. */

import { ask } from "../app/ask.ts";
import { nameFor, save as saveAs } from "../app/save.ts";
import { failure, opened } from "../app/state.ts";
import type { Failed } from "../talk.ts";
import { redoEdit, undoEdit } from "./edits.ts";
import { edited } from "./state.ts";
import { count, number } from "./words.ts";

export function LogTab() {
  const state = edited.value;
  if (!state) return null;
  const { edits, events, entries, pins, canUndo, canRedo } = state;
  return (
    <div id="log">
      <p>
        {count(edits.filter(({ isUndone }) => !isUndone).length, "edit")} applied, {count(pins.length, "message")}{" "}
        pinned. Nothing is ever deleted: edits lie over the messages. They stay in this browser until you undo them.
      </p>
      <div class="actions">
        <button type="button" aria-disabled={!canUndo} onClick={() => void undoEdit()}>
          Undo
        </button>
        <button type="button" aria-disabled={!canRedo} onClick={() => void redoEdit()}>
          Redo
        </button>
        <button type="button" id="save" aria-disabled={entries === 0} onClick={() => void save()}>
          Save with all messages
        </button>
      </div>
      <h3>Edits</h3>
      <ol id="edits">
        {edits.length === 0 && <li>None yet. Compact, then apply.</li>}
        {edits.map(({ text, isUndone }) => (
          <li key={text} class={isUndone ? "out" : ""}>
            {text}
          </li>
        ))}
      </ol>
      {entries > 0 && (
        <>
          <h3>
            The log, newest first{entries > events.length ? ` (${number(events.length)} of ${number(entries)})` : ""}
          </h3>
          <ol id="events">
            {events.map(({ text, line }) => (
              <li key={text}>
                <details>
                  <summary>{text}</summary>
                  <pre>{line.length > 4_000 ? `${line.slice(0, 4_000)}…` : line}</pre>
                </details>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** The lines of the log hold messages, edits and pins: opening the file brings everything back. */
async function save(): Promise<void> {
  if (!edited.value?.entries) return;
  try {
    saveAs(nameFor(opened.value?.name ?? "conversation", ".espalier.jsonl"), await ask("log", {}));
  } catch (error) {
    failure.value = error as Failed;
  }
}
