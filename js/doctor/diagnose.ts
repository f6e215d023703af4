/** Reports what a provider would refuse in a conversation, what fills it, and what repeats. */

import { convert, requestOf } from "../formats/convert.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import { readConversation } from "../formats/index.ts";
import { countMessages } from "../calls/count.ts";
import { knownWindow } from "../calls/limits.ts";
import { check } from "../options/check.ts";
import { DIAGNOSE } from "../options/schemas/sessions.ts";
import { providerOf } from "../validity/providers.ts";
import type { CountOptions, CountReport } from "../types/count.ts";
import type { Finding, ProviderName, ValidityOptions } from "../types/validity.ts";
import type { Format } from "../types/messages.ts";
import { validate } from "../validity/validity.ts";
import { exceeded, limitsOf, measure } from "../validity/request-limits.ts";
import type { LimitFinding, RequestLimits } from "../types/limits.ts";
import { RULES } from "../formats/table.ts";
import { repeatsIn } from "./repeats.ts";
import type { Repeat } from "./repeats.ts";

export interface DiagnoseOptions extends CountOptions, Pick<ValidityOptions, "openEnd"> {
  /**
   * The provider whose rules apply. Default: the provider of the messages' format; `openai-chat` for formats without
   * one.
   */
  provider?: ProviderName;
  /** Limits of the request, in place of those that the provider documents; `Infinity` for none. */
  limits?: RequestLimits;
}

export interface Diagnosis {
  provider: ProviderName;
  format: Format;
  /** What the provider would refuse, message by message, as {@link validate} lists it. */
  findings: Finding[];
  /** Limits that the request exceeds. */
  exceeded: LimitFinding[];
  /** True if neither list has an entry. */
  isAccepted: boolean;
  /** What fills the request, in tokens. */
  tokens: CountReport;
  bytes: number;
  images: number;
  documents: number;
  /** Tool results that repeat the same text, largest waste first. */
  repeats: Repeat[];
}

/**
 * Reports what a provider would refuse in a conversation (pairs, roles, blank texts, thoughts, pictures, bytes, sizes),
 * what fills the request, and what repeats. {@link mend} removes what is refused.
 *
 * ```ts
 * import { diagnose } from "espalier";
 *
 * const call = { type: "tool_use", id: "t1", name: "bash", input: { command: "npm test" } };
 * const messages = [
 *   { role: "user", content: "Run the tests." },
 *   { role: "assistant", content: [call] },
 *   { role: "user", content: "Why do they fail?" },
 * ];
 * const { isAccepted, findings } = diagnose(messages);
 * isAccepted; // => false
 * findings[0]?.rule; // => "lost-call"
 * ```
 *
 * @throws EspalierError `bad_option`, `bad_message`, `unknown_format`
 */
export function diagnose(messages: unknown, options: DiagnoseOptions = {}): Diagnosis {
  const { provider: asked, limits, openEnd = false, ...counting } = check(options, DIAGNOSE);
  const { reading, provider } = asProvider(messages, asked, counting.format);
  const {
    format,
    source: { input },
  } = reading;
  const how = { ...counting, format };
  const model = modelOf(messages, counting.model);
  const tools = counting.tools && { tools: counting.tools };
  const findings = validate(input, provider, { format, openEnd, ...tools, ...(model !== undefined && { model }) });
  const tokens = countMessages(input, how);
  const found = measure(reading, true);
  const over = exceeded(
    limitsOf(provider, limits, () => knownWindow(counting.model)),
    { ...found, maxTokens: tokens.total },
  );
  const { images, documents, maxBytes: bytes = 0 } = found;
  return {
    provider,
    format,
    findings,
    exceeded: over,
    isAccepted: findings.length === 0 && over.length === 0,
    tokens,
    bytes,
    images,
    documents,
    repeats: repeatsIn(reading, counting),
  };
}

/** Returns the model that the request is for, some of which refuse more than others. */
export function modelOf(messages: unknown, given: string | undefined): string | undefined {
  const named = given ?? findSource(messages)?.request?.["model"];
  return typeof named === "string" ? named : undefined;
}

/** Converts the conversation to the provider's own format. */
export function asProvider(
  messages: unknown,
  asked: ProviderName | undefined,
  format: Format | undefined,
): { reading: Reading; provider: ProviderName } {
  const list = findSource(messages)?.list;
  const canBe = list && asked && RULES[asked].shape?.canBe?.(list);
  const own = format ?? (canBe ? asked : undefined);
  const reading = readConversation(messages, { format: own });
  const provider = providerOf(reading.format, asked) ?? "openai-chat";
  if (reading.format === provider) return { reading, provider };
  const input = requestOf(convert(messages, provider, { from: reading.format }));
  return { reading: readConversation(input, { format: provider }), provider };
}
