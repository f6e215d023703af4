/** Blocks of content: LangChain's own, and those of the providers whose content it keeps unchanged. */

import { isBytes } from "../../files/bytes.ts";
import type { Part } from "../../types/messages.ts";
import { audioPart, documentPart, image, isImageType, storedImage } from "../media.ts";
import { opaque, text } from "../parts.ts";
import { signedThought } from "../thinking.ts";
import { isFields, string } from "../values.ts";
import type { Fields } from "../values.ts";

const TEXTS: ReadonlySet<string> = new Set(["text", "text-plain", ""]);
/** LangChain's own blocks, and those of Google (`media`), Anthropic (`document`) and OpenAI (`input_audio`). */
const MEDIA: ReadonlySet<string> = new Set(["image", "file", "audio", "video", "media", "document", "input_audio"]);

const isContent = (value: unknown): value is string | Uint8Array => typeof value === "string" || isBytes(value);
const isText = (value: unknown): value is string => typeof value === "string";

/** Returns a block as a neutral part. */
export function contentPart(block: Fields): Part {
  const type = string(block["type"]);
  if (TEXTS.has(type) && typeof block["text"] === "string") return text(block["text"]);
  if (block["source_type"] === "text") return text(block["text"]);
  if (type === "reasoning" || type === "thinking") return signedThought(textOfThought(block), block["signature"]);
  if (type === "image_url") {
    const from = block["image_url"];
    const url = isFields(from) ? from["url"] : from;
    const detail = isFields(from) && typeof from["detail"] === "string" ? from["detail"] : undefined;
    return typeof url === "string" ? image(url, undefined, detail) : opaque(block);
  }
  if (!MEDIA.has(type)) return opaque(block);
  // Anthropic and OpenAI keep data in an object of its own.
  const held = ["source", "file", "input_audio"].map((name) => block[name]).find(isFields) ?? block;
  const mediaType = first(held, ["mimeType", "mime_type", "media_type"], isText);
  const source = first(held, ["data", "file_data", "url", "fileUri"], isContent);
  const id = first(held, held["source_type"] === "id" ? ["id"] : ["fileId", "file_id"], isText);
  if (source === undefined && id === undefined) return opaque(block);
  if (type === "image" || (type === "media" && isImageType(mediaType)))
    return source === undefined ? storedImage(id!, mediaType) : image(source, mediaType);
  if (type === "input_audio") return audioPart(source, held["format"]);
  return documentPart(source, mediaType ?? (type === "audio" || type === "video" ? type : undefined));
}

/** The first of these fields that holds such a value. */
function first<T>(held: Fields, names: readonly string[], is: (value: unknown) => value is T): T | undefined {
  return names.map((name) => held[name]).find(is);
}

/** Returns the text of a thought, or of its summary. */
export function textOfThought(block: Fields): string {
  const own = block["reasoning"] ?? block["thinking"] ?? block["text"];
  if (typeof own === "string") return own;
  const { summary } = block;
  return Array.isArray(summary)
    ? summary.flatMap((part: unknown) => (isFields(part) ? [string(part["text"])] : [])).join("\n")
    : "";
}
