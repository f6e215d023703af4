/**
 * Requests in which the conversation is part of a prompt tree: the tree reports the cost of everything else, and gets
 * the messages that it may show. `js/prompt/request` calls this.
 */

import type { Llm } from "../types/llm.ts";
import type { PruneOptions, Removal } from "../types/prune.ts";
import type { ToolList } from "../types/messages.ts";
import type { Context } from "./context.ts";
import type { Inside } from "./inside.ts";
import type { MadeRequest, Requests } from "./requests.ts";
import type { Turns } from "./turns.ts";
import type { Compacted, ConversationOptions, PrepareOptions, PrepareReport } from "./types.ts";

/** The settings of one request. */
export interface TreeSettings {
  tools?: ToolList | undefined;
  model?: PrepareOptions["model"] | undefined;
  /** Tokens of the whole request. */
  budget?: number | undefined;
  llm?: Llm | undefined;
}

/** The result of rendering the tree. */
export interface TreeFrame {
  /** Tokens of everything but the history, without tools that the conversation counts itself. */
  tokens: number;
  /** Tokens of the view that the tree does not contain. */
  cut: number;
  /** True if the tree had to leave out messages of the history. */
  isLost: boolean;
  /** Limits of the history. Default: those of the conversation. */
  limits?: PruneOptions["limits"];
  /** True if it replaces the last one that was made. */
  isAgain?: boolean | undefined;
}

export class InTree<T> {
  private readonly c: Context<T>;
  private readonly turns: Turns;
  private readonly requests: Requests<T>;
  private readonly options: ConversationOptions<T>;

  constructor(context: Context<T>, turns: Turns, requests: Requests<T>, options: ConversationOptions<T>) {
    this.c = context;
    this.turns = turns;
    this.requests = requests;
    this.options = options;
  }

  private get inside(): Inside {
    return this.c.inside;
  }

  /** Applies the settings of the request. Returns its max tokens, by the conversation's own count. */
  begin({ tools, model, budget, llm }: TreeSettings, signal: AbortSignal | undefined): Promise<number> {
    const work = async () => {
      if (llm !== undefined) this.c.llm = llm;
      await (this.inside.isInside
        ? this.requests.beginInside({ tools, model })
        : this.requests.begin({ tools, model }));
      this.c.machine.setBudget(budget);
      return this.c.look().budget;
    };
    return this.inside.isInside ? work() : this.turns.take(signal, work);
  }

  /** True if nothing is left out because the server manages the context. */
  get isServerManaged(): boolean {
    return this.options.serverManaged === true;
  }

  /** The limits and the provider that the host stated for the conversation. */
  get stated(): Pick<ConversationOptions<T>, "limits" | "provider"> {
    return this.options;
  }

  /** Returns the messages to show. Applies a finished summary, waits for a running one, makes one that is due. */
  made(
    { tokens, cut, isLost, limits, isAgain = false }: TreeFrame,
    signal: AbortSignal | undefined,
  ): Promise<MadeRequest<T>> {
    const frame = () => {
      Object.assign(this.c, { apart: tokens, cut, beside: "the prompt around the conversation", limits });
      if (isAgain) this.c.requests -= 1;
    };
    if (this.inside.isInside) {
      frame();
      return this.requests.madeInside();
    }
    return this.turns.take(signal, async (own) => {
      frame();
      return this.requests.made(own, isLost);
    });
  }

  /** Compactions of the newest request, including one that failed. */
  get compactions(): readonly Compacted[] {
    return this.requests.compactions;
  }

  /** Reports that the prompt does not fit although a summary was applied for it. */
  insufficient(isSent: boolean): void {
    this.requests.insufficient(isSent);
  }

  /**
   * Returns the messages of the view unchanged, whatever their size. `compactions`: those of the request, if it was
   * begun before.
   */
  asIs({ tokens, cut }: Pick<TreeFrame, "tokens" | "cut">, compactions?: readonly Compacted[]): MadeRequest<T> {
    Object.assign(this.c, { apart: tokens, cut, beside: "the prompt around the conversation" });
    if (!compactions) this.c.requests += 1;
    const look = this.c.look();
    return {
      look,
      sent: { messages: look.view.messages, mended: [], exceeded: [] },
      compactions: [...(compactions ?? [])],
      wasRunning: false,
    };
  }

  /**
   * Records and reports usage of a rendered request (`tokens`, of which `frame` are not history), and begins a summary
   * beside the conversation if one is due. `lost`: the messages that the tree left out.
   */
  finished(made: MadeRequest<T>, tokens: number, frame: number, lost: readonly Removal[]): PrepareReport {
    const { look, sent, compactions } = made;
    const totals = sent.totals ?? look.view.after;
    this.c.apart = frame;
    this.c.cut = totals.total + frame - tokens;
    const now = this.c.look(totals);
    if (lost.length > 0) {
      const removed = lost.reduce((sum, removal) => sum + removal.tokens, 0);
      const messages = lost.reduce((sum, { ids }) => sum + ids.length, 0);
      const after = {
        ...totals,
        total: totals.total - removed,
        conversation: totals.conversation - removed,
        messages: totals.messages - messages,
      };
      this.requests.tell(
        {
          messages: sent.messages,
          removed: [...lost],
          before: totals,
          after,
          hasDropped: true,
          repaired: [],
          exceeded: [],
          performedBy: "render",
        },
        look,
      );
    }
    if (!this.inside.isInside && lost.length === 0) this.requests.startIfDue({ ...made, look: now });
    return this.requests.finished(now, sent, compactions).report;
  }
}
