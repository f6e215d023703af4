/**
 * The forms of a LangChain message: an instance of its class, and three kinds of JSON. All have the same fields, in
 * different places.
 */

import type { Place } from "../place.ts";
import { copy, isFields, string, withFields } from "../values.ts";
import type { Fields } from "../values.ts";

/** `HumanMessage`, `AIMessageChunk`: the last name of a serialised constructor. */
const CLASS = /^(\w+?)Message(Chunk)?$/;

/** A message with its type and fields at hand. */
export interface Opened {
  /** `human`, `ai`, `system`, `tool`, `developer`, `generic`, `function` or `remove`; empty if it says none. */
  type: string;
  fields: Fields;
  /** Where the fields are in the message. */
  place: Place;
  /** The name that the message has for the field `content`. */
  content: "content" | "content_blocks";
}

/**
 * Returns the type and the fields of a message in any form. LangChain's JSON of a message that was made of
 * `contentBlocks` has `content_blocks` instead of `content`; it is opened, and changed, as one with `content`.
 */
export function openedMessage(message: Fields): Opened {
  const found = openedAsIs(message);
  const { content, content_blocks: blocks } = found.fields;
  if (content !== undefined || !Array.isArray(blocks)) return { ...found, content: "content" };
  const fields = copy(found.fields, { content: blocks, content_blocks: undefined });
  return { ...found, fields, content: "content_blocks" };
}

function openedAsIs(message: Fields): Omit<Opened, "content"> {
  const { lc, id, kwargs, data, type } = message;
  if (lc !== undefined && isFields(kwargs)) {
    const name = CLASS.exec(Array.isArray(id) ? string(id.at(-1)) : "")?.[1]?.toLowerCase() ?? "";
    return { type: name === "chat" ? "generic" : name, fields: kwargs, place: ["kwargs"] };
  }
  if (isFields(data) && !isInstance(message)) return { type: string(type), fields: data, place: ["data"] };
  return { type: isInstance(message) ? typeOfInstance(message) : string(type), fields: message, place: [] };
}

/** Returns a copy of the message with changed fields, in its own form. */
export function withChanges(message: Fields, changes: Fields): Fields {
  const { fields, place } = openedMessage(message);
  const [holder] = place;
  return holder === undefined ? copy(fields, changes) : copy(message, { [holder]: copy(fields, changes) });
}

/** Returns a new message in the form of those in the list: of their class if there is one of this type. */
export function newMessage(type: string, fields: Fields, list: readonly unknown[]): unknown {
  const known = list.find((message): message is Fields => isFields(message) && openedMessage(message).type === type);
  if (known && isInstance(known)) return new (known.constructor as new (fields: Fields) => unknown)(fields);
  const like = known ?? list.find(isFields);
  if (isFields(like?.["data"])) return { type, data: fields };
  if (like?.["lc"] !== undefined && !isInstance(like)) {
    const name = type === "ai" ? "AI" : type[0]!.toUpperCase() + type.slice(1);
    const namespace = Array.isArray(like["id"]) ? like["id"].slice(0, -1) : ["langchain_core", "messages"];
    return { lc: 1, type: "constructor", id: [...(namespace as unknown[]), `${name}Message`], kwargs: fields };
  }
  // LangChain makes instances of these.
  return withFields(Object.prototype, { type }, fields);
}

/** True for an instance of a message class. */
export function isInstance(message: Fields): boolean {
  const { getType, _getType, lc_namespace: namespace } = message;
  return typeof getType === "function" || typeof _getType === "function" || Array.isArray(namespace);
}

function typeOfInstance(message: Fields): string {
  const own = message["getType"] ?? message["_getType"];
  return string(typeof own === "function" ? (own as () => unknown).call(message) : message["type"]);
}
