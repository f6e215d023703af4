/**
 * Turns a prompt with a conversation in it into a request that fits: renders it, and if the history does not fit,
 * compacts it and renders again. `attempt.ts` renders once; `Conversation` decides what is compacted, and when.
 */

import { badOption as bad, EspalierError } from "../../errors/errors.ts";
import { isExceeded } from "../../errors/exceeded.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { openConversation } from "../../conversation/open.ts";
import type { MadeRequest } from "../../conversation/requests.ts";
import type { InTree } from "../../conversation/in-tree.ts";
import type { Compacted, PrepareReport } from "../../conversation/types.ts";
import { loading } from "../../tokens/loading.ts";
import { check } from "../../options/check.ts";
import { RENDER_REQUEST } from "../../options/schemas/prompt.ts";
import type { Llm } from "../../types/llm.ts";
import type { LimitFinding } from "../../types/limits.ts";
import type { ModelLimits, PruneOptions, Removal } from "../../types/prune.ts";
import { providerOf } from "../../validity/providers.ts";
import type { PromptElementJSON } from "../json-tree.ts";
import type { RenderFormat, Requests } from "../output/request.ts";
import type { PromptChildren } from "../piece.ts";
import { needFormat, reported } from "../render.ts";
import type { Rendered, RenderOptions } from "../render.ts";
import { Attempts, lostOf } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";
import { isConversation } from "./host.ts";
import type { Claim } from "./host.ts";
import { withinLimits } from "./within-limits.ts";
import type { LimitedRequest, Made, Room } from "./within-limits.ts";

type Common<F extends RenderFormat> = Omit<RenderOptions<F>, "budget" | "model">;

export interface RenderRequestOptions<F extends RenderFormat = "openai-chat"> extends Common<F> {
  /** The conversation that `<ConversationHistory />` shows. Default: the one that the element names. */
  conversation?: Conversation<any>;
  /**
   * Tokens of the whole request. Default: the limit of the conversation's model; required if the conversation is not an
   * option.
   */
  budget?: number;
  /** The model of this request, by name or by its limits. Default: that of the conversation's previous request. */
  model?: string | ModelLimits;
  /** Writes summaries, from this request on. Default: the conversation's own. */
  llm?: Llm;
  /**
   * When messages of the history may be left out of the request without a summary: never, so that the call throws; if
   * neither the model nor rules made a summary that fits (`lastResort`, as in Copilot Chat); or instead of any
   * compaction that the request would have to wait for (`freely`). Default `never`.
   */
  drop?: "never" | "lastResort" | "freely";
  /**
   * As {@link PruneOptions.limits}. Default: those of the conversation, else those that the provider of the format
   * documents. The oldest pictures of the history become notes, then the prompt is rendered to fewer tokens.
   */
  limits?: PruneOptions["limits"];
}

/**
 * How a request was made. `rendered`: everything fits. `applied`: a summary was applied, and the request contains
 * everything that the conversation shows since. The others need `drop`: they left out something that no summary covers
 * (`trimmed` lists it). `appliedButReRenderFailed`: although a summary was applied. `noResult`: a compaction was tried
 * without result. `dropped`: none was tried, because of `drop` or the conversation's `automatic`, or because a recent
 * attempt gained nothing.
 */
export type RequestStatus = "rendered" | "applied" | "appliedButReRenderFailed" | "noResult" | "dropped";

/** Where an applied summary came from. */
export type SummarySource = "preRender" | "budgetExceededReady" | "budgetExceededWaited" | "foreground";

