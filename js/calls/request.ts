/**
 * Sends one request that fits: prunes it, lets the host send it, and sends a smaller one if the provider refuses it as
 * too large.
 */

import { limitFor, loweredReserve, modelOf, reserveOf } from "./limits.ts";
import type { Reading } from "../formats/adapter.ts";
import { abortable } from "../errors/abortable.ts";
import { coded, EspalierError } from "../errors/errors.ts";
import { isExceeded } from "../errors/exceeded.ts";
import { readConversation } from "../formats/index.ts";
import { cutOf } from "./prune-fields.ts";
import { Pruner } from "./pruner.ts";
import { withModelOf } from "./reading.ts";
import { Recovery, windowOf } from "./recovery.ts";
import type { RefusalKind, SilentOverflow, Tries } from "./recovery.ts";
import { fieldsOf, refusalBy, tokenField } from "./refusal.ts";
import { usageOf } from "../providers/usage.ts";
import type { DropMedia, PruneOptions, PruneReport, Removal, SharedMessages } from "../types/prune.ts";
import type { MessageFate } from "../types/generated/prune.ts";
import type { Totals } from "../types/count.ts";
import type { Usage } from "../types/cache.ts";
import { loading } from "../tokens/loading.ts";
import { check } from "../options/check.ts";
import { canLoseMedia } from "../validity/media.ts";
import { REQUEST } from "../options/schemas/requests.ts";

/** The second argument of a host's `send`. */
export interface SendContext {
  signal: AbortSignal | undefined;
  /** 0 for the first try. */
  retry: number;
  /** The output tokens to ask for; present if they had to be lowered. */
  outputReserve?: number;
  report: PruneReport;
}

/**
 * Sends the messages. Its error decides: an error with a `code` (or `kind`) of `context_length`, `output_reserve` or
 * `body_size` leads to a smaller request, by `used` and `limit` if the provider named them (on the error or in its
 * `details`), and so does an error of a provider's SDK whose words or status say the same; any other error is rethrown.
 */
export type Send<T, R> = (messages: T, context: SendContext) => Promise<R> | R;

export interface RequestOptions<R = unknown> extends PruneOptions {
  /** Aborting it ends the call, which then throws `aborted`. Default: none. */
  signal?: AbortSignal;
  /** Called for every request, cut and refusal. Default: none. */
  onEvent?: (event: RequestEvent) => void;
  /**
   * Limits learned from earlier refusals; pass it again with the next request. Default: nothing is known, and nothing
   * is kept.
   */
  recovery?: Recovery;
  /** Keeps counts and the cut from request to request. Without it `previous` is the last cut. */
  pruner?: Pruner;
  /** Allows lowering the output reserve of `model` if prompt and output together are too large. Default false. */
  lowerOutput?: boolean;
  /** Returns the prompt's tokens in the provider's report. Default: read from the reply's `usage`. */
  promptTokens?: (reply: R) => number | undefined;
  /**
   * Predicts, in the provider's tokens, the cost of `sent` of our tokens, as a `Calibration` does: for detecting
   * servers that truncate silently. Default: our own count.
   */
  predict?: (sent: number) => { tokens: number; bound?: number };
  /** A date to store with learned limits. Default: none. */
  date?: string;
}

export type RequestEvent =
  /** For every request that is sent. */
  | ({
      type: "context_usage";
      limit: number;
      used: number;
      isInitial: boolean;
      retry: number;
      shared?: SharedMessages;
    } & Omit<Totals, "total">)
  /** Only if messages were dropped or shortened. */
  | {
      type: "truncation";
      limit: number;
      before: Totals;
      after: Totals;
      tokensRemoved: number;
      messagesRemoved: number;
      removed: Removal[];
      performedBy: "prune";
      retry: number;
    }
  | {
      type: "refused";
      kind: RefusalKind;
      sent: number;
      used?: number;
      limit?: number;
      output?: number;
      total?: number;
      nextLimit?: number;
      retry: number;
    }
  | ({ type: "silent_overflow" } & SilentOverflow);

/** One try, as the final error lists it. */
export interface Attempt {
  /** The limit of the request, and its tokens, by our count. */
  limit: number;
  sent: number;
  kind: RefusalKind;
  used?: number;
  named?: number;
  message: string;
}

export interface RequestResult<T, R> {
  reply: R;
  /** The messages that were sent in the end. */
  messages: T;
  report: PruneReport;
  /** Refusals before it. */
  attempts: Attempt[];
  silentOverflow?: SilentOverflow;
}

