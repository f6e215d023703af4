/** Finds the conversation and the turn that a chat request continues. */

import { isOurs } from "./history.ts";
import type { Exchange } from "./history.ts";
import type { Talk } from "./talk.ts";
import type { Turn } from "./turns.ts";

/** How conversations are opened. */
export interface Opener {
  /** Opens a stored conversation; returns nothing if there is none. */
  find(id: string): Promise<Talk | undefined>;
  /** Begins a conversation. */
  begin(): Promise<Talk>;
  /** Begins a conversation with the beginning of another one, up to the end of a turn. */
  branch(talk: Talk, turn: Turn): Promise<Talk>;
}

export interface Place {
  talk: Talk;
  /** Exchanges of the session that the conversation does not have: of other participants, or of a lost conversation. */
  missing: Exchange[];
}

/**
 * Returns the conversation, at the turn after which the session's next request comes. The session's history decides:
 *
 * - its newest mark names conversation and turn. After a retry, an edited request or a restored checkpoint that is an
 *   earlier turn, and the conversation is rewound to it;
 * - the turn may lie on a branch that another session (a fork of the chat) has left, or its conversation may be busy
 *   with another session or in use by another window: then a copy of the conversation up to that turn goes on;
 * - without a mark a conversation begins.
 */
export async function placeOf(exchanges: readonly Exchange[], opener: Opener, prompt: string): Promise<Place> {
  const at = exchanges.findLastIndex(({ mark }) => mark !== undefined);
  const mark = exchanges[at]?.mark;
  const found = mark && (await opener.find(mark.conversation));
  const marked = found?.turns.get(mark?.turn);
  if (!found || !marked) return { talk: await opener.begin(), missing: sinceNew(exchanges) };

  let turn: Turn | undefined = marked;
  const missing: Exchange[] = [];
  for (const exchange of exchanges.slice(at + 1)) {
    const stopped: Turn | undefined = isOurs(exchange) ? found.turns.stoppedAfter(turn, exchange.prompt) : undefined;
    if (stopped) turn = stopped;
    else missing.push(exchange);
  }
  // The same words again after a failure are a retry.
  if (turn.isStopped && !turn.isAnswered && turn.prompt === prompt) turn = found.turns.get(turn.parent);

  const isUsed = found.isBusy || found.isTaken;
  if (!turn && isUsed) return { talk: await opener.begin(), missing };
  const isElsewhere = turn !== undefined && (isUsed || !found.turns.leadsFrom(turn));
  const talk = isElsewhere ? await opener.branch(found, turn!) : found;
  talk.rewind(talk.turns.get(turn?.key));
  return { talk, missing };
}

/** Returns the exchanges after the newest `/new`. */
function sinceNew(exchanges: readonly Exchange[]): Exchange[] {
  const start = exchanges.findLastIndex((exchange) => isOurs(exchange) && exchange.command === "new");
  return exchanges.slice(start + 1).filter(({ command }) => command === undefined || command === "search");
}
