/**
 * Checks options that one call passes on to another: wrong ones are reported when they are set, under the names that
 * they have there.
 */

import { compactFields } from "../calls/compact-fields.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import type { CompactHooks, CompactOptions } from "../types/compact.ts";

/**
 * Checks the options of a conversation that its compactions will have.
 *
 * @throws EspalierError `bad_option` with the path inside `options`
 */
export function needCompaction(compact: Partial<CompactOptions> | undefined, hooks: CompactHooks | undefined): void {
  compactFields({ budget: 1, ...(hooks !== undefined && { hooks }) });
  if (compact === undefined) return;
  if (typeof compact !== "object" || compact === null) throw bad("compact", "an object", compact);
  try {
    compactFields({ ...compact, budget: 1 });
  } catch (error) {
    if (!(error instanceof EspalierError) || error.code !== "bad_option" || !error.path?.startsWith("options."))
      throw error;
    const moved = (text: string) => text.replace("options.", "options.compact.");
    throw new EspalierError({
      code: error.code,
      message: moved(error.message),
      path: moved(error.path),
      details: error.details,
      cause: error,
    });
  }
}
