/** Converts blocks of Anthropic's messages from logs so that they can be sent. */

import { fields, isFields, items } from "./draft.ts";
import type { Fields } from "./draft.ts";

/**
 * Returns blocks: plain texts become blocks, items without a type are dropped, and results that are neither text nor
 * blocks become JSON.
 */
export function blocksOf(content: unknown): Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return items(content).flatMap((block): Fields[] => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    if (!isFields(block) || typeof block["type"] !== "string") return [];
    return [block["type"] === "tool_result" ? resultBlock(block) : block];
  });
}

/** Returns a result whose content can be sent. */
function resultBlock(block: Fields): Fields {
  return isSendable(block["content"]) ? block : { ...block, content: JSON.stringify(block["content"]) };
}

function isSendable(content: unknown): boolean {
  if (content === undefined || typeof content === "string") return true;
  return Array.isArray(content) && content.every((part) => typeof fields(part)["type"] === "string");
}

export function textBlock(text: string): Fields {
  return { type: "text", text };
}

/** Returns a picture in base64 or by its address; nothing for any other source. */
export function imageBlock(source: unknown, type = "image/png"): Fields | undefined {
  if (typeof source !== "string" || source === "") return undefined;
  const data = /^data:([\w/+.-]+);base64,(.*)$/s.exec(source);
  if (data) return { type: "image", source: { type: "base64", media_type: data[1], data: data[2] } };
  if (/^https?:/.test(source)) return { type: "image", source: { type: "url", url: source } };
  return { type: "image", source: { type: "base64", media_type: type, data: source } };
}

/** Returns the arguments of a call: an object, or the parsed JSON text of one. */
export function inputOf(...values: readonly unknown[]): Fields {
  for (const value of values) {
    if (isFields(value)) return value;
    if (typeof value !== "string" || value === "") continue;
    try {
      const read: unknown = JSON.parse(value);
      if (isFields(read)) return read;
    } catch {
      // The arguments were truncated while they were written.
      return { raw: value };
    }
  }
  return {};
}
