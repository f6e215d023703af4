/** Applies budgets to all tool results together: the tokens that they may take, and the old ones that become notes. */

import { RULES } from "../formats/table.ts";
import { isFields, json } from "../formats/values.ts";
import type { Reading } from "../formats/adapter.ts";
import { counting, keptIds } from "../calls/reading.ts";
import { call, isCrash, wasm } from "../engine/engine.ts";
import { badOption as bad } from "../errors/errors.ts";
import { readConversation } from "../formats/index.ts";
import { IMAGE_BYTES, resultPictures } from "../tokens/images.ts";
import { loading } from "../tokens/loading.ts";
import type { LogEdit } from "../log/types.ts";
import { Late, contentName, readable, storedAt, withTimeout } from "./storing.ts";
import type { StoredResult } from "./storing.ts";
import type {
  BudgetResultsOptions,
  ClearResultsOptions,
  ResultsOptions,
  ResultsReport,
  ResultsResult,
} from "../types/results.ts";
import type { PlanItem } from "../types/messages.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { BUDGET_RESULTS, CLEAR_RESULTS } from "../options/schemas/results.ts";

/** gemini-cli's budget over the whole history, and its limit for one result (UTF-16 code units). */
const GEMINI_BUDGET = 50_000;
const GEMINI_CAP = 40_000;
/** Tools whose results its masking leaves unchanged. */
const GEMINI_EXEMPT = ["activate_skill", "save_memory", "ask_user", "enter_plan_mode", "exit_plan_mode"];

/** The figures of {@link ClearResultsOptions.profile}; an absent figure is a share of the tokens for messages. */
const CLEARING = {
  espalier: { minRequestTokens: 0, newest: 3, rounds: 2 },
  anthropic: { minRequestTokens: 100_000, newest: 3, rounds: 0, minKeptTokens: 0, minFreedTokens: 0 },
  "gemini-cli": { minRequestTokens: 0, newest: 0, rounds: 0, minKeptTokens: 50_000, minFreedTokens: 30_000 },
} as const;

/**
 * Cuts results so that all of them together are within a budget (newest first: about within it), regardless of the size
 * of the rest of the conversation. Takes messages of any format; uncut messages are the caller's own objects.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { budgetResults } from "espalier/results";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { messages: request, report } = await budgetResults(messages, { budget: 10_000 });
 * request[0] === messages[0]; // => true
 * report.gone.length; // => 24
 * const { tool, recall } = report.gone[0]!;
 * tool; // => "read_file"
 * recall; // => "m3"
 * const { level } = report; // to be passed with the next request
 * ```
 *
 * @throws EspalierError `bad_option` with the path of the option, `bad_message`, `unknown_format`,
 *   `encoding_not_loaded`; the reason of `signal` if it is aborted
 */
export async function budgetResults<T>(messages: T, options: BudgetResultsOptions): Promise<ResultsResult<T>> {
  const load = loading(options);
  if (load) await load;
  const { profile = "espalier", level } = check(options, BUDGET_RESULTS);
  const isGemini = profile === "gemini-cli";
  if (!isGemini) need(options.budget, kinds.required(kinds.whole), "options.budget");
  const { rule = isGemini ? "newest-first" : "water-level", budget = GEMINI_BUDGET } = options;
  if (isGemini && rule === "water-level") throw bad("rule", `"newest-first" with "gemini-cli"`, rule);
  const cap = options.maxResultTokens ?? (isGemini ? GEMINI_CAP : Math.floor(budget / 4));
  return runOperation(messages, options, isGemini, {
    rule: rule === "water-level" ? { level: { budget, previous: level } } : { newestFirst: { budget, cap } },
    exempt: { names: options.exempt ?? [] },
  });
}

/**
 * Replaces old results by one line each, with the call and the place of the whole result. Clears all results that it
 * may, or none if that is not worth a broken cache (see {@link clearingPays}). Takes messages of any format; unchanged
 * messages are the caller's own objects.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { ConversationLog } from "espalier/log";
 * import { clearResults } from "espalier/results";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { messages: request, edits } = await clearResults(messages, { budget: 32_000 });
 * request[3].content; // => "[cleared: read_file src/part0.ts, 120 lines, 7,109 characters; recall m3]"
 *
 * const log = ConversationLog.from(messages); // in a log the same edits can be undone
 * for (const edit of edits) log.edit(edit);
 * log.view().messages; // => request
 * ```
 *
 * @throws EspalierError as {@link budgetResults}
 */
export async function clearResults<T>(messages: T, options: ClearResultsOptions = {}): Promise<ResultsResult<T>> {
  const load = loading(options);
  if (load) await load;
  const { profile = "espalier", protectLatest = true } = check(options, CLEAR_RESULTS);
  const isGemini = profile === "gemini-cli";
  const figures: Pick<
    ClearResultsOptions,
    "minRequestTokens" | "newest" | "rounds" | "minKeptTokens" | "minFreedTokens"
  > = CLEARING[profile];
  const figure = (name: "minRequestTokens" | "newest" | "rounds" | "minKeptTokens" | "minFreedTokens") =>
    options[name] ?? figures[name];
  // A number above any message count means all messages.
  const few = (name: "newest" | "rounds") => Math.min(figure(name)!, 0xffff_ffff);
  const names = options.exempt ?? (isGemini ? GEMINI_EXEMPT : profile === "anthropic" ? [] : undefined);
  const clear = {
    budget: options.budget,
    minRequestTokens: figure("minRequestTokens"),
    newest: few("newest"),
    rounds: few("rounds"),
    minKeptTokens: figure("minKeptTokens"),
    minFreedTokens: figure("minFreedTokens"),
    skipLatest: isGemini && protectLatest,
    gross: isGemini,
  };
  return runOperation(messages, options, isGemini, { rule: { clear }, exempt: names && { names } });
}

