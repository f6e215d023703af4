/** Makes compactions, without changing the conversation. */

import { triggerForHooks, callWithTimeout } from "../engine/drive.ts";
import { isCrash } from "../engine/engine.ts";
import { failedOption } from "../tokens/host-failure.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { isLasting } from "../log/fields.ts";
import type { CompactHooks, CompactOptions, Trigger } from "../types/compact.ts";
import type { CompactReport, CompactResult, Edit } from "../types/compact-report.ts";
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

type Result = Pick<CompactResult<unknown>, "status" | "edits" | "report">;

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

  private async made(trigger: Trigger, wanted: Wanted, look: Look<T>, hooks: CompactHooks | undefined): Promise<Made> {
    const { log, profile, llm, clock } = this.c;
    const { focus, model, job, range, budget, summary } = wanted;
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
    if (log.originals === 0) return { ...made, status: "not_ready", error: "there are no messages yet" };
    if (!range && budget === undefined && summary === undefined && look.isCompacted) return made;
    const least = AUTOMATIC.includes(trigger) ? profile.minMessages.automatic : profile.minMessages.manual;
    if (look.counted < least) return made;
    const asks = model && llm !== undefined;
    const options = { ...this.options(trigger, wanted, look, asks), ...(hooks && { hooks }) };
    try {
      const result = await log.compactView(options, (ms, done) => clock.after(ms, done));
      return { ...made, ...this.outcome(result, wanted, asks) };
    } catch (error) {
      return { ...made, ...this.failure(error) };
    }
  }

  /** The steps of a compaction that change requests, in order. */
  private get ladder(): NonNullable<CompactOptions["ladder"]> {
    return this.c.compaction.ladder ?? this.c.profile.ladder;
  }

  /** Returns the options of a compaction. `asks`: the host's model writes the summary. */
  private options(
    trigger: Trigger,
    wanted: Wanted,
    look: Look<T>,
    asks: boolean,
  ): Omit<CompactOptions, keyof CountOptions> {
    const { profile, llm, timeoutsMs, compaction, inside } = this.c;
    const { focus, cutOnly = false, signal, job, range, budget, summary } = wanted;
    const room = budget ?? this.room(look);
    const messages = room - look.view.after.frame - look.view.after.tools;
    const isBeside = job !== undefined;
    return {
      // If the model fails, the caller decides whether rules continue at once.
      onFailure: "leave",
      trigger,
      // For hooks, for the shape of the request, for the host's model.
      profile: JSON.parse(profile.text) as NonNullable<CompactOptions["profile"]>,
      cacheWarm: look.isWarm,
      ...(isBeside && { jobId: String(job) }),
      hookTimeoutMs: timeoutsMs.hook,
      targetShare: targetOf(profile.shares.ongoing, asks ? undefined : messages),
      // A range is exact: nothing outside of it may change.
      ...(range && {
        ladder: ["summary", "offline"] as const,
        cover: {
          ...(range.from !== undefined && { from: range.from }),
          ...(range.to !== undefined && { to: range.to }),
        },
      }),
      ...compaction,
      ...(cutOnly && { ladder: this.ladder.filter((rung) => rung !== "summary" && rung !== "offline") }),
      budget: range ? Number.MAX_SAFE_INTEGER : room,
      // The conversation's own model takes its whole window, whatever the user's threshold; another model's limits come
      // from its options or its refusals.
      ...(compaction.maxLlmTokens === undefined &&
        compaction.llmModel === undefined && { maxLlmTokens: Math.max(room, look.window) }),
      force: true,
      keep: this.kept(look),
      timeoutMs: timeoutsMs.model,
      onProgress: ({ type }: { type: string }) => this.tell(type, trigger, job),
      ...(focus !== undefined && { focus }),
      ...(asks && llm && { llm: inside.wrap(llm, isBeside) }),
      ...(compaction.readFile && { readFile: inside.wrap(compaction.readFile, isBeside) }),
      ...(summary !== undefined && {
        llm: async () => `<summary>${summary.replaceAll("</summary>", "<\\/summary>")}</summary>`,
      }),
      ...(signal && { signal }),
    };
  }

  /** Returns the ids of messages in the view that must stay: those of the host's options, and pinned ones. */
  private kept(look: Look<T>): (string | number)[] {
    const present = new Set(look.view.plan.map((item) => (item.type === "insert" ? item.message.id : item.id)));
    const given = this.c.compaction.keep ?? [];
    const pinned = this.c.log
      .pins()
      .flatMap(({ message, rewound }) => (message !== undefined && !rewound ? [message] : []));
    return [...new Set([...given, ...pinned])].filter((id) => present.has(String(id)));
  }

  private tell(type: string, trigger: Trigger, job: number | undefined): void {
    const stage = type === "model" ? "asking" : type === "answered" ? "answered" : undefined;
    if (stage) this.c.events.emit({ type: "compaction_progress", stage, trigger, ...(job !== undefined && { job }) });
  }

  /** Returns what a compaction that ended comes to for the conversation. */
  private outcome({ status, edits, report }: Result, wanted: Wanted, asks: boolean): Partial<Made> {
    const { cutOnly, range, summary } = wanted;
    // Removals that only make one request fit are no compaction of the conversation.
    const lasting = edits.filter(isLasting);
    const isNobody = !asks && summary === undefined && !cutOnly && !range && !this.ladder.includes("offline");
    const is =
      lasting.length > 0 ? status : isNobody ? "not_ready" : status === "applied" ? "nothing_to_compact" : status;
    const why = is === "not_ready" ? "there is no model, and the ladder has no offline summary" : report.model?.error;
    return {
      status: is,
      edits: is === "applied" ? lasting.map((edit) => this.withFacts(edit)) : [],
      report,
      ...(why !== undefined && { error: why }),
    };
  }

  /** Returns the status of a compaction that threw. Only bad options are thrown again. */
  private failure(error: unknown): Partial<Made> {
    const option = failedOption(error);
    if (option) {
      const wanted = option === "tokenizer" ? "a function that counts every text" : "a function that does not throw";
      const thrown = error instanceof EspalierError ? error : bad(option, wanted, error);
      return { status: "count_failed", error: error instanceof Error ? error.message : thrown.message, thrown };
    }
    if (!(error instanceof EspalierError)) throw error;
    const { code, message } = error;
    if (code === "budget_exceeded") return { status: "budget_exceeded", error: message, thrown: error };
    if (!isCrash(error)) throw error;
    this.c.events.emit({ type: "warning", code: "engine", message });
    return { status: "engine_failed", error: message, thrown: error };
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
 * Returns the share of `room`, the tokens for messages, that a compaction fills: a profile's, less in little room. A
 * model would need two requests for what more is covered then (no `room`).
 */
function targetOf(ongoing: number, room: number | undefined): number {
  if (room === undefined) return ongoing;
  return Math.min(ongoing, Math.max(LEAST_TARGET, 1 - NEXT_TURNS / Math.max(room, 1)));
}
