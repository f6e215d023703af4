/** Compacting what the user points at: the messages in it are all the compaction gets to see. */

import { EspalierError } from "../errors.ts";
import type { NeutralMessage } from "../types.ts";

export interface Picked {
  messages: NeutralMessage[];
  /** Ids that the bounds grew to contain, so that calls and results stay together. */
  grown: string[];
}

/** Share of what messages may have that a compaction leaves as a tail, its cap in tokens, and how much more is still taken for one. */
const TAIL = 0.15;
const MOST = 40_000;
const REACH = 1.24;

const isFrame = ({ role }: NeutralMessage) => role === "system" || role === "developer";
const hasResults = ({ parts }: NeutralMessage) => parts.some(({ type }) => type === "toolResult");

/**
 * The view reduced to a range: the frame, the messages from..to, and one message that weighs as much as the tail that a compaction leaves,
 * so that the cut lies right behind the range. `tokens` counts a message.
 *
 * @throws EspalierError `unknown_id`, `bad_input`
 */
export function picked(view: readonly NeutralMessage[], from: string | undefined, to: string | undefined, tokens: (message: NeutralMessage) => number): Picked {
  const body = view.filter((message) => !isFrame(message));
  const place = (id: string | undefined, path: string, absent: number) => {
    if (id === undefined) return absent;
    const at = body.findIndex((message) => message.id === id);
    if (at < 0) throw new EspalierError({ code: "unknown_id", message: `there is no message ${JSON.stringify(id)} in the view`, path });
    return at;
  };
  const [start, end] = [place(from, "from", 0), place(to, "to", body.length - 1)];
  if (start > end) throw new EspalierError({ code: "bad_input", message: `${from} comes after ${to}`, path: "from" });
  let [first, last] = [start, end];
  while (first > 0 && hasResults(body[first]!)) first -= 1;
  while (last + 1 < body.length && hasResults(body[last + 1]!)) last += 1;
  const range = body.slice(first, last + 1);
  const grown = [...body.slice(first, start), ...body.slice(end + 1, last + 1)].map(({ id }) => id);
  // The newest request is carried by every compaction, so it has to be there for what is said about it.
  const request = body.findLast((message) => message.role === "user" && !hasResults(message));
  const behind = request && !range.includes(request) && body.indexOf(request) > last ? [request] : [];
  const covered = range.reduce((sum, message) => sum + tokens(message), 0);
  // The tail is a share of everything, itself included.
  const target = Math.min((TAIL * covered) / (1 - TAIL * REACH), MOST);
  const weight = Math.max(1, Math.floor(target * REACH));
  const tail: NeutralMessage = { id: "~behind", role: "assistant", parts: [{ type: "opaque", json: "{}", tokens: weight }] };
  return { messages: [...view.filter(isFrame), ...range, ...behind, tail], grown };
}
