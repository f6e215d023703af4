/** What the run view shows, as signals, and its connection to its worker. */

import { batch, computed, effect, signal } from "@preact/signals";
import { ask } from "../app/ask.ts";
import { budget, encoding, failure, opened, params, say } from "../app/state.ts";
import type { Failed } from "../talk.ts";
import { asking } from "../talk.ts";
import type { Endpoint } from "./kinds.ts";
import type { Questions } from "./questions.ts";
import { settingsOf, withSetting, withUndo } from "./settings.ts";
import { totalsOf } from "./totals.ts";
import type { Lines, Progress, RunCall, RunCompaction, RunRequest, Said, Settings } from "./types.ts";

/** One side of a run, as far as it has come. */
export interface Side {
  settings: Settings;
  lines?: Lines;
  requests: RunRequest[];
  compactions: RunCompaction[];
  calls: RunCall[];
  of: number;
}

export const settings = computed(() => settingsOf(params.value, budget.value, encoding.value));
/** The run that is shown. Its lists grow in place; `version` tells. */
export const sides = signal<readonly Side[]>([]);
export const version = signal(0);
export const isRunning = signal(false);
/** When the run began, in milliseconds of the page. */
export const beganAt = signal(0);
/** Why the run ended early. */
export const ended = signal<{ isStopped: boolean; said: Said } | undefined>(undefined);
/** What a model is writing now. */
export const writing = signal<{ side: number; call: number; text: string; since: number } | undefined>(undefined);
/** The number of the request that is looked at. */
export const chosen = signal<number | undefined>(undefined);
/** The model of the reader. Its key is only here, unless the reader wants it kept. */
export const endpoint = signal<Endpoint | undefined>(undefined);

export const askRun = asking<Questions, Progress>("./run-worker.js", hear);

/** Milliseconds without a change of the settings before a run starts. */
const REST = 250;

let run = 0;
/** The conversation that the worker has. */
let loaded: number | undefined;
/** The run that was started last, to be recognised when the view is shown again. */
let startedWith = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function hear(news: Progress): void {
  if (news.run !== run) return;
  const side = sides.value[news.side];
  if (!side) return;
  side.requests.push(...news.requests);
  side.of = news.of;
  if (news.lines) side.lines = news.lines;
  for (const made of news.compactions) side.compactions[made.number - 1] = made;
  for (const call of news.calls) side.calls[call.number - 1] = call;
  batch(() => {
    if (news.writing) {
      const { call } = news.writing;
      const before = writing.value;
      const isSame = before?.call === call && before.side === news.side;
      writing.value = { side: news.side, ...news.writing, since: isSame ? before.since : performance.now() };
    } else if (news.requests.length > 0 || news.isDone) writing.value = undefined;
    const isLast = news.side === sides.value.length - 1;
    if (news.isDone && isLast) {
      isRunning.value = false;
      ended.value = news.failed;
      say(news.failed ? news.failed.said.what : sentence(sides.value));
    }
    version.value += 1;
  });
}

function sentence(all: readonly Side[]): string {
  const each = all.map((side, at) => {
    const { requests, summaries, waits, sent, cached } = totalsOf(side);
    const name = all.length > 1 ? `${"AB"[at]}: ` : "";
    const share = sent > 0 ? Math.round((100 * cached) / sent) : 0;
    const counts = `${requests.toLocaleString("en")} requests, ${summaries} compactions, ${waits} waits`;
    return `${name}${counts}, ${share} % from the cache`;
  });
  return `The run is complete. ${each.join("; ")}.`;
}

async function begin(): Promise<void> {
  const thing = opened.peek();
  if (thing?.kind !== "conversation") return;
  const wanted = settings.peek();
  const number = ++run;
  batch(() => {
    sides.value = wanted.map((own) => ({ settings: own, requests: [], compactions: [], calls: [], of: 0 }));
    ended.value = writing.value = undefined;
    beganAt.value = performance.now();
    isRunning.value = true;
    version.value += 1;
  });
  try {
    if (loaded !== thing.id) {
      const { port1, port2 } = new MessageChannel();
      const loading = askRun("load", { port: port2 }, [port2]);
      await ask("handOver", { port: port1 }, [port1]);
      await loading;
      loaded = thing.id;
    }
    if (number !== run) return;
    const usesEndpoint = wanted.some(({ writer }) => writer === "endpoint");
    const model = endpoint.peek();
    const asked = { run: number, sides: wanted, ...(usesEndpoint && model && { endpoint: model }) };
    const { said } = await askRun("start", asked);
    if (!said || number !== run) return;
    batch(() => {
      isRunning.value = false;
      ended.value = { isStopped: false, said };
    });
  } catch (error) {
    // The worker may have died, and a new one has nothing.
    loaded = undefined;
    if (number !== run) return;
    batch(() => {
      isRunning.value = false;
      ended.value = { isStopped: false, said: { what: "The run could not begin." } };
      failure.value = error as Failed;
    });
  }
}

export function stop(): void {
  if (timer !== undefined) {
    // It has not begun.
    clearTimeout(timer);
    timer = undefined;
    isRunning.value = false;
  }
  void askRun("stop", {});
}

/** Starts the run again, with the same settings. */
export function again(): void {
  startedWith = "";
  follow();
}

/** True if a side wants a model of the reader, and there is none yet. */
export const needsEndpoint = computed(
  () => settings.value.some(({ writer }) => writer === "endpoint") && endpoint.value === undefined,
);

/** True if the shown run goes on in the worker. */
const isUnfinished = () => !ended.peek() && sides.peek().some(({ requests, of }) => requests.length < of);

function follow(): void {
  const key = JSON.stringify([opened.value?.id, settings.value, endpoint.value]);
  const waits = needsEndpoint.value;
  clearTimeout(timer);
  if (timer !== undefined) isRunning.value = isUnfinished();
  timer = undefined;
  if (key === startedWith || waits) return;
  const delay = startedWith === "" ? 0 : REST;
  isRunning.value = true;
  timer = setTimeout(() => {
    timer = undefined;
    startedWith = key;
    void begin();
  }, delay);
}

/** Follows the opened thing and the settings while the view is shown. Returns the function that ends this. */
export function followSettings(): () => void {
  const end = effect(follow);
  return () => {
    end();
    clearTimeout(timer);
    if (!isRunning.peek()) return;
    stop();
    // It begins anew when the view is shown again.
    startedWith = "";
  };
}

/** Undoes the newest compaction before a request, or no longer. */
export function toggleUndo(side: number, at: number): void {
  params.value = withUndo(params.value, side, settings.peek()[side]?.undo ?? [], at);
}

/** Changes a setting of a side. */
export function change(side: number, field: keyof Settings, value: string): void {
  if (side === 0 && field === "budget") budget.value = Math.max(1, Math.round(Number(value)));
  else params.value = withSetting(params.value, side, field, value);
}
