/** Which format a conversation has, told from its structure: what messages hold comes before what they are called. */

import type { Format } from "../types/messages.ts";
import type { Source } from "./adapter.ts";
import type { Shape } from "./shape.ts";
import { RULES } from "./table.ts";
import { isFields } from "./values.ts";

/** Chat completions come last: gateways put their fields into messages of other formats. */
const SHAPES: readonly (readonly [Format, Shape])[] = Object.values(RULES)
  .flatMap(({ format, shape }) => (shape ? [[format, shape] as const] : []))
  .reverse();

/** Finds the list of messages in what the host passed: an array, or a request object. */
export function findSource(input: unknown): Source | undefined {
  if (Array.isArray(input)) return { input, list: input, name: "messages" };
  if (!isFields(input)) return undefined;
  const { messages } = input;
  if (Array.isArray(messages)) return { input, list: messages, name: "messages", request: input };
  for (const [, { list: own }] of SHAPES) {
    const list = own?.read(input[own.name]);
    if (own && list) return { input, list, name: own.name, request: input };
  }
  return undefined;
}

/** The format, or nothing if these are no messages of any format. */
export function detect(source: Source): Format | undefined {
  const found = alike(source);
  const variant = SHAPES.find(([, { variantOf }]) => variantOf !== undefined && variantOf === found);
  const isVariant = variant && source.list.some((message) => isFields(message) && variant[1].isMessage?.(message));
  return isVariant ? variant[0] : found;
}

/** The same, without a look at the formats that share most of their messages with another one. */
function alike({ list, name, request }: Source): Format | undefined {
  const named = formatOf(({ list: own }) => own?.name === name);
  if (named) return named;
  if (list.length === 0) return "openai-chat";
  let isChat = false;
  // Cache marks on plain texts are Anthropic's, but gateways take them in OpenAI's messages too, which have more roles.
  let isMarked = false;
  let isForeign = false;
  let likely: Format | undefined;
  // What only says that it is a message may be an item of the Responses API, or an answer of the Messages API.
  let isItem = false;
  let isNumbered = false;
  for (const message of list) {
    if (!isFields(message)) continue;
    const { role, content, parts } = message;
    const hasNumber = typeof role === "number";
    const sure = formatOf(({ hasNumbers = false, isMessage }) => hasNumbers === hasNumber && isMessage?.(message));
    if (sure) return sure;
    isNumbered ||= hasNumber;
    if (hasNumber) continue;
    if (Array.isArray(parts)) {
      const found = formatIn(parts, "isPart");
      // The AI SDK's messages with parts are never a tool's.
      if (found) return found === "ai-sdk" && role === "tool" ? "espalier" : found;
      likely ??= formatOf(({ partRoles }) => partRoles?.includes(role)) ?? "ai-sdk";
      continue;
    }
    if (Array.isArray(content)) {
      const found = formatIn(content, "isContent");
      if (found) return found;
      likely ??= formatIn(content, "isLikelyContent");
      isMarked ||= content.some(
        (part) => isFields(part) && typeof part["type"] === "string" && "cache_control" in part,
      );
    }
    const found = formatOf((shape) => shape.isLikely?.(message));
    if (found) return found;
    isItem ||= message["type"] === "message";
    isForeign ||= role !== "user" && role !== "assistant";
    isChat ||= typeof role === "string" || "content" in message;
  }
  if (isNumbered) return "vscode";
  if (likely) return likely;
  if (isItem) return strangerIn(list) === undefined ? "openai-responses" : undefined;
  if (isMarked && !isForeign) return "anthropic";
  const asked = request && isChat && !isForeign ? formatOf(({ isRequest }) => isRequest?.(request)) : undefined;
  if (asked) return asked;
  if (request && "system" in request && !("model" in request && /^gpt|^o\d/.test(String(request["model"]))))
    return isChat ? "anthropic" : undefined;
  return isChat ? "openai-chat" : undefined;
}

/** The format whose shape passes. */
function formatOf(passes: (shape: Shape) => boolean | undefined): Format | undefined {
  return SHAPES.find(([, shape]) => passes(shape))?.[0];
}

/** The format of the first item that has signs of one. */
function formatIn(items: readonly unknown[], sign: "isPart" | "isContent" | "isLikelyContent"): Format | undefined {
  for (const item of items) {
    const found = isFields(item) ? formatOf((shape) => shape[sign]?.(item)) : undefined;
    if (found) return found;
  }
  return undefined;
}

/**
 * Number of the first message that has neither a role nor the type of an item: an event of a stream or a line of a log.
 */
function strangerIn(list: readonly unknown[]): number | undefined {
  const at = list.findIndex(
    (message) =>
      isFields(message) && message["role"] === undefined && !SHAPES.some(([, { isItem }]) => isItem?.(message)),
  );
  return at < 0 ? undefined : at;
}

/** Why a list is no conversation, where one of its messages tells; with the index of that message. */
export function strangeness({ list, name }: Source): { at: number; why: string } | undefined {
  const at = strangerIn(list);
  const message = at === undefined ? undefined : list[at];
  if (at === undefined || !isFields(message) || typeof message["type"] !== "string") return undefined;
  const type = JSON.stringify(message["type"].slice(0, 40));
  return {
    at,
    why: `${name}[${at}] has no role, and the type ${type} is none of an item. Events of a stream and lines of a log are not read: pass the messages.`,
  };
}
