/** Changes a conversation so that its provider accepts it. */

import { readConversation } from "../formats/index.ts";
import { compact } from "../calls/compact.ts";
import { countMessages } from "../calls/count.ts";
import { prune } from "../calls/prune.ts";
import { EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { DIAGNOSE } from "../options/schemas/sessions.ts";
import type { CountOptions } from "../types/count.ts";
import type { Finding, ProviderName, RepairChange } from "../types/validity.ts";
import type { Format, PlanItem } from "../types/messages.ts";
import { repair } from "../validity/validity.ts";
import { asProvider, diagnose, limitsOf } from "./diagnose.ts";
import type { DiagnoseOptions, LimitFinding } from "./diagnose.ts";
import { bodyBytes, mediaOf, sideAllowed } from "./limits.ts";
import type { Medium } from "./limits.ts";
import type { RequestLimits } from "../formats/limits.ts";

export interface Mended {
  provider: ProviderName;
  format: Format;
  /** In the shape of the input; the same object if nothing had to change. */
  messages: unknown;
  /** What changed, in order. */
  changes: RepairChange[];
  /** What the provider would still refuse; empty unless the content that must stay exceeds a limit. */
  left: (Finding | LimitFinding)[];
}

const ROUNDS = 6;

/**
 * Changes a conversation so that its provider accepts it: repairs what {@link repair} repairs, replaces the oldest
 * pictures and documents by notes if there are too many, and compacts by rules, then prunes, if tokens or bytes exceed
 * the limit. Calls at the end without a result get one that says so, because nothing will answer them.
 *
 * ```ts
 * import { mend } from "espalier";
 *
 * const result = { type: "tool_result", tool_use_id: "t9", content: "62 tests passed" };
 * const next = { type: "text", text: "And the docs?" };
 * const messages = [{ role: "user", content: "Go on." }, { role: "assistant", content: "Yes." }, { role: "user", content: [result, next] }];
 * const mended = await mend(messages, { provider: "anthropic" });
 * mended.left; // => []
 * mended.changes[0]?.rule; // => "orphan-result"
 * ```
 *
 * @throws EspalierError the errors of {@link diagnose}
 */
export async function mend(messages: unknown, options: DiagnoseOptions = {}): Promise<Mended> {
  const { provider: asked, limits: given, ...counting } = check(options, DIAGNOSE);
  const { reading, provider } = asProvider(messages, asked, counting.format);
  const limits = limitsOf(provider, given);
  const how = { ...counting, format: reading.format };
  const changes: RepairChange[] = [];
  let input = reading.source.input;
  for (let round = 0; round < ROUNDS; round++) {
    const before = input;
    const repaired = repair(input, {
      provider,
      format: reading.format,
      pending: "synthesize",
      ...(counting.tools && { tools: counting.tools }),
    });
    for (const change of repaired.report.changes) changes.push(change);
    input = withoutMedia(repaired.messages, reading.format, limits, changes);
    input = await shortenRequest(input, how, limits, changes);
    if (input === before) break;
  }
  const { findings, exceeded } = diagnose(input, { ...how, provider, limits });
  return { provider, format: reading.format, messages: input, changes, left: [...findings, ...exceeded] };
}

/**
 * Replaces pictures that are too large by notes, then the oldest pictures and documents until their number and bytes
 * fit.
 */
function withoutMedia(input: unknown, format: Format, limits: RequestLimits, changes: RepairChange[]): unknown {
  const { maxBytes = Infinity, maxImages = Infinity, maxImageBytes = Infinity } = limits;
  const reading = readConversation(input, { format });
  const media = mediaOf(reading);
  if (media.length === 0) return input;
  const maxSide = sideAllowed(limits, media.filter(({ isImage }) => isImage).length);
  const drop = new Set(
    media.filter(({ isImage, bytes, side }) => isImage && (bytes > maxImageBytes || side > maxSide)),
  );
  let images = media.filter((one) => one.isImage && !drop.has(one)).length;
  // Base64 takes four bytes for three.
  let bytes =
    maxBytes === Infinity ? 0 : bodyBytes(input) - [...drop].reduce((sum, one) => sum + (one.bytes * 4) / 3, 0);
  for (const one of media) {
    if (images <= maxImages && bytes <= maxBytes) break;
    if (
      drop.has(one) ||
      !(one.isImage ? images > maxImages || (bytes > maxBytes && one.bytes > 0) : bytes > maxBytes && one.bytes > 0)
    )
      continue;
    drop.add(one);
    if (one.isImage) images -= 1;
    bytes -= (one.bytes * 4) / 3;
  }
  if (drop.size === 0) return input;
  const offset = reading.messages.length - reading.source.list.length;
  for (const { index, isImage } of drop) {
    changes.push({
      rule: "media-limit",
      index: index - offset,
      path: `${reading.source.name}[${index - offset}]`,
      message: `${isImage ? "a picture" : "a document"} became a note`,
    });
  }
  return reading.rebuild(noted(reading.messages, drop));
}

const note = ({ isImage }: Medium) => (isImage ? "[picture removed]" : "[document removed]");

function noted(messages: ReturnType<typeof readConversation>["messages"], drop: ReadonlySet<Medium>): PlanItem[] {
  const byMessage = new Map<number, Medium[]>();
  for (const one of drop) byMessage.set(one.index, [...(byMessage.get(one.index) ?? []), one]);
  return messages.map(({ id, parts }, index): PlanItem => {
    const own = byMessage.get(index);
    if (!own) return { type: "keep", id };
    return {
      type: "edit",
      id,
      parts: parts.map((part, at) => {
        const here = own.filter((one) => one.part === at);
        if (here.length === 0) return { part: at };
        if (part.type !== "toolResult") return { part: at, to: { type: "note", text: note(here[0]!) } };
        const items = part.content.map((_, item) => {
          const gone = here.find((one) => one.item === item);
          return gone ? note(gone) : null;
        });
        return { part: at, to: { type: "content", items } };
      }),
    };
  });
}

/** Compacts by rules, then prunes, until tokens and bytes fit. */
async function shortenRequest(
  input: unknown,
  how: CountOptions,
  limits: RequestLimits,
  changes: RepairChange[],
): Promise<unknown> {
  const { maxTokens = Infinity, maxBytes = Infinity } = limits;
  const { total } = countMessages(input, how);
  const bytes = maxBytes === Infinity ? 0 : bodyBytes(input);
  if (total <= maxTokens && bytes <= maxBytes) return input;
  const budget = Math.floor(Math.min(maxTokens, bytes > maxBytes ? (total * maxBytes * 0.95) / bytes : Infinity));
  try {
    const done = await compact(input, { ...how, budget });
    const fits = done.report.after.total <= budget;
    const next = fits ? done.messages : prune(input, { ...how, budget }).messages;
    changes.push({
      rule: fits ? "compacted" : "pruned",
      message: `${total.toLocaleString("en")} tokens became at most ${budget.toLocaleString("en")}`,
    });
    return next;
  } catch (error) {
    // The content that must stay exceeds the limit: `left` reports it.
    if (error instanceof EspalierError && error.code === "budget_exceeded") return input;
    throw error;
  }
}
