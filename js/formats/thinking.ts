/** Signed thoughts: which of them may begin another message of their turn, and how they are put there. */

import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";
import type { Format } from "../types/messages.ts";

/**
 * Formats in which thoughts come back to the provider with its signature; and the neutral one, which may be any of
 * them.
 */
const SIGNED: readonly Format[] = ["anthropic", "ai-sdk", "espalier"];

/**
 * Ids of the messages whose thoughts stay where they are: those of another model than the newest message is of, where
 * messages say so (`model`), and those without a signature. Nothing for formats without signed thoughts.
 */
export function idsOfFixedThoughts(
  format: Format,
  originals: readonly unknown[],
  id: (at: number) => string,
): string[] | undefined {
  if (!SIGNED.includes(format)) return undefined;
  const model = (message: unknown) =>
    isFields(message) && typeof message["model"] === "string" ? message["model"] : undefined;
  const newest = model(originals.findLast((message) => model(message) !== undefined));
  return originals.flatMap((message, at) => {
    const isOthers = newest !== undefined && (model(message) ?? newest) !== newest;
    return isOthers || listOf(message).some((part) => isFields(part) && isThought(part) && !isSealed(part, format))
      ? [id(at)]
      : [];
  });
}

/** A copy of the message that begins with this part; nothing if its format has no list of parts there. */
export function prependThought(message: Fields, part: unknown): Fields | undefined {
  const name = Array.isArray(message["parts"]) ? "parts" : "content";
  return Array.isArray(message[name]) ? copy(message, { [name]: [part, ...(message[name] as unknown[])] }) : undefined;
}

/** The host's own block or part. */
export function thoughtAt(message: Fields, at: number): unknown {
  return listOf(message)[at];
}

function listOf(message: unknown): readonly unknown[] {
  const list = isFields(message) ? (message["parts"] ?? message["content"]) : undefined;
  return Array.isArray(list) ? list : [];
}

function isThought({ type }: Fields): boolean {
  return type === "thinking" || type === "redacted_thinking" || type === "reasoning";
}

function isSealed(part: Fields, format: Format): boolean {
  if (format === "espalier") return true;
  if (format === "anthropic") return isSeal(part[part["type"] === "thinking" ? "signature" : "data"]);
  // Messages of the model have options, those of the page metadata; before version 5 the signature stood beside the
  // text.
  const provider = part["providerOptions"] ?? part["providerMetadata"];
  const anthropic = isFields(provider) ? provider["anthropic"] : undefined;
  return (
    isSeal(part["signature"]) ||
    (isFields(anthropic) && (isSeal(anthropic["signature"]) || isSeal(anthropic["redactedData"])))
  );
}

function isSeal(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
