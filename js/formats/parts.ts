/** Neutral parts: what most formats do to make, read and edit them. */

import type { Part, PartEdit } from "../types/messages.ts";
import { bad, isFields, json, string } from "./values.ts";
import type { Fields } from "./values.ts";

export function text(value: unknown): Part {
  return { type: "text", text: string(value) };
}

export function opaque(value: unknown): Part {
  return { type: "opaque", json: json(value) };
}

/** Returns an item of a tool that the provider runs: a call, or its result, by the id that they share. */
export function servedItem(item: Fields, callId: unknown): Part {
  return { type: "opaque", json: json(item), ...(typeof callId === "string" && { callId }) };
}

/**
 * Returns the thoughts of an item whose `text` is a summary, if `sealed` is their encrypted form. Its length tells the
 * tokens: base64 of 650 bytes and the thoughts, four bytes to a token, as Codex estimates (`estimate_reasoning_length`
 * of its `context_manager/history.rs`, 2026).
 */
export function thoughtOf(text: string, sealed: unknown): Part {
  return { type: "reasoning", text, ...sealedTokens(sealed) };
}

/** Returns an item that is kept as it is. The server's compactions have an encrypted form, as thoughts have. */
export function sealedItem(item: Fields, sealed: unknown): Part {
  return { type: "opaque", json: json(item), ...sealedTokens(sealed) };
}

function sealedTokens(sealed: unknown): { sealed?: number } {
  if (typeof sealed !== "string" || sealed === "") return {};
  return { sealed: Math.ceil(Math.max(0, sealed.length * 0.75 - 650) / 4) };
}

/**
 * Returns a part whose type is not known, to be kept as it is. A part without a type is another provider's, and could
 * be a call or a result: kept as it is, it would lose its other half.
 */
export function unknownPart(item: Fields, path: string): Part {
  if (typeof item["type"] === "string") return opaque(item);
  const wanted =
    "the name of a type (blocks without one, as those of Amazon Bedrock's Converse API, are not read; nor are parts of Genkit)";
  throw bad(`${path}.type`, wanted, item["type"]);
}

/** The text of a neutral message's text parts. */
export function words(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Edits by the number of the part they belong to. */
export function byPart(edits: readonly PartEdit[]): Map<number, PartEdit> {
  return new Map(edits.map((edit) => [edit.part, edit]));
}

/**
 * The items of a result's content after an edit: `said` makes one for a text. Nothing if the content is no list of as
 * many items as the edit names.
 */
export function editedItems(
  content: unknown,
  edits: readonly (string | null | undefined)[],
  said: (text: string, item: unknown) => unknown,
): unknown[] | undefined {
  if (!Array.isArray(content) || content.length !== edits.length) return undefined;
  return content.map((item: unknown, at) => {
    const edit = edits[at];
    return typeof edit === "string" ? said(edit, item) : item;
  });
}

/** Arguments as a value again, for formats that keep them so. A call without arguments has none of them. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // A model wrote arguments that are not JSON; they are kept as they are.
    return { arguments: text };
  }
}

/** Returns arguments as the JSON text of an object: other text, such as the input of a free-form tool, in a field. */
export function argumentsText(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON.
  }
  return isFields(value) ? text : json(objectArguments(text));
}

/** The same for providers that refuse everything but an object. */
export function objectArguments(text: string): Fields {
  const value = parsedArguments(text);
  return isFields(value) ? value : { arguments: value };
}
