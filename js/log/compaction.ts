/** A compaction of a log's view. */

import { compactHeld } from "../calls/compact.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactResult } from "../types/compact-report.ts";
import type { CountOptions } from "../types/count.ts";
import type { PlanItem } from "../types/messages.ts";
import { viewReading } from "./reading.ts";
import type { LogState } from "./state.ts";

/** Compacts the view without recording anything, see `ConversationLog.compactView`. */
export function compactState(
  state: LogState<unknown>,
  options: Omit<CompactOptions, keyof CountOptions>,
  after: Clock["after"] | undefined,
  isRequest: boolean,
): Promise<Omit<CompactResult<unknown>, "messages"> & { plan: PlanItem[] }> {
  const pinned = state.pins().flatMap(({ fact }) => (fact === undefined ? [] : [fact]));
  const ledger =
    pinned.length === 0 ? options.ledger : { ...options.ledger, facts: [...(options.ledger?.facts ?? []), ...pinned] };
  const { edited } = state;
  const reading = () => {
    // Messages that were added while a hook ran follow the compacted ones; any other change makes it another view.
    if (state.edited !== edited)
      throw new EspalierError({
        code: "stale_plan",
        message: "the conversation was changed while its compaction was prepared",
      });
    return viewReading(state);
  };
  return compactHeld(
    reading,
    { ...state.counted({ ...options, ...(ledger && { ledger }) }), tools: state.tools } as CompactOptions,
    (fields) => state.live().beginCompaction({ ...fields, isRequest, thinking: state.hosts.unled() }),
    after,
  );
}
