/** @jsxImportSource preact */
/** Dialogs of the shell, loaded when one is first wanted. */

import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { choice, openFile } from "./opening.ts";
import { keys } from "./state.ts";

export { StorageWarning } from "./storage-warning.tsx";

declare const VERSION: string;

/** Asks which conversation of a file to open. */
export function Choice() {
  const number = useSignal("1");
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    number.value = "1";
    select.current?.focus();
  }, [choice.value]);
  if (!choice.value) return null;
  const { file, conversations } = choice.value;
  return (
    <form
      id="choice"
      class="notice"
      onSubmit={(event) => {
        event.preventDefault();
        void openFile(file, { conversation: Number(number.value) });
      }}
    >
      <label>
        <span id="choice-title">
          {file.name} contains {conversations.length} conversations. Which one?
        </span>
        <select
          id="conversation"
          ref={select}
          value={number.value}
          onChange={({ currentTarget }) => (number.value = currentTarget.value)}
        >
          {conversations.map(({ number: at, label, messages }) => (
            <option key={at} value={String(at)}>
              {at}. {label || "unnamed"} ({messages} {messages === 1 ? "message" : "messages"})
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Open</button>
      <button type="button" onClick={() => (choice.value = undefined)}>
        Close
      </button>
    </form>
  );
}

const KEYS = [
  ["?", "shows this list"],
  ["Ctrl+V", "opens what you have copied: a transcript, a session, code, a text"],
  ["u or Ctrl+Z", "undoes the newest change; Back does, too"],
] as const;

export function Help({ isOpen, reference }: { isOpen: Signal<boolean>; reference: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  return (
    <dialog id="keys" ref={dialog} onClose={() => (isOpen.value = false)} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {[...KEYS, ...keys.value].map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        Everything happens in this tab; nothing is sent anywhere. Espalier {VERSION},{" "}
        <a href={reference}>docs and reference</a>.
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