export interface RenderedRequest<F extends RenderFormat = RenderFormat> {
  /** Spread it into the request. */
  request: Requests[F];
  /** The messages of the request. */
  messages: any[];
  /** Tokens of the whole request, tools included. */
  tokens: number;
  /** The budget in tokens. */
  budget: number;
  status: RequestStatus;
  /**
   * The source of the summary: a background job that finished before the summary was needed, one that was ready or
   * waited for at that moment, or a compaction made now.
   */
  source?: SummarySource;
  /** The compactions made for this request, as in {@link PrepareReport}. */
  compactions: Compacted[];
  /** What is left out of this request only, or shortened for it. */
  trimmed: Removal[];
  /** The conversation's report; absent for a prompt without a history. */
  report?: PrepareReport;
  /** Documented limits of the provider that the request exceeds nevertheless; absent if there are none. */
  exceeded?: readonly LimitFinding[];
  /**
   * The prompt, to be explained. If the whole history fits, each of its parts is one node; with a `tracer` each message
   * is.
   */
  rendered: Rendered<F>;
}

/**
 * Makes the next request of an agent whose prompt is a tree and whose history is a conversation. It renders the tree.
 * If the history does not fit, or the conversation's profile requires it, it compacts the conversation and renders
 * again: a finished background summary is applied, a nearly finished one is waited for, otherwise the model writes one,
 * or rules if the model fails. Everything in the prompt except the history counts as used. Components that render
 * before the history are not asked again.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import OpenAI from "openai";
 * import { openConversation } from "espalier";
 * import { AgentPrompt, renderRequest } from "espalier/prompt";
 *
 * const client = new OpenAI();
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const conversation = await openConversation({ format: "openai-chat", model: "gpt-4o", messages });
 *
 * const prompt = <AgentPrompt system="You mend parsers." />;
 * const { request, status, tokens } = await renderRequest(prompt, { conversation, budget: 8_000 });
 * status; // => "applied"
 * tokens <= 8_000; // => true
 * const reply = await client.chat.completions.create({ model: "gpt-4o", ...request });
 * conversation.reportUsage(reply.usage);
 * conversation.append(reply.choices[0]!.message);
 * await conversation.dispose();
 * ```
 *
 * Without a conversation, a prompt without a history is rendered as by {@link render}. Plain `messages` in the element
 * are compacted for this request only; open a conversation to keep the result.
 *
 * @throws BudgetExceededError if the prompt without its history is too large (`details.largest` names its largest
 * elements); EspalierError `budget_exceeded` if no summary makes the history fit (`details.compactions` says how each
 * ended) or what must stay of it is too large, `bad_option`, `aborted`; and as {@link render}. The conversation stays
 * usable after all of them
 */
export async function renderRequest<F extends RenderFormat = "openai-chat">(
  prompt: PromptChildren | PromptElementJSON,
  options: RenderRequestOptions<F>,
): Promise<RenderedRequest<F>> {
  const load = loading(options);
  if (load) await load;
  const { conversation, budget, model, llm, drop = "never", ...rest } = check(options ?? {}, RENDER_REQUEST);
  if (conversation !== undefined && !isConversation(conversation))
    throw bad("conversation", "a conversation of openConversation", conversation);
  if (budget === undefined && !conversation)
    throw bad("budget", "a number of tokens, where there is no options.conversation whose model says it", budget);
  const format = (rest.format ?? "openai-chat") as F;
  needFormat(format);
  const flow = new Flow<F>(
    prompt,
    { ...rest, format, llm, drop, ...(model !== undefined && { model }) },
    budget,
    rest.format !== undefined,
  );
  try {
    const result = await (conversation ? flow.with(conversation, true) : flow.find());
    reported(result.rendered);
    return result;
  } catch (error) {
    // As calls of a conversation do, whichever of both notices first; a render throws the reason itself.
    const { signal } = rest;
    if (!signal?.aborted || error !== signal.reason) throw error;
    throw new EspalierError({ code: "aborted", message: "The request was aborted.", cause: error });
  }
}

type Settings<F extends RenderFormat> = Omit<RenderRequestOptions<F>, "conversation" | "budget"> & { format: F };

