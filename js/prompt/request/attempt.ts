/** One render of a request's prompt, and what it reveals about the history in it. */

import type { Conversation } from "../../conversation/conversation.ts";
import { EspalierError } from "../../errors/errors.ts";
import type { Removal } from "../../types/prune.ts";
import { BudgetExceededError } from "../budget-error.ts";
import { readable } from "../fail.ts";
import type { PromptElementJSON } from "../json-tree.ts";
import type { RenderFormat } from "../output/request.ts";
import type { PromptChildren } from "../piece.ts";
import { historyOf, Rendered, sessionOf } from "../render.ts";
import type { RenderOptions } from "../render.ts";
import type { RenderNode } from "../render-tree.ts";
import { MetadataMap } from "../results.ts";
import type { Session } from "../session.ts";
import type { Entry } from "./entries.ts";
import { HistoryHost } from "./host.ts";
import type { Claim } from "./host.ts";
import { ConversationHistory } from "./history.ts";

/** Max elements that an error names. */
const LARGEST = 5;

/** The input of a render. */
export interface Wanted {
  /** The messages of the history. Default: the conversation's view. */
  messages?: readonly object[];
  /** Results of components in an earlier render. */
  replay?: readonly unknown[];
  noBreakpoints?: boolean;
  /** If true, history is removed message by message to fit; otherwise the render only shows whether it fits. */
  isFine?: boolean;
}

/** All renders of one request. */
export class Attempts<F extends RenderFormat> {
  /** Messages of the element for which the conversation was opened. */
  list: unknown;
  private readonly prompt: PromptChildren | PromptElementJSON;
  private readonly options: Omit<RenderOptions<F>, "budget">;
  private conversation: Conversation<any> | undefined;
  /** Tokens of tools that are sent but not an option. */
  private tools = 0;

  constructor(prompt: PromptChildren | PromptElementJSON, options: Omit<RenderOptions<F>, "budget">) {
    this.prompt = prompt;
    this.options = options;
  }

  /**
   * Sets the conversation whose history is shown, and how it is counted; `tools`: tokens of the tools that its requests
   * have anyway.
   */
  use(conversation: Conversation<any>, tools: number): void {
    this.conversation = conversation;
    this.tools = tools;
  }

  async render(
    budget: number,
    { messages, replay, noBreakpoints = false, isFine = false }: Wanted,
  ): Promise<Attempt<F>> {
    const { conversation, list } = this;
    const { encoding, model, costModel } = conversation?.log.counted({}) ?? {};
    const how = {
      ...(encoding !== undefined && { encoding }),
      ...(model !== undefined && { model }),
      ...(costModel !== undefined && { costModel }),
    };
    let host: HistoryHost | undefined;
    const session = await sessionOf(
      this.prompt,
      { ...how, ...this.options, budget: Math.max(0, budget - this.tools) } as RenderOptions<F>,
      {
        host: (counting, format) =>
          (host = new HistoryHost(counting, format, {
            conversation,
            messages,
            list,
            isCoarse: !isFine && this.options.tracer === undefined,
          })),
        noBreakpoints,
        ...(replay && { replay }),
      },
    );
    return new Attempt(session, this.options.format ?? ("openai-chat" as F), Math.max(0, budget - this.tools), host!);
  }

  /** Returns the tokens of the whole request. */
  total({ tokens }: Rendered<F>): number {
    return tokens + this.tools;
  }

  /**
   * Returns the tokens without the history, and without what the conversation counts for a request without messages.
   */
  frame(rendered: Rendered<F>): number {
    const { total, frame, conversation } = this.conversation!.view().after;
    const history = historyOf(rendered).reduce((sum, { tokens }) => sum + tokens, 0);
    return this.total(rendered) - history - (total - frame - conversation);
  }
}

export class Attempt<F extends RenderFormat> {
  /** The reason why there is no result: it does not fit, or nothing is left. */
  readonly error: EspalierError | undefined;
  readonly claims: readonly Claim[];
  private readonly session: Session;
  private readonly result: Rendered<F> | undefined;

  constructor(session: Session, format: F, budget: number, host: HistoryHost) {
    this.session = session;
    this.claims = host.claims;
    try {
      this.result = new Rendered(session, format, budget);
    } catch (error) {
      if (!(error instanceof EspalierError) || (error.code !== "budget_exceeded" && error.code !== "empty_prompt")) {
        session.free();
        throw error;
      }
      this.error = error;
    }
  }

  /** The messages of the history that are in the request. */
  get shown(): readonly Entry[] {
    return this.result ? historyOf(this.result) : [];
  }

  /** @throws the error of the render */
  rendered(): Rendered<F> {
    if (!this.result) throw this.failed();
    return this.result;
  }

  failed(): EspalierError {
    this.session.free();
    return this.error!;
  }

  /** Returns the results of the components that were asked before the history. */
  returnedBefore({ asked }: Claim): readonly unknown[] {
    return this.session.returned(asked);
  }

  /** Returns true if pruning continued after the whole history was removed, because the rest alone exceeds `budget`. */
  endsElsewhere(budget: number): boolean {
    const last = this.session.removals().at(-1) as { node: number } | undefined;
    return last !== undefined && !isInHistory(this.session.nodes[last.node]) && sum(this.rest()) > budget;
  }

  /** Returns the messages outside the history, with their tokens. */
  private rest(): { path: string; tokens: number }[] {
    return (this.session.reports() as { node: number; tokens?: number }[]).flatMap(({ node, tokens = 0 }) => {
      const found = this.session.nodes[node]!;
      return found.type === "element" && found.kind === "message" && !isInHistory(found)
        ? [{ path: readable(found), tokens }]
        : [];
    });
  }

  /** Returns the error for a prompt that is too large without its history, with its largest messages. */
  tooLarge({ entries }: Claim, budget: number): BudgetExceededError {
    const messages = this.rest();
    const needed = sum(messages);
    const largest = messages.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST);
    const error = new BudgetExceededError(
      { limit: "prompt", budget, needed, largest },
      MetadataMap.from([]),
      entries.map(({ message }) => message),
    );
    const names = largest.map(({ path, tokens }) => `${path} (${tokens})`).join(", ");
    error.message =
      `The prompt without its history needs ${needed} tokens, and ${budget} are allowed. Largest: ${names}. ` +
      "Shorten these, or give them a lower priority than the history.";
    this.free();
    return error;
  }

  free(): void {
    this.session.free();
  }
}

/** Returns the messages of the history that a render left out, group by group. */
export function lostOf<F extends RenderFormat>(attempt: Attempt<F>, { entries }: Claim): Removal[] {
  if (attempt.shown.length === entries.length) return [];
  const shown = new Set(attempt.shown.map(({ message }) => message));
  return entries.flatMap(({ message, ids, tokens }) =>
    shown.has(message)
      ? []
      : [
          {
            ids: [...ids],
            rule: "priority",
            why: "the lowest priority in the prompt",
            tokens,
            recall: ids[0] ?? "",
          },
        ],
  );
}

const sum = (list: readonly { tokens: number }[]) => list.reduce((total, { tokens }) => total + tokens, 0);

function isInHistory(node: RenderNode | undefined): boolean {
  for (let at = node; at; at = at.parent) if (at.type === "element" && at.ctor === ConversationHistory) return true;
  return false;
}
