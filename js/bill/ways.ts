/**
 * The ways in which a recorded conversation can be sent again: whole, pruned, or compacted. Each makes one request at a
 * time.
 */

import { LIFETIMES } from "../cache/lifetimes.ts";
import { profile } from "../calls/profile.ts";
import { Pruner } from "../calls/pruner.ts";
import { openConversation } from "../conversation/open.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Llm, LlmRequest } from "../types/llm.ts";
import type { NeutralMessage } from "../types/messages.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { Counts, Replayed } from "./replayed.ts";

/** A request that a way makes. */
export interface MadeRequest {
  messages: readonly NeutralMessage[];
  /** Requests to the summarising model, made for this request. */
  calls: readonly SummaryCall[];
  /** Tokens of the request if it would have been refused, and was cut by the host. */
  refused?: number;
}

export interface SummaryCall {
  request: LlmRequest;
  text: string;
}

export interface Way {
  /** Makes the request of the first `end` messages, at a time in milliseconds. */
  make(end: number, time: number): Promise<MadeRequest>;
  end(): Promise<void>;
}

/** More tokens than any conversation has: only repairs change it. */
const UNLIMITED = 2 ** 40;

/**
 * Sends the whole conversation while it fits `window`, repaired as every provider demands. From then on its host sends
 * the system messages and the newest others that fit, as hosts do that trim by age.
 */
export function whole(source: Replayed, window: number): Way {
  const { counts } = source;
  const repaired = pruned(source, UNLIMITED);
  return {
    make: async (end, time) => {
      const { messages } = await repaired.make(end, time);
      const tokens = counts.totalIn(messages);
      if (tokens <= window) return { messages, calls: [] };
      return { messages: newest(messages, counts, window), calls: [], refused: tokens };
    },
    end: () => repaired.end(),
  };
}

function newest(all: readonly NeutralMessage[], counts: Counts, window: number): NeutralMessage[] {
  const isFrame = ({ role }: NeutralMessage) => role === "system" || role === "developer";
  const frame = all.filter(isFrame);
  const rest = all.filter((message) => !isFrame(message));
  let used = counts.base + frame.reduce((sum, message) => sum + counts.tokensOf(message), 0);
  let from = rest.length;
  while (from > 0 && used + counts.tokensOf(rest[from - 1]!) <= window) used += counts.tokensOf(rest[--from]!);
  // Providers refuse results without their calls.
  while (from < rest.length && rest[from]!.role === "tool") from += 1;
  return [...frame, ...rest.slice(from)];
}

/** Cuts each request to `budget`, like the previous one while that fits. */
export function pruned({ requestOf, tools, counting }: Replayed, budget: number): Way {
  const pruner = new Pruner();
  const options = { ...counting, ...(tools && { tools }), budget };
  return {
    make: (end) => {
      const { messages } = pruner.pruneRead(requestOf(end), options);
      return Promise.resolve({ messages: messages as NeutralMessage[], calls: [] });
    },
    end: () => Promise.resolve(pruner.free()),
  };
}

/** How the conversation that compacts is set up. */
export interface ConversationSetup {
  llm: Llm | undefined;
  profile: CompactOptions["profile"];
  /** Lifetime of cache entries. */
  lifetimeMs: number;
}

/** Sends what a conversation prepares. */
export async function compacted(
  { messages, tools, counting }: Replayed,
  budget: number,
  { llm, profile: settings, lifetimeMs }: ConversationSetup,
): Promise<Way> {
  let now = 0;
  let calls: SummaryCall[] = [];
  const recorded: Llm | undefined =
    llm &&
    (async (request, context) => {
      const reply = await llm(request, context);
      calls.push({ request, text: typeof reply === "string" ? reply : (reply.text ?? "") });
      return reply;
    });
  const conversation: Conversation<NeutralMessage> = await openConversation<NeutralMessage>({
    ...counting,
    ...(settings !== undefined && { profile: settings }),
    ...(tools && { tools }),
    model: { maxPromptTokens: budget },
    entropy: "bill",
    // Of two lifetimes the one that is not shorter: a pause that it outlasts may find the cache.
    cacheLifetime: lifetimeMs <= LIFETIMES["5m"] ? "5m" : "1h",
    // Nothing here waits, so that no timeout is due.
    clock: { now: () => now, after: () => () => undefined },
    ...(recorded && { llm: recorded }),
  });
  let appended = 0;
  return {
    make: async (end, time) => {
      now = time;
      conversation.append(messages.slice(appended, end));
      appended = end;
      const { messages: made } = await conversation.prepare();
      // A summary beside the conversation is ready before the next request.
      while (conversation.usage().job === "running") await turn();
      const done = calls;
      calls = [];
      return { messages: made, calls: done };
    },
    end: async () => void (await conversation.dispose()),
  };
}

/** Returns a model that answers with a summary of about `tokens` tokens, in the form that the profile asks for. */
export function scriptedSummary(tokens: number, given: CompactOptions["profile"]): Llm {
  const { tag, markup, sections } = profile(given ?? "espalier").summary.form;
  // A word is a token, and the heading of a section about six.
  const words = Math.max(1, Math.round(tokens / sections.length) - 6);
  const body = "said ".repeat(words).trim();
  const text = sections.map(({ name }) => {
    const element = name.toLowerCase().replace(/\W+/g, "_");
    return markup === "elements" ? `<${element}>\n${body}\n</${element}>` : `## ${name}\n${body}`;
  });
  return () => Promise.resolve(`<${tag}>\n${text.join("\n\n")}\n</${tag}>`);
}

/** Resolves in the next turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
