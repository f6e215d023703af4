/** @jsxImportSource preact */
/** The frame around every view: what is open, the views, errors, progress, help, theme. */

import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { EXAMPLES } from "../examples.ts";
import { choice, chooseView, openExample, openFile, openGiven } from "./opening.ts";
import { estimate, failure, opened, progress, shown, status, theme, view } from "./state.ts";
import type { Theme } from "./state.ts";
import { isUnreachable } from "../talk.ts";
import { warning } from "./store.ts";
import { lazily } from "./lazy.tsx";
import { applyOnly, loadStyle } from "./style.ts";
import { VIEWS } from "./views.ts";

declare const VERSION: string;

const Choice = lazily(async () => (await import("./later.tsx")).Choice);
const StorageWarning = lazily(async () => (await import("./later.tsx")).StorageWarning);
const Help = lazily(async () => (await import("./later.tsx")).Help);

/** Where `npm start` serves the pages of docs/ and the API reference. */
const REFERENCE = "reference/";

/** Groups of examples. */
const GROUPS = [...new Set(EXAMPLES.map(({ group }) => group))];

/** Loaded views by name. */
const loaded = signal<Readonly<Record<string, ComponentType>>>({});
export const isHelpOpen = signal(false);
/** True from the first time on, so that the dialog can close by itself. */
const isHelpWanted = signal(false);
effect(() => {
  if (isHelpOpen.value) isHelpWanted.value = true;
});
/** True while a file is dragged over the page. */
export const isDraggedOver = signal(false);

/** Counts the times that the reader asked again for a view that could not be loaded. */
const tries = signal(0);
effect(() => {
  void tries.value;
  const wanted = VIEWS.find(({ name }) => name === view.value);
  if (!wanted) return;
  const { load, styles = [] } = wanted;
  if (loaded.value[wanted.name]) {
    applyOnly(styles);
    return;
  }
  Promise.all([load(), ...styles.map(loadStyle)]).then(
    ([{ default: component }]) => {
      loaded.value = { ...loaded.value, [wanted.name]: component };
      if (failure.value?.code === "not_loaded") failure.value = undefined;
    },
    () => {
      failure.value = { code: "not_loaded", message: "", action: { label: "Try again", run: () => tries.value++ } };
    },
  );
});

export function Shell() {
  const Shown = loaded.value[view.value];
  return (
    <>
      <Header />
      <Alert />
      {warning.value && <StorageWarning />}
      {choice.value && <Choice />}
      <Progress />
      <main id="main" class={failure.value && !failure.value.isReplaced ? "stale" : ""}>
        {Shown && (opened.value || (estimate.value && view.value === "conversation")) ? (
          <Shown />
        ) : (
          !failure.value && <p class="waiting">Opening …</p>
        )}
      </main>
      <p role="status" id="status" class="status">
        {status}
      </p>
      {isDraggedOver.value && <div id="drop">Drop it: it is read in this tab and sent nowhere</div>}
      {isHelpWanted.value && <Help isOpen={isHelpOpen} reference={REFERENCE} />}
    </>
  );
}

function Header() {
  return (
    <header>
      <h1>Espalier</h1>
      <Opener />
      <nav aria-label="Views">
        {VIEWS.map((one) => (
          <button
            type="button"
            key={one.name}
            id={`view-${one.name}`}
            aria-current={view.value === one.name ? "page" : undefined}
            onClick={() => chooseView(one)}
          >
            {one.title}
          </button>
        ))}
        <More />
      </nav>
      <div id="tools" />
      <ThemeSwitch />
      <button type="button" id="help" aria-label="Keys and help" title="Keys and help (?)" onClick={openHelp}>
        ?
      </button>
    </header>
  );
}

const openHelp = () => (isHelpOpen.value = true);

function More() {
  return (
    <details class="more">
      <summary>More</summary>
      <ul>
        <li>
          <a href={REFERENCE}>Docs and reference</a>
        </li>
        <li class="version">Version {VERSION}</li>
      </ul>
    </details>
  );
}

function Opener() {
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const from = opened.value?.from;
  const example = from && "example" in from ? from.example : "";
  const change = (value: string) => {
    if (value === "pick") file.current?.click();
    else if (value === "folder" && "showDirectoryPicker" in globalThis) void openGiven();
    else if (value === "folder") folder.current?.click();
    else if (value) void openExample(value);
  };
  return (
    <div class="opener">
      <select
        id="example"
        aria-label="Opened"
        value={example}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          // It keeps naming what is open until something else is.
          currentTarget.value = example;
          change(value);
        }}
      >
        {!example && <option value="">{opened.value?.name ?? "…"}</option>}
        {GROUPS.map((label) => (
          <optgroup key={label} label={label}>
            {EXAMPLES.filter(({ group }) => group === label).map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
        <optgroup label="Mine">
          <option value="pick">A file of mine …</option>
          <option value="folder">A folder of mine …</option>
        </optgroup>
      </select>
      <input
        type="file"
        id="folder"
        ref={folder}
        hidden
        multiple
        {...{ webkitdirectory: true }}
        aria-label="A folder of mine"
        onChange={({ currentTarget }) => {
          void openGiven([...(currentTarget.files ?? [])]);
        }}
      />
      <label class="button file">
        Open
        <input
          type="file"
          id="file"
          ref={file}
          // The same file can be chosen again, after its agent wrote more of it.
          onClick={({ currentTarget }) => (currentTarget.value = "")}
          onChange={({ currentTarget }) => currentTarget.files?.[0] && void openFile(currentTarget.files[0])}
        />
      </label>
    </div>
  );
}

function Alert() {
  const failed = failure.value;
  if (!failed) return null;
  const { code, largest, isReplaced } = failed;
  const isLost = isUnreachable(code);
  // The address and the storage have what was open.
  const action = failed.action ?? (isLost && { label: "Load the page again", run: () => location.reload() });
  return (
    <div role="alert" id="alert">
      <p>
        {isLost
          ? "A part of this page could not be loaded: the network or the server does not answer."
          : failed.message}{" "}
        <small>[{code}]</small>
      </p>
      {largest && largest.length > 0 && (
        <ul>
          {largest.map(({ id, tokens, why }) => (
            <li key={id}>
              {id}: {tokens.toLocaleString("en")} tokens ({why})
            </li>
          ))}
        </ul>
      )}
      {shown.value && !isLost && (
        <p>
          Below is {isReplaced ? "instead" : "still"} {shown.value}.
        </p>
      )}
      <div class="actions">
        {action && (
          <button type="button" id="mend" onClick={action.run}>
            {action.label}
          </button>
        )}
        <button type="button" id="dismiss" onClick={() => (failure.value = undefined)}>
          Close
        </button>
      </div>
    </div>
  );
}

function Progress() {
  if (!progress.value) return <div id="progress" hidden />;
  const { label, share, cancel } = progress.value;
  return (
    <div id="progress" class="notice">
      <label>
        {label} <progress value={share} max={1} />
      </label>
      {cancel && (
        <button type="button" id="cancel" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

function ThemeSwitch() {
  return (
    <button
      type="button"
      id="theme"
      aria-label={`Colours: ${theme.value}`}
      title={`Colours: ${theme.value}`}
      onClick={() => (theme.value = NEXT[theme.value])}
    >
      {{ system: "◐", light: "☀", dark: "☾" }[theme.value]}
    </button>
  );
}
