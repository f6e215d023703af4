/** Replaces older history by a summary that the host's model or rules write. */

import { wasm } from "../engine/engine.ts";
import { EspalierError, badOption as bad } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { readConversation } from "../formats/index.ts";
import type { Clock } from "../providers/types.ts";
import { loading } from "../tokens/loading.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { NotText, PlanItem } from "../types/messages.ts";
import { providerOf } from "../validity/providers.ts";
import { fields as receiver, receiverOfKept } from "../validity/validity.ts";
import type { Removal } from "../types/prune.ts";
import type { CompactReport, CompactResult } from "../types/compact-report.ts";
import { compactFields, rangeOfIds } from "./compact-fields.ts";
import { modelOf } from "./limits.ts";
import type { Pruner } from "./pruner.ts";
import { cutFields, withModelOf } from "./reading.ts";
import { budgetWithin, carriedOut, refuseExceeded, shownExceeded } from "./request-limits.ts";
import type { Begun } from "./run-compaction.ts";
import { runCompaction } from "./run-compaction.ts";
import { withRepairs } from "./wire-repair.ts";

/**
 * Replaces older history by a summary, so that the request fits its budget. `options.llm` writes the summary; rules
 * write it if there is no model or if it fails (see `onFailure`). The result is within its budget, or the call throws.
 * The newest request, the newest rounds and system messages stay; the report and `edits` list the covered messages.
 *
 * ```ts
 * import OpenAI from "openai";
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 *
 * const client = new OpenAI();
 * const messages: OpenAI.ChatCompletionMessageParam[] = JSON.parse(await readFile("session.json", "utf8"));
 * const { status, messages: compacted, report } = await compact(messages, {
 *   budget: 8_000,
 *   llm: async ({ messages }, { signal }) => {
 *     const reply = await client.chat.completions.create({ model: "gpt-4o-mini", messages }, { signal });
 *     return { text: reply.choices[0]?.message.content ?? "", usage: reply.usage };
 *   },
 * });
 * status; // => "applied"
 * report.after.total <= 8_000; // => true
 * ```
 *
 * @throws EspalierError as {@link prune}; `compaction_failed` if the model fails, `onFailure` is `leave` and the
 *   request does not fit
 */
export async function compact<T>(messages: T & NotText<T>, options: CompactOptions): Promise<CompactResult<T>> {
  const { repaired, report, ...result } = await compactMessages(messages, options);
  return { ...result, report: withRepairs(report, repaired) };
}

/**
 * The same, with what the provider's rules changed apart. With a pruner, messages that it holds are not counted again,
 * and the next compaction of the same ones does not read them again.
 *
 * @internal
 */
export async function compactMessages<T>(
  messages: T,
  given: CompactOptions,
  pruner?: Pruner,
): Promise<CompactResult<T> & { repaired: Removal[] }> {
  const options = withModelOf(messages, given);
  const load = loading(options);
  if (load) await load;
  const { cover, ...rest } = compactFields(options);
  const reading = readConversation(messages, options);
  const provider = providerOf(reading.format, options.provider);
  const all = {
    ...rest,
    budget: budgetWithin(reading, provider, options),
    ...cutFields(reading, options),
    ...(provider && { receiver: receiver(reading, provider, options) }),
    ...(cover && { cover: rangeOfIds(reading, cover) }),
  };
  const { plan, edits, report, repair } = await runCompaction(
    () => reading,
    options,
    () => pruner?.held(reading, all).beginCompaction(all) ?? wasm().beginCompaction(reading.messages, all),
  );
  refuseUnfit(report, options.budget);
  const { after, exceeded, repaired, ...done } = carriedOut(
    { plan, repair, after: report.after, budget: options.budget },
    reading,
    provider,
    options,
  );
  if (report.status !== "cancelled") refuseExceeded(exceeded, options.limits ?? {});
  return {
    status: report.status,
    messages: done.messages as T,
    edits,
    report: { ...report, after, ...shownExceeded(exceeded) },
    repaired,
  };
}

/**
 * Throws if an unchanged request does not fit, so that it is not sent. An aborted call sends nothing.
 *
 * @internal
 */
export function refuseUnfit(report: CompactReport, budget: number): void {
  const {
    status,
    after: { total },
    model,
    steps,
  } = report;
  if (total <= budget || status === "cancelled") return;
  const why = model?.error ?? steps.at(-1)?.why ?? status;
  const message = `Nothing was changed (${status}: ${why}), but the request has ${total} tokens and the budget is ${budget}. Without onFailure: "leave", rules would write the summary`;
  throw new EspalierError({
    code: "compaction_failed",
    message,
    path: "options.budget",
    details: { status, budget, needed: total, report },
  });
}

/**
 * Compacts messages whose counts are kept: `begin` makes the operation from the options in the core's form, and
 * `reading` returns the messages, which only a model's request needs. Ids in `keep` and `cover` are used unchanged.
 *
 * @internal
 */
export async function compactHeld(
  reading: () => Reading,
  options: CompactOptions,
  begin: (fields: object) => Begun,
  after?: Clock["after"],
): Promise<Omit<CompactResult<unknown>, "messages"> & { plan: PlanItem[] }> {
  const { keep = [], ...rest } = compactFields(options);
  if (!Array.isArray(keep)) throw bad("keep", "a list of ids of messages", keep);
  keep.forEach((id: unknown, at) => {
    if (typeof id !== "string" && typeof id !== "number") throw bad(`keep[${at}]`, "the id of a message", id);
  });
  const { model, provider } = options;
  const fields = {
    ...rest,
    keep: keep.map(String),
    model,
    ...(provider && { receiver: receiverOfKept("espalier", provider, modelOf(model).name) }),
  };
  let found: Reading | undefined;
  const { plan, edits, report } = await runCompaction(
    () => (found ??= reading()),
    options,
    () => begin(fields),
    after,
  );
  return { status: report.status, plan, edits, report };
}