/**
 * Prunes and sends; if the provider refuses because of the size, prunes further and sends again, at most three times.
 * No cut lasts: your messages are unchanged, and the next request starts from all of them.
 *
 * ```ts
 * import OpenAI from "openai";
 * import { readFile } from "node:fs/promises";
 * import { Pruner, Recovery, request } from "espalier";
 *
 * const client = new OpenAI();
 * const messages: OpenAI.ChatCompletionMessageParam[] = JSON.parse(await readFile("session.json", "utf8"));
 * const model = { name: "gpt-4o", maxPromptTokens: 20_000 };
 * const [recovery, pruner] = [new Recovery(), new Pruner()]; // kept for the next request
 * const { reply, report } = await request(messages, { model, recovery, pruner }, (fitting, { signal }) =>
 *   client.chat.completions.create({ model: "gpt-4o", messages: fitting }, { signal }));
 * reply.choices[0]?.finish_reason; // => "stop"
 * report.after.total <= 20_000; // => true
 * ```
 *
 * @throws EspalierError the code of the refusal, with `details.attempts` and the last error as `cause`, if every try
 *   was refused; `budget_exceeded` if the messages that must stay do not fit; `aborted`. Errors unrelated to the size
 *   are rethrown.
 */
export async function request<T, R>(
  messages: T,
  given: RequestOptions<R>,
  send: Send<T, R>,
): Promise<RequestResult<T, R>> {
  const options = withModelOf(messages, given);
  const load = loading(options);
  if (load) await load;
  if (typeof send !== "function")
    throw new EspalierError({
      code: "bad_input",
      message: "request needs a function that sends the messages",
      path: "send",
    });
  check(options, REQUEST);
  if (options.previous) cutOf(options.previous);
  const own = options.pruner ? undefined : new Pruner(options.previous);
  // The cuts of one call continue no earlier request.
  const isAlone = own !== undefined && options.previous === undefined;
  try {
    return await sent(messages, isAlone ? { cacheStepShare: 0, ...options } : options, options.pruner ?? own!, send);
  } finally {
    own?.free();
  }
}

async function sent<T, R>(
  messages: T,
  options: RequestOptions<R>,
  pruner: Pruner,
  send: Send<T, R>,
): Promise<RequestResult<T, R>> {
  const { signal, onEvent, recovery = new Recovery(), lowerOutput = false, serverManaged = false, date } = options;
  const reading = readConversation(messages, options);
  const { name = "", outputReserve: stated } = modelOf(options.model);
  const { tokens: base, source } = limitFor(options);
  const reserve = stated === undefined ? undefined : reserveOf(options.model);
  const tries = recovery.begin(name, base, { outputReserve: lowerOutput ? reserve : undefined });
  const isInitial = (options.previous ?? pruner.cut) === undefined;
  const attempts: Attempt[] = [];
  let outputReserve: number | undefined;
  for (;;) {
    const retry = attempts.length;
    if (signal?.aborted) throw aborted(signal, attempts);
    const { messages: fitting, report } = fitted(pruner, reading, options, tries, attempts);
    report.limitSource = tries.limit < base ? "learned" : source;
    Object.assign(report, loweredReserve(options.model, report.limitSource));
    tell(onEvent, report, { isInitial: isInitial && retry === 0, retry });
    const tokensSent = report.after.total;
    let reply: R;
    try {
      const context = { signal, retry, report, ...(outputReserve !== undefined && { outputReserve }) };
      // A callback may ignore the signal.
      reply = await abortable(Promise.resolve(send(fitting as T, context)), signal);
    } catch (error) {
      if (signal?.aborted) throw aborted(signal, attempts);
      const { kind, ...numbers } = refusalBy(error);
      const isWhole = ({ fate, rule }: MessageFate) => fate === "kept" || (fate === "changed" && rule !== "media");
      const whole = new Set(report.messages.filter(isWhole).map(({ id }) => id));
      const hasMedia = canLoseMedia(reading, ({ id }) => whole.has(id));
      const next = recovery.refused(tries, {
        kind,
        sent: tokensSent,
        hasMedia,
        ...numbers,
        ...(date !== undefined && { date }),
      });
      onEvent?.({
        type: "refused",
        kind,
        sent: tokensSent,
        ...numbers,
        ...(next.action === "retry" && { nextLimit: next.limit }),
        retry,
      });
      attempts.push({
        limit: report.budget,
        sent: tokensSent,
        kind,
        ...(numbers.used !== undefined && { used: numbers.used }),
        ...(numbers.limit !== undefined && { named: numbers.limit }),
        message: sentence(error),
      });
      if (next.action === "passOn" && retry === 0) throw error;
      if (next.action !== "retry") throw final(error, next.why, attempts);
      outputReserve = next.outputReserve;
      continue;
    }
    // A server that manages the context may read less than was sent.
    const answered = serverManaged ? {} : reportedAndPredicted(reply, tokensSent, options);
    const silentOverflow = recovery.accepted(name, {
      sent: tokensSent,
      ...answered,
      ...(date !== undefined && { date }),
    });
    if (silentOverflow) onEvent?.({ type: "silent_overflow", ...silentOverflow });
    return { reply, messages: fitting as T, report, attempts, ...(silentOverflow && { silentOverflow }) };
  }
}

