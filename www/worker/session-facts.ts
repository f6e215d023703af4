/** What the page shows of an agent's file. Loaded with the first one. */

import { countMessages } from "../../js/calls/count.ts";
import { readConversation } from "../../js/formats/index.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { Format } from "../../js/types/messages.ts";
import type { SessionFacts, UsageFacts } from "../protocol.ts";
import { peekOf } from "../reading.ts";
import type { OpenSession } from "../session.ts";

/** Max sizes of the lists that are sent to the page. */
const MAX = { problems: 100, summary: 20_000, name: 60 };

export function factsOf(open: OpenSession, encoding: EncodingName): SessionFacts {
  const { session, conversation } = open;
  const { tool, evidence, title, model, version, cwd, window } = session;
  const { format, messages, history, compactions, sideChains, skipped, problems } = session;
  return {
    tool,
    evidence,
    title,
    model,
    version,
    cwd,
    window,
    conversation,
    skipped,
    live: messages.length,
    history: history.length,
    turns: session.turns,
    compactions: compactions.map(({ before, context, summary, tokensBefore, tokensAfter }) => {
      return { before, context: context.length, summary: summary?.slice(0, MAX.summary), tokensBefore, tokensAfter };
    }),
    sides: sideChains.map(({ kind, id, title, messages }) => ({
      kind,
      name: title ?? (beginning(messages, format) || id),
      messages: messages.length,
    })),
    problems: problems.slice(0, MAX.problems),
    broken: problems.length,
    usage: usageOf(open, encoding),
  };
}

/** Returns the first words of a side chain, which tell more than its id. */
function beginning([first]: readonly unknown[], format: Format): string {
  if (first === undefined) return "";
  return peekOf(readConversation([first], { format }).messages[0], MAX.name);
}

/** Counts the newest request: the live context before its answer. */
function usageOf({ session, sessionRequest }: OpenSession, encoding: EncodingName): UsageFacts | undefined {
  const { history, compactions, usage, system, tools } = session;
  const newest = usage.at(-1);
  if (!newest) return undefined;
  const compaction = compactions.findLast(({ before }) => before <= newest.answer);
  const messages = [...(compaction?.context ?? []), ...history.slice(compaction?.before ?? 0, newest.answer)];
  const { total, origin } = countMessages(sessionRequest({ ...session, messages }), {
    format: session.format,
    encoding,
  });
  const missing: UsageFacts["missing"] = [];
  if (system === undefined && !hasSystem(messages)) missing.push("the system prompt");
  if (tools === undefined) missing.push("the tool definitions");
  const {
    usage: { promptTotal, cacheRead },
    model,
  } = newest;
  return {
    recorded: promptTotal,
    cached: cacheRead,
    model,
    counted: total,
    origin,
    messages: messages.length,
    missing,
  };
}

function hasSystem([first]: readonly unknown[]): boolean {
  const role = (first as { role?: unknown } | undefined)?.role;
  return role === "system" || role === "developer" || role === 0;
}
