/** Drives one compaction of the engine: answers its requests to the model, the hooks and the host's files. */

import { drive } from "../engine/drive.ts";
import type { Operation } from "../engine/drive.ts";
import { call, isCrash } from "../engine/engine.ts";
import type { Reading } from "../formats/adapter.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactReport, Edit } from "../types/compact-report.ts";
import type { PlanItem } from "../types/messages.ts";
import { llmRequest, readHookReply } from "./asking.ts";
import { profileText } from "./compact-fields.ts";
import { readProfile } from "./profile.ts";
import { kept } from "./reading.ts";

/** An operation of the engine; declared here, since the engine's own types are not in the package. */
export type Compacting = { poll(): string; resume(id: number, answer: unknown): void; free(): void };

/** Runs a compaction. `reading` is called when the model is. */
export async function runCompaction(
  reading: () => Reading,
  options: CompactOptions,
  begin: () => Compacting,
  after: Clock["after"] = CLOCK.after,
): Promise<{ plan: PlanItem[]; edits: Edit[]; report: CompactReport }> {
  const { timeoutsMs, hook } = readProfile(profileText(options) ?? '"espalier"', "options.profile");
  const { llm, signal, timeoutMs = timeoutsMs.model, hookTimeoutMs = timeoutsMs.hook, onProgress } = options;
  const usage: Record<string, unknown>[] = [];
  const requestIds: string[] = [];
  const serviceRequestIds: string[] = [];
  let statusCode: number | undefined;
  const operation = call(begin);
  let crashed = false;
  try {
    type Done = CompactReport & { plan: PlanItem[]; edits: Edit[] };
    const { plan, edits, ...report } = await drive<Done>(
      {
        poll: () => JSON.parse(call(() => operation.poll())) as ReturnType<Operation<Done>["poll"]>,
        resume: (id, answer) => call(() => operation.resume(id, answer)),
      },
      {
        llm,
        signal,
        timeoutMs: timeoutMs,
        hookTimeoutMs: hookTimeoutMs,
        after,
        onProgress,
        twoTriggers: hook.twoTriggers,
        hooks: options.hooks,
        readFile: options.readFile,
        request: (effect) => llmRequest(reading(), options, effect),
        readHookReply: (given) => readHookReply(given, (pins) => kept(reading(), pins)),
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
    return { plan, edits, report };
  } catch (error) {
    crashed = isCrash(error);
    throw error;
  } finally {
    // A crashed instance has already lost the operation.
    if (!crashed) operation.free();
  }
}