function aborted(signal: AbortSignal, attempts: readonly Attempt[]): EspalierError {
  return new EspalierError({
    code: "aborted",
    message: "The request was aborted.",
    details: { attempts },
    cause: signal.reason,
  });
}

const STRENGTH: readonly DropMedia[] = ["none", "old", "all"];

function fitted<R>(
  pruner: Pruner,
  reading: Reading,
  options: RequestOptions<R>,
  tries: Tries,
  attempts: readonly Attempt[],
) {
  const { previous, dropMedia = "none", serverManaged, ...pruning } = options;
  const stronger = STRENGTH.indexOf(dropMedia) > STRENGTH.indexOf(tries.dropMedia) ? dropMedia : tries.dropMedia;
  // A retry continues from the refused cut.
  const cut = attempts.length === 0 && previous !== undefined ? { previous } : {};
  // Content that the server would clear is not cut here until the server refuses the request.
  const budget = serverManaged && attempts.length === 0 ? Number.MAX_SAFE_INTEGER : tries.limit;
  try {
    const { messages, report } = pruner.pruneRead(reading, { ...pruning, ...cut, budget, dropMedia: stronger });
    return { messages, report: { ...report, budget: tries.limit } };
  } catch (error) {
    if (!isExceeded(error) || attempts.length === 0) throw error;
    const { code, message, path, details } = error;
    throw new EspalierError({
      code,
      message: `${message}, after the provider refused more`,
      path,
      details: { ...details, attempts },
      cause: error,
    });
  }
}

function tell(
  onEvent: RequestOptions["onEvent"],
  { budget, before, after, removed, shared }: PruneReport,
  { isInitial, retry }: { isInitial: boolean; retry: number },
): void {
  if (!onEvent) return;
  const { total, ...split } = after;
  onEvent({ type: "context_usage", limit: budget, used: total, ...split, isInitial, retry, ...(shared && { shared }) });
  if (removed.every(({ tokens }) => tokens === 0)) return;
  onEvent({
    type: "truncation",
    limit: budget,
    before,
    after,
    tokensRemoved: before.total - after.total,
    messagesRemoved: before.messages - after.messages,
    removed,
    performedBy: "prune",
    retry,
  });
}

/** Returns the provider's report and the prediction. Without a prediction our own count is used, which may be wrong. */
function reportedAndPredicted<R>(reply: R, sent: number, { promptTokens, predict, model }: RequestOptions<R>) {
  const predicted = predict?.(sent);
  return {
    ...tokenField("reported", promptTokens ? promptTokens(reply) : reportedBy(reply)?.promptTotal),
    ...tokenField("predicted", predicted?.tokens ?? sent),
    ...tokenField("bound", predicted?.bound),
    ...tokenField("window", windowOf(model)),
  };
}

/** Returns the usage in a reply: our own record, or a provider's. Ollama's is the reply itself. */
export function reportedBy(reply: unknown): Usage | undefined {
  const { usage, usageMetadata } = fieldsOf(reply);
  return usageOf(usage) ?? usageOf(usageMetadata) ?? usageOf(reply);
}

function final(error: unknown, why: string, attempts: readonly Attempt[]): EspalierError {
  const { code, details } = fieldsOf(error);
  const tries = `${attempts.length} ${attempts.length === 1 ? "try" : "tries"}`;
  return coded({
    code: typeof code === "string" ? code : attempts.at(-1)!.kind,
    message: `The request failed after ${tries}: ${why}. The provider said: ${sentence(error)}`,
    details: { ...fieldsOf(details), attempts },
    cause: error,
  });
}

function sentence(error: unknown): string {
  const { message } = fieldsOf(error);
  if (typeof message === "string" && message !== "") return message;
  try {
    return String(error);
  } catch {
    return "something that cannot be shown";
  }
}
