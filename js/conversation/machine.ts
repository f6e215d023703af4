/**
 * The engine's half of a conversation: limits, learned facts about providers, the background job, back-off and
 * triggers. The rules are the core's (`src/conversation`). The state is kept here as text, so that a fresh instance of
 * the engine continues where another one ended.
 */

import { limitFor, modelOf } from "../calls/limits.ts";
import { windowOf } from "../calls/recovery.ts";
import type { NextStep, RefusedRequest } from "../calls/recovery.ts";
import { call, isCrash, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import type { AdoptOptions, LogView } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import type { Advanced } from "../log/state.ts";
import type { Trigger } from "../types/compact.ts";
import type { Edit } from "../types/compact-report.ts";
import type { Totals } from "../types/count.ts";
import type {
  Finished as CoreFinished,
  Look as CoreLook,
  RequestStep as CoreStep,
  OddUsage,
  Phase,
  Verdict,
  Weighed,
} from "../types/generated/conversation.ts";
import type { ModelLimits } from "../types/prune.ts";
import type { ReadProfile } from "./context.ts";
import type { Compacted, ConversationOptions } from "./types.ts";

/** The effect of a request on the background job. */
export type NextOfJob = { next: "goOn" } | { next: "wait" | "apply" | "dropped"; job: number };

/** The user's choices. */
export interface Settings {
  threshold: number | undefined;
  maxContextTokens: number | undefined;
  /** Max tokens of a request of a prompt tree; replaces the limit of an unknown model. */
  budget?: number | undefined;
  /** True to use the model's whole window instead of its default tier, if that costs no more. */
  preferLong: boolean;
  /** True if the host counts with the model's own tokenizer: its counts need no calibration. */
  hasTokenizer: boolean;
}

/** The surroundings of the view in a request; see the core's `Around`. */
export interface Around {
  apart: number;
  cut: number;
  /** A number in [0, 1) that spreads the start of background compactions. */
  draw: number;
}

/** The current state of the next request. */
export interface Look<T> extends CoreLook {
  view: LogView<T>;
  /** {@link Machine.position} at the time of this look. */
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

/** The steps before a request is sent. */
export type RequestStep<T> = Omit<CoreStep, "look"> & { look: Look<T>; job: NextOfJob };

/** The end of an automatic compaction; see the core's `Ended`. */
export interface Ended {
  requests: number;
  /** The status of making it; `status` is its final status. */
  made?: Compacted["status"];
  status?: Compacted["status"];
  author?: Edit["author"] | undefined;
  /** True if a model was asked without success. */
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

/** The outcome of a compaction. */
export type Finished<T> = Omit<CoreFinished, "look"> & { status: Compacted["status"]; look: Look<T> };

interface Answer extends Advanced {
  phase: Phase;
  look?: CoreLook;
  request?: CoreStep & { job: NextOfJob };
  weighed?: Weighed;
  finished?: CoreFinished & { status: Compacted["status"] };
  shared?: number;
  odd?: OddUsage;
  next?: NextStep;
  verdict?: Verdict;
  job?: number;
  isOtherLimit?: boolean;
  settled?: boolean;
}

/** Facts that an earlier session learned: plain data of its log. */
export interface Learned {
  recovery?: unknown;
  calibrations?: Record<string, unknown>;
}

type Handle = InstanceType<Wasm["ConversationMachine"]>;

export class Machine<T> {
  /** The phase of the background job. */
  phase: Phase = "idle";
  /** The model of the next request; empty if it has none. */
  name: string;
  private model: string | ModelLimits | undefined;
  private settings: Settings;
  private state: string;
  private handle: Handle | undefined;
  private owner: Wasm | undefined;
  private log: ConversationLog<T> | undefined;
  private readonly profile: string;
  /** Increases with every change of the state. */
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

  /** Works on this log from now on, with the facts that an earlier session learned. */
  attach(log: ConversationLog<T>, { recovery, calibrations }: Learned): void {
    this.log = log;
    const fresh = this.state;
    this.state = JSON.stringify({ ...(JSON.parse(fresh) as object), recovery, calibrations });
    this.free();
    try {
      this.live();
    } catch (error) {
      if (!(error instanceof EspalierError) || isCrash(error)) throw error;
      // Invalid stored data is ignored.
      this.state = fresh;
    }
  }

  // ------------------------------------------------------------ the next request

  /** The same text as long as neither the log nor this machine changes. */
  get position(): string {
    return `${this.known.state.version}/${this.changes}`;
  }

  /** Returns the next request; `after`: with these totals instead of the view's. */
  look(around: Around, after?: Totals): Look<T> {
    const view = after && this.known.view();
    const shown = view ? { after, origin: view.origin } : this.known.state.shownTotals;
    return this.seen(this.step({ type: "look", around, shown }).look!);
  }

  /** Returns the next request, and what is due before it. */
  request(around: Around, request: RequestFields): RequestStep<T> {
    const { look, ...step } = this.step({ type: "request", around, request, shown: this.known.state.shownTotals })
      .request!;
    return { ...step, look: this.seen(look) };
  }

  /**
   * Records that a request of `tokens` is sent. `frame` changes when the system prompt or the tools do. Returns the
   * tokens of the `shared` messages without edits.
   */
  sent(id: string, tokens: number, frame: string, shared: readonly string[] = []): number {
    return this.step({ type: "sent", id, tokens, frame, shared }).shared!;
  }

  /**
   * Takes the provider's count of the newest request; the log keeps `record`, JSON of the whole report. Returns its
   * anomaly, and whether the model has another limit now.
   */
  answered(tokens: number, about: { date: string; isManaged?: boolean; record?: string }) {
    const { odd, isOtherLimit = false } = this.step({ type: "answered", tokens, ...about });
    return { odd, isOtherLimit };
  }

  /** Takes the provider's refusal of the newest request. */
  refused(refusal: Omit<RefusedRequest, "sent">): NextStep {
    return this.step({ type: "refused", refusal: { ...refusal, sent: 0 } }).next!;
  }

  /** Takes that the next request cannot be made. Returns true if its limit is higher now. */
  unfit(): boolean {
    return this.step({ type: "unfit" }).isOtherLimit!;
  }

  // ------------------------------------------------------------ the model

  /** Returns true if this model differs from that of the previous request. */
  isOther(model: string | ModelLimits): boolean {
    return JSON.stringify(modelOf(model)) !== JSON.stringify(modelOf(this.model));
  }

  /** Sets the model of the next request. */
  change(model: string | ModelLimits): void {
    this.step({ type: "model", model: modelFields(model) });
    this.model = model;
    this.name = modelOf(model).name ?? "";
  }

  /** Sets the user's choices. @throws EspalierError `bad_threshold`; nothing has changed then */
  set(settings: Partial<Settings>): void {
    const all = { ...this.settings, ...settings };
    this.step({ type: "settings", settings: all });
    this.settings = all;
  }

  /** Sets the max tokens of a request of a prompt tree; undefined for a request of the conversation alone. */
  setBudget(budget: number | undefined): void {
    if (this.settings.budget !== budget) this.set({ budget });
  }

  /** Weighs a request of `ours` tokens, of which tools take `tools`, under another model. */
  weigh(model: string | ModelLimits, ours: number, tools: number): Weighed {
    return this.step({ type: "weigh", model: modelFields(model), ours, tools }).weighed!;
  }

  // ------------------------------------------------------------ compactions

  /** Returns what an optional compaction may ask. */
  verdict(requests: number): Verdict {
    return this.step({ type: "verdict", requests, shown: this.known.state.shownTotals }).verdict!;
  }

  /** Takes the end of an automatic compaction. */
  ended(ended: Ended): void {
    this.step({ type: "ended", ended, shown: this.known.state.shownTotals });
  }

  /** Ends a compaction: applies its edits to the log if they fit, and records it. */
  finish(around: Around, finish: Finish): Finished<T> {
    const { finished } = this.step({ type: "finish", around, finish, shown: this.known.state.shownTotals });
    const { look, ...rest } = finished!;
    return { ...rest, look: this.seen(look) };
  }

  // ------------------------------------------------------------ the background job

  /** Starts a job, unless something forbids it. Returns its number and verdict. */
  startJob(start: {
    requests: number;
    asksModel: boolean;
    hasRules: boolean;
    isStale: boolean;
    hasHook: boolean;
  }): { job: number; verdict: Verdict } | undefined {
    const { job, verdict } = this.step({ type: "startJob", start, shown: this.known.state.shownTotals });
    return job === undefined ? undefined : { job, verdict: verdict! };
  }

  /** Ends a job. Returns false if it is not the running one. */
  settleJob(job: number, error: string | undefined): boolean {
    return this.step({ type: "settleJob", job, error }).settled!;
  }

  /** Removes a result; returns the number of its job. */
  takeJob(): number | undefined {
    return this.step({ type: "takeJob" }).job;
  }

  /** Cancels the job or drops its result; returns the number of a job to abort. */
  cancelJob(): number | undefined {
    return this.step({ type: "cancelJob" }).job;
  }

  /** Continues an earlier session, whose newest job was `job`. */
  reopen(backoff: unknown, job: number, isReady: boolean): void {
    try {
      this.step({ type: "reopen", backoff, job, isReady });
    } catch {
      // Invalid stored data is ignored.
      this.step({ type: "reopen", job, isReady });
    }
  }

  // ------------------------------------------------------------ what is kept in the log

  /** The facts that outlive the session. */
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
    const answer = this.known.state.advance<Answer>((core, time) => {
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

/** Returns the user's choices among the options of a conversation. */
export function settingsOf<T>({
  threshold,
  maxContextTokens,
  preferLongContext: preferLong = false,
  tokenizer,
}: ConversationOptions<T>): Settings {
  return { threshold, maxContextTokens, preferLong, hasTokenizer: tokenizer !== undefined };
}

/** Converts a model to the core's form. */
function modelFields(model: string | ModelLimits | undefined) {
  const { name = "", defaultTier = 0, surcharge = false } = modelOf(model);
  const { tokens: limit, source } = limitFor({ ...(model !== undefined && { model }) });
  return { name, limit, source, window: windowOf(model), defaultTier, surcharge };
}
