/** Measures the quality of a cut, made by any system. */

import type { Reading } from "../formats/index.ts";
import { counting } from "./reading.ts";
import { rules } from "./tool-rules.ts";
import { call, wasm } from "../engine/engine.ts";
import { coded, EspalierError } from "../errors/errors.ts";
import { readConversation } from "../formats/index.ts";
import type { NeutralMessage } from "../types/messages.ts";
import type { QualityOptions, ViewQuality } from "../types/compact-report.ts";
import { check } from "../options/check.ts";
import { QUALITY } from "../options/schemas/compaction.ts";

/**
 * Measures how much of a history other messages still contain: changed files, commands, errors, constraints, todos,
 * decisions, the user's words. Every compaction reports the same of itself; this function compares any two lists,
 * whatever made the second.
 *
 * ```ts
 * import { quality } from "espalier";
 *
 * const history = [
 *   { role: "user", content: "Fix src/parser.ts. Never edit generated files." },
 *   { role: "assistant", content: "The tokenizer dropped the last character. I fixed it." },
 *   { role: "user", content: "Run the tests." },
 * ];
 * const { retention, misses } = quality(history, history.slice(2));
 * retention.find(({ kind }) => kind === "constraints")?.all; // => 1
 * misses; // => ["constraints"]
 * ```
 *
 * @param view In the format of the history. Messages that equal the history's word for word count as the same.
 * @throws EspalierError `bad_option`; and the errors of {@link countMessages}, with a path into `history`, `view` or
 *   `options.continuation`
 */
export function quality(history: unknown, view: unknown, options: QualityOptions = {}): ViewQuality {
  const { ledger, summary, continuation, ...others } = check(options, QUALITY);
  const whole = readList("history", history, others);
  const { format } = whole;
  const shown = readList("view", view, { ...others, format });
  const fields = { ...counting(whole, others), ledger: rules(ledger, options.tools), summary };
  const later =
    continuation === undefined
      ? undefined
      : readList("options.continuation", continuation, { ...others, format }).messages;
  return call(
    () => wasm().quality(whole.messages, withHistoryIds(shown.messages, whole.messages), later, fields) as ViewQuality,
  );
}

/** Reads one of several lists, and names it in errors. */
function readList(name: string, messages: unknown, options: Parameters<typeof readConversation>[1]): Reading {
  try {
    return readConversation(messages, options);
  } catch (error) {
    if (!(error instanceof EspalierError) || !error.path || error.path.startsWith("options")) throw error;
    const { code, message, path, details } = error;
    throw coded({ code, message: `${name}: ${message}`, path: path.replace(/^messages/, name), details, cause: error });
  }
}

/** Gives the view the history's ids: formats without ids number both from zero. */
function withHistoryIds(view: readonly NeutralMessage[], history: readonly NeutralMessage[]): NeutralMessage[] {
  const same = new Map<string, string[]>();
  for (const { id, ...rest } of history) {
    const text = JSON.stringify(rest);
    const ids = same.get(text);
    if (ids) ids.push(id);
    else same.set(text, [id]);
  }
  return view.map((message, at) => {
    const { id: _, ...rest } = message;
    return { ...message, id: same.get(JSON.stringify(rest))?.shift() ?? `view${at}` };
  });
}
