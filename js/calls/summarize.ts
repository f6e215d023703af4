/** Writes a record of a conversation for another session; the conversation itself is unchanged. */

import { wasm } from "../engine/engine.ts";
import { readConversation } from "../formats/index.ts";
import { check } from "../options/check.ts";
import { picked } from "../options/data.ts";
import { SUMMARIZE } from "../options/schemas/compaction.ts";
import { loading } from "../tokens/loading.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactReport, SummarizeOptions, SummarizeResult } from "../types/compact-report.ts";
import { compactFields } from "./compact-fields.ts";
import { counting, withModelOf } from "./reading.ts";
import { runCompaction } from "./run-compaction.ts";

/** The options of compactions that have a meaning here. */
const SHARED = [
  "encoding",
  "tokenizer",
  "model",
  "costModel",
  "images",
  "imageSize",
  "format",
  "tools",
  "focus",
  "signal",
  "timeoutMs",
  "onProgress",
  "ledger",
  "recordProfile",
  "verify",
  "llmModel",
  "modelRules",
  "instructions",
  "jobId",
  "profile",
] as const satisfies readonly (keyof SummarizeOptions)[];

/**
 * Writes a record of a conversation, so that another session can continue the work. The conversation is unchanged, and
 * any model can write the record: results in its input have at most 2,000 tokens each. If the model fails, the result
 * is a `status`, not an empty text.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { summarize } from "espalier";
 * import { openai } from "espalier/providers";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { llm } = openai({ model: "gpt-4o-mini", apiKey: process.env.OPENAI_API_KEY });
 * const { status, record } = await summarize(messages, { purpose: "handoff", llm });
 * status; // => "applied"
 * const elsewhere = [{ role: "user", content: record }]; // the first message of another session
 * ```
 *
 * @throws EspalierError as {@link countMessages}
 */
export async function summarize(messages: unknown, given: SummarizeOptions): Promise<SummarizeResult> {
  const options = withModelOf(messages, given);
  const load = loading(options);
  if (load) await load;
  const { llm, maxLlmTokens, onFailure = "leave" } = check(options, SUMMARIZE);
  const all: CompactOptions = {
    ...picked(options, SHARED),
    onFailure,
    llm,
    maxLlmTokens,
    budget: Number.MAX_SAFE_INTEGER,
    trigger: "manual",
  };
  const { keep: _, cover: __, asking, ...rest } = compactFields(all);
  const reading = readConversation(messages, all);
  const fields = { ...counting(reading, all), ...rest, keep: [], asking: { ...asking, isHandover: true } };
  const { report } = await runCompaction(
    () => reading,
    all,
    () => wasm().beginCompaction(reading.messages, fields),
  );
  const { status, summary, record, title, before, steps } = report as CompactReport & { record?: string };
  const isMade = status === "applied" && summary !== undefined;
  return {
    status,
    before,
    ...(isMade && { summary, ...(record !== undefined && { record }), ...(title !== undefined && { title }) }),
    ...(report.model && { model: report.model }),
    ...(!isMade && { error: report.model?.error ?? steps.at(-1)?.why ?? status }),
  };
}
