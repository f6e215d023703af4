/** The parts of the AI SDK's model messages. */

import { isBuffer, isBytes } from "../../files/bytes.ts";
import { documentPart, image, isImageType, storedImage } from "../media.ts";
import { opaque, text, thoughtOf } from "../parts.ts";
import { signedThought } from "../thinking.ts";
import { isFields, json, string } from "../values.ts";
import type { Fields } from "../values.ts";
import type { Part } from "../../types/messages.ts";

/** The text that the model gets for a call that the user denied without a reason. */
export const DENIED = "Tool call execution denied.";

/** Reads a part of a model message. */
export function modelPart(item: Fields): Part {
  switch (item["type"]) {
    case "text":
      return text(item["text"]);
    case "reasoning":
      return thought(item, string(item["text"]));
    case "tool-call":
      return {
        type: "toolCall",
        callId: string(item["toolCallId"]),
        name: string(item["toolName"]),
        arguments: json(item["input"] ?? item["args"] ?? {}),
      };
    case "tool-result": {
      const output = item["output"] ?? item["result"];
      const kind = isFields(output) ? string(output["type"]) : "";
      const denied = isFields(output) && kind === "execution-denied";
      const value = denied
        ? string(output["reason"], DENIED)
        : isFields(output) && "value" in output
          ? output["value"]
          : output;
      const failed = item["isError"] === true || denied || kind.startsWith("error");
      return {
        type: "toolResult",
        callId: string(item["toolCallId"]),
        name: string(item["toolName"]),
        content: kind === "content" && Array.isArray(value) ? value.map(resultPart) : resultContent(value),
        ...(failed && { isError: true }),
      };
    }
    case "image":
    case "file":
      return media(item);
    // The SDK sends no approvals, except those of calls that the provider executes.
    case "tool-approval-request":
      return { type: "opaque", json: json(item), tokens: 0 };
    case "tool-approval-response":
      return { type: "opaque", json: json(item), ...(item["providerExecuted"] !== true && { tokens: 0 }) };
    default:
      return opaque(item);
  }
}

/** Returns what providers need of a part: model messages keep it in options, UI messages in metadata. */
export function providersOf(item: Fields): Fields[] {
  const options = item["providerOptions"] ?? item["providerMetadata"];
  return isFields(options) ? Object.values(options).filter(isFields) : [];
}

/** Reads a thought, whose encrypted form (OpenAI, xAI) or signature (Anthropic, Bedrock) is sent with it. */
export function thought(item: Fields, said: string): Part {
  const [own = {}] = providersOf(item);
  const encrypted = own["reasoningEncryptedContent"];
  if (typeof encrypted === "string") return thoughtOf(said, encrypted);
  return signedThought(said, own["signature"] ?? own["redactedData"] ?? item["signature"]);
}

/** Whatever a tool gave back is sent as it is if it is a text, else as JSON. */
export function resultContent(value: unknown): Part[] {
  if (typeof value === "string") return [text(value)];
  return value === undefined ? [] : [text(json(value))];
}

/**
 * Pictures and files have other names inside results. What is no part of a result there stays closed: it would not pair
 * up.
 */
function resultPart(item: unknown): Part {
  if (!isFields(item)) return opaque(item);
  const type = string(item["type"]);
  if (type === "text") return text(item["text"]);
  if (/^(media|image|file)$/.test(type) || /^(image|file|image-file)-(data|url|id|reference)$/.test(type))
    return media(item);
  return opaque(item);
}

function media(item: Fields): Part {
  const kind = [item["mediaType"], item["mimeType"]].find((type): type is string => typeof type === "string");
  const isImage = string(item["type"]).startsWith("image") || isImageType(kind);
  const given = item["image"] ?? item["data"] ?? item["url"] ?? item["fileId"] ?? item["providerReference"];
  const source = contentOf(given, string(item["type"]).endsWith("-id"));
  if (!isImage) return documentPart(source, kind);
  const detail = detailOf(item);
  if (typeof source === "string" || isBytes(source)) return image(source, kind, detail);
  return storedImage(idOf(given), kind, detail);
}

/** Returns how closely OpenAI looks at a picture. UI messages have it in `providerMetadata`. */
function detailOf(item: Fields): string | undefined {
  const options = item["providerOptions"] ?? item["providerMetadata"];
  const own = isFields(options) ? options["openai"] : undefined;
  return isFields(own) && typeof own["imageDetail"] === "string" ? own["imageDetail"] : undefined;
}

/** Returns the bytes, base64 or address of a file; nothing if its provider has it (`isId`, or a record of ids). */
function contentOf(given: unknown, isId: boolean): unknown {
  if (isId) return undefined;
  if (given instanceof URL) return given.href;
  if (isBuffer(given)) return new Uint8Array(given);
  if (!isFields(given) || isBytes(given)) return given;
  // Version 7 of the SDK says what kind of data a file has.
  const { type } = given;
  if (type === "text") return new TextEncoder().encode(string(given["text"]));
  return type === "data" || type === "url" ? contentOf(given[type], false) : undefined;
}

/** Returns the id of a file that its provider has: a text, or the first of those by provider. */
function idOf(given: unknown): string {
  if (!isFields(given)) return string(given);
  const ids = isFields(given["reference"]) ? given["reference"] : given;
  return string(Object.values(ids).find((id) => typeof id === "string"));
}
