/**
 * Sends requests to providers: one at a time; of later ones only the newest waits. Items are kept for the document's
 * next request, so that a completion has them at once.
 */

import { badInput } from "../errors/errors.ts";
import { call } from "../engine/engine.ts";
import type { Clock } from "../providers/types.ts";
import type { Held } from "./held.ts";
import type { InlineItem, InlineProvider, InlineProviderReport, InlineProviderRequest } from "./types.ts";
import { checkItem } from "./wire.ts";

/** A request to the providers. */
export interface Ask {
  path: string;
  version: number;
  cursor: number;
}

interface Started extends Ask {
  number: number;
}

/** The items of one provider so far. */
interface Sent {
  items: InlineItem[];
  isDone: boolean;
  error?: unknown;
}

interface Run {
  started: Started;
  generation: number;
  providers: readonly InlineProvider[];
  sent: Map<string, Sent>;
  controller: AbortController;
  /** Resolves when all have answered or their time is over. */
  done: Promise<void>;
}

/** Max items that are kept of one provider for one document. */
const MAX_ITEMS = 1_000;

const MOMENTS = { start: 0, raced: 1, timedOut: 2 } as const;

export type Moment = keyof typeof MOMENTS;

export class Asking {
  /** The session's current place in the editor: a waiting request starts only for this place. */
  current: Ask | undefined;
  readonly #held: Held;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #runMs: number;
  readonly #maxDocuments: number;
  readonly #requestFor: (ask: Ask) => Omit<InlineProviderRequest, "signal"> | undefined;
  /** Items by document and provider; documents in the order of their last use. */
  readonly #cache = new Map<string, { ask: Ask; sent: Map<string, Sent> }>();
  #run: Run | undefined;
  #waiting: readonly InlineProvider[] = [];
  #timer: (() => void) | undefined;
  #isFreed = false;

  constructor(
    held: Held,
    clock: Pick<Clock, "now" | "after">,
    runMs: number,
    maxDocuments: number,
    requestFor: (ask: Ask) => Omit<InlineProviderRequest, "signal"> | undefined,
  ) {
    this.#held = held;
    this.#clock = clock;
    this.#runMs = runMs;
    this.#maxDocuments = maxDocuments;
    this.#requestFor = requestFor;
  }

  get isAsking(): boolean {
    return this.#run !== undefined;
  }

  get cachedDocuments(): number {
    return this.#cache.size;
  }

  /** Asks providers, or lets the request wait. Returns the running request if it is for the same document. */
  ask(ask: Ask, providers: readonly InlineProvider[]): Promise<void> | undefined {
    this.current = ask;
    if (providers.length === 0) return undefined;
    const handle = this.#held.handle();
    const started = call(() => handle.scheduleRequest(ask.path, ask.version, ask.cursor));
    if (started !== undefined) this.#start(JSON.parse(started) as Started, providers);
    else this.#waiting = providers;
    return this.#run?.started.path === ask.path ? this.#run.done : undefined;
  }

  /**
   * Returns the milliseconds that a completion waits for the running request: all of the time for a request of its own
   * place.
   */
  waitMs(ask: Ask, ownMs: number, budgetMs: number): number {
    const run = this.#run;
    if (!run || run.started.path !== ask.path) return 0;
    if (isSame(run.started, ask)) return Math.min(ownMs, budgetMs);
    const handle = this.#held.handle();
    return call(() => handle.scheduleWait(ask.path, budgetMs));
  }

  /** Records a cursor move, which may warm the cache. */
  move(ask: Ask, by: number, flags: number, now: number, providers: readonly InlineProvider[]): void {
    this.current = ask;
    if (providers.length === 0) return;
    const handle = this.#held.handle();
    const started = call(() => handle.scheduleMove(ask.path, ask.version, ask.cursor, by, flags, now));
    this.#waiting = providers;
    if (started !== undefined) this.#start(JSON.parse(started) as Started, providers);
    this.#tickLater(providers);
  }

  /** Records a change of a document. */
  change(path: string, version: number, now: number): void {
    const handle = this.#held.handle();
    call(() => handle.scheduleChange(path, now));
    if (this.current?.path === path) this.current = { ...this.current, version };
  }

  #tickLater(providers: readonly InlineProvider[]): void {
    this.#timer?.();
    this.#timer = undefined;
    const handle = this.#held.handle();
    const next = call(() => handle.scheduleNext());
    if (next === undefined) return;
    this.#timer = this.#clock.after(Math.max(0, next - this.#clock.now()), () => {
      this.#timer = undefined;
      if (this.#isFreed) return;
      const live = this.#held.handle();
      const started = call(() => live.scheduleTick(this.#clock.now()));
      if (started !== undefined) this.#start(JSON.parse(started) as Started, providers);
    });
  }

