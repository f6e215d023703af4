/** Drives one compaction of the engine: answers its requests to the model, the hooks and the host's files. */

import { drive } from "../engine/drive.ts";
import type { Answer, Step } from "../engine/drive.ts";
import { call, isCrash } from "../engine/engine.ts";
import type { Reading } from "../formats/adapter.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactReport, Edit } from "../types/compact-report.ts";
import type { PlanItem } from "../types/messages.ts";
import { llmRequest, readHookReply } from "./asking.ts";
import { keptIds } from "./reading.ts";
import type { Repair } from "./wire-repair.ts";

/**
 * A compaction that the engine began: its first step as JSON text, and the operation that takes answers if that step
 * asks something. Declared here because the engine's own types are not in the package.
 */
export type Begun = [string, { resume(id: number, answer: Answer): string | undefined; free(): void } | undefined];

/** Runs a compaction. `reading` is called when the model is. */
export async function runCompaction(
  reading: () => Reading,
  options: CompactOptions,
  begin: () => Begun,
  after: Clock["after"] = CLOCK.after,
): Promise<{ plan: PlanItem[]; edits: Edit[]; report: CompactReport; repair?: Repair }> {
  const { llm, signal, timeoutMs, hookTimeoutMs, onProgress } = options;
  const usage: Record<string, unknown>[] = [];
  const requestIds: string[] = [];
  const serviceRequestIds: string[] = [];
  let statusCode: number | undefined;
  const [first, operation] = call(begin);
  let crashed = false;
  try {
    type Done = CompactReport & { plan: PlanItem[]; edits: Edit[]; repair?: Repair };
    const { plan, edits, repair, ...report } = await drive<Done>(
      JSON.parse(first) as Step<Done>,
      (id, answer) => {
        const next = call(() => operation!.resume(id, answer));
        return next === undefined ? undefined : (JSON.parse(next) as Step<Done>);
      },
      {
        llm,
        signal,
        timeoutMs,
        hookTimeoutMs,
        after,
        onProgress,
        hooks: options.hooks,
        readFile: options.readFile,
        request: (effect) => llmRequest(reading(), options, effect),
        readHookReply: (given) => readHookReply(given, (pins) => keptIds(reading(), pins)),
        onUsage: (reported) => usage.push(reported),
        onRequestId: (id, service) => {
          if (id !== undefined) requestIds.push(id);
          if (service !== undefined) serviceRequestIds.push(service);
        },
        onStatus: (status) => void (statusCode = status),
      },
    );
    if (report.model)
      Object.assign(report.model, {
        usage,
        requestIds,
        ...(serviceRequestIds.length > 0 && { serviceRequestIds }),
        ...(statusCode !== undefined && { statusCode }),
      });
    return { plan, edits, report, ...(repair && { repair }) };
  } catch (error) {
    crashed = isCrash(error);
    throw error;
  } finally {
    // A crashed instance has already lost the operation.
    if (!crashed) operation?.free();
  }
}
