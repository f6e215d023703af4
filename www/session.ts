/** What is open in the worker, and the messages of its views. */

import type { EspalierError } from "../js/errors/errors.ts";
import type { Session } from "../js/sessions/types.ts";
import type { Format } from "../js/types/messages.ts";
import type { View } from "./protocol.ts";
import type { Readers } from "./reading.ts";

/** A session, and the function that makes requests of it. */
export interface OpenSession {
  name: string;
  /** The number of the conversation, for a file with several. */
  conversation?: number | undefined;
  session: Session;
  sessionRequest: Readers["sessionRequest"];
}

/**
 * The open file: a session, or other content; `unknown` is the error if that is not a transcript either. `log`: the
 * lines of a saved log. `isShape`: filler takes the place of words.
 */
export type Open =
  | OpenSession
  | { name: string; input: unknown; unknown?: EspalierError; log?: string; isShape?: boolean };

/** The input of the engine. */
export interface Counted {
  input: unknown;
  options: { format?: Format };
}

/** Returns the messages of a view, with the other parts of every request of the session. */
export function viewOf(open: Open, view: View): Counted {
  if ("input" in open) return { input: open.input, options: open.log || open.isShape ? { format: "espalier" } : {} };
  const { session, sessionRequest } = open;
  const options = { format: session.format };
  // A sub-agent has its own system prompt and tools.
  return {
    input: typeof view === "object" ? session.sideChains[view.side]?.messages : sessionRequest(session, view),
    options,
  };
}

/** Returns the view with which a file opens. */
export function firstView(open: Open): View {
  return "session" in open && open.session.messages.length === 0 ? "history" : "live";
}