class Flow<F extends RenderFormat> {
  private readonly attempts: Attempts<F>;
  private readonly settings: Settings<F>;
  private readonly asked: number | undefined;
  private readonly isFormGiven: boolean;
  /** Compactions of the renders so far. */
  private compactions: readonly Compacted[] = [];

  constructor(
    prompt: PromptChildren | PromptElementJSON,
    settings: Settings<F>,
    asked: number | undefined,
    isFormGiven: boolean,
  ) {
    const { llm: _, drop: __, limits: ___, model, ...options } = settings;
    const name = typeof model === "string" ? model : model?.name;
    this.attempts = new Attempts(prompt, { ...options, ...(name !== undefined && { model: name }) });
    this.settings = settings;
    this.asked = asked;
    this.isFormGiven = isFormGiven;
  }

  /** Makes the request with the conversation that the tree names. */
  async find(): Promise<RenderedRequest<F>> {
    const first = await this.attempts.render(this.asked!, {});
    const { props } = this.claimOf(first) ?? {};
    const { conversation, messages, format } = props ?? {};
    if (conversation) {
      first.free();
      return this.with(conversation, false);
    }
    if (!messages) {
      const whole = first.rendered();
      return withinLimits(this.limited(), async ({ budget }) => {
        const rendered = budget === undefined ? whole : await whole.prune(budget);
        const result = resultOf(rendered, rendered.tokens);
        return {
          rendered,
          budget: whole.budget,
          finish: () => ({ ...result, status: "rendered", compactions: [], trimmed: [] }),
        };
      });
    }
    first.free();
    const { llm, model } = this.settings;
    // Any format suits no messages.
    const form = format ?? (messages.length === 0 ? "openai-chat" : undefined);
    const opened = await openConversation<any>({
      messages: messages as any[],
      background: false,
      ...(form && { format: form }),
      ...(llm && { llm }),
      ...(model !== undefined && { model }),
    });
    try {
      this.attempts.list = messages;
      return await this.with(opened, false);
    } finally {
      await opened.dispose();
    }
  }

  /** Makes the request with a conversation's history. `isGiven`: by an option. */
  with(conversation: Conversation<any>, isGiven: boolean): Promise<RenderedRequest<F>> {
    return withinLimits(this.limited(conversation), (room) => this.made(conversation, isGiven, room));
  }

  /** Returns what the limits of the request depend on. */
  private limited(conversation?: Conversation<any>): LimitedRequest {
    const { format, model, tools, limits } = this.settings;
    const tree = conversation?.inTree();
    return {
      format,
      tools,
      model: (typeof model === "string" ? model : model?.name) ?? conversation?.log.counted({}).model,
      provider: providerOf(format, tree?.stated.provider),
      limits: limits ?? tree?.stated.limits,
      isServerManaged: tree?.isServerManaged ?? false,
    };
  }

