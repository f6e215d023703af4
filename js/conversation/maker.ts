/** Makes compactions, without changing the conversation. */

import { triggerForHooks, callWithTimeout } from "../engine/drive.ts";
import { isCrash } from "../engine/engine.ts";
import { failedOption } from "../tokens/host-failure.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { isLasting } from "../log/fields.ts";
import type { CompactHooks, CompactOptions, Trigger } from "../types/compact.ts";
import type { CompactReport, Edit } from "../types/compact-report.ts";
import type { CountOptions, Totals } from "../types/count.ts";
import type { Context } from "./context.ts";
import type { Look } from "./machine.ts";
import type { Compacted } from "./types.ts";

/** A compaction that was made but not applied. */
export interface Made {
  status: Compacted["status"];
  trigger: Trigger;
  focus?: string;
  /** Position in the log of the view that it was made from. */
  since: number;
  /** Number of messages at that time. */
  originals?: number;
  edits: Edit[];
  before: Totals;
  /** Start time by the host's clock. */
  began: number;
  report?: CompactReport;
  error?: string;
  /** The error that ended it, if its status is an error. */
  thrown?: EspalierError;
  job?: number;
}

export interface Wanted {
  focus?: string | undefined;
  /** Whether to ask the host's model, if there is one. */
  model: boolean;
  /** Cut results, without a summary. */
  cutOnly?: boolean;
  signal?: AbortSignal | undefined;
  job?: number | undefined;
  range?: { from: string | undefined; to: string | undefined };
  /** Max tokens of the view; default: those of a request. */
  budget?: number;
  /** The text of the summary; no model is asked then. */
  summary?: string;
}

/**
 * Tokens that a compaction leaves to the next turns, in little room too: replayed, fewer make a compaction of every few
 * results, each of which costs a record and the cache.
 */
const NEXT_TURNS = 3_000;
/** The least share of the room that a compaction fills, however little the next turns have then. */
const LEAST_TARGET = 0.2;

/** Statuses of compactions that had nothing to do. */
const NOTHING: readonly Compacted["status"][] = ["nothing_to_compact", "unchanged"];
/**
 * Triggers of automatic compactions. They need this many messages to be worthwhile; a compaction by hand may be tried
 * repeatedly.
 */
const AUTOMATIC: readonly Trigger[] = [
  "threshold",
  "overflow",
  "provider_error",
  "model_switch",
  "memory_pressure",
  "agent_request",
];

export class Maker<T> {
  private readonly c: Context<T>;

  constructor(context: Context<T>) {
    this.c = context;
  }

  /** Makes a compaction of the current request, which is `known` if nothing happened since. Only bad options throw. */
  async make(trigger: Trigger, wanted: Wanted, known?: Look<T>): Promise<Made> {
    const {
      profile,
      timeoutsMs,
      clock,
      compaction: { hooks = this.c.hooks, hookTimeoutMs = timeoutsMs.hook },
    } = this.c;
    const isBeside = wanted.job !== undefined;
    let isTold = false;
    const preCompact = hooks?.preCompact && this.c.inside.wrap(hooks.preCompact, isBeside);
    const postCompact = hooks?.postCompact && this.c.inside.wrap(hooks.postCompact, isBeside);
    const telling: CompactHooks | undefined = hooks && {
      ...(preCompact && { preCompact: (event, context) => ((isTold = true), preCompact(event, context)) }),
      ...(postCompact && { postCompact }),
    };
    const look = known ? this.c.current(known) : this.c.look();
    const made = await this.made(trigger, wanted, look, telling);
    if (!preCompact || isTold || !profile.hook.onNoop || !NOTHING.includes(made.status)) return made;
    // Some hooks are called even if no compaction follows; their additions are dropped then.
    const { focus, signal } = wanted;
    const event = {
      trigger: triggerForHooks(trigger, profile.hook.twoTriggers),
      ...(focus !== undefined && { focus }),
      covered: [],
      coveredTokens: 0,
      before: made.before,
      budget: this.room(look),
    };
    await callWithTimeout(
      hookTimeoutMs,
      "the hook did not end",
      signal,
      async (stop) => preCompact(event, { signal: stop }),
      (ms, done) => clock.after(ms, done),
    );
    return made;
  }

  /** Returns our tokens that a request may take besides the separate system prompt. */
  private room({ budget }: Look<T>): number {
    return Math.max(0, budget - this.c.apart);
  }

