/** Divides a recorded conversation into the requests of its agent. */

import type { NeutralMessage } from "../types/messages.ts";

/**
 * Returns for each request the number of messages that it was made of. The agent sent a request before every message of
 * the model; a conversation that does not end with one has a last request that is still to be answered.
 */
export function requestEnds(messages: readonly Pick<NeutralMessage, "role">[]): number[] {
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

/** A request of a recorded conversation. */
export interface RecordedRequest {
  /** Number of messages that it was made of. */
  end: number;
  /** Milliseconds; ascending. */
  time: number;
  /** Tokens of the model's answer; 0 if it is still to come. */
  output: number;
}

/**
 * Returns the requests with their times: that of the newest message of each, or of the answer; without either,
 * `paceMs` after the previous request.
 */
export function recordedRequests(
  messages: readonly Pick<NeutralMessage, "role">[],
  tokens: readonly number[],
  times: readonly (number | undefined)[],
  paceMs: number,
): RecordedRequest[] {
  const ends = requestEnds(messages);
  let before: number | undefined;
  return ends.map((end, number) => {
    const next = ends[number + 1] ?? messages.length;
    let output = 0;
    for (let at = end; at < next && messages[at]!.role === "assistant"; at += 1) output += tokens[at]!;
    const recorded = times[end - 1] ?? times[end];
    const time: number = Math.max(before ?? 0, recorded ?? (before === undefined ? 0 : before + paceMs));
    before = time;
    return { end, time, output };
  });
}
