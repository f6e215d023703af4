/** OpenAI Responses: a list of items. Reasoning, calls and results are items of their own. */

import { contentParts, itemMessage, noted, onePart, withContent } from "../items.ts";
import type { ItemPiece } from "../items.ts";
import { audioPart, documentPart, image, storedImage } from "../media.ts";
import { byPart, editedItems, opaque, parsedArguments, sealedItem, servedItem, text, thoughtOf } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { refuseForeign } from "../foreign.ts";
import { fieldForModel, NOTHING } from "../audience.ts";
import { servedId } from "./served.ts";
import type { Part, Role } from "../../types/messages.ts";

export type Piece = ItemPiece;

/**
 * A search for tools that the host runs: its output is a list of tools. Those that the platform runs have no `call_id`.
 */
const SEARCH_CALL = "tool_search_call";
const SEARCH_OUTPUT = "tool_search_output";

/**
 * Where a call keeps what it was called with. Tools of the platform that the host runs itself have an action (shell),
 * an operation (patches), or one action or several (computer).
 */
function inputField(type: string, item: Fields): string {
  if (type === "function_call" || type === SEARCH_CALL) return "arguments";
  if (type === "custom_tool_call") return "input";
  return ["operation", "actions"].find((name) => item[name] !== undefined && item["action"] === undefined) ?? "action";
}

/**
 * Items that are answered by another item with the same `call_id`. (Searches and the like have no such id: nobody
 * answers them.)
 */
const isCall = (item: Fields, type: string) =>
  type === "function_call" ||
  type === "custom_tool_call" ||
  (/_call$/.test(type) && typeof item["call_id"] === "string");
/** By these names other libraries and events of streams tell which call an item belongs to. */
const OTHER_IDS = ["callId", "tool_call_id", "toolCallId", "tool_use_id", "tool_id"];
const isOutput = (item: Fields, type: string) =>
  /_call_output$/.test(type) || (type === SEARCH_OUTPUT && typeof item["call_id"] === "string");

/** The output of a local shell has the call's id as its own (`LocalShellCallOutput` of the SDK's 7.59). */
const idOfCall = (item: Fields, type: string) =>
  string(item["call_id"] ?? (type === "local_shell_call_output" ? item["id"] : undefined));

const ROLES: Record<string, Role> = { system: "system", developer: "developer", user: "user", assistant: "assistant" };

export const messages: Messages<Piece> = {
  continues: ({ previous_response_id: previous, conversation }) =>
    typeof previous === "string" || typeof conversation === "string" || isFields(conversation),

  system(request) {
    return typeof request["instructions"] === "string" ? [text(request["instructions"])] : undefined;
  },

  read(item, at, path) {
    const id = `m${at}`;
    const type = item["type"] ?? (isReference(item) ? "item_reference" : "message");
    const one = (role: Role, part: Part) => onePart(id, role, part);
    refuseForeign(item, path);
    if (type === "message") return itemMessage(item, id, path, ROLES, messageParts);
    if (typeof type !== "string") throw bad(`${path}.type`, "the name of an item's type", type);
    const ownId = OTHER_IDS.find((name) => name in item);
    if (ownId !== undefined) {
      throw bad(
        `${path}.${ownId}`,
        'absent: call_id names the call here, and items like function_call_output answer it (items of the Agents SDK have the format "openai-agents")',
        item[ownId],
      );
    }
    if (isCall(item, type)) {
      const given = item[inputField(type, item)];
      const name = string(item["name"], type.replace(/_call$/, ""));
      return one("assistant", {
        type: "toolCall",
        callId: string(item["call_id"]),
        name,
        arguments: typeof given === "string" ? given : json(given ?? {}),
      });
    }
    if (isOutput(item, type)) {
      const content =
        type === SEARCH_OUTPUT
          ? [opaque({ tools: item["tools"] ?? [] })]
          : outputParts(item["output"], `${path}.output`);
      return one("tool", { type: "toolResult", callId: idOfCall(item, type), content });
    }
    if (type === "reasoning") {
      const texts = [item["summary"], item["content"]].flatMap((list) => (Array.isArray(list) ? list : []));
      const said = texts.flatMap((part: unknown) =>
        isFields(part) && typeof part["text"] === "string" ? [part["text"]] : [],
      );
      return one("assistant", thoughtOf(said.join("\n"), item["encrypted_content"]));
    }
    // The server has what is referenced: nobody here can count it.
    if (type === "item_reference") return one("assistant", { type: "opaque", json: json(item), sealed: REFERENCE });
    const served = servedId(item);
    if (served !== undefined)
      return one(type === "mcp_approval_response" ? "tool" : "assistant", servedItem(item, served));
    // What belongs to a call cannot be kept or removed alone.
    if (item["call_id"] !== undefined && item["call_id"] !== null)
      throw bad(`${path}.type`, "the type of a call or of its output, for an item with call_id", type);
    // Whatever else the platform does by itself (searches, computer use, compaction) comes from the assistant's side.
    return one("assistant", sealedItem(item, item["encrypted_content"]));
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const only = message.parts[0];
    if (pieces[0] === "item" && only && only.type !== "text") {
      const edit = byNumber.get(0);
      if (edit?.to?.type === "text" && only.type === "reasoning")
        return copy(original, { summary: [{ type: "summary_text", text: edit.to.text }], content: undefined });
      if (edit?.to?.type === "text") return withOutput(original, edit.to.text);
      // A list of tools has no place for a note.
      if (original["type"] === SEARCH_OUTPUT && edit?.to?.type === "content")
        return copy(original, edit.to.items.every((item) => typeof item !== "string") ? {} : { tools: [] });
      // A computer's output must be a screenshot: there is no place for a note, and it stays.
      if (edit?.to?.type === "content" && isShell(original)) return withOutput(original, edit.to.items.join(""));
      if (edit?.to?.type === "content")
        return copy(original, { output: editedItems(original["output"], edit.to.items, noted) ?? original["output"] });
      if (edit?.to?.type === "arguments") {
        const field = inputField(string(original["type"]), original);
        const isObject = typeof original[field] === "object" || field === "action";
        return copy(original, { [field]: isObject ? parsedArguments(edit.to.arguments) : edit.to.arguments });
      }
      if (edit?.callId !== undefined)
        return copy(original, { [original["call_id"] === undefined ? "id" : "call_id"]: edit.callId });
      return original;
    }
    return withContent(original, pieces, byNumber);
  },

  forModel: (item) => fieldForModel(item, "output", () => noted(NOTHING)),

  tools: neutralTools,
};

