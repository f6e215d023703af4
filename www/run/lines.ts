/** At which sizes a profile acts. */

import type { Profile } from "../../js/types/profile.ts";
import type { Lines } from "./types.ts";

/**
 * Returns the sizes in tokens. `limit`: the window for the prompt. `room`: what of it system messages and tools leave.
 * `hasModel`: rules begin nothing beside a conversation, and wait until its window is full.
 */
export function linesOf(
  { start, block, background, shares }: Profile,
  limit: number,
  room: number,
  hasModel: boolean,
): Lines {
  const target = Math.round(limit - room + shares.ongoing * room);
  if (background && !hasModel) return { window: limit, target };
  return {
    window: limit,
    ...(block !== null && { trigger: Math.round(block * limit) }),
    ...(background ? { background: Math.round(start.warm * limit) } : { trigger: Math.round(start.warm * limit) }),
    target,
  };
}
