/** `espalier compact FILE`. */

import { compact } from "../entries/verbs.ts";
import type { LogCompactOptions } from "../log/types.ts";
import type { Llm } from "../types/llm.ts";
import type { ProfileName } from "../types/profile.ts";
import { dialectOf } from "../sessions/dialects.ts";
import { ids, UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import type { Given } from "./given.ts";
import { llmFrom } from "./llm.ts";
import { cancelled, codeOf, keptLog, runOnLog } from "./log.ts";
import type { LoggedOptions } from "./log.ts";
import { finish, finishWritten, tell } from "./out.ts";
import { planned } from "./plan.ts";
import { progress } from "./progress.ts";
import { shown } from "./report.ts";
import { sessionFacts } from "./shown-session.ts";

/** Compacts a conversation, or the one in a log. */
export async function compactCommand(
  { input, session, common, converted }: Given,
  budget: number,
  log: Omit<LoggedOptions, "compact"> | undefined,
  values: Values,
): Promise<number> {
  const options = compactOptions(values);
  const bar = values.quiet ? { event: () => undefined, end: () => undefined } : progress(process.stderr);
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort());
  const dialect = session && dialectOf(session.layout);
  const how: LogCompactOptions = {
    ...options,
    budget,
    ...(dialect !== undefined && { ledger: { dialect } }),
    signal: abort.signal,
    onProgress: bar.event,
  };
  if (log) return keptLog(await runOnLog(input, { ...log, compact: how }).finally(bar.end), values, converted);
  const pin = ids(values.pin);
  const result = await compact(input, { ...common, ...how, ...(pin.length > 0 && { keep: pin }) }).finally(bar.end);
  if (result.status === "cancelled") return cancelled(result.report, values);
  if (values.plan) return finish({ ...result, messages: undefined, text: planned(result) }, values);
  if (!converted) finish({ ...result, ...sessionFacts(session) }, values);
  else {
    const { messages, ...facts } = result;
    if (!values.json) tell(shown(result.report), values);
    finishWritten(converted(messages), values, { ...facts, ...sessionFacts(session) });
  }
  return codeOf(result.status);
}

/** Returns the options of a compaction from flags. */
function compactOptions(values: Values): Omit<LogCompactOptions, "budget"> {
  const timeoutMs = whole(values["timeout-ms"], "--timeout-ms");
  const maxLlmTokens = whole(values["max-llm-tokens"], "--max-llm-tokens");
  const llm: Llm | undefined =
    values.llm === undefined ? undefined : llmFrom(values.llm, values["base-url"], process.env);
  const onFailure = values["on-failure"];
  if (onFailure !== undefined && onFailure !== "leave" && onFailure !== "offline")
    throw new UsageError("--on-failure must be leave or offline");
  return {
    force: values.force ?? false,
    // A history that is larger than the model's window is not sent to be refused.
    ...(llm && { llm, llmModel: values.llm!.slice(values.llm!.indexOf(":") + 1) }),
    ...(maxLlmTokens !== undefined && { maxLlmTokens }),
    ...(onFailure && { onFailure }),
    ...(values.focus !== undefined && { focus: values.focus }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(values.profile !== undefined && { profile: values.profile as ProfileName }),
  };
}
