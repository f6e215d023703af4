/** How full the next request is: by our counts, and by what providers reported of those before. */

import { countMessages } from "../calls/count.ts";
import type { LogView } from "../log/types.ts";
import type { Prediction } from "../tokens/texts.ts";
import type { Totals } from "../types/count.ts";
import type { Context, Look } from "./context.ts";
import type { ContextUsage } from "./types.ts";

/** Tools that a warning names. */
const LARGEST = 5;

export class Meter<T> {
  /** Tokens of the newest request. */
  sent = 0;
  /** Where the server manages the context: what it counted of the newest request, and what we did. */
  managed: { reported: number; ours: number } | undefined;
  private readonly c: Context<T>;

  constructor(context: Context<T>) {
    this.c = context;
  }

  look(): Look<T> {
    const view = this.c.log.view();
    return { view, ...this.measured(view.after, view.origin) };
  }

  /** Of a request that has so much. */
  usageOf(after: Totals, { view }: Look<T>): ContextUsage {
    return this.measured(after, view.origin).usage;
  }

  /** Tokens of a system prompt that is kept apart from the messages. */
  weighed(system: string | undefined): number {
    if (system === undefined) return 0;
    const { tools: _, ...how } = this.c.log.counted({});
    const count = (messages: unknown[]) => countMessages(messages, how).total;
    return count([{ id: "system", role: "system", parts: [{ type: "text", text: system }] }]) - count([]);
  }

  /** The tools that take most. */
  largestTools(): { name: string; tokens: number }[] {
    const { tools, ...how } = this.c.log.counted({});
    return countMessages([], { ...how, tools })
      .perTool.toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, LARGEST);
  }

  private measured(after: Totals, counted: LogView<T>["origin"]): Omit<Look<T>, "view"> {
    const { limits, apart, cut } = this.c;
    const ours = Math.max(0, after.total + apart - cut);
    const { tokens, bound, origin } = this.managed ? managedBy(this.managed, ours) : limits.predict(ours);
    const { limit, request, source } = limits.of(after.tools);
    const used = tokens + bound;
    // What must not be exceeded is held with the bound; when to begin something goes by what is expected.
    const ratio = limit === 0 ? 0 : limits.measured(tokens, ours) / limit;
    const usage = {
      limit,
      limitSource: source,
      used,
      bound,
      origin: counted === "estimate" ? counted : origin,
      ratio,
      messages: after.messages,
      frame: after.frame + apart,
      conversation: Math.max(0, after.conversation - cut),
      tools: after.tools,
    };
    return { usage, request, overflows: used > request };
  }
}

/** What a server that manages the context will count: what it counted last, and what has come since. */
function managedBy({ reported, ours }: { reported: number; ours: number }, now: number): Prediction {
  return { tokens: Math.max(0, reported + now - ours), bound: 0, origin: "calibrated" };
}
