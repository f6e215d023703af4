/**
 * One request that fits: pruned, sent by the host, and sent again smaller when the provider says that it was too large.
 */

import { limitFor, modelOf } from "./limits.ts";
import { read } from "./reading.ts";
import type { Reading } from "../formats/adapter.ts";
import { coded, EspalierError } from "../errors/errors.ts";
import { Pruner } from "./pruner.ts";
import { Recovery, windowOf } from "./recovery.ts";
import type { RefusalKind, SilentOverflow, Tries } from "./recovery.ts";
import { usageOf } from "../providers/usage.ts";
import type { DropMedia, PruneOptions, PruneReport, Removal, SharedMessages } from "../types/prune.ts";
import type { NeutralMessage, Part } from "../types/messages.ts";
import type { Totals } from "../types/count.ts";
import type { Usage } from "../types/cache.ts";
import { check } from "../options/check.ts";
import { REQUEST } from "../options/schemas/requests.ts";

/** Arguments of a host's `send` beside the messages. */
export interface SendContext {
  signal: AbortSignal | undefined;
  /** 0 for the first try. */
  retry: number;
  /** Output tokens to ask for; present if they had to be lowered. */
  outputReserve?: number;
  report: PruneReport;
}

/**
 * Sends the messages. What it throws decides: an error with a `code` (or `kind`) of `context_length`, `output_reserve`
 * or `body_size` and, where the provider named them, `used` and `limit` (on the error or in its `details`) is answered
 * by a smaller request; anything else is thrown on.
 */
export type Send<T, R> = (messages: T, context: SendContext) => Promise<R> | R;

export interface RequestOptions<R = unknown> extends PruneOptions {
  /** Aborting it ends the call, which then throws `aborted`. Default: nothing ends it. */
  signal?: AbortSignal;
  /** Called for every request, cut and refusal. Default: nobody listens. */
  onEvent?: (event: RequestEvent) => void;
  /**
   * What was learned from earlier refusals; keep it for the next request. Default: nothing is known, and nothing is
   * kept.
   */
  recovery?: Recovery;
  /** Holds counts and the cut from request to request. Without it `previous` says how the last one was cut. */
  pruner?: Pruner;
  /** Let the output reserve of `model` be lowered when prompt and output together are too much. Default false. */
  lowerOutput?: boolean;
  /** Tokens of the prompt as the provider reported them. By default looked for in the reply's `usage`. */
  promptTokens?: (reply: R) => number | undefined;
  /**
   * Predicts, in the provider's tokens, what `sent` of our tokens cost, as a `Calibration` does: to notice servers
   * that cut in silence. Default: our own count.
   */
  predict?: (sent: number) => { tokens: number; bound?: number };
  /** A date to keep with limits that are learned. Default: none. */
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
  /** Only if something went, or became smaller. */
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
      nextLimit?: number;
      retry: number;
    }
  | ({ type: "silent_overflow" } & SilentOverflow);

/** One try, as the final error lists it. */
export interface Attempt {
  /** What the request was allowed, and what it had, by our count. */
  limit: number;
  sent: number;
  kind: RefusalKind;
  used?: number;
  named?: number;
  message: string;
}

export interface RequestResult<T, R> {
  reply: R;
  /** What was sent in the end. */
  messages: T;
  report: PruneReport;
  /** Refusals before it. */
  attempts: Attempt[];
  silentOverflow?: SilentOverflow;
}

/**
 * Prunes, sends, and when the provider refuses because of the size prunes further and sends again, at most three times.
 * Nothing that was cut stays cut: your messages are what they were, and the next request starts from all of them.
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
 * @throws EspalierError the code of the refusal, with `details.attempts` and the last error as `cause`, when it was
 *   refused to the end; `budget_exceeded` if what must stay does not fit; `aborted`. Errors that have nothing to do
 *   with the size are thrown as they came.
 */
