/** Retries requests: a few times, after a wait, and never once a part of an answer has arrived. */

import { onAbort } from "../errors/abortable.ts";
import type { EspalierError } from "../errors/errors.ts";
import { backoff } from "./clock.ts";
import { Failure } from "./failure.ts";
import type { Hide } from "./failure.ts";
import { aborted } from "./guard.ts";
import type { Clock, ProviderEvent, ProviderRequest, SendOptions, StreamPart } from "./types.ts";

/** Time limits and retries of providers; options of a request win over those of its provider. Milliseconds. */
export interface Patience {
  /** Max milliseconds of each attempt, from the request to the end of the answer. Default 600,000; 0 for no limit. */
  timeoutMs?: number | undefined;
  /** Max milliseconds of silence within a stream. Default 60,000; 0 for no limit. */
  idleTimeoutMs?: number | undefined;
  /** Max retries of a request that was rate limited, reached an overloaded server or had no connection. Default 2. */
  retries?: number | undefined;
  /**
   * Max wait before a retry that a provider may ask for, in ms; for a longer one the error is thrown at once. Default
   * 60,000.
   */
  maxRetryAfterMs?: number | undefined;
  /** Called with every attempt, retry and warning. Default: none. */
  onEvent?: ((event: ProviderEvent) => void) | undefined;
}

const TIMEOUT = 600_000;
const IDLE = 60_000;
const RETRIES = 2;
const MAX_RETRY_AFTER = 60_000;
/** How often a request may be rewritten because the server did not know a field. */
const LESSONS = 4;

/** Failures after which the same request may be sent again. */
const AGAIN = new Set(["overloaded", "rate_limited", "network"]);

/** Returns the max time of an attempt, and of silence within a stream. */
export function patience(host: Patience, options: SendOptions): { timeout: number; idle: number } {
  return {
    timeout: options.timeoutMs ?? host.timeoutMs ?? TIMEOUT,
    idle: options.idleTimeoutMs ?? host.idleTimeoutMs ?? IDLE,
  };
}

/** Records whether a part of an answer has arrived: from then on nothing is sent again. */
export interface AttemptState {
  answered: boolean;
  /** The request that was sent. */
  sent?: ProviderRequest;
}

interface Retrying {
  provider: string;
  model: string;
  clock: Clock;
  host: Patience;
  options: SendOptions;
  hide: Hide;
  /** Returns the lesson of a failure, if the next attempt will differ because of it. */
  learn?: ((failure: Failure, state: AttemptState) => string | undefined) | undefined;
}

/** Runs attempts until one succeeds or no further one can help; converts failures to errors for the host. */
export async function* retrying(
  about: Retrying,
  attempt: (state: AttemptState) => AsyncGenerator<StreamPart, void, void>,
): AsyncGenerator<StreamPart, void, void> {
  const { provider, model, clock, host, options, hide, learn } = about;
  const { signal } = options;
  const retries = options.retries ?? host.retries ?? RETRIES;
  const longest = host.maxRetryAfterMs ?? MAX_RETRY_AFTER;
  const tell = (event: ProviderEvent) => (options.onEvent ?? host.onEvent)?.(event);
  const who = { provider, model, attempts: 0 };
  // A request that is aborted before it begins is never sent.
  if (signal?.aborted) throw aborted(signal).for(who, hide);
  for (let tries = 0, lessons = 0; ; ) {
    who.attempts++;
    const state: AttemptState = { answered: false };
    try {
      yield* attempt(state);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const learnt = lessons < LESSONS ? learn?.(error, state) : undefined;
      if (learnt !== undefined) {
        lessons++;
        tell({ type: "warning", code: "adapted", message: hide(learnt) });
        continue;
      }
      const delay = backoff(tries + 1, error.detail.retryAfterMs, clock.random());
      const again = AGAIN.has(error.code) && !error.final && !state.answered && tries < retries && delay <= longest;
      if (!again) throw error.for(who, hide);
      tries++;
      tell({
        type: "retry",
        attempt: tries,
        delayMs: delay,
        code: error.code,
        ...(error.detail.status !== undefined && { status: error.detail.status }),
      });
      await sleep(delay, clock, signal, () => aborted(signal!).for(who, hide));
    }
  }
}

async function sleep(
  ms: number,
  clock: Clock,
  signal: AbortSignal | undefined,
  error: () => EspalierError,
): Promise<void> {
  if (signal?.aborted) throw error();
  await new Promise<void>((resolve, reject) => {
    const stop = clock.after(ms, () => {
      unheard();
      resolve();
    });
    const unheard = onAbort(signal, () => {
      stop();
      reject(error());
    });
  });
}
