/** The model of the next request, and learned facts about how its provider counts, which outlive the session. */

import { defined } from "../options/data.ts";
import { countMessages } from "../calls/count.ts";
import { modelOf } from "../calls/limits.ts";
import type { ConversationLog } from "../log/log.ts";
import { encodingOf } from "../tokens/count.ts";
import type { EncodingName } from "../types/count.ts";
import type { ModelLimits } from "../types/prune.ts";
import { loadNeeded } from "../engine/vocabulary.ts";
import type { Context } from "./context.ts";
import type { Learned } from "./machine.ts";
import type { ConversationOptions } from "./types.ts";

type Options = Pick<ConversationOptions<unknown>, "encoding" | "tokenizer" | "costModel" | "images" | "imageSize">;

/** Reports after which learned facts are recorded: once they tell something, and then now and again. */
const FIRST = 8;
const EVERY = 64;

export class Models<T> {
  private readonly c: Context<T>;
  private readonly options: Options;
  private kept = "";
  private reports = 0;

  constructor(context: Context<T>, options: Options) {
    this.c = context;
    this.options = options;
  }

  async change(model: string | ModelLimits): Promise<void> {
    this.keep();
    const { log, machine } = this.c;
    const { name } = modelOf(model);
    const { encoding, tokenizer, costModel } = this.options;
    if ((name ?? "") !== machine.name) {
      if (!tokenizer) await loadEncodingOf(name, encoding);
      log.setCounting({
        ...(encoding && { encoding }),
        ...(name !== undefined && { model: name }),
        ...(costModel && { costModel }),
      });
    }
    machine.change(model);
    log.record("note", { model: modelOf(model) });
  }

  /** Weighs the view under another model. `budget`: the tokens for its messages under that model, in our tokens. */
  async weigh(model: string | ModelLimits): Promise<{ current: number; request: number; budget: number }> {
    const { log, machine, apart } = this.c;
    const { name } = modelOf(model);
    const { encoding, tokenizer, costModel, images, imageSize } = this.options;
    const { tools } = log.counted({});
    const how = { format: "espalier" as const, tools, ...defined({ model: name, costModel, images, imageSize }) };
    const theirs = tokenizer ? undefined : await loadEncodingOf(name, encoding);
    const present = machine.name === "" ? undefined : machine.name;
    const isSame = tokenizer !== undefined || theirs === encodingOf({ model: present, encoding });
    // Messages need counting again only if their counts could differ.
    const counted = () => countMessages(log.neutral(), { ...how, ...defined({ encoding: theirs, tokenizer }) }).total;
    const totals = log.totals();
    const total = isSame && !log.state.lines.hasMedia ? totals.total : counted();
    const { current, request, budget } = machine.weigh(model, total + apart, totals.tools);
    return { current, request, budget: Math.max(0, budget - apart) };
  }

  /**
   * Records learned facts after a report if it changed the limit, and now and then what it taught about counts: a
   * process may end at any time, and the facts are too many for each report.
   */
  reported(isOtherLimit: boolean): void {
    this.reports += 1;
    if (isOtherLimit || this.reports === FIRST || this.reports % EVERY === 0) this.keep();
  }

  /** Records learned facts, if there are new ones. */
  keep(): void {
    const { recovery, calibrations = {} } = this.c.machine.learned;
    const all = { recovery, calibrations };
    const text = JSON.stringify(all);
    if (text === this.kept || (recovery === undefined && Object.keys(calibrations).length === 0)) return;
    this.kept = text;
    this.c.log.record("note", { learned: all });
    this.c.saving.save();
  }
}

/** Loads the encoding of a model, unless the host chose one. */
export async function loadEncodingOf(name: string | undefined, given: EncodingName | undefined): Promise<EncodingName> {
  const encoding = encodingOf({ model: name, encoding: given });
  await loadNeeded(encoding);
  return encoding;
}

/** Returns the facts that an earlier session learned. */
export function learnedOf<T>(log: ConversationLog<T>): Learned {
  const notes = log.records("note").flatMap(({ data }) => {
    const learned = typeof data === "object" && data !== null ? (data as { learned?: object }).learned : undefined;
    return learned ? [learned] : [];
  });
  return notes.at(-1) ?? {};
}
