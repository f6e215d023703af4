/** Items of the OpenAI Agents SDK: messages, reasoning, calls and results as items of their own. */

import { isBytes } from "../../files/bytes.ts";
import { contentParts, itemMessage, noted, onePart, withContent } from "../items.ts";
import type { ItemPiece } from "../items.ts";
import { audioPart, documentPart, image, storedImage } from "../media.ts";
import { byPart, editedItems, opaque, parsedArguments, sealedItem, servedItem, text, thoughtOf } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { fieldForModel, NOTHING } from "../audience.ts";
import type { Part, Role } from "../../types/messages.ts";
import { CALLS, OTHERS, RESULTS } from "./shape.ts";

export type Piece = ItemPiece;

const ROLES: Record<string, Role> = { system: "system", user: "user", assistant: "assistant" };

export const messages: Messages<Piece> = {
  read(item, at, path) {
    const id = `m${at}`;
    const type = item["type"] ?? "message";
    const one = (role: Role, part: Part) => onePart(id, role, part);
    if (type === "message")
      return itemMessage(item, id, path, ROLES, (content, where) => contentParts(content, where, contentPart));
    const [input, output] = [CALLS.get(type), RESULTS.get(type)];
    // A search for tools that the provider runs itself has no id, and nothing answers it.
    if (type === "hosted_tool_call" || (isSearch(type) && idOf(item) === undefined))
      return one("assistant", opaque(item));
    // A program that the provider runs calls the host's tools; its output comes behind their results.
    if (type === "program" || type === "program_output")
      return one("assistant", servedItem(item, neededId(item, path)));
    if (input !== undefined) {
      const given = item[input] ?? item[`${input}s`] ?? {};
      return one("assistant", {
        type: "toolCall",
        callId: neededId(item, path),
        name: string(item["name"], string(type).replace(/_call$/, "")),
        arguments: typeof given === "string" ? given : json(given),
      });
    }
    if (output !== undefined) {
      const name = typeof item["name"] === "string" ? { name: item["name"] } : {};
      const content = outputParts(item[output], `${path}.${output}`);
      return one("tool", { type: "toolResult", callId: neededId(item, path), ...name, content });
    }
    if (!OTHERS.has(type)) throw bad(`${path}.type`, `the type of an item of the Agents SDK 0.20 (${KNOWN})`, type);
    if (type !== "reasoning") return one("assistant", sealedItem(item, item["encrypted_content"]));
    const texts = [item["content"], item["rawContent"]].flatMap((list) => (Array.isArray(list) ? list : []));
    const said = texts.flatMap((part: unknown) => (isFields(part) && part["text"] ? [string(part["text"])] : []));
    const extra = isFields(item["providerData"]) ? item["providerData"] : {};
    return one("assistant", thoughtOf(said.join("\n"), extra["encryptedContent"] ?? extra["encrypted_content"]));
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const only = message.parts[0];
    if (pieces[0] === "item" && only && only.type !== "text") return editedItem(original, only, byNumber.get(0));
    return withContent(original, pieces, byNumber);
  },

  forModel: (item) => fieldForModel(item, "output", () => noted(NOTHING)),

  tools: neutralTools,
};

const KNOWN = ["message", ...CALLS.keys(), ...RESULTS.keys(), ...OTHERS].join(", ");

const isSearch = (type: unknown) => type === "tool_search_call" || type === "tool_search_output";

/** Searches for tools may keep the API's own name of the field. */
function idOf(item: Fields): unknown {
  return item["callId"] ?? (isSearch(item["type"]) ? item["call_id"] : undefined) ?? undefined;
}

function neededId(item: Fields, path: string): string {
  const id = idOf(item);
  if (typeof id !== "string") throw bad(`${path}.callId`, "the id of a call", item["callId"]);
  return id;
}

function editedItem(original: Fields, only: Part, edit: Parameters<Messages<Piece>["edit"]>[2][number] | undefined) {
  const { type } = original;
  if (edit?.callId !== undefined)
    return copy(original, { ["call_id" in original ? "call_id" : "callId"]: edit.callId });
  if (edit?.to?.type === "arguments") {
    const field = CALLS.get(type)!;
    const isText = typeof original[field] === "string";
    return copy(original, { [field]: isText ? edit.to.arguments : parsedArguments(edit.to.arguments) });
  }
  if (edit?.to?.type === "text" && only.type === "reasoning")
    return copy(original, { content: [noted(edit.to.text)], rawContent: undefined });
  if (edit?.to?.type === "text") return withOutput(original, edit.to.text);
  if (edit?.to?.type !== "content" || type !== "function_call_result") return original;
  const { output } = original;
  if (!isFields(output)) return copy(original, { output: editedItems(output, edit.to.items, noted) ?? output });
  // An output of one thing has no list.
  const [said] = edit.to.items;
  return typeof said === "string" ? withOutput(original, said) : original;
}

/** Replaces a result by a text, in the shape that its type of result has. */
function withOutput(original: Fields, said: string): Fields {
  const { type, output } = original;
  if (type === "tool_search_output") return copy(original, { tools: [] });
  // A computer's result is a screenshot: a text has no place in it.
  if (type === "computer_call_result") return original;
  if (type === "shell_call_output") {
    const last: unknown = Array.isArray(output) ? output.at(-1) : undefined;
    const outcome = isFields(last) ? last["outcome"] : { type: "exit", exitCode: null };
    return copy(original, { output: [{ stdout: said, stderr: "", outcome }] });
  }
  return copy(original, { output: isFields(output) ? { type: "text", text: said } : said });
}

/** An output is a text, one part, or a list of parts; shells return a list of their own. */
function outputParts(output: unknown, path: string): Part[] {
  if (output === undefined) return [];
  if (typeof output === "string") return [text(output)];
  if (!Array.isArray(output)) {
    if (!isFields(output)) throw bad(path, "a text, a part or a list of parts", output);
    return [contentPart(output)];
  }
  return output.map((item: unknown, at) => {
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a part", item);
    return typeof item["stdout"] === "string" ? text(`${item["stdout"]}${string(item["stderr"])}`) : contentPart(item);
  });
}

function contentPart(item: Fields): Part {
  const { type } = item;
  if (typeof item["text"] === "string") return text(item["text"]);
  if (type === "refusal") return text(item["refusal"]);
  const detail = typeof item["detail"] === "string" ? item["detail"] : undefined;
  if (type === "computer_screenshot") return image(string(item["data"]));
  const given = item["image"] ?? item["file"] ?? item["audio"];
  const held = isFields(given) ? given : {};
  const kind = typeof held["mediaType"] === "string" ? held["mediaType"] : undefined;
  const source = isFields(given) ? (held["url"] ?? held["data"]) : given;
  const id = held["id"] ?? held["fileId"];
  const isInline = typeof source === "string" || isBytes(source);
  if (!isInline && typeof id !== "string") return opaque(item);
  if (type === "input_image" || type === "image")
    return isInline ? image(source, kind, detail) : storedImage(string(id), kind, detail);
  if (type === "input_file" || type === "file") return documentPart(source, kind);
  return type === "audio" ? audioPart(source, item["format"]) : opaque(item);
}
