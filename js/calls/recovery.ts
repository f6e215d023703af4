/** What providers refused, and what was learned from it. */

import { plain } from "../options/data.ts";
import * as kinds from "../options/kinds.ts";
import { modelOf } from "./limits.ts";
import { call, wasm } from "../engine/engine.ts";
import type { DropMedia, ModelLimits } from "../types/prune.ts";
import { check, checkForeign, need } from "../options/check.ts";
import { ANSWER, REFUSAL, TRIES } from "../options/schemas/requests.ts";

/**
 * Why a provider refused: too many tokens; too many together with the output asked for; too many bytes; too many
 * requests in a time; something that no smaller request would mend.
 */
export type RefusalKind = "context_length" | "output_reserve" | "body_size" | "rate_limited" | "other";

export interface Refusal {
  kind: RefusalKind;
  /** Tokens that the provider counted, if it named them. */
  used?: number;
  /** Tokens that it takes, if it named them. */
  limit?: number;
  /** Tokens that the refused request had, by our count. */
  sent: number;
  /** Whether it has pictures or documents that could still go. */
  hasMedia?: boolean;
  /** Kept with a limit that is learned. */
  date?: string;
  /**
   * Shares of the limit that are left free where no number was named: the first, and the most that it doubles to.
   * Default 0.05 and 0.25.
   */
  buffer?: readonly [first: number, most: number];
}

/** The tries of one request: plain data. */
export interface Tries {
  model: string;
  base: number;
  /** What the next try may have. */
  limit: number;
  retries: number;
  dropMedia: DropMedia;
  outputReserve?: number;
  outputLowered: boolean;
}

/** Prune to `limit` and send again; or give the error to the host. */
export type NextStep =
  | { action: "retry"; limit: number; dropMedia: DropMedia; outputReserve?: number }
  | { action: "giveUp"; why: string }
  | { action: "passOn"; why: string };

export interface Answer {
  /** Tokens of the request by our count. */
  sent: number;
  /** Tokens of the prompt that the provider reported, cached ones included. */
  reported?: number;
  /** What it was predicted to report, and by how much that may be wrong; a `Calibration` says both. */
  predicted?: number;
  bound?: number;
  /** Tokens of the model's window. */
  window?: number;
  date?: string;
}

/** A report that does not go with what was sent. */
export interface SilentOverflow {
  /**
   * `overWindow`: more was reported than the window has. `truncated`: two reports in a row agree that the server cut
   * the request. `odd`: one report is far too low, and nothing is learned from it. Servers that report uncached tokens
   * only look like this.
   */
  kind: "overWindow" | "truncated" | "odd";
  reported: number;
  expected: number;
  /** What the model's next request may have, by the provider's count. Absent if nothing was learned. */
  limit?: number;
}

/**
 * What was learned of models from refusals: a named limit holds until it is cleared; without a number a buffer of 5 to
 * 25 % is left free, which goes away again as requests are answered.
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
  /** Kept when the file is minified. */
  static readonly name: string = "Recovery";
  /** Plain data: keep it, and pass it to the constructor after a restart. */
  state: unknown;

  /** @throws EspalierError `bad_input` if `state` is no data */
  constructor(state?: unknown) {
    this.state = plain(state, "state", "bad_input");
  }

  /**
   * Begins a request that may have `base` tokens if nothing was learned. With `outputReserve` the output it asks for
   * may be lowered.
   */
  begin(model: string, base: number, options: { outputReserve?: number | undefined } = {}): Tries {
    need(base, kinds.required(kinds.whole), "options.base");
    check(options, TRIES);
    const name = named(model);
    return JSON.parse(call(() => wasm().recoveryBegin(this.#text(), name, base, options.outputReserve))) as Tries;
  }

  /** Takes in a refusal; `tries` is ready for the next try then. */
  refused(tries: Tries, refusal: Refusal): NextStep {
    need(tries, kinds.required(kinds.object), "tries");
    checkForeign(refusal, REFUSAL, "refusal");
    const [before, said] = [
      JSON.stringify(plain(tries, "tries", "bad_input")),
      JSON.stringify(plain(refusal, "refusal", "bad_input")),
    ];
    const text = call(() => wasm().recoveryRefused(this.#text(), before, said));
    const taken = JSON.parse(text) as { state: unknown; tries: Tries; next: NextStep };
    this.state = taken.state;
    Object.assign(tries, taken.tries);
    return taken.next;
  }

  /**
   * Takes in an answer. Returns what is odd about its report, if anything. One report never lowers a limit: two low
   * ones in a row that agree do, above 1,024 tokens and a hundredth of `window`. A later report that contradicts such a
   * limit ends it.
   */
  accepted(model: string, answer: Answer): SilentOverflow | undefined {
    checkForeign(answer, ANSWER, "answer");
    const said = JSON.stringify({ ...plain(answer, "answer", "bad_input"), model: named(model) });
    const taken = JSON.parse(call(() => wasm().recoveryAccepted(this.#text(), said))) as {
      state: unknown;
      silent?: SilentOverflow;
    };
    this.state = taken.state;
    return taken.silent;
  }

  /** Forgets what was learned of a model. */
  clear(model: string): void {
    // A state that makes no sense is refused where it is used.
    const { models, ...others } = (this.state ?? {}) as { models?: Record<string, unknown> };
    const { [named(model)]: _, ...kept } = models ?? {};
    this.state = { ...others, models: kept };
  }

  #text(): string {
    return JSON.stringify(this.state ?? {});
  }
}

function named(model: string): string {
  need(model, kinds.required(kinds.text), "options.model");
  return model;
}

/** What a host's limits say of the window, for noticing reports that exceed it. */
export function windowOf(model: string | ModelLimits | undefined): number | undefined {
  const { maxContextWindowTokens, maxPromptTokens } = modelOf(model);
  return maxContextWindowTokens ?? maxPromptTokens;
}
