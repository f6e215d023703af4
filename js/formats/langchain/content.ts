/** Blocks of content: LangChain's own, and those of the providers whose content it keeps unchanged. */

import { isBytes } from "../../files/bytes.ts";
import type { Part } from "../../types/messages.ts";
import { base64, documentPart, image } from "../media.ts";
import { opaque, text } from "../parts.ts";
import { withSource } from "../sources.ts";
import { isFields, string } from "../values.ts";
import type { Fields } from "../values.ts";

/** Returns a block as a neutral part. */
export function contentPart(block: Fields): Part {
  const type = string(block["type"]);
  if ((type === "text" || type === "") && typeof block["text"] === "string") return text(block["text"]);
  if (type === "reasoning" || type === "thinking") return { type: "reasoning", text: thoughtOf(block) };
  if (type === "image_url") {
    const from = block["image_url"];
    const url = isFields(from) ? from["url"] : from;
    const detail = isFields(from) && typeof from["detail"] === "string" ? from["detail"] : undefined;
    return typeof url === "string" ? image(url, undefined, detail) : opaque(block);
  }
  if (type !== "image" && type !== "file" && type !== "document") return opaque(block);
  // Anthropic keeps data in an object of its own.
  const held = isFields(block["source"]) ? block["source"] : block;
  const kind = ["mimeType", "mime_type", "media_type"]
    .map((name) => held[name])
    .find((name) => typeof name === "string");
  const mediaType = kind as string | undefined;
  const source = held["data"] ?? held["url"];
  const isImage = type === "image";
  if (isBytes(source)) {
    const part: Part = isImage
      ? image(base64(source), mediaType)
      : { type: "document", ...(mediaType && { mediaType }), dataLength: Math.ceil(source.length / 3) * 4 };
    return withSource(part, source);
  }
  if (typeof source !== "string") return opaque(block);
  return isImage ? image(source, mediaType) : documentPart(source, mediaType);
}

function thoughtOf(block: Fields): string {
  const own = block["reasoning"] ?? block["thinking"] ?? block["text"];
  if (typeof own === "string") return own;
  const { summary } = block;
  return Array.isArray(summary)
    ? summary.flatMap((part: unknown) => (isFields(part) ? [string(part["text"])] : [])).join("\n")
    : "";
}