  private async made(conversation: Conversation<any>, isGiven: boolean, room: Room): Promise<Made<F>> {
    const { format, tools, signal, llm, model, drop, limits } = this.settings;
    const { log } = conversation;
    if (!this.isFormGiven && log.format !== format) {
      throw bad(
        "format",
        `the form of the request, since the conversation is not of openai-chat but of ${log.format}`,
        undefined,
      );
    }
    const tree: InTree<any> = conversation.inTree();
    const own = tools !== undefined && format === log.format ? tools : undefined;
    const most = await tree.begin({ tools: own, model, budget: room.budget ?? this.asked, llm }, signal);
    this.attempts.use(conversation, tools === undefined ? log.view().after.tools : 0);
    const budget = Math.min(this.asked ?? most, most, room.budget ?? most);
    const first = await this.attempts.render(budget, {});
    const claim = this.claimOf(first);
    if (!claim) {
      first.free();
      const why = isGiven ? "options.conversation was given, but" : "a conversation was found, but";
      throw new EspalierError({
        code: "bad_option",
        message:
          `${why} the prompt shows no history. ` +
          "Put <ConversationHistory /> into it, or leave the conversation out.",
        path: "options.conversation",
      });
    }
    const isLost = lostOf(first, claim).length > 0 || first.error !== undefined;
    if (isLost && (drop === "freely" || tree.isServerManaged)) return this.freely(tree, first, claim, budget);
    const frame = await this.frameOf(first, claim, budget);
    let made: MadeRequest<any>;
    try {
      const { isAgain, history = limits } = room;
      made = await tree.made({ tokens: frame, cut: claim.cut, isLost, limits: history, isAgain }, signal);
    } catch (error) {
      // The part of the history that must stay is too large beside the prompt.
      const isTooLarge = isExceeded(error);
      if (!isTooLarge || drop !== "lastResort") {
        first.free();
        if (isTooLarge) tree.insufficient(false);
        throw error;
      }
      return this.freely(tree, first, claim, budget, tree.compactions);
    }
    const shown = made.sent.messages as object[];
    const isSame =
      !isLost && shown.length === claim.messages.length && shown.every((message, at) => message === claim.messages[at]);
    const replay = first.returnedBefore(claim);
    if (!isSame) first.free();
    let last = isSame ? first : await this.attempts.render(budget, { messages: shown, replay });
    if (!last.error && lostOf(last, this.claimOf(last)!).length > 0) {
      last.free();
      last = await this.attempts.render(budget, { messages: shown, replay, isFine: true });
    }
    const dropped = made.sent.fitted?.hasDropped === true;
    let lost = last.error ? [] : lostOf(last, this.claimOf(last)!);
    if (drop === "never" && (dropped || lost.length > 0 || last.error)) {
      const beside = last.error ? frame : this.attempts.frame(last.rendered());
      // Without a summary all of the history was to be sent, and not only what the last attempt still holds.
      const isCompacted = made.compactions.some(({ status }) => status === "applied");
      const claimed = isCompacted ? this.claimOf(last)! : claim;
      last.free();
      tree.insufficient(false);
      throw lossError(budget, beside, claimed, made);
    }
    if (last.error) {
      last.free();
      last = await this.attempts.render(budget, { messages: shown, replay, noBreakpoints: true, isFine: true });
      if (last.error) throw last.failed();
      lost = lostOf(last, this.claimOf(last)!);
    }
    const rendered = last.rendered();
    if (room.isAgain) made = { ...made, compactions: [...this.compactions, ...made.compactions] };
    const { compactions } = made;
    this.compactions = compactions;
    const applied = compactions.findLast(({ status }) => status === "applied");
    const isCut = dropped || lost.length > 0;
    const status = statusOf(compactions, isCut);
    const source: SummarySource | undefined = !applied
      ? undefined
      : applied.job === undefined
        ? "foreground"
        : !isLost
          ? "preRender"
          : made.wasRunning
            ? "budgetExceededWaited"
            : "budgetExceededReady";
    const finish = (): RenderedRequest<F> => {
      if (isCut) tree.insufficient(true);
      const report = tree.finished(made, this.attempts.total(rendered), this.attempts.frame(rendered), lost);
      return {
        ...resultOf(rendered, this.attempts.total(rendered)),
        budget,
        status,
        ...(source && { source }),
        compactions,
        trimmed: [...report.trimmed, ...lost],
        report,
      };
    };
    return { rendered, budget, finish };
  }

