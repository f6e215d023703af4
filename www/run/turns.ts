/** Divides a recorded conversation into the requests of its agent. */

import type { NeutralMessage } from "../../js/types/messages.ts";

/**
 * Returns for each request the number of messages that it was made of. The agent sent a request before every message of
 * the model; a conversation that does not end with one has a last request that is still to be answered.
 */
export function requestEnds(messages: readonly NeutralMessage[]): number[] {
  const ends: number[] = [];
  let hasContent = false;
  for (const [at, { role }] of messages.entries()) {
    const isModels = role === "assistant";
    if (isModels && hasContent && messages[at - 1]?.role !== "assistant") ends.push(at);
    hasContent ||= role !== "system" && role !== "developer";
  }
  if (hasContent && messages.at(-1)?.role !== "assistant") ends.push(messages.length);
  return ends;
}
