/**
 * Keeps the tool definitions of requests within a share of the limit, the same from request to request while they fit.
 */

import { readConversation } from "../formats/index.ts";
import { isFields } from "../formats/values.ts";
import { defined } from "../options/data.ts";
import { fitUsedTools } from "../tools/fit-tools.ts";
import type { FittedTools, ToolCut } from "../tools/fit-tools.ts";
import { usesOf } from "../tools/loader.ts";
import type { ToolList } from "../types/messages.ts";
import type { Context } from "./context.ts";
import type { ConversationOptions, PrepareOptions } from "./types.ts";

type Options<T> = Pick<ConversationOptions<T>, "encoding" | "tokenizer" | "costModel" | "limits">;

export class FittingTools<T> {
  private readonly c: Context<T>;
  private readonly options: Options<T>;
  /** The newest message that called or loaded a tool, by the tool's name. */
  private readonly uses = new Map<string, number>();
  /** Number of messages that `uses` covers. */
  private read = 0;
  private cut: ToolCut | undefined;
  /** The newest result, and what it was made of. */
  private newest: { given: readonly unknown[]; how: string; fitted: FittedTools<ToolList> } | undefined;

  constructor(context: Context<T>, options: Options<T>) {
    this.c = context;
    this.options = options;
    this.cut = keptCut(context);
  }

  /**
   * Returns the definitions that fit the share of the model's limit; equal ones as the same object, which need not be
   * counted again.
   *
   * @throws EspalierError `budget_exceeded`, `bad_option`, `bad_input`
   */
  fit(tools: ToolList, toolsShare: number, how: PrepareOptions["fitTools"] = {}): FittedTools<ToolList> {
    const { log, machine } = this.c;
    const { encoding, tokenizer, costModel, limits } = this.options;
    this.readUses();
    const { limit: maxPromptTokens } = this.c.look().usage;
    const model = { maxPromptTokens, ...(machine.name !== "" && { name: machine.name }) };
    const counting = defined({ encoding, tokenizer, costModel, maxTools: limits?.maxTools, previous: this.cut });
    const options = { ...how, ...counting, format: log.format, model, toolsShare };
    const fitted = fitUsedTools(tools, this.uses, options, "options.fitTools");
    const { cut } = fitted.report;
    if (JSON.stringify(cut) !== JSON.stringify(this.cut ?? { deferred: [] })) log.record("note", { toolCut: cut });
    this.cut = cut;
    const given = definitionsOf(tools);
    const by = JSON.stringify([cut, how]);
    const before = this.newest;
    const isSame = before !== undefined && before.how === by && areSame(before.given, given);
    this.newest = { given, how: by, fitted: isSame ? { ...fitted, tools: before.fitted.tools } : fitted };
    return this.newest.fitted;
  }

  private readUses(): void {
    const { log } = this.c;
    const added = log.originalsFrom(this.read);
    if (added.length === 0) return;
    const { messages } = readConversation(added, { format: log.format });
    for (const [name, index] of usesOf({ messages })) this.uses.set(name, this.read + index);
    this.read += added.length;
  }
}

/** Returns what an earlier session shortened and deferred, so that a provider's cache still holds. */
function keptCut<T>({ log }: Context<T>): ToolCut | undefined {
  const cuts = log.records("note").flatMap(({ data }) => {
    const cut = typeof data === "object" && data !== null ? (data as { toolCut?: ToolCut }).toolCut : undefined;
    return cut && Array.isArray(cut.deferred) ? [cut] : [];
  });
  return cuts.at(-1);
}

/** Returns the definitions of a list or record, those in lists of their own included: a host may add to its list. */
export function definitionsOf(tools: ToolList): unknown[] {
  return Object.values(isFields(tools) || Array.isArray(tools) ? tools : [tools]).flatMap((one: unknown) => [
    one,
    ...(isFields(one) ? Object.values(one).filter(Array.isArray).flat() : []),
  ]);
}

export function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((definition, at) => definition === other[at]);
}
