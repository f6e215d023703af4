/** The options of `nodeFiles`, for the entries that have it and those that refuse it. */

import type { SourceOptions } from "./rules.ts";

export interface NodeFilesOptions extends SourceOptions {
  /** Milliseconds that `watch` waits for further changes before it reports them. Default 100. */
  delayMs?: number | undefined;
}
