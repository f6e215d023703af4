/** Pins, as long as they leave room for a request. */

import { EspalierError } from "../errors/errors.ts";
import type { LogPin } from "../log/types.ts";
import type { Context } from "./context.ts";

/**
 * Adds a pin; returns its id. @throws EspalierError `pin_budget_exceeded`, and those of the log: nothing is pinned then
 */
export function pin<T>(context: Context<T>, wanted: LogPin): string {
  const { log } = context;
  const id = log.pin(wanted);
  const { usage, budget } = context.look();
  const pins = log.pins().filter(({ rewound }) => !rewound);
  const pinned = pins.reduce((sum, { tokens }) => sum + tokens, 0);
  if (usage.frame + usage.tools + pinned <= budget) return id;
  log.unpin(id);
  throw new EspalierError({
    code: "pin_budget_exceeded",
    path: "pin",
    details: { budget, pinned, pins: pins.map((row) => ({ id: row.id, tokens: row.tokens, reason: row.reason })) },
    message: `pins would take ${pinned} tokens besides ${usage.frame + usage.tools} of system prompt and tools, but a request may have only ${budget}`,
  });
}
