/** Renames events to those of Copilot Chat's telemetry and of gemini-cli's stream. */

import type { CompactionComplete, ConversationEvent, CopilotChatEvent, GeminiCliEvent } from "./types.ts";

type Status = CompactionComplete["status"];

/** Copilot Chat's names for the outcomes of the model's summary. A failed response counts by its own type there. */
const OUTCOMES: Partial<Record<Status, string>> = {
  applied: "success",
  budget_exceeded: "budget_exceeded",
  model_failed: "requestThrow",
  timeout: "requestThrow",
  engine_failed: "renderError",
  count_failed: "renderError",
  inflated: "too_large",
  no_gain: "too_large",
  cancelled: "canceled",
};

/** Renames events to Copilot Chat's. Its event for a background summary depends on the events before. */
export class CopilotChatNames {
  /** Share of the limit that the newest request used. */
  private ratio = 0;
  /** The job that a request waited for. */
  private awaited: number | undefined;
  /** The trigger of a summary that was applied for an overflowing request; its outcome depends on the next render. */
  private used: string | undefined;

  of(event: ConversationEvent): CopilotChatEvent[] {
    const before = this.rendered(event);
    if (event.type === "context_usage" || event.type === "compaction_start") this.ratio = event.ratio;
    if (event.type === "compaction_complete") return [...before, ...this.completed(event)];
    if (event.type !== "compaction_progress") return before;
    const { stage, job } = event;
    if (stage === "waiting") this.awaited = job;
    if (stage === "dropped") return [this.background("preRender", "discardedBelowApplyMinRatio")];
    if (stage === "skipped") return [{ type: "triggerSummarizeSkipped", data: { contextRatio: this.ratio } }];
    return [];
  }

  /** Reports whether the request fits with the applied summary, once an event shows it. */
  private rendered({ type, ...event }: ConversationEvent): CopilotChatEvent[] {
    const { used } = this;
    if (type === "compaction_insufficient" && used === undefined && !("job" in event))
      return [{ type: "triggerSummarizeFailed", data: { outcome: "budgetExceeded" } }];
    const isTooLarge = ["compaction_insufficient", "context_trimmed", "compaction_start"].includes(type);
    if (used === undefined || !(isTooLarge || type === "context_usage")) return [];
    this.used = undefined;
    return [this.background(used, isTooLarge ? "appliedButReRenderFailed" : "applied")];
  }

  private completed(event: CompactionComplete): CopilotChatEvent[] {
    const { status, success, model, job, llmModel, duration } = event;
    const out: CopilotChatEvent[] = [];
    const failure = model?.failure;
    const asked = model?.asked?.at(-1);
    const outcome = OUTCOMES[failure ?? status] ?? "failed";
    if (model) {
      const about = {
        ...(llmModel !== undefined && { model: llmModel }),
        ...(asked && { summarizationMode: asked.shape, promptTokenCount: asked.promptTokens }),
      };
      out.push({
        type: "summarizedConversationHistory",
        data: { outcome, ...about, duration, contextRatio: this.ratio },
      });
    }
    if (job !== undefined) {
      const waited = this.awaited === job;
      this.awaited = undefined;
      const trigger = waited ? "budgetExceededWaited" : this.ratio > 1 ? "budgetExceededReady" : "preRender";
      // A job that failed while no request needed it is only a failed summary.
      if (success && trigger !== "preRender") this.used = trigger;
      else if (success || trigger !== "preRender") out.push(this.background(trigger, success ? "applied" : "noResult"));
      return out;
    }
    const isError = !success && ["budget_exceeded", "engine_failed", "count_failed"].includes(status);
    if (isError || failure !== undefined || (!success && model)) {
      out.push({
        type: "triggerSummarizeFailed",
        data: { outcome: status === "budget_exceeded" ? "budgetExceeded" : "error" },
      });
    }
    return out;
  }

  private background(trigger: string, outcome: string): CopilotChatEvent {
    return { type: "backgroundSummarizationApplied", data: { trigger, outcome, contextRatio: this.ratio } };
  }
}

/**
 * gemini-cli's `CompressionStatus`. It declares 3 and never returns it; here it means that the host's tokenizer failed
 * on the new history.
 */
const [COMPRESSED, INFLATED, TOKEN_COUNT_ERROR, EMPTY_SUMMARY, NOOP, CONTENT_TRUNCATED] = [1, 2, 3, 4, 5, 6];
const STATUSES: Partial<Record<Status, number>> = {
  inflated: INFLATED,
  no_gain: INFLATED,
  empty_summary: EMPTY_SUMMARY,
  no_summary_tag: EMPTY_SUMMARY,
  tool_call_instead: EMPTY_SUMMARY,
  count_failed: TOKEN_COUNT_ERROR,
  unchanged: NOOP,
  nothing_to_compact: NOOP,
};

/** Returns gemini-cli's event for a compaction; none for an error, which ends the turn there. */
export function asGeminiCli(event: ConversationEvent): GeminiCliEvent[] {
  if (event.type !== "compaction_complete") return [];
  const { status, summary, tokensBefore, tokensAfter } = event;
  const compressionStatus =
    status === "applied" ? (summary === undefined ? CONTENT_TRUNCATED : COMPRESSED) : STATUSES[status];
  if (compressionStatus === undefined) return [];
  return [
    {
      type: "chat_compressed",
      data: { originalTokenCount: tokensBefore, newTokenCount: tokensAfter, compressionStatus },
    },
  ];
}
