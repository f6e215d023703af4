/** Learns from the refusals of providers. */

import { plain } from "../options/data.ts";
import * as kinds from "../options/kinds.ts";
import { modelOf } from "./limits.ts";
import { call, wasm } from "../engine/engine.ts";
import type { DropMedia, ModelLimits } from "../types/prune.ts";
import { check, checkForeign, need } from "../options/check.ts";
import { ANSWER, REFUSAL, TRIES } from "../options/schemas/requests.ts";

/**
 * Why a provider refused: too many tokens; too many together with the requested output; more output than the model can
 * write; too many bytes; too many requests in a time; or a reason that no smaller request would fix.
 */
export type RefusalKind = "context_length" | "output_reserve" | "output_limit" | "body_size" | "rate_limited" | "other";

export interface RefusedRequest {
  kind: RefusalKind;
  /** The provider's count of tokens, if it named one. */
  used?: number;
  /** The provider's limit in tokens, if it named one; for `output_limit` the max output. */
  limit?: number;
  /** Output tokens that the request asked for, if the provider named them. `limit` is then for input and output. */
  output?: number;
  /** Tokens of input and output, if the provider named only their sum. `limit` is then for both. */
  total?: number;
  /** Tokens of the refused request, by our count. */
  sent: number;
  /** True if it has pictures or documents that could still be dropped. */
  hasMedia?: boolean;
  /** Stored with a learned limit. */
  date?: string;
  /**
   * Shares of the limit that stay free if the refusal names no number: the first, and the max to which it doubles.
   * Default 0.05 and 0.25.
   */
  buffer?: readonly [first: number, most: number];
}

/** The tries of one request: plain data. */
export interface Tries {
  model: string;
  base: number;
  /** Max tokens of the next try. */
  limit: number;
  retries: number;
  dropMedia: DropMedia;
  outputReserve?: number;
  outputLowered: boolean;
}

/** Prune to `limit` and send again; or return the error to the host. */
export type NextStep =
  | { action: "retry"; limit: number; dropMedia: DropMedia; outputReserve?: number }
  | { action: "giveUp"; why: string }
  | { action: "passOn"; why: string };

export interface AnsweredRequest {
  /** Tokens of the request by our count. */
  sent: number;
  /** The prompt's tokens in the provider's report, including cached ones. */
  reported?: number;
  /** The predicted report, and the possible error of the prediction; a `Calibration` provides both. */
  predicted?: number;
  bound?: number;
  /** Tokens of the model's window. */
  window?: number;
  date?: string;
}

/** A report that does not match the request. */
export interface SilentOverflow {
  /**
   * `overWindow`: the report exceeds the window. `truncated`: two consecutive reports agree that the server cut the
   * request. `odd`: one report is far too low, and nothing is learned from it. Servers that only report uncached tokens
   * look like this.
   */
  kind: "overWindow" | "truncated" | "odd";
  reported: number;
  expected: number;
  /** Max tokens of the model's next request, by the provider's count. Absent if nothing was learned. */
  limit?: number;
}

/**
 * Limits of models, learned from refusals: a named limit holds until it is cleared; without a number a buffer of 5 to
 * 25 % stays free, which shrinks again as requests are answered.
 *
 * ```ts
 * import { Recovery } from "espalier";
 *
 * const recovery = new Recovery();
 * const tries = recovery.begin("gpt-4o", 128_000);
 * const next = recovery.refused(tries, { kind: "context_length", sent: 130_000, limit: 100_000 });
 * next; // => { action: "retry", limit: 100_000, dropMedia: "none" }
 * const stored = JSON.stringify(recovery.state);
 * new Recovery(JSON.parse(stored)).begin("gpt-4o", 128_000).limit; // => 100_000
 * ```
 */
export class Recovery {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "Recovery";
  /** Plain data: store it, and pass it to the constructor after a restart. */
  state: unknown;

  /** @throws EspalierError `bad_input` if `state` is not plain data */
  constructor(state?: unknown) {
    this.state = plain(state, "state", "bad_input");
  }

  /**
   * Begins a request that may have `base` tokens if nothing was learned. With `outputReserve` its requested output may
   * be lowered.
   */
  begin(model: string, base: number, options: { outputReserve?: number | undefined } = {}): Tries {
    need(base, kinds.required(kinds.whole), "options.base");
    check(options, TRIES);
    const name = needModelName(model);
    return JSON.parse(call(() => wasm().recoveryBegin(this.#text(), name, base, options.outputReserve))) as Tries;
  }

  /** Takes a refusal, and prepares `tries` for the next try. */
  refused(tries: Tries, refusal: RefusedRequest): NextStep {
    need(tries, kinds.required(kinds.object), "tries");
    checkForeign(refusal, REFUSAL, "refusal");
    const [before, said] = [
      JSON.stringify(plain(tries, "tries", "bad_input")),
      JSON.stringify(plain(refusal, "refusal", "bad_input")),
    ];
    const text = call(() => wasm().recoveryRefused(this.#text(), before, said));
    const [state, taken, next] = JSON.parse(text) as [unknown, Tries, NextStep];
    this.state = state;
    Object.assign(tries, taken);
    return next;
  }

  /**
   * Takes an answer. Returns the anomaly of its report, if any. One report never lowers a limit: two consecutive low
   * ones that agree do, above 1,024 tokens and a hundredth of `window`. A later report that contradicts such a limit
   * ends it.
   */
  accepted(model: string, answer: AnsweredRequest): SilentOverflow | undefined {
    checkForeign(answer, ANSWER, "answer");
    const said = JSON.stringify({ ...plain(answer, "answer", "bad_input"), model: needModelName(model) });
    const text = call(() => wasm().recoveryAccepted(this.#text(), said));
    const [state, silent] = JSON.parse(text) as [unknown, SilentOverflow | null];
    this.state = state;
    return silent ?? undefined;
  }

  /** Clears the learned facts of a model. */
  clear(model: string): void {
    // An invalid state is refused when it is used.
    const { models, ...others } = (this.state ?? {}) as { models?: Record<string, unknown> };
    const { [needModelName(model)]: _, ...kept } = models ?? {};
    this.state = { ...others, models: kept };
  }

  #text(): string {
    return JSON.stringify(this.state ?? {});
  }
}

function needModelName(model: string): string {
  need(model, kinds.required(kinds.text), "options.model");
  return model;
}

/** Returns the window in a host's limits, for detecting reports that exceed it. */
export function windowOf(model: string | ModelLimits | undefined): number | undefined {
  const { maxContextWindowTokens, maxPromptTokens } = modelOf(model);
  return maxContextWindowTokens ?? maxPromptTokens;
}
