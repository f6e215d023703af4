/** Refuses messages in a form of an SDK's own, which a reader would take for those of a provider. */

import { bad, isFields, string } from "./values.ts";
import type { Fields } from "./values.ts";

/** What the error says about a field that only an SDK's own messages have. */
export function ofSdk(meaning: string): string {
  return (
    `absent: ${meaning}, and messages in an SDK's own form are not read; ` +
    "createFetch of espalier/fetch reads what the SDK sends"
  );
}

/**
 * Throws for a message of LlamaIndex, TanStack AI, AG-UI, Strands Agents, or of the SDKs of Mistral, Cohere and
 * OpenRouter. Read as a provider's, it would lose its calls, its results or its texts.
 *
 * @throws EspalierError `bad_message` with the path of the field
 */
export function refuseForeign(message: Fields, path: string): void {
  const { options } = message;
  if (isFields(options))
    for (const name of ["toolCall", "toolResult"])
      if (name in options)
        throw bad(`${path}.options.${name}`, ofSdk("LlamaIndex keeps calls and results there"), options[name]);
  for (const list of ["content", "parts"]) {
    const items = message[list];
    if (!Array.isArray(items)) continue;
    for (const [at, item] of items.entries()) {
      const [field, meaning] = (isFields(item) && signOf(item)) || [];
      if (field && meaning) throw bad(`${path}.${list}[${at}].${field}`, ofSdk(meaning), (item as Fields)[field]);
    }
  }
}

/** The field that tells a part of an SDK, and what it means there. */
function signOf(item: Fields): [field: string, meaning: string] | undefined {
  const type = string(item["type"]);
  // No tool of the AI SDK: the type of its parts has a dash.
  if (/^[A-Za-z]+Block$/.test(type)) return ["type", "it is a block of Strands Agents"];
  if (type === "text" && item["text"] === undefined && typeof item["content"] === "string")
    return ["content", "TanStack AI keeps the text of a part there"];
  // A tool "call" of the AI SDK's UI messages has this type, and a `toolCallId`.
  if (type === "tool-call" && "arguments" in item && !("toolCallId" in item))
    return ["arguments", "TanStack AI keeps those of a call there"];
  if (isFields(item["source"]) && "value" in item["source"])
    return ["source", "its `value` is the data or the address in AG-UI and TanStack AI"];
  const spelled = ["imageUrl", "documentUrl", "inputAudio"].find((name) => name in item);
  return spelled === undefined ? undefined : [spelled, "it has underscores on the wire"];
}
