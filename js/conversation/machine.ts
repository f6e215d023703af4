/**
 * The engine's half of a conversation: limits, what was learned of providers, the background job, back-off and
 * triggers. The rules are the core's (`src/conversation`); its state stays here as text, so that a fresh instance of
 * the engine goes on where another one ended.
 */

import { limitFor, modelOf } from "../calls/limits.ts";
import { windowOf } from "../calls/recovery.ts";
import type { NextStep, Refusal, SilentOverflow } from "../calls/recovery.ts";
import { call, isCrash, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import type { AdoptOptions, LogView } from "../log/types.ts";
import type { Advanced, ConversationLog } from "../log/log.ts";
import type { Trigger } from "../types/compact.ts";
import type { Edit } from "../types/compact-report.ts";
import type { Totals } from "../types/count.ts";
import type { ModelLimits } from "../types/prune.ts";
import type { ReadProfile } from "./context.ts";
import type { Compacted, ContextUsage, ConversationOptions } from "./types.ts";

export type Phase = "idle" | "running" | "ready" | "parked" | "failed";
/** Whom an automatic compaction may ask. `offline`: rules. `cutOnly`: results are cut, nothing is summarised. */
export type Verdict = "try" | "offline" | "cutOnly" | "notYet" | "blocked";
/** What a request does about the background job. */
export type NextOfJob = { next: "goOn" } | { next: "wait" | "apply" | "dropped"; job: number };

/** What the user chose. */
export interface Settings {
  threshold: number | undefined;
  contextSize: number | undefined;
  /** Tokens that a request of a prompt tree may have; it replaces the limit of a model about which nothing is known. */
  budget?: number | undefined;
  /** All that the model takes rather than its default tier, if that costs no more. */
  preferLong: boolean;
  /** The host counts with the model's own tokenizer: its counts need no calibration. */
  hasTokenizer: boolean;
}

/** What surrounds the view in a request; see the core's `Around`. */
export interface Around {
  apart: number;
  cut: number;
  /** A number in [0, 1) that spreads the start of background compactions. */
  draw: number;
}

/** The next request as the core sees it; see the core's `Look`. */
interface CoreLook {
  usage: ContextUsage;
  /** Tokens of the provider's that the request must not exceed. */
  request: number;
  /** Tokens of ours that are expected to be within `request`. */
  budget: number;
  /** Tokens of ours that are expected to be within the model's window, whatever the user chose. */
  window: number;
  overflows: boolean;
  /** It is full enough for a compaction to start. */
  starts: boolean;
  isWarm: boolean;
  /** Messages of the view, as the profile counts them. */
  counted: number;
  /** Nothing happened since a compaction was applied. */
  isCompacted: boolean;
}

/** The next request as it stands. */
export interface Look<T> extends CoreLook {
  view: LogView<T>;
  /** {@link Machine.position} when it was taken. */
  at: string;
}

/** A request to prepare; see the core's `Request`. */
export interface RequestFields {
  requests: number;
  isAutomatic: boolean;
  mustFit: boolean;
  isDone: boolean;
  asksJob: boolean;
  hasHook: boolean;
}

/** What is to happen before a request is sent. */
export interface RequestStep<T> {
  look: Look<T>;
  job: NextOfJob;
  due?: { trigger: Trigger; verdict: Verdict };
  /** The provider refused the request before. */
  isForced: boolean;
}

/** How an automatic compaction ended; see the core's `Ended`. */
export interface Ended {
  requests: number;
  /** How it was made; `status` is how it ended. */
  made?: Compacted["status"];
  status?: Compacted["status"];
  author?: Edit["author"] | undefined;
  /** A model was asked in vain. */
  hasFailed?: boolean;
  isNeeded?: boolean;
  isBeforeRequest?: boolean;
}

/** A compaction that ended; see the core's `Finish`. */
export interface Finish {
  status: Compacted["status"];
  edits?: readonly Edit[];
  made?: AdoptOptions;
  checkpoint?: { number: number; title: string; path?: string };
  trigger: Trigger;
  planId: string;
  job?: number | undefined;
  begun: number;
  requests: number;
  isWhole: boolean;
  ended?: Ended | undefined;
}

/** What came of it. */
interface CoreFinished {
  status: Compacted["status"];
  error?: string;
  ids: string[];
  lines: string[];
  before: Totals;
  after: Totals;
  look: CoreLook;
}
export type Finished<T> = Omit<CoreFinished, "look" | "lines"> & { look: Look<T> };

/** A usage report that does not match its request. */
export interface OddUsage extends Omit<SilentOverflow, "kind"> {
  /**
   * `overflow`: the provider did not read the whole request, or counts more than its window has. `low`: the report is
   * far too low. `overhead`: by its reports a request without any message would hardly fit. `unsteady`: reports vary
   * too much to predict the next one.
   */
  why: "overflow" | "low" | "overhead" | "unsteady";
  kind?: SilentOverflow["kind"];
}

/** The view under another model: tokens of the provider's, and the budget in ours. */
interface Weighed {
  current: number;
  request: number;
  budget: number;
}

interface Answer extends Advanced {
  phase: Phase;
  look?: CoreLook;
  request?: Omit<RequestStep<never>, "look"> & { look: CoreLook };
  weighed?: Weighed;
  finished?: CoreFinished;
  shared?: number;
  odd?: OddUsage;
  next?: NextStep;
  verdict?: Verdict;
  job?: number;
  settled?: boolean;
}

/** What an earlier session learned: plain data of its log. */
export interface Learned {
  recovery?: unknown;
  calibrations?: Record<string, unknown>;
}

type Handle = InstanceType<Wasm["ConversationMachine"]>;

export class Machine<T> {
  /** Of the background job. */
  phase: Phase = "idle";
  /** Of the model of the next request; empty if it has none. */
  name: string;
  private model: string | ModelLimits | undefined;
  private settings: Settings;
  private state: string;
  private handle: Handle | undefined;
  private owner: Wasm | undefined;
  private log: ConversationLog<T> | undefined;
  private readonly profile: string;
  /** Goes up with the state. */
  private changes = 0;

  /** @throws EspalierError `bad_option`, `bad_threshold` */
  constructor(model: string | ModelLimits | undefined, profile: ReadProfile, settings: Settings) {
    this.profile = profile.text;
    this.model = model;
    this.settings = settings;
    this.name = modelOf(model).name ?? "";
    this.state = JSON.stringify({ model: modelFields(model), settings });
    this.live();
  }

  /** Works on this log from now on, with what an earlier session learned. */
  attach(log: ConversationLog<T>, { recovery, calibrations }: Learned): void {
    this.log = log;
    const fresh = this.state;
    this.state = JSON.stringify({ ...(JSON.parse(fresh) as object), recovery, calibrations });
    this.free();
    try {
      this.live();
    } catch (error) {
      if (!(error instanceof EspalierError) || isCrash(error)) throw error;
      // Not what was written: nothing is known.
      this.state = fresh;
    }
  }

  // ------------------------------------------------------------ the next request

  /** The same text as long as nothing happens to the log or to this. */
  get position(): string {
    return `${this.known.version}/${this.changes}`;
  }

  /** The next request; `after`: with these totals instead of the view's. */
  look(around: Around, after?: Totals): Look<T> {
    const view = after && this.known.view();
    const shown = view ? { after, origin: view.origin } : this.known.shownTotals;
    return this.seen(this.step({ type: "look", around, shown }).look!);
  }

  /** The next request, and what is due before it. */
  request(around: Around, request: RequestFields): RequestStep<T> {
    const { look, ...step } = this.step({ type: "request", around, request, shown: this.known.shownTotals }).request!;
    return { ...step, look: this.seen(look) };
  }

  /**
   * A request of `tokens` goes out. `frame` changes when system text or tools do. Returns the tokens of the messages
   * `shared` as they came.
   */
  sent(id: string, tokens: number, frame: string, shared: readonly string[] = []): number {
    return this.step({ type: "sent", id, tokens, frame, shared }).shared!;
  }

  /** Takes the provider's count of the newest request. Returns what is odd about it. */
  answered(tokens: number, date: string, isManaged = false): OddUsage | undefined {
    return this.step({ type: "answered", tokens, date, isManaged }).odd;
  }

  /** The provider refused the newest request. */
  refused(refusal: Omit<Refusal, "sent">): NextStep {
    return this.step({ type: "refused", refusal: { ...refusal, sent: 0 } }).next!;
  }

  // ------------------------------------------------------------ the model

  /** Whether this is another model than that of the request before. */
  isOther(model: string | ModelLimits): boolean {
    return JSON.stringify(modelOf(model)) !== JSON.stringify(modelOf(this.model));
  }

  /** The next request is for this model. */
  change(model: string | ModelLimits): void {
    this.step({ type: "model", model: modelFields(model) });
    this.model = model;
    this.name = modelOf(model).name ?? "";
  }

  /** Takes over what the user chose. @throws EspalierError `bad_threshold`; nothing has changed then */
  set(settings: Partial<Settings>): void {
    const all = { ...this.settings, ...settings };
    this.step({ type: "settings", settings: all });
    this.settings = all;
  }

  /** What a request of a prompt tree may have; nothing for a request of the conversation alone. */
  setBudget(budget: number | undefined): void {
    if (this.settings.budget !== budget) this.set({ budget });
  }

  /** A request of `ours` tokens, of which tools take `tools`, under another model. */
  weigh(model: string | ModelLimits, ours: number, tools: number): Weighed {
    return this.step({ type: "weigh", model: modelFields(model), ours, tools }).weighed!;
  }

  // ------------------------------------------------------------ compactions

  /** Whom a compaction may ask that nothing depends on. */
  verdict(requests: number): Verdict {
    return this.step({ type: "verdict", requests, shown: this.known.shownTotals }).verdict!;
  }

  /** Takes in how an automatic compaction ended. */
  ended(ended: Ended): void {
    this.step({ type: "ended", ended, shown: this.known.shownTotals });
  }

  /** Ends a compaction: lays its edits over the log if they fit it, and records it. */
  finish(around: Around, finish: Finish): Finished<T> {
    const { finished } = this.step({ type: "finish", around, finish, shown: this.known.shownTotals });
    const { look, lines: _, ...rest } = finished!;
    return { ...rest, look: this.seen(look) };
  }

  // ------------------------------------------------------------ the background job

  /** Starts a job, if nothing forbids it: its number, and whom to ask. */
  startJob(start: {
    requests: number;
    asksModel: boolean;
    hasRules: boolean;
    isStale: boolean;
    hasHook: boolean;
  }): { job: number; verdict: Verdict } | undefined {
    const { job, verdict } = this.step({ type: "startJob", start, shown: this.known.shownTotals });
    return job === undefined ? undefined : { job, verdict: verdict! };
  }

  /** A job has ended. False if it is not the running one. */
  settleJob(job: number, error: string | undefined): boolean {
    return this.step({ type: "settleJob", job, error }).settled!;
  }

  /** Takes a result out of the way; the number of its job. */
  takeJob(): number | undefined {
    return this.step({ type: "takeJob" }).job;
  }

  /** Gives up whatever there is; the number of a job that has to be aborted. */
  cancelJob(): number | undefined {
    return this.step({ type: "cancelJob" }).job;
  }

  /** Continues an earlier session, whose newest job was `job`. */
  reopen(backoff: unknown, job: number, isReady: boolean): void {
    try {
      this.step({ type: "reopen", backoff, job, isReady });
    } catch {
      // Not what was written: nothing is known.
      this.step({ type: "reopen", job, isReady });
    }
  }

  // ------------------------------------------------------------ what is kept in the log

  /** What outlives the session. */
  get learned(): Learned & { backoff?: unknown } {
    const { recovery, calibrations, backoff } = JSON.parse(this.state) as Learned & { backoff?: unknown };
    return { recovery, calibrations: calibrations ?? {}, ...(backoff !== undefined && { backoff }) };
  }

  /** Frees the engine's half. */
  free(): void {
    const { handle } = this;
    this.handle = undefined;
    if (handle && this.owner === wasm()) handle.free();
  }

  // ------------------------------------------------------------ the engine's half

  private get known(): ConversationLog<T> {
    return this.log!;
  }

  private seen(look: CoreLook): Look<T> {
    return { ...look, view: this.known.view(), at: this.position };
  }

  private step(event: object): Answer {
    const answer = this.known.advance<Answer>((core, time) => {
      const [answer, state] = this.live().step(core, event, time);
      if (state !== undefined) {
        this.changes += 1;
        this.state = state;
      }
      return JSON.parse(answer!) as Answer;
    });
    this.phase = answer.phase;
    return answer;
  }

  private live(): Handle {
    const engine = wasm();
    if (!this.handle || this.owner !== engine) {
      this.handle = call(() => new engine.ConversationMachine(this.profile, this.state));
      this.owner = engine;
    }
    return this.handle;
  }
}

/** What the user chose, from the options of a conversation. */
export function settingsOf<T>({
  threshold,
  contextSize,
  preferLongContext: preferLong = false,
  tokenizer,
}: ConversationOptions<T>): Settings {
  return { threshold, contextSize, preferLong, hasTokenizer: tokenizer !== undefined };
}

/** A model as the core takes it. */
function modelFields(model: string | ModelLimits | undefined) {
  const { name = "", defaultTier = 0, surcharge = false } = modelOf(model);
  const { tokens: limit, source } = limitFor({ ...(model !== undefined && { model }) });
  return { name, limit, source, window: windowOf(model), defaultTier, surcharge };
}