  private async made(
    trigger: Trigger,
    { focus, model, cutOnly = false, signal, job, range, budget, summary }: Wanted,
    look: Look<T>,
    hooks: CompactHooks | undefined,
  ): Promise<Made> {
    const { log, profile, llm, timeoutsMs, compaction, clock, events, inside } = this.c;
    const made: Made = {
      status: "nothing_to_compact",
      trigger,
      since: log.length,
      originals: log.originals,
      edits: [],
      before: look.view.after,
      began: clock.now(),
      ...(focus !== undefined && { focus }),
      ...(job !== undefined && { job }),
    };
    const ladder = compaction.ladder ?? profile.ladder;
    const asks = model && llm !== undefined;
    if (log.originals === 0) return { ...made, status: "not_ready", error: "there are no messages yet" };
    if (!range && budget === undefined && summary === undefined && look.isCompacted) return made;
    const least = AUTOMATIC.includes(trigger) ? profile.minMessages.automatic : profile.minMessages.manual;
    if (look.counted < least) return made;
    const room = budget ?? this.room(look);
    const present = new Set(look.view.plan.map((item) => (item.type === "insert" ? item.message.id : item.id)));
    const pinned = log
      .pins()
      .flatMap(({ message, rewound }) => (message !== undefined && !rewound && present.has(message) ? [message] : []));
    const stage = (name: "asking" | "answered") =>
      events.emit({ type: "compaction_progress", stage: name, trigger, ...(job !== undefined && { job }) });
    // For hooks, for the shape of the request, for the host's model. A range is exact: nothing outside of it may
    // change.
    const told = {
      trigger,
      profile: JSON.parse(profile.text) as NonNullable<CompactOptions["profile"]>,
      cacheWarm: look.isWarm,
      ...(job !== undefined && { jobId: String(job) }),
      hookTimeoutMs: timeoutsMs.hook,
      targetShare: targetOf(
        profile.shares.ongoing,
        asks ? undefined : room - look.view.after.frame - look.view.after.tools,
      ),
      ...(range && {
        ladder: ["summary", "offline"] as const,
        cover: {
          ...(range.from !== undefined && { from: range.from }),
          ...(range.to !== undefined && { to: range.to }),
        },
      }),
    };
    const options: Omit<CompactOptions, keyof CountOptions> = {
      // If the model fails, the caller decides whether rules continue at once.
      onFailure: "leave",
      ...told,
      ...compaction,
      ...(hooks && { hooks }),
      ...(cutOnly && { ladder: ladder.filter((rung) => rung !== "summary" && rung !== "offline") }),
      budget: range ? Number.MAX_SAFE_INTEGER : room,
      // The conversation's own model takes its whole window, whatever the user's threshold; another model's limits come
      // from its options or its refusals.
      ...(compaction.maxLlmTokens === undefined &&
        compaction.llmModel === undefined && { maxLlmTokens: Math.max(room, look.window) }),
      force: true,
      keep: [...new Set([...(compaction.keep ?? []).filter((id) => present.has(String(id))), ...pinned])],
      timeoutMs: timeoutsMs.model,
      onProgress: ({ type }: { type: string }) => {
        if (type === "model") stage("asking");
        if (type === "answered") stage("answered");
      },
      ...(focus !== undefined && { focus }),
      ...(asks && { llm: inside.wrap(llm, job !== undefined) }),
      ...(compaction.readFile && { readFile: inside.wrap(compaction.readFile, job !== undefined) }),
      ...(summary !== undefined && {
        llm: async () => `<summary>${summary.replaceAll("</summary>", "<\\/summary>")}</summary>`,
      }),
      ...(signal && { signal }),
    };
    try {
      const { status, edits, report } = await log.compactView(options, (ms, done) => clock.after(ms, done));
      const lasting = edits.filter(isLasting);
      // Removals that only make one request fit are no compaction of the conversation.
      const isNobody = !asks && summary === undefined && !cutOnly && !range && !ladder.includes("offline");
      const is =
        lasting.length > 0 ? status : isNobody ? "not_ready" : status === "applied" ? "nothing_to_compact" : status;
      const why = is === "not_ready" ? "there is no model, and the ladder has no offline summary" : report.model?.error;
      return {
        ...made,
        status: is,
        edits: is === "applied" ? lasting.map((edit) => this.withFacts(edit)) : [],
        report,
        ...(why !== undefined && { error: why }),
      };
    } catch (error) {
      const option = failedOption(error);
      if (option) {
        const wanted = option === "tokenizer" ? "a function that counts every text" : "a function that does not throw";
        const thrown = error instanceof EspalierError ? error : bad(option, wanted, error);
        return {
          ...made,
          status: "count_failed",
          error: error instanceof Error ? error.message : thrown.message,
          thrown,
        };
      }
      if (!(error instanceof EspalierError)) throw error;
      if (error.code === "budget_exceeded")
        return { ...made, status: "budget_exceeded", error: error.message, thrown: error };
      if (!isCrash(error)) throw error;
      events.emit({ type: "warning", code: "engine", message: error.message });
      return { ...made, status: "engine_failed", error: error.message, thrown: error };
    }
  }

  /** Appends facts that are pinned in words and found no place in the record, since they exist nowhere else. */
  private withFacts(edit: Edit): Edit {
    const { message } = edit;
    if (!message) return edit;
    const facts = this.c.log.pins().flatMap(({ fact = "" }) => {
      const line = fact.replace(/\s+/g, " ").trim();
      return line === "" || message.parts.some((part) => part.type === "text" && part.text.includes(line))
        ? []
        : [`- ${line}`];
    });
    if (facts.length === 0) return edit;
    const block = `\n<pinned-facts>\n${facts.join("\n").replaceAll("</pinned-facts>", "")}\n</pinned-facts>`;
    const at = message.parts.findLastIndex(({ type }) => type === "text");
    const parts = message.parts.map((part, number) =>
      number === at && part.type === "text" ? { ...part, text: part.text + block } : part,
    );
    return { ...edit, message: { ...message, parts } };
  }
}

/**
 * Returns the share of `room`, the tokens for messages, that a compaction fills: a profile's, less in little room. A model
 * would need two requests for what more is covered then (no `room`).
 */
function targetOf(ongoing: number, room: number | undefined): number {
  if (room === undefined) return ongoing;
  return Math.min(ongoing, Math.max(LEAST_TARGET, 1 - NEXT_TURNS / Math.max(room, 1)));
}
