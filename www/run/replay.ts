/**
 * Replays a conversation through `openConversation` and `prepare`, request by request, as its agent would have made
 * them. The clock, its timers and the model are the replay's: a summary that takes 20 s takes none here.
 */

import type { Conversation } from "../../js/conversation/conversation.ts";
import type { ConversationEvent, Prepared } from "../../js/conversation/types.ts";
import type { LogEditRow } from "../../js/log/types.ts";
import type { countMessages, openConversation } from "../../js/entries/verbs.ts";
import type { profile } from "../../js/calls/profile.ts";
import type { Llm, LlmRequest } from "../../js/types/llm.ts";
import type { NeutralMessage, ToolList } from "../../js/types/messages.ts";
import type { Profile } from "../../js/types/profile.ts";
import { givenProfile } from "../parts/profile-text.ts";
import { ScriptedClock, turn } from "./clock.ts";
import type { Epoch } from "./fates.ts";
import { linesOf } from "./lines.ts";
import { requestEnds } from "../../js/bill/requests.ts";
import type { Lines, RunCall, RunCompaction, RunRequest, Said, Settings } from "./types.ts";
import { LiveModel, scriptedModel } from "./writers.ts";
import type { Ask, Heard } from "./writers.ts";

/** The functions of the package; tests pass those of the built one. */
export interface Package {
  openConversation: typeof openConversation;
  countMessages: typeof countMessages;
  profile: typeof profile;
}

export interface Source {
  messages: readonly NeutralMessage[];
  tools?: ToolList | undefined;
}

/** A request to the model, with everything that can be read of it. */
export interface Asked extends RunCall {
  request: Pick<LlmRequest, "system" | "prompt" | "messages" | "params">;
  reply: string;
}

export interface ReplayOptions {
  /** Asks the model behind an address. */
  ask?: Ask;
  /** Puts an error of that model in a person's words. */
  say?: (error: unknown) => Said;
  /** The time by which that model's answers are measured, in milliseconds. Default: the real one. */
  now?: () => number;
  /** Hears the answer of that model as it comes. */
  wrote?: (call: number, text: string) => void;
}

/** The seed of the replays: the same settings lead to the same run. */
const SEED = "playground";

export class Replay {
  readonly settings: Settings;
  readonly source: Source;
  readonly ends: readonly number[];
  readonly requests: RunRequest[] = [];
  readonly compactions: RunCompaction[] = [];
  readonly calls: Asked[] = [];
  /** The messages of each request. */
  readonly epochs: Epoch[] = [];
  lines: Lines | undefined;
  private readonly pack: Package;
  private readonly options: ReplayOptions;
  private readonly profile: Profile;
  private readonly clock = new ScriptedClock();
  private readonly live: LiveModel;
  private readonly counts: readonly number[];
  private readonly base: number;
  /** Tokens of the first `n` messages, with the tools. */
  private readonly sums: readonly number[];
  private conversation: Conversation<NeutralMessage> | undefined;
  private lastEdits: readonly LogEditRow[] = [];
  private appended = 0;
  /** The compaction that is being made for a request, and the one beside the conversation. */
  private inRequest: RunCompaction | undefined;
  private beside: RunCompaction | undefined;
  private sentAt = 0;
  private isPreparing = false;
  private changed = new Set<RunCompaction | Asked>();
  private usage: { messages: number; tokens: number } | undefined;

  constructor(pack: Package, source: Source, settings: Settings, options: ReplayOptions = {}) {
    this.pack = pack;
    this.source = source;
    this.settings = settings;
    this.options = options;
    this.live = new LiveModel(options.now);
    this.profile = pack.profile(givenProfile(settings.profile));
    this.ends = requestEnds(source.messages);
    const { total, perMessage } = pack.countMessages(source.messages, this.counting);
    this.counts = perMessage.map(({ tokens }) => tokens);
    this.base = total - this.counts.reduce((sum, tokens) => sum + tokens, 0);
    let sum = this.base;
    this.sums = [sum, ...this.counts.map((tokens) => (sum += tokens))];
  }

