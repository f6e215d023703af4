/** The options of `nodeFiles`, also for entries whose `nodeFiles` only throws. */

import type { SourceOptions } from "./rules.ts";

export interface NodeFilesOptions extends SourceOptions {
  /** Milliseconds that `watch` waits for further changes before it reports them. Default 100. */
  delayMs?: number | undefined;
}
