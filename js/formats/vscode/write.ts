/** Neutral turns as VS Code's messages. */

import type { Part } from "../../types/messages.ts";
import { bytesOf, mediaOf } from "../media.ts";
import { parsedArguments } from "../parts.ts";
import { resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import { isFields, withFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { hostClasses } from "./classes.ts";
import { isTextPart, prototypeOf } from "./parts.ts";

/** `LanguageModelChatMessageRole`. */
export const [USER, ASSISTANT] = [1, 2];

/** Returns the turn as one message, of the classes that the host's messages have. */
export function write(turn: Turn, how: Writing): unknown[] {
  const { list, id } = how;
  const seen = partsOf(list);
  const held = (part: Part): unknown[] =>
    part.type === "text" ? [textPart(part.text, seen)] : mediaPart(part, turn, how, seen);
  const content =
    turn.role === "tool"
      ? resultsOf(turn).map(({ callId, content: items }) =>
          instance(find(seen, isResult), "LanguageModelToolResultPart", {
            callId: id(callId),
            content: items.length === 0 ? [textPart("", seen)] : items.flatMap(held),
          }),
        )
      : turn.parts.flatMap((part) => {
          if (part.type !== "toolCall") return held(part);
          const fields = { callId: id(part.callId), name: part.name, input: parsedArguments(part.arguments) };
          return [instance(find(seen, isCall), "LanguageModelToolCallPart", fields)];
        });
  if (content.length === 0) return [];
  const role = turn.role === "assistant" ? ASSISTANT : USER;
  return [instance(list[0] as Fields | undefined, "LanguageModelChatMessage", { role, content, name: undefined })];
}

function mediaPart(part: Part, turn: Turn, { list, lost }: Writing, seen: readonly unknown[]): unknown[] {
  const media = mediaOf(part);
  const like = find(seen, isData);
  // Versions before 1.106 have no class for data; where nothing has a class, data needs none.
  const hasClass = like !== undefined || hostClasses()?.LanguageModelDataPart !== undefined || !isInstance(list[0]);
  if (media?.base64 === undefined || !hasClass) {
    lost(part, turn.id, hasClass ? "VS Code takes no addresses" : "this VS Code takes no data");
    return [];
  }
  const data = bytesOf(media.base64) ?? new TextEncoder().encode(media.base64);
  return [instance(like, "LanguageModelDataPart", { data, mimeType: media.mediaType })];
}

/** Returns a text part of the class of those that were seen. */
export function textPart(value: string, seen: readonly unknown[] = []): unknown {
  return instance(find(seen, isTextPart), "LanguageModelTextPart", { value });
}

/** The parts of all messages, for their classes. */
export function partsOf(list: readonly unknown[]): unknown[] {
  return list.flatMap((message) =>
    isFields(message) && Array.isArray(message["content"]) ? (message["content"] as unknown[]) : [],
  );
}

export function isResult(item: unknown): boolean {
  return isFields(item) && typeof item["callId"] === "string" && Array.isArray(item["content"]);
}

/** True for an instance of a class; if there is none to look at, if there are classes. */
function isInstance(message: unknown): boolean {
  return isFields(message) ? Object.getPrototypeOf(message) !== Object.prototype : hostClasses() !== undefined;
}

const isCall = (item: Fields) => "callId" in item && !Array.isArray(item["content"]);
const isData = (item: Fields) => "data" in item && "mimeType" in item;

function find(seen: readonly unknown[], test: (item: Fields) => boolean): Fields | undefined {
  return seen.find((item): item is Fields => isFields(item) && test(item));
}

/** Returns an object of the same class as `like`, or of the named one, with these fields. */
function instance(like: object | undefined, name: Parameters<typeof prototypeOf>[0], fields: Fields): unknown {
  return withFields(like ? (Object.getPrototypeOf(like) as object | null) : prototypeOf(name), fields);
}