  /** Makes the next request. Returns false when there is none. */
  async step(signal?: AbortSignal): Promise<boolean> {
    const number = this.requests.length + 1;
    const end = this.ends[number - 1];
    if (end === undefined) return false;
    const conversation = (this.conversation ??= await this.open());
    if (this.appended > 0) await this.pass(this.sentAt + this.settings.pace * 1_000, signal);
    if (this.settings.undo.includes(number)) this.undo(conversation, number);
    conversation.append(this.source.messages.slice(this.appended, end));
    this.appended = end;
    const time = this.clock.now();
    const row: RunRequest = {
      number,
      messages: end,
      history: this.sums[end]!,
      sentMessages: 0,
      cached: 0,
      cachedMessages: 0,
      lost: 0,
      whole: 0,
      time,
      waited: 0,
      trimmed: 0,
    };
    this.usage = undefined;
    this.isPreparing = true;
    try {
      const prepared = await this.settled(conversation.prepare({ ...(signal && { signal }) }), signal);
      this.take(row, prepared);
    } catch (error) {
      if (signal?.aborted) throw error;
      row.error = (error as Error).message;
      this.epochs.push({ count: end, sent: [], entries: conversation.log.length, trimmed: [], repaired: [] });
    } finally {
      this.isPreparing = false;
    }
    this.sentAt = this.clock.now();
    row.waited = this.sentAt - time;
    this.requests.push(row);
    await turn();
    this.notice();
    return number < this.ends.length;
  }

  /** Undoes the newest compaction, as a user could before the next message. */
  private undo(conversation: Conversation<NeutralMessage>, number: number): void {
    if (!conversation.undo()) return;
    const made = this.compactions.findLast(({ outcome, undone }) => outcome === "applied" && undone === undefined);
    if (!made) return;
    made.undone = number;
    this.changed.add(made);
  }

  /** True if it is complete, and another one with these settings would be the same. */
  get isRepeatable(): boolean {
    return this.settings.writer !== "endpoint" && this.requests.length === this.ends.length;
  }

  /** Makes the next news tell of all compactions and calls. */
  retell(): void {
    this.changed = new Set([...this.compactions, ...this.calls]);
  }

  /** Returns what has changed since the last time. */
  news(): { compactions: RunCompaction[]; calls: RunCall[] } {
    const all = [...this.changed];
    this.changed = new Set();
    return {
      compactions: all.flatMap((item) => ("trigger" in item ? [{ ...item }] : [])),
      calls: all.flatMap((item) => ("request" in item ? [slim(item)] : [])),
    };
  }

  /** All edits so far. */
  get edits(): readonly LogEditRow[] {
    return this.conversation?.edits() ?? this.lastEdits;
  }

  async dispose(): Promise<void> {
    this.lastEdits = this.edits;
    let isDone = false;
    const ending = this.conversation?.dispose().finally(() => (isDone = true));
    this.conversation = undefined;
    if (!ending) return;
    // A model that ignores its signal is not waited for.
    for (await turn(); !isDone; await turn()) this.clock.fire();
  }

  /** Tokens of a message alone. */
  tokensAt(index: number): number {
    return this.counts[index] ?? 0;
  }

  get counting() {
    const { tools } = this.source;
    return { format: "espalier" as const, encoding: this.settings.encoding, ...(tools && { tools }) };
  }