/** Tokens of a reference itself, which is what is known. */
const REFERENCE = 10;

/** References to stored items may leave out their type. */
const isReference = (item: Fields) =>
  typeof item["id"] === "string" && item["role"] === undefined && item["content"] === undefined;

const isShell = ({ type }: Fields) => type === "shell_call_output";

/** Replaces a result by a text, in the shape that its type of result has. */
function withOutput(original: Fields, said: string): Fields {
  const { type, output } = original;
  if (type === SEARCH_OUTPUT) return copy(original, { tools: [] });
  // A computer's output must be a screenshot: a text has no place in it.
  if (type === "computer_call_output") return original;
  if (!isShell(original)) return copy(original, { output: said });
  const last: unknown = Array.isArray(output) ? output.at(-1) : undefined;
  const outcome = isFields(last) ? last["outcome"] : { type: "timeout" };
  return copy(original, { output: [{ stdout: said, stderr: "", outcome }] });
}

function messageParts(content: unknown, path: string): [Part, Piece][] {
  return content === undefined || content === null ? [] : contentParts(content, path, contentPart);
}

/** A result is a text or a list of parts; that of a computer is one screenshot, and others have shapes of their own. */
function outputParts(output: unknown, path: string): Part[] {
  if (isFields(output)) {
    const { image_url: url, file_id: id } = output;
    if (typeof url === "string") return [image(url)];
    return [typeof id === "string" ? storedImage(id) : opaque(output)];
  }
  return messageParts(output, path).map(([part]) => part);
}

function contentPart(item: Fields): Part {
  if (typeof item["stdout"] === "string") return text(`${item["stdout"]}${string(item["stderr"])}`);
  if (typeof item["text"] === "string") return text(item["text"]);
  if (item["type"] === "refusal" && typeof item["refusal"] === "string") return text(item["refusal"]);
  const detail = typeof item["detail"] === "string" ? item["detail"] : undefined;
  if (item["type"] === "input_image" && typeof item["image_url"] === "string")
    return image(item["image_url"], undefined, detail);
  if (item["type"] === "input_image" && typeof item["file_id"] === "string")
    return storedImage(item["file_id"], undefined, detail);
  if (item["type"] === "input_file") return documentPart(item["file_data"] ?? item["file_url"]);
  if (item["type"] === "input_audio" && isFields(item["input_audio"]))
    return audioPart(item["input_audio"]["data"], item["input_audio"]["format"]);
  return opaque(item);
}
