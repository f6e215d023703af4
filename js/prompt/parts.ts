/** Content other than text: its raw form, and the facts needed to count it. */

import type { Part as NeutralPart } from "../types/messages.ts";
import { documentPart, image, pictureType } from "../formats/media.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import type { ChatCompletionContentPart } from "../formats/raw/prompt.ts";
import type { ElementNode, OpaqueNode, RenderNode } from "./render-tree.ts";
import { HistoryItem } from "./request/item.ts";

/** Returns the address of a picture, which may be given as bare base64. */
export function imageUrl(src: string): string {
  const type = pictureType(src);
  return type === undefined ? src : `data:${type};base64,${src}`;
}

/** Returns the raw part of an image or document element, for a tokenizer. */
function rawPart(node: ElementNode): ChatCompletionContentPart {
  const { src, detail, mimeType, data, mediaType } = node.props;
  if (node.kind === "document")
    return { type: ChatCompletionContentPartKind.Document, documentData: { data, mediaType } };
  return {
    type: ChatCompletionContentPartKind.Image,
    imageUrl: { url: imageUrl(src), detail: detail ?? undefined, ...(mimeType ? { mediaType: mimeType } : {}) },
  };
}

/** Returns the part that the core counts. */
export function neutralPart(node: ElementNode | OpaqueNode): NeutralPart | undefined {
  if (node.type === "opaque") {
    // It states its own cost.
    if (node.value instanceof HistoryItem) return undefined;
    return {
      type: "opaque",
      json: safeJSON(node.value),
      ...(node.tokenUsage !== undefined && { tokens: Math.max(0, Math.ceil(node.tokenUsage)) }),
    };
  }
  const { src, detail, mimeType, data, mediaType } = node.props;
  if (node.kind === "image") {
    return image(imageUrl(String(src)), mimeType, detail);
  }
  if (node.kind === "document") return documentPart(String(data ?? ""), String(mediaType ?? ""));
  return undefined;
}

/** Returns the part of a raw message for a node; the caller joins texts. */
export function partOf(node: RenderNode): ChatCompletionContentPart {
  switch (node.type) {
    case "element":
      return rawPart(node);
    case "opaque":
      return { type: ChatCompletionContentPartKind.Opaque, value: node.value };
    case "breakpoint":
      return node.part;
    case "text":
      return { type: ChatCompletionContentPartKind.Text, text: node.text };
  }
}

function safeJSON(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
