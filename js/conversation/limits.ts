/** What a request may have, and how large it is in the provider's own tokens. */

import { limitFor, modelOf } from "../calls/limits.ts";
import { call, wasm } from "../engine/engine.ts";
import { type Recovery, windowOf } from "../calls/recovery.ts";
import type { NextStep, Refusal, SilentOverflow, Tries } from "../calls/recovery.ts";
import { Calibration } from "../tokens/texts.ts";
import type { Prediction } from "../tokens/texts.ts";
import type { ModelLimits } from "../types/prune.ts";
import type { ReadProfile } from "./context.ts";
import type { ContextUsage } from "./types.ts";

export interface Limit {
  /** What ratios are of. */
  limit: number;
  /** What a request must not exceed, tools included; less than `limit` in profiles with a safety factor. */
  request: number;
  source: ContextUsage["limitSource"];
}

/** A usage report that does not go with its request. */
export interface OddUsage extends Omit<SilentOverflow, "kind"> {
  /**
   * `overflow`: the provider did not read the whole request, or counts more than its window has. `low`: the report is
   * far too low. `overhead`: by its reports a request without any message would hardly fit. `unsteady`: reports vary
   * too much to predict the next one.
   */
  why: "overflow" | "low" | "overhead" | "unsteady";
  kind?: SilentOverflow["kind"];
}

/**
 * Share of the limit that a provider may add to a request by its reports. Above it they belong to something else, a
 * session's total say.
 */
const MOST_OVERHEAD = 0.9;
/** Bounds of a calibration's error, as the core has them: in tokens, and as a share of our count. */
const [LEAST_BOUND, MOST_BOUND] = [16, 0.3];

/** What the user set. */
export interface Own {
  threshold: number | undefined;
  contextSize: number | undefined;
  /** Tokens that a request of a prompt tree may have; of a model about which nothing is known, instead of its limit. */
  budget?: number | undefined;
  /** All that the model takes rather than its default tier, where that costs no more. */
  preferLong: boolean;
  /** The host counts with a tokenizer of its own, which is the model's: its counts need no calibration. */
  hasTokenizer: boolean;
}

/** Limits of one model, and what was learned of it. */
export class Limits {
  readonly name: string;
  private calibration: Calibration | undefined;
  /** The newest answer of {@link ours}, which is asked for several times a request. */
  private known: { state: unknown; request: number; ours: number } | undefined;
  /** While the same request is tried again, smaller each time. */
  private tries: Tries | undefined;
  private wasRefused = false;
  private sent: { id: string; tokens: number; predicted: Prediction } | undefined;
  /** What the server counted of the newest request that it answered, and what that one had by our count. */
  private reported: { tokens: number; sent: number } | undefined;
  private readonly model: string | ModelLimits | undefined;
  private readonly profile: ReadProfile;
  private readonly own: Own;
  private readonly recovery: Recovery;

  constructor(
    model: string | ModelLimits | undefined,
    profile: ReadProfile,
    own: Own,
    recovery: Recovery,
    learned?: unknown,
  ) {
    this.model = model;
    this.profile = profile;
    this.own = own;
    this.recovery = recovery;
    this.name = modelOf(model).name ?? "";
    this.calibration = this.name === "" || own.hasTokenizer ? undefined : new Calibration(this.name, learned);
    // Whatever is wrong with the user's threshold is said when it is set.
    this.of(0);
  }

  /** What was learned of the provider's counting: plain data. */
  get learned(): unknown {
    return this.calibration?.state;
  }

  /** `tools`: tokens of the tool definitions. */
  of(tools: number): Limit {
    const { tokens: own, source } = this.base();
    const { budget } = this.own;
    const base = budget !== undefined && source === "assumedLimit" ? Math.max(own, budget) : own;
    const { limit: learned } = this.recovery.begin(this.name, base);
    const max = Math.min(budget ?? base, base, learned, this.tries?.limit ?? base);
    const { threshold, contextSize, preferLong } = this.own;
    const isPicked = contextSize !== undefined && Number.isFinite(contextSize) && contextSize > 0;
    const { defaultTier = 0, surcharge = false } = modelOf(this.model);
    // What the user picked, else the default tier, unless more is preferred and costs no more.
    const size = isPicked || defaultTier === 0 || (preferLong && !surcharge) ? contextSize : defaultTier;
    const [limit, request] = call(() =>
      wasm().requestLimit(this.profile.text, max, size, threshold, tools),
    ) as unknown as [number, number];
    const sized = size === contextSize ? "contextSize" : "defaultTier";
    const chosen = limit === max ? undefined : threshold !== undefined && threshold > 0 ? "threshold" : sized;
    const narrowed = max === budget ? "budget" : "learned";
    return { limit, request, source: chosen ?? (max < base ? narrowed : source) };
  }

