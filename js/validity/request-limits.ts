/** Compares a request with the limits of its provider, and replaces pictures and documents beyond them by notes. */

import type { Reading } from "../formats/adapter.ts";
import { RULES } from "../formats/table.ts";
import type { LimitFinding, RequestLimits } from "../types/limits.ts";
import type { PlanItem } from "../types/messages.ts";
import type { ProviderName, RepairChange } from "../types/validity.ts";
import { bodyBytes, mediaOf, written } from "./media.ts";
import type { Medium } from "./media.ts";

/**
 * Returns the limits that a provider documents, overridden by the host's. `window` returns the tokens of the model's
 * window, if they are known.
 */
export function limitsOf(
  provider: ProviderName | undefined,
  limits: RequestLimits | undefined,
  window?: () => number | undefined,
): RequestLimits {
  const { large, ...usual } = (provider && RULES[provider].limits) ?? {};
  const isLarge = large && (window?.() ?? 0) >= large.minTokens;
  return { ...usual, ...(isLarge && large.limits), ...limits };
}

/** Anthropic has a separate limit for requests with more pictures than this. */
const MANY = 20;

/** Returns the max pixels of the longer side of each of `count` pictures. */
function sideAllowed({ maxImageSide = Infinity, maxImageSideOfMany = Infinity }: RequestLimits, count: number): number {
  return count > MANY ? Math.min(maxImageSide, maxImageSideOfMany) : maxImageSide;
}

/** `maxImageSideOfMany` is reported as `maxImageSide`. */
type Measured = Exclude<keyof RequestLimits, "maxImageSideOfMany">;

const WORDS: Record<Measured, (found: string, allowed: string) => string> = {
  maxTokens: (found, allowed) => `the request has ${found} tokens; the limit is ${allowed}`,
  maxBytes: (found, allowed) => `the request has ${found} bytes; the limit is ${allowed}`,
  maxMessages: (found, allowed) => `the request has ${found} messages; the limit is ${allowed}`,
  maxTools: (found, allowed) => `the request has ${found} tools; the limit is ${allowed}`,
  maxImages: (found, allowed) => `the request has ${found} pictures; the limit is ${allowed}`,
  maxImageBytes: (found, allowed) => `a picture has ${found} bytes; the limit is ${allowed}`,
  maxImageSide: (found, allowed) => `a picture has a side of ${found} pixels; the limit is ${allowed}`,
};

/** The values of a request that providers limit. */
export type Measures = Partial<Record<Measured, number>> & { images: number; documents: number };

/** Measures a request. `hasBytes`: whether its bytes are measured, which writes all of it as JSON. */
export function measure(reading: Reading, hasBytes: boolean): Measures {
  const media = mediaOf(reading);
  const images = media.filter(({ isImage }) => isImage);
  return {
    images: images.length,
    documents: media.length - images.length,
    maxImages: images.length,
    maxImageBytes: images.reduce((most, one) => Math.max(most, one.bytes), 0),
    maxImageSide: images.reduce((most, one) => Math.max(most, one.side()), 0),
    maxMessages: reading.source.list.length,
    maxTools: reading.tools.length,
    ...(hasBytes && { maxBytes: bodyBytes(reading.source.input, reading.format) }),
  };
}

/** Lists the limits that a request exceeds. */
export function exceeded(limits: RequestLimits, found: Measures): LimitFinding[] {
  const all: RequestLimits = { ...limits, maxImageSide: sideAllowed(limits, found.images) };
  return (Object.keys(WORDS) as Measured[]).flatMap((limit) => {
    const [allowed, value] = [all[limit], found[limit]];
    if (allowed === undefined || value === undefined || value <= allowed) return [];
    const message = WORDS[limit](value.toLocaleString("en"), allowed.toLocaleString("en"));
    return [{ limit, allowed, found: value, message }];
  });
}

/** How pictures and documents are chosen that become notes. */
export interface Lightening {
  /** True for those that must stay. */
  stays?(medium: Medium): boolean;
  /**
   * The share of a limit by which the first medium that stays moves at a time, so that the beginning of consecutive
   * requests seldom changes. Default 0: no more go than must.
   */
  step?: number;
  /** Returns the id by which a message can be recalled, for the note. */
  recall?(index: number): string | undefined;
}

/**
 * Replaces pictures that are too large by notes, then the oldest pictures and documents until their number and the
 * bytes of the request fit. Returns the input itself if nothing has to go.
 */
export function withinLimits(
  reading: Reading,
  limits: RequestLimits,
  { stays = () => false, step = 0, recall = () => undefined }: Lightening = {},
): { messages: unknown; changes: RepairChange[] } {
  const { maxBytes = Infinity, maxImages = Infinity, maxImageBytes = Infinity } = limits;
  const { input, list, name } = reading.source;
  const media = mediaOf(reading);
  if (media.length === 0) return { messages: input, changes: [] };
  const images = media.filter(({ isImage }) => isImage);
  const maxSide = sideAllowed(limits, images.length);
  const why = new Map<Medium, string>();
  for (const one of images.filter((image) => !stays(image))) {
    if (one.bytes > maxImageBytes) why.set(one, WORDS.maxImageBytes(said(one.bytes), said(maxImageBytes)));
    else if (one.side() > maxSide) why.set(one, WORDS.maxImageSide(said(one.side()), said(maxSide)));
  }
  const oldest = () => media.filter((one) => !why.has(one) && !stays(one));
  let spare = beyond(images.length - why.size, maxImages, step);
  for (const one of oldest().filter(({ isImage }) => isImage)) {
    if (spare <= 0) break;
    why.set(one, WORDS.maxImages(said(images.length), said(maxImages)));
    spare -= 1;
  }
  if (maxBytes !== Infinity) {
    const whole = bodyBytes(input, reading.format);
    let over = beyond(whole - [...why.keys()].reduce((sum, one) => sum + written(one), 0), maxBytes, step);
    for (const one of oldest().filter(({ bytes }) => bytes > 0)) {
      if (over <= 0) break;
      why.set(one, WORDS.maxBytes(said(whole), said(maxBytes)));
      over -= written(one);
    }
  }
  if (why.size === 0) return { messages: input, changes: [] };
  const offset = reading.messages.length - list.length;
  const changes = media
    .filter((one) => why.has(one))
    .map((one) => ({
      rule: "media-limit",
      index: one.index - offset,
      path: `${name}[${one.index - offset}]`,
      message: `${one.isImage ? "a picture" : "a document"} became a note: ${why.get(one)}`,
    }));
  return { messages: reading.rebuild(noted(reading.messages, new Set(why.keys()), recall)), changes };
}

const said = (value: number) => value.toLocaleString("en");

/** Returns by how much a value exceeds its limit, rounded up to a multiple of `step` times the limit. */
function beyond(value: number, limit: number, step: number): number {
  const over = value - limit;
  const unit = step * limit;
  return over <= 0 || unit < 1 ? over : Math.ceil(over / unit) * unit;
}

function noted(
  messages: Reading["messages"],
  drop: ReadonlySet<Medium>,
  recall: NonNullable<Lightening["recall"]>,
): PlanItem[] {
  const note = ({ index, isImage }: Medium) => {
    const id = recall(index);
    return `[${isImage ? "picture" : "document"} removed${id === undefined ? "" : `; recall ${id}`}]`;
  };
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
