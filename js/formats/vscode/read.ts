/**
 * VS Code's `LanguageModelChatMessage`: class instances with numbers for roles. Copies keep their classes; new parts
 * are made with the classes seen in the conversation, else with those of the editor we run in, so that no import of
 * `vscode` is needed.
 */

import { documentPart, image, isImageType } from "../media.ts";
import { byPart, editedItems, opaque, parsedArguments, text } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, roleOf, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { eachItem, fieldForModel, NOTHING } from "../audience.ts";
import type { Part, Role } from "../../types/messages.ts";
import { isBytes, isThought } from "./parts.ts";
import { ASSISTANT, isResult, partsOf, textPart, USER } from "./write.ts";

export type Piece = number | "string";

/** `LanguageModelChatMessageRole`: User 1, Assistant 2; System 3 is a proposal. */
const ROLES: Record<number, Role> = { 1: "user", 2: "assistant", 3: "system" };

export const messages: Messages<Piece> = {
  read(message, at, path) {
    const role = typeof message["role"] === "number" ? roleOf(ROLES, message["role"]) : undefined;
    if (!role) throw bad(`${path}.role`, "1 (user), 2 (assistant) or 3 (system)", message["role"]);
    const content = message["content"];
    const named = typeof message["name"] === "string" && message["name"] ? { name: message["name"] } : {};
    if (typeof content === "string")
      return { message: { id: `m${at}`, role, ...named, parts: [text(content)] }, pieces: ["string"] };
    if (!Array.isArray(content)) throw bad(`${path}.content`, "a text or a list of parts", content);
    const parts = content.map((item: unknown, number) => {
      if (!isFields(item)) throw bad(`${path}.content[${number}]`, "a part", item);
      return vscodePart(item);
    });
    return { message: { id: `m${at}`, role, ...named, parts }, pieces: parts.map((_, number) => number) };
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const content = original["content"];
    if (typeof content === "string") {
      const edit = byNumber.get(0);
      return copy(original, { content: edit?.to?.type === "text" ? edit.to.text : content });
    }
    const list = content as Fields[];
    const kept = pieces.flatMap((piece, number) => {
      const edit = byNumber.get(number);
      if (!edit || piece === "string") return [];
      const item = list[piece]!;
      if (edit.to?.type === "text") {
        if (message.parts[number]!.type === "toolResult")
          return [copy(item, { content: [textPart(edit.to.text, [...(item["content"] as unknown[]), ...list])] })];
        return [
          copy(
            item,
            isBytes(item["data"]) ? { data: new TextEncoder().encode(edit.to.text) } : { value: edit.to.text },
          ),
        ];
      }
      if (edit.to?.type === "note") return [textPart(edit.to.text, list)];
      if (edit.to?.type === "content")
        return [
          copy(item, {
            content:
              editedItems(item["content"], edit.to.items, (said) =>
                textPart(said, [...(item["content"] as unknown[]), ...list]),
              ) ?? item["content"],
          }),
        ];
      if (edit.to?.type === "arguments") return [copy(item, { input: parsedArguments(edit.to.arguments) })];
      if (edit.callId !== undefined) return [copy(item, { callId: edit.callId })];
      return [item];
    });
    return copy(original, { content: kept });
  },

  forModel: (message) =>
    eachItem(message, "content", (item) =>
      isResult(item) ? fieldForModel(item, "content", () => textPart(NOTHING, item["content"] as unknown[])) : item,
    ),

  tools: neutralTools,

  // The results of one round stand in one message, before words: a stand-in for a lost one goes there.
  merge: {
    list: "content",
    assistant: ASSISTANT,
    item: (text, run) => textPart(text, partsOf(run)),
    takes: (first, second) => hasResults(first) && hasResults(second),
    isFirst: isResult,
  },
};

function hasResults(message: unknown): boolean {
  const { role, content } = message as Fields;
  return role === USER && Array.isArray(content) && content.some(isResult);
}

/** One of the editor's parts in the neutral model. */
export function vscodePart(item: Fields): Part {
  const { callId, value } = item;
  if (typeof callId === "string" && Array.isArray(item["content"])) {
    const content = (item["content"] as unknown[]).map((inner) =>
      isFields(inner) && typeof inner["callId"] !== "string"
        ? vscodePart(inner)
        : typeof inner === "string"
          ? text(inner)
          : opaque(inner),
    );
    return { type: "toolResult", callId, content, ...(item["isError"] === true && { isError: true }) };
  }
  if (typeof callId === "string")
    return { type: "toolCall", callId, name: string(item["name"]), arguments: json(item["input"] ?? {}) };
  if (isThought(item)) return { type: "reasoning", text: Array.isArray(value) ? value.join("\n") : string(value) };
  if (typeof value === "string") return text(value);
  const { data, mimeType } = item;
  if (isBytes(data) && typeof mimeType === "string") {
    if (isImageType(mimeType)) return image(data, mimeType);
    if (mimeType === "cache_control") return { type: "cacheMark" };
    if (/^text\/|json/.test(mimeType)) return text(new TextDecoder().decode(data));
    return documentPart(data, mimeType);
  }
  return opaque(value ?? item);
}
