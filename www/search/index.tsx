/** @jsxImportSource preact */
/** A question about a folder, and the hits for a prompt within the budget. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { Fit } from "../app/fit.tsx";
import { ProfileChoice, Switch } from "../app/knobs.tsx";
import { budget, keys, opened } from "../app/state.ts";
import { count, number } from "../conversation/words.ts";
import { KeptNote } from "../folder/keep.tsx";
import { Hits } from "./hits.tsx";
import { LeftOut, Skipped, Warnings } from "./left-out.tsx";
import { other } from "./protocol.ts";
import type { Found } from "./protocol.ts";
import * as store from "./store.ts";
import { PHASES, RANKINGS, isAmong, outcomeOf, rankIn, stateOf, termsOf, triedOf } from "./words.ts";

const KEYS = [
  ["/", "goes to the question"],
  ["↓ in the question", "goes to the hits; arrows move among them, Enter shows all lines"],
] as const;

/** The right end of the slider, in tokens. */
const MAX_BUDGET = 32_000;

export default function SearchView() {
  useEffect(store.followSearch, []);
  const query = useRef<HTMLInputElement>(null);
  const focusFirst = useRef<() => void>(() => undefined);
  useEffect(() => {
    keys.value = KEYS;
    const hear = (event: KeyboardEvent) => {
      if (event.key !== "/" || (event.target as HTMLElement).closest("input, textarea, select")) return;
      event.preventDefault();
      query.current?.focus();
    };
    addEventListener("keydown", hear);
    return () => {
      keys.value = [];
      removeEventListener("keydown", hear);
    };
  }, []);
  const found = store.found.value;
  const { wanted, answer, second } = found ?? {};
  const progress = store.progress.value[store.profile.value];
  const terms = useMemo(() => termsOf(answer?.hits ?? []), [answer]);
  return (
    <div
      class="view"
      id="search-view"
      data-query={wanted?.query}
      data-budget={wanted?.budget}
      data-profile={wanted?.profile}
      data-complete={found?.isComplete ?? false}
    >
      <div class="view-top">
        <div class="lead">
          <h2 id="headline">
            {answer ? `${count(answer.hits.length, "hit")}, ${count(answer.tokens, "token")}.` : "…"}
          </h2>
          <p id="outcome">{found && outcomeOf(found)}</p>
        </div>
        <search>
          <input
            type="search"
            id="query"
            ref={query}
            aria-label="Question or words"
            placeholder="A question, or words"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterkeyhint="search"
            value={store.query.value}
            onInput={({ currentTarget }) => store.setQuery(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowDown") return;
              event.preventDefault();
              focusFirst.current();
            }}
          />
        </search>
        <Fit
          max={MAX_BUDGET}
          step={100}
          inWords={`${count(budget.value, "token")} for hits${answer ? `: ${count(answer.hits.length, "hit")}` : ""}`}
        />
      </div>
      <Knobs />
      {store.isOurs() && (
        <p id="suggested" class="knobs">
          <span class="note">Try</span>
          {store.SUGGESTED.map((text) => (
            <button
              key={text}
              type="button"
              onClick={() => {
                store.setQuery(text);
                query.current?.focus();
              }}
            >
              {text}
            </button>
          ))}
        </p>
      )}
      <KeptNote />
      <p id="index-state" class="note">
        {progress?.working && (
          <progress
            id="indexing"
            aria-label={PHASES[progress.working.phase]}
            max={progress.working.total || 1}
            {...(progress.working.total && { value: progress.working.done })}
          />
        )}
        <span id="index-said">{progress ? stateOf(progress) : `Reading ${opened.value?.name} …`}</span>{" "}
        {answer && <span id="tried">{triedOf(answer.tried)}</span>}
      </p>
      <div class={second ? "hit-panes two" : "hit-panes"}>
        <section aria-labelledby="hits-title">
          <h3 id="hits-title">Hits</h3>
          <Hits
            id="hits"
            labelledBy="hits-title"
            hits={answer?.hits ?? []}
            terms={terms}
            query={answer?.query ?? ""}
            note={second && ((hit) => rankIn(hit, second.hits, RANKINGS[other(wanted!.profile)]))}
            leave={() => query.current?.focus()}
            focusFirst={focusFirst}
          />
        </section>
        {second && <Other found={found!} terms={terms} leave={() => query.current?.focus()} />}
      </div>
      <div class="below">
        <LeftOut leftOut={answer?.leftOut ?? []} />
        <Warnings warnings={progress?.state?.warnings ?? []} />
        {progress && !progress.working && <Skipped progress={progress} />}
      </div>
    </div>
  );
}

/** The hits of the other ranking: places, each with its rank in the first column. */
function Other({ found, terms, leave }: { found: Found; terms: readonly string[]; leave(): void }) {
  const { answer, second, wanted } = found;
  const first = answer?.hits ?? [];
  const hits = second?.hits ?? [];
  const own = hits.filter((hit) => !isAmong(hit, first));
  const all = [...terms, ...termsOf(own).filter((term) => !terms.includes(term))];
  const ranking = RANKINGS[wanted.profile];
  return (
    <section id="other-pane" aria-labelledby="other-title">
      <h3 id="other-title">Hits of {RANKINGS[other(wanted.profile)]}</h3>
      <p class="note" id="other-said">
        {number(hits.length - own.length)} of its {count(hits.length, "hit")} are also hits of {ranking}.
      </p>
      <Hits
        id="other"
        labelledBy="other-title"
        hits={hits}
        terms={all}
        query={second?.query ?? ""}
        note={(hit) => rankIn(hit, first, ranking)}
        leave={leave}
        isCompact
      />
    </section>
  );
}

function Knobs() {
  const thing = opened.value;
  return (
    <div class="view-knobs knobs">
      <ProfileChoice
        name={store.PROFILE}
        value={store.profile.value}
        legend="Ranking"
        titles={RANKINGS}
        hints={{ espalier: "The default.", "copilot-chat": "As Copilot Chat 0.37.9." }}
      />
      <Switch id="compare" name={store.COMPARE} isOn={store.isCompared.value} title="Shows the other ranking beside it">
        compare both
      </Switch>
      <Switch
        id="definitions"
        name={store.DEFINITIONS}
        isOn={store.hasDefinitions.value}
        title="Chunks end at definitions, for which grammars are loaded"
      >
        whole definitions
      </Switch>
      <Switch
        id="whole"
        name={store.WHOLE}
        isOn={store.isWhole.value}
        title="Returns a workspace under 100 files and 32,000 tokens as a whole"
      >
        small folders whole
      </Switch>
      {thing?.kind === "folder" && thing.folder.kind === "handle" && (
        <button type="button" id="again" onClick={() => void store.readAgain()}>
          Read the folder again
        </button>
      )}
      <button
        type="button"
        id="forget"
        title="The index (words and places, no text) stays in this browser until it is deleted"
        onClick={() => void store.forget()}
      >
        Delete stored indexes
      </button>
    </div>
  );
}
