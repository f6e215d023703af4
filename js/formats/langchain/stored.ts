/** LangChain's instances on their way through JSON: its `toJSON` makes an object of numbered fields of bytes. */

import { isBytes } from "../../files/bytes.ts";
import { base64Of } from "../media.ts";
import { copy, isFields } from "../values.ts";
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
