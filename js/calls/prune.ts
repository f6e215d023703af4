/**
 * Cuts a conversation to a budget: checks the options, reads, crosses once, rebuilds the host's messages from the plan.
 */

import { call, wasm } from "../engine/engine.ts";
import { readConversation } from "../formats/index.ts";
import { check } from "../options/check.ts";
import { PRUNE } from "../options/schemas/requests.ts";
import type { NotText } from "../types/messages.ts";
import type { PruneOptions, PruneResult } from "../types/prune.ts";
import { pruneFields, rebuilt } from "./prune-fields.ts";
import type { Pruned } from "./prune-fields.ts";
import { withModelOf } from "./reading.ts";
import { cutToLimits } from "./request-limits.ts";
import { withRepairs } from "./wire-repair.ts";

/**
 * Cuts a request to a budget: drops older turns first, each whole or down to its newest rounds, then early rounds of
 * the newest request; then shortens the rest. System messages, the newest request and the newest round stay, calls and
 * results stay together, and removal stops as soon as the request fits. A single result over a quarter of the limit is
 * shortened before anything is dropped; one of the newest messages that fit together only over three quarters. The
 * input is never changed.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { prune } from "espalier";
 *
 * const messages: object[] = JSON.parse(await readFile("session.json", "utf8"));
 * const { messages: request, report } = prune(messages, { budget: 16_000 });
 * report.after.total <= 16_000; // => true
 * report.removed[0]?.ids; // => ["m2", "m3"]
 * report.removed[0]?.why; // => "a round before the newest request, oldest first"
 *
 * // The next request begins like this one while that is possible, so that the provider's cache holds.
 * messages.push({ role: "assistant", content: "They pass." }, { role: "user", content: "Commit it." });
 * const next = prune(messages, { budget: 16_000, previous: report.cut });
 * next.messages[2] === request[2]; // => true
 * ```
 *
 * @throws EspalierError `budget_exceeded` (with `details.needed` and `details.largest`) if the messages that must stay
 *   do not fit, or exceed one of `limits` (`path` names it); and the errors of {@link countMessages}
 */
export function prune<T>(messages: T & NotText<T>, given: PruneOptions = {}): PruneResult<T> {
  const reading = readConversation(messages, check(given, PRUNE));
  const options = withModelOf(messages, given);
  const cut = (budget?: number) => {
    const asked = budget === undefined ? options : { ...options, budget };
    const fields = pruneFields(reading, asked);
    const pruned = call(() => wasm().prunePlan(reading.messages, fields) as Pruned);
    return rebuilt(pruned, reading, asked);
  };
  const { messages: fitting, report, repaired } = cutToLimits(cut, options.limits);
  return { messages: fitting as T, report: withRepairs(report, repaired) };
}
