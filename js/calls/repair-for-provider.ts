/** Repairs a compacted conversation by its provider's rules, and cuts again if the repair made it longer. */

import { EspalierError } from "../errors/errors.ts";
import { restateExceeded } from "../errors/exceeded.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import { defined } from "../options/data.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactResult } from "../types/compact-report.ts";
import type { Removal } from "../types/prune.ts";
import { mendings, providerOf, sendable } from "../validity/sendable.ts";
import { countMessages } from "./count.ts";
import { prune } from "./prune.ts";
import { idAt, keptIds } from "./reading.ts";

/** Max cuts of one result: a repair may make the result longer, so that the next cut must be deeper. */
const CUTS = 8;

/**
 * Repairs an applied compaction by its provider's rules and cuts again until the repaired messages fit. A conversation
 * that the compaction did not change stays as it is.
 */
export function repairForProvider<T>(
  result: CompactResult<T>,
  reading: Reading,
  options: CompactOptions,
): CompactResult<T> {
  const { format, source } = reading;
  const provider = providerOf(format, options.provider);
  const { report } = result;
  if (provider === undefined || result.status !== "applied") return result;
  const ids = new Map(source.list.map((message, at) => [message, idAt(reading, at)!]));
  const { budget, encoding, tokenizer, model, costModel, images, imageSize, tools } = options;
  const how = { format, ...defined({ encoding, tokenizer, model, costModel, images, imageSize, tools }) };
  let { messages } = result;
  let pruned: Removal[] = [];
  for (let [cut, room] = [0, budget]; ; cut += 1) {
    const list = findSource(messages)?.list ?? [];
    const { messages: mended, changes } = sendable(messages, format, provider, model);
    if (mended === messages && cut === 0) return result;
    const { total, frame, conversation, messages: many } = countMessages(mended, how);
    if (total <= budget) {
      const removed = [
        ...report.removed,
        ...pruned,
        ...mendings(changes, (at) => [ids.get(list[at])].flatMap((id) => id ?? [])),
      ];
      const before = report.after.total;
      const step = {
        step: "repair",
        outcome: "applied" as const,
        tokensBefore: before,
        tokensAfter: total,
        why: "its provider would have refused it",
      };
      const steps = [...report.steps, ...(total === before ? [] : [step])];
      return {
        ...result,
        messages: mended,
        report: { ...report, after: { ...report.after, total, frame, conversation, messages: many }, removed, steps },
      };
    }
    if (cut === CUTS)
      throw restateExceeded(
        new EspalierError({
          code: "budget_exceeded",
          message: "the provider's form of the remaining messages is longer",
          details: { needed: total, budget },
        }),
        { budget, path: "options.budget" },
      );
    room = Math.max(0, room - (total - budget));
    const all = findSource(result.messages)?.list ?? [];
    const stay = new Set(keptIds(reading, options.keep));
    // Messages of a result have new numbers.
    const named = (id: string) => (format === "espalier" ? id : ids.get(all[Number(id.slice(1))]));
    try {
      const fitted = prune(result.messages, {
        ...how,
        budget: room,
        keep: all.flatMap((message, at) => (stay.has(ids.get(message) ?? "") ? [at] : [])),
      });
      messages = fitted.messages;
      pruned = fitted.report.removed.map((removal) => ({
        ...removal,
        ids: removal.ids.flatMap((id) => named(id) ?? []),
      }));
    } catch (error) {
      throw restateExceeded(error, {
        budget,
        spare: budget - room,
        path: "options.budget",
        named: (id) => named(id) ?? id,
      });
    }
  }
}
