/** Notifies listeners. A listener that throws has no effect on others. */

import type { Trigger } from "../types/compact.ts";
import type {
  CompactionComplete,
  CompactionStart,
  ContextTrimmed,
  ContextUsageEvent,
  ConversationEvent,
  CopilotChatEvent,
  CopilotCliEvent,
  EventProfile,
  GeminiCliEvent,
} from "./types.ts";
import { asGeminiCli, CopilotChatNames } from "./system-events.ts";

import { usageOf } from "../providers/usage.ts";
import { addUsage } from "../tokens/usage.ts";

export type AnyEvent = ConversationEvent | CopilotCliEvent | CopilotChatEvent | GeminiCliEvent;
/** The event of a type; for `*` any event. */
export type EventOf<K extends AnyEvent["type"] | "*"> = K extends "*" ? AnyEvent : Extract<AnyEvent, { type: K }>;
type Listener = (event: never) => void;

export class Events {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly names: EventProfile;
  private readonly chat = new CopilotChatNames();

  constructor(names: EventProfile) {
    this.names = names;
  }

  /** Adds a listener; the returned function removes it. */
  on<K extends AnyEvent["type"] | "*">(type: K, listener: (event: EventOf<K>) => void): () => void {
    const own = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, own);
    // The same function may be added twice; each addition is removed separately.
    const added: Listener = (event) => listener(event);
    own.add(added);
    return () => void own.delete(added);
  }

  emit(event: ConversationEvent): void {
    const others = this.named(event);
    if (others.length === 0 || this.names === "both") this.tell(event);
    for (const other of others) this.tell(other);
  }

  /** Returns the event under the names of another system, if it has one. */
  private named(event: ConversationEvent): AnyEvent[] {
    if (this.names === "espalier") return [];
    if (this.names === "copilot-chat") return this.chat.of(event);
    return this.names === "gemini-cli" ? asGeminiCli(event) : [asCopilotCli(event) ?? []].flat();
  }

  clear(): void {
    this.listeners.clear();
  }

  private tell(event: AnyEvent): void {
    for (const type of [event.type, "*"]) {
      for (const listener of [...(this.listeners.get(type) ?? [])]) {
        try {
          const result: unknown = (listener as (event: AnyEvent) => unknown)(event);
          // A rejected promise of an asynchronous listener must not end the process.
          if (result instanceof Promise) result.catch(() => undefined);
        } catch {
          // A listener's own error has no effect.
        }
      }
    }
  }
}

/** Returns Copilot CLI's name and fields for an event, if it has one. */
function asCopilotCli(event: ConversationEvent): CopilotCliEvent | undefined {
  switch (event.type) {
    case "compaction_start":
      return { type: "session.compaction_start", data: started(event) };
    case "compaction_complete":
      return { type: "session.compaction_complete", data: completed(event) };
    case "context_trimmed":
      return { type: "session.truncation", data: truncated(event) };
    case "context_cleared":
      return {
        type: "session.context_cleared",
        data: {
          messagesCleared: event.messages,
          ...(event.initialMessage !== undefined && { initialMessage: event.initialMessage }),
        },
      };
    case "context_usage":
      return { type: "session.usage_info", data: used(event) };
    default:
      return undefined;
  }
}

function started({ conversation, used, model, frame, limit, tools, trigger }: CompactionStart) {
  return {
    conversationTokens: conversation,
    currentTokens: used,
    ...(model !== undefined && { model }),
    systemTokens: frame,
    tokenLimit: limit,
    toolDefinitionsTokens: tools,
    trigger: named(trigger),
  };
}

function completed(event: CompactionComplete) {
  const { success, error, trigger, focus, summary, checkpoint, model } = event;
  return {
    success,
    ...(error !== undefined && { error }),
    trigger: named(trigger),
    ...(focus !== undefined && { customInstructions: focus }),
    preCompactionTokens: event.tokensBefore,
    postCompactionTokens: event.tokensAfter,
    preCompactionMessagesLength: event.messagesBefore,
    messagesRemoved: event.messagesRemoved,
    tokensRemoved: event.tokensRemoved,
    ...(summary !== undefined && { summaryContent: summary }),
    ...(checkpoint && { checkpointNumber: checkpoint.number }),
    ...(checkpoint?.path !== undefined && { checkpointPath: checkpoint.path }),
    ...(event.requestId !== undefined && { requestId: event.requestId }),
    ...(model?.statusCode !== undefined && { statusCode: model.statusCode }),
    ...(model?.serviceRequestIds && { serviceRequestId: model.serviceRequestIds.at(-1)! }),
    ...(model && { compactionTokensUsed: tokensUsed(model, event) }),
    conversationTokens: event.conversation,
    systemTokens: event.frame,
    toolDefinitionsTokens: event.tools,
    tokenLimit: event.limit,
  };
}

/** Returns the tokens that the provider reported for the summary's requests; without reports, our own count. */
function tokensUsed(model: NonNullable<CompactionComplete["model"]>, { duration, llmModel }: CompactionComplete) {
  const records = model.usage.flatMap((raw) => usageOf(raw) ?? []);
  const { promptTotal, output, cacheRead, cacheWrite } = addUsage(...records);
  const name = llmModel !== undefined && { model: llmModel };
  if (records.length === 0) return { inputTokens: model.promptTokens, duration, ...name };
  return {
    inputTokens: promptTotal,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    duration,
    ...name,
  };
}

function truncated({ limit, before, after, tokensRemoved, messagesRemoved }: ContextTrimmed) {
  return {
    tokenLimit: limit,
    preTruncationTokensInMessages: before.total - before.tools,
    preTruncationMessagesLength: before.messages,
    postTruncationTokensInMessages: after.total - after.tools,
    postTruncationMessagesLength: after.messages,
    tokensRemovedDuringTruncation: tokensRemoved,
    messagesRemovedDuringTruncation: messagesRemoved,
    performedBy: "BasicTruncator",
  };
}

function used({ limit, used: current, messages, isInitial, conversation, frame, tools }: ContextUsageEvent) {
  return {
    tokenLimit: limit,
    currentTokens: current,
    messagesLength: messages,
    isInitial,
    conversationTokens: conversation,
    systemTokens: frame,
    toolDefinitionsTokens: tools,
  };
}

/** Its names for triggers; it has fewer. */
const TRIGGERS: Partial<Record<Trigger, string>> = {
  provider_error: "context_limit_retry",
  overflow: "threshold",
  agent_request: "threshold",
  range: "manual",
};
function named(trigger: Trigger): string {
  return TRIGGERS[trigger] ?? trigger;
}