  private async open(): Promise<Conversation<NeutralMessage>> {
    const { budget, writer } = this.settings;
    const heard: Heard = {
      started: (request) => this.asked(request),
      wrote: (number, text) => this.wrote(number, text),
      ended: (number, _, error, isAborted) => this.answered(number, error, isAborted),
    };
    let llm: Llm | undefined;
    if (writer === "scripted")
      llm = scriptedModel({ ...this.settings, form: this.profile.summary.form }, this.clock, heard);
    if (writer === "endpoint" && this.options.ask) llm = this.live.llm(this.options.ask, this.clock, heard);
    const conversation = await this.pack.openConversation<NeutralMessage>({
      ...this.counting,
      profile: this.profile,
      model: { maxPromptTokens: budget },
      entropy: SEED,
      clock: { now: this.clock.now, after: this.clock.after },
      onEvent: (event) => this.hear(event as ConversationEvent),
      ...(llm && { llm }),
    });
    const { limit, frame, tools } = conversation.usage();
    this.lines = linesOf(this.profile, limit, limit - frame - tools, llm !== undefined);
    return conversation;
  }

  // ------------------------------------------------------------ time

  /** Waits for a promise of the conversation, and moves the clock on whenever nothing else can happen. */
  private async settled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let isDone = false;
    const result = promise.finally(() => (isDone = true));
    result.catch(() => undefined);
    for (;;) {
      await turn();
      if (isDone || signal?.aborted) return result;
      this.notice();
      const { running } = this.live;
      if (running) await Promise.race([running, result.catch(() => undefined)]);
      else if (this.clock.hasTimer()) this.clock.fire();
      else return result;
    }
  }

  /** Lets time pass between two requests. */
  private async pass(until: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      await turn();
      this.notice();
      if (signal?.aborted) throw signal.reason;
      const { running } = this.live;
      if (running) await Promise.race([running, ...(signal ? [aborted(signal)] : [])]);
      else if (this.clock.hasTimer(until)) this.clock.fire(until);
      else break;
    }
    this.clock.pass(until);
  }

  /** Where in the run it is now: the number of the newest request, and the share of the way to the next. */
  private get place(): number {
    const number = this.requests.length + (this.isPreparing ? 1 : 0);
    if (this.isPreparing) return number;
    return number + Math.min(0.99, (this.clock.now() - this.sentAt) / (this.settings.pace * 1_000 || 1));
  }

  // ------------------------------------------------------------ events

  private hear(event: ConversationEvent): void {
    if (event.type === "compaction_start") {
      const { trigger, job } = event;
      this.begin({ trigger, isBackground: job !== undefined, ...(job !== undefined && { job }) });
    } else if (event.type === "compaction_complete") {
      const { job, status, success, error, tokensBefore, tokensAfter, model } = event;
      const own = job === undefined ? this.inRequest : this.compactions.findLast((other) => other.job === job);
      if (!own) return;
      const outcome = success
        ? "applied"
        : status === "cancelled"
          ? "cancelled"
          : status === "stale_plan"
            ? "discarded"
            : "failed";
      this.end(own, outcome, {
        status,
        ...(error !== undefined && { error }),
        before: tokensBefore,
        after: tokensAfter,
        author: model && !model.error ? "model" : "rule",
      });
    } else if (event.type === "compaction_progress") {
      const { stage, job } = event;
      const own = this.compactions.findLast((other) => other.job === job && job !== undefined);
      if (stage === "dropped" && own) this.end(own, "discarded", { status: "dropped" });
      if (stage === "cancelled" && own?.outcome === "pending") this.end(own, "cancelled", {});
    } else if (event.type === "context_usage" && event.shared) {
      this.usage = event.shared;
    }
  }

  private begin(fields: Pick<RunCompaction, "trigger" | "isBackground" | "job">): void {
    const made: RunCompaction = {
      number: this.compactions.length + 1,
      start: this.place,
      outcome: "pending",
      calls: [],
      ...fields,
    };
    this.compactions.push(made);
    this.changed.add(made);
    if (made.isBackground) this.beside = made;
    else this.inRequest = made;
  }

  private end(made: RunCompaction, outcome: RunCompaction["outcome"], fields: Partial<RunCompaction>): void {
    Object.assign(made, { outcome, end: this.place }, fields);
    // A request that waits takes the result in the moment in which it is ready.
    if (!made.isBackground || outcome === "applied") made.ready ??= this.place;
    this.changed.add(made);
    if (this.beside === made) this.beside = undefined;
    if (this.inRequest === made) this.inRequest = undefined;
  }

  /** Notices that a job beside the conversation has its result. */
  private notice(): void {
    const { beside, conversation } = this;
    if (!beside || beside.ready !== undefined || !conversation) return;
    const { job } = conversation.usage();
    if (job !== "ready" && job !== "parked") return;
    beside.ready = this.place;
    this.changed.add(beside);
  }

  private asked(request: LlmRequest): number {
    const { purpose, shape, promptTokens, system, prompt, messages, params } = request;
    const call: Asked = {
      number: this.calls.length + 1,
      at: this.place,
      purpose,
      shape,
      promptTokens,
      outcome: "running",
      characters: 0,
      request: { system, prompt, messages, params },
      reply: "",
    };
    this.calls.push(call);
    this.began.set(call.number, this.clock.now());
    this.changed.add(call);
    const own = this.inRequest ?? this.beside;
    if (own) {
      own.calls.push(call.number);
      this.changed.add(own);
    }
    return call.number;
  }

  private readonly began = new Map<number, number>();

  private wrote(number: number, text: string): void {
    const call = this.calls[number - 1]!;
    call.reply += text;
    call.characters = call.reply.length;
    this.options.wrote?.(number, call.reply);
  }

  private answered(number: number, error: unknown, isAborted: boolean): void {
    const call = this.calls[number - 1]!;
    call.took = this.clock.now() - this.began.get(number)!;
    call.outcome = isAborted ? "aborted" : error === undefined ? "answered" : "failed";
    if (error !== undefined)
      call.error = this.options.say?.(error) ?? { what: (error as Error)?.message ?? String(error) };
    this.changed.add(call);
  }

  // ------------------------------------------------------------ the request

  private take(row: RunRequest, { messages, report }: Prepared<NeutralMessage>): void {
    const conversation = this.conversation!;
    const { usage, trimmed, repaired, compactions } = report;
    row.sent = usage.frame + usage.conversation + usage.tools;
    row.sentMessages = messages.length;
    row.trimmed = trimmed.length;
    row.cached = this.usage?.tokens ?? 0;
    row.cachedMessages = this.usage?.messages ?? 0;
    const before = this.requests.at(-1);
    row.lost = this.usage ? Math.max(0, (before?.sent ?? 0) - this.base - row.cached) : 0;
    const applied = compactions.findLast(({ status }) => status === "applied");
    if (applied) {
      const made = this.compactions.findLast(({ outcome, end }) => outcome === "applied" && end === row.number);
      if (made && applied.report) {
        made.steps = applied.report.steps;
        this.changed.add(made);
      }
    }
    const previous = this.epochs.at(-1);
    const grown = before ? row.messages - before.messages : 0;
    const appends =
      previous !== undefined &&
      compactions.length === 0 &&
      trimmed.length === 0 &&
      previous.trimmed.length === 0 &&
      repaired.length === previous.repaired.length &&
      messages.length === before!.sentMessages + grown;
    if (appends) {
      this.epochs.push(previous);
      row.whole = before!.whole + this.sums[row.messages]! - this.sums[before!.messages]!;
      return;
    }
    this.epochs.push({ count: row.messages, sent: messages, entries: conversation.log.length, trimmed, repaired });
    const known = new Set<NeutralMessage>(messages);
    row.whole = this.source.messages.reduce(
      (sum, message, at) => (at < row.messages && known.has(message) ? sum + this.counts[at]! : sum),
      0,
    );
  }
}

/** Resolves when a signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function slim({ request: _, reply: __, ...call }: Asked): RunCall {
  return call;
}
