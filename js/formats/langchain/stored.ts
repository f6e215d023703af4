/** LangChain's instances on their way through JSON: its `toJSON` makes an object of numbered fields of bytes. */

import { isBytes } from "../../files/bytes.ts";
import { base64Of } from "../media.ts";
import { copy, isEqual, isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { isInstance, openedMessage, withChanges } from "./form.ts";

/** Returns a message whose blocks have base64 instead of bytes, which every block takes as well. */
export function toStored(message: unknown): unknown {
  if (!isFields(message) || !isInstance(message)) return message;
  const { content } = openedMessage(message).fields;
  if (!Array.isArray(content)) return message;
  const blocks = content.map((block: unknown) => (isFields(block) ? withoutBytes(block) : block));
  return blocks.every((block, at) => block === content[at]) ? message : withChanges(message, { content: blocks });
}

function withoutBytes(block: Fields): Fields {
  const changes: Fields = {};
  for (const [name, value] of Object.entries(block)) {
    if (isBytes(value)) changes[name] = base64Of(value);
    else if (isFields(value) && Object.values(value).some(isBytes)) changes[name] = withoutBytes(value);
  }
  return Object.keys(changes).length > 0 ? copy(block, changes) : block;
}

/**
 * Fields that a model reads. A copy from a checkpoint or a storage may differ in the others: ids, metadata, pieces of a
 * stream.
 */
const FOR_MODEL = [
  "content",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_id",
  "name",
  "role",
  "status",
  "additional_kwargs",
];

/** Returns whether two messages, in any form, are the same for a model. */
export function isSameMessage(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const [one, other] = [toStored(a), toStored(b)];
  if (!isFields(one) || !isFields(other)) return false;
  const [{ type, fields }, opened] = [openedMessage(one), openedMessage(other)];
  return type === opened.type && FOR_MODEL.every((name) => isEqual(filled(fields[name]), filled(opened.fields[name])));
}

/** Returns the value of a field, if there is anything in it. */
function filled(value: unknown): unknown {
  return value !== null && typeof value === "object" && Object.keys(value).length === 0 ? undefined : value;
}