export async function request<T, R>(
  messages: T,
  options: RequestOptions<R>,
  send: Send<T, R>,
): Promise<RequestResult<T, R>> {
  if (typeof send !== "function")
    throw new EspalierError({
      code: "bad_input",
      message: "request needs a function that sends the messages",
      path: "send",
    });
  check(options, REQUEST);
  const own = options.pruner ? undefined : new Pruner(options.previous);
  try {
    return await sent(messages, options, options.pruner ?? own!, send);
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
  const reading = read(messages, options);
  const { name = "", outputReserve: reserve } = modelOf(options.model);
  const { tokens: base, source } = limitFor(options);
  const tries = recovery.begin(name, base, { outputReserve: lowerOutput ? reserve : undefined });
  const isInitial = (options.previous ?? pruner.cut) === undefined;
  const attempts: Attempt[] = [];
  let outputReserve: number | undefined;
  for (;;) {
    const retry = attempts.length;
    if (signal?.aborted)
      throw new EspalierError({
        code: "aborted",
        message: "The request was aborted.",
        details: { attempts },
        cause: signal.reason,
      });
    const { messages: fitting, report } = fitted(pruner, reading, options, tries, attempts);
    report.limitSource = tries.limit < base ? "learned" : source;
    tell(onEvent, report, { isInitial: isInitial && retry === 0, retry });
    const tokensSent = report.after.total;
    let reply: R;
    try {
      reply = await send(fitting as T, {
        signal,
        retry,
        report,
        ...(outputReserve !== undefined && { outputReserve }),
      });
    } catch (error) {
      // Whoever aborted knows why.
      if (signal?.aborted) throw error;
      const { kind, ...numbers } = refusalOf(error);
      const hasMedia = canLoseMedia(reading.messages, report);
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
    // A server that manages the context reads less than was sent, and may.
    const answered = serverManaged ? {} : usage(reply, tokensSent, options);
    const silentOverflow = recovery.accepted(name, {
      sent: tokensSent,
      ...answered,
      ...(date !== undefined && { date }),
    });
    if (silentOverflow) onEvent?.({ type: "silent_overflow", ...silentOverflow });
    return { reply, messages: fitting as T, report, attempts, ...(silentOverflow && { silentOverflow }) };
  }
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
  // A retry goes on from the cut that was refused.
  const cut = attempts.length === 0 && previous !== undefined ? { previous } : {};
  // What the server would clear is not cut here, until it refuses.
  const budget = serverManaged && attempts.length === 0 ? Number.MAX_SAFE_INTEGER : tries.limit;
  try {
    const { messages, report } = pruner.pruneRead(reading, { ...pruning, ...cut, budget, dropMedia: stronger });
    return { messages, report: { ...report, budget: tries.limit } };
  } catch (error) {
    if (!(error instanceof EspalierError) || error.code !== "budget_exceeded" || attempts.length === 0) throw error;
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
  if (removed.length === 0) return;
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

const KINDS: readonly RefusalKind[] = ["context_length", "output_reserve", "body_size", "rate_limited"];

/** What an error says of itself: in fields of its own, or in `details`. */
export function refusalOf(error: unknown): { kind: RefusalKind; used?: number; limit?: number } {
  const fields = fieldsOf(error);
  const details = fieldsOf(fields["details"]);
  // What was said more closely wins: `output_reserve` is a kind of `context_length`.
  const kind =
    [details["kind"], fields["kind"], fields["code"]].find((name): name is RefusalKind =>
      KINDS.includes(name as RefusalKind),
    ) ?? "other";
  return {
    kind,
    ...whole("used", details["used"] ?? fields["used"]),
    ...whole("limit", details["limit"] ?? fields["limit"]),
  };
}

/**
 * What the provider reported, and what was expected. Without a prediction our own count is one that may well be wrong.
 */
function usage<R>(reply: R, sent: number, { promptTokens, predict, model }: RequestOptions<R>) {
  const predicted = predict?.(sent);
  return {
    ...whole("reported", promptTokens ? promptTokens(reply) : reportedBy(reply)?.promptTotal),
    ...whole("predicted", predicted?.tokens ?? sent),
    ...whole("bound", predicted?.bound),
    ...whole("window", windowOf(model)),
  };
}

/** The usage in a reply: our own record, or those of the providers. */
export function reportedBy(reply: unknown): Usage | undefined {
  const { usage, usageMetadata } = fieldsOf(reply);
  return usageOf(usage) ?? usageOf(usageMetadata);
}

/**
 * A field with a number of tokens, or none if it is no such number: what providers and hosts say is not trusted to be
 * one.
 */
function whole<Name extends string>(name: Name, value: unknown): { [name in Name]?: number } {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0 || value > Number.MAX_SAFE_INTEGER) return {};
  return { [name]: Math.round(value) } as { [name in Name]?: number };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Whether something that was sent holds pictures or documents that may still go. */
function canLoseMedia(messages: readonly NeutralMessage[], report: PruneReport): boolean {
  const sent = new Set(
    report.messages.flatMap(({ id, fate, rule }) =>
      fate === "kept" || (fate === "changed" && rule !== "media") ? [id] : [],
    ),
  );
  const newest = messages.findLast(({ role }) => role === "user");
  const isMedia = ({ type }: Part) => type === "image" || type === "document";
  return messages.some(
    (message) =>
      sent.has(message.id) &&
      message.role !== "system" &&
      message.role !== "developer" &&
      message.parts.some((part) =>
        part.type === "toolResult" ? part.content.some(isMedia) : message !== newest && isMedia(part),
      ),
  );
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
