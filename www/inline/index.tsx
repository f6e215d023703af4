/** @jsxImportSource preact */
/** The prompt of a completion at the cursor: the text around it, similar open files, recent edits. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Fit } from "../app/fit.tsx";
import { EncodingChoice, ProfileChoice } from "../app/knobs.tsx";
import { Meter } from "../app/meter.tsx";
import { budget, opened, setParam } from "../app/state.ts";
import { milliseconds } from "../app/time.ts";
import { CodeField } from "../code/field.tsx";
import type { FieldHandle } from "../code/field.tsx";
import { Lines } from "../code/lines.ts";
import { count, number } from "../conversation/words.ts";
import { Details } from "../app/details.tsx";
import { KeptNote } from "../folder/keep.tsx";
import { missingFrom, partsOf } from "./outcomes.ts";
import { Candidates, Parts } from "./parts.tsx";
import * as store from "./store.ts";

/** Max files of a folder that can be chosen from the list. */
const MAX_CHOICES = 2_000;

export default function InlineView() {
  useEffect(store.followInline, []);
  const field = useRef<FieldHandle>(null);
  const [areItemsOpen, setItemsOpen] = useState(true);
  /** A field without the focus shows no caret. */
  const [isPointed, setPointed] = useState(true);
  const file = store.current.value;
  const answer = store.answer.value;
  useEffect(() => {
    if (!file) return;
    field.current?.select([file.cursor, file.cursor]);
    setPointed(true);
  }, [file?.path]);
  if (!file) return <p class="waiting">Reading {opened.value?.name} …</p>;
  const items = answer?.items ?? [];
  const sent = items.filter(({ dropped }) => !dropped).length;
  const isOfText = answer?.path === file.path;
  return (
    <div
      class="view"
      id="inline-view"
      data-file={answer?.path}
      data-cursor={answer?.cursor}
      data-budget={answer?.tokens.budget}
    >
      <div class="view-top">
        <Headline />
        <Fit max={16_384} step={4} inWords={`A budget of ${count(budget.value, "token")}. ${sentInWords()}`} />
      </div>
      <Knobs />
      <KeptNote />
      <Tabs focus={() => field.current!.focus()} />
      <div class="code-panes">
        <section class="code-pane" aria-labelledby="source-title">
          <div class="pane-head">
            <h3 id="source-title">{file.path}</h3>
            <span class="note" id="cursor">
              cursor in line {number(new Lines(file.text).lineAt(file.cursor) + 1)}
            </span>
          </div>
          <CodeField
            handle={field}
            text={file.text}
            shaded={answer && isOfText ? missingFrom(file.text, answer) : []}
            pointed={isPointed ? [file.cursor, file.cursor] : undefined}
            onText={(text) => {
              setPointed(false);
              store.type(text, field.current!.selection[0]);
            }}
            onSelect={([at]) => {
              setPointed(false);
              store.moveTo(at);
            }}
          />
          <p class="note">
            <span class="key out" /> not in the prompt. Your changes become a recent edit after half a second.
          </p>
        </section>
        <section class="code-pane" aria-labelledby="prompt-title">
          <div class="pane-head">
            <h3 id="prompt-title">Prompt</h3>
            <button
              type="button"
              id="copy"
              onClick={() => void navigator.clipboard.writeText(answer ? `${answer.context}${answer.prefix}` : "")}
            >
              Copy
            </button>
          </div>
          <Parts parts={answer ? partsOf(answer) : []} />
          <p class="note">In the order of sending. Choose a part to read it.</p>
        </section>
      </div>
      <div class="below">
        <Details
          id="items"
          title={`Candidates (${number(sent)} of ${number(items.length)} are sent)`}
          isOpen={areItemsOpen}
          onToggle={setItemsOpen}
        >
          <Candidates items={items} />
        </Details>
      </div>
    </div>
  );
}

function sentInWords(): string {
  const answer = store.answer.value;
  if (!answer) return "";
  const { budget: limit, free } = answer.tokens;
  return `${number(limit - free)} of ${count(limit, "token")} are sent.`;
}

function Headline() {
  const answer = store.answer.value;
  const {
    context = 0,
    prefix = 0,
    restOfLine = 0,
    suffix = 0,
    free = 0,
    shared = 0,
    budget: limit = 0,
  } = answer?.tokens ?? {};
  const again = answer?.isSuffixReused ? ", and the suffix is that of the previous request" : "";
  return (
    <>
      <div class="lead">
        <h2 id="headline">{sentInWords() || "…"}</h2>
        <p id="outcome">
          {answer &&
            `Made in ${milliseconds(answer.ms)}. ${answer.isTooShort ? "The document is too short for a completion." : `${count(free, "token")} are free.`}`}
        </p>
        <p id="structure" class="note">
          {shared > 0 &&
            `${number(shared)} tokens at the beginning equal the previous request's${again}: a provider's cache has them.`}
        </p>
      </div>
      <Meter
        limit={limit}
        segments={[
          { name: "context", tokens: context },
          { name: "prefix", tokens: prefix },
          { name: "rest-of-line", tokens: restOfLine },
          { name: "suffix", tokens: suffix },
        ]}
      />
    </>
  );
}

function Knobs() {
  const groups = new Map<string, string[]>();
  for (const path of store.paths.value.slice(0, MAX_CHOICES)) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    groups.set(folder, [...(groups.get(folder) ?? []), path]);
  }
  return (
    <div class="view-knobs knobs">
      <label>
        Open a file{" "}
        <select
          id="open-file"
          value={store.current.value?.path}
          onChange={({ currentTarget }) => void store.openFile(currentTarget.value)}
        >
          {[...groups].map(([folder, all]) => (
            <optgroup key={folder} label={folder || "files"}>
              {all.map((path) => (
                <option key={path} value={path}>
                  {folder ? path.slice(folder.length + 1) : path}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <ProfileChoice
        name={store.PROFILE}
        value={store.profile.value}
        hints={{ espalier: "Exact tokens.", "copilot-chat": "As Copilot Chat 0.37.9." }}
      />
      <label>
        Suffix share{" "}
        <input
          type="number"
          id="suffix-share"
          min={0}
          max={90}
          step={5}
          inputMode="numeric"
          value={store.suffix.value}
          onChange={({ currentTarget: { value } }) =>
            setParam(store.SUFFIX, value === String(store.DEFAULT_SUFFIX) ? undefined : value)
          }
        />{" "}
        %
      </label>
      <label>
        Recent edits as{" "}
        <select
          id="edit-form"
          value={store.editForm.value}
          onChange={({ currentTarget: { value } }) => setParam(store.EDITS, value === "unified" ? undefined : value)}
        >
          {store.EDIT_FORMS.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <EncodingChoice />
    </div>
  );
}

/** The open files, newest first. */
function Tabs({ focus }: { focus(): void }) {
  const files = store.files.value.toReversed();
  return (
    <ol id="tabs" aria-label="Open files, newest first">
      {files.map(({ path }, at) => (
        <li key={path} aria-current={at === 0 ? "true" : undefined}>
          <button
            type="button"
            onClick={() =>
              void store.openFile(path).then(() => {
                focus();
              })
            }
          >
            {path}
          </button>
          {files.length > 1 && (
            <button type="button" aria-label={`close ${path}`} onClick={() => store.closeFile(path)}>
              ×
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