  /**
   * Returns a request whose history is pruned by priority, or whole if the server manages it, without waiting for a
   * compaction. `tried`: compactions that failed.
   */
  private async freely(
    tree: InTree<any>,
    first: Attempt<F>,
    claim: Claim,
    budget: number,
    tried?: readonly Compacted[],
  ): Promise<Made<F>> {
    const replay = first.returnedBefore(claim);
    const all = claim.entries.reduce((sum, { tokens }) => sum + tokens, 0);
    first.free();
    const last = tree.isServerManaged
      ? await this.attempts.render(budget + all, { replay })
      : await this.attempts.render(budget, {
          replay,
          isFine: true,
          noBreakpoints: tried !== undefined || first.error !== undefined,
        });
    const rendered = last.rendered();
    const lost = lostOf(last, this.claimOf(last)!);
    const finish = (): RenderedRequest<F> => {
      const made = tree.asIs({ tokens: this.attempts.frame(rendered), cut: claim.cut }, tried);
      if (tried) tree.insufficient(true);
      const report = tree.finished(made, this.attempts.total(rendered), this.attempts.frame(rendered), lost);
      return {
        ...resultOf(rendered, this.attempts.total(rendered)),
        budget,
        status: statusOf(made.compactions, lost.length > 0),
        compactions: made.compactions,
        trimmed: lost,
        report,
      };
    };
    return { rendered, budget, finish };
  }

  /** Returns the tokens of everything but the history. */
  private async frameOf(first: Attempt<F>, claim: Claim, budget: number): Promise<number> {
    if (first.error === undefined && (first.shown.length > 0 || claim.entries.length === 0))
      return this.attempts.frame(first.rendered());
    if (first.endsElsewhere(budget)) throw first.tooLarge(claim, budget);
    const bare = await this.attempts.render(budget, { messages: [], replay: first.returnedBefore(claim) });
    try {
      if (bare.error) throw bare.tooLarge(claim, budget);
      return this.attempts.frame(bare.rendered());
    } finally {
      bare.free();
    }
  }

  private claimOf({ claims }: Attempt<F>): Claim | undefined {
    if (claims.length > 1) {
      throw new EspalierError({
        code: "bad_option",
        path: "prompt",
        message:
          `The prompt has ${claims.length} histories, and renderRequest compacts one conversation. ` +
          "Keep one <ConversationHistory>, and render the others as elements of your own.",
      });
    }
    return claims[0];
  }
}

function resultOf<F extends RenderFormat>(
  rendered: Rendered<F>,
  tokens: number,
): Pick<RenderedRequest<F>, "request" | "messages" | "tokens" | "budget" | "rendered"> {
  return { request: rendered.request, messages: rendered.messages, tokens, budget: rendered.budget, rendered };
}

function statusOf(compactions: readonly Compacted[], isCut: boolean): RequestStatus {
  const isApplied = compactions.some(({ status }) => status === "applied");
  if (!isCut) return isApplied ? "applied" : "rendered";
  return isApplied ? "appliedButReRenderFailed" : compactions.length > 0 ? "noResult" : "dropped";
}

/** Max messages of the history that an error names. */
const LARGEST = 5;

/** Returns the error for a request whose history fits only if messages without a summary are removed. */
function lossError(
  budget: number,
  frame: number,
  { entries }: Claim,
  { compactions, sent }: MadeRequest<any>,
): EspalierError {
  const shown = entries.reduce((sum, { tokens }) => sum + tokens, 0);
  const needed = Math.max(sent.fitted?.before.total ?? 0, shown) + frame;
  const largest = [
    { id: "prompt", tokens: frame, why: "the prompt around the conversation" },
    ...entries.map(({ ids, tokens }) => ({ ...(ids[0] !== undefined && { id: ids[0] }), tokens })),
  ];
  const ended = compactions.map(({ status, error }) => ({ status, ...(error !== undefined && { error }) }));
  const tried = ended.map(({ status, error }) => (error === undefined ? status : `${status} (${error})`)).join(", ");
  return new EspalierError({
    code: "budget_exceeded",
    path: "options.drop",
    message:
      `The request needs ${needed} tokens, and ${budget} are allowed. ` +
      (tried === "" ? "No compaction was tried. " : `Compactions ended as ${tried}. `) +
      'Messages are left out without a summary only with drop: "lastResort".',
    details: {
      budget,
      needed,
      largest: largest.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST),
      compactions: ended,
    },
  });
}
