/** Makes the messages to send: the view, or as much of it as fits, in the form that its provider accepts. */

import { defined } from "../options/data.ts";
import { countMessages } from "../calls/count.ts";
import { restateExceeded } from "../errors/exceeded.ts";
import { isMendedByCutting, refuseExceeded, withinRequestLimits } from "../calls/request-limits.ts";
import { mendings, wireSendable } from "../calls/wire-repair.ts";
import { readConversation } from "../formats/index.ts";
import type { LogView } from "../log/types.ts";
import type { LimitFinding } from "../types/limits.ts";
import { providerOf } from "../validity/providers.ts";
import { limitsOf } from "../validity/request-limits.ts";
import type { Removal } from "../types/prune.ts";
import type { Totals } from "../types/count.ts";
import type { ProviderName } from "../types/validity.ts";
import type { Context } from "./context.ts";
import { Fit } from "./fit.ts";
import type { Counted, Fitted, ToFit } from "./fit.ts";
import type { Look } from "./machine.ts";
import { namesOf } from "./names.ts";
import type { ConversationOptions } from "./types.ts";

export interface Sent<T> {
  messages: T[];
  /** The removals that made it fit. */
  fitted?: Fitted<T>;
  mended: Removal[];
  /** Totals of messages that differ from the current view. */
  totals?: Totals;
  /** Documented limits that the request exceeds. */
  exceeded: readonly LimitFinding[];
}

/** A view that its provider accepts. */
type Valid<T> = Pick<Sent<T>, "messages" | "mended" | "totals">;

export class Sending<T> {
  private readonly fit = new Fit();
  /** The newest messages in which the provider's own checks found nothing. */
  private checked: readonly T[] = [];
  private readonly c: Context<T>;
  private readonly options: Pick<
    ConversationOptions<T>,
    "encoding" | "tokenizer" | "costModel" | "images" | "imageSize" | "provider" | "limits"
  >;

  constructor(context: Context<T>, options: Sending<T>["options"]) {
    this.c = context;
    this.options = options;
  }

  private get limits(): ConversationOptions<T>["limits"] {
    return this.c.limits ?? this.options.limits;
  }

  /** How the view is counted, without tools: those are already counted, in the log's form. */
  private get counted(): Counted {
    const { encoding, tokenizer, costModel, images, imageSize } = this.options;
    const { name } = this.c.machine;
    const model = name === "" ? undefined : name;
    return { format: this.c.log.format, ...defined({ encoding, tokenizer, model, costModel, images, imageSize }) };
  }

  /**
   * Returns the view, cut if it overflows and the server does not manage that, and repaired if the provider would
   * refuse the host's messages.
   *
   * @throws EspalierError `budget_exceeded` if the messages that must stay are too large even when shortened
   */
  async made(look: Look<T>, isLeft: boolean): Promise<Sent<T>> {
    const { apart, cut: unpaid, beside: around } = this.c;
    const { view, budget: whole } = look;
    const { tools } = view.after;
    const provider = this.providerOf(view);
    const budget = this.budgetOf(look);
    const beside = [
      { id: "tools", tokens: tools, why: "tool definitions" },
      { id: around === "the system prompt apart" ? "system" : "prompt", tokens: apart, why: around },
    ];
    const cut = async (): Promise<Sent<T>> => {
      const fitted = await this.fit.fit(this.toFit(look)).catch((error: unknown) => {
        throw restateExceeded(error, { budget: whole, beside });
      });
      return sentOf(fitted, tools);
    };
    if (!isLeft && (look.overflows || look.dropMedia !== undefined)) return cut();
    const valid = provider ? this.valid(view, provider) : { messages: view.messages, mended: [] };
    // A prompt tree cuts long results itself.
    if (!isLeft && valid.totals && valid.totals.total - tools - unpaid > budget) return cut();
    const { isTooLong, ...light } = this.light(valid, view, provider);
    // A prompt tree is rendered to fewer tokens, so that the history is compacted.
    return isTooLong && !isLeft && around === "the system prompt apart" ? cut() : light;
  }

  /** Returns the view as its provider accepts it. */
  private valid(view: LogView<T>, provider: ProviderName): Valid<T> {
    const { log, machine } = this.c;
    const { plan = view.plan, messages = view.messages, after, repair } = log.state.mended(provider, machine.name);
    const facts = { model: machine.name };
    const { checked } = this;
    const added = messages.findIndex((message, at) => message !== checked[at]);
    const known = added < 0 ? messages.length : added;
    const { messages: sound, changes } = wireSendable(messages, log.format, provider, facts, repair.signatures, known);
    this.checked = sound === messages ? messages : [];
    if (sound === view.messages && after.total === view.after.total) return { messages: sound, mended: [] };
    const totals = sound === messages ? after : this.recounted(sound, view.after.tools);
    const names = changes.length === 0 ? [] : namesOf({ plan, messages }, (id) => log.original(id));
    const mended = [...repair.changes, ...mendings(changes, (index) => names[index] ?? [])];
    return { messages: sound, mended, totals };
  }