  #start(started: Started, providers: readonly InlineProvider[]): void {
    const controller = new AbortController();
    const sent = new Map(providers.map(({ name }) => [name, { items: [], isDone: false } as Sent]));
    const run: Run = {
      started,
      generation: this.#held.generation,
      providers,
      sent,
      controller,
      done: Promise.resolve(),
    };
    this.#run = run;
    const request = this.#requestFor(started);
    const answers = providers.map((provider) => {
      const answer = sent.get(provider.name)!;
      const work = request ? collect(provider, { ...request, signal: controller.signal }, answer) : Promise.resolve();
      return work.catch((error: unknown) => void (answer.error = error)).then(() => void (answer.isDone = true));
    });
    run.done = new Promise<void>((resolve) => {
      const stop = this.#clock.after(this.#runMs, resolve);
      void Promise.all(answers).then(() => (stop(), resolve()));
    }).then(() => this.#finish(run));
  }

  #finish(run: Run): void {
    run.controller.abort();
    if (this.#run !== run) return;
    this.#run = undefined;
    if (this.#isFreed) return;
    this.#keep(run);
    // Its handle is gone, and any waiting request with it.
    if (run.generation !== this.#held.generation) return;
    const { path, version, cursor } = this.current ?? run.started;
    const handle = this.#held.handle();
    const next = call(() => handle.scheduleFinish(run.started.number, path, version, cursor));
    if (next !== undefined) this.#start(JSON.parse(next) as Started, this.#waiting);
  }

  #keep(run: Run): void {
    const { started, sent } = run;
    const old = this.#cache.get(started.path)?.sent;
    const kept = new Map(old);
    // Items that a provider sent in time are newer than those of an earlier request.
    for (const [name, one] of sent) {
      kept.set(name, isWhole(one) ? one : { ...one, items: merged(one.items, old?.get(name)?.items) });
    }
    this.#cache.delete(started.path);
    this.#cache.set(started.path, { ask: started, sent: kept });
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#maxDocuments) break;
      this.#cache.delete(oldest);
    }
  }

  /** Returns the available items of a document at a moment, and the state of each provider. */
  items(
    ask: Ask,
    providers: readonly InlineProvider[],
    moment: Moment,
  ): [items: InlineItem[], report: InlineProviderReport[]] {
    const run = this.#run?.started.path === ask.path ? this.#run : undefined;
    const cached = this.#cache.get(ask.path);
    const isOwn = isSame(run?.started ?? cached?.ask, ask);
    const handle = providers.length > 0 ? this.#held.handle() : undefined;
    const isHeldBack =
      handle !== undefined && moment === "start" && !call(() => handle.handsOut(ask.path, true, MOMENTS.start));
    const items: InlineItem[] = [];
    const report = providers.map(({ name }): InlineProviderReport => {
      const [live, kept] = [run?.sent.get(name), cached?.sent.get(name)];
      const old = (live && isWhole(live) ? undefined : kept?.items) ?? [];
      const all = merged(
        live?.items ?? [],
        old.filter((item) => !isHeldBack || item.isForTimeout !== true),
      );
      items.push(...all);
      const answer = isOwn ? (live ?? kept) : undefined;
      const status = !answer?.isDone ? "late" : "error" in answer ? "failed" : "answered";
      const isCached = isOwn && !run ? false : all.length > (isOwn ? (live?.items.length ?? 0) : 0);
      return { name, status, items: all.length, isCached, ...(status === "failed" && { error: answer!.error }) };
    });
    return [items, report];
  }

  forget(path: string): void {
    this.#cache.delete(path);
  }

  free(): void {
    this.#isFreed = true;
    this.#timer?.();
    this.#run?.controller.abort();
    this.#run = undefined;
    this.#cache.clear();
  }
}

function isWhole(sent: Sent): boolean {
  return sent.isDone && !("error" in sent);
}

function isSame(a: Ask | undefined, b: Ask): boolean {
  return a !== undefined && a.path === b.path && a.version === b.version && a.cursor === b.cursor;
}

/** Reads a provider's items as they arrive. */
async function collect(provider: InlineProvider, request: InlineProviderRequest, answer: Sent): Promise<void> {
  // Waits until the request is recorded, whatever the provider does.
  await undefined;
  const given = provider.provide(request);
  const add = (item: unknown) => {
    const path = `providers[${JSON.stringify(provider.name)}].items[${answer.items.length}]`;
    checkItem(item, path);
    if (answer.items.length < MAX_ITEMS && !request.signal.aborted) answer.items.push(item);
  };
  if (typeof given === "object" && given !== null && Symbol.asyncIterator in given) {
    for await (const item of given) {
      if (request.signal.aborted) return;
      add(item);
    }
    return;
  }
  const all: unknown = await given;
  if (all === undefined || all === null) return;
  if (!Array.isArray(all))
    throw badInput(`providers[${JSON.stringify(provider.name)}]`, "a provider of lists of items", all);
  all.forEach(add);
}

/** Returns fresh items, then old ones with other ids. */
function merged(fresh: readonly InlineItem[], old: readonly InlineItem[] | undefined): InlineItem[] {
  if (!old || old.length === 0) return [...fresh];
  const ids = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...old.filter(({ id }) => !ids.has(id))].slice(0, MAX_ITEMS);
}
