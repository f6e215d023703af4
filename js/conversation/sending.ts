/** Makes the messages to send: the view, or as much of it as fits, in the form that its provider accepts. */

import { defined } from "../options/data.ts";
import { countMessages } from "../calls/count.ts";
import { restateExceeded } from "../errors/exceeded.ts";
import { mendings, wireSendable } from "../calls/wire-repair.ts";
import { providerOf } from "../validity/providers.ts";
import type { Removal } from "../types/prune.ts";
import type { Totals } from "../types/count.ts";
import type { ProviderName } from "../types/validity.ts";
import type { Context } from "./context.ts";
import { Fit } from "./fit.ts";
import type { Counted, Fitted } from "./fit.ts";
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
}

export class Sending<T> {
  private readonly fit = new Fit();
  private readonly c: Context<T>;
  private readonly options: Pick<
    ConversationOptions<T>,
    "encoding" | "tokenizer" | "costModel" | "images" | "imageSize" | "provider"
  >;

  constructor(context: Context<T>, options: Sending<T>["options"]) {
    this.c = context;
    this.options = options;
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
    const { machine, apart, cut: unpaid, beside: around } = this.c;
    const { format } = this.c.log;
    const { view } = look;
    // Without any message there is nothing to repair; if all messages were empty, there is.
    const isEmpty = view.messages.length === 0 && view.repaired.length === 0;
    const provider = isEmpty ? undefined : providerOf(format, this.options.provider);
    const { tools } = view.after;
    const { budget: whole } = look;
    const budget = Math.max(0, whole - apart - tools);
    const beside = [
      { id: "tools", tokens: tools, why: "tool definitions" },
      { id: around === "the system prompt apart" ? "system" : "prompt", tokens: apart, why: around },
    ];
    const cut = async (): Promise<Sent<T>> => {
      const fitted = await this.fitted(look, budget, provider).catch((error: unknown) => {
        throw restateExceeded(error, { budget: whole, beside });
      });
      return { messages: fitted.messages, fitted, mended: fitted.repaired, totals: fitted.after };
    };
    if (!isLeft && look.overflows) return cut();
    if (!provider) return { messages: view.messages, mended: [] };
    const { plan = view.plan, messages = view.messages, after, repair } = this.c.log.mended(provider, machine.name);
    const { messages: sound, changes } = wireSendable(
      messages,
      format,
      provider,
      { model: machine.name },
      repair.signatures,
    );
    if (sound === view.messages && after.total === view.after.total) return { messages: sound, mended: [] };
    const totals = sound === messages ? after : this.recounted(sound, tools);
    // A prompt tree cuts long results itself.
    if (!isLeft && totals.total - tools - unpaid > budget) return cut();
    const names = changes.length === 0 ? [] : namesOf({ plan, messages }, (id) => this.c.log.original(id));
    const mended = [...repair.changes, ...mendings(changes, (index) => names[index] ?? [])];
    return { messages: sound, mended, totals };
  }

  private recounted(messages: T[], tools: number): Totals {
    const { messages: count, total, frame, conversation } = countMessages(messages, this.counted);
    return { messages: count, total: total + tools, frame, conversation, tools };
  }

  /** Cuts the view to this number of our tokens. */
  private async fitted(look: Look<T>, budget: number, provider: ProviderName | undefined): Promise<Fitted<T>> {
    const edits = this.c.log.standing();
    const pinned = this.c.log
      .pins()
      .flatMap(({ message, rewound }) => (message !== undefined && !rewound ? [message] : []));
    const names = namesOf(look.view, (id) => this.c.log.original(id));
    const fitted = await this.fit.fit(
      look.view,
      names,
      this.counted,
      budget,
      edits,
      this.c.compaction,
      pinned,
      provider,
    );
    const withTools = (totals: Totals): Totals => ({
      ...totals,
      tools: look.view.after.tools,
      total: totals.total + look.view.after.tools,
    });
    return { ...fitted, before: withTools(fitted.before), after: withTools(fitted.after) };
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
