/**
 * Where in a host's message a part of the neutral one is: for the paths of findings, and for changes of a single field.
 */

import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import type { Format } from "../types/messages.ts";

/** Keys and indices, from the message down. */
export type Place = readonly (string | number)[];

/** The place of a part, told from the piece that its adapter read it from. */
export function placeOf(format: Format, message: Fields, pieces: readonly unknown[], part: number): Place {
  const piece = pieces[part];
  switch (format) {
    case "openai-chat": {
      const { in: where, at } = piece as { in: string; at?: number };
      if (where === "string") return ["content"];
      if (where === "content") return ["content", at!];
      if (where === "call") return ["tool_calls", at!];
      if (where === "function") return ["function_call"];
      return where === "refusal" ? ["refusal"] : [];
    }
    case "openai-responses":
      if (isFields(piece)) return ["content", piece["content"] as number];
      return typeof message["content"] === "string" ? ["content"] : [];
    case "anthropic":
      if (isFields(piece)) return ["content", piece["block"] as number];
      return piece === "mark" && part > 0
        ? [...placeOf(format, message, pieces, part - 1), "cache_control"]
        : ["content"];
    case "gemini":
    case "espalier":
      return ["parts", piece as number];
    case "vscode":
      return typeof piece === "number" ? ["content", piece] : ["content"];
    case "raw": {
      const { in: where, at } = piece as { in: string; at?: number };
      if (where === "result") return [];
      return where === "string" ? ["content"] : [where === "call" ? "toolCalls" : "content", at!];
    }
    case "ai-sdk": {
      const name = Array.isArray(message["parts"]) ? "parts" : "content";
      const { at } = piece as { at: number | "string" };
      return at === "string" ? ["content"] : [name, at];
    }
  }
}

/** The place of one item of what a result holds, within the result's own place. */
export function itemPlace(format: Format, result: unknown, item: number): Place {
  const fields = isFields(result) ? result : {};
  const within = (name: string): Place => (Array.isArray(fields[name]) ? [name, item] : [name]);
  switch (format) {
    case "openai-responses":
      return within("output");
    case "gemini": {
      // The first item is what the function said; what it showed is beside that.
      const name = isFields(fields["functionResponse"]) ? "functionResponse" : "function_response";
      return item === 0 ? [name, "response"] : [name, "parts", item - 1];
    }
    case "ai-sdk":
      return isFields(fields["output"]) ? ["output", "value", item] : ["output"];
    default:
      return within("content");
  }
}

/** The place of a tool's name, within that of its call or result. */
export function namePlace(format: Format, holder: unknown): Place {
  const fields = isFields(holder) ? holder : {};
  const inside = (...names: string[]): Place => {
    const name = names.find((name) => isFields(fields[name]));
    return name === undefined ? ["name"] : [name, "name"];
  };
  switch (format) {
    case "openai-chat":
    case "raw":
      return inside("function", "custom");
    case "gemini":
      return inside("functionCall", "function_call", "functionResponse", "function_response");
    case "ai-sdk":
      return isFields(fields["toolInvocation"]) ? ["toolInvocation", "toolName"] : ["toolName"];
    default:
      return ["name"];
  }
}

/** A place as one would write it in JavaScript, behind `from`. */
export function write(from: string, place: Place): string {
  return place.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`;
    return path === "" ? key : `${path}.${key}`;
  }, from);
}

/** What is at a place. */
export function at(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Fields)[key] : undefined),
    value,
  );
}