  /**
   * Keeps the limits of the request that are not tokens. `isTooLong`: only fewer messages keep them.
   *
   * @throws EspalierError `budget_exceeded` if what must stay exceeds a stated limit
   */
  private light(
    valid: Valid<T>,
    view: LogView<T>,
    provider: ProviderName | undefined,
  ): Sent<T> & { isTooLong: boolean } {
    const { limits = {} } = this;
    const { log } = this.c;
    const { maxMessages = Infinity } = limitsOf(provider, limits);
    if (!log.state.lines.hasMedia && limits.maxBytes === undefined && valid.messages.length <= maxMessages)
      return { ...valid, exceeded: [], isTooLong: false };
    const ids = new Map(namesOf(view, (id) => log.original(id)).map(([id], at) => [view.messages[at], id]));
    const { messages, after, repaired, exceeded } = withinRequestLimits(
      { messages: valid.messages, after: valid.totals ?? view.after, repaired: [] },
      readConversation(valid.messages, this.counted),
      provider,
      { ...this.counted, limits },
      { idAt: (at) => ids.get(valid.messages[at]!), kept: this.pinned },
    );
    const isTooLong = isMendedByCutting(exceeded);
    if (!isTooLong) refuseExceeded(exceeded, limits);
    if (messages === valid.messages) return { ...valid, exceeded, isTooLong };
    const totals = { ...after, total: after.total + view.after.tools };
    return { messages: messages as T[], mended: [...valid.mended, ...repaired], totals, exceeded, isTooLong };
  }

  /** Ids of pinned messages. */
  private get pinned(): string[] {
    return this.c.log.pins().flatMap(({ message, rewound }) => (message !== undefined && !rewound ? [message] : []));
  }

  private recounted(messages: T[], tools: number): Totals {
    const { messages: count, total, frame, conversation } = countMessages(messages, this.counted);
    return { messages: count, total: total + tools, frame, conversation, tools };
  }

  /** Returns the view with shorter results if no more than `spare` tokens have to go anew. */
  shortened(look: Look<T>, spare: number): Sent<T> | undefined {
    const over = look.view.after.total - look.view.after.tools - this.budgetOf(look);
    if (over > this.fit.saved + spare) return undefined;
    const fitted = this.fit.shorten(this.toFit(look), spare);
    return fitted && sentOf(fitted, look.view.after.tools);
  }

  private toFit(look: Look<T>): ToFit<T> {
    const { log, compaction } = this.c;
    return {
      view: look.view,
      names: namesOf(look.view, (id) => log.original(id)),
      counted: this.counted,
      budget: this.budgetOf(look),
      edits: log.state.held.standing,
      compaction,
      keep: this.pinned,
      provider: this.providerOf(look.view),
      limits: this.limits,
      dropMedia: look.dropMedia,
    };
  }

  /** Returns our tokens for the view. */
  private budgetOf({ budget, view }: Look<T>): number {
    return Math.max(0, budget - this.c.apart - view.after.tools);
  }

  private providerOf({ messages, repaired }: LogView<T>): ProviderName | undefined {
    // Without any message there is nothing to repair; if all messages were empty, there is.
    const isEmpty = messages.length === 0 && repaired.length === 0;
    return isEmpty ? undefined : providerOf(this.c.log.format, this.options.provider);
  }

  /** Records and emits the removals of one request. */
  tell({ removed, before, after, performedBy }: Fitted<T>, look: Look<T>): void {
    this.c.log.record("trim", {
      request: this.c.requests,
      before: before.total,
      after: after.total,
      removed: removed.map(({ ids, rule, tokens }) => ({ ids, rule, tokens })),
    });
    this.c.events.emit({
      type: "context_trimmed",
      limit: look.request,
      before,
      after,
      removed,
      tokensRemoved: before.total - after.total,
      messagesRemoved: before.messages - after.messages,
      performedBy,
    });
  }

  free(): void {
    this.fit.free();
  }
}

/** Returns what is sent of a cut view, with the tools in its totals. */
function sentOf<T>(cut: Fitted<T>, tools: number): Sent<T> {
  const withTools = (totals: Totals): Totals => ({ ...totals, tools, total: totals.total + tools });
  const fitted = { ...cut, before: withTools(cut.before), after: withTools(cut.after) };
  const { messages, repaired: mended, after: totals, exceeded } = fitted;
  return { messages, fitted, mended, totals, exceeded };
}