  /** What the model takes, whatever the user set. */
  get window(): number {
    const { tokens } = this.base();
    return this.recovery.begin(this.name, tokens).limit;
  }

  /**
   * The model's own limit; the profile's where nothing is known of the model, and never more than the profile has for
   * all models.
   */
  private base(): { tokens: number; source: Limit["source"] } {
    const { window, fallback } = this.profile.limit;
    const { tokens, source } = limitFor({ ...(this.model !== undefined && { model: this.model }) });
    const own = source === "assumedLimit" ? (fallback ?? window ?? tokens) : tokens;
    return { tokens: Math.min(own, window ?? own), source };
  }

  /**
   * How full a request is taken to be: of one that is expected to have `used` of the provider's tokens and has `own` of
   * ours.
   */
  measured(used: number, own: number): number {
    const { tokens, sent = 0 } = this.reported ?? {};
    return call(() => wasm().measuredTokens(this.profile.text, used, own, tokens, sent));
  }

  /** What the provider will count for so many of our tokens. */
  predict(tokens: number): Prediction {
    const predicted = this.calibration?.predict(tokens);
    // Where the provider's tokenizer is ours nothing is added: the thresholds are headroom enough.
    return predicted && predicted.origin !== "exact" ? predicted : { tokens, bound: 0, origin: "exact" };
  }

  /** The most of our tokens that are expected to be within so many of the provider's. */
  ours(request: number): number {
    const { state } = this.calibration ?? {};
    if (this.known?.state !== state || this.known?.request !== request)
      this.known = { state, request, ours: this.found(request) };
    return this.known!.ours;
  }

  private found(request: number): number {
    const fits = (tokens: number) => {
      const predicted = this.predict(tokens);
      return predicted.tokens + predicted.bound <= request;
    };
    if (!this.calibration || fits(request)) return request;
    let [fit, not] = [0, request];
    while (fit + 1 < not) {
      const middle = Math.floor((fit + not) / 2);
      if (fits(middle)) fit = middle;
      else not = middle;
    }
    return fit;
  }

  /** A request goes out. `frame` changes when system text or tools do. */
  send(id: string, tokens: number, frame: string): void {
    this.sent = { id, tokens, predicted: this.predict(tokens) };
    if (!this.wasRefused) this.tries = undefined;
    this.wasRefused = false;
    this.calibration?.sent({ id, tokens, frame });
  }

  /** Takes the provider's count of the newest request. Returns what is odd about it. */
  answered(reported: number, date: string): OddUsage | undefined {
    if (!this.sent) return undefined;
    const { id, tokens, predicted } = this.sent;
    this.tries = undefined;
    const window = windowOf(this.model);
    const silent = this.recovery.accepted(this.name, {
      sent: tokens,
      reported,
      date,
      predicted: predicted.tokens,
      bound: predicted.bound,
      ...(window !== undefined && { window }),
    });
    if (reported > 0 && silent?.limit === undefined && silent) return { why: "low", ...silent };
    if (reported > 0) this.reported = { tokens: reported, sent: tokens };
    // A count of another text than the one that was sent says nothing about how the provider counts.
    if (silent) return { why: "overflow", ...silent };
    this.calibration?.reported({ id, tokens: reported });
    return this.incredible(reported, tokens);
  }

  /** Drops a calibration that would leave no room for messages, and notices one that cannot predict. */
  private incredible(reported: number, sent: number): OddUsage | undefined {
    const { calibration } = this;
    if (!calibration) return undefined;
    const odd = { reported, expected: sent };
    if (calibration.predict(0).tokens > MOST_OVERHEAD * this.of(0).request) {
      this.calibration = new Calibration(this.name);
      return { why: "overhead", ...odd };
    }
    const { bound, origin } = calibration.predict(sent);
    return origin === "calibrated" && bound > LEAST_BOUND && bound >= Math.floor(MOST_BOUND * sent)
      ? { why: "unsteady", ...odd }
      : undefined;
  }

  /** The provider refused the newest request. */
  refused(refusal: Omit<Refusal, "sent">): NextStep {
    if (!this.sent) return { action: "passOn", why: "no request was prepared" };
    const { retryBuffer, mostRetryBuffer } = this.profile.limit;
    this.tries ??= this.recovery.begin(this.name, this.base().tokens);
    this.wasRefused = true;
    return this.recovery.refused(this.tries, {
      ...refusal,
      sent: this.sent.tokens,
      buffer: [retryBuffer, mostRetryBuffer],
    });
  }
}