type Going = { message: string; part: number; item?: number; callId: string; tool?: string; text: string };
type Target = NonNullable<LogEdit["targets"]>[number];
type Done = ResultsReport & {
  plan: PlanItem[];
  targets: Target[];
  pictures: Target[];
  kind: "truncate" | "clear_result";
  rule: string;
};

/** Runs one operation of the core, with the host's store in between. */
async function runOperation<T>(
  messages: T,
  options: ResultsOptions,
  gemini: boolean,
  rule: { rule: object; exempt: { names: readonly string[] } | undefined },
): Promise<ResultsResult<T>> {
  // gemini-cli has no such limit.
  const { store, timeoutMs = 5_000, signal, maxImageBytes = gemini ? Infinity : IMAGE_BYTES } = options;
  signal?.throwIfAborted();
  const reading = readConversation(messages, options);
  const pictures = resultPictures(reading, maxImageBytes);
  const fields = {
    ...counting(reading, options),
    ...rule,
    style: gemini ? "gemini-cli" : "espalier",
    keep: keptIds(reading, options.keep),
    bodies: gemini ? bodies(reading) : [],
    ...(pictures.length > 0 && { pictures, maxImageBytes }),
  };
  const operation = call(() => new (wasm().ResultEdits)(reading.messages, fields));
  const storing = store && new Storing({ ...options, store, timeoutMs }, gemini);
  let crashed = false;
  try {
    if (storing) {
      for (;;) {
        const going = call(() => operation.next() as Going | undefined);
        if (!going) break;
        const path = await storing.put(going);
        signal?.throwIfAborted();
        // gemini-cli keeps a result that it could not store; ours stays in the host's own messages.
        call(() => operation.settle(path ?? (gemini ? undefined : going.message)));
      }
    }
    const { plan, targets, pictures: noted, kind, rule: name, ...report } = call(() => operation.finish() as Done);
    const edits: LogEdit[] = targets.length > 0 ? [{ kind, rule: name, targets: targets.map(withNulls) }] : [];
    if (noted.length > 0)
      edits.push({
        kind: "truncate",
        rule: "heavy-picture",
        targets: noted.map((it) => withNulls(mergeNote(it, targets))),
      });
    return { messages: reading.rebuild(plan) as T, edits, report, ...storing?.failure };
  } catch (error) {
    crashed = isCrash(error);
    throw error;
  } finally {
    // A crashed instance has already lost the operation.
    if (!crashed) operation.free();
  }
}

/**
 * Combines a note for pictures with the edit of the same part: a log shows only a part's newest edit, so the note
 * repeats what the edit did to the texts.
 */
function mergeNote(noted: Target, targets: readonly Target[]): Target {
  const to = targets.find(({ message, part }) => message === noted.message && part === noted.part)?.to;
  if (noted.to?.type !== "content" || to?.type !== "content") return noted;
  return { ...noted, to: { ...noted.to, items: noted.to.items.map((item, at) => item ?? to.items[at] ?? null) } };
}

/** Kept items cross as absent; in an edit they are `null`. */
function withNulls(target: Target): Target {
  const { to } = target;
  return to?.type === "content" ? { ...target, to: { ...to, items: to.items.map((item) => item ?? null) } } : target;
}

/** Calls the host's store for one result after the other. */
class Storing {
  /** The first failure, for the result. */
  failure: { storeError: unknown } | undefined;
  private isGone = false;
  private readonly options: ResultsOptions & { store: NonNullable<ResultsOptions["store"]>; timeoutMs: number };
  private readonly gemini: boolean;

  constructor(options: Storing["options"], gemini: boolean) {
    this.options = options;
    this.gemini = gemini;
  }

  /** Stores a result and returns its place, or nothing if that failed. */
  async put({ text, tool }: Going): Promise<string | undefined> {
    if (this.isGone) return undefined;
    const { store, timeoutMs, signal, onEvent } = this.options;
    const { kind, content } = this.gemini ? { kind: "txt" as const, content: text } : readable(text, false);
    // gemini-cli numbers its files: a count that begins again with every call would reuse a name that a note points to
    // for another text.
    const name = await contentName(tool, content, kind);
    try {
      const answer = await withTimeout(timeoutMs, signal, (stop) =>
        store({ name, content, kind, signal: stop, ...(tool !== undefined && { tool }) } satisfies StoredResult),
      );
      const { path } = storedAt(answer);
      onEvent?.({ type: "stored", name, path, tokens: call(() => wasm().count(text, "o200k_base")) });
      return path;
    } catch (error) {
      signal?.throwIfAborted();
      // A store that timed out once would time out for every result.
      this.isGone = error instanceof Late;
      this.failure ??= { storeError: error };
      onEvent?.({ type: "warning", code: this.isGone ? "store_timeout" : "store_failed", error });
      return undefined;
    }
  }
}

/** Returns what gemini-cli reads of results that hold more than one text. */
function bodies({ format, source, messages }: Reading): [place: [id: string, part: number], body: string][] {
  const { resultBodies } = RULES[format];
  const offset = messages.length - source.list.length;
  return source.list.flatMap((message, at) =>
    (isFields(message) && resultBodies ? resultBodies(message) : []).map(([part, body]): [[string, number], string] => [
      [messages[at + offset]!.id, part],
      json(body),
    ]),
  );
}
