/** Reports what a provider would refuse in a conversation, what fills it, and what repeats. */

import { convert, requestOf } from "../formats/convert.ts";
import type { Reading } from "../formats/adapter.ts";
import { findSource } from "../formats/detect.ts";
import { readConversation } from "../formats/index.ts";
import { countMessages } from "../calls/count.ts";
import { check } from "../options/check.ts";
import { DIAGNOSE } from "../options/schemas/sessions.ts";
import { providerOf } from "../validity/providers.ts";
import type { CountOptions, CountReport } from "../types/count.ts";
import type { Finding, ProviderName } from "../types/validity.ts";
import type { Format } from "../types/messages.ts";
import { validate } from "../validity/validity.ts";
import { bodyBytes, mediaOf, sideAllowed } from "./limits.ts";
import type { RequestLimits } from "../formats/limits.ts";
import { RULES } from "../formats/table.ts";
import { repeatsIn } from "./repeats.ts";
import type { Repeat } from "./repeats.ts";

export interface DiagnoseOptions extends CountOptions {
  /**
   * The provider whose rules apply. Default: the provider of the messages' format; `openai-chat` for formats without
   * one.
   */
  provider?: ProviderName;
  /** Limits of the request, in place of those that the provider documents; `Infinity` for none. */
  limits?: RequestLimits;
}

/** A limit that the request exceeds. */
export interface LimitFinding {
  limit: keyof RequestLimits;
  allowed: number;
  found: number;
  message: string;
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
  const { provider: asked, limits, ...counting } = check(options, DIAGNOSE);
  const { reading, provider } = asProvider(messages, asked, counting.format);
  const {
    format,
    source: { input },
  } = reading;
  const how = { ...counting, format };
  const findings = validate(input, provider, { format, ...(counting.tools && { tools: counting.tools }) });
  const tokens = countMessages(input, how);
  const media = mediaOf(reading);
  const bytes = bodyBytes(input);
  const images = media.filter(({ isImage }) => isImage);
  const allowed = limitsOf(provider, limits);
  const exceeded = over(
    { ...allowed, maxImageSide: sideAllowed(allowed, images.length) },
    {
      maxTokens: tokens.total,
      maxBytes: bytes,
      maxImages: images.length,
      maxImageBytes: images.reduce((most, one) => Math.max(most, one.bytes), 0),
      maxImageSide: images.reduce((most, one) => Math.max(most, one.side), 0),
    },
  );
  return {
    provider,
    format,
    findings,
    exceeded,
    isAccepted: findings.length === 0 && exceeded.length === 0,
    tokens,
    bytes,
    images: images.length,
    documents: media.length - images.length,
    repeats: repeatsIn(reading, counting),
  };
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
  const reading = readConversation(messages, { ...(own && { format: own }) });
  const provider = providerOf(reading.format, asked) ?? "openai-chat";
  if (reading.format === provider) return { reading, provider };
  const input = requestOf(convert(messages, provider, { from: reading.format }));
  return { reading: readConversation(input, { format: provider }), provider };
}

/** Returns the provider's limits, overridden by the host's. */
export function limitsOf(provider: ProviderName, limits: RequestLimits | undefined): RequestLimits {
  return { ...RULES[provider].limits, ...limits };
}

/** `maxImageSideOfMany` is reported as `maxImageSide`. */
type Measured = Exclude<keyof RequestLimits, "maxImageSideOfMany">;

const WORDS: Record<Measured, (found: string, allowed: string) => string> = {
  maxTokens: (found, allowed) => `the request has ${found} tokens; the limit is ${allowed}`,
  maxBytes: (found, allowed) => `the request has ${found} bytes; the limit is ${allowed}`,
  maxImages: (found, allowed) => `the request has ${found} pictures; the limit is ${allowed}`,
  maxImageBytes: (found, allowed) => `a picture has ${found} bytes; the limit is ${allowed}`,
  maxImageSide: (found, allowed) => `a picture has a side of ${found} pixels; the limit is ${allowed}`,
};

function over(limits: RequestLimits, found: Record<Measured, number>): LimitFinding[] {
  return (Object.keys(WORDS) as Measured[]).flatMap((limit) => {
    const allowed = limits[limit];
    if (allowed === undefined || found[limit] <= allowed) return [];
    const message = WORDS[limit](found[limit].toLocaleString("en"), allowed.toLocaleString("en"));
    return [{ limit, allowed, found: found[limit], message }];
  });
}
