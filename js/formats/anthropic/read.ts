/** Anthropic Messages. The system prompt lives beside the messages; results come in messages of the user. */

import { documentPart, image, storedImage } from "../media.ts";
import { byPart, editedItems, objectArguments, opaque, servedItem, text, unknownPart } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { eachItem, fieldForModel, NOTHING } from "../audience.ts";
import type { Part, PartEdit } from "../../types/messages.ts";
import { refuseForeign } from "../foreign.ts";
import { isServerCall, isServerResult } from "./served.ts";
import { isResult } from "./write.ts";
import { signedThought } from "../thinking.ts";
import { withSource } from "../sources.ts";

/**
 * A block of the content, the content itself, title and context of a document (which the model reads before it), or the
 * mark on a block. Titles, contexts and marks go and stay with their block.
 */
export type Piece = { block: number } | { about: number } | { mark: number } | "string";

export const messages: Messages<Piece> = {
  system(request) {
    const system = request["system"];
    if (system === undefined || system === null) return undefined;
    return blocks(system, "system").map(([part]) => part);
  },

  read(message, at, path) {
    const role = message["role"];
    // Some gateways accept a system message in the list.
    if (role !== "user" && role !== "assistant" && role !== "system")
      throw bad(`${path}.role`, "user or assistant", role);
    refuseForeign(message, path);
    const read = blocks(message["content"], `${path}.content`);
    return {
      message: { id: `m${at}`, role, parts: read.map(([part]) => part) },
      pieces: read.map(([, piece]) => piece),
    };
  },

  edit(original, { pieces }, edits) {
    const byNumber = byPart(edits);
    const content = original["content"];
    if (typeof content === "string") {
      const edit = byNumber.get(0);
      return copy(original, { content: edit?.to?.type === "text" ? edit.to.text : content });
    }
    const kept = pieces.flatMap((piece, part) => {
      const edit = byNumber.get(part);
      if (!edit || piece === "string" || !("block" in piece)) return [];
      const block = withAbout((content as Fields[])[piece.block]!, pieces[part - 1], byNumber.get(part - 1));
      if (edit.to?.type === "text") return [editedText(block, edit.to.text)];
      if (edit.to?.type === "note") return [noted(edit.to.text, block)];
      if (edit.to?.type === "content")
        return [copy(block, { content: editedItems(block["content"], edit.to.items, noted) ?? block["content"] })];
      if (edit.to?.type === "arguments") return [copy(block, { input: objectArguments(edit.to.arguments) })];
      if (edit.callId !== undefined)
        return [copy(block, { [block["type"] === "tool_result" ? "tool_use_id" : "id"]: edit.callId })];
      return [block];
    });
    return copy(original, { content: kept });
  },

  forModel: (message) =>
    eachItem(message, "content", (block) =>
      block["type"] === "tool_result"
        ? fieldForModel(block, "content", () => ({ type: "text", text: NOTHING }))
        : block,
    ),

  tools: neutralTools,

  // Results of one round belong into one message; the server merges everything else itself.
  merge: {
    list: "content",
    assistant: "assistant",
    item: (text) => ({ type: "text", text }),
    takes: (first, second) => hasResults(first) && hasResults(second),
    isFirst: isResult,
  },
};

/** Changes title and context of a document as the part before it was changed. */
function withAbout(block: Fields, before: Piece | undefined, edit: PartEdit | undefined): Fields {
  if (before === undefined || before === "string" || !("about" in before)) return block;
  if (edit && edit.to === undefined) return block;
  const to = edit?.to;
  const said = to?.type === "text" || to?.type === "note" ? to.text : undefined;
  return copy(block, { title: undefined, context: said });
}

function hasResults(message: unknown): boolean {
  return (
    isFields(message) &&
    message["role"] === "user" &&
    Array.isArray(message["content"]) &&
    message["content"].some(isResult)
  );
}

/** A text that replaces a block; a cache mark stays where it is. */
function noted(said: string, block: unknown): Fields {
  const mark = isFields(block) && block["cache_control"] ? { cache_control: block["cache_control"] } : {};
  return { type: "text", text: said, ...mark };
}

function editedText(block: Fields, said: string): Fields {
  switch (block["type"]) {
    case "tool_result":
      return copy(block, { content: said });
    case "thinking":
      return copy(block, { thinking: said });
    case "redacted_thinking":
      return block;
    case "document":
      return copy(block, { source: copy(block["source"] as Fields, { data: said }) });
    default:
      return copy(block, { text: said });
  }
}

/** Reads a content as parts, with the place of each. */
export function blocks(content: unknown, path: string): [Part, Piece][] {
  if (typeof content === "string") return [[text(content), "string"]];
  if (!Array.isArray(content)) throw bad(path, "a text or a list of blocks", content);
  return content.flatMap((item: unknown, at): [Part, Piece][] => {
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a block", item);
    const read: [Part, Piece] = [block(item, `${path}[${at}]`), { block: at }];
    const about = item["type"] === "document" && read[0].type !== "opaque" ? aboutDocument(item) : "";
    const before: [Part, Piece][] = about === "" ? [] : [[text(about), { about: at }]];
    return item["cache_control"] ? [...before, read, [{ type: "cacheMark" }, { mark: at }]] : [...before, read];
  });
}

/** Returns title and context of a document: the model gets them beside its content (Anthropic's guide of citations). */
function aboutDocument({ title, context }: Fields): string {
  return [title, context].filter((said) => typeof said === "string" && said !== "").join("\n");
}

/**
 * What a result holds: no marks of its own, and no calls and results, which would not pair up (and could hold
 * themselves).
 */
function resultParts(content: unknown, path: string): Part[] {
  if (!Array.isArray(content)) return blocks(content, path).map(([part]) => part);
  return content.map((item: unknown, at) => {
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a block", item);
    const { type } = item;
    return type === "tool_use" || type === "tool_result" ? opaque(item) : block(item, `${path}[${at}]`);
  });
}

function block(item: Fields, path: string): Part {
  const source = isFields(item["source"]) ? item["source"] : {};
  switch (item["type"]) {
    case "text":
      return text(item["text"]);
    case "tool_use":
      return {
        type: "toolCall",
        callId: string(item["id"]),
        name: string(item["name"]),
        arguments: json(item["input"] ?? {}),
      };
    case "tool_result": {
      const content = item["content"];
      return {
        type: "toolResult",
        callId: string(item["tool_use_id"]),
        content: content === undefined || content === null ? [] : resultParts(content, `${path}.content`),
        ...(item["is_error"] === true && { isError: true }),
      };
    }
    case "thinking":
      return signedThought(string(item["thinking"]), item["signature"]);
    case "redacted_thinking":
      return signedThought("", item["data"]);
    case "image": {
      const from = source["data"] ?? source["url"];
      const kind = typeof source["media_type"] === "string" ? source["media_type"] : undefined;
      const id = source["file_id"];
      if (typeof id === "string") return storedImage(id, kind);
      return typeof from === "string" ? image(from, kind) : opaque(item);
    }
    case "document": {
      if (source["type"] === "text" && typeof source["data"] === "string") return text(source["data"]);
      return source["type"] === "content"
        ? opaque(item)
        : withSource(documentPart(source["data"], string(source["media_type"])), source["data"] ?? source["url"]);
    }
    default:
      if (isServerCall(item)) return servedItem(item, item["id"]);
      return isServerResult(item) ? servedItem(item, item["tool_use_id"]) : unknownPart(item, path);
  }
}
