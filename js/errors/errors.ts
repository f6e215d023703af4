/** The one error class of the package. */

import type { ErrorCode, ErrorDetails, InputCode } from "./details.ts";

export type {
  Contributor,
  ErrorCode,
  ErrorDetails,
  InputCode,
  ExceededDetails,
  FailedDetails,
  PinDetails,
  RefusedDetails,
} from "./details.ts";

/** Fields of an error; `code` decides the type of `details`. */
export type ErrorFields = {
  [code in ErrorCode]: {
    code: code;
    message: string;
    path?: string | undefined;
    details?: ErrorDetails[code];
    cause?: unknown;
  };
}[ErrorCode];

/** Marks errors of every copy of the package in one process, ES module and CommonJS alike. */
const BRAND = Symbol.for("espalier.EspalierError");

/** Max length of a message, and what stays of its end, in UTF-16 code units: the engine quotes texts of any length. */
const [MAX_MESSAGE, MESSAGE_END] = [900, 300];

function shortMessage(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE - MESSAGE_END - 1)}…${message.slice(-MESSAGE_END)}`;
}

/**
 * The class behind {@link EspalierError}, for subclasses: the union itself cannot be extended.
 *
 * @internal
 */
export class CodedError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = "EspalierError";
  readonly code: C;
  readonly path?: string;
  declare readonly details: ErrorDetails[C];

  constructor({ code, message, path, details, cause }: ErrorFields) {
    super(shortMessage(message), cause === undefined ? undefined : { cause });
    this.code = code as C;
    if (path !== undefined) this.path = path;
    // Assigned only if present, so that printed errors have no empty field.
    if (details !== undefined) this.details = details as ErrorDetails[C];
  }

  /** Recognises errors of other copies of the package, too. Subclasses are recognised as usual. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CodedError ? isEspalierError(value) : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}
Object.defineProperty(CodedError.prototype, BRAND, { value: true });
// The name that users import, shown when a console prints the class.
Object.defineProperty(CodedError, "name", { value: "EspalierError" });

/**
 * An error with a stable `code` to branch on and, if one field is to blame, its `path` in JavaScript notation
 * (`messages[3].role`). `code` decides the type of `details`: `budget_exceeded` has `{ budget, needed, largest }`.
 * docs/errors.md lists all codes.
 *
 * ```ts
 * import { EspalierError, prune } from "espalier";
 *
 * const messages = [{ role: "user", content: "Why does the build fail?" }];
 * let needed = 0;
 * try {
 *   prune(messages, { budget: 5 });
 * } catch (error) {
 *   if (error instanceof EspalierError && error.code === "budget_exceeded") needed = error.details.needed;
 *   else throw error;
 * }
 * needed; // => 13
 * ```
 */
export type EspalierError<C extends ErrorCode = ErrorCode> = { [code in C]: CodedError<code> }[C];

/** The constructor of {@link EspalierError}; `instanceof` narrows to the union. */
export const EspalierError = CodedError as unknown as {
  new (fields: ErrorFields): EspalierError;
  readonly prototype: EspalierError;
  [Symbol.hasInstance](value: unknown): value is EspalierError;
};

/**
 * Returns true if `value` is an {@link EspalierError}, including one of another copy of the package (ES module beside
 * CommonJS).
 *
 * ```ts
 * import { count, isEspalierError } from "espalier";
 *
 * let path: string | undefined;
 * try {
 *   count("text", { encoding: "p50k_base" as never });
 * } catch (error) {
 *   if (isEspalierError(error) && error.code === "unknown_encoding") path = error.path;
 * }
 * path; // => "options.encoding"
 * ```
 */
export function isEspalierError(value: unknown): value is EspalierError {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

/**
 * Makes an error whose code is only known at run time: one of the engine, of a worker, or of an error that a host
 * threw.
 */
export function coded(fields: {
  code: string;
  message: string;
  path?: string | undefined;
  details?: unknown;
  cause?: unknown;
}): EspalierError {
  return new EspalierError(fields as ErrorFields);
}

/** Makes the error for an invalid option, given by name. */
export function badOption(name: string, wanted: string, value: unknown, within = "options"): EspalierError {
  return badValue(name ? `${within}.${name}` : within, wanted, value);
}

/** Makes the error for an invalid value, given by path. */
export function badValue(path: string, wanted: string, value: unknown, code: InputCode = "bad_option"): EspalierError {
  return new EspalierError({ code, message: `${path} must be ${wanted}, and is ${shown(value)}`, path });
}

/** Makes the same error with the code `bad_input`. */
export function badInput(path: string, wanted: string, value: unknown): EspalierError {
  return badValue(path, wanted, value, "bad_input");
}

/** Max characters of a text that an error quotes. */
const QUOTED = 60;

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, QUOTED));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
