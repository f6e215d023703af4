/**
 * The model of the next request: its limits, what the user set of them, and what was learned of how its provider
 * counts, which outlives the session.
 */

import { defined } from "../options/data.ts";
import { countMessages } from "../calls/count.ts";
import { modelOf } from "../calls/limits.ts";
import type { ConversationLog } from "../log/log.ts";
import { Recovery } from "../calls/recovery.ts";
import { encodingOf } from "../tokens/count.ts";
import type { EncodingName } from "../types/count.ts";
import type { ModelLimits } from "../types/prune.ts";
import { loadNeeded } from "../engine/vocabulary.ts";
import type { Context } from "./context.ts";
import { Limits } from "./limits.ts";
import type { Own } from "./limits.ts";
import type { ConversationOptions } from "./types.ts";

type Options = Pick<
  ConversationOptions<unknown>,
  "model" | "encoding" | "tokenizer" | "costModel" | "images" | "threshold" | "contextSize" | "preferLongContext"
>;

export class Models<T> {
  /** The next request is for another model than the one before. */
  isSwitched = false;
  private readonly c: Context<T>;
  private readonly options: Options;
  private readonly recovery: Recovery;
  private model: string | ModelLimits | undefined;
  private own: Own;
  /** What was learned of how providers count, by model. */
  private calibrations: Record<string, unknown>;
  private kept = "";

  constructor(context: Context<T>, options: Options) {
    this.c = context;
    this.options = options;
    const { recovery, calibrations = {} } = learnedOf(context.log as ConversationLog);
    this.recovery = new Recovery(recovery);
    this.calibrations = calibrations;
    this.model = options.model;
    this.own = ownOf(options);
    context.limits = this.limitsOf(this.model);
  }

  /** Whether this is another model than that of the request before. */
  isOther(model: string | ModelLimits): boolean {
    return JSON.stringify(modelOf(model)) !== JSON.stringify(modelOf(this.model));
  }

  async change(model: string | ModelLimits): Promise<void> {
    this.keep();
    const { name } = modelOf(model);
    const limits = this.limitsOf(model);
    const { encoding, tokenizer, costModel } = this.options;
    if (name !== modelOf(this.model).name) {
      if (!tokenizer) await loadEncodingOf(name, encoding);
      this.c.log.setCounting({
        ...(encoding && { encoding }),
        ...(name !== undefined && { model: name }),
        ...(costModel && { costModel }),
      });
    }
    this.model = model;
    this.c.limits = limits;
    this.isSwitched = true;
    this.c.log.record("note", { model: modelOf(model) });
  }

  /** What the user sets of limits. Nothing has changed if it throws. */
  set(own: Partial<Own>): void {
    const all = { ...this.own, ...own };
    this.c.limits = new Limits(this.model, this.c.profile, all, this.recovery, this.c.limits.learned);
    this.own = all;
  }

  /** What a request of a prompt tree may have; nothing for a request of the conversation alone. */
  setBudget(budget: number | undefined): void {
    if (this.own.budget !== budget) this.set({ budget });
  }

  /** The view as another model would count it. `budget`: what its messages may have then, in our tokens. */
  async weigh(model: string | ModelLimits): Promise<{ current: number; request: number; budget: number }> {
    const { log, apart } = this.c;
    const limits = this.limitsOf(model);
    const { name } = modelOf(model);
    const { encoding, tokenizer, costModel, images } = this.options;
    const { tools } = log.counted({});
    const how = { format: "espalier" as const, tools, ...defined({ model: name, costModel, images }) };
    const theirs = tokenizer ? undefined : await loadEncodingOf(name, encoding);
    const isSame = tokenizer !== undefined || theirs === encodingOf({ model: modelOf(this.model).name, encoding });
    // Messages have to be counted again only where they could have other counts.
    const counted = () => countMessages(log.neutral(), { ...how, ...defined({ encoding: theirs, tokenizer }) }).total;
    const total = isSame && !log.hasMedia ? log.totals().total : counted();
    const ours = total + apart;
    const { tokens, bound } = limits.predict(ours);
    const { request } = limits.of(log.totals().tools);
    return { current: tokens + bound, request, budget: Math.max(0, limits.ours(request) - apart) };
  }

  /** Writes down what was learned, if there is anything new. */
  keep(): void {
    const { name, learned } = this.c.limits;
    if (learned !== undefined) this.calibrations = { ...this.calibrations, [name]: learned };
    const all = { recovery: this.recovery.state, calibrations: this.calibrations };
    const text = JSON.stringify(all);
    if (text === this.kept || (all.recovery === undefined && Object.keys(this.calibrations).length === 0)) return;
    this.kept = text;
    this.c.log.record("note", { learned: all });
    this.c.saving.save();
  }

  private limitsOf(model: string | ModelLimits | undefined): Limits {
    return new Limits(model, this.c.profile, this.own, this.recovery, this.calibrations[modelOf(model).name ?? ""]);
  }
}

/** What the user set of limits. */
export function ownOf({ threshold, contextSize, preferLongContext: preferLong = false, tokenizer }: Options): Own {
  return { threshold, contextSize, preferLong, hasTokenizer: tokenizer !== undefined };
}

/** Loads what a model is counted with, unless the host said with what. */
export async function loadEncodingOf(name: string | undefined, given: EncodingName | undefined): Promise<EncodingName> {
  const encoding = encodingOf({ model: name, encoding: given });
  await loadNeeded(encoding);
  return encoding;
}

/** What an earlier session learned. */
function learnedOf(log: ConversationLog): { recovery?: unknown; calibrations?: Record<string, unknown> } {
  const notes = log.records("note").flatMap(({ data }) => {
    const learned = typeof data === "object" && data !== null ? (data as { learned?: object }).learned : undefined;
    return learned ? [learned] : [];
  });
  return notes.at(-1) ?? {};
}
