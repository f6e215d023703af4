/** @jsxImportSource preact */
/** A text or a conversation, token by token: how many there are, where the budget ends, and what each is. */

import { useEffect } from "preact/hooks";
import { Details } from "../app/details.tsx";
import { Fit } from "../app/fit.tsx";
import { EncodingChoice, Switch } from "../app/knobs.tsx";
import { showPart } from "../app/opening.ts";
import { budget, keys, opened, setParam } from "../app/state.ts";
import { milliseconds } from "../app/time.ts";
import { count, number } from "../conversation/words.ts";
import { TokenList, glyphs } from "./list.tsx";
import type { Counted } from "./protocol.ts";
import * as store from "./store.ts";

const KEYS = [
  ["← → ↑ ↓", "in the tokens: chooses one; Page, Home and End go further, with Ctrl to the beginning or end"],
] as const;

export default function TokensView() {
  useEffect(store.followTokens, []);
  useEffect(() => {
    keys.value = KEYS;
    return () => (keys.value = []);
  }, []);
  const counted = store.counted.value;
  return (
    <div class="view" id="tokens-view" data-tokens={counted?.tokens} data-encoding={counted?.encoding}>
      <div class="view-top">
        <div class="lead">
          <h2 id="headline">{counted ? headline(counted) : "…"}</h2>
          <p id="outcome">{counted && outcome()}</p>
        </div>
        <Fit max={counted?.request?.total ?? counted?.tokens ?? budget.value} inWords={outcome()} />
        <div class="knobs">
          <EncodingChoice onChange={countAgain} />
          <Switch id="ids" name={store.IDS} isOn={store.hasIds.value}>
            ids
          </Switch>
          <Switch id="spaces" name={store.SPACES} isOn={store.hasSpaces.value}>
            white space
          </Switch>
          {counted?.request && <OfRequest />}
        </div>
      </div>
      <TokenList />
      <Chosen />
      {!counted?.request && (
        <div class="below">
          <Details
            id="edit"
            title="Edit the text"
            isOpen={store.isEditing.value}
            onToggle={(isOpen) => (store.isEditing.value = isOpen)}
          >
            <Editing />
          </Details>
        </div>
      )}
    </div>
  );
}

/** Counts the open conversation once more, after another encoding was chosen. */
function countAgain(): void {
  const thing = opened.value;
  if (thing?.kind === "conversation") void showPart(thing.conversation.part);
}

/** What of a conversation is shown. */
function OfRequest() {
  return (
    <>
      <Switch id="sent-only" name={store.SENT} isOn={store.isSentOnly.value}>
        only what is sent
      </Switch>
      <label>
        Go to message{" "}
        <input
          type="number"
          id="message"
          min={1}
          inputMode="numeric"
          value={store.message.value}
          onChange={({ currentTarget: { value } }) => setParam(store.MESSAGE, value || undefined)}
        />
      </label>
    </>
  );
}

function headline({ tokens, request }: Counted): string {
  if (!request) return `${count(tokens, "token")}.`;
  return `${count(request.total, "token")}, ${number(request.sent)} of them sent.`;
}

function outcome(): string {
  const { counted } = store;
  if (!counted.value) return "";
  const { tokens, characters, ms, request } = counted.value;
  if (request) {
    const { sent, drawn } = request;
    return `${number(drawn)} of those sent are the texts below; the other ${number(sent - drawn)} frame messages, calls, results and tools. Counted in ${milliseconds(ms)}.`;
  }
  const each = tokens > 0 ? `, ${(characters / tokens).toFixed(1)} for each token` : "";
  const fit =
    budget.value >= tokens
      ? "All of it fits."
      : `The first ${number(budget.value)} fit: ${share(budget.value / tokens)}.`;
  return `${fit} ${count(characters, "character")}${each}; counted in ${milliseconds(ms)}.`;
}

const share = (part: number) => `${Math.round(100 * part)} %`;

/** The chosen token in words. It has its place whether or not one is chosen, so that nothing moves. */
function Chosen() {
  const detail = store.detail.value;
  if (!detail) return <p id="chosen" class="note" />;
  const { index, id, text, start, end, line, partOf, under } = detail;
  const what = partOf === undefined ? `“${glyphs(text, true)}”` : `a part of “${partOf}”`;
  const characters =
    end > start + 1 ? `characters ${number(start)} to ${number(end - 1)}` : `character ${number(start)}`;
  const place = under ?? `line ${number(line)}, ${characters}`;
  return (
    <p id="chosen" class="note">
      Token {number(index + 1)}: <b>{what}</b>, id <b>{id}</b>
      {partOf === undefined && `, bytes ${bytesOf(text)}`}; {place}.
    </p>
  );
}

const bytesOf = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");

function Editing() {
  const text = store.text.value;
  if (text === undefined) return <p class="note">Reading the text …</p>;
  if (text.length > store.MAX_EDITED)
    return (
      <p class="note">
        Texts of up to {count(store.MAX_EDITED, "character")} can be edited here. Paste or drop another one anywhere.
      </p>
    );
  return (
    <textarea
      id="text"
      rows={8}
      spellcheck={false}
      aria-label="Text"
      value={text}
      onInput={({ currentTarget }) => store.type(currentTarget.value)}
    />
  );
}
