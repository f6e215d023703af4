/** What the view of search holds: the question, the settings, the newest hits, the state of the index. */

import { batch, computed, effect, signal } from "@preact/signals";
import { newestOf } from "../app/ask.ts";
import { startWith } from "../app/editing.ts";
import { readProfile } from "../app/knobs.tsx";
import type { Profile } from "../app/knobs.tsx";
import { budget, encoding, failure, opened, params, say, setParam, shown } from "../app/state.ts";
import type { Opened } from "../app/state.ts";
import { count } from "../conversation/words.ts";
import { asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { Found, Progress, Questions, Wanted } from "./protocol.ts";

/** Names in the address. */
export const QUERY = "search.q";
export const PROFILE = "search.ranking";
export const COMPARE = "search.compare";
export const DEFINITIONS = "search.definitions";
export const WHOLE = "search.whole";

/** Suggested questions about our own sources. The first one is asked when they open. */
export const SUGGESTED = [
  "how are tool results shortened",
  "which files does .gitignore exclude",
  "retry after a rate limit",
  "encrypt, sign or hash the snapshot",
];
/** Tokens that hits may take at first. */
const FIRST_BUDGET = 4_000;
/** Milliseconds between searches while files are indexed. */
const REFRESH = 1_000;
/** A longer question stays out of the address. */
const MAX_SHARED = 2_000;

const ask = asking<Questions, Progress>("./search-worker.js", hear);

/** A question that is too long for the address. */
const long = signal<string | undefined>(undefined);
export const query = computed(() => long.value ?? params.value[QUERY] ?? (isOurs() ? SUGGESTED[0]! : ""));
export const profile = computed(() => readProfile(params.value[PROFILE]));
export const isCompared = computed(() => params.value[COMPARE] === "1");
export const hasDefinitions = computed(() => params.value[DEFINITIONS] === "1");
export const isWhole = computed(() => params.value[WHOLE] === "1");
export const found = signal<Found | undefined>(undefined);
/** The state of each index. */
export const progress = signal<Partial<Record<Profile, Progress>>>({});
/** Names the folder that the worker has open, and how it was opened. */
const ready = signal("");
/** Counts refreshes while files are indexed. */
const refreshed = signal(0);

let refreshedMs = 0;
/** The alert that this view has raised. */
let own: Failed | undefined;

const fail = (error: Failed) => {
  if (error.code !== "stopped") failure.value = own = error;
};

export function isOurs(): boolean {
  const thing = opened.value;
  return thing?.kind === "folder" && thing.folder.kind === "repository";
}

export function setQuery(text: string): void {
  batch(() => {
    const isLong = text.length > MAX_SHARED;
    long.value = isLong ? text : undefined;
    setParam(QUERY, isLong ? undefined : text);
  });
}

function hear(news: Progress): void {
  progress.value = { ...progress.value, [news.profile]: news };
  const now = performance.now();
  if (news.working && now - refreshedMs < REFRESH) return;
  refreshedMs = now;
  refreshed.value++;
}

/** Follows what is open, the question and the settings. Returns what ends it. */
export function followSearch(): () => void {
  const ends = [
    effect(() => {
      const thing = opened.value;
      if (thing?.kind !== "folder") return;
      const key = `${thing.id} ${encoding.value} ${hasDefinitions.value}`;
      if (key !== ready.peek()) void open(thing, key);
    }),
    effect(() => {
      const wanted = {
        query: query.value,
        budget: budget.value,
        profile: profile.value,
        isCompared: isCompared.value,
        isWhole: isWhole.value,
      };
      void refreshed.value;
      if (ready.value) search(wanted);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** What is being opened. */
let opening = "";

async function open(thing: Opened & { kind: "folder" }, key: string): Promise<void> {
  if (opening === key) return;
  opening = key;
  const name = thing.folder.kind === "repository" ? "repository" : `folder ${thing.name}`;
  batch(() => {
    startWith(thing, FIRST_BUDGET);
    progress.value = {};
    found.value = undefined;
    ready.value = "";
  });
  try {
    await ask("open", {
      name,
      folder: thing.folder,
      encoding: encoding.peek(),
      definitions: hasDefinitions.peek(),
      profile: profile.peek(),
    });
    if (opening === key) ready.value = key;
  } catch (error) {
    if (opening === key) fail(error as Failed);
  }
}

const askSearch = newestOf((wanted: Wanted) => ask("search", wanted));

function search(wanted: Wanted): void {
  const of = ready.peek();
  void askSearch(
    wanted,
    (answer, isNewest) => {
      if (of !== ready.peek()) return;
      batch(() => {
        found.value = answer;
        if (failure.value === own) failure.value = undefined;
      });
      const hits = answer.answer?.hits ?? [];
      shown.value = `the hits of “${answer.wanted.query.slice(0, 60)}”`;
      if (isNewest && answer.answer) say(`${count(hits.length, "hit")}, ${count(answer.answer.tokens, "token")}.`);
    },
    fail,
  );
}

export async function readAgain(): Promise<void> {
  await ask("again", {}).catch(fail);
}

export async function forget(): Promise<void> {
  try {
    const number = await ask("forget", {});
    say(number === 1 ? "One stored index is deleted." : `${number} stored indexes are deleted.`, true);
  } catch (error) {
    fail(error as Failed);
  }
}
