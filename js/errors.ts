/** The one error class of the package. */

export interface ErrorFields {
  code: string;
  message: string;
  path?: string | undefined;
  details?: unknown;
  cause?: unknown;
}

/**
 * An error with a stable `code` to branch on and, where one field is to blame, its `path` as one would write it in JavaScript
 * (`messages[3].role`). `details` depends on the code: `budget_exceeded` has `{ budget, needed, largest }`.
 *
 * ```js
 * try { prune(messages, { budget: 10 }) } catch (error) {
 *   if (error instanceof EspalierError && error.code === "budget_exceeded") console.log(error.details.needed);
 * }
 * ```
 */
export class EspalierError extends Error {
  override readonly name: string = "EspalierError";
  readonly code: string;
  readonly path?: string;
  readonly details?: unknown;

  constructor({ code, message, path, details, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (path !== undefined) this.path = path;
    if (details !== undefined) this.details = details;
  }
}

/** An option that makes no sense, by name. */
export function badOption(name: string, wanted: string, value: unknown, within = "options"): EspalierError {
  const path = name ? `${within}.${name}` : within;
  const shown = typeof value === "string" ? JSON.stringify(value) : typeof value === "object" && value ? "an object" : String(value);
  return new EspalierError({ code: "bad_option", message: `${path} must be ${wanted}, and is ${shown}`, path });
}
