/** Errors of the host's functions that count: thrown after the engine's call, never through the engine. */

/** The options that hold such functions. */
export type CountingFunction = "tokenizer" | "imageSize";

interface Failure {
  error: unknown;
  option: CountingFunction;
}

let failure: Failure | undefined;
/** The last failure that was thrown. */
let thrownLast: Failure | undefined;

/**
 * Calls a function of the host. Once one has failed, none is called until the engine's call ends: that call fails
 * anyway, so its counts do not matter.
 */
export function guarded<R>(option: CountingFunction, otherwise: R, run: () => R): R {
  if (failure) return otherwise;
  try {
    return run();
  } catch (error) {
    // An exception that crossed the engine would leave it in an unknown state.
    failure = { error, option };
    return otherwise;
  }
}

/** Throws the error that a function of the host threw during the engine's last call. */
export function throwHostFailure(): void {
  if (!failure) return;
  thrownLast = failure;
  failure = undefined;
  throw thrownLast.error;
}

/** Returns the option whose function threw this error, if it is the last one that {@link throwHostFailure} threw. */
export function failedOption(error: unknown): CountingFunction | undefined {
  return thrownLast?.error === error ? thrownLast?.option : undefined;
}
